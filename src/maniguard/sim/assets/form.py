"""Building an object out of simple shapes, each of which is seen, touched and weighed at once."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maniguard.sim.assets import pieces as solid
from maniguard.sim.assets.asset import Blueprint
from maniguard.sim.assets.mesh import VisualMesh, lathe, merged, prism, rotation_between, rotation_z, slab, sweep
from maniguard.sim.assets.profile import filleted, revolved_volume, simplified

Array = NDArray[np.float64]
Points = Sequence[tuple[float, float]]
# Edges rounder than this are touched as rounded, others as sharp.
SHARPEST_M = 0.0065
UP = (0.0, 0.0, 1.0)


class Form:
    """Collects the shapes of one object in its frame (metres).

    Every method takes the `slot` that paints the shape, its `substance` (None: it adds no weight), the `part` that it
    belongs to, and whether it is touched.
    """

    def __init__(self) -> None:
        self._visuals: dict[tuple[str, str], list[VisualMesh]] = {}
        self._pieces: list[solid.Piece] = []
        self._matter: list[tuple[float, str]] = []
        self._part_matter: dict[str, list[tuple[float, str]]] = {}

    def see(self, mesh: VisualMesh, part: str = "body") -> None:
        """Add a mesh that is only seen."""
        moved = VisualMesh(mesh.slot, mesh.vertices, mesh.normals, mesh.uv, mesh.faces, part)
        self._visuals.setdefault((mesh.slot, part), []).append(moved)

    def touch(self, *pieces: solid.Piece) -> None:
        """Add pieces that are only touched."""
        self._pieces += pieces

    def weigh(self, volume_m3: float, substance: str | None, part: str = "body") -> None:
        """Add matter that is neither seen nor touched."""
        if substance is not None and volume_m3 > 0.0:
            self._matter.append((volume_m3, substance))
            if part != "body":
                self._part_matter.setdefault(part, []).append((volume_m3, substance))

    def block(
        self,
        slot: str,
        center: Sequence[float] | Array,
        half: Sequence[float] | Array,
        radius: float,
        substance: str | None = None,
        *,
        part: str = "body",
        yaw: float = 0.0,
        touch: bool = True,
        steps: int = 1,
        atlas: dict[str, tuple[float, float, float, float]] | None = None,
    ) -> None:
        """Add a box with rounded edges, turned about z by `yaw`."""
        mesh = slab(slot, half, radius, steps=steps, atlas=atlas).moved(rotation_z(yaw), center)
        self.see(mesh, part)
        if touch and radius > SHARPEST_M:
            coarse = slab(slot, half, radius, steps=1).moved(rotation_z(yaw), center)
            self.touch(solid.hull_piece(coarse.vertices, part=part, azimuth_rad=yaw))
        elif touch:
            self.touch(solid.box([float(v) for v in center], [float(v) for v in half], yaw_rad=yaw, part=part))
        self.weigh(8.0 * float(np.prod(np.asarray(half))), substance, part)

    def turned(
        self,
        slot: str,
        profile: Points | Array,
        substance: str | None = None,
        *,
        at: Sequence[float] = (0.0, 0.0, 0.0),
        axis: Sequence[float] = UP,
        part: str = "body",
        seen: bool = True,
        touch: bool = True,
        segments: int = 24,
        sides: int = 14,
        limit: int = 5,
        exact: bool = False,
    ) -> None:
        """Add a closed body of revolution from its silhouette (r, z), walked along `axis` from `at`.

        It is touched as frusta, or as a cylinder where it is straight and upright on the object's own axis: `limit`
        points of the silhouette are kept, or all of them when it is `exact`.
        """
        outer = np.asarray(profile, dtype=float)
        shut = outer
        if outer[0, 0] > 0.0:
            shut = np.concatenate([[(0.0, outer[0, 1])], shut])
        if outer[-1, 0] > 0.0:
            shut = np.concatenate([shut, [(0.0, outer[-1, 1])]])
        turn = rotation_between(axis)
        if seen:
            self.see(lathe(slot, shut, segments=segments).moved(turn, at), part)
        if touch:
            self.touch(*_turned_pieces(outer, turn, at, part, sides, 0 if exact else limit))
        self.weigh(revolved_volume(shut), substance, part)

    def rod(
        self,
        slot: str,
        start: Sequence[float] | Array,
        end: Sequence[float] | Array,
        radius: float,
        substance: str | None = None,
        *,
        part: str = "body",
        touch: bool = True,
        edge: float = 0.001,
        end_radius: float | None = None,
        segments: int = 16,
    ) -> None:
        """Add a round rod between two points, tapering to `end_radius`."""
        a, b = np.asarray(start, dtype=float), np.asarray(end, dtype=float)
        length, last = float(np.linalg.norm(b - a)), radius if end_radius is None else end_radius
        profile = filleted([(0.0, 0.0), (radius, 0.0), (last, length), (0.0, length)], edge, steps=2)
        turn = rotation_between(b - a)
        self.see(lathe(slot, profile, segments=segments).moved(turn, a), part)
        if touch:
            self.touch(*_turned_pieces(np.array([(radius, 0.0), (last, length)]), turn, a, part, 12, 2))
        self.weigh(revolved_volume(profile), substance, part)

    def bent(
        self,
        slot: str,
        path: Array,
        half_width: float,
        half_height: float,
        substance: str | None = None,
        *,
        part: str = "body",
        touch: bool = True,
        around: int = 9,
        pieces: int = 4,
        round_ends: bool = True,
        turn: Array | None = None,
        at: Sequence[float] = (0.0, 0.0, 0.0),
    ) -> None:
        """Add a bent bar: an ellipse swept along `path` (P, 3) in a plane of constant y, then turned and shifted."""
        mesh = sweep(slot, path, half_width, half_height, around=around).moved(turn, at)
        self.see(mesh, part)
        rotation = np.eye(3) if turn is None else turn
        moved = path @ rotation.T + np.asarray(at)
        if touch:
            radius = (half_width + half_height) / 2.0
            stops = np.unique(np.linspace(0, len(moved) - 1, pieces + 1).round().astype(int))
            for i, j in itertools.pairwise(stops):
                if round_ends:
                    self.touch(solid.capsule(moved[i], moved[j], radius, part=part))
                    continue
                step = moved[j] - moved[i]
                ends = np.array([(radius, 0.0), (radius, float(np.linalg.norm(step)))])
                self.touch(*_turned_pieces(ends, rotation_between(step), moved[i], part, 10, 0))
        self.weigh(abs(mesh.volume_m3), substance, part)

    def plate(
        self,
        slot: str,
        outline: Array,
        low: float,
        high: float,
        substance: str | None = None,
        *,
        bevel: float = 0.001,
        uv_scale: float = 0.0,
        part: str = "body",
        touch: bool = True,
        turn: Array | None = None,
        at: Sequence[float] = (0.0, 0.0, 0.0),
    ) -> None:
        """Add a convex plan (N, 2), counter-clockwise around the origin, raised between two heights."""
        mesh = prism(slot, outline, low, high, bevel_m=bevel, uv_scale_m=uv_scale).moved(turn, at)
        self.see(mesh, part)
        if touch:
            points = np.concatenate([np.c_[outline, np.full(len(outline), z)] for z in (low, high)])
            points = points if turn is None else points @ turn.T
            self.touch(solid.hull_piece(points + np.asarray(at), part=part))
        x, y = outline[:, 0], outline[:, 1]
        area = 0.5 * abs(float(np.sum(x * np.roll(y, -1) - np.roll(x, -1) * y)))
        self.weigh(area * (high - low), substance, part)

    def touch_plan(
        self, outline: Array, low: float, high: float, *, at: Sequence[float] = (0.0, 0.0), part: str = "body"
    ) -> None:
        """Add a convex plan (N, 2) between two heights that is touched only."""
        moved = outline + np.asarray(at)
        points = np.concatenate([np.c_[moved, np.full(len(moved), z)] for z in (low, high)])
        self.touch(solid.hull_piece(points, part=part))

    def center_x(self) -> float:
        """Return where along x the middle of all touched matter lies, at even density."""
        return solid.mass_properties(self._pieces).center_m[0]

    def blueprint(self, **rest: Any) -> Blueprint:
        """Return all that was added, one mesh for each slot and part; `rest` goes to the blueprint as it is."""
        return Blueprint(
            tuple(merged(slot, meshes) for (slot, _), meshes in self._visuals.items()),
            tuple(self._pieces),
            tuple(self._matter),
            part_matter={part: tuple(found) for part, found in self._part_matter.items()},
            **rest,
        )


def _turned_pieces(
    outer: Array, turn: Array, at: Sequence[float] | Array, part: str, sides: int, limit: int
) -> tuple[solid.Piece, ...]:
    walked = outer[outer[:, 0] > 1e-6]
    low, high = walked[0, 1], walked[-1, 1]
    first = int(np.flatnonzero(walked[:, 1] <= low + 1e-6)[-1])
    last = int(np.flatnonzero(walked[:, 1] >= high - 1e-6)[0])
    coarse = walked[first : last + 1]
    if limit:
        coarse = simplified(coarse, 0.0012, limit=limit)
    upright = np.allclose(turn, np.eye(3)) and abs(at[0]) + abs(at[1]) < 1e-9 and part == "body"
    out = []
    r0, z0 = coarse[0]
    for r1, z1 in coarse[1:]:
        if z1 - z0 < 0.0012 and z1 < high - 1e-6:
            continue
        if upright and abs(r1 - r0) < 0.0008:
            out.append(solid.cylinder(max(r0, r1), z0 + at[2], z1 + at[2]))
        else:
            points = solid.frustum(r0, r1, z0, z1, sides=sides).points()
            out.append(solid.hull_piece(points @ turn.T + np.asarray(at), part=part))
        r0, z0 = r1, z1
    return tuple(out)
