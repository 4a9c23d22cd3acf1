"""Blocks on a table, for planning without a simulator."""

from __future__ import annotations

import numpy as np

from maniguard.planning import CollisionModel, matrix_of
from maniguard.sim import Grasp
from maniguard.trace.scene import Box, Entity, Hull, Pose, Scene

HOME = np.array([0.0, -0.785398, 0.0, -2.356194, 0.0, 1.570796, 0.785398])


def block(name: str, half: tuple[float, float, float]) -> Entity:
    x, y, z = half
    corners = tuple((sx * x, sy * y, z + sz * z) for sx in (-1, 1) for sy in (-1, 1) for sz in (-1, 1))
    quads = ((0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3))
    faces = tuple(face for a, b, c, d in quads for face in ((a, b, c), (a, c, d)))
    return Entity(name, "object", "block", "obstacle", movable=True, hull=Hull(corners, faces))


TABLE = Entity("table", "support", "table", "support", boxes=(Box((0.5, 0.0, -0.02), (0.5, 0.5, 0.02)),))


def at(x: float, y: float, z: float = 0.0) -> np.ndarray:
    return matrix_of((x, y, z), (1.0, 0.0, 0.0, 0.0))


def model_of(**blocks: tuple[tuple[float, float, float], tuple[float, float]]) -> CollisionModel:
    """Build a model of blocks, each given by its half sizes and its place (x, y)."""
    model = CollisionModel(Scene((TABLE, *(block(name, half) for name, (half, _) in blocks.items()))))
    model.place({name: at(*place) for name, (_, place) in blocks.items()})
    return model


def top_grasps(height: float, width: float) -> tuple[Grasp, ...]:
    """Return grasps from above with the fingers closing along y and along x."""
    across_y = Pose((0.0, 0.0, height - 0.02), (0.0, 1.0, 0.0, 0.0))
    across_x = Pose((0.0, 0.0, height - 0.02), (0.0, 0.7071068, 0.7071068, 0.0))
    return (
        Grasp("across-y", across_y, min(0.08, width + 0.024), width, "top"),
        Grasp("across-x", across_x, min(0.08, width + 0.024), width, "top"),
    )
