"""The expert: wipes, puts the sponge back, and lets the food slide off the board into the pot."""

from __future__ import annotations

from maniguard.policies.scripted.dusty.tipping import over_pot, slide_rad, take_board_for, tip_into_pot
from maniguard.policies.scripted.dusty.ways import only
from maniguard.policies.scripted.dusty.wiping import put_back, take_sponge, wipe
from maniguard.policies.scripted.script import Stages, View

HOLD_S = 1.2


def plan_expert(view: View) -> Stages:
    """Wipe the pot, put the sponge back, and let the food slide off its board into the pot."""
    place = view.pose(only(view, "sponge").name)
    view = yield from take_sponge(view)
    view = yield from wipe(view)
    view = yield from put_back(view, place)
    view = yield from take_board_for(view, over_pot(view), slide_rad(view))
    view = yield from tip_into_pot(view)
    yield [view.arm.hold(HOLD_S)]
