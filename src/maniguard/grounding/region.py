# ruff: noqa: D102 - the methods that every predicate has are described once, in Predicate.
"""The goal sphere: whether an entity's convex hull intersects it, exactly."""

from __future__ import annotations

import math

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
        polygons = _polygons(faces, normal, offset)
        firsts = [triangles[0] for triangles, _ in polygons]
        self.normal: F64 = normal[firsts].T.copy()
        self.offset: F64 = offset[firsts]
        # A point projects into a face exactly if it is on the inner side of the planes through the face's sides; faces
        # with fewer sides than others get planes that any point is inside of.
        most = max(len(sides) for _, sides in polygons)
        self.side: F64 = np.zeros((3, len(polygons), most))
        self.side_offset: F64 = np.zeros((len(polygons), most))
        edges = set()
        for number, (triangles, sides) in enumerate(polygons):
            for place, (start, end) in enumerate(sides):
                inward = np.cross(normal[triangles[0]], vertices[end] - vertices[start])
                self.side[:, number, place] = inward
                self.side_offset[number, place] = (inward * vertices[start]).sum()
                edges.add((min(start, end), max(start, end)))
        ends = np.array(sorted(edges), np.intp)
        start_points = vertices[ends[:, 0]]
        along = vertices[ends[:, 1]] - start_points
        self.edge_start: F64 = start_points.T.copy()
        self.edge: F64 = along.T.copy()
        self.edge_inverse: F64 = 1.0 / (along * along).sum(axis=1)

        # A ball around the body: a sphere that misses it misses the body, and that is cheap to see.
        low, high = vertices.min(axis=0), vertices.max(axis=0)
        middle = (low + high) / 2
        self.middle: tuple[float, float, float] = tuple(middle.tolist())
        reach = vertices - middle
        self.reach = float(np.sqrt((reach * reach).sum(axis=1).max()))

    def planes(self, point: F64) -> F64:
        """Return for points (3, T) the signed distance from each face's plane, (T, F)."""
        (nx, ny, nz), (x, y, z) = self.normal, point[:, :, None]
        return nx * x + ny * y + nz * z - self.offset

    def edge_distance(self, point: F64) -> F64:
        """Return for points (3, T) the distance from the nearest edge, (T,)."""
        x, y, z = point[:, :, None]
        (sx, sy, sz), (ex, ey, ez) = self.edge_start, self.edge
        wx, wy, wz = x - sx, y - sy, z - sz
        t = np.minimum(np.maximum((wx * ex + wy * ey + wz * ez) * self.edge_inverse, 0.0), 1.0)
        rx, ry, rz = wx - t * ex, wy - t * ey, wz - t * ez
        return np.sqrt((rx * rx + ry * ry + rz * rz).min(axis=1))

    def sphere_gap(self, center: F64, radius: float) -> F64:
        """Return for sphere centres (3, T) in the body's frame the distance from the body, (T,).

        Exact wherever it is below `radius`, so that whether a sphere meets the body is always decided exactly. At
        `radius` and beyond, something that never exceeds it stands for it: the distance from a ball around the body,
        or the largest distance from a face plane. Inside it is that distance too, negative: the depth.
        """
        x, y, z = center
        mx, my, mz = self.middle
        x, y, z = x - mx, y - my, z - mz
        gap = np.sqrt(x * x + y * y + z * z) - self.reach
        close = np.flatnonzero(gap < radius)
        if not len(close):
            return gap
        planes = self.planes(center[:, close])
        gap[close] = planes.max(axis=1)
        is_near = (gap[close] > 0.0) & (gap[close] < radius)
        near, planes = close[is_near], planes[is_near]
        if len(near):
            # If the nearest point is inside a face, then that face has the largest plane distance of all.
            face = planes.argmax(axis=1)
            px, py, pz = center[:, near, None]
            sx, sy, sz = self.side[:, face]
            above = (sx * px + sy * py + sz * pz - self.side_offset[face] >= 0.0).all(axis=1)
            beside = near[~above]
            if len(beside):
                gap[beside] = self.edge_distance(center[:, beside])
        return gap

    def sphere_gap_now(self, x: float, y: float, z: float, radius: float) -> float:
        """Do as `sphere_gap` does, for one centre."""
        mx, my, mz = self.middle
        dx, dy, dz = x - mx, y - my, z - mz
        outer = math.sqrt(dx * dx + dy * dy + dz * dz) - self.reach
        if outer >= radius:
            return outer
        nx, ny, nz = self.normal
        planes = nx * x + ny * y + nz * z - self.offset
        face = int(planes.argmax())
        gap = float(planes[face])
        if 0.0 < gap < radius:
            sx, sy, sz = self.side[:, face]
            if not (sx * x + sy * y + sz * z - self.side_offset[face] >= 0.0).all():
                return float(self.edge_distance(np.array([[x], [y], [z]]))[0])
        return gap


def _polygons(faces: NDArray[np.intp], normal: F64, offset: F64) -> list[tuple[list[int], list[tuple[int, int]]]]:
    """Join triangles in one plane: for each face its triangles, and its sides in the triangles' sense."""
    (ax, ay, az), (bx, by, bz) = normal.T[:, :, None], normal.T[:, None, :]
    same = (ax * bx + ay * by + az * bz > 1.0 - 1e-12) & (np.abs(offset[:, None] - offset[None]) < 1e-9)
    groups: dict[int, list[int]] = {}
    for triangle, first in enumerate(same.argmax(axis=1).tolist()):
        groups.setdefault(first, []).append(triangle)
    joined = []
    for group in groups.values():
        directed = [(int(faces[t][i]), int(faces[t][(i + 1) % 3])) for t in group for i in range(3)]
        inner = set(directed)
        joined.append((group, [side for side in directed if side[::-1] not in inner]))
    return joined


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
        return self.sample(
            [
                body.sphere_gap_now(*moment.local(column, self._point), self._radius)
                for column, body in zip(self.columns, self._bodies, strict=True)
            ]
        )
