"""Filling a container: grains of mixed sizes, settled below its rim, as the values that a scene locks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from maniguard.sim.assets.asset import Asset
from maniguard.sim.bodies import BuildError
from maniguard.sim.build import AssetMaker, catalogued
from maniguard.sim.fields import Value
from maniguard.sim.grains import Basin, basin
from maniguard.sim.particles import LiquidSpec
from maniguard.sim.scene import ObjectSpec, SceneSpec
from maniguard.sim.world import World
from maniguard.trace.scene import Pose

Array = NDArray[np.float64]

# Equal balls lock into a crystal that stays in a cup laid on its side; these three sizes flow. Shares of the mean.
SIZES = (0.8, 1.0, 1.2)
# How many layers of grains a container gets: as many as it is deep enough for.
LAYERS = (1.8, 1.5, 1.2, 1.0)
LEAST_RADIUS_M, MOST_RADIUS_M = 0.0035, 0.009
# Control steps that the grains are given beyond those in which a world settles.
SETTLE_STEPS = 20
_TRIES = 4


def fill(
    item: ObjectSpec,
    *,
    rng: np.random.Generator,
    count: int = 44,
    freeboard_m: float = 0.005,
    density_kg_m3: float = 1000.0,
    appearance: Mapping[str, Value] | None = None,
    make_asset: AssetMaker | None = None,
) -> LiquidSpec:
    """Return a liquid that fills the container `item` up to `freeboard_m` below its rim.

    The grains' sizes follow from `count` and the width of the container, three sizes in equal shares; they are dropped
    in and let settle, and what is below them does not move. BuildError where the container has no inside, is too
    shallow, or the grains do not stay in.
    """
    upright = replace(item, world_T_object=Pose((0.5, 0.0, 0.0)), joints=())
    made = (make_asset or catalogued)(upright)

    def maker(_: ObjectSpec) -> Asset:
        return made

    bottom = _bottom_m(item.name, made)
    room = basin(item.name, made, bottom)
    radii, heap = _heap(count, room, room.high_m - bottom - freeboard_m, rng)
    # At first the floor lies so deep that the loose heap does not reach over the rim.
    floor = max(bottom, room.high_m - max(z for _, _, z in heap) - max(radii))
    level = room.high_m - freeboard_m
    if floor + 2.0 * max(radii) > level:
        raise BuildError(
            f"object {item.name!r} is too shallow for {count} grains with a freeboard of {freeboard_m} m: "
            f"its inside is {room.high_m - bottom:.3g} m deep"
        )
    liquid = LiquidSpec(
        item.name,
        radii,
        tuple((x, y, z + floor) for x, y, z in heap),
        floor_m=floor,
        level_m=level,
        density_kg_m3=density_kg_m3,
        appearance=dict(appearance or {}),
    )
    for _ in range(_TRIES):
        settled, top = _settled(SceneSpec((upright,), liquids=(liquid,)), maker)
        error = top - liquid.level_m
        liquid = replace(liquid, positions_m=settled)
        if abs(error) < 5e-4:
            return replace(liquid, level_m=round(top, 6))
        # Raising or lowering the floor moves the surface by as much.
        floor = liquid.floor_m - error
        if floor < bottom:
            raise BuildError(
                f"object {item.name!r} is too shallow for {count} grains with a freeboard of {freeboard_m} m; "
                f"it would have to be {bottom - floor:.3g} m deeper"
            )
        moved = tuple((x, y, z - error) for x, y, z in settled)
        liquid = replace(liquid, floor_m=floor, positions_m=moved)
    raise BuildError(f"the liquid in {item.name!r} does not settle at a freeboard of {freeboard_m} m")


def _bottom_m(name: str, asset: Asset) -> float:
    room = asset.interior
    if room is None:
        raise BuildError(f"object {name!r} cannot be filled: its asset {asset.kind!r} has no inside")
    return room.pose.position_m[2] - (room.size_m[2] if room.shape == "box" else 0.0)


def _heap(
    count: int, room: Basin, depth_m: float, rng: np.random.Generator
) -> tuple[tuple[float, ...], tuple[tuple[float, float, float], ...]]:
    """Return radii and places of grains on a loose lattice over a floor at height 0, in as many layers as fit."""
    area = np.pi * room.half_m[0] ** 2 if room.round else 4.0 * room.half_m[0] * room.half_m[1]
    order = rng.permutation(count)
    radii: tuple[float, ...] = ()
    heap: tuple[tuple[float, float, float], ...] = ()
    for layers in LAYERS:
        # A layer of balls at rest covers about 0.82 of its area.
        mean = float(np.clip(np.sqrt(area * layers * 0.82 / (np.pi * count)), LEAST_RADIUS_M, MOST_RADIUS_M))
        radii = tuple(mean * SIZES[i % len(SIZES)] for i in order)
        heap = _scattered(radii, room, rng)
        if max(z for _, _, z in heap) + max(radii) <= depth_m:
            break
    return radii, heap


def _scattered(radii: Sequence[float], room: Basin, rng: np.random.Generator) -> tuple[tuple[float, float, float], ...]:
    edge = max(radii)
    pitch = 2.05 * edge
    reach = [int((half - edge) / pitch) + 1 for half in room.half_m]
    cells = [(i * pitch, j * pitch) for i in range(-reach[0], reach[0] + 1) for j in range(-reach[1], reach[1] + 1)]
    limit = [half - 1.05 * edge for half in room.half_m]
    if room.round:
        cells = [(x, y) for x, y in cells if np.hypot(x, y) <= limit[0]]
    else:
        cells = [(x, y) for x, y in cells if abs(x) <= limit[0] and abs(y) <= limit[1]]
    cells = cells or [(0.0, 0.0)]
    places = []
    for index in range(len(radii)):
        layer, cell = divmod(index, len(cells))
        x, y = cells[cell] + rng.uniform(-0.02, 0.02, 2) * edge
        places.append((room.center_m[0] + float(x), room.center_m[1] + float(y), edge + layer * pitch))
    return tuple(places)


def _settled(spec: SceneSpec, maker: AssetMaker) -> tuple[tuple[tuple[float, float, float], ...], float]:
    """Let the grains of a scene's only container settle; return their places in its frame and the height of the top."""
    liquid = spec.liquids[0]
    with World(spec, make_asset=maker) as world:
        frame = world.reset()
        for _ in range(SETTLE_STEPS):
            frame = world.step([*spec.robot_qpos_rad, 1.0])
        places = world.grain_positions_m(liquid.container)
    inside = int(frame.grains_inside[0])
    if inside != len(liquid.radii_m):
        raise BuildError(f"only {inside} of {len(liquid.radii_m)} grains stay in {liquid.container!r}")
    top = float((places[:, 2] + np.array(liquid.radii_m)).max())
    return tuple((float(x), float(y), float(z)) for x, y, z in places), top
