"""Liquid in the model: grains that slide past each other, and where they are.

A grain is a sphere that moves but does not turn, for nothing in a liquid without friction would turn it: three degrees
of freedom instead of six, which halves the cost. What has been spilled sticks where it lands, on table or floor.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import mujoco
import numpy as np
from numpy.typing import NDArray

from maniguard.errors import alternatives
from maniguard.sim.assets.asset import Asset
from maniguard.sim.assets.elements import COLLISION_GROUP, CONDIM, SOLREF, VISUAL_GROUP
from maniguard.sim.bodies import BuildError
from maniguard.sim.particles import LiquidSpec
from maniguard.sim.scene import ObjectSpec
from maniguard.trace.scene import Region

Array = NDArray[np.float64]

# A liquid wets what it lands on; on a wet table a drop comes to rest within a few centimetres.
WETTING_FRICTION = 0.6
DEFAULT_COLOUR = (0.32, 0.55, 0.82, 0.9)
# A grain this close to the table lies on it; one that is this slow, outside, lies on something else.
_LYING_M = 0.003
_LYING_M_S = 0.005
# The body of the liquid below the grains is drawn this much narrower than the room inside.
_FILM_M = 0.0006


class Basin(NamedTuple):
    """Where grains count as inside, in the container's frame: a round or rectangular room between two heights.

    `half_m` (2,): radius twice, or half sizes; `center_m` (2,) of the room in the xy plane. A grain counts by its
    centre, and up to its own radius above the rim.
    """

    round: bool
    half_m: tuple[float, float]
    center_m: tuple[float, float]
    low_m: float
    high_m: float


def basin(name: str, asset: Asset, floor_m: float) -> Basin:
    """Return where a container holds liquid; BuildError where it has no inside or the liquid's floor is out of it."""
    room = asset.interior
    if room is None or room.shape not in ("cylinder", "box"):
        raise BuildError(f"object {name!r} cannot hold liquid: its asset {asset.kind!r} has no round or square inside")
    x, y, z = room.pose.position_m
    low, high = (z, z + room.size_m[2]) if room.shape == "cylinder" else (z - room.size_m[2], z + room.size_m[2])
    half = (room.size_m[0], room.size_m[0] if room.shape == "cylinder" else room.size_m[1])
    if asset.rim is not None:
        high = asset.rim.pose.position_m[2]
        half = _wider(half, asset.rim)
    if not low - 1e-6 <= floor_m < high:
        raise BuildError(f"liquid in {name!r}: floor_m {floor_m} is not between its bottom {low} and its rim {high}")
    return Basin(room.shape == "cylinder", half, (x, y), floor_m, high)


def _wider(half: tuple[float, float], rim: Region) -> tuple[float, float]:
    """Most containers widen towards the rim, near which the grains are."""
    second = rim.size_m[0] if rim.shape == "disc" else rim.size_m[1]
    return max(half[0], rim.size_m[0]), max(half[1], second)


def add_grains(
    description: mujoco.MjSpec,
    liquids: Sequence[LiquidSpec],
    objects: Sequence[tuple[ObjectSpec, Asset]],
    owners: dict[str, tuple[str, str]],
) -> frozenset[str]:
    """Add the liquids' grains and the unmoving part of each liquid below them; returns the names of the grains.

    Bodies and geoms are called CONTAINER/grainN.
    """
    grains = []
    assets = {item.name: asset for item, asset in objects}
    for liquid in liquids:
        asset = assets[liquid.container]
        room = basin(liquid.container, asset, liquid.floor_m)
        rgba = _colour(liquid)
        _add_bulk(description, liquid, asset, room, rgba, owners)
        for index, radius in enumerate(liquid.radii_m):
            grains.append(f"{liquid.container}/grain{index}")
            _add_grain(description, grains[-1], radius, liquid.density_kg_m3, rgba)
    return frozenset(grains)


