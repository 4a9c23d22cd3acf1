"""The expert: takes the stack apart, then brings what was at the bottom to the goal."""

from __future__ import annotations

import numpy as np

from maniguard.planning import NEAR
from maniguard.policies.scripted.script import Stages, View
from maniguard.policies.scripted.stack.handling import raised, see_inside, shifted, take_to, unload

HOLD_S = 1.0


def plan_expert(view: View) -> Stages:
    """Set everything aside that lies on the target, carry the target over all of it and hold it in the goal sphere."""
    see_inside(view)
    view = yield from unload(view)
    name = view.target.name
    middle = np.array([0.0, 0.0, view.height_m(name) / 2.0])
    lifted = take_to(view, name, [view.goal_m - middle])
    view = yield [*lifted.segments, *raised(view, lifted)]
    points = view.points(name)
    missed = view.goal_m - (points.max(axis=0) + points.min(axis=0)) / 2.0
    yield [shifted(view, missed, pace=NEAR), view.arm.hold(HOLD_S)]
