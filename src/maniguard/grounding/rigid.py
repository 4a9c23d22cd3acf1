"""Points and directions carried between the world and the entities' frames, elementwise."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from maniguard.grounding.block import F64, Block

Columns = NDArray[np.intp]


def turned(quat: F64, vector: F64, sense: float = 1.0) -> F64:
    """Rotate vectors (3, ...) by quaternions (4, ...): along them for `sense` 1, back for -1."""
    w, x, y, z = quat
    vx, vy, vz = vector
    # q v q* = v + 2w (u x v) + 2 u x (u x v), with u the vector part; the inverse turns the sign of u.
    cx, cy, cz = y * vz - z * vy, z * vx - x * vz, x * vy - y * vx
    w = sense * w
    return np.stack(
        (
            vx + 2.0 * (w * cx + (y * cz - z * cy)),
            vy + 2.0 * (w * cy + (z * cx - x * cz)),
            vz + 2.0 * (w * cz + (x * cy - y * cx)),
        )
    )


def to_local(block: Block, of: Columns, point: F64) -> F64:
    """Return world points (3, T, E or 1) in the frames of the entities `of`: (3, T, E)."""
    return turned(block.quat[:, :, of], point - block.position[:, :, of], -1.0)


def to_world(block: Block, of: Columns, point: F64) -> F64:
    """Return points (3, 1, E) of the entities `of` in the world: (3, T, E)."""
    return turned(block.quat[:, :, of], point, 1.0) + block.position[:, :, of]


def to_world_direction(block: Block, of: Columns, vector: F64) -> F64:
    """Return directions (3, 1, E) of the entities `of` in the world: (3, T, E)."""
    return turned(block.quat[:, :, of], vector, 1.0)


def to_frame(quat: F64, position: F64, point: F64) -> F64:
    """Return world points (3, T, E) in a frame given by its quaternions (4, T, E or 1) and positions (3, T, E or 1)."""
    return turned(quat, point - position, -1.0)
