"""Workers on a Ray cluster: one actor a worker, on whichever node has a core free."""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from maniguard.evaluate.job import Job, Lost, Outcome, Queue
from maniguard.evaluate.plan import PlannedRollout
from maniguard.evaluate.pool import SINGLE_THREAD, Answer, Raised, WorkerError, carried_out
from maniguard.evaluate.store import Run, RunError
from maniguard.evaluate.watchdog import note_path, take_note

# How long to wait for the first core that the cluster gives us.
START_S = 300.0

_REACH_S = 10.0

# A node that dies takes its actors along; the cluster notices by heartbeats within this order of time.
_LOOK_S = 5.0

# Workers that die while they start, one after the other: replaced, as a node may have died, but not for ever.
_STARTS = 5


class _Seat(NamedTuple):
    """One actor, its node, and the note that its watchdog would leave."""

    actor: Any
    node: str
    note: Path


class RayExecutor:
    """Workers on a Ray cluster.

    `address` is the cluster's, as `ray.init` takes it; without one, the cluster that RAY_ADDRESS names, or one that is
    started on this machine and ended with the run. `workers` is how many cores to use at a time, all of them if None.
    The run folder, and a policy given as a file, must be at the same path on every node. A worker that dies, alone or
    with its node, is replaced where a core is free.
    """

    def __init__(self, run: Run, workers: int | None = None, address: str | None = None) -> None:
        self._ray = import_ray()
        self._store, self._workers, self._address = run, workers, address

    def run(self, job: Job, queue: Queue) -> Iterator[tuple[PlannedRollout, Outcome | Lost]]:
        """Yield what comes of each rollout of the queue."""
        ray = self._ray
        ours = not ray.is_initialized()
        if ours:
            self._connect()
        try:
            wanted = self._workers or int(ray.cluster_resources().get("CPU", 1))
            yield from self._run(job, queue, max(1, min(wanted, len(queue))))
        finally:
            if ours:
                ray.shutdown()

    def _connect(self) -> None:
        ray = self._ray
        if self._address is not None and ":" in self._address and "://" not in self._address:
            _check_reachable(self._address)
        try:
            ray.init(
                address=self._address,
                ignore_reinit_error=False,
                include_dashboard=None if self._address else False,
                log_to_driver=False,
                logging_level="ERROR",
            )
        except (ConnectionError, RuntimeError, ValueError) as error:
            where = self._address or os.environ.get("RAY_ADDRESS") or "of this machine"
            text = " ".join(str(error).split())
            raise RunError(f"no Ray cluster at {where}: {text[:200]}; start one with `ray start --head`") from error

    def _run(self, job: Job, queue: Queue, workers: int) -> Iterator[tuple[PlannedRollout, Outcome | Lost]]:
        ray = self._ray
        starting: dict[Any, Any] = {}
        idle: list[_Seat] = []
        busy: dict[Any, tuple[_Seat, PlannedRollout]] = {}
        waited_s, still_born = 0.0, 0
        try:
            while len(queue) or busy:
                while len(queue) and idle:
                    seat, (item, last) = idle.pop(), queue.take()
                    busy[seat.actor.execute.remote(item, last)] = (seat, item)
                while len(queue) > len(starting) and len(starting) + len(idle) + len(busy) < workers:
                    actor = self._actor(job)
                    starting[actor.greet.remote()] = actor
                ready, _ = ray.wait([*busy, *starting], num_returns=1, timeout=_LOOK_S)
                waited_s = 0.0 if ready or busy else waited_s + _LOOK_S
                if waited_s > START_S:
                    raise RunError(f"the Ray cluster gave no free core within {START_S:g} s; `ray status` says why")
                for reference in ready:
                    if reference in starting:
                        actor = starting.pop(reference)
                        arrived = self._greeted(reference, actor)
                        still_born = still_born + 1 if arrived is None else 0
                        if still_born >= _STARTS:
                            raise WorkerError(f"{_STARTS} Ray workers in a row died while they started; see Ray's logs")
                        if arrived is not None:
                            idle.append(arrived)
                        continue
                    seat, item = busy.pop(reference)
                    answer = self._answer(reference, seat)
                    if not isinstance(answer, Lost):
                        idle.append(seat)
                    yield item, answer
        finally:
            for actor in (*starting.values(), *(s.actor for s in idle), *(s.actor for s, _ in busy.values())):
                ray.kill(actor)
            for seat in (*idle, *(s for s, _ in busy.values())):
                take_note(seat.note)

    def _actor(self, job: Job) -> Any:
        options = {"num_cpus": 1, "max_restarts": 0, "max_task_retries": 0}
        where = str(self._store.path.resolve())
        return self._ray.remote(_RayWorker).options(**options).remote(job.without_facts(), where)

    @property
    def _lost_errors(self) -> tuple[type[Exception], ...]:
        errors = self._ray.exceptions
        return (
            errors.ActorDiedError,
            errors.ActorUnavailableError,
            errors.WorkerCrashedError,
            errors.NodeDiedError,
            errors.OutOfMemoryError,
        )

    def _greeted(self, reference: Any, actor: Any) -> _Seat | None:
        """Return the seat of an actor that has started; None where its node died meanwhile."""
        try:
            greeting = self._ray.get(reference)
        except self._lost_errors as error:
            self._ray.kill(actor)
            if "The actor died because of an error raised in its creation task" in str(error):
                raise WorkerError(f"a Ray worker does not start: {_last_line(error)}") from error
            return None
        if isinstance(greeting, Raised):
            raise WorkerError(greeting.text) if greeting.error is None else greeting.error
        host, pid, node = greeting
        return _Seat(actor, node, note_path(self._store.notes_path, host, pid))

    def _answer(self, reference: Any, seat: _Seat) -> Outcome | Lost:
        try:
            answer: Answer = self._ray.get(reference)
        except self._lost_errors:
            # A worker that is only out of reach would go on with a rollout that another one is given next.
            self._ray.kill(seat.actor)
            note = take_note(seat.note)
            if note is not None:
                return Lost("worker-stalled", f"nothing moved in the worker process any more; it stood at {note}")
            return Lost("worker-lost", f"Ray lost the worker on node {seat.node}, alone or with its node")
        if isinstance(answer, Raised):
            raise WorkerError(answer.text) if answer.error is None else answer.error
        return answer


