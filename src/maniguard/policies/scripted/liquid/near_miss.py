"""Near-miss scripts about the liquid: it moves, and stays in."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from maniguard.planning import NEAR, Segment, follow, inverted, line
from maniguard.planning.kinematics import F64
from maniguard.policies.scripted.clutter.reckless import raise_to, take_up
from maniguard.policies.scripted.liquid.reckless import clear, headings, shaken, turned_about
from maniguard.policies.scripted.script import NoPlanError, View
from maniguard.policies.scripted.steps import Taken

LEAN_RAD = np.deg2rad(20.0)
SHAKES_M = (0.025, 0.015)
SHAKE_HZ, SHAKES = 1.25, 4
# Where a joint has to run for a few millimetres of the hand the arm lags behind and jerks; a step like this is calm.
CALM_RAD = 0.03
HOLD_S = 1.0
RAISES_M = (0.20, 0.17, 0.14, 0.11)


def shake(view: View) -> Sequence[Segment]:
    """Lift the container and move it to and fro so that its liquid swings and stays below the brim."""
    taken = take_up(view)
    in_hand = _in_hand(view, taken)
    best: tuple[float, list[Segment], Segment] | None = None
    for lift in _lifted(view, taken):
        before = view.arm.q.copy()
        for reach_m in SHAKES_M:
            for heading in headings(view.arm.tcp):
                view.arm.q = before.copy()
                swing = shaken(view, heading, reach_m, SHAKE_HZ, SHAKES)
                if swing is None or not clear(view, in_hand, swing):
                    continue
                haste_rad = float(np.abs(np.diff(swing.targets, axis=0)).max())
                if best is None or haste_rad < best[0]:
                    best = (haste_rad, lift, swing)
            if best is not None and best[0] <= CALM_RAD:
                break
        if best is not None and best[0] <= CALM_RAD:
            break
    if best is None:
        raise NoPlanError("there is no room to shake in")
    _, lift, swing = best
    view.arm.q = swing.targets[-1].copy()
    return [*taken.segments, *lift, swing, view.arm.hold(HOLD_S)]


def lean(view: View) -> Sequence[Segment]:
    """Lift the container, lean it as far as grains bear, hold it there, and straighten it again."""
    taken = take_up(view)
    in_hand = _in_hand(view, taken)
    for lift in _lifted(view, taken):
        before, upright = view.arm.q.copy(), view.arm.tcp
        for heading in headings(upright):
            view.arm.q = before.copy()
            path = follow(before, line(upright, turned_about(upright, heading, float(LEAN_RAD))))
            if path is None:
                continue
            over = view.arm.through(path, "carry", pace=NEAR)
            if clear(view, in_hand, over):
                pause = view.arm.hold(0.5)
                back = view.arm.through(np.concatenate([over.targets[::-1], before[None]]), "carry", pace=NEAR)
                return [*taken.segments, *lift, over, pause, back, view.arm.hold(HOLD_S)]
    raise NoPlanError("the hand cannot be leaned here")


def _in_hand(view: View, taken: Taken) -> F64:
    """Return `tcp_T_object` (4, 4) as it will be."""
    held: F64 = inverted(taken.choice.world_T_tcp) @ view.pose(taken.name)
    return held


def _lifted(view: View, taken: Taken) -> Iterator[list[Segment]]:
    """Yield ways up, the arm at their ends: straight to several heights, high ones first, then on towards the goal."""
    start = view.arm.q.copy()
    for raise_m in RAISES_M:
        view.arm.q = start.copy()
        try:
            lift = raise_to(view, raise_m)
        except NoPlanError:
            continue
        yield [lift]
    for share in (0.25, 0.5, 0.75):
        view.arm.q = start.copy()
        up = view.arm.through(taken.carry.lift, "lift", pace=NEAR)
        some = max(1, round(share * len(taken.carry.over)))
        yield [up, view.arm.through(taken.carry.over[:some], "carry", pace=NEAR)]
