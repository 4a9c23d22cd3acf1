"""The locked suite, as it ships with the package."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from pathlib import Path

from maniguard.bench.canonical import TaskFileError
from maniguard.bench.delta import CONDITIONS
from maniguard.bench.scenario import Scenario
from maniguard.bench.taskfile import TaskFile, read_task
from maniguard.errors import alternatives

TASKS_DIR = Path(__file__).parent / "tasks"


def families() -> tuple[str, ...]:
    """Return the names of the families that ship, sorted."""
    return tuple(sorted(entry.name for entry in TASKS_DIR.iterdir() if entry.is_dir()))


@cache
def task_files(family: str) -> tuple[TaskFile, ...]:
    """Return the base tasks of a family in index order, every hash checked; TaskFileError for an unknown family."""
    if family not in families():
        raise TaskFileError(f"unknown family {family!r}; there is {alternatives(families())}")
    tasks = [read_task(path) for path in sorted((TASKS_DIR / family).glob("*.json"))]
    tasks.sort(key=lambda task: task.task)
    for index, task in enumerate(tasks):
        if task.task != index or task.family != family:
            raise TaskFileError(
                f"{task.id}: index {task.task} of family {task.family!r} found where {index} of {family!r} belongs"
            )
    return tuple(tasks)


@cache
def _scenarios(family: str) -> tuple[Scenario, ...]:
    return tuple(scenario for task in task_files(family) for scenario in task.scenarios())


@cache
def _task_paths() -> dict[str, Path]:
    """Return where each locked task is, by its id, which is the name of its file."""
    return {path.stem: path for path in sorted(TASKS_DIR.glob("*/*.json"))}


@cache
def _task(task_id: str) -> TaskFile:
    # One file and not its whole family: a worker meets few tasks, and every file's hashes take time to check.
    return read_task(_task_paths()[task_id])


@cache
def _scenario(task_id: str, condition: str) -> Scenario:
    return _task(task_id).scenario(condition)


def read_suite(folder: Path) -> tuple[TaskFile, ...]:
    """Return the base tasks in the files of a folder and its subfolders, ordered by id, every hash checked.

    TaskFileError for a folder without task files, for an id that two files have, and for one that belongs to the
    locked suite.
    """
    tasks = [read_task(path) for path in sorted(folder.rglob("*.json"))] if folder.is_dir() else []
    if not tasks:
        raise TaskFileError(f"{folder} holds no task files")
    ids = [task.id for task in tasks]
    locked = _task_paths()
    for task_id in ids:
        if ids.count(task_id) > 1:
            raise TaskFileError(f"{folder}: two files hold a task {task_id!r}")
        if task_id in locked:
            raise TaskFileError(f"{folder}: task {task_id!r} has the id of a task of the locked suite")
    return tuple(sorted(tasks, key=lambda task: task.id))


def choose(
    tasks_given: Iterable[TaskFile],
    family: str | None = None,
    tasks: Iterable[int] | None = None,
    conditions: Iterable[str] | None = None,
) -> tuple[Scenario, ...]:
    """Return scenarios of base tasks that are not the locked ones; `tasks` are places within their family.

    TaskFileError as `load` raises.
    """
    given = list(tasks_given)
    names = sorted({task.family for task in given})
    if family is not None and family not in names:
        raise TaskFileError(f"unknown family {family!r}; there is {alternatives(names)}")
    wanted = _checked(conditions)
    indices = None if tasks is None else set(tasks)
    found: list[Scenario] = []
    for name in names if family is None else (family,):
        for place, task in enumerate(task for task in given if task.family == name):
            if indices is None or place in indices:
                found.extend(task.scenario(condition) for condition in CONDITIONS if condition in wanted)
    if not found:
        raise TaskFileError("the choice of family, tasks and conditions holds no scenario")
    return tuple(found)


def _checked(conditions: Iterable[str] | None) -> tuple[str, ...]:
    wanted = CONDITIONS if conditions is None else tuple(conditions)
    for condition in wanted:
        if condition not in CONDITIONS:
            raise TaskFileError(f"unknown condition {condition!r}; there is {alternatives(CONDITIONS)}")
    return wanted


def load(
    family: str | None = None,
    tasks: Iterable[int] | None = None,
    conditions: Iterable[str] | None = None,
) -> tuple[Scenario, ...]:
    """Return locked scenarios, ordered by family, task and condition.

    `tasks` are indices within each family (a range will do), `conditions` names; None means all. TaskFileError for a
    name or an index that does not exist, and for a choice that is empty.
    """
    chosen = families() if family is None else (family,)
    wanted = _checked(conditions)
    indices = None if tasks is None else set(tasks)
    found: list[Scenario] = []
    for name in chosen:
        count = len(task_files(name))
        if indices is not None:
            missing = sorted(index for index in indices if not 0 <= index < count)
            if missing and family is not None:
                raise TaskFileError(f"family {name!r} has tasks 0 to {count - 1}; there is no task {missing[0]}")
        found.extend(s for s in _scenarios(name) if s.condition in wanted and (indices is None or s.task in indices))
    if not found:
        raise TaskFileError("the choice of family, tasks and conditions holds no scenario")
    return tuple(found)


def get(scenario_id: str) -> Scenario:
    """Return one scenario by its id, such as clutter-dry-07/base; TaskFileError lists near alternatives."""
    task_id, _, condition = scenario_id.partition("/")
    if task_id not in _task_paths():
        known = alternatives(_task_paths())
        raise TaskFileError(f"unknown scenario {scenario_id!r}; tasks are {known}, written TASK/CONDITION")
    if condition not in CONDITIONS:
        raise TaskFileError(f"task {task_id!r} has no condition {condition!r}; it has {alternatives(CONDITIONS)}")
    return _scenario(task_id, condition)
