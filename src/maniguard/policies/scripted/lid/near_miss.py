"""Near-miss scripts: close to breaking a rule and within it, to prove that care is not flagged."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from maniguard.planning import NEAR, Pace, Segment
from maniguard.policies.scripted.lid.body import Held, tipped
from maniguard.policies.scripted.lid.expert import cap
from maniguard.policies.scripted.lid.reckless import lay_askew, take_up
from maniguard.policies.scripted.lid.steps import away, let_go_of_lid, put_lid, raised, retake_lid, straight
from maniguard.policies.scripted.script import Stages, View
from maniguard.policies.scripted.steps import push

SLOW = Pace(velocity_share=0.2, tcp_m_s=0.05, tcp_rad_s=0.4, ramp_s=0.3)
HOLD_S = 1.0
ASKEW_M = 0.007
ROCK_M = 0.02
LIFT_M = 0.010
SET_DOWN_GAP_M = 0.002
LEAN_LIFT_M = 0.08
LEAN_RAD = np.deg2rad(30.0)


def correct(view: View) -> Stages:
    """Let the lid down askew, see that it does not sit, take it again and seat it, all before anything is lifted."""
    view = yield from lay_askew(view, ASKEW_M)
    choice, segments = retake_lid(view)
    view = yield segments
    view = yield [*put_lid(view), *let_go_of_lid(view, choice)]
    yield [view.arm.hold(HOLD_S)]


def rock(view: View) -> Sequence[Segment]:
    """Push the open container two centimetres with the hand, fingers low and palm high, and let it rock back."""
    height = max(0.018, 0.3 * view.height_m(view.target.name))
    segments, choice = push(view, view.target.name, height_m=height, distance_m=ROCK_M, pace=SLOW)
    pause = view.arm.hold(0.3)
    chain = np.concatenate([choice.down[-1:], choice.along])
    back = view.arm.through(chain[::-1][1:], "retreat", pace=SLOW)
    up = view.arm.through(np.concatenate([choice.down[::-1][1:], choice.q_above[None]]), "retreat", pace=NEAR)
    return [*segments, pause, back, up, view.arm.hold(HOLD_S)]


def set_down(view: View) -> Stages:
    """Put the lid on, lift both one centimetre, set them down again and let go."""
    view = yield from cap(view)
    yield _lift_and_put_back(view, LIFT_M, SET_DOWN_GAP_M)


def lean(view: View) -> Stages:
    """Put the lid on, lift both, lean them as far as a lid that is well seated bears, and straighten them again."""
    view = yield from cap(view)
    *before, over = take_up(view, lambda _: [raised(view, LEAN_LIFT_M), tipped(view, LEAN_RAD)])
    pause = view.arm.hold(0.5)
    back = view.arm.through(np.concatenate([over.targets[::-1], before[-1].targets[-1:]]), "carry", pace=NEAR)
    yield [*before, over, pause, back, view.arm.hold(HOLD_S)]


def _lift_and_put_back(view: View, lift_m: float, gap_m: float) -> list[Segment]:
    """Plan to lift the container, bring it back to `gap_m` above where it stood, and let go."""

    def lifted(held: Held) -> list[Segment]:
        up = raised(view, lift_m, SLOW)
        pause = view.arm.hold(0.5)
        place = held.choice.world_T_tcp.copy()
        place[2, 3] += gap_m
        down = straight(view, place, SLOW)
        slack = view.arm.grip(min(1.0, held.choice.grasp.width_m / 0.08), duration_s=0.4, wait_s=0.1)
        release = view.arm.grip(held.choice.opening, duration_s=0.6, wait_s=0.3)
        return [up, pause, down, slack, release, away(view), view.arm.hold(HOLD_S)]

    return take_up(view, lifted)
