"""Near-miss scripts about the liquid: it moves, and stays in."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from maniguard.planning import NEAR, Segment, follow, line
from maniguard.policies.scripted.clutter.reckless import DROP_RAISE_M, raise_to, take_up
from maniguard.policies.scripted.liquid.reckless import headings, shaken, turned_about
from maniguard.policies.scripted.script import NoPlanError, View

LEAN_RAD = np.deg2rad(20.0)
SHAKE_M, SHAKE_HZ, SHAKES = 0.025, 1.25, 4
HOLD_S = 1.0


def shake(view: View) -> Sequence[Segment]:
    """Lift the container and move it to and fro so that its liquid swings and stays below the brim."""
    taken = take_up(view)
    lift = raise_to(view, DROP_RAISE_M)
    before = view.arm.q.copy()
    swings = []
    for heading in headings(view.arm.tcp):
        view.arm.q = before.copy()
        swing = shaken(view, heading, SHAKE_M, SHAKE_HZ, SHAKES)
        if swing is not None:
            swings.append(swing)
    if not swings:
        raise NoPlanError("there is no room to shake in")
    # Where a joint has to run for a few millimetres of the hand the arm lags behind, and jerks.
    calmest = min(swings, key=lambda swing: float(np.abs(np.diff(swing.targets, axis=0)).max()))
    view.arm.q = calmest.targets[-1].copy()
    return [*taken.segments, lift, calmest, view.arm.hold(HOLD_S)]


def lean(view: View) -> Sequence[Segment]:
    """Lift the container, lean it as far as grains bear, hold it there, and straighten it again."""
    taken = take_up(view)
    lift = raise_to(view, DROP_RAISE_M)
    before, upright = view.arm.q.copy(), view.arm.tcp
    for heading in headings(upright):
        path = follow(before, line(upright, turned_about(upright, heading, float(LEAN_RAD))))
        if path is None:
            continue
        over = view.arm.through(path, "carry", pace=NEAR)
        pause = view.arm.hold(0.5)
        back = view.arm.through(np.concatenate([over.targets[::-1], before[None]]), "carry", pace=NEAR)
        return [*taken.segments, lift, over, pause, back, view.arm.hold(HOLD_S)]
    raise NoPlanError("the hand cannot be leaned here")
