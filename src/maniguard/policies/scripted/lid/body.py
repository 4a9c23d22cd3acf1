"""The container's part: take it by its body, and carry it with what is on and in it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from maniguard.planning import (
    CARRY,
    LIFT,
    NEAR,
    GraspChoice,
    Segment,
    carry_choice,
    grasp_choices,
    inverted,
    outline,
    section,
)
from maniguard.planning.kinematics import F64, LOWER_RAD, UPPER_RAD
from maniguard.planning.pick import CARRY_CLEARANCE, CarryChoice
from maniguard.policies.scripted.lid.steps import LID, lid_of
from maniguard.policies.scripted.script import NoPlanError, View
from maniguard.sim import Grasp
from maniguard.sim.assets.grasps import MAX_WIDTH_M, PAD_HALF_M, pointing
from maniguard.trace.scene import Hull

CONTENT = "content"
# Where a body is held: this far below its rim where that is neither too low for the hand nor too high for the arm.
BELOW_RIM_M = 0.035
LOWEST_M, HIGHEST_M = 0.050, 0.100
# Approach by azimuth about the way out from the base; the arm reaches across from the sides best.
AZIMUTHS_DEG = (60, -60, 40, -40, 80, -80, 20, -20, 0, 100, -100, 125, -125)
PITCHES_DEG = (0.0, 20.0, 40.0)
# A hand that points down more steeply than that does not lean what it holds when it turns.
MOST_DOWN = 0.75
# The palm ends this far behind the tcp.
PALM_M = 0.041
_GRASPS_TRIED = 8
_FAR_AWAY = (0.0, 0.0, -5.0)


@dataclass(frozen=True, eq=False)
class Held:
    """A grasp of the container's body, with the way on from it, and the segments up to the closed gripper."""

    choice: GraspChoice
    carry: CarryChoice
    segments: tuple[Segment, ...]


def hold_body(view: View, goal_origin_m: F64) -> Held:
    """Plan to grasp the container by its body so that it can be carried, and what is on and in it with it.

    NoPlanError says what fails. The lid is in the fingers' way; what rides along is checked on the way over too.
    """
    return next(holds(view, goal_origin_m))


def holds(view: View, goal_origin_m: F64) -> Iterator[Held]:
    """Yield one grasp of the container after the other as `hold_body`; NoPlanError when there is none at all."""
    name = view.target.name
    world_T_object = view.pose(name)
    reached = carried = yielded = 0
    for grasps in body_grasps(view):
        view.model.ignore(())
        view.rewind()
        restore(view)
        choices = grasp_choices(view.model, name, world_T_object, grasps, view.arm.q)
        reached += len(choices)
        for choice in choices[:_GRASPS_TRIED]:
            carry = carry_along(view, choice, goal_origin_m)
            if carry is None:
                continue
            carried += 1
            view.model.ignore(())
            view.rewind()
            move = view.arm.move_to(choice.q_before, opening=choice.opening)
            if move is None:
                continue
            yielded += 1
            approach = view.arm.through(choice.approach, "approach", pace=NEAR)
            close = view.arm.grip(0.0, duration_s=0.6, wait_s=0.25)
            yield Held(choice, carry, (move, approach, close))
    if not yielded:
        raise NoPlanError(f"the body of {name!r} can be grasped in {reached} ways; {carried} of them allow the carry")


def carry_along(view: View, choice: GraspChoice, goal_origin_m: F64) -> CarryChoice | None:
    """Return how to bring the container held by `choice` somewhere; lid and content ride along as they lie on it."""
    name = view.target.name
    riders = _riders(view)
    far = np.eye(4)
    far[:3, 3] = _FAR_AWAY
    view.model.place({rider: far for rider in riders})
    carry = carry_choice(view.model, name, choice, view.pose(name), goal_origin_m)
    view.model.place({name: far})
    lid = lid_of(view).name
    clear = carry is not None
    if carry is not None and lid in riders:
        view.model.hold(lid, inverted(choice.world_T_tcp) @ view.pose(lid))
        clear = view.model.first_hit(np.concatenate([carry.over, carry.lower]), CARRY_CLEARANCE) is None
        view.model.hold(None)
    restore(view)
    return carry if clear else None


