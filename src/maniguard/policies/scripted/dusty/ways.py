"""Ways of the hand with something in it: up, about the base, down to a pose; and the arm that follows them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from maniguard.planning import Clearance, CollisionModel, follow, solutions
from maniguard.planning.kinematics import F64
from maniguard.policies.scripted.script import NoPlanError, View
from maniguard.sim import ObjectSpec

_STEP_M = 0.018
_STEP_RAD = 0.07
_ENDS = 14
_JUMP_RAD = 0.3
_WRISTS_RAD = (0.8, -1.2, 2.2, -2.2)


def only(view: View, role: str) -> ObjectSpec:
    """Return the one object of a role; NoPlanError when there is none or more than one."""
    found = view.with_role(role)
    if len(found) != 1:
        raise NoPlanError(f"the scene has {len(found)} objects with role {role!r}")
    return found[0]


def postures(view: View) -> list[F64]:
    """Return arm postures (7,) near which a grasp is looked for: the present one, then others with the wrist turned."""
    home = np.asarray(view.spec.robot_qpos_rad, dtype=np.float64)
    return [view.arm.q, *(np.array([*home[:6], wrist]) for wrist in _WRISTS_RAD)]


class Way(NamedTuple):
    """Poses of the tcp (P, 4, 4) one after the other, and the share (P,) of the wrist's turning done at each."""

    poses: F64
    turned: F64


def level_way(start: F64, end: F64, height_m: float, *, other_way: bool = False) -> Way:
    """Return the way up from `start` to a height of the tcp, about the base to above `end`, and down to it.

    `start` and `end` differ by a turn about an upright axis, or nearly so; `other_way` takes the turn the long way
    round. Where both are higher than `height_m` there is no detour.
    """
    height_m = max(height_m, float(start[2, 3]), float(end[2, 3]))
    axis, angle = _turn(start[:3, :3].T @ end[:3, :3])
    if other_way:
        angle -= 2.0 * np.pi
    r0, a0 = np.hypot(*start[:2, 3]), np.arctan2(start[1, 3], start[0, 3])
    r1, a1 = np.hypot(*end[:2, 3]), np.arctan2(end[1, 3], end[0, 3])
    length = max(abs(r1 - r0), abs(a1 - a0) * max(r0, r1))
    up = _count(height_m - start[2, 3])
    over = max(_count(length), int(np.ceil(abs(angle) / _STEP_RAD)), 1)
    down = _count(height_m - end[2, 3])
    poses, turned = [], []
    for index in range(1, up + 1):
        poses.append(_moved(start, start[:2, 3], start[2, 3] + (height_m - start[2, 3]) * index / up))
        turned.append(0.0)
    for index in range(1, over + 1):
        share = index / over
        radius, heading = r0 + share * (r1 - r0), a0 + share * (a1 - a0)
        pose = _moved(start, (radius * np.cos(heading), radius * np.sin(heading)), height_m)
        pose[:3, :3] = start[:3, :3] @ rotation(axis, share * angle)
        poses.append(pose)
        turned.append(share)
    for index in range(1, down + 1):
        poses.append(_moved(end, end[:2, 3], height_m + (end[2, 3] - height_m) * index / down))
        turned.append(1.0)
    return Way(np.array(poses), np.array(turned))


def follow_way(q_start: F64, way: Way, wrist_rad: float) -> F64 | None:
    """Return joint vectors (P, 7) along a way, the last joint turning evenly to `wrist_rad`; None out of reach."""
    wrists = q_start[6] + (wrist_rad - q_start[6]) * way.turned
    return follow(q_start, way.poses, wrist_rad=wrists, jump_rad=_JUMP_RAD)


def ends_at(pose: F64, q_near: F64) -> list[F64]:
    """Return joint vectors (7,) that reach a pose, the nearest to `q_near` (7,) first, at most a few."""
    q = solutions(pose)
    if not len(q):
        return []
    return list(q[np.argsort(np.abs(q - q_near).max(axis=1), kind="stable")][:_ENDS])


def find_way(
    model: CollisionModel, q_start: F64, start: F64, end: F64, height_m: float, clearance: Clearance | None
) -> F64 | None:
    """Return joint vectors (P, 7) from `start` over a height to `end`, clear of everything, or None.

    What the model holds and ignores counts; without `clearance` nothing is checked.
    """
    wrists = dict.fromkeys([float(q_start[6]), *(float(q[6]) for q in ends_at(end, q_start))])
    ways = [level_way(start, end, height_m, other_way=other_way) for other_way in (False, True)]
    for wrist in wrists:
        for way in ways:
            path = follow_way(q_start, way, wrist)
            if path is not None and (clearance is None or model.free(path, clearance)):
                return path
    return None


def rotation(axis: F64, angle: float) -> F64:
    """Return the rotation (3, 3) by an angle in rad about a unit axis (3,)."""
    x, y, z = axis
    cross = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    return np.asarray(np.eye(3) + np.sin(angle) * cross + (1.0 - np.cos(angle)) * cross @ cross)


def _turn(turn: F64) -> tuple[F64, float]:
    """Return axis and angle of a rotation (3, 3); of a half turn, and of none, about z."""
    axis = np.array([turn[2, 1] - turn[1, 2], turn[0, 2] - turn[2, 0], turn[1, 0] - turn[0, 1]])
    sine = float(np.linalg.norm(axis)) / 2.0
    angle = float(np.arctan2(sine, (np.trace(turn) - 1.0) / 2.0))
    return (axis / (2.0 * sine) if sine > 1e-6 else np.array([0.0, 0.0, 1.0])), angle


def _moved(pose: F64, xy: F64 | tuple[float, float], z: float) -> F64:
    out = pose.copy()
    out[:2, 3] = xy
    out[2, 3] = z
    return out


def _count(length_m: float) -> int:
    return int(np.ceil(max(length_m, 0.0) / _STEP_M - 1e-9))
