"""The expert: carries the container out of the crowd, its axis upright and its speed without leaps."""

from __future__ import annotations

import numpy as np

from maniguard.planning import Pace
from maniguard.policies.scripted.script import NoPlanError, Stages, View
from maniguard.policies.scripted.steps import Taken, take

# At 0.33 m/s and 0.7 s to get there the pull that the liquid feels leans by less than 5 degrees; straight up and down
# it does not lean at all.
SMOOTH = Pace(velocity_share=0.5, acceleration_share=0.35, tcp_m_s=0.33, tcp_rad_s=1.2, ramp_s=0.7)
SMOOTH_LIFT = Pace(velocity_share=0.35, acceleration_share=0.35, tcp_m_s=0.20, tcp_rad_s=0.8, ramp_s=0.5)
SMOOTH_LOWER = Pace(velocity_share=0.5, acceleration_share=0.35, tcp_m_s=0.30, tcp_rad_s=1.0, ramp_s=0.6)
CLOSE_S = 0.9
SMOOTH_STEPS = 9
HOLD_S = 1.0


def plan_expert(view: View) -> Stages:
    """Take the container out of the crowd, carry it over everything, and hold its middle in the goal sphere."""
    target = view.target
    if view.spec.goal is None:
        raise NoPlanError("the scene has no goal")
    middle = np.array([0.0, 0.0, view.height_m(target.name) / 2.0])
    taken = closed_slowly(view, take(view, target.name, view.goal_m - middle))
    lift = view.arm.through(taken.carry.lift, "lift", pace=SMOOTH_LIFT, smooth_steps=SMOOTH_STEPS)
    over = view.arm.through(taken.carry.over, "carry", pace=SMOOTH, smooth_steps=SMOOTH_STEPS)
    lower = view.arm.through(taken.carry.lower, "carry", pace=SMOOTH_LOWER, smooth_steps=SMOOTH_STEPS)
    yield [*taken.segments, lift, over, lower, view.arm.hold(HOLD_S)]


def closed_slowly(view: View, taken: Taken) -> Taken:
    """Return what was taken with fingers that close so slowly that the one that touches first pushes no wave."""
    view.arm.opening = taken.choice.opening
    close = view.arm.grip(0.0, duration_s=CLOSE_S, wait_s=0.2)
    return Taken(taken.name, taken.choice, taken.carry, (*taken.segments[:-1], close))
