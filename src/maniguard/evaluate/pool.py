"""The local pool: spawned processes, each given one rollout at a time over a pipe of its own."""

from __future__ import annotations

import multiprocessing
import os
import pickle
import signal
import socket
import threading
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from multiprocessing.connection import Connection
from multiprocessing.connection import wait as wait_for_any
from multiprocessing.context import SpawnProcess
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple, TypeAlias

from maniguard.errors import ManiguardError
from maniguard.evaluate.job import Job, Lost, Outcome, Queue
from maniguard.evaluate.plan import PlannedRollout
from maniguard.evaluate.store import Run
from maniguard.evaluate.watchdog import note_path, take_note

SINGLE_THREAD = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
    "NUMEXPR_NUM_THREADS",
    "LP_NUM_THREADS",
)

# A worker that is killed while it starts is replaced, but not for ever.
_STARTS = 5

# How long a worker that was told to go home may take over it, closing its policy, before it is ended.
_FAREWELL_S = 20.0


_READY = "ready"


class WorkerError(ManiguardError):
    """A worker that cannot be used at all: it does not start, or its code is at fault."""


class Raised(NamedTuple):
    """What a worker raised, as it can be sent: our own errors and the system's as they are, others in words."""

    error: ManiguardError | OSError | None
    text: str


Answer: TypeAlias = Outcome | Raised


class _Seat:
    """One worker process, the end of its pipe, and the rollout that it is at."""

    def __init__(self, job: Job) -> None:
        context = multiprocessing.get_context("spawn")
        self.connection, theirs = context.Pipe()
        self.process: SpawnProcess = context.Process(target=_work, args=(theirs, job.without_facts()))
        with _single_threaded():
            self.process.start()
        theirs.close()
        self.ready = False
        self.item: PlannedRollout | None = None

    def give(self, item: PlannedRollout, last: bool) -> None:
        self.item = item
        try:
            self.connection.send((item, last))
        except OSError:
            # It is dead already, which whoever waits for its answer learns from the pipe, too.
            return

    def end(self, notes: Path, *, now: bool) -> str | None:
        """End the process, at once or in its own time; return the note that it left."""
        if now:
            self.process.kill()
        self.connection.close()
        self.process.join(None if now else _FAREWELL_S)
        if self.process.exitcode is None:
            self.process.kill()
            self.process.join()
        return take_note(note_path(notes, socket.gethostname(), self.process.pid or 0))


class PoolExecutor:
    """A pool of `workers` processes on this machine. A worker that dies is replaced; the others do not notice."""

    def __init__(self, run: Run, workers: int) -> None:
        self._notes, self._workers = run.notes_path, workers

    def run(self, job: Job, queue: Queue) -> Iterator[tuple[PlannedRollout, Outcome | Lost]]:
        """Yield what comes of each rollout of the queue."""
        seats: list[_Seat] = []
        still_born = 0
        well = False
        try:
            while True:
                for seat in seats:
                    if seat.ready and seat.item is None and len(queue):
                        seat.give(*queue.take())
                free = sum(seat.item is None for seat in seats)
                for _ in range(min(self._workers - len(seats), len(queue) - free)):
                    seats.append(_Seat(job))
                busy = {seat.connection: seat for seat in seats if seat.item is not None or not seat.ready}
                if not (len(queue) or any(seat.item is not None for seat in seats)):
                    break
                for connection in wait_for_any(list(busy)):
                    seat = busy[connection]  # type: ignore[index]
                    item, seat.item = seat.item, None
                    answer = _receive(seat.connection)
                    if isinstance(answer, Raised):
                        raise WorkerError(answer.text) if answer.error is None else answer.error
                    if answer is None:
                        seats.remove(seat)
                        lost = self._obituary(seat)
                        if item is not None:
                            yield item, lost
                            continue
                        still_born += 1
                        if still_born >= _STARTS or (seat.process.exitcode or 0) >= 0:
                            raise WorkerError(f"a worker does not start: {lost.detail}; what it said is on stderr")
                    elif item is None:
                        seat.ready, still_born = True, 0
                    else:
                        yield item, answer
            well = True
        finally:
            for seat in seats:
                seat.end(self._notes, now=not (well and seat.ready))

    def _obituary(self, seat: _Seat) -> Lost:
        # It has closed its end of the pipe, so it is dead or as good as dead.
        note = seat.end(self._notes, now=False)
        code = seat.process.exitcode
        if note is not None:
            return Lost("worker-stalled", f"nothing moved in the worker process any more; it stood at {note}")
        if code is not None and code < 0:
            return Lost("worker-killed", f"the worker process died of signal {-code} ({signal.Signals(-code).name})")
        return Lost("worker-died", f"the worker process died with exit status {code}")


def _receive(connection: Connection) -> Any:
    """Return the answer of a worker, None where it is dead."""
    try:
        return connection.recv()
    except (EOFError, ConnectionError):
        return None


def _work(connection: Connection, job: Job) -> None:
    """Be a worker until the other end hangs up."""
    # Ctrl-C reaches the whole group; the runner ends its workers itself.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = multiprocessing.parent_process()
    if parent is not None:
        threading.Thread(target=_die_with, args=(parent.sentinel,), daemon=True).start()
    started = carried_out(job.start, *job.arguments)
    if isinstance(started, Raised):
        connection.send(started)
        return
    connection.send(_READY)
    try:
        while True:
            try:
                item, last = connection.recv()
            except EOFError:
                break
            connection.send(carried_out(job.execute, item, last))
    finally:
        job.stop()


def carried_out(call: Callable[..., Any], *arguments: Any) -> Any:
    """Return what a call returns, or what it raised in a form that can be sent to whoever raises it again."""
    with _Catcher() as catcher:
        return call(*arguments)
    return catcher.raised


class _Catcher:
    """Keeps what is raised. Interrupts and exits pass."""

    def __init__(self) -> None:
        self.raised: Raised | None = None

    def __enter__(self) -> _Catcher:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> bool:
        if not isinstance(error, Exception):
            return False
        ours = error if isinstance(error, ManiguardError | OSError) and _travels(error) else None
        last = traceback.extract_tb(where)[-1]
        if ours is None:
            traceback.print_exception(error)
        place = f"{Path(last.filename).name} line {last.lineno}"
        self.raised = Raised(ours, f"a worker raised {type(error).__name__}: {error} ({place})")
        return True


def _travels(error: Exception) -> bool:
    """Say whether another process can make the same error of what is sent: not of one that a user's file defines."""
    if type(error).__module__.partition(".")[0] not in ("maniguard", "av", "builtins"):
        return False
    try:
        return type(pickle.loads(pickle.dumps(error))) is type(error)
    except (pickle.PickleError, TypeError, AttributeError):
        return False


def _die_with(sentinel: int) -> None:
    """End this process when its parent ends, so that a killed runner leaves no orphans."""
    wait_for_any([sentinel])
    os._exit(1)


@contextmanager
def _single_threaded() -> Iterator[None]:
    """Let child processes start with one thread each: they share the cores by being many."""
    before = {name: os.environ.get(name) for name in SINGLE_THREAD}
    os.environ.update({name: "1" for name in SINGLE_THREAD})
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value