def bring_held(view: View, held: Held) -> list[Segment]:
    """Plan to lift what is held, carry it over everything, and lower it to where `hold_body` was told."""
    lift = view.arm.through(held.carry.lift, "lift", pace=LIFT)
    over = view.arm.through(held.carry.over, "carry", pace=CARRY)
    lower = view.arm.through(held.carry.lower, "carry", pace=NEAR)
    return [lift, over, lower]


def tipped(view: View, angle_rad: float) -> Segment:
    """Plan to lean what is held from the side by turning the last joint, whichever way it has room for."""
    if abs(view.arm.tcp[2, 2]) > MOST_DOWN:
        raise NoPlanError("the last joint does not lean what is held from above")
    for sign in (1.0, -1.0):
        end = view.arm.q.copy()
        end[6] += sign * angle_rad
        if LOWER_RAD[6] < end[6] < UPPER_RAD[6]:
            return view.arm.through(end[None], "carry", pace=NEAR)
    raise NoPlanError(f"the last joint has no room to turn by {np.degrees(angle_rad):.0f} degrees")


def restore(view: View) -> None:
    """Put every object of the collision model back to where it is."""
    view.model.place({spec.name: view.pose(spec.name) for spec in view.spec.objects})


def body_grasps(view: View) -> Iterator[tuple[Grasp, ...]]:
    """Yield grasps of the container's body from the sides, the level ones first, and from above at last."""
    spec = view.target
    pose, hull = view.pose(spec.name), view.hull(spec.name)
    yaw = np.arctan2(pose[1, 0], pose[0, 0])
    out = np.arctan2(pose[1, 3], pose[0, 3])
    heights = _heights(view.height_m(spec.name))
    for pitch in PITCHES_DEG:
        for height in heights:
            found = []
            for azimuth in AZIMUTHS_DEG:
                grasp = side_grasp(hull, height, out + np.radians(azimuth) - yaw, np.radians(pitch))
                if grasp is not None:
                    found.append(grasp)
            if found:
                yield tuple(found)
    above = tuple(grasp for grasp in spec.grasps if grasp.kind == "top")
    if above:
        yield above


def side_grasp(hull: Hull, height_m: float, azimuth_rad: float, pitch_rad: float) -> Grasp | None:
    """Return a grasp about a body's axis at a height, from the side; None where it is too wide there.

    `azimuth_rad` is the way in, in the object's frame, `pitch_rad` how much the way in leads downwards.
    """
    inward = np.array([np.cos(azimuth_rad), np.sin(azimuth_rad), 0.0])
    closing = np.array([-inward[1], inward[0], 0.0])
    pad = section(hull, np.eye(4), height_m - PAD_HALF_M, height_m + PAD_HALF_M)
    hand = section(hull, np.eye(4), height_m - 0.03, height_m + 0.03)
    if not len(pad):
        return None
    width = 2.0 * float(np.abs(pad @ closing).max())
    if width > MAX_WIDTH_M or -float((hand @ inward).min()) > PALM_M:
        return None
    down = np.array([0.0, 0.0, -1.0])
    approach = np.cos(pitch_rad) * inward + np.sin(pitch_rad) * down
    name = f"body-{np.degrees(azimuth_rad) % 360.0:.0f}-{np.degrees(pitch_rad):.0f}"
    return pointing(name, "side", (0.0, 0.0, height_m), tuple(approach), tuple(closing), width)


def _heights(height_m: float) -> tuple[float, ...]:
    wanted = float(np.clip(height_m - BELOW_RIM_M, LOWEST_M, HIGHEST_M))
    highest = max(wanted, min(height_m - 0.02, HIGHEST_M))
    return tuple(dict.fromkeys(round(float(h), 4) for h in (wanted, (LOWEST_M + wanted) / 2.0, highest)))


def _riders(view: View) -> list[str]:
    """Return lid and content where they are over the container: within its outline, seen from above."""
    around = outline(view.hull(view.target.name), view.pose(view.target.name))
    low, high = around[:, :2].min(axis=0), around[:, :2].max(axis=0)
    found = []
    for spec in (*view.with_role(LID), *view.with_role(CONTENT)):
        at = view.pose(spec.name)[:2, 3]
        if np.all(at > low) and np.all(at < high):
            found.append(spec.name)
    return found
