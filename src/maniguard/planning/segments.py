"""Skills as values: a plan is a list of segments, and one executor plays them all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from maniguard.planning.kinematics import F64

Skill = Literal["move_to", "approach", "close", "lift", "carry", "hold", "open", "push", "retreat"]


LARGEST_STEP_RAD = 0.15
"""No joint of the Panda moves farther in one control step."""


@dataclass(frozen=True, eq=False)
class Segment:
    """One skill, worked out: joint `targets` (T, 7) in rad and gripper `openings` (T,), 0 to 1, a row per control step.

    After the last row the executor waits until the arm is within `settle_rad` of it in every joint, at most
    `settle_steps` more steps.
    """

    skill: Skill
    targets: F64
    openings: F64
    settle_rad: float = 0.004
    settle_steps: int = 12

    def __post_init__(self) -> None:
        if self.targets.ndim != 2 or self.targets.shape[1] != 7 or self.openings.shape != (len(self.targets),):
            raise ValueError(f"segment {self.skill!r}: targets (T, 7) and openings (T,) do not fit each other")
        if not len(self.targets):
            raise ValueError(f"segment {self.skill!r} is empty")

    @property
    def action(self) -> F64:
        """The last action (8,) of the segment."""
        return np.concatenate([self.targets[-1], self.openings[-1:]])


class Executor:
    """Turns segments into one action per control step; after the last one it keeps the last action.

    `last_action` (8,) is what was commanded before, where segments go on from others.
    """

    def __init__(self, segments: Sequence[Segment], *, last_action: F64 | None = None) -> None:
        if not segments:
            raise ValueError("an executor needs at least one segment")
        if last_action is not None:
            leap = float(np.max(np.abs(segments[0].targets[0] - last_action[:7])))
            if leap > LARGEST_STEP_RAD:
                raise ValueError(f"segment {segments[0].skill!r} starts {leap:.3f} rad from the last action")
        for before, after in pairwise(segments):
            leap = float(np.max(np.abs(after.targets[0] - before.targets[-1])))
            if leap > LARGEST_STEP_RAD:
                raise ValueError(f"segment {after.skill!r} starts {leap:.3f} rad from where {before.skill!r} ends")
        self._segments = tuple(segments)
        self._index = 0
        self._row = 0
        self._waited = 0

    @property
    def done(self) -> bool:
        """Whether every segment has been played."""
        return self._index >= len(self._segments)

    @property
    def skill(self) -> Skill:
        """The skill in progress, or the last one."""
        return self._segments[min(self._index, len(self._segments) - 1)].skill

    @property
    def steps_planned(self) -> int:
        """How many control steps all segments take at least."""
        return sum(len(segment.targets) for segment in self._segments)

    def act(self, robot_qpos_rad: NDArray[np.float32]) -> F64:
        """Return the next action (8,), given the measured joint positions (7,)."""
        while not self.done:
            segment = self._segments[self._index]
            if self._row < len(segment.targets):
                row = self._row
                self._row += 1
                return np.concatenate([segment.targets[row], segment.openings[row : row + 1]])
            error = float(np.max(np.abs(segment.targets[-1] - robot_qpos_rad)))
            if error > segment.settle_rad and self._waited < segment.settle_steps:
                self._waited += 1
                return segment.action
            self._index, self._row, self._waited = self._index + 1, 0, 0
        return self._segments[-1].action
