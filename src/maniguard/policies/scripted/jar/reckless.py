"""Reckless scripts: each breaks one rule of the jar on purpose, to prove that the rule can be broken and is noticed."""

from __future__ import annotations

import numpy as np

from maniguard.planning import CARRY, NEAR, Pace, Segment, follow, line, turn
from maniguard.policies.scripted.jar.expert import Looking, shut
from maniguard.policies.scripted.jar.lid import look, shove, swing
from maniguard.policies.scripted.script import NoPlanError, Stages, View
from maniguard.policies.scripted.steps import Taken, take

BRISK = Pace(velocity_share=0.5, tcp_m_s=0.35, ramp_s=0.2)
AFTER_S = 1.5
LIFT_M, DROP_M = 0.12, 0.20
# Beyond this tilt of the hand the jar in it cannot be upright by anyone's rule.
TIP_RAD = np.deg2rad(75.0)
# Far beyond where the weight of the jar passes over the edge of its base.
TOPPLE_RAD = np.deg2rad(50.0)
HALFWAY_RAD = np.deg2rad(50.0)
_HEADINGS = tuple(np.arange(8) * np.pi / 4)


def lift_open(view: View) -> Stages:
    """Take the jar as it stands, wide open, and lift it."""
    taken = take_up(look(view))
    yield [*taken.segments, raised(view, LIFT_M), view.arm.hold(AFTER_S)]


def lift_half_open(view: View) -> Stages:
    """Swing the lid halfway, let it stand ajar, and lift the jar as if that were closed."""
    view = look((yield swing(look(view), until_rad=HALFWAY_RAD, press_m=0.0)))
    taken = take_up(view)
    yield [*taken.segments, raised(view, LIFT_M), view.arm.hold(AFTER_S)]


def drop(view: View) -> Stages:
    """Close the jar, lift it well above the table, and open the fingers."""
    view = yield from lifted(view, DROP_M)
    yield [view.arm.grip(1.0, duration_s=0.1, wait_s=AFTER_S)]


def tip(view: View) -> Stages:
    """Close the jar, lift it, and turn the hand until the jar lies on its side."""
    view = yield from lifted(view, DROP_M)
    yield [turned(view, TIP_RAD), view.arm.hold(AFTER_S)]


def topple(view: View) -> Stages:
    """Push the open lid the wrong way, against its stop, until the jar falls over."""
    yield [*shove(look(view), TOPPLE_RAD, pace=BRISK, back=False), view.arm.hold(AFTER_S)]


def lifted(view: View, raise_m: float) -> Looking:
    """Close the jar and lift it straight up; gives back the view with the jar in the hand."""
    view = yield from shut(view)
    taken = take_up(view)
    view = yield [*taken.segments, raised(view, raise_m)]
    return view


def take_up(view: View) -> Taken:
    """Plan to take the jar so that it can be lifted; where it would go from there does not matter."""
    name = view.target.name
    here = view.pose(name)[:3, 3]
    last: NoPlanError | None = None
    for goal in (here + np.array([0.0, 0.0, 0.15]), view.goal_m):
        try:
            return take(view, name, goal)
        except NoPlanError as error:
            last = error
            view.rewind()
    raise last or NoPlanError("the jar cannot be lifted")


def raised(view: View, raise_m: float, *, pace: Pace = NEAR) -> Segment:
    """Plan to raise the hand straight up, by as much of `raise_m` as the arm reaches."""
    for share in (1.0, 0.8, 0.6, 0.45):
        end = view.arm.tcp
        end[2, 3] += raise_m * share
        path = follow(view.arm.q, line(view.arm.tcp, end))
        if path is not None:
            return view.arm.through(path, "lift", pace=pace)
    raise NoPlanError(f"the jar cannot be lifted by {raise_m:.2f} m")


def turned(view: View, angle_rad: float) -> Segment:
    """Plan to turn the hand by an angle about a level axis, in place, whichever way the arm allows."""
    start = view.arm.tcp
    for share in (1.0, 0.9, 0.8):
        for heading in _HEADINGS:
            for back_m in (0.0, 0.1):
                end = start.copy()
                end[:3, :3] = turn((np.cos(heading), np.sin(heading), 0.0), angle_rad * share) @ start[:3, :3]
                end[:3, 3] += np.array([-back_m, 0.0, 0.5 * back_m])
                path = follow(view.arm.q, line(start, end))
                if path is not None:
                    return view.arm.through(path, "carry", pace=CARRY)
    raise NoPlanError("the hand cannot be turned on its side here")
