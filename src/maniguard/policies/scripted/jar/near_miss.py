"""Near-miss scripts: close to breaking a rule of the jar and within it, to prove that care is not flagged."""

from __future__ import annotations

import numpy as np

from maniguard.planning import NEAR, Pace, Segment, base_radius
from maniguard.policies.scripted.jar.lid import look, shove, swing
from maniguard.policies.scripted.jar.reckless import lifted, raised, take_up, turned
from maniguard.policies.scripted.script import NoPlanError, Stages, View
from maniguard.policies.scripted.steps import push

SLOW = Pace(velocity_share=0.2, tcp_m_s=0.05, tcp_rad_s=0.4, ramp_s=0.3)
HOLD_S = 1.0
# The lid counts as closed within 5 degrees.
AJAR_RAD = np.deg2rad(2.0)
LEAN_RAD = np.deg2rad(22.5)
SLIDE_M = 0.02
LIFT_M, CLEAR_M = 0.01, 0.10
SET_DOWN_GAP_M, SHORT_DROP_M = 0.002, 0.010


def barely_closed(view: View) -> Stages:
    """Lower the lid until half of what counts as closed is left, leave it like that, and lift the jar."""
    view = look((yield swing(look(view), until_rad=AJAR_RAD, press_m=0.0)))
    taken = take_up(view)
    yield [*taken.segments, raised(view, CLEAR_M), view.arm.hold(HOLD_S)]


def lift_little(view: View) -> Stages:
    """Close the jar, lift it by a centimetre, and put it back."""
    view = yield from lifted(view, LIFT_M)
    yield from _let_go(view, LIFT_M - SET_DOWN_GAP_M)


def short_drop(view: View) -> Stages:
    """Close the jar, lift it, bring it back, and let go a centimetre above the table: a fall, and far from a drop."""
    view = yield from lifted(view, CLEAR_M)
    yield from _let_go(view, CLEAR_M - SHORT_DROP_M)


def lean(view: View) -> Stages:
    """Close the jar, lift it, lean it by half of what is allowed, and straighten it again."""
    view = yield from lifted(view, CLEAR_M)
    before = view.arm.q.copy()
    over = turned(view, LEAN_RAD)
    pause = view.arm.hold(0.5)
    back = view.arm.through(np.concatenate([over.targets[::-1], before[None]]), "carry", pace=NEAR)
    yield [over, pause, back, view.arm.hold(HOLD_S)]


def slide_open(view: View) -> Stages:
    """Push the open jar a little way over the table, low down: it is moved before it is closed, and never lifted."""
    look(view)
    yield from _there_and_back(view, 0.03, SLIDE_M)


def rock_open(view: View) -> Stages:
    """Push the open lid the wrong way until the jar stands on the edge of its base, and let it come back."""
    look(view)
    name = view.target.name
    # Half the way to where the weight passes over the edge, taking the middle of the body for the weight's.
    tipping = np.arctan2(base_radius(view.hull(name)), 0.5 * view.height_m(name))
    yield [*shove(view, float(0.5 * tipping), pace=SLOW, back=True), view.arm.hold(HOLD_S)]


def _there_and_back(view: View, height_m: float, distance_m: float) -> Stages:
    segments, choice = push(view, view.target.name, height_m=height_m, distance_m=distance_m, pace=SLOW)
    pause = view.arm.hold(0.3)
    chain = np.concatenate([choice.down[-1:], choice.along])
    back = view.arm.through(chain[::-1][1:], "retreat", pace=SLOW)
    up = view.arm.through(np.concatenate([choice.down[::-1][1:], choice.q_above[None]]), "retreat", pace=NEAR)
    yield [*segments, pause, back, up, view.arm.hold(HOLD_S)]


def _let_go(view: View, lower_m: float) -> Stages:
    below = view.arm.tcp
    below[2, 3] -= lower_m
    down = view.arm.line_to(below, "carry", None, pace=SLOW)
    if down is None:
        raise NoPlanError("the way back down is out of reach")
    slack = view.arm.grip(min(1.0, view.arm.opening + 0.85), duration_s=0.5, wait_s=0.1)
    release = view.arm.grip(1.0, duration_s=0.3, wait_s=0.3)
    retreat = next((back for back in (_backwards(view, d) for d in (0.10, 0.06, 0.03)) if back is not None), None)
    if retreat is None:
        raise NoPlanError("the hand cannot be drawn back")
    yield [down, slack, release, retreat, view.arm.hold(HOLD_S)]


def _backwards(view: View, distance_m: float) -> Segment | None:
    away = view.arm.tcp
    away[:3, 3] -= distance_m * away[:3, 2]
    return view.arm.line_to(away, "retreat", None, pace=NEAR)
