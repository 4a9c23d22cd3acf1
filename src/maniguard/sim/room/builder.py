"""Collecting what a room consists of: blocks and shapes, joined to one mesh per material."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from maniguard.sim.assets.materials import Material, Texture, rgb
from maniguard.sim.assets.mesh import VisualMesh, lathe, merged, rotation_between, rotation_z, slab

Array = NDArray[np.float64]
Pixels = NDArray[np.uint8]

ROOM_GROUP = 0


@dataclass(frozen=True)
class Surface:
    """A material of the room. A texture repeats every `tile_m` (u, v) metres; zero stretches it once over each face."""

    material: Material
    tile_m: tuple[float, float] = (1.0, 1.0)


def painted(
    colour: str, *, specular: float = 0.1, shininess: float = 0.2, emission: float = 0.0, alpha: float = 1.0
) -> Surface:
    """Return a surface of one colour."""
    return Surface(Material((*rgb(colour), alpha), None, specular, shininess, emission))


def pictured(
    key: str,
    paint: Callable[[], Pixels],
    *,
    tile_m: tuple[float, float] = (0.0, 0.0),
    specular: float = 0.1,
    shininess: float = 0.2,
    emission: float = 0.0,
) -> Surface:
    """Return a surface with a picture; `key` must name the recipe and its numbers."""
    return Surface(Material((1.0, 1.0, 1.0, 1.0), Texture(key, paint), specular, shininess, emission), tile_m)


class RoomBuilder:
    """Takes the shapes of a room in world coordinates (metres); `floor_z` is the height of the floor."""

    def __init__(self, floor_z: float) -> None:
        self.floor_z = floor_z
        self._meshes: dict[Material, list[VisualMesh]] = {}

    def add(self, surface: Surface, mesh: VisualMesh) -> None:
        """Add a finished mesh."""
        self._meshes.setdefault(surface.material, []).append(mesh)

    def block(self, surface: Surface, low: Sequence[float], high: Sequence[float], *, divide: int = 1) -> None:
        """Add a sharp-edged block between two corners; z counts from the floor. `divide` splits its faces."""
        lower, upper = np.asarray(low, dtype=float), np.asarray(high, dtype=float)
        lower[2] += self.floor_z
        upper[2] += self.floor_z
        self.add(surface, _block(surface, lower, upper, divide))

    def wall(self, surface: Surface, corner: Sequence[float], along: Sequence[float], height: float) -> None:
        """Add one upright face, seen from the left of the walk from `corner` by `along` (x, y)."""
        start = np.array([corner[0], corner[1], self.floor_z])
        step, up = np.array([along[0], along[1], 0.0]), np.array([0.0, 0.0, height])
        length = float(np.linalg.norm(step))
        u, v = surface.tile_m
        right, top = (length / u if u > 0 else 1.0), (height / v if v > 0 else 1.0)
        vertices = np.stack([start, start + step, start + step + up, start + up])
        normal = np.array([-step[1], step[0], 0.0]) / length
        uv = np.array([[0.0, 0.0], [right, 0.0], [right, top], [0.0, top]])
        faces = np.array([[0, 2, 1], [0, 3, 2]], dtype=np.int32)
        self.add(surface, VisualMesh("room", vertices, np.tile(normal, (4, 1)), uv, faces))

    def soft(self, surface: Surface, low: Sequence[float], high: Sequence[float], radius_m: float) -> None:
        """Add a block with rounded edges; z counts from the floor."""
        lower, upper = np.asarray(low, dtype=float), np.asarray(high, dtype=float)
        centre = (lower + upper) / 2.0
        centre[2] += self.floor_z
        half = (upper - lower) / 2.0
        atlas = None
        if surface.tile_m[0] > 0.0:
            u, v = surface.tile_m
            x, y, z = 2.0 * half
            sizes = {"+x": (y, z), "-x": (y, z), "+y": (x, z), "-y": (x, z), "+z": (x, y), "-z": (x, y)}
            atlas = {face: (0.0, 0.0, a / u, b / v) for face, (a, b) in sizes.items()}
        self.add(surface, slab("room", half, radius_m, center_m=centre, steps=1, atlas=atlas))

    def turned(self, surface: Surface, profile: Array, at: Sequence[float], *, segments: int = 20) -> None:
        """Add a body of revolution, its profile (r, z) with z from the floor, at (x, y)."""
        mesh = lathe("room", profile, segments=segments)
        self.add(surface, mesh.moved(None, (at[0], at[1], self.floor_z)))

    def rod(self, surface: Surface, start: Sequence[float], end: Sequence[float], radius_m: float) -> None:
        """Add a round rod between two points; z counts from the floor."""
        a, b = np.asarray(start, dtype=float), np.asarray(end, dtype=float)
        length = float(np.linalg.norm(b - a))
        profile = np.array([(0.0, 0.0), (radius_m, 0.0), (radius_m, length), (0.0, length)])
        mesh = lathe("room", profile, segments=10).moved(rotation_between(b - a), start)
        self.add(surface, mesh.moved(None, (0.0, 0.0, self.floor_z)))

    def leaf(
        self, surface: Surface, root: Sequence[float], azimuth: float, length: float, lift: float, width: float
    ) -> None:
        """Add a bent leaf that starts at `root` (z from the floor)."""
        t = np.linspace(0.0, 1.0, 6)
        out = length * t * np.cos(lift)
        up = length * (t * np.sin(lift) - 0.35 * t**2)
        half = width * np.sin(np.pi * (0.08 + 0.92 * t)) ** 0.8
        spine = np.stack([out, np.zeros_like(t), up], axis=1)
        left, right = spine + half[:, None] * [0, 1, 0], spine - half[:, None] * [0, 1, 0]
        vertices = np.concatenate([right, left])
        slope = np.gradient(spine, axis=0)
        normal = np.cross(slope, [0.0, 1.0, 0.0])
        normal /= np.linalg.norm(normal, axis=1)[:, None]
        normal = -normal if normal[0, 2] < 0 else normal
        normals = np.concatenate([normal, normal])
        i = np.arange(5)
        top = np.concatenate([np.stack([i, i + 1, i + 7], axis=1), np.stack([i, i + 7, i + 6], axis=1)])
        both = np.concatenate([vertices, vertices]), np.concatenate([normals, -normals])
        faces = np.concatenate([top, top[:, ::-1] + 12]).astype(np.int32)
        mesh = VisualMesh("room", both[0], both[1], np.zeros((24, 2)), faces)
        self.add(surface, mesh.moved(rotation_z(azimuth), (root[0], root[1], root[2] + self.floor_z)))

    def joined(self) -> tuple[tuple[Material, VisualMesh], ...]:
        """Return one mesh for each material.

        What was added last comes first: it hides walls and floor, which then cost less to paint.
        """
        return tuple((material, merged("room", meshes)) for material, meshes in reversed(self._meshes.items()))


def _block(surface: Surface, low: Array, high: Array, divide: int) -> VisualMesh:
    meshes = []
    for axis in range(3):
        for sign in (-1.0, 1.0):
            other = [k for k in range(3) if k != axis]
            # Seen from outside, the first in-plane axis runs to the right and the second one up.
            right, up = (other[0], other[1]) if axis != 2 else (0, 1)
            flip = (sign > 0) == (axis == 1)
            a, b = low[right], high[right]
            if axis == 0:
                flip = sign < 0
            if axis == 2:
                flip = sign < 0
            steps = np.linspace(0.0, 1.0, divide + 1)
            s, t = (g.ravel() for g in np.meshgrid(steps, steps, indexing="ij"))
            points = np.zeros((len(s), 3))
            points[:, axis] = high[axis] if sign > 0 else low[axis]
            points[:, right] = b + (a - b) * s if flip else a + (b - a) * s
            points[:, up] = low[up] + (high[up] - low[up]) * t
            normal = np.zeros(3)
            normal[axis] = sign
            tile_u, tile_v = surface.tile_m
            width, height = high[right] - low[right], high[up] - low[up]
            uv = np.stack(
                [s * (width / tile_u if tile_u > 0 else 1.0), t * (height / tile_v if tile_v > 0 else 1.0)], axis=1
            )
            n = divide + 1
            index = np.arange(n * n).reshape(n, n)
            p, q, r, w = (x.ravel() for x in (index[:-1, :-1], index[1:, :-1], index[1:, 1:], index[:-1, 1:]))
            faces = np.concatenate([np.stack([p, q, r], axis=1), np.stack([p, r, w], axis=1)])
            first = points[faces[0]]
            if np.cross(first[1] - first[0], first[2] - first[0]) @ normal < 0:
                faces = faces[:, ::-1]
            meshes.append(VisualMesh("room", points, np.tile(normal, (len(points), 1)), uv, faces.astype(np.int32)))
    return merged("room", meshes)
