"""Reckless scripts: each breaks one rule on purpose, to prove that the rule can be broken and that it is noticed."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from maniguard.planning import Segment
from maniguard.policies.scripted.lid.body import Held, holds, tipped
from maniguard.policies.scripted.lid.expert import Looking, cap, goal_origin
from maniguard.policies.scripted.lid.steps import fetch_lid, let_go_of_lid, put_lid, raised
from maniguard.policies.scripted.script import NoPlanError, Stages, View

AFTER_S = 1.5
LIFT_M = 0.10
DROP_RAISE_M, TURN_RAISE_M = 0.20, 0.15
# How far up a grasp must at least be able to bring the container to be one for these scripts.
RAISE_M = 0.15
# So far off its seat the plug lies on the rim and the lid leans; twice the clearance, and more than is called centred.
ASKEW_M = 0.010
# A plug that lies on the rim is let go this far above where it would be in the mouth: its own depth, and a little.
LAID_M = 0.007
# A lid slides out of a mouth that points at the wall, at the latest when it points a little down.
TURN_RAD = np.deg2rad(115.0)


def lift_bare(view: View) -> Sequence[Segment]:
    """Take the container as it is, without its lid, and lift it."""
    return [*take_up(view, lambda _: [raised(view, LIFT_M)]), view.arm.hold(AFTER_S)]


def lift_askew(view: View) -> Stages:
    """Lay the lid on the rim beside its seat, see nothing wrong with that, and lift the container."""
    view = yield from lay_askew(view, ASKEW_M)
    yield [*take_up(view, lambda _: [raised(view, LIFT_M)]), view.arm.hold(AFTER_S)]


def drop(view: View) -> Stages:
    """Put the lid on, lift the container well above the table, and open the fingers."""
    view = yield from cap(view)
    up = take_up(view, lambda _: [raised(view, DROP_RAISE_M)])
    yield [*up, view.arm.grip(1.0, duration_s=0.1, wait_s=AFTER_S)]


def pour_off(view: View) -> Stages:
    """Put the lid on, lift the container, and turn it until the lid falls off."""
    view = yield from cap(view)
    turned = take_up(view, lambda _: [raised(view, TURN_RAISE_M), tipped(view, TURN_RAD)])
    yield [*turned, view.arm.hold(AFTER_S)]


def take_up(view: View, then: Callable[[Held], list[Segment]]) -> list[Segment]:
    """Plan to take the container with the first grasp from which the arm can do what comes `then`."""
    here = view.pose(view.target.name)[:3, 3]
    last = NoPlanError("the container cannot be taken")
    for goal in (here + np.array([0.0, 0.0, RAISE_M]), goal_origin(view)):
        try:
            for held in holds(view, goal):
                try:
                    return [*held.segments, *then(held)]
                except NoPlanError as error:
                    last = error
        except NoPlanError as error:
            last = error
    raise last


def lay_askew(view: View, aside_m: float) -> Looking:
    """Take the lid and let go of it off its seat, along the fingers, so that it leans; gives the view after that."""
    taken, segments = fetch_lid(view)
    view = yield segments
    # Across the pads a leaning knob is set straight again by closing them.
    along = view.arm.tcp[:2, 1]
    view = yield [*put_lid(view, aside_m=along * aside_m, above_m=LAID_M), *let_go_of_lid(view, taken.choice)]
    return view
