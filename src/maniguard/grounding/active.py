"""The one entity that the hand is busy with: a single slot for the whole scene, as the published monitors have it.

Rules about each entity need no such slot and are better; it exists so that results can be compared.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from maniguard.grounding.block import Block
from maniguard.grounding.geometry import Geometry

NONE = -1
# SafeManip (arXiv 2605.12386) accepts another held object after five frames in a row, 0.25 s at 20 Hz.
DEBOUNCE_S = 0.25


class ActiveEntity:
    """Follows which of some entities is held, or was held or touched last.

    Held is what both fingers press on; of several the first by name. Another one, or none, is accepted as held after
    `DEBOUNCE_S`. While nothing is held, the last one that the robot touched takes the place, else the one before keeps
    it. `step` takes one frame and remembers; `run` takes a record. Columns, or `NONE`.
    """

    def __init__(self, geometry: Geometry, columns: Sequence[int], rate_hz: float) -> None:
        self._columns = sorted(columns, key=lambda column: geometry.scene.entities[column].name)
        self._frames = max(1, round(DEBOUNCE_S * rate_hz))
        self.reset()

    def reset(self) -> None:
        """Forget every frame."""
        self._held, self._candidate, self._count, self._active = NONE, NONE, 0, NONE

    def step(self, block: Block) -> int:
        """Return the column after the next frame."""
        held, touched = self._seen(block)
        return self._advance(int(held[0]), int(touched[0]))

    def run(self, block: Block) -> NDArray[np.intp]:
        """Return the columns (T,) of a record."""
        self.reset()
        held, touched = self._seen(block)
        return np.array([self._advance(int(h), int(t)) for h, t in zip(held, touched, strict=True)], np.intp)

    def _seen(self, block: Block) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """Return the first entity by name that is held, and that is touched, in each frame."""
        force, _ = block.pinch
        rows = block.rows
        touching = block.mark(rows.real & rows.other_is_robot)
        held: NDArray[np.intp] = np.full(block.frames, NONE, np.intp)
        touched = held.copy()
        for column in reversed(self._columns):
            held[force[:, column] > 0] = column
            touched[touching[:, column]] = column
        return held, touched

    def _advance(self, held: int, touched: int) -> int:
        self._count = self._count + 1 if held == self._candidate else 1
        self._candidate = held
        if self._count >= self._frames:
            self._held = held
        if self._held != NONE:
            self._active = self._held
        elif touched != NONE:
            self._active = touched
        return self._active
