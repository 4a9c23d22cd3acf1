"""The Ray executor on a cluster that is none: what it does with workers that are lost."""

from __future__ import annotations

from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest
from tests.evaluate.short import short_run

from maniguard.evaluate import Queue, ray_executor
from maniguard.evaluate.executor import rollouts
from maniguard.evaluate.job import Lost
from maniguard.evaluate.pool import WorkerError


class Actor:
    """A worker; every call is a reference to what the cluster makes of it."""

    def __init__(self, cluster: Cluster) -> None:
        self.greet = SimpleNamespace(remote=lambda: self._reference(cluster.greetings))
        self.execute = SimpleNamespace(remote=lambda item, last: self._reference(cluster.answers))

    def _reference(self, script: Iterator[Any]) -> Any:
        return Reference(next(script))


class Reference:
    def __init__(self, value: Any) -> None:
        self.value = value


class Cluster:
    """As much of Ray as the executor uses. Greetings and answers come from scripts; an exception is raised by `get`."""

    def __init__(self, greetings: Iterator[Any], answers: Iterator[Any]) -> None:
        names = ("ActorDiedError", "ActorUnavailableError", "WorkerCrashedError", "NodeDiedError", "OutOfMemoryError")
        self.exceptions = SimpleNamespace(**{name: type(name, (Exception,), {}) for name in names})
        self.greetings, self.answers = greetings, answers
        self.killed: list[Actor] = []

    def is_initialized(self) -> bool:
        return True

    def cluster_resources(self) -> dict[str, float]:
        return {"CPU": 1.0}

    def remote(self, kind: type) -> Any:
        return SimpleNamespace(options=lambda **_: SimpleNamespace(remote=lambda *_: Actor(self)))

    def wait(self, references: list[Any], **_: Any) -> tuple[list[Any], list[Any]]:
        return references[:1], references[1:]

    def get(self, reference: Any) -> Any:
        value = reference.value
        if isinstance(value, str) and hasattr(self.exceptions, value):
            raise getattr(self.exceptions, value)
        return value

    def kill(self, actor: Actor) -> None:
        self.killed.append(actor)


def forever(value: Any) -> Iterator[Any]:
    while True:
        yield value


GREETING = ("a-host", 4_000_000, "a-node")


def run_with(cluster: Cluster, monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> list[Any]:
    monkeypatch.setattr(ray_executor, "import_ray", lambda: cluster)
    run = short_run(tmp_path / "run", "noop")
    queue = Queue(run.plan.items)
    return [answer for _, answer in ray_executor.RayExecutor(run, 1).run(rollouts(run), queue)]


@pytest.mark.parametrize("how", ["ActorDiedError", "ActorUnavailableError", "NodeDiedError", "OutOfMemoryError"])
def test_a_lost_worker_is_made_sure_of_before_its_rollout_is_given_to_another(how, monkeypatch, tmp_path) -> None:
    cluster = Cluster(forever(GREETING), iter([how, "completed"]))
    first, second = run_with(cluster, monkeypatch, tmp_path)
    assert isinstance(first, Lost)
    assert (first.kind, second) == ("worker-lost", "completed")
    # The lost one when it was lost, the other at the end.
    assert len({id(actor) for actor in cluster.killed}) == 2


def test_a_worker_that_dies_while_it_starts_is_replaced_but_not_for_ever(monkeypatch, tmp_path) -> None:
    cluster = Cluster(iter(["ActorDiedError", "NodeDiedError", GREETING]), forever("completed"))
    assert run_with(cluster, monkeypatch, tmp_path / "a") == ["completed", "completed"]
    with pytest.raises(WorkerError, match="5 Ray workers in a row died"):
        run_with(Cluster(forever("ActorDiedError"), iter(())), monkeypatch, tmp_path / "b")
