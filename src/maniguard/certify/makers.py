"""Which module makes the tasks of which spec."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Protocol

from maniguard.bench import TaskFile, TaskFileError
from maniguard.errors import alternatives


class Maker(Protocol):
    """A module that makes base tasks: `TASKS` of them, each drawn from the generator of its id."""

    FAMILY: str
    SPEC: str
    TASKS: int

    def make_task(self, index: int, *, task_id: str | None = None) -> TaskFile:
        """Return task `index` of this maker; with another `task_id` another draw of the same kind and difficulty."""


# spec -> module beside this one
MODULES: Mapping[str, str] = {
    "cabinet": "cabinet",
    "clutter-dry": "clutter",
    "clutter-liquid": "liquid",
    "dusty": "dusty",
    "jar": "jar",
    "lid": "lid",
    "stack": "stack",
}


def maker(spec: str) -> Maker:
    """Return the maker of the tasks judged by `spec`; TaskFileError lists those that exist."""
    if spec not in MODULES:
        raise TaskFileError(f"no tasks are made for {spec!r}; there is {alternatives(MODULES)}")
    found: Maker = import_module(f"maniguard.certify.{MODULES[spec]}")
    return found
