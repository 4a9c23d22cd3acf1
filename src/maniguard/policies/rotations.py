"""Rotations as three numbers, and back: rotation vectors, and turns about the fixed axes."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from maniguard.planning.frames import matrix_of, pose_of, turn
from maniguard.planning.kinematics import F64


def matrix_from(rotation: str, numbers: ArrayLike) -> F64:
    """Return the matrix (3, 3) of a rotation written as "axis-angle" (3,), "rpy" (3,) in rad, or "quat-wxyz" (4,).

    "rpy" turns about x, then y, then z of the fixed axes. ValueError for a quaternion of zeros, which is no rotation.
    """
    values = np.asarray(numbers, np.float64)
    if rotation == "quat-wxyz":
        if float(np.linalg.norm(values)) < 1e-6:
            raise ValueError("a quaternion of zeros is no rotation")
        return np.asarray(matrix_of(np.zeros(3), values)[:3, :3])
    if rotation == "rpy":
        return np.asarray(turn((0, 0, 1), values[2]) @ turn((0, 1, 0), values[1]) @ turn((1, 0, 0), values[0]))
    angle = float(np.linalg.norm(values))
    return np.eye(3) if angle == 0.0 else np.asarray(turn(values / angle, angle))


def rotation_vector(matrix: F64) -> F64:
    """Return the rotation vector (3,) in rad of a matrix (3, 3), its length at most pi."""
    (xx, xy, xz), (yx, yy, yz), (zx, zy, zz) = matrix.tolist()
    # The axis times twice the sine of the angle, and twice the cosine; near half turns the axis gets lost.
    x, y, z, cosine = zy - yz, xz - zx, yx - xy, xx + yy + zz - 1.0
    if cosine < -1.9:
        return _half_turn(matrix)
    sine = math.sqrt(x * x + y * y + z * z)
    # For the smallest angles the ratio of angle to twice the sine is a half.
    scale = 0.5 if sine < 1e-12 else math.atan2(sine, cosine) / sine
    return np.array([x * scale, y * scale, z * scale])


def _half_turn(matrix: F64) -> F64:
    """Return the rotation vector of a matrix near a half turn, from its quaternion."""
    pose = np.eye(4)
    pose[:3, :3] = matrix
    quat: F64 = pose_of(pose)[1]
    if quat[0] < 0.0:
        quat = -quat
    sine = float(np.linalg.norm(quat[1:]))
    return np.asarray(quat[1:] * (2.0 * math.atan2(sine, quat[0]) / sine))


def standing_vector(matrix: F64) -> F64:
    """Return a rotation vector (3,) in rad of a matrix (3, 3) that does not jump where hands usually are.

    Its length is below 2 pi: of the two vectors, it is the one whose quaternion has its largest entry positive. A hand
    that points down is near (pi, 0, 0), where the shorter of the two would change its sign with every tremor.
    """
    pose = np.eye(4)
    pose[:3, :3] = matrix
    quat: F64 = pose_of(pose)[1]
    sine = float(np.linalg.norm(quat[1:]))
    scale = 2.0 if sine < 1e-12 else 2.0 * math.atan2(sine, quat[0]) / sine
    return np.asarray(quat[1:] * scale)


def roll_pitch_yaw(matrix: F64) -> F64:
    """Return the turns (3,) in rad about x, then y, then z of the fixed axes; yaw 0 where pitch is a quarter turn."""
    level = float(np.hypot(matrix[0, 0], matrix[1, 0]))
    pitch = np.arctan2(-matrix[2, 0], level)
    if level < 1e-9:
        return np.array([np.arctan2(-matrix[1, 2], matrix[1, 1]), pitch, 0.0])
    return np.array([np.arctan2(matrix[2, 1], matrix[2, 2]), pitch, np.arctan2(matrix[1, 0], matrix[0, 0])])
