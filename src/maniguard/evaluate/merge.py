"""Runs beside each other: what is in a folder of runs, and one run out of several of equal identity."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from maniguard.evaluate.faults import copy_faults, copy_faults_of_runner
from maniguard.evaluate.plan import Plan, PlannedRollout, difference
from maniguard.evaluate.store import Run, RunError, create_run, open_run
from maniguard.files import write_atomic


def find_runs(folder: Path) -> tuple[Run, ...]:
    """Return the runs in a folder and its subfolders, by path; RunError where there is none."""
    if not folder.is_dir():
        raise RunError(f"{folder} is no folder")
    found = tuple(open_run(path) for path in _run_folders(folder))
    if not found:
        raise RunError(f"{folder} holds no run")
    return found


def _run_folders(folder: Path) -> Iterator[Path]:
    if (folder / "plan.json").is_file():
        yield folder
        return
    for entry in sorted(folder.iterdir()):
        if entry.is_dir() and not entry.is_symlink():
            yield from _run_folders(entry)


def shard(plan: Plan, part: int, parts: int) -> Plan:
    """Return part `part` (1 to `parts`) of a plan: every `parts`-th rollout, so that parts take about equally long.

    The parts of a plan have nothing in common and together are the plan. RunError for a part that does not exist or
    holds nothing.
    """
    if plan.stop is not None:
        raise RunError("a run that may stop early has one order of tasks and cannot be cut into shards")
    if not 1 <= part <= parts:
        raise RunError(f"there is no shard {part} of {parts}; shards are 1 to {parts}")
    items = plan.items[part - 1 :: parts]
    if not items:
        raise RunError(f"shard {part} of {parts} holds nothing: the plan has {len(plan.items)} rollouts")
    return replace(plan, items=items)


def merge_runs(out: Path, runs: Sequence[Run]) -> Run:
    """Make one run of several that differ in nothing but their rollouts, and return it.

    Every result is copied with its trace, video, timing and journal of faults. A rollout that several runs hold must
    have the same trace in all of them. RunError says what differs otherwise, and which rollouts are not done.
    """
    if len(runs) < 2:
        raise RunError("merging takes two runs or more")
    first = runs[0]
    items: dict[str, tuple[PlannedRollout, Run]] = {}
    for run in runs:
        if run.plan.stop is not None:
            raise RunError(f"{run.path} may stop early: its rollouts mean something only in its own order of tasks")
        what = difference(replace(first.plan, items=run.plan.items), run.plan)
        if what is not None:
            raise RunError(f"{run.path} cannot be merged with {first.path}: {what}")
        pending = run.pending()
        if pending:
            raise RunError(f"{run.path}: {len(pending)} rollouts are not done, the first is {pending[0].rollout_id}")
        for item in run.plan.items:
            known = items.setdefault(item.rollout_id, (item, run))
            if known[1] is not run:
                _same(item, known, run)
    ordered = [items[rollout_id] for rollout_id in sorted(items)]
    plan = replace(first.plan, items=tuple(item for item, _ in ordered))
    merged = create_run(out, plan)
    with merged.exclusive():
        _fill(merged, runs, ordered)
    return open_run(out)


def _fill(merged: Run, runs: Sequence[Run], ordered: Sequence[tuple[PlannedRollout, Run]]) -> None:
    for name in ("tasks", "specs"):
        for run in runs:
            for path in sorted((run.path / name).glob("*")) if (run.path / name).is_dir() else ():
                (merged.path / name).mkdir(exist_ok=True)
                write_atomic(merged.path / name / path.name, path.read_bytes())
    for item, run in ordered:
        _copy(item.rollout_id, run, merged)
    for run in runs:
        copy_faults_of_runner(run, merged)


def _same(item: PlannedRollout, known: tuple[PlannedRollout, Run], run: Run) -> None:
    before, again = known[1].result(item.rollout_id), run.result(item.rollout_id)
    if known[0] != item:
        raise RunError(f"{item.scenario_id} is another scenario in {run.path} than in {known[1].path}")
    if (before["status"], before["trace_digest"]) != (again["status"], again["trace_digest"]):
        raise RunError(
            f"{item.rollout_id} came out differently in {known[1].path} ({before['status']}) and in {run.path} "
            f"({again['status']}); one rollout counts once"
        )


def _copy(rollout_id: str, source: Run, target: Run) -> None:
    """Copy everything of one rollout, the result last."""
    for place in (Run.trace_path, Run.video_path, Run.timing_path, Run.result_path):
        path = place(source, rollout_id)
        if path.is_file() and not place(target, rollout_id).exists():
            write_atomic(place(target, rollout_id), path.read_bytes())
    copy_faults(source, target, (rollout_id,))
