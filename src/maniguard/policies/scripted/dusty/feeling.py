"""Feeling: forces and touches of the last control step, and a hand that goes on until it feels something."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence

import numpy as np

from maniguard.planning import Segment, follow
from maniguard.planning.kinematics import F64
from maniguard.policies.scripted.dusty.ways import only
from maniguard.policies.scripted.script import NoPlanError, View

Steps = Generator[Sequence[Segment], View, View]
"""A part of a plan that goes stage by stage and ends with a view."""

RATE_HZ = 20.0
STEP_DOWN_M, MOST_STEPS_DOWN = 0.001, 40


def force_n(view: View, first: str = "pot", second: str = "sponge") -> float:
    """Return the mean upright force between two things, by role, over the last control step."""
    one, other = (view.scene.index(only(view, role).name) for role in (first, second))
    contacts = view.frame.contacts
    low, high = min(one, other), max(one, other)
    rows_ = (contacts.entity_a == low) & (contacts.entity_b == high)
    return float((contacts.impulse_n_s[rows_] * np.abs(contacts.normal[rows_, 2])).sum()) * RATE_HZ


def lower_until(view: View, done: Callable[[View], bool]) -> Steps:
    """Lower the hand millimetre by millimetre until something is so; NoPlanError when it does not come."""
    for _ in range(MOST_STEPS_DOWN):
        if done(view):
            return view
        lower = view.arm.tcp.copy()
        lower[2, 3] -= STEP_DOWN_M
        view = yield [one_step(view, lower)]
    raise NoPlanError("the hand comes down and meets nothing")


def touching(name: str) -> Callable[[View], bool]:
    """Return a test of whether the robot touches a thing."""
    return lambda view: touched(view, name)


def touched(view: View, name: str) -> bool:
    """Return whether the robot touches a thing."""
    robot, other = view.scene.index("panda"), view.scene.index(name)
    contacts = view.frame.contacts
    pair = (contacts.entity_a == min(robot, other)) & (contacts.entity_b == max(robot, other))
    return bool(contacts.peak_force_n[pair].sum() > 0)


def one_step(view: View, tcp: F64) -> Segment:
    """Plan one control step to a pose of the tcp nearby; NoPlanError out of reach."""
    q = follow(view.arm.q, tcp[None])
    if q is None:
        raise NoPlanError("the hand comes out of reach")
    view.arm.q = q[0]
    return Segment("push", q, np.array([view.arm.opening]), settle_steps=0)
