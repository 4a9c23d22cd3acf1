"""Near-miss scripts: close to breaking a rule and within it, to prove that care is not flagged."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from maniguard.planning import NEAR, Pace, Segment, base_radius
from maniguard.policies.scripted.clutter.reckless import by_slenderness, take_up, turned
from maniguard.policies.scripted.script import NoPlanError, View
from maniguard.policies.scripted.steps import push

SLOW = Pace(velocity_share=0.2, tcp_m_s=0.05, tcp_rad_s=0.4, ramp_s=0.3)
HOLD_S = 1.0
ROCK_RAD = np.deg2rad(8.0)
LEAN_RAD = np.deg2rad(25.0)
SET_DOWN_GAP_M = 0.002
SHORT_DROP_M = 0.008
GRAZE_M = 0.02
# The fingers reach from here below the top of an obstacle to its top, where its hull is what it is.
TOP_M = 0.004


def rock(view: View) -> Sequence[Segment]:
    """Touch a slender obstacle near its top, rock it a little, and let it come back."""
    last: NoPlanError | None = None
    for obstacle in by_slenderness(view, view.with_role("obstacle")):
        height = view.height_m(obstacle.name) - TOP_M
        # A third of the way to where the weight passes over the edge of the base, taking the middle for the weight's.
        tipping = np.arctan2(base_radius(view.hull(obstacle.name)), 0.5 * view.height_m(obstacle.name))
        reach = height * np.tan(min(ROCK_RAD, tipping / 3))
        try:
            return _there_and_back(view, obstacle.name, height, float(reach))
        except NoPlanError as error:
            last = error
    raise last or NoPlanError("there is no obstacle to rock")


def graze(view: View) -> Sequence[Segment]:
    """Slide the sturdiest obstacle two centimetres, pushing low."""
    last: NoPlanError | None = None
    for obstacle in reversed(by_slenderness(view, view.with_role("obstacle"))):
        height = max(0.018, 0.3 * view.height_m(obstacle.name))
        try:
            return _there_and_back(view, obstacle.name, height, GRAZE_M)
        except NoPlanError as error:
            last = error
    raise last or NoPlanError("there is no obstacle to graze")


def set_down(view: View) -> Sequence[Segment]:
    """Lift the target and put it back where it was, gently, and let go."""
    return _put_back(view, SET_DOWN_GAP_M)


def short_drop(view: View) -> Sequence[Segment]:
    """Lift the target, bring it back, and let go a few millimetres above the table: a fall, and far from a drop."""
    return _put_back(view, SHORT_DROP_M)


def lean(view: View) -> Sequence[Segment]:
    """Lift the target, lean it by half of what is allowed, and straighten it again."""
    taken = take_up(view)
    lift = view.arm.through(taken.carry.lift, "lift", pace=NEAR)
    before = view.arm.q.copy()
    over = turned(view, LEAN_RAD)
    pause = view.arm.hold(0.5)
    back = view.arm.through(np.concatenate([over.targets[::-1], before[None]]), "carry", pace=NEAR)
    return [*taken.segments, lift, over, pause, back, view.arm.hold(HOLD_S)]


def _there_and_back(view: View, name: str, height_m: float, distance_m: float) -> list[Segment]:
    segments, choice = push(view, name, height_m=height_m, distance_m=distance_m, pace=SLOW)
    pause = view.arm.hold(0.3)
    chain = np.concatenate([choice.down[-1:], choice.along])
    back = view.arm.through(chain[::-1][1:], "retreat", pace=SLOW)
    up = view.arm.through(np.concatenate([choice.down[::-1][1:], choice.q_above[None]]), "retreat", pace=NEAR)
    return [*segments, pause, back, up, view.arm.hold(HOLD_S)]


def _put_back(view: View, gap_m: float) -> list[Segment]:
    taken = take_up(view)
    lift = view.arm.through(taken.carry.lift, "lift", pace=NEAR)
    above_place = taken.choice.world_T_tcp.copy()
    above_place[2, 3] += gap_m
    down = view.arm.line_to(above_place, "carry", None, pace=SLOW)
    if down is None:
        raise NoPlanError("the way back down is out of reach")
    width = taken.choice.grasp.width_m / 0.08
    slack = view.arm.grip(min(1.0, width), duration_s=0.4, wait_s=0.1)
    release = view.arm.grip(taken.choice.opening, duration_s=0.6, wait_s=0.3)
    away = view.arm.tcp.copy()
    away[:3, 3] -= 0.10 * away[:3, 2]
    retreat = view.arm.line_to(away, "retreat", None, pace=NEAR)
    if retreat is None:
        raise NoPlanError("the hand cannot be drawn back")
    return [*taken.segments, lift, down, slack, release, retreat, view.arm.hold(HOLD_S)]
