"""The arm as a planner sees it: it knows where it is, and each skill that it is asked for becomes a segment."""

from __future__ import annotations

import numpy as np

from maniguard.planning.collision import Clearance, CollisionModel
from maniguard.planning.frames import line
from maniguard.planning.kinematics import F64, follow, forward
from maniguard.planning.rrt import Free, connect, shorten
from maniguard.planning.segments import Segment, Skill
from maniguard.planning.timing import FREE, NEAR, Pace, densify, retime
from maniguard.sim.robot import MAX_OPENING_M

RATE_HZ = 20.0
_PATHS = 4
# Where the wide berth is refused the next one is tried; tracking errors and rounded corners eat up to half of the last.
_BERTHS = (Clearance(0.02, 0.01), Clearance(0.014, 0.006), Clearance(0.01, 0.004))


class Arm:
    """Plans skill after skill from the state that the last one ends in. `opening` is the gripper, 0 to 1.

    Methods return a segment and move the arm's idea of itself to its end, or return None and leave it where it is.
    """

    def __init__(self, model: CollisionModel, q: F64, opening: float, rng: np.random.Generator) -> None:
        self.model = model
        self.q = np.asarray(q, dtype=np.float64)
        self.opening = float(opening)
        self._rng = rng

    @property
    def tcp(self) -> F64:
        """`world_T_tcp` (4, 4) at the arm's present idea of itself."""
        return forward(self.q)

    def move_to(self, q_goal: F64, *, opening: float | None = None, pace: Pace = FREE) -> Segment | None:
        """Go to a joint vector (7,) past everything, by RRT-Connect; the gripper opens or closes on the way."""
        start = self.q
        self.model.opening_m = MAX_OPENING_M * max(self.opening, self.opening if opening is None else opening)
        for berth in _BERTHS:

            def free(q: F64, berth: Clearance = berth) -> bool:
                return self.model.free(q, berth)

            path = self._short_path(q_goal, free)
            if path is None:
                continue
            for smooth in (7, 5, 3, 0):
                targets = retime(path, pace, smooth_steps=smooth)
                if free(densify(np.concatenate([start[None], targets]), step_rad=0.01)):
                    return self._segment("move_to", targets, opening)
        return None

    def _short_path(self, q_goal: F64, free: Free) -> F64 | None:
        """Return the shortest of a few paths; a straight one is taken at once, and no path at all ends the search."""
        best: tuple[float, F64] | None = None
        for _ in range(_PATHS):
            path = connect(self.q, q_goal, free, self._rng)
            if path is None:
                break
            path = shorten(path, free, self._rng)
            length = float(np.abs(np.diff(path, axis=0)).max(axis=1).sum())
            if best is None or length < best[0]:
                best = (length, path)
            if length < 1.3 * np.abs(q_goal - self.q).max():
                break
        return None if best is None else best[1]

    def through(
        self, path: F64, skill: Skill, *, pace: Pace = NEAR, opening: float | None = None, smooth_steps: int = 5
    ) -> Segment:
        """Follow joint vectors (W, 7) that were checked already, from where the arm is; small kinks are rounded."""
        chain = np.concatenate([self.q[None], path])
        return self._segment(skill, retime(chain, pace, smooth_steps=smooth_steps), opening)

    def line_to(
        self, pose: F64, skill: Skill, clearance: Clearance | None, *, pace: Pace = NEAR, opening: float | None = None
    ) -> Segment | None:
        """Move the tcp in a straight line to a pose (4, 4); unchecked where `clearance` is None."""
        path = follow(self.q, line(self.tcp, pose))
        if path is None:
            return None
        self.model.opening_m = MAX_OPENING_M * self.opening
        if clearance is not None and not self.model.free(path, clearance):
            return None
        return self.through(path, skill, pace=pace, opening=opening)

    def grip(self, opening: float, *, duration_s: float = 0.5, wait_s: float = 0.2) -> Segment:
        """Close or open the gripper evenly over `duration_s` and wait for `wait_s`, the arm at rest."""
        skill: Skill = "close" if opening < self.opening else "open"
        ramp = max(1, round(duration_s * RATE_HZ))
        openings = np.concatenate(
            [
                self.opening + (opening - self.opening) * np.arange(1, ramp + 1) / ramp,
                np.full(round(wait_s * RATE_HZ), opening),
            ]
        )
        self.opening = float(opening)
        return Segment(skill, np.repeat(self.q[None], len(openings), axis=0), openings, settle_steps=0)

    def hold(self, duration_s: float) -> Segment:
        """Stay as it is."""
        steps = max(1, round(duration_s * RATE_HZ))
        return Segment("hold", np.repeat(self.q[None], steps, axis=0), np.full(steps, self.opening), settle_steps=0)

    def _segment(self, skill: Skill, targets: F64, opening: float | None) -> Segment:
        end = self.opening if opening is None else opening
        openings = np.linspace(self.opening, end, len(targets) + 1)[1:]
        self.q, self.opening = targets[-1].copy(), float(end)
        return Segment(skill, targets, openings)
