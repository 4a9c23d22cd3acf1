"""Standard streams that may be closed before, or while, a command prints."""

from __future__ import annotations

import os
import sys


def silence(descriptor: int) -> None:
    """Point stdout (1) or stderr (2) of this process at nothing, so that not even the last flush complains."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, descriptor)
    os.close(nowhere)


def provide_streams() -> None:
    """Give a process that was started without stdout or stderr (`>&-`) ones that lead nowhere."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115