def _add_bulk(
    description: mujoco.MjSpec,
    liquid: LiquidSpec,
    asset: Asset,
    room: Basin,
    rgba: tuple[float, ...],
    owners: dict[str, tuple[str, str]],
) -> None:
    interior = asset.interior
    assert interior is not None
    bottom = interior.pose.position_m[2] - (interior.size_m[2] if interior.shape == "box" else 0.0)
    depth = liquid.floor_m - bottom
    if depth < 1e-4:
        return
    body, name = description.body(liquid.container), f"{liquid.container}/bulk"
    kind = mujoco.mjtGeom.mjGEOM_CYLINDER if room.round else mujoco.mjtGeom.mjGEOM_BOX
    # A flat plate at the top is enough to carry the grains, and reaches under a widening wall without coming through.
    plate = min(depth, 0.004) / 2.0
    body.add_geom(
        name=name,
        type=kind,
        size=_extent(room, 0.0, plate),
        pos=(*room.center_m, liquid.floor_m - plate),
        group=COLLISION_GROUP,
        mass=0.0,
        friction=asset.friction,
        solref=SOLREF,
        condim=CONDIM,
    )
    owners[name] = (liquid.container, "body")
    narrow = room._replace(half_m=(interior.size_m[0], interior.size_m[0] if room.round else interior.size_m[1]))
    # The lowest grains are drawn as covered, which makes of balls in a cup a liquid with a rough surface.
    cover = min(1.2 * sum(liquid.radii_m) / len(liquid.radii_m), liquid.level_m - liquid.floor_m)
    tapers = max(w - n for w, n in zip(room.half_m, narrow.half_m, strict=True)) > 0.003
    looks = body.add_body(name=f"{name}/looks")
    shown = (room, (cover + 2.0 * plate) / 2.0) if tapers else (narrow, (cover + depth) / 2.0)
    looks.add_geom(
        type=kind,
        size=_extent(shown[0], _FILM_M, shown[1]),
        pos=(*room.center_m, liquid.floor_m + cover - shown[1]),
        rgba=rgba,
        contype=0,
        conaffinity=0,
        group=VISUAL_GROUP,
        mass=0.0,
    )


def _extent(room: Basin, narrower_m: float, half_height_m: float) -> tuple[float, float, float]:
    first, second = room.half_m[0] - narrower_m, room.half_m[1] - narrower_m
    return (first, half_height_m, 0.0) if room.round else (first, second, half_height_m)


def _add_grain(
    description: mujoco.MjSpec, name: str, radius_m: float, density_kg_m3: float, rgba: tuple[float, ...]
) -> None:
    # Its body starts at the world's origin, so that its three joints are its place in the world.
    body = description.worldbody.add_body(name=name)
    for axis, vector in zip("xyz", np.eye(3), strict=True):
        body.add_joint(name=f"{name}/{axis}", type=mujoco.mjtJoint.mjJNT_SLIDE, axis=vector)
    body.add_geom(
        name=name,
        type=mujoco.mjtGeom.mjGEOM_SPHERE,
        size=(radius_m, 0.0, 0.0),
        density=density_kg_m3,
        solref=SOLREF,
        condim=1,
        priority=1,
        group=COLLISION_GROUP,
    )
    looks = body.add_body(name=f"{name}/looks")
    mesh = f"grain:{radius_m:.6f}"
    if description.mesh(mesh) is None:
        points, faces = _ball(radius_m)
        stored = description.add_mesh(name=mesh)
        stored.uservert, stored.userface = points.ravel(), faces.ravel()
        stored.usernormal, stored.userfacenormal = (points / radius_m).ravel(), faces.ravel()
    looks.add_geom(
        type=mujoco.mjtGeom.mjGEOM_MESH,
        meshname=mesh,
        rgba=rgba,
        contype=0,
        conaffinity=0,
        group=VISUAL_GROUP,
        mass=0.0,
    )
    for surface in ("table/top", "floor/ground"):
        description.add_pair(
            geomname1=surface,
            geomname2=name,
            condim=3,
            friction=(WETTING_FRICTION, WETTING_FRICTION, 0.0, 0.0, 0.0),
            solref=SOLREF,
        )


def _ball(radius_m: float) -> tuple[Array, NDArray[np.int32]]:
    """Return a sphere of 80 triangles: an icosahedron with each face cut in four. Spheres of MuJoCo have 800."""
    golden = (1.0 + 5.0**0.5) / 2.0
    corners = np.array([(0, a, b * golden) for a in (-1, 1) for b in (-1, 1)], dtype=float)
    points = [p / np.hypot(1.0, golden) for turn in range(3) for p in np.roll(corners, turn, axis=1)]
    edge = min(float(np.linalg.norm(points[0] - p)) for p in points[1:]) * 1.01
    near = [[j for j in range(12) if j != i and np.linalg.norm(points[i] - points[j]) < edge] for i in range(12)]
    coarse = [(i, j, k) for i in range(12) for j in near[i] for k in near[j] if i < j < k and k in near[i]]
    faces: list[tuple[int, int, int]] = []
    middles: dict[tuple[int, int], int] = {}

    def middle(a: int, b: int) -> int:
        key = (min(a, b), max(a, b))
        if key not in middles:
            middles[key] = len(points)
            halfway = points[a] + points[b]
            points.append(halfway / np.linalg.norm(halfway))
        return middles[key]

    for a, b, c in coarse:
        if np.dot(np.cross(points[b] - points[a], points[c] - points[a]), points[a]) < 0.0:
            b, c = c, b
        ab, bc, ca = middle(a, b), middle(b, c), middle(c, a)
        faces += [(a, ab, ca), (ab, b, bc), (ca, bc, c), (ab, bc, ca)]
    return radius_m * np.array(points), np.array(faces, dtype=np.int32)


