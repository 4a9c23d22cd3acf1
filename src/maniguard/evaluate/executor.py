"""Executors: where planned rollouts are run. Results never depend on which one, nor on its number of workers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Protocol

from maniguard.evaluate.faults import Fault, journal_of_runner, record_fault
from maniguard.evaluate.job import DISPATCHES, Job, Lost, Outcome, Queue
from maniguard.evaluate.plan import PlannedRollout
from maniguard.evaluate.pool import PoolExecutor
from maniguard.evaluate.stopping import Watch
from maniguard.evaluate.store import Run, RunError
from maniguard.evaluate.watchdog import STALL_S
from maniguard.evaluate.worker import execute_in_process, scenario_facts, start_in_process, stop_in_process
from maniguard.rollout import Status

# Where a run may stop early, a rollout that is to be run again holds up the decision, and waits for this many only.
SOON = 16

# So many rollouts one after the other that came to nothing are no accident of theirs: what they need is gone.
MAX_LOST_IN_A_ROW = 25

Done = Callable[[PlannedRollout, Status], None]


class Executor(Protocol):
    """Hands rollouts to workers, and tells of each what came of it."""

    def run(self, job: Job, queue: Queue) -> Iterator[tuple[PlannedRollout, Outcome | Lost]]:
        """Yield until the queue is empty and nothing is under way; the caller may fill the queue again meanwhile.

        Whatever ends the iteration, no worker remains. An error of a worker that is no fault of a rollout is raised.
        """


class InlineExecutor:
    """Runs everything in this process: for tests and debuggers. What kills or stops a rollout stops the run."""

    def run(self, job: Job, queue: Queue) -> Iterator[tuple[PlannedRollout, Outcome | Lost]]:
        """Yield what comes of each rollout of the queue."""
        job.start(*job.arguments)
        try:
            while len(queue):
                item, last = queue.take()
                yield item, job.execute(item, last)
        finally:
            job.stop()


def rollouts(run: Run, stall_s: float | None = STALL_S) -> Job:
    """Return the job of running the planned rollouts of `run`.

    A worker in which nothing moves for `stall_s` seconds ends itself; None lets it stand.
    """
    return Job(
        start_in_process,
        (str(run.path.resolve()), stall_s),
        execute_in_process,
        lambda item: scenario_facts(run.scenario(item.scenario_id)),
        stop_in_process,
    )


def execute(
    run: Run,
    *,
    workers: int = 1,
    order: Sequence[PlannedRollout] | None = None,
    done: Done,
    job: Job | None = None,
    executor: Executor | None = None,
    stall_s: float = STALL_S,
) -> None:
    """Run every pending rollout of `run`, in `order` if given; `done` is called after each result is written.

    Without `executor` one worker runs in this process, and more in a pool of spawned processes with one thread each. A
    rollout whose worker dies or stalls is run again, and so is one that ends as infra-error, three times in all, the
    later ones at the end of the plan; each failed attempt enters the journal of faults. `stall_s` is for workers that
    are processes of their own: what runs in this one is never ended. `job` is what is done with each
    rollout, running it if not given. RunError while another process writes into the run, and where `MAX_LOST_IN_A_ROW`
    rollouts one after the other come to nothing; what is pending then stays so.
    """
    items = run.pending() if order is None else tuple(order)
    with run.exclusive():
        run.clear_leftovers()
        watch = None if run.plan.stop is None else Watch(run)
        if watch is not None and watch.update():
            watch.discard()
            # What is to be run again of the tasks that decided; the decision stands.
            watch, items = None, run.pending()
        if not items:
            return
        if executor is None:
            executor = InlineExecutor() if workers == 1 else PoolExecutor(run, min(workers, len(items)))
        if job is None:
            # Who would notice that this process is gone? And whoever debugs it takes their time.
            job = rollouts(run, None if isinstance(executor, InlineExecutor) else stall_s)
        queue = Queue(items, None if watch is None else SOON)
        with journal_of_runner(run):
            _execute(run, queue, executor, job, done, watch)
        if watch is not None:
            watch.discard()


def _execute(run: Run, queue: Queue, executor: Executor, job: Job, done: Done, watch: Watch | None) -> None:
    in_a_row = 0
    stopped = False
    for item, outcome in executor.run(job, queue):
        if stopped:
            continue
        if isinstance(outcome, Lost):
            record_fault(run, Fault(item.rollout_id, outcome.kind, outcome.detail))
            if run.result_path(item.rollout_id).exists():
                # The worker wrote the result and died before it could say so.
                outcome = run.result(item.rollout_id)["status"]
        if isinstance(outcome, Lost) or outcome == "again":
            in_a_row += 1
            if in_a_row >= MAX_LOST_IN_A_ROW:
                raise RunError(_given_up(run, item, in_a_row))
            if queue.again(item):
                continue
            if not isinstance(outcome, Lost):
                raise RuntimeError(f"{item.rollout_id} was to be run again after its last chance")
            text = f"its worker was lost {DISPATCHES} times; at last {outcome.detail}"
            run.save_failure(item, job.facts(item), text)
            outcome = "infra-error"
        else:
            in_a_row = 0
        done(item, outcome)
        if watch is not None and watch.update():
            stopped = True
            queue.clear()


def _given_up(run: Run, item: PlannedRollout, count: int) -> str:
    return (
        f"{count} rollouts in a row came to nothing, the last is {item.rollout_id} "
        f"({run.faults_path(item.rollout_id)} says why); {len(run.pending())} stay pending: mend it, "
        f"and repeat the call"
    )


def retry_infra(run: Run) -> int:
    """Make the rollouts that ended as infra-error pending again, and return how many; RunError while it is written."""
    with run.exclusive():
        found = [result["rollout_id"] for result in run.results() if result["status"] == "infra-error"]
        for rollout_id in found:
            run.result_path(rollout_id).unlink()
    return len(found)
