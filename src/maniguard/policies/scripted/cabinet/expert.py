"""The expert: clears the drawer's path, opens it, puts the target in, shuts it, and breaks nothing."""

from __future__ import annotations

from maniguard.policies.scripted.cabinet.drawer import Drawer, drawer_of
from maniguard.policies.scripted.cabinet.handle import let_go, opened, shut
from maniguard.policies.scripted.cabinet.moves import into_drawer, picked, retreat, set_aside, set_down
from maniguard.policies.scripted.script import Stages, View

# The stop of the slide is where it is found, not a thing to pull at.
SHORT_OF_STOP_M = 0.001
CLEAR_M = 0.008
SHUT_M = 0.002
HOLD_S = 0.5


def in_the_way(view: View, drawer: Drawer) -> list[str]:
    """Return the names of what stands in the drawer's path, the obstacle first."""
    names = [spec.name for role in ("obstacle", "target") for spec in view.with_role(role)]
    return [name for name in names if drawer.blocked_by(view.hull(name), view.pose(name), CLEAR_M)]


def plan_expert(view: View) -> Stages:
    """Clear the path where it is blocked, pull the drawer open, put the target in, and push it shut."""
    for name in in_the_way(view, drawer_of(view)):
        carried = set_aside(view, name, drawer_of(view))
        view = yield picked(view, carried)
        view = yield set_down(view, carried)
    drawer = drawer_of(view)
    view = yield opened(view, drawer, drawer.travel_m - SHORT_OF_STOP_M)
    view = yield let_go(view, drawer_of(view))
    drawer, target = drawer_of(view), view.target.name
    carried = into_drawer(view, target, drawer)
    view = yield picked(view, carried)
    rise_m = _rise(float(carried.world_T_tcp[2, 3]), drawer)
    view = yield set_down(view, carried, rise_m=rise_m)
    view = yield shut(view, drawer_of(view))
    if drawer_of(view).opening_m > SHUT_M:
        view = yield shut(view, drawer_of(view), beyond_m=0.008)
    yield [retreat(view, 0.03), view.arm.hold(HOLD_S)]


def _rise(from_z: float, drawer: Drawer) -> float:
    return max(0.10, drawer.world_T_cabinet[2, 3] + drawer.top_m + 0.05 - from_z)
