"""The expert: puts the lid on the container, looks whether it sits, and carries both to the goal."""

from __future__ import annotations

from collections.abc import Generator, Sequence

import numpy as np

from maniguard.planning import Segment
from maniguard.planning.kinematics import F64
from maniguard.policies.scripted.lid.body import bring_held, hold_body
from maniguard.policies.scripted.lid.steps import fetch_lid, let_go_of_lid, put_lid
from maniguard.policies.scripted.script import NoPlanError, Stages, View

HOLD_S = 1.0

Looking = Generator[Sequence[Segment], View, View]
"""Stages of a plan that give the last view to the plan that they are part of."""


def plan_expert(view: View) -> Stages:
    """Put the lid on, then take the container by its body and hold its middle in the goal sphere."""
    goal_origin(view)
    view = yield from cap(view)
    yield carry_to_goal(view)


def cap(view: View) -> Looking:
    """Take the lid, measure how it lies in the hand, and seat it; gives the view after that."""
    taken, segments = fetch_lid(view)
    view = yield segments
    view = yield [*put_lid(view), *let_go_of_lid(view, taken.choice)]
    return view


def carry_to_goal(view: View) -> list[Segment]:
    """Plan to take the container, whatever is on it, and hold its middle in the goal sphere."""
    held = hold_body(view, goal_origin(view))
    return [*held.segments, *bring_held(view, held), view.arm.hold(HOLD_S)]


def goal_origin(view: View) -> F64:
    """Return where the container's origin is when its middle is in the middle of the goal sphere."""
    if view.spec.goal is None:
        raise NoPlanError("the scene has no goal")
    return view.goal_m - np.array([0.0, 0.0, view.height_m(view.target.name) / 2.0])
