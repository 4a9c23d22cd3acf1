"""The lid's part: take it, hold it over its seat, put it down there or beside, take it off again."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from maniguard.planning import (
    NEAR,
    GraspChoice,
    Pace,
    Segment,
    follow,
    forward,
    grasp_choices,
    inverted,
    line,
)
from maniguard.planning.kinematics import F64, LOWER_RAD, UPPER_RAD
from maniguard.planning.segments import Skill
from maniguard.policies.scripted.script import NoPlanError, View
from maniguard.policies.scripted.steps import Taken, bring, take
from maniguard.sim import ObjectSpec
from maniguard.sim.assets import build

LID = "lid"
HOVER_M = 0.045
"""How high above its seat the lid waits to be measured in the hand."""
BEFORE_M, AT_SEAT_M = 0.012, 0.0015
"""How high above its seat the lid goes over to the slow descent, and where it is let go."""
SEAT = Pace(velocity_share=0.15, tcp_m_s=0.04, tcp_rad_s=0.3, ramp_s=0.25)
SLACK_M = 0.006
RETREAT_M = (0.10, 0.07, 0.05)
_ITERATIONS, _EPSILON_RAD = 40, 1e-6


def lid_of(view: View) -> ObjectSpec:
    """Return the one object with role lid; NoPlanError when there is none."""
    lids = view.with_role(LID)
    if len(lids) != 1:
        raise NoPlanError(f"the scene has {len(lids)} lids")
    return lids[0]


def skirt_m(lid: ObjectSpec) -> float:
    """Return how deep a lid's plug reaches into its container."""
    plug = build(lid.asset, {}, lid.mass_kg, lid.friction).plug
    if plug is None:
        raise NoPlanError(f"{lid.name!r} has no plug")
    return float(plug.size_m[2])


def seat(view: View) -> F64:
    """Return where the lid belongs, `world_T_lid` (4, 4): level with the rim, plug in the mouth, its yaw as it is."""
    lid = lid_of(view)
    rim = view.scene.entity(view.target.name).rim
    if rim is None:
        raise NoPlanError(f"{view.target.name!r} has no rim")
    container = view.pose(view.target.name)
    out = container.copy()
    out[:3, 3] += container[:3, :3] @ (np.asarray(rim.pose.position_m) - np.array([0.0, 0.0, skirt_m(lid)]))
    forward = view.pose(lid.name)[:3, 0]
    across = np.cross(container[:3, 2], forward)
    across /= np.linalg.norm(across)
    out[:3, 0], out[:3, 1] = np.cross(across, container[:3, 2]), across
    return out


def take_lid(view: View) -> Taken:
    """Plan to take the lid so that it can be brought over its seat."""
    over = seat(view)[:3, 3] + np.array([0.0, 0.0, HOVER_M])
    return take(view, lid_of(view).name, over)


def fetch_lid(view: View) -> tuple[Taken, list[Segment]]:
    """Plan to take the lid and hold it over its seat."""
    taken = take_lid(view)
    return taken, [*taken.segments, *bring(view, taken), view.arm.hold(0.3)]


def put_lid(view: View, *, aside_m: Sequence[float] | F64 = (0.0, 0.0), above_m: float = AT_SEAT_M) -> list[Segment]:
    """Plan to lower the lid, as it lies in the hand now, onto its seat, or `aside_m` (2,) of it.

    What is measured is put right: the hand moves and leans by as much as the lid is out of place in it.
    """
    in_hand = inverted(view.in_hand(lid_of(view).name))
    poses = []
    for raise_m in (HOVER_M, BEFORE_M, above_m):
        lid = seat(view)
        lid[:3, 3] += (aside_m[0], aside_m[1], raise_m)
        poses.append(lid @ in_hand)
    out = []
    for pose, pace in zip(poses, (NEAR, NEAR, SEAT), strict=True):
        out.append(straight(view, pose, pace))
    return [*out, view.arm.hold(0.25)]


