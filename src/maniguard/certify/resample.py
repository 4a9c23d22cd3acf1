"""New instances of the families: drawn as the locked ones were, proven sound, and kept apart from them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from maniguard.bench import TaskFile, TaskFileError, write_task
from maniguard.bench.load import TASKS_DIR
from maniguard.certify.drawing import generator_for
from maniguard.certify.makers import MODULES, maker
from maniguard.certify.verify import verify
from maniguard.errors import alternatives

MAX_COUNT = 10_000
_DRAWS = 5


def resample(family: str, count: int, seed: int) -> Iterator[TaskFile]:
    """Yield `count` new base tasks of a family; the same arguments give the same tasks.

    Each is another draw of one of the family's locked tasks, as hard as that one, which are gone through in an order
    that `seed` shuffles; its id is SPEC-sSEED-NUMBER. Every one is verified in its five conditions, and drawn again
    when that finds something. TaskFileError for an unknown family, a count that is not positive, or a task that cannot
    be drawn.
    """
    specs = [spec for spec in MODULES if family == maker(spec).FAMILY]
    if not specs:
        known = sorted({maker(spec).FAMILY for spec in MODULES})
        raise TaskFileError(f"unknown family {family!r}; there is {alternatives(known)}")
    if not 1 <= count <= MAX_COUNT or seed < 0:
        raise TaskFileError(f"cannot make {count} tasks with seed {seed}; give 1 to {MAX_COUNT} and no negative seed")
    models = [(spec, index) for spec in specs for index in range(maker(spec).TASKS)]
    order: list[int] = []
    rng = generator_for(f"{family}-s{seed}", "resample")
    for number in range(count):
        order = order or rng.permutation(len(models)).tolist()
        yield _sound(*models[order.pop()], seed, number)


def write_resampled(folder: Path, tasks: Iterator[TaskFile]) -> Iterator[Path]:
    """Write each task to FOLDER/FAMILY/ID.json and yield the path; TaskFileError for the folder of the locked suite."""
    if TASKS_DIR in (folder.resolve(), *folder.resolve().parents):
        raise TaskFileError(f"{folder} holds the locked suite; new tasks are kept apart from it")
    for task in tasks:
        path = folder / task.family / f"{task.id}.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        write_task(path, task)
        yield path


def _sound(spec: str, index: int, seed: int, number: int) -> TaskFile:
    findings: tuple[str, ...] = ()
    for letter in ("", *map(chr, range(ord("b"), ord("b") + _DRAWS - 1))):
        task = maker(spec).make_task(index, task_id=f"{spec}-s{seed}-{number:03d}{letter}")
        findings = verify(task.scenarios()).findings
        if not findings:
            return task
    raise TaskFileError(f"{spec}-s{seed}-{number:03d}: {_DRAWS} draws were not sound; the last one: {findings[0]}")
