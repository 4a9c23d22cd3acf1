"""Executors: where planned rollouts are run. Results never depend on which one, nor on its number of workers."""

from __future__ import annotations

import multiprocessing
import os
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from multiprocessing.connection import wait as wait_for_handle
from typing import Any, NamedTuple

from maniguard.evaluate.plan import PlannedRollout
from maniguard.evaluate.store import Run
from maniguard.evaluate.worker import Worker, execute_in_process, scenario_facts, start_in_process
from maniguard.rollout import Status

# A worker that dies takes its pool with it, and nobody can tell which of the rollouts in flight killed it. Each of
# them is then run alone this many times before it is written off.
ATTEMPTS_ALONE = 2

_SINGLE_THREAD = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
    "NUMEXPR_NUM_THREADS",
    "LP_NUM_THREADS",
)

Done = Callable[[PlannedRollout, Status], None]


class Job(NamedTuple):
    """What a worker does with each planned rollout; all but `facts` is sent to other processes.

    `start(*arguments)` prepares a process once, `execute` does one rollout and writes its result, and `facts` says what
    the result of one that killed its workers calls its scenario.
    """

    start: Callable[..., None]
    arguments: tuple[Any, ...]
    execute: Callable[[PlannedRollout], Status]
    facts: Callable[[PlannedRollout], Mapping[str, Any]]


def rollouts(run: Run) -> Job:
    """Return the job of running the planned rollouts of `run`."""
    return Job(
        start_in_process,
        (str(run.path),),
        execute_in_process,
        lambda item: scenario_facts(run.scenario(item.scenario_id)),
    )


def execute(
    run: Run, *, workers: int = 1, order: Sequence[PlannedRollout] | None = None, done: Done, job: Job | None = None
) -> None:
    """Run every pending rollout of `run`, in `order` if given; `done` is called after each result is written.

    One worker runs in this process; more run in a pool of spawned processes with one thread each. A killed worker is
    replaced and its rollouts are run again. RunError while another process writes into the run. `job` is what is done
    with each rollout, running it if not given.
    """
    items = run.pending() if order is None else tuple(order)
    if not items:
        return
    with run.exclusive():
        if workers > 1:
            _execute_pool(run, items, min(workers, len(items)), done, rollouts(run) if job is None else job)
        elif job is None:
            _execute_here(run, items, done)
        else:
            job.start(*job.arguments)
            for item in items:
                done(item, job.execute(item))


def _execute_here(run: Run, items: Sequence[PlannedRollout], done: Done) -> None:
    worker = Worker(run)
    try:
        for item in items:
            done(item, worker.execute(item))
    finally:
        worker.close()


def _execute_pool(run: Run, items: Sequence[PlannedRollout], workers: int, done: Done, job: Job) -> None:
    left = list(items)
    while left:
        suspects: list[PlannedRollout] = []
        for item, status in _one_pool(job, left, workers, suspects):
            left.remove(item)
            done(item, status)
        for item in suspects:
            left.remove(item)
            done(item, _execute_alone(run, item, job))


def _execute_alone(run: Run, item: PlannedRollout, job: Job) -> Status:
    """Run a rollout that was in flight when a pool died, by itself, so that only the one that kills is written off."""
    for _ in range(ATTEMPTS_ALONE):
        if run.result_path(item.rollout_id).exists():
            # The worker wrote the result and died before it could say so.
            found: Status = run.result(item.rollout_id)["status"]
            return found
        for _, status in _one_pool(job, [item], 1, []):
            return status
    fault = f"the worker process died {ATTEMPTS_ALONE} times running this rollout alone"
    run.save_failure(item, job.facts(item), fault)
    return "infra-error"


def _one_pool(
    job: Job, items: Sequence[PlannedRollout], workers: int, in_flight: list[PlannedRollout]
) -> Iterator[tuple[PlannedRollout, Status]]:
    """Yield finished rollouts until all are done or the pool breaks; then `in_flight` holds those that were running."""
    with (
        _single_threaded(),
        ProcessPoolExecutor(
            workers,
            mp_context=multiprocessing.get_context("spawn"),
            initializer=_start_worker,
            initargs=(job.start, *job.arguments),
        ) as pool,
    ):
        running: dict[Future[Status], PlannedRollout] = {}
        queue = list(reversed(items))
        try:
            while queue or running:
                while queue and len(running) < workers:
                    item = queue.pop()
                    running[pool.submit(job.execute, item)] = item
                for future in wait(running, return_when=FIRST_COMPLETED).done:
                    status = future.result()
                    yield running.pop(future), status
        except BrokenProcessPool:
            in_flight.extend(running.values())


def _start_worker(start: Callable[..., None], *arguments: Any) -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        threading.Thread(target=_die_with, args=(parent.sentinel,), daemon=True).start()
    start(*arguments)


def _die_with(sentinel: int) -> None:
    """End this process when its parent ends, so that a killed runner leaves no orphans."""
    wait_for_handle([sentinel])
    os._exit(1)


@contextmanager
def _single_threaded() -> Iterator[None]:
    """Let child processes start with one thread each: they share the cores by being many."""
    before = {name: os.environ.get(name) for name in _SINGLE_THREAD}
    os.environ.update({name: "1" for name in _SINGLE_THREAD})
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value
