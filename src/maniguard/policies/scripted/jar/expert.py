"""The expert: closes the lid, looks again, takes the jar and carries it to the goal."""

from __future__ import annotations

from collections.abc import Generator, Sequence

import numpy as np

from maniguard.planning import Segment
from maniguard.policies.scripted.jar.lid import CLOSED_RAD, lid_of, look, swing
from maniguard.policies.scripted.script import NoPlanError, Stages, View
from maniguard.policies.scripted.steps import Taken, bring, take

Looking = Generator[Sequence[Segment], View, View]
"""Stages that give back the last view."""

HOLD_S = 1.0
_PRESSES_M = (0.003, 0.006)
# Where the middle of the jar may be brought: at the centre of the goal sphere, else half a radius below or above it.
_PARTS = (0.0, 0.5, -0.5)


def plan_expert(view: View) -> Stages:
    """Swing the lid shut, take the jar as it then stands, carry it over everything, and hold it in the goal sphere."""
    view = yield from shut(view)
    taken = take_for_goal(view)
    yield [*taken.segments, *bring(view, taken), view.arm.hold(HOLD_S)]


def shut(view: View) -> Looking:
    """Swing the lid until it is seen to be shut; gives back the view that sees it."""
    name = look(view).target.name
    for press_m in _PRESSES_M:
        view = look((yield swing(view, press_m=press_m)))
        if lid_of(view, name).angle_rad <= CLOSED_RAD:
            return view
    raise NoPlanError(f"the lid of {name!r} does not stay shut")


def take_for_goal(view: View) -> Taken:
    """Plan to take the jar so that its middle comes into the goal sphere."""
    name = view.target.name
    if view.spec.goal is None:
        raise NoPlanError("the scene has no goal")
    radius = view.spec.goal.size_m[0]
    last: NoPlanError | None = None
    for part in _PARTS:
        middle = np.array([0.0, 0.0, view.height_m(name) / 2.0 + part * radius])
        try:
            return take(view, name, view.goal_m - middle)
        except NoPlanError as error:
            last = error
            view.rewind()
    raise last or NoPlanError("the jar cannot be brought to the goal")
