"""What goes wrong changes no result: every fault injected for real, and named at the end."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest
from tests.evaluate.servers import Server
from tests.evaluate.short import short_run

from maniguard.evaluate import Fault, RunError, execute, fault_groups, faults, retry_infra, rows
from maniguard.evaluate.faults import copy_faults, copy_faults_of_runner, journal_of_runner, record_fault
from maniguard.evaluate.store import Run
from maniguard.metrics import summarize

# Two tasks of 24 control steps, four of which are executed of each answer: requests 1 to 6, and 7 to 12.
REQUESTS = 6


def play(path: Path, policy: str, **options) -> Run:
    run = short_run(path, policy, **options)
    execute(run, done=lambda item, status: None)
    assert run.ledger()["pending"] == 0
    assert not list(path.rglob("*.part"))
    assert not (path / ".running").exists()
    return run


def digests(run: Run) -> dict[str, str]:
    return {result["rollout_id"]: result["trace_digest"] for result in run.results()}


def kinds(run: Run) -> dict[str, int]:
    counts: dict[str, int] = {}
    for fault in faults(run):
        counts[fault.kind] = counts.get(fault.kind, 0) + 1
    return counts


@pytest.fixture(scope="module")
def reference(tmp_path_factory):
    with Server() as server:
        run = play(tmp_path_factory.mktemp("reference") / "run", server.url())
    assert run.ledger()["completed"] == 2
    assert faults(run) == ()
    return digests(run)


@pytest.mark.parametrize(
    ("fault", "kind"), [("hang", "late-answer"), ("late", "late-answer"), ("drop", "lost-connection")]
)
def test_a_server_that_fails_once_changes_nothing_and_is_named(fault, kind, reference, tmp_path):
    with Server(fault, [3]) as server:
        run = play(tmp_path / "run", server.url(timeout_s=1))
    assert digests(run) == reference
    (group,) = fault_groups(run)
    assert (group.kind, group.count, group.first.rollout_id) == (kind, 1, run.plan.items[0].rollout_id)
    assert group.ended == {"completed": 1}


def test_an_answer_that_is_slow_but_in_time_is_no_fault(reference, tmp_path):
    with Server("slow", [2, 9]) as server:
        run = play(tmp_path / "run", server.url(timeout_s=2))
    assert digests(run) == reference
    assert faults(run) == ()


@pytest.mark.parametrize(
    ("fault", "said"),
    [("nan", "nan in row 0, column 3"), ("shape", r"(4, 7)"), ("nothing", "no actions")],
)
def test_a_bad_answer_is_the_policys_and_stays_in_n(fault, said, reference, tmp_path):
    with Server(fault, [8]) as server:
        run = play(tmp_path / "run", server.url())
    good, bad = run.results()
    assert good["trace_digest"] == reference[good["rollout_id"]]
    assert bad["status"] == "policy-fault"
    (group,) = fault_groups(run)
    assert (group.kind, group.count, group.ended) == ("policy-fault", 1, {"policy-fault": 1})
    assert said in group.first.detail
    overall = summarize(rows(run), protocol="maniguard")["overall"]
    assert (overall["n"], overall["excluded"]) == (2, {})


def test_a_server_that_is_killed_and_comes_back(reference, tmp_path):
    with Server("die", [3]) as server:

        def bring_back() -> None:
            server.process.wait()
            server.restart()

        helper = threading.Thread(target=bring_back)
        helper.start()
        run = play(tmp_path / "run", server.url(wait_s=60))
        helper.join()
    assert digests(run) == reference
    assert kinds(run) == {"lost-connection": 1}


def test_a_connection_dropped_every_n_requests(reference, tmp_path):
    with Server("drop-every", [REQUESTS + 2]) as server:
        run = play(tmp_path / "run", server.url())
    assert digests(run) == reference
    assert kinds(run) == {"lost-connection": 1}


def test_a_rollout_that_can_never_be_finished_leaves_n_with_bounds_on_every_rate(tmp_path):
    with Server("drop-every", [4]) as server:
        run = play(tmp_path / "run", server.url())
    assert run.ledger()["infra-error"] == 2
    # Three times handed out, each time tried twice, two rollouts.
    assert kinds(run) == {"lost-connection": 12}
    overall = summarize(rows(run), protocol="maniguard")["overall"]
    assert (overall["n"], overall["excluded"]) == (0, {"infra-error": 2})
    assert (overall["bounds"]["ssr"]["low"], overall["bounds"]["ssr"]["high"]) == (0.0, 1.0)


def test_what_ended_as_infra_error_can_be_asked_for_again(reference, tmp_path):
    with Server("drop-every", [4]) as server:
        run = play(tmp_path / "run", server.url())
        server.close()
        server.restart()
        assert retry_infra(run) == 2
        run = play(tmp_path / "run", server.url())
    assert digests(run) == reference


def test_a_server_that_stays_away_stops_the_run_and_leaves_the_rest_pending(tmp_path):
    with Server() as server:
        run = short_run(tmp_path / "run", server.url(wait_s=0), tasks=26)
        server.close()
        with pytest.raises(RunError, match="25 rollouts in a row came to nothing, the last is short-clutter-dry-24"):
            execute(run, done=lambda item, status: None)
    assert run.ledger()["pending"] == 26
    assert kinds(run) == {"lost-connection": 50}


UNSTABLE = """
import numpy as np
import mujoco
from maniguard.policies import STATE, PROMPT, ActionSpec, PolicyContract
from maniguard.sim import World

