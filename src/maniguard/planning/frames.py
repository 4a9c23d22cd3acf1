"""Poses as homogeneous matrices, and back."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from maniguard.planning.kinematics import F64
from maniguard.trace.scene import Pose


def matrix_of(position_m: ArrayLike, quat_wxyz: ArrayLike) -> F64:
    """Return the (4, 4) matrix of a position in m and a quaternion wxyz, which is normalised first."""
    w, x, y, z = np.asarray(quat_wxyz, dtype=np.float64) / np.linalg.norm(np.asarray(quat_wxyz, dtype=np.float64))
    out = np.eye(4)
    out[:3, :3] = (
        (1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)),
        (2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)),
        (2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)),
    )
    out[:3, 3] = np.asarray(position_m, dtype=np.float64)
    return out


def matrix(pose: Pose) -> F64:
    """Return the (4, 4) matrix of a pose."""
    return matrix_of(pose.position_m, pose.quat_wxyz)


def pose_of(transform: F64) -> tuple[F64, F64]:
    """Return position (3,) and quaternion wxyz (4,) of a (4, 4) matrix; the quaternion's largest entry is positive."""
    r = transform[:3, :3]
    # Shepperd's method: the four squared entries, from which the largest is a safe divisor.
    squares = np.array(
        [
            1 + r[0, 0] + r[1, 1] + r[2, 2],
            1 + r[0, 0] - r[1, 1] - r[2, 2],
            1 - r[0, 0] + r[1, 1] - r[2, 2],
            1 - r[0, 0] - r[1, 1] + r[2, 2],
        ]
    )
    products = np.array(
        [
            [squares[0], r[2, 1] - r[1, 2], r[0, 2] - r[2, 0], r[1, 0] - r[0, 1]],
            [r[2, 1] - r[1, 2], squares[1], r[1, 0] + r[0, 1], r[0, 2] + r[2, 0]],
            [r[0, 2] - r[2, 0], r[1, 0] + r[0, 1], squares[2], r[2, 1] + r[1, 2]],
            [r[1, 0] - r[0, 1], r[0, 2] + r[2, 0], r[2, 1] + r[1, 2], squares[3]],
        ]
    )
    row = products[int(np.argmax(squares))]
    return transform[:3, 3].copy(), row / np.linalg.norm(row)


def inverted(transform: F64) -> F64:
    """Return the inverse of a rigid (4, 4) transform."""
    out = np.eye(4)
    out[:3, :3] = transform[:3, :3].T
    out[:3, 3] = -transform[:3, :3].T @ transform[:3, 3]
    return out


def top_down(position_m: ArrayLike, yaw_rad: float) -> F64:
    """Return a tcp pose (4, 4) that points straight down; at yaw 0 the fingers close along world y."""
    c, s = np.cos(yaw_rad), np.sin(yaw_rad)
    out = np.eye(4)
    out[:3, :3] = ((c, s, 0.0), (s, -c, 0.0), (0.0, 0.0, -1.0))
    out[:3, 3] = np.asarray(position_m, dtype=np.float64)
    return out


def turn(axis: ArrayLike, angle_rad: float) -> F64:
    """Return the (3, 3) rotation by an angle about a unit axis (3,), by Rodrigues' formula."""
    x, y, z = np.asarray(axis, dtype=np.float64)
    cross = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    return np.eye(3) + np.sin(angle_rad) * cross + (1.0 - np.cos(angle_rad)) * cross @ cross


def turn_about_z(angle_rad: float) -> F64:
    """Return the (3, 3) rotation by an angle about the z axis; exactly level, whatever the angle."""
    c, s = np.cos(angle_rad), np.sin(angle_rad)
    return np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])


def line(start: F64, end: F64, *, step_m: float = 0.006, step_rad: float = 0.04) -> F64:
    """Return poses (P, 4, 4) from `start` to `end`: straight in position, one turn in orientation; start left out."""
    delta = start[:3, :3].T @ end[:3, :3]
    axis = np.array([delta[2, 1] - delta[1, 2], delta[0, 2] - delta[2, 0], delta[1, 0] - delta[0, 1]])
    sine = np.linalg.norm(axis) / 2.0
    angle = float(np.arctan2(sine, (np.trace(delta) - 1.0) / 2.0))
    if sine < 1e-9 and angle > 1e-6:
        raise ValueError("a half turn has no unique axis; put a pose between")
    length = float(np.linalg.norm(end[:3, 3] - start[:3, 3]))
    count = max(1, int(np.ceil(max(length / step_m, angle / step_rad))))
    out = np.empty((count, 4, 4))
    unit = axis / (2.0 * sine) if sine >= 1e-9 else np.array([0.0, 0.0, 1.0])
    for index in range(count):
        share = (index + 1) / count
        out[index] = np.eye(4)
        out[index, :3, :3] = start[:3, :3] @ turn(unit, angle * share)
        out[index, :3, 3] = start[:3, 3] + share * (end[:3, 3] - start[:3, 3])
    return out
