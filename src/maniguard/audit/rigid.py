"""Arithmetic of rigid poses over many samples; quaternions wxyz."""

from __future__ import annotations

import numpy as np

from maniguard.audit.samples import F64


def rotate(quat: F64, vector: F64) -> F64:
    """Return vectors (…, 3) turned by unit quaternions (…, 4)."""
    w, axis = quat[..., :1], quat[..., 1:]
    twice = 2.0 * np.cross(axis, vector)
    turned: F64 = vector + w * twice + np.cross(axis, twice)
    return turned


def matrix(quat: F64) -> F64:
    """Return the rotation matrix (3, 3) of one unit quaternion (4,)."""
    return np.stack([rotate(quat, axis) for axis in np.eye(3)], axis=1)