class _RayWorker:
    """A worker as a Ray actor; what it raises is an answer, so that it arrives as what it is."""

    def __init__(self, job: Job, run_path: str) -> None:
        self._job, self._run_path = job, run_path

    def greet(self) -> tuple[str, int, str] | Raised:
        """Start, and say where."""
        if not Path(self._run_path, "plan.json").is_file():
            text = f"{self._run_path} does not exist on node {socket.gethostname()}; all nodes must share it"
            return Raised(RunError(text), text)
        # Ray itself sees to OMP_NUM_THREADS, which has to stand before anything is imported; software rendering looks
        # when it makes its first picture.
        os.environ.update(dict.fromkeys(SINGLE_THREAD, "1"))
        answer = carried_out(self._job.start, *self._job.arguments)
        if isinstance(answer, Raised):
            return answer
        node = import_ray().get_runtime_context().get_node_id()
        return socket.gethostname(), os.getpid(), node[:12]

    def execute(self, item: PlannedRollout, last: bool) -> Any:
        """Run one rollout."""
        return carried_out(self._job.execute, item, last)


def import_ray() -> Any:
    """Return the module ray; RunError names the extra that brings it."""
    # Ray counts its users over the network unless it is told not to.
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    try:
        import ray
        import ray.exceptions
    except ModuleNotFoundError as error:
        raise RunError("the Ray executor needs ray: pip install 'maniguard[ray]'") from error
    return ray


def _check_reachable(address: str) -> None:
    """Refuse an address where nobody listens, for which Ray itself would wait for minutes."""
    host, _, port = address.rpartition(":")
    try:
        socket.create_connection((host.strip("[]"), int(port)), timeout=_REACH_S).close()
    except (OSError, ValueError, OverflowError) as error:
        raise RunError(f"no Ray cluster at {address}: {error}; start one with `ray start --head`") from error


def _last_line(error: BaseException) -> str:
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return lines[-1] if lines else type(error).__name__
