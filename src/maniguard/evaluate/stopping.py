"""The decision to stop, made on the tasks of the drawn order that are done from its beginning on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from itertools import groupby

from maniguard.evaluate.plan import PlannedRollout
from maniguard.evaluate.rows import judgement_of, row_of
from maniguard.evaluate.stop import STOPPED_FORMAT, Stopped
from maniguard.evaluate.store import Run
from maniguard.files import readable_json, write_atomic
from maniguard.metrics import StopCondition, StopWatch, TaskOrder
from maniguard.spec import Spec


class Watch:
    """Follows a run whose plan says when it may stop.

    Only tasks whose predecessors are all done are looked at, one after the other, so that the same task decides
    however many workers there are and in whatever order they finish. What had been begun beyond it is discarded.
    """

    def __init__(self, run: Run) -> None:
        stop = run.plan.stop
        if stop is None:
            raise ValueError(f"{run.path} has no condition for stopping")
        self._run, self._stop = run, stop
        self._tasks = _by_task(run.plan.items)
        self._next = 0
        self._specs: dict[str, Spec] = {}
        self._watch = StopWatch(
            StopCondition.parse(stop.condition),
            tasks=len(self._tasks),
            rollouts_per_task=max(map(len, self._tasks)),
        )

    def update(self) -> bool:
        """Look at the tasks that are done since; say whether the run has stopped, and write down that it has."""
        if self._run.stopped is not None:
            return True
        while self._next < len(self._tasks):
            items = self._tasks[self._next]
            if not all(self._run.result_path(item.rollout_id).exists() for item in items):
                return False
            self._next += 1
            results = [self._run.result(item.rollout_id) for item in items]
            met = self._watch.add(
                row_of(r, judgement_of(self._run, r, None, self._specs), self._stop.protocol) for r in results
            )
            # With all tasks run there is nothing left to stop.
            if met and self._next < len(self._tasks):
                self._record()
                return True
        return False

    def discard(self) -> None:
        """Remove what was begun beyond the task that decided."""
        stopped = self._run.stopped
        if stopped is None:
            return
        for item in self._run.plan.items[stopped.rollouts :]:
            # The result first: without it the rest is what a killed writer leaves.
            for place in (Run.result_path, Run.trace_path, Run.video_path, Run.timing_path, Run.faults_path):
                place(self._run, item.rollout_id).unlink(missing_ok=True)

    def _record(self) -> None:
        stopped = Stopped(
            condition=self._stop.condition,
            protocol=self._stop.protocol,
            tasks=self._next,
            planned_tasks=len(self._tasks),
            rollouts=sum(map(len, self._tasks[: self._next])),
            planned_rollouts=len(self._run.plan.items),
            intervals={rate: (i.low, i.high) for rate, i in self._watch.intervals.items()},
        )
        write_atomic(self._run.stopped_path, readable_json({"format": STOPPED_FORMAT, **asdict(stopped)}))


def task_order(run: Run) -> TaskOrder | None:
    """Return the order that the intervals of a run rest on which might stop by what it saw; None for any other run.

    Where such a run went on to its end, its intervals are sequential, too: they were looked at. None also while
    rollouts are pending.
    """
    if run.plan.stop is None or run.pending():
        return None
    stopped = run.stopped
    families: dict[str, str] = {}
    planned = []
    for item in run.plan.items:
        task, _, condition = item.scenario_id.partition("/")
        if task not in families:
            families[task] = run.scenario(item.scenario_id).family
        planned.append((families[task], task, condition))
    return TaskOrder(tuple(planned), len(families) if stopped is None else stopped.tasks, run.plan.stop.condition)


def _by_task(items: Sequence[PlannedRollout]) -> list[tuple[PlannedRollout, ...]]:
    return [tuple(group) for _, group in groupby(items, key=lambda item: item.scenario_id.partition("/")[0])]
