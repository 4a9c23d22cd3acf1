"""Collision pieces, each convex by construction, and the mass properties of their union."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import ConvexHull

from maniguard.sim.assets.profile import simplified
from maniguard.trace.scene import Box, Hull, Vector3

Array = NDArray[np.float64]
Shape = Literal["box", "cylinder", "capsule", "mesh"]


@dataclass(frozen=True)
class Piece:
    """One convex collision body in the object's frame; numbers are rounded to 1e-6.

    box: half sizes. cylinder: radius, half height. capsule: radius, half length of its axis. mesh: the hull of
    `vertices_m`. The axis of cylinder and capsule is z of (`center_m`, `quat_wxyz`). A mesh has no pose of its own.
    """

    shape: Shape
    size_m: tuple[float, ...] = ()
    center_m: Vector3 = (0.0, 0.0, 0.0)
    quat_wxyz: tuple[float, float, float, float] = (1.0, 0.0, 0.0, 0.0)
    vertices_m: tuple[Vector3, ...] = ()
    part: str = "body"
    azimuth_rad: float = 0.0

    def points(self) -> Array:
        """Return vertices (V, 3) whose hull is the piece (a close one for round shapes)."""
        if self.shape == "mesh":
            return np.asarray(self.vertices_m)
        rotation = rotation_of(self.quat_wxyz)
        if self.shape == "box":
            local = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]) * np.asarray(self.size_m)
        else:
            radius, half = self.size_m
            ring = _circle(24)
            if self.shape == "cylinder":
                local = np.concatenate([np.c_[radius * ring, np.full(24, z)] for z in (-half, half)])
            else:
                layers = [
                    np.c_[radius * np.cos(a) * ring, np.full(24, sign * (half + radius * np.sin(a)))]
                    for sign in (-1.0, 1.0)
                    for a in (0.0, 0.5, 1.0)
                ]
                poles = np.array([[0.0, 0.0, -half - radius], [0.0, 0.0, half + radius]])
                local = np.concatenate([*layers, poles])
        return local @ rotation.T + np.asarray(self.center_m)

    def covering_box(self) -> Box:
        """Return an oriented box that covers the piece."""
        if self.shape == "box":
            return Box(self.center_m, _vector(self.size_m), self.quat_wxyz)
        if self.shape == "mesh":
            half_angle = self.azimuth_rad / 2.0
            quat = (float(np.cos(half_angle)), 0.0, 0.0, float(np.sin(half_angle)))
        else:
            quat = self.quat_wxyz
        rotation = rotation_of(quat)
        local = self.points() @ rotation
        low, high = local.min(axis=0), local.max(axis=0)
        return Box(_vector(rotation @ ((low + high) / 2.0)), _vector((high - low) / 2.0), _quaternion(quat))


def box(center_m: Sequence[float], half_size_m: Sequence[float], *, yaw_rad: float = 0.0, part: str = "body") -> Piece:
    """Return a box, turned about z by `yaw_rad`."""
    quat = (float(np.cos(yaw_rad / 2.0)), 0.0, 0.0, float(np.sin(yaw_rad / 2.0)))
    return Piece("box", _numbers(half_size_m), _vector(center_m), _quaternion(quat), part=part)


def cylinder(radius_m: float, low_m: float, high_m: float) -> Piece:
    """Return an upright cylinder on the z axis between two heights."""
    return Piece("cylinder", _numbers((radius_m, (high_m - low_m) / 2.0)), _vector((0.0, 0.0, (low_m + high_m) / 2.0)))


def capsule(
    start_m: Sequence[float] | Array, end_m: Sequence[float] | Array, radius_m: float, *, part: str = "body"
) -> Piece:
    """Return a capsule whose axis runs between two points."""
    start, end = np.asarray(start_m, dtype=float), np.asarray(end_m, dtype=float)
    axis = end - start
    length = float(np.linalg.norm(axis))
    axis /= length
    # Half-angle form of the rotation that takes z to the axis.
    quat = np.array([1.0 + axis[2], -axis[1], axis[0], 0.0])
    if quat[0] < 1e-9:
        quat = np.array([0.0, 1.0, 0.0, 0.0])
    quat /= np.linalg.norm(quat)
    return Piece(
        "capsule", _numbers((radius_m, length / 2.0)), _vector((start + end) / 2.0), _quaternion(quat), part=part
    )


def hull_piece(points: Array, *, part: str = "body", azimuth_rad: float = 0.0) -> Piece:
    """Return the convex hull of `points` (V, 3) as a piece; inner points are dropped."""
    rounded = np.unique(np.round(points, 6) + 0.0, axis=0)
    corners = rounded[ConvexHull(rounded).vertices]
    order = np.lexsort(corners.T[::-1])
    return Piece("mesh", vertices_m=tuple(_vector(p) for p in corners[order]), part=part, azimuth_rad=azimuth_rad)


def frustum(radius_low_m: float, radius_high_m: float, low_m: float, high_m: float, *, sides: int = 16) -> Piece:
    """Return an upright prism or frustum with `sides` sides between two heights."""
    ring = _circle(sides)
    grow = 2.0 / (1.0 + np.cos(np.pi / sides))
    return hull_piece(
        np.concatenate(
            [
                np.c_[grow * radius_low_m * ring, np.full(sides, low_m)],
                np.c_[grow * radius_high_m * ring, np.full(sides, high_m)],
            ]
        )
    )


def stacked(outer: Array, *, tolerance_m: float = 0.0012, limit: int = 7) -> tuple[Piece, ...]:
    """Fill a silhouette (P, 2), walked upwards, with cylinders where it is straight and frusta where it is not."""
    low, high = outer[0, 1], outer[-1, 1]
    first = int(np.flatnonzero(outer[:, 1] <= low + 1e-6)[-1])
    last = int(np.flatnonzero(outer[:, 1] >= high - 1e-6)[0])
    coarse = simplified(outer[first : last + 1], tolerance_m, limit=limit)
    out = []
    r0, z0 = coarse[0]
    for r1, z1 in coarse[1:]:
        if z1 - z0 < 0.0012 and z1 < high - 1e-6:
            continue
        straight = abs(r1 - r0) < 0.0008
        out.append(cylinder(max(r0, r1), z0, z1) if straight else frustum(r0, r1, z0, z1))
        r0, z0 = r1, z1
    return tuple(out)


def ring(outer: Array, inner: Array, *, sectors: int = 12) -> tuple[Piece, ...]:
    """Return the wall between two silhouettes (P, 2) of equal length as convex sectors, `sectors` for each band.

    The outside is a polygon of 2 × `sectors` sides with its facets across 0°, the inside one of `sectors` sides; radii
    are scaled so that the polygon's mean radius is the silhouette's.
    """
    pieces = []
    width = 2.0 * np.pi / sectors
    outer_grow = 2.0 / (1.0 + np.cos(width / 4.0))
    inner_grow = 2.0 / (1.0 + np.cos(width / 2.0))
    for k in range(len(outer) - 1):
        for i in range(sectors):
            middle = (i + 0.5) * width - width / 4.0
            angles_out = (middle - width / 2.0, middle, middle + width / 2.0)
            angles_in = (angles_out[0], angles_out[2])
            points = [
                (grow * r * np.cos(a), grow * r * np.sin(a), z)
                for curve, angles, grow in ((outer, angles_out, outer_grow), (inner, angles_in, inner_grow))
                for r, z in curve[k : k + 2]
                for a in angles
            ]
            pieces.append(hull_piece(np.asarray(points), azimuth_rad=middle))
    return tuple(pieces)


@dataclass(frozen=True)
class MassProperties:
    """Volume, centre of mass and inertia (3, 3) about that centre for unit density, of pieces taken as disjoint."""

    volume_m3: float
    center_m: Vector3
    inertia: Array


def mass_properties(pieces: Sequence[Piece]) -> MassProperties:
    """Integrate over the pieces exactly (polyhedra); where pieces overlap, matter counts twice."""
    volume, first, second = 0.0, np.zeros(3), np.zeros((3, 3))
    canonical = (np.ones((3, 3)) + np.eye(3)) / 120.0
    for piece in pieces:
        points, triangles = triangulated(piece.points())
        origin = points.mean(axis=0)
        # One tetrahedron for each face, from the piece's middle; its edges are the rows.
        edges = points[triangles] - origin
        det = np.einsum("ij,ij->i", edges[:, 0], np.cross(edges[:, 1], edges[:, 2]))
        local = np.einsum("t,tai,ab,tbj->ij", det, edges, canonical, edges)
        shift = np.einsum("t,tai->i", det, edges) / 24.0
        part = float(det.sum()) / 6.0
        volume += part
        first += shift + part * origin
        second += local + np.outer(shift, origin) + np.outer(origin, shift) + part * np.outer(origin, origin)
    center = first / volume
    second -= volume * np.outer(center, center)
    return MassProperties(volume, _vector(center), np.trace(second) * np.eye(3) - second)


def triangulated(points: Array) -> tuple[Array, NDArray[np.int32]]:
    """Return the hull of `points`: its vertices (V, 3) and faces (F, 3), counter-clockwise seen from outside."""
    hull = ConvexHull(points)
    index = np.full(len(points), -1)
    index[hull.vertices] = np.arange(len(hull.vertices))
    corners = points[hull.vertices]
    faces = index[hull.simplices]
    a, b, c = (corners[faces[:, k]] for k in range(3))
    inward = np.einsum("ij,ij->i", np.cross(b - a, c - a), hull.equations[:, :3]) < 0.0
    faces[inward] = faces[inward][:, ::-1]
    return corners, faces.astype(np.int32)


def enclosing_hull(pieces: Sequence[Piece], *, limit: int = 64) -> Hull:
    """Return the hull of all pieces with at most `limit` vertices.

    When there are too many, the extreme points in evenly spread directions are kept, then those that stick out farthest
    until the limit is reached: the hull shrinks by a fraction of a millimetre.
    """
    points = np.round(np.concatenate([piece.points() for piece in pieces]), 6)
    corners, faces = triangulated(np.unique(points, axis=0))
    if len(corners) > limit:
        corners, faces = triangulated(_fewer(corners, limit))
    return Hull(tuple(_vector(p) for p in corners), tuple((int(a), int(b), int(c)) for a, b, c in faces))


def _fewer(corners: Array, limit: int) -> Array:
    count = limit // 2
    k = np.arange(count) + 0.5
    polar, turn = np.arccos(1.0 - 2.0 * k / count), np.pi * (1.0 + 5.0**0.5) * k
    directions = np.stack([np.cos(turn) * np.sin(polar), np.sin(turn) * np.sin(polar), np.cos(polar)], axis=1)
    scaled = corners / np.ptp(corners, axis=0)
    chosen = list(np.unique(np.argmax(scaled @ directions.T, axis=0)))
    while len(chosen) < limit:
        planes = ConvexHull(corners[chosen]).equations
        sticking_out = (corners @ planes[:, :3].T + planes[:, 3]).max(axis=1)
        worst = int(np.argmax(sticking_out))
        if sticking_out[worst] < 1e-6:
            break
        chosen.append(worst)
    return corners[chosen]


def rotation_of(quat_wxyz: Sequence[float]) -> Array:
    """Return the rotation matrix of a unit quaternion."""
    w, x, y, z = quat_wxyz
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


def _circle(count: int) -> Array:
    angles = 2.0 * np.pi * (np.arange(count) + 0.5) / count
    return np.stack([np.cos(angles), np.sin(angles)], axis=1)


def _numbers(values: Sequence[float]) -> tuple[float, ...]:
    return tuple(round(float(v), 6) + 0.0 for v in values)


def _vector(values: Sequence[float] | Array) -> Vector3:
    x, y, z = (round(float(v), 6) + 0.0 for v in values)
    return x, y, z


def _quaternion(values: Sequence[float] | Array) -> tuple[float, float, float, float]:
    w, x, y, z = (round(float(v), 6) + 0.0 for v in values)
    return w, x, y, z
