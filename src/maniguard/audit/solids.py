"""The shapes of a model's geoms as points, boxes and convex hulls."""

from __future__ import annotations

from collections.abc import Sequence

import mujoco
import numpy as np
from numpy.typing import NDArray
from scipy.spatial import ConvexHull, QhullError

from maniguard.trace import Box, Hull

F64 = NDArray[np.float64]

# A hull keeps at most this many corners: those farthest out in as many directions. On 10 cm that moves the surface by
# well under a millimetre.
MAXCORNERS = 160
_RING = 24


def geom_points(model: mujoco.MjModel, geom: int) -> F64:
    """Return points (V, 3), in the geom's own frame, whose convex hull is the geom (round ones to 1 %); planes none."""
    kind, size = int(model.geom_type[geom]), model.geom_size[geom]
    types = mujoco.mjtGeom
    if kind == int(types.mjGEOM_BOX):
        return CORNERS * size
    if kind == int(types.mjGEOM_MESH):
        mesh = int(model.geom_dataid[geom])
        first, count = int(model.mesh_vertadr[mesh]), int(model.mesh_vertnum[mesh])
        return np.asarray(model.mesh_vert[first : first + count], np.float64)
    if kind == int(types.mjGEOM_SPHERE):
        return SPHERE * size[0]
    if kind == int(types.mjGEOM_ELLIPSOID):
        return SPHERE * size
    if kind == int(types.mjGEOM_CYLINDER):
        return ring(size[0], size[1])
    if kind == int(types.mjGEOM_CAPSULE):
        ends = np.array([[0.0, 0.0, size[1]], [0.0, 0.0, -size[1]]])
        return np.concatenate([SPHERE * size[0] + end for end in ends])
    return np.zeros((0, 3))


def geom_box(model: mujoco.MjModel, geom: int, position: F64, rotation: F64) -> Box:
    """Return the bounding box of a geom whose frame is at `position` with `rotation` (3, 3) in its owner's frame."""
    center = position + rotation @ model.geom_aabb[geom, :3]
    quat = np.empty(4)
    mujoco.mju_mat2Quat(quat, rotation.ravel())
    half = np.maximum(model.geom_aabb[geom, 3:], 1e-4)
    return Box(_triple(center), _triple(half), _quad(quat))


def hull_of(points: F64) -> Hull | None:
    """Return the convex hull of points (V, 3) with few corners; None where they span no volume."""
    try:
        corners = points[ConvexHull(points).vertices]
        if len(corners) > MAXCORNERS:
            corners = corners[np.unique((corners @ _DIRECTIONS.T).argmax(axis=0))]
        corners = np.round(corners, 6)
        hull = ConvexHull(corners)
    except (QhullError, ValueError):
        return None
    order = {int(old): new for new, old in enumerate(hull.vertices)}
    faces = []
    center = corners[hull.vertices].mean(axis=0)
    for face in hull.simplices:
        a, b, c = corners[face]
        outwards = np.cross(b - a, c - a) @ (a - center) > 0
        i, j, k = (order[int(v)] for v in (face if outwards else face[::-1]))
        faces.append((i, j, k))
    return Hull(tuple(_triple(corner) for corner in corners[hull.vertices]), tuple(faces))


def joined(pieces: Sequence[F64]) -> F64:
    """Return the points of all pieces."""
    return np.concatenate([np.zeros((0, 3)), *pieces])


def _triple(values: F64) -> tuple[float, float, float]:
    x, y, z = (round(float(v), 6) for v in values)
    return x, y, z


def _quad(values: F64) -> tuple[float, float, float, float]:
    w, x, y, z = (round(float(v), 9) for v in values)
    return w, x, y, z


def ring(radius: float, half_height: float) -> F64:
    """Return the two rims of an upright cylinder about the origin, as points."""
    turns = np.arange(_RING) * (2 * np.pi / _RING)
    circle = np.column_stack([np.cos(turns), np.sin(turns)]) * radius
    return np.concatenate([np.column_stack([circle, np.full(_RING, z)]) for z in (-half_height, half_height)])


def _directions(count: int) -> F64:
    """Return unit vectors (count, 3) spread evenly: a Fibonacci spiral."""
    index = np.arange(count) + 0.5
    z = 1 - 2 * index / count
    turn = np.pi * (1 + 5**0.5) * index
    around = np.sqrt(1 - z * z)
    return np.column_stack([around * np.cos(turn), around * np.sin(turn), z])


CORNERS = np.array([[i, j, k] for i in (-1, 1) for j in (-1, 1) for k in (-1, 1)], np.float64)
_DIRECTIONS = _directions(MAXCORNERS)
SPHERE = np.concatenate([_directions(90), np.eye(3), -np.eye(3)])
