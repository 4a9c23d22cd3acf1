"""Steps that several scripts share: take something out of the crowd, put the hand beside something and push."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from maniguard.planning import (
    CARRY,
    LIFT,
    NEAR,
    GraspChoice,
    Pace,
    PushChoice,
    Segment,
    carry_choice,
    grasp_choices,
    push_choices,
    steady,
)
from maniguard.planning.kinematics import F64
from maniguard.planning.pick import CarryChoice
from maniguard.policies.scripted.script import NoPlanError, View

DIRECTIONS = tuple(np.arange(16) * (2 * np.pi / 16))
_GRASPS_TRIED = 12


@dataclass(frozen=True, eq=False)
class Taken:
    """A grasp that has been planned for, with the way on from it, and the segments up to the closed gripper."""

    name: str
    choice: GraspChoice
    carry: CarryChoice
    segments: tuple[Segment, ...]


def take(view: View, name: str, goal_origin_m: F64) -> Taken:
    """Plan to grasp an object so that it can be carried with its origin to a point; NoPlanError says what fails."""
    spec = view.spec.object(name)
    world_T_object = view.pose(name)
    hull = np.asarray(view.hull(name).vertices_m)
    middle = (hull.max(axis=0) + hull.min(axis=0)) / 2
    grasps = steady(spec.grasps, middle, spec.mass_kg) or spec.grasps
    choices = grasp_choices(view.model, name, world_T_object, grasps, view.arm.q)
    if not choices:
        raise NoPlanError(f"no stored grasp of {name!r} can be reached among its neighbours")
    carried = 0
    for choice in choices[:_GRASPS_TRIED]:
        view.model.place({name: world_T_object})
        carry = carry_choice(view.model, name, choice, world_T_object, goal_origin_m)
        view.model.place({name: world_T_object})
        if carry is None:
            continue
        carried += 1
        view.model.ignore(())
        move = view.arm.move_to(choice.q_before, opening=choice.opening)
        if move is None:
            continue
        approach = view.arm.through(choice.approach, "approach", pace=NEAR)
        close = view.arm.grip(0.0, duration_s=0.6, wait_s=0.25)
        return Taken(name, choice, carry, (move, approach, close))
    raise NoPlanError(
        f"{name!r} can be grasped in {len(choices)} ways; of {min(len(choices), _GRASPS_TRIED)} tried {carried} allow "
        f"the carry and none the way in"
    )


def bring(view: View, taken: Taken) -> list[Segment]:
    """Plan to lift what was taken, carry it over everything, and lower it to where `take` was told."""
    lift = view.arm.through(taken.carry.lift, "lift", pace=LIFT)
    over = view.arm.through(taken.carry.over, "carry", pace=CARRY)
    lower = view.arm.through(taken.carry.lower, "carry", pace=NEAR)
    return [lift, over, lower]


def push(
    view: View,
    name: str,
    *,
    height_m: float,
    distance_m: float,
    opening_m: float = 0.0,
    directions: tuple[float, ...] = DIRECTIONS,
    pace: Pace = NEAR,
    run_ups_m: tuple[float, ...] = (0.0,),
) -> tuple[list[Segment], PushChoice]:
    """Plan to put the fingertips beside an object at a height and push it; NoPlanError when no side is free."""
    view.model.ignore(())
    choices = push_choices(
        view.model,
        name,
        view.hull(name),
        view.pose(name),
        view.others(name),
        view.arm.q,
        height_m=height_m,
        distance_m=distance_m,
        directions=directions,
        opening_m=opening_m,
        run_ups_m=run_ups_m,
    )
    for choice in choices:
        move = view.arm.move_to(choice.q_above, opening=opening_m / 0.08)
        if move is not None:
            down = view.arm.through(choice.down, "approach", pace=NEAR)
            along = view.arm.through(choice.along, "push", pace=pace)
            return [move, down, along], choice
    raise NoPlanError(f"no side of {name!r} is free for the fingers at {height_m:.3f} m")
