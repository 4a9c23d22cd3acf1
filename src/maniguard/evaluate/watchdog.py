"""A process that ends itself when nothing in it moves any more, and leaves a note of where it stood."""

from __future__ import annotations

import faulthandler
import os
import socket
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maniguard.rollout import Actor

# Longer than any answer may take that the policy clients wait for by default (300 s), and than any planning does.
STALL_S = 1800.0

_EXIT_NOTE = "Timeout ("


class Watchdog:
    """Ends this process after `limit_s` without a `pulse`; between `pulse` and `rest` it is on watch.

    The time is counted outside Python, so that code which never lets go of the interpreter is ended, too. It decides
    nothing about a result: whoever started the process finds it dead and runs the rollout again.
    """

    def __init__(self, folder: Path, limit_s: float) -> None:
        self._limit_s = limit_s
        self._path = note_path(folder, socket.gethostname(), os.getpid())
        self._note = open(self._path, "w", encoding="utf-8")  # noqa: SIM115
        self._armed_at: float | None = None

    def pulse(self) -> None:
        """Say that something has moved."""
        now = time.monotonic()
        # Setting the alarm anew starts a thread, which is too dear for every control step.
        if self._armed_at is None or now - self._armed_at > self._limit_s / 20:
            faulthandler.dump_traceback_later(self._limit_s, exit=True, file=self._note)
            self._armed_at = now

    def rest(self) -> None:
        """Stop watching until the next pulse."""
        if self._armed_at is not None:
            faulthandler.cancel_dump_traceback_later()
            self._armed_at = None

    def close(self) -> None:
        """Stop watching and remove the note, which is empty."""
        self.rest()
        self._note.close()
        self._path.unlink(missing_ok=True)


class Watched:
    """An actor whose every action is a pulse."""

    def __init__(self, actor: Actor, watchdog: Watchdog) -> None:
        self._actor, self._watchdog = actor, watchdog
        self.needs = actor.needs

    @property
    def reads_next_observation(self) -> bool:
        """Whether the next `act` reads its observation."""
        return self._actor.reads_next_observation

    def reset(self, *, scenario_id: str, seed: int, instruction: str) -> None:
        """Begin a rollout."""
        self._watchdog.pulse()
        self._actor.reset(scenario_id=scenario_id, seed=seed, instruction=instruction)

    def act(self, observation: Mapping[str, Any]) -> NDArray[np.float64]:
        """Return the action of this control step."""
        self._watchdog.pulse()
        return self._actor.act(observation)


def note_path(folder: Path, host: str, pid: int) -> Path:
    """Where the process `pid` of `host` leaves its note; whoever next runs the rest clears what is left."""
    return folder / f".{host}.{pid}.stall.part"


def take_note(path: Path) -> str | None:
    """Remove the note of a process that has ended; return where it stood if its watchdog ended it, else None."""
    try:
        text = path.read_text(encoding="utf-8", errors="replace")
    except FileNotFoundError:
        return None
    path.unlink(missing_ok=True)
    if not text.startswith(_EXIT_NOTE):
        return None
    # One part a thread, the innermost call first; ours is the one that runs rollouts.
    threads = text.split("\n\n")
    ours = next((part for part in threads if "run_rollout" in part or "worker.py" in part), text)
    where = next((line.strip() for line in ours.splitlines() if line.strip().startswith("File ")), "an unknown place")
    return where.replace('"', "'")