made = []
build = World.__init__
def remember(self, *arguments, **named):
    build(self, *arguments, **named)
    made.append(self)
World.__init__ = remember

class Unstable:
    '''Throws the solver's state out in the third step of the first rollouts, as a bad contact would.'''
    contract = PolicyContract("unstable", (STATE, PROMPT), ActionSpec(1), 1, True)
    resets = 0
    def reset(self, *, seed, instruction):
        self.steps = 0
        Unstable.resets += 1
    def infer(self, observation):
        self.steps += 1
        if self.steps == 3 and Unstable.resets <= {times}:
            made[-1].data.qvel[-1] = 1e12
        return observation["observation/state"].astype(float)[None]
    def close(self):
        pass
"""


@pytest.mark.parametrize(("times", "status"), [(1, "completed"), (99, "infra-error")])
def test_physics_that_blows_up_before_anything_is_touched(times, status, tmp_path, monkeypatch):
    from maniguard.sim import World

    monkeypatch.setattr(World, "__init__", World.__init__)
    path = tmp_path / "unstable.py"
    path.write_text(UNSTABLE.format(times=times))
    run = play(tmp_path / "run", f"{path}:Unstable", tasks=1)
    (result,) = run.results()
    assert result["status"] == status
    assert kinds(run) == {"unstable-simulation": 1 if times == 1 else 6}


def test_the_journal_groups_by_kind_and_cause_and_names_the_first(tmp_path):
    run = short_run(tmp_path / "run", "noop", seeds=(0, 1))
    first, second, *_ = (item.rollout_id for item in run.plan.items)
    for name, kind, detail in (
        (second, "worker-killed", "signal 9"),
        (first, "lost-connection", "server 127.0.0.1:81 hung up"),
        (second, "lost-connection", "server 127.0.0.1:8000 hung up"),
        (second, "lost-connection", "no host"),
    ):
        record_fault(run, Fault(name, kind, detail))
    found = [(group.kind, group.count, group.first.rollout_id, dict(group.ended)) for group in fault_groups(run)]
    assert found == [
        ("lost-connection", 2, first, {"pending": 2}),
        ("worker-killed", 1, second, {"pending": 1}),
        ("lost-connection", 1, second, {"pending": 1}),
    ]


def test_a_journal_that_is_copied_twice_tells_of_no_fault_twice(tmp_path):
    source, target = (short_run(tmp_path / name, "noop") for name in ("source", "target"))
    first, second = (item.rollout_id for item in source.plan.items)
    for detail in ("once", "again"):
        record_fault(source, Fault(first, "worker-killed", detail))
    record_fault(source, Fault(first, "runner-killed", "the runner ended without a word"), runner=True)
    for _ in range(2):
        copy_faults(source, target, (first, second))
        copy_faults_of_runner(source, target)
    assert faults(target) == faults(source)
    assert [fault.detail for fault in faults(target)] == ["the runner ended without a word", "once", "again"]


def test_a_damaged_journal_is_refused(tmp_path):
    run = short_run(tmp_path / "run", "noop")
    name = run.plan.items[0].rollout_id
    record_fault(run, Fault(name, "x", "y"))
    for text in ("{", '{"format": "other"}', '{"format": "maniguard-faults/1", "faults": [1]}'):
        run.faults_path(name).write_text(text)
        with pytest.raises(RunError, match="faults/short"):
            faults(run)


def test_a_runner_that_was_killed_is_named_by_the_next(tmp_path):
    run = short_run(tmp_path / "run", "noop")
    (run.path / ".running").write_bytes(b" " * 10)
    execute(run, done=lambda item, status: None)
    (fault,) = faults(run)
    assert (fault.kind, fault.rollout_id) == ("runner-killed", run.plan.items[0].rollout_id)
    assert "2 rollouts were not done" in fault.detail


def test_an_error_of_ours_leaves_no_mark_of_a_killed_runner(tmp_path):
    run = short_run(tmp_path / "run", "noop")
    with pytest.raises(KeyboardInterrupt), journal_of_runner(run):
        raise KeyboardInterrupt
    assert not (run.path / ".running").exists()
    assert faults(run) == ()