def _colour(liquid: LiquidSpec) -> tuple[float, ...]:
    text = liquid.appearance.get("color")
    if text is None:
        return DEFAULT_COLOUR
    digits = str(text).removeprefix("#")
    if len(digits) != 6 or any(c not in "0123456789abcdefABCDEF" for c in digits):
        raise BuildError(f"liquid in {liquid.container!r}: color {text!r} is not of the form '#rrggbb'")
    return (*(int(digits[i : i + 2], 16) / 255.0 for i in (0, 2, 4)), DEFAULT_COLOUR[3])


class GrainCounts(NamedTuple):
    """Grains of each liquid (G,): inside the container, on the way, and lost; their sum is constant."""

    inside: NDArray[np.int32]
    air: NDArray[np.int32]
    lost: NDArray[np.int32]


class Grains:
    """The grains of a world in motion. `counts` needs evaluated positions (mj_step1 or later)."""

    def __init__(
        self,
        model: mujoco.MjModel,
        data: mujoco.MjData,
        liquids: Sequence[LiquidSpec],
        objects: Sequence[tuple[ObjectSpec, Asset]],
    ) -> None:
        self.count = sum(len(liquid.radii_m) for liquid in liquids)
        self._liquids = tuple(liquids)
        self._data = data
        self._bodies = [int(model.body(liquid.container).id) for liquid in liquids]
        assets = {item.name: asset for item, asset in objects}
        self._basins = [basin(liquid.container, assets[liquid.container], liquid.floor_m) for liquid in liquids]
        self._radii = [np.array(liquid.radii_m) for liquid in liquids]
        places: list[slice] = []
        speeds: list[slice] = []
        for liquid in liquids:
            first = model.joint(f"{liquid.container}/grain0/x")
            size = 3 * len(liquid.radii_m)
            places.append(slice(int(first.qposadr[0]), int(first.qposadr[0]) + size))
            speeds.append(slice(int(first.dofadr[0]), int(first.dofadr[0]) + size))
        self._positions = [data.qpos[place].reshape(-1, 3) for place in places]
        self._velocities = [data.qvel[speed].reshape(-1, 3) for speed in speeds]

    def place(self) -> None:
        """Put every grain where the scene says, in its container as that now stands (positions evaluated)."""
        for liquid, body, positions in zip(self._liquids, self._bodies, self._positions, strict=True):
            turn = self._data.xmat[body].reshape(3, 3)
            positions[:] = np.array(liquid.positions_m) @ turn.T + self._data.xpos[body]

    def in_container(self, container: str) -> Array:
        """Return the places of a liquid's grains (N, 3) in its container's frame; BuildError lists the containers."""
        names = [liquid.container for liquid in self._liquids]
        if container not in names:
            raise BuildError(f"there is no liquid in {container!r}; there is in {alternatives(names)}")
        return self._local(names.index(container)).T.copy()

    def _local(self, number: int) -> Array:
        """Return the places (3, N) of one liquid's grains in its container's frame."""
        body = self._bodies[number]
        # Products are summed one by one: a matrix product may round differently from machine to machine.
        away, turn = self._positions[number] - self._data.xpos[body], self._data.xmat[body]
        return np.stack([away[:, 0] * turn[i] + away[:, 1] * turn[3 + i] + away[:, 2] * turn[6 + i] for i in range(3)])

    def counts(self) -> GrainCounts:
        """Return how many grains are where."""
        inside, air, lost = [], [], []
        for number, (room, radius, position, velocity) in enumerate(
            zip(self._basins, self._radii, self._positions, self._velocities, strict=True)
        ):
            x, y, z = self._local(number)
            x, y = x - room.center_m[0], y - room.center_m[1]
            if room.round:
                within = x * x + y * y <= room.half_m[0] * room.half_m[0]
            else:
                within = (np.abs(x) <= room.half_m[0]) & (np.abs(y) <= room.half_m[1])
            is_inside = within & (z >= room.low_m - radius) & (z <= room.high_m + radius)
            speed2 = (velocity * velocity).sum(axis=1)
            lies = (position[:, 2] < radius + _LYING_M) | (speed2 < _LYING_M_S * _LYING_M_S)
            inside.append(int(is_inside.sum()))
            lost.append(int((~is_inside & lies).sum()))
            air.append(len(radius) - inside[-1] - lost[-1])
        return GrainCounts(np.array(inside, np.int32), np.array(air, np.int32), np.array(lost, np.int32))
