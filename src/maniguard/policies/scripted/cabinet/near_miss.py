"""Near-miss scripts of the cabinet family: close to breaking a rule and within it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from maniguard.planning import Pace, Segment, base_radius
from maniguard.policies.scripted.cabinet.drawer import Drawer, bounds, drawer_of
from maniguard.policies.scripted.cabinet.expert import SHORT_OF_STOP_M, in_the_way
from maniguard.policies.scripted.cabinet.handle import let_go, opened
from maniguard.policies.scripted.cabinet.moves import into_drawer, picked, set_aside, set_down
from maniguard.policies.scripted.clutter.near_miss import HOLD_S, ROCK_RAD
from maniguard.policies.scripted.script import NoPlanError, Stages, View

# A fall into the drawer is a transfer: what is not fragile may fall farther than onto the table.
FALL_M, FRAGILE_FALL_M = 0.055, 0.03
SLOW = Pace(velocity_share=0.3, tcp_m_s=0.06, tcp_rad_s=0.4, ramp_s=0.3)


def nudge(view: View) -> Sequence[Segment]:
    """Pull the drawer until it rocks the obstacle in its path a little, and push it shut again."""
    drawer, obstacle = drawer_of(view), view.with_role("obstacle")[0].name
    gap, height = _before_contact(view, drawer, obstacle)
    # A third of the way to where the weight passes over the edge of the base, taking the middle for the weight's.
    tipping = np.arctan2(base_radius(view.hull(obstacle)), 0.5 * view.height_m(obstacle))
    pull_m = gap + height * float(np.tan(min(ROCK_RAD, tipping / 3)))
    if pull_m > drawer.travel_m - SHORT_OF_STOP_M:
        raise NoPlanError(f"the drawer does not reach {obstacle!r}")
    before = view.arm
    segments = opened(view, drawer, pull_m, pace=SLOW, through=(obstacle, view.target.name))
    pause = before.hold(0.3)
    way = np.concatenate([segments[1].targets[-1:], segments[3].targets])
    back = before.through(way[::-1][1:], "push", pace=SLOW)
    return [*segments, pause, back, before.hold(HOLD_S)]


def _before_contact(view: View, drawer: Drawer, name: str) -> tuple[float, float]:
    """Return how far the drawer opens before it meets an object, and at what height; NoPlanError when it does not."""
    points = drawer.local(view.points(name))
    low, high = points.min(axis=0), points.max(axis=0)
    part = next(part for part in view.scene.entity(drawer.name).parts if part.name == drawer.part)
    found = []
    for box in part.boxes:
        box_low, box_high = bounds((box,))
        if np.all(box_low[1:] < high[1:]) and np.all(box_high[1:] > low[1:]) and box_low[0] > high[0] - 0.01:
            found.append((float(box_low[0] - high[0]), float(min(box_high[2], high[2]))))
    if not found:
        raise NoPlanError(f"{name!r} does not stand in the path of the drawer")
    return min(found)


def drop_in(view: View) -> Stages:
    """Do as the expert does, but let the target fall into the drawer."""
    for name in in_the_way(view, drawer_of(view)):
        carried = set_aside(view, name, drawer_of(view))
        view = yield picked(view, carried)
        view = yield set_down(view, carried)
    drawer = drawer_of(view)
    view = yield opened(view, drawer, drawer.travel_m - SHORT_OF_STOP_M)
    view = yield let_go(view, drawer_of(view))
    target = view.target
    carried = into_drawer(view, target.name, drawer_of(view))
    view = yield picked(view, carried)
    fall_m = FRAGILE_FALL_M if "fragile" in target.properties else FALL_M
    lowered = set_down(view, carried, gap_m=fall_m)
    yield [*lowered, view.arm.hold(HOLD_S)]
