# ruff: noqa: D102 - the methods that every predicate has are described once, in Predicate.
"""The goal sphere: whether an entity's convex hull intersects it, exactly."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from maniguard.grounding.block import Block
from maniguard.grounding.errors import GroundingError
from maniguard.grounding.geometry import outline
from maniguard.grounding.moment import Moment
from maniguard.grounding.predicate import F64, Measure, Param, Predicate, Quantity, Sample, register
from maniguard.grounding.rigid import to_local
from maniguard.trace import Entity, Hull

# Vertices may stick out of the planes of their own faces by rounding, not by more.
_CONVEX_TOLERANCE_M = 1e-5


class ConvexBody:
    """A convex hull prepared for exact distances from points: face planes, face sides and edges."""

    def __init__(self, vertices: F64, faces: NDArray[np.intp], name: str) -> None:
        a, b, c = (vertices[faces[:, i]] for i in range(3))
        normal = np.cross(b - a, c - a)
        area = np.sqrt((normal * normal).sum(axis=1))
        solid = area > 1e-12
        if not solid.any():
            raise GroundingError(f"the hull of {name!r} has no face with an area")
        faces, a, b, c = faces[solid], a[solid], b[solid], c[solid]
        normal = normal[solid] / area[solid, None]
        offset = (normal * a).sum(axis=1)
        outside = ((vertices[:, None] * normal[None]).sum(axis=2) - offset).max()
        if outside > _CONVEX_TOLERANCE_M:
            raise GroundingError(
                f"the hull of {name!r} is not convex with outward faces: a vertex is {outside:.2g} m outside a face"
            )
        self.normal: F64 = normal.T.copy()
        self.offset: F64 = offset
        # A point projects into a triangle exactly if it is on the inner side of the three planes through its sides.
        corners, following = np.stack((a, b, c)), np.stack((b, c, a))
        inward = np.cross(normal[None], following - corners)
        self.side: F64 = inward.transpose(2, 0, 1).copy()
        self.side_offset: F64 = (inward * corners).sum(axis=2)
        pairs = np.sort(np.concatenate([faces[:, [0, 1]], faces[:, [1, 2]], faces[:, [2, 0]]]), axis=1)
        edges = np.unique(pairs, axis=0)
        start = vertices[edges[:, 0]]
        along = vertices[edges[:, 1]] - start
        self.edge_start: F64 = start.T.copy()
        self.edge: F64 = along.T.copy()
        self.edge_inverse: F64 = 1.0 / (along * along).sum(axis=1)

    def plane_distance(self, point: F64) -> F64:
        """Return for points (3, T) the largest signed distance from a face plane, (T,).

        Negative inside, where its size is the depth; outside, never more than the distance from the body.
        """
        return self._planes(point).max(axis=1)

    def _planes(self, point: F64) -> F64:
        (nx, ny, nz), (x, y, z) = self.normal, point[:, :, None]
        return nx * x + ny * y + nz * z - self.offset

    def distance(self, point: F64) -> F64:
        """Return for points (3, T) outside the body the exact distance from it, (T,)."""
        x, y, z = point[:, :, None]
        (sx, sy, sz), (ex, ey, ez) = self.edge_start, self.edge
        wx, wy, wz = x - sx, y - sy, z - sz
        t = np.minimum(np.maximum((wx * ex + wy * ey + wz * ez) * self.edge_inverse, 0.0), 1.0)
        rx, ry, rz = wx - t * ex, wy - t * ey, wz - t * ez
        squared = (rx * rx + ry * ry + rz * rz).min(axis=1)
        planes = self._planes(point)
        (mx, my, mz), (px, py, pz) = self.side, point[:, :, None, None]
        above = (mx * px + my * py + mz * pz - self.side_offset >= 0.0).all(axis=1) & (planes > 0.0)
        return np.minimum(np.sqrt(squared), np.where(above, planes, np.inf).min(axis=1))

    def sphere_gap(self, center: F64, radius: float) -> F64:
        """Return for sphere centres (3, T) in the body's frame the distance from the body, (T,).

        Exact wherever it is below `radius`, so that whether a sphere meets the body is always decided exactly. At
        `radius` and beyond, the largest distance from a face plane stands for it, which never exceeds it.
        """
        gap = self.plane_distance(center)
        near = (gap > 0.0) & (gap < radius)
        if near.any():
            gap[near] = self.distance(center[:, near])
        return gap


def convex_body(entity: Entity) -> ConvexBody:
    """Return the convex hull of an entity's outline; GroundingError where it has no volume."""
    hull = entity.hull if entity.hull is not None else _hull_of_points(outline(entity), entity.name)
    return ConvexBody(np.array(hull.vertices_m, float), np.array(hull.faces, np.intp), entity.name)


def _hull_of_points(points: F64, name: str) -> Hull:
    # scipy is heavy to import, and only entities without a stored hull need it.
    from scipy.spatial import ConvexHull, QhullError

    try:
        found = ConvexHull(points)
    except (QhullError, ValueError) as error:
        raise GroundingError(f"{name!r} has neither a hull nor boxes with a volume") from error
    faces = found.simplices.copy()
    a, b, c = (points[faces[:, i]] for i in range(3))
    inward = (np.cross(b - a, c - a) * found.equations[:, :3]).sum(axis=1) < 0
    faces[inward] = faces[inward][:, ::-1]
    return Hull(tuple(map(tuple, points.tolist())), tuple(map(tuple, faces.tolist())))


@register
class InGoalSphere(Predicate):
    """The convex hull of the entity's body intersects the scene's goal sphere, enlarged by `grow`."""

    name = "in_goal_sphere"
    summary = "its convex hull intersects the goal sphere, enlarged by grow"
    params = (Param("grow", "m", "added to the radius of the goal sphere; 0 m takes it as it is", minimum=-np.inf),)
    channels = ("position_m", "quat_wxyz")
    unit = "m"

    def describe(self) -> tuple[Quantity, ...]:
        goal = self.geometry.scene.goal
        if goal is None or goal.shape != "sphere":
            found = "no goal region" if goal is None else f"a goal region of shape {goal.shape!r}"
            raise GroundingError(f"predicate 'in_goal_sphere' needs a scene whose goal is a sphere; it has {found}")
        self._radius = goal.size_m[0] + self.values["grow"]
        if self._radius <= 0:
            raise GroundingError(f"the goal sphere has radius {self._radius} m; it must be positive")
        self._point = goal.pose.position_m
        self._center = np.array(goal.pose.position_m)[:, None, None]
        return (Quantity("distance to goal centre", "m", self._radius, above=False),)

    @property
    def scale(self) -> float:
        return self._radius

    def prepare(self) -> None:
        self._bodies = [convex_body(self.geometry.scene.entities[int(column)]) for column in self.of]

    def measure(self, block: Block) -> Measure:
        center = to_local(block, self.of, self._center)
        gaps = [body.sphere_gap(center[:, :, i], self._radius) for i, body in enumerate(self._bodies)]
        return self.below(np.stack(gaps, axis=1))

    def step(self, moment: Moment) -> Sample:
        gaps = []
        for column, body in zip(self.columns, self._bodies, strict=True):
            center = np.array(moment.local(column, self._point)).reshape(3, 1)
            gaps.append(float(body.sphere_gap(center, self._radius)[0]))
        return self.sample(gaps)
