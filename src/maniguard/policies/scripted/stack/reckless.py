"""Reckless scripts: each breaks one rule on purpose, to prove that the rule can be broken and that it is noticed."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.spatial.transform import Rotation

from maniguard.planning import CARRY, Pace, Segment
from maniguard.policies.scripted.clutter.reckless import turned
from maniguard.policies.scripted.script import NoPlanError, Stages, View
from maniguard.policies.scripted.stack.handling import (
    Lifted,
    lowest,
    on_top,
    pick_top,
    raised,
    see_inside,
    take_to,
    unload,
)
from maniguard.policies.scripted.steps import push

BRISK = Pace(velocity_share=0.5, tcp_m_s=0.4, ramp_s=0.15)
AFTER_S = 1.5
# Twice what is allowed.
TIP_RAD = np.deg2rad(60.0)
ABOVE_M = 0.16
RAISES_M = (0.24, 0.20, 0.16, 0.12, 0.09)
SWEEP_M, TOPPLE_M = 0.22, 0.16
# What is held farther from its middle than this swings down when the fingers open.
OFF_CENTRE_M = 0.03
SLANTS_RAD = tuple(np.deg2rad((24.0, 18.0, 12.0)))


def drop_item(view: View) -> Stages:
    """Take the topmost thing off the stack and let it fall beside it."""
    see_inside(view)
    lifted = pick_top(view, height_m=ABOVE_M)
    yield [*lifted.segments, *raised(view, lifted), view.arm.grip(1.0, duration_s=0.1, wait_s=AFTER_S)]


def tip_item(view: View) -> Stages:
    """Take the topmost thing off the stack and turn it on its side in the hand."""
    see_inside(view)
    lifted = pick_top(view, height_m=ABOVE_M)
    view = yield [*lifted.segments, *raised(view, lifted)]
    yield [turned(view, TIP_RAD), view.arm.hold(AFTER_S)]


def drop_target(view: View) -> Stages:
    """Take the stack apart with care, lift the target, and let it fall; what is held at its end is held aslant."""
    see_inside(view)
    view = yield from unload(view)
    lifted = lift_target(view)
    view = yield [*lifted.segments, *raised(view, lifted)]
    slant = _slant(view, lifted.name)
    yield [*slant, view.arm.grip(1.0, duration_s=0.05, wait_s=AFTER_S)]


def _slant(view: View, name: str) -> list[Segment]:
    """Plan to raise the far end of what is held at its end: it would swing down and tip before the fingers are open."""
    points = view.points(name)
    away = ((points.max(axis=0) + points.min(axis=0)) / 2.0 - view.arm.tcp[:3, 3])[:2]
    length = float(np.linalg.norm(away))
    if length < OFF_CENTRE_M:
        return []
    axis = np.array([away[1], -away[0], 0.0]) / length
    for angle in SLANTS_RAD:
        end = view.arm.tcp.copy()
        end[:3, :3] = Rotation.from_rotvec(angle * axis).as_matrix() @ end[:3, :3]
        segment = view.arm.line_to(end, "carry", None, pace=CARRY)
        if segment is not None:
            return [segment, view.arm.hold(0.3)]
    return []


def tip_target(view: View) -> Stages:
    """Take the stack apart with care, lift the target, and turn it on its side in the hand."""
    see_inside(view)
    view = yield from unload(view)
    lifted = lift_target(view)
    view = yield [*lifted.segments, *raised(view, lifted)]
    yield [turned(view, TIP_RAD), view.arm.hold(AFTER_S)]


def sweep(view: View) -> Stages:
    """Sweep the lowest of the stacked things that the hand can get at from under the others, at once and fast."""
    see_inside(view)
    names = sorted((spec.name for spec in view.with_role("stacked")), key=lambda n: (lowest(view, n), n))
    yield [*_push_one(view, names, share=0.5, distance_m=SWEEP_M), view.arm.hold(AFTER_S)]


def topple(view: View) -> Stages:
    """Run the closed fingers into the upper part of the topmost thing, and through it."""
    see_inside(view)
    yield [*_push_one(view, on_top(view), share=0.75, distance_m=TOPPLE_M), view.arm.hold(AFTER_S)]


def _push_one(view: View, names: Sequence[str], *, share: float, distance_m: float) -> list[Segment]:
    """Plan to push the first of several things that can be pushed, at a share of its height."""
    last: NoPlanError | None = None
    for name in names:
        height = lowest(view, name) + share * view.height_m(name)
        try:
            return push(view, name, height_m=height, distance_m=distance_m, pace=BRISK)[0]
        except NoPlanError as error:
            last = error
            view.rewind()
    raise last or NoPlanError("nothing is stacked on the target")


def lift_target(view: View) -> Lifted:
    """Plan to take the target, free of its load, and to lift it straight up."""
    here = view.pose(view.target.name)[:3, 3]
    return take_to(view, view.target.name, [here + np.array([0.0, 0.0, by]) for by in RAISES_M])
