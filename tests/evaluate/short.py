"""Rollouts that take a fraction of a second: tasks of the suite under names of their own, cut short."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from maniguard import bench
from maniguard.bench import TaskFile
from maniguard.evaluate import Run, create_run, make_plan


def short_tasks(count: int, steps: int, family: str = "clutter") -> tuple[TaskFile, ...]:
    """Return `count` tasks that end `steps` control steps, and the second of aftermath, after their start."""
    found = bench.task_files(family)
    if len(found) < count:
        raise ValueError(f"{family} has {len(found)} tasks")
    return tuple(replace(task, id=f"short-{task.id}", step_limit=steps) for task in found[:count])


def short_run(
    path: Path, policy: str, *, tasks: int = 2, seeds: Sequence[int] = (0,), steps: int = 4, family: str = "clutter"
) -> Run:
    """Start, or continue, a run of short rollouts under the base condition."""
    made = short_tasks(tasks, steps, family)
    return create_run(path, make_plan(policy, [task.scenario("base") for task in made], tuple(seeds)), made)
