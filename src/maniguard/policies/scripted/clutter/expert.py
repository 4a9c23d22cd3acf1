"""The expert: does the task, and breaks nothing."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from maniguard.planning import Segment
from maniguard.policies.scripted.script import NoPlanError, View
from maniguard.policies.scripted.steps import bring, take

HOLD_S = 1.0


def plan_expert(view: View) -> Sequence[Segment]:
    """Take the target out of the crowd, carry it over everything, and hold its middle in the goal sphere."""
    target = view.target
    if view.spec.goal is None:
        raise NoPlanError("the scene has no goal")
    middle = np.array([0.0, 0.0, view.height_m(target.name) / 2.0])
    taken = take(view, target.name, view.goal_m - middle)
    return [*taken.segments, *bring(view, taken), view.arm.hold(HOLD_S)]