def straight(view: View, pose: F64, pace: Pace, skill: Skill = "carry") -> Segment:
    """Plan to move the hand straight to a pose; where the last joint cannot keep its angle all joints share."""
    poses = line(view.arm.tcp, pose)
    path = follow(view.arm.q, poses, jump_rad=0.1)
    if path is None:
        path = _creep(view.arm.q, poses)
    if path is None:
        raise NoPlanError("the hand cannot be moved straight to where it should go")
    return view.arm.through(path, skill, pace=pace)


def _creep(q: F64, poses: F64) -> F64 | None:
    """Return joint vectors (P, 7) through poses close to each other, each by the least motion from the one before.

    Damped least squares on finite differences; near a stretched shoulder, where an angle of the last joint that is
    kept makes two others swing. None where that does not converge within limits.
    """
    out = np.empty((len(poses), 7))
    for row, pose in enumerate(poses):
        for _ in range(_ITERATIONS):
            error = _twist(forward(q), pose)
            if np.abs(error).max() < 1e-5:
                break
            near = forward(q + _EPSILON_RAD * np.eye(7))
            jacobian = np.stack([_twist(forward(q), moved) for moved in near], axis=1) / _EPSILON_RAD
            q = q + jacobian.T @ np.linalg.solve(jacobian @ jacobian.T + 1e-5 * np.eye(6), error)
        else:
            return None
        if np.any(q < LOWER_RAD) or np.any(q > UPPER_RAD):
            return None
        out[row] = q
    return out


def _twist(start: F64, end: F64) -> F64:
    """Return the small motion (6,) from one pose to another: translation in m, rotation vector in rad, in the world."""
    turn = end[:3, :3] @ start[:3, :3].T
    rotation = np.array([turn[2, 1] - turn[1, 2], turn[0, 2] - turn[2, 0], turn[1, 0] - turn[0, 1]]) / 2.0
    return np.concatenate([end[:3, 3] - start[:3, 3], rotation])


def let_go_of_lid(view: View, choice: GraspChoice) -> list[Segment]:
    """Plan to open the fingers in two stages, so that neither of them drags the lid along, and draw back upwards."""
    first = min(1.0, (choice.grasp.width_m + SLACK_M) / 0.08)
    slack = view.arm.grip(first, duration_s=0.4, wait_s=0.15)
    wide = view.arm.grip(max(first, choice.opening), duration_s=0.3, wait_s=0.15)
    return [slack, wide, away(view)]


def away(view: View) -> Segment:
    """Plan to draw the hand back the way it points, as far as the arm goes."""
    for distance in RETREAT_M:
        back = view.arm.tcp.copy()
        back[:3, 3] -= distance * back[:3, 2]
        segment = view.arm.line_to(back, "retreat", None, pace=NEAR)
        if segment is not None:
            return segment
    back = view.arm.tcp.copy()
    back[:3, 3] -= RETREAT_M[-1] * back[:3, 2]
    return straight(view, back, NEAR, "retreat")


def retake_lid(view: View) -> tuple[GraspChoice, list[Segment]]:
    """Plan to take the lid where it lies on the container, and to lift it straight up off it."""
    lid = lid_of(view)
    view.model.ignore(())
    for choice in grasp_choices(view.model, lid.name, view.pose(lid.name), lid.grasps, view.arm.q):
        view.model.ignore(())
        move = view.arm.move_to(choice.q_before, opening=choice.opening)
        if move is not None:
            approach = view.arm.through(choice.approach, "approach", pace=NEAR)
            close = view.arm.grip(0.0, duration_s=0.6, wait_s=0.25)
            return choice, [move, approach, close, raised(view, HOVER_M), view.arm.hold(0.3)]
    raise NoPlanError("the lid cannot be taken off the container")


def raised(view: View, raise_m: float, pace: Pace = NEAR) -> Segment:
    """Plan to lift what is held straight up, by as much of `raise_m` as the arm allows, half of it at least."""
    start = view.arm.tcp
    for share in (1.0, 0.75, 0.5):
        end = start.copy()
        end[2, 3] += raise_m * share
        path = follow(view.arm.q, line(start, end))
        if path is not None:
            return view.arm.through(path, "lift", pace=pace)
    raise NoPlanError(f"what is held cannot be lifted by {raise_m:.2f} m")
