"""Objects seen from above: convex footprints, the gaps between them, and where they may stand."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import ConvexHull

from maniguard.trace.scene import Hull, Pose

F64 = NDArray[np.float64]

REACH_M = (0.30, 0.70)
"""Horizontal distance from the robot's base within which a hand that points down can work."""

# Space that the base of the arm takes on the table, as a radius about its axis.
BASE_RADIUS_M = 0.16


def footprint(hull: Hull, pose: Pose) -> F64:
    """Return the outline of a hull from above as a convex polygon (K, 2) in the world, counter-clockwise."""
    w, x, y, z = pose.quat_wxyz
    rotation = np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        ]
    )
    points = np.asarray(hull.vertices_m) @ rotation.T + np.asarray(pose.position_m[:2])
    return points[ConvexHull(points).vertices]


def gap(first: F64, second: F64) -> float:
    """Return the distance between two convex polygons in m; negative where they overlap, by how deep."""
    apart = max(_separation(first, second), _separation(second, first))
    if apart <= 0:
        return apart
    return min(_nearest(first, second), _nearest(second, first))


def smallest_gap(polygon: F64, others: Sequence[F64]) -> float:
    """Return the smallest gap between a polygon and any of the others; infinity when there are none."""
    return min((gap(polygon, other) for other in others), default=float("inf"))


def is_clear(polygon: F64, others: Sequence[F64], gap_m: float) -> bool:
    """Return whether the gap to each of the others is at least `gap_m`; circles around them come first."""
    center, radius = _circle(polygon)
    for other in others:
        other_center, other_radius = _circle(other)
        if np.linalg.norm(center - other_center) - radius - other_radius >= gap_m:
            continue
        if gap(polygon, other) < gap_m:
            return False
    return True


def inside(polygon: F64, center_m: Sequence[float], size_m: Sequence[float], margin_m: float) -> bool:
    """Return whether a polygon lies on a table top, `margin_m` from its edges."""
    half = np.asarray(size_m) / 2 - margin_m
    return bool(np.all(np.abs(polygon - np.asarray(center_m)) <= half))


def reach(pose: Pose) -> float:
    """Return the horizontal distance of an origin from the robot's base."""
    return float(np.hypot(pose.position_m[0], pose.position_m[1]))


def _circle(polygon: F64) -> tuple[F64, float]:
    center = polygon.mean(axis=0)
    return center, float(np.sqrt(((polygon - center) ** 2).sum(axis=1).max()))


def _separation(first: F64, second: F64) -> float:
    edges = np.roll(first, -1, axis=0) - first
    normals = np.stack([edges[:, 1], -edges[:, 0]], axis=1)
    normals /= np.linalg.norm(normals, axis=1)[:, None]
    beyond = np.einsum("ek,vk->ev", normals, second) - np.einsum("ek,ek->e", normals, first)[:, None]
    return float(beyond.min(axis=1).max())


def _nearest(points: F64, polygon: F64) -> float:
    start = polygon
    edge = np.roll(polygon, -1, axis=0) - start
    offset = points[:, None] - start[None]
    share = np.clip(np.einsum("pek,ek->pe", offset, edge) / np.einsum("ek,ek->e", edge, edge), 0.0, 1.0)
    return float(np.linalg.norm(offset - share[..., None] * edge, axis=2).min())
