"""Visual meshes made from numbers: surfaces of revolution, swept handles, rounded slabs. Seen, never touched."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

SEGMENTS = 32
CREASE_COS = float(np.cos(np.radians(38.0)))


@dataclass(frozen=True, eq=False)
class VisualMesh:
    """A closed or open triangle mesh in the object's frame.

    `vertices` (V, 3) in metres, `normals` (V, 3) unit, `uv` (V, 2) in 0..1, `faces` (F, 3) counter-clockwise seen from
    outside. `slot` names the material it is painted with, `part` the part of the object that it moves with.
    """

    slot: str
    vertices: Array
    normals: Array
    uv: Array
    faces: NDArray[np.int32]
    part: str = "body"

    @property
    def volume_m3(self) -> float:
        """Volume enclosed by a closed mesh (divergence theorem)."""
        a, b, c = (self.vertices[self.faces[:, k]] for k in range(3))
        return float(np.einsum("ij,ij->i", a, np.cross(b, c)).sum() / 6.0)

    def moved(self, rotation: Array | None = None, offset_m: Sequence[float] | Array = (0.0, 0.0, 0.0)) -> VisualMesh:
        """Return the mesh rotated by `rotation` (3, 3), then shifted by `offset_m`."""
        turn = np.eye(3) if rotation is None else rotation
        return replace(self, vertices=self.vertices @ turn.T + np.asarray(offset_m), normals=self.normals @ turn.T)


def merged(slot: str, meshes: Sequence[VisualMesh]) -> VisualMesh:
    """Return one mesh out of several; they share the slot and the part."""
    offsets = np.cumsum([0, *(len(m.vertices) for m in meshes)])
    faces = [m.faces + offset for m, offset in zip(meshes, offsets, strict=False)]
    return VisualMesh(
        slot,
        np.concatenate([m.vertices for m in meshes]),
        np.concatenate([m.normals for m in meshes]),
        np.concatenate([m.uv for m in meshes]),
        np.concatenate(faces).astype(np.int32),
        meshes[0].part,
    )


def rotation_z(angle_rad: float) -> Array:
    """Return the rotation matrix about z."""
    c, s = np.cos(angle_rad), np.sin(angle_rad)
    return np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])


def rotation_between(target: Sequence[float]) -> Array:
    """Return a rotation matrix that takes z to the direction `target`."""
    z = np.asarray(target, dtype=float) / np.linalg.norm(target)
    helper = np.array([0.0, 1.0, 0.0]) if abs(z[1]) < 0.9 else np.array([1.0, 0.0, 0.0])
    x = np.cross(helper, z)
    x /= np.linalg.norm(x)
    return np.stack([x, np.cross(z, x), z], axis=1)


def lathe(
    slot: str, profile: Array, *, segments: int = SEGMENTS, turns: float = 1.0, v_range: bool = False
) -> VisualMesh:
    """Revolve `profile` (P, 2) of (r, z) about z.

    Walk the profile with matter on the left (up the outside, down the inside). Corners sharper than 38° become creases.
    u runs `turns` times around; v along the profile's length, or from 0 at its lowest to 1 at its highest with
    `v_range`.
    """
    points = _without_repeats(np.asarray(profile, dtype=float))
    steps = np.diff(points, axis=0)
    lengths = np.linalg.norm(steps, axis=1)
    edge_normals = np.stack([steps[:, 1], -steps[:, 0]], axis=1) / lengths[:, None]
    along = np.concatenate([[0.0], np.cumsum(lengths)]) / lengths.sum()
    low, high = points[:, 1].min(), points[:, 1].max()
    rows: list[tuple[Array, Array, float]] = []
    strips: list[tuple[int, int]] = []
    last, start_row = len(points) - 1, 0
    for i in range(len(points)):
        v = float((points[i, 1] - low) / max(high - low, 1e-9)) if v_range else float(along[i])
        before = edge_normals[max(i - 1, 0)]
        after = edge_normals[min(i, last - 1)]
        creased = 0 < i < last and float(before @ after) < CREASE_COS
        if creased:
            rows.append((points[i], before, v))
        else:
            blend = before + after
            if points[i, 0] < 1e-9:
                blend = np.array([0.0, np.sign(blend[1]) if abs(blend[1]) > 1e-12 else 1.0])
            rows.append((points[i], blend / np.linalg.norm(blend), v))
        if i > 0:
            strips.append((start_row, len(rows) - 1))
        if creased:
            rows.append((points[i], after, v))
        start_row = len(rows) - 1
    angles = np.linspace(0.0, 2.0 * np.pi, segments + 1)
    cos, sin = np.cos(angles), np.sin(angles)
    cos[-1], sin[-1] = cos[0], sin[0]
    vertices, normals, uv = [], [], []
    for (r, z), (nr, nz), v in rows:
        vertices.append(np.stack([r * cos, r * sin, np.full_like(cos, z)], axis=1))
        normals.append(np.stack([nr * cos, nr * sin, np.full_like(cos, nz)], axis=1))
        uv.append(np.stack([turns * angles / (2.0 * np.pi), np.full_like(cos, v)], axis=1))
    faces = []
    width = segments + 1
    column = np.arange(segments)
    for lower, upper in strips:
        a, b = lower * width + column, lower * width + column + 1
        c, d = upper * width + column, upper * width + column + 1
        if rows[lower][0][0] > 1e-9:
            faces.append(np.stack([a, b, d], axis=1))
        if rows[upper][0][0] > 1e-9:
            faces.append(np.stack([a, d, c], axis=1))
    return VisualMesh(
        slot,
        np.concatenate(vertices),
        np.concatenate(normals),
        np.concatenate(uv),
        np.concatenate(faces).astype(np.int32),
    )


def sweep(
    slot: str, path: Array, half_width_m: float | Array, half_height_m: float | Array, *, around: int = 10
) -> VisualMesh:
    """Sweep an ellipse along `path` (P, 3), which lies in a plane of constant y; ends are capped.

    `half_width_m` is along y, `half_height_m` across the path within its plane; both may be arrays of length P.
    """
    path = np.asarray(path, dtype=float)
    count = len(path)
    widths, heights = np.broadcast_to(half_width_m, count), np.broadcast_to(half_height_m, count)
    tangents = np.gradient(path, axis=0)
    tangents /= np.linalg.norm(tangents, axis=1)[:, None]
    side = np.array([0.0, 1.0, 0.0])
    across = np.cross(tangents, side)
    angles = np.linspace(0.0, 2.0 * np.pi, around + 1)
    angles[-1] = 0.0
    vertices, normals, uv = [], [], []
    for i in range(count):
        ring = widths[i] * np.cos(angles)[:, None] * side + heights[i] * np.sin(angles)[:, None] * across[i]
        normal = np.cos(angles)[:, None] * side / widths[i] + np.sin(angles)[:, None] * across[i] / heights[i]
        vertices.append(path[i] + ring)
        normals.append(normal / np.linalg.norm(normal, axis=1)[:, None])
        u = np.linspace(0.0, 1.0, around + 1)
        uv.append(np.stack([u, np.full(around + 1, i / (count - 1))], axis=1))
    width = around + 1
    column = np.arange(around)
    faces = []
    for i in range(count - 1):
        a, b = i * width + column, i * width + column + 1
        c, d = a + width, b + width
        faces += [np.stack([a, b, d], axis=1), np.stack([a, d, c], axis=1)]
    points, all_normals, all_uv = np.concatenate(vertices), np.concatenate(normals), np.concatenate(uv)
    for end, sign in ((0, -1.0), (count - 1, 1.0)):
        start = len(points)
        ring = vertices[end][:-1]
        points = np.concatenate([points, path[end][None], ring])
        all_normals = np.concatenate([all_normals, np.tile(sign * tangents[end], (around + 1, 1))])
        all_uv = np.concatenate([all_uv, np.full((around + 1, 2), 0.5)])
        first = start + 1 + np.arange(around)
        second = start + 1 + (np.arange(around) + 1) % around
        hub = np.full(around, start)
        faces.append(np.stack([hub, second, first] if sign < 0 else [hub, first, second], axis=1))
    return VisualMesh(slot, points, all_normals, all_uv, np.concatenate(faces).astype(np.int32))


def slab(
    slot: str,
    half_size_m: Sequence[float] | Array,
    radius_m: float,
    *,
    center_m: Sequence[float] | Array = (0.0, 0.0, 0.0),
    steps: int = 2,
    atlas: dict[str, tuple[float, float, float, float]] | None = None,
) -> VisualMesh:
    """Return a box with rounded edges of radius `radius_m`.

    `atlas` maps faces "+x" "-x" "+y" "-y" "+z" "-z" to (u0, v0, u1, v1) rectangles of the texture; seen from outside,
    u runs to the right and v up (for ±z: v along +y). Without it each face shows the whole texture.
    """
    half = np.asarray(half_size_m, dtype=float)
    radius = min(radius_m, float(half.min()) * 0.999)
    meshes = []
    frames = {
        "+x": ((0, 1, 0), (0, 0, 1), (1, 0, 0)),
        "-x": ((0, -1, 0), (0, 0, 1), (-1, 0, 0)),
        "+y": ((-1, 0, 0), (0, 0, 1), (0, 1, 0)),
        "-y": ((1, 0, 0), (0, 0, 1), (0, -1, 0)),
        "+z": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
        "-z": ((-1, 0, 0), (0, 1, 0), (0, 0, -1)),
    }
    bend = np.linspace(0.0, np.pi / 4, steps + 1)
    for face, axes in frames.items():
        right, up, out = (np.array(a, dtype=float) for a in axes)
        extent_r, extent_u = float(abs(right) @ half), float(abs(up) @ half)
        grid_r, grid_u = _rounded_grid(extent_r, radius, bend), _rounded_grid(extent_u, radius, bend)
        rr, uu = np.meshgrid(grid_r, grid_u, indexing="ij")
        outer = rr[..., None] * right + uu[..., None] * up + float(abs(out) @ half) * out
        core = np.clip(outer, -(half - radius), half - radius)
        normal = outer - core
        normal /= np.linalg.norm(normal, axis=-1, keepdims=True)
        points = core + radius * normal
        u0, v0, u1, v1 = (atlas or {}).get(face, (0.0, 0.0, 1.0, 1.0))
        u = u0 + (u1 - u0) * (rr / extent_r + 1.0) / 2.0
        v = v0 + (v1 - v0) * (uu / extent_u + 1.0) / 2.0
        rows, columns = rr.shape
        index = np.arange(rows * columns).reshape(rows, columns)
        a, b, c, d = (i.ravel() for i in (index[:-1, :-1], index[1:, :-1], index[1:, 1:], index[:-1, 1:]))
        faces = np.concatenate([np.stack([a, b, c], axis=1), np.stack([a, c, d], axis=1)])
        meshes.append(
            VisualMesh(
                slot,
                points.reshape(-1, 3) + np.asarray(center_m),
                normal.reshape(-1, 3),
                np.stack([u.ravel(), v.ravel()], axis=1),
                faces.astype(np.int32),
            )
        )
    return merged(slot, meshes)


def _rounded_grid(extent: float, radius: float, bend: Array) -> Array:
    inner = extent - radius
    edge = inner + radius * np.tan(bend)
    return np.unique(np.round(np.concatenate([-edge[::-1], edge]), 9))


def _without_repeats(points: Array) -> Array:
    keep = np.ones(len(points), dtype=bool)
    keep[1:] = np.linalg.norm(np.diff(points, axis=0), axis=1) > 1e-7
    return points[keep]


def prism(
    slot: str, outline: Array, low_m: float, high_m: float, *, bevel_m: float = 0.001, uv_scale_m: float = 0.0
) -> VisualMesh:
    """Raise a plan `outline` (N, 2), counter-clockwise and seen whole from the origin, between two heights.

    Upper and lower edges are bevelled. u and v are x and y over `uv_scale_m`, or over the outline's extent when it is
    zero.
    """
    count = len(outline)
    step = np.roll(outline, -1, axis=0) - np.roll(outline, 1, axis=0)
    outward = np.stack([step[:, 1], -step[:, 0]], axis=1)
    outward /= np.linalg.norm(outward, axis=1)[:, None]
    drawn_in = outline - bevel_m * outward
    low_xy, span = outline.min(axis=0), np.ptp(outline, axis=0)
    scale = np.full(2, uv_scale_m) if uv_scale_m > 0.0 else span
    slant = np.sqrt(0.5)
    rings = [
        (drawn_in, low_m, 0.0, -1.0),
        (drawn_in, low_m, slant, -slant),
        (outline, low_m + bevel_m, 1.0, 0.0),
        (outline, high_m - bevel_m, 1.0, 0.0),
        (drawn_in, high_m, slant, slant),
        (drawn_in, high_m, 0.0, 1.0),
    ]
    vertices, normals, uv = [], [], []
    for plan, z, flat, up in rings:
        vertices.append(np.c_[plan, np.full(count, z)])
        normals.append(np.c_[flat * outward, np.full(count, up)])
        uv.append((plan - low_xy) / scale + np.array([0.0, (z - low_m) / scale[1] * flat]))
    i = np.arange(count)
    j = (i + 1) % count
    faces = []
    for k in (1, 2, 3):
        low, high = k * count, (k + 1) * count
        faces += [np.stack([low + i, low + j, high + j], axis=1), np.stack([low + i, high + j, high + i], axis=1)]
    total = len(rings) * count
    for ring, sign in ((0, -1.0), (5, 1.0)):
        vertices.append(np.array([[0.0, 0.0, low_m if sign < 0 else high_m]]))
        normals.append(np.array([[0.0, 0.0, sign]]))
        uv.append(-low_xy[None] / scale)
        hub = np.full(count, total)
        total += 1
        start, end = ring * count + i, ring * count + j
        faces.append(np.stack([hub, start, end] if sign > 0 else [hub, end, start], axis=1))
    return VisualMesh(
        slot,
        np.concatenate(vertices),
        np.concatenate(normals),
        np.concatenate(uv),
        np.concatenate(faces).astype(np.int32),
    )


def rounded_rectangle(half_x_m: float, half_y_m: float, radius_m: float, *, steps: int = 5) -> Array:
    """Return the outline (N, 2) of a rectangle with rounded corners, counter-clockwise."""
    out = []
    for sx, sy, start in ((1, 1, 0.0), (-1, 1, 0.5), (-1, -1, 1.0), (1, -1, 1.5)):
        for angle in np.pi * (start + 0.5 * np.arange(steps + 1) / steps):
            out.append(
                (
                    sx * (half_x_m - radius_m) + radius_m * np.cos(angle),
                    sy * (half_y_m - radius_m) + radius_m * np.sin(angle),
                )
            )
    return np.asarray(out)
