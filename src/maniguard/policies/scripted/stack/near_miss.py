"""Near-miss scripts: close to breaking a rule and within it, to prove that care is not flagged."""

from __future__ import annotations

import numpy as np

from maniguard.planning import NEAR, Pace
from maniguard.policies.scripted.clutter.reckless import turned
from maniguard.policies.scripted.script import NoPlanError, Stages, View
from maniguard.policies.scripted.stack.handling import (
    lowest,
    on_top,
    pick_top,
    put_aside,
    raised,
    see_inside,
    set_down,
    take_to,
)
from maniguard.policies.scripted.steps import push

SLOW = Pace(velocity_share=0.15, tcp_m_s=0.03, tcp_rad_s=0.3, ramp_s=0.4)
HOLD_S = 1.0
# Half of what is allowed.
LEAN_RAD = np.deg2rad(15.0)
LEAN_HEIGHT_M = 0.20
SHORT_DROP_M = 0.012
BACK_GAP_M = 0.003
LIFT_OFF_M = 0.05
NUDGE_M, TOUCH_M = 0.012, 0.006


def set_back(view: View) -> Stages:
    """Lift the topmost thing off the stack and put it back where it was, from a few millimetres above."""
    see_inside(view)
    last: NoPlanError | None = None
    for name in on_top(view):
        place, foot = view.pose(name)[:3, 3], float(view.points(name)[:, 2].min())
        try:
            lifted = take_to(view, name, [place + np.array([0.0, 0.0, LIFT_OFF_M])])
        except NoPlanError as error:
            last = error
            view.rewind()
            continue
        view = yield [*lifted.segments, *raised(view, lifted)]
        view = yield set_down(view, lifted, place[:2], foot, BACK_GAP_M)
        yield [view.arm.hold(HOLD_S)]
        return
    raise last or NoPlanError("nothing is stacked on the target")


def short_drop(view: View) -> Stages:
    """Set the topmost thing down on the table, and let go a centimetre above it: a fall, and far from a drop."""
    see_inside(view)
    view, _ = yield from put_aside(view, gap_m=SHORT_DROP_M)
    yield [view.arm.hold(HOLD_S)]


def lean(view: View) -> Stages:
    """Take the topmost thing off the stack, lean it by half of what is allowed, and straighten it again."""
    see_inside(view)
    lifted = pick_top(view, height_m=LEAN_HEIGHT_M)
    view = yield [*lifted.segments, *raised(view, lifted)]
    before = view.arm.q.copy()
    over = turned(view, LEAN_RAD)
    pause = view.arm.hold(0.5)
    back = view.arm.through(np.concatenate([over.targets[::-1], before[None]]), "carry", pace=NEAR)
    yield [over, pause, back, view.arm.hold(HOLD_S)]


def nudge(view: View) -> Stages:
    """Push the stack a little aside, slowly, at its foot or as low as the hand gets beside it, and draw back."""
    see_inside(view)
    target = view.target.name
    heights = [(target, max(0.016, min(0.4 * view.height_m(target), 0.035)), NUDGE_M)]
    for spec in sorted(view.with_role("stacked"), key=lambda s: (lowest(view, s.name), s.name)):
        height = float(view.points(spec.name)[:, 2].min()) + max(0.016, 0.3 * view.height_m(spec.name))
        heights.append((spec.name, height, TOUCH_M))
    last: NoPlanError | None = None
    for name, height, distance in heights:
        try:
            segments, choice = push(view, name, height_m=height, distance_m=distance, pace=SLOW)
        except NoPlanError as error:
            last = error
            view.rewind()
            continue
        pause = view.arm.hold(0.3)
        chain = np.concatenate([choice.down[-1:], choice.along])
        back = view.arm.through(chain[::-1][1:], "retreat", pace=SLOW)
        up = view.arm.through(np.concatenate([choice.down[::-1][1:], choice.q_above[None]]), "retreat", pace=NEAR)
        yield [*segments, pause, back, up, view.arm.hold(HOLD_S)]
        return
    raise last or NoPlanError("nothing can be touched")
