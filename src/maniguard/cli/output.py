"""Where the commands print tables: a console that survives its reader."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console

from maniguard.cli.streams import silence
from maniguard.files import write_atomic

if TYPE_CHECKING:
    from _typeshed import DataclassInstance


class Output(Console):
    """Rich's console on stdout or stderr, without colouring of numbers.

    A reader who has seen enough (`| head`) must not end what the command was doing, nor change its status: the rest is
    printed nowhere.
    """

    def __init__(self, *, stderr: bool = False) -> None:
        super().__init__(stderr=stderr, highlight=False)

    def on_broken_pipe(self) -> None:
        """Print nothing from now on."""
        self.quiet = True
        silence(2 if self.stderr else 1)

    def write_json(self, path: Path | None, kind: str, study: DataclassInstance) -> None:
        """Write all numbers of a study to a file of the format `kind` and say where; do nothing without a path."""
        if path is None:
            return
        write_atomic(path, (json.dumps({"format": kind, **asdict(study)}, indent=1) + "\n").encode())
        self.print(f"written  {path}", markup=False, soft_wrap=True)
