"""Piling things up: alike ones on each other, or different ones on, in and beside each other, at rest."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from maniguard.bench.layout import F64, footprint, gap
from maniguard.certify.drawing import UnfitError
from maniguard.certify.packing import upright
from maniguard.sim import SceneSpec, World
from maniguard.sim.assets.design import Design
from maniguard.trace.scene import Pose, Region

# Between the walls of cups that stand in each other; see the catalogue.
NEST_M = 0.0025
BESIDE_M = (0.009, 0.030)
NOTHING_BESIDE_M = 0.08
_START_M = 0.0006
_TRIES = 60


@dataclass(frozen=True, eq=False)
class Piled:
    """One thing of a pile: where it stands in the frame of the bottom one, on which of the others (None: the table)."""

    design: Design
    x_m: float
    y_m: float
    yaw_rad: float
    z_m: float
    on: int | None

    def placed(self, bottom: Pose) -> Pose:
        """Return its pose in the world, upright, where the bottom one stands at a pose."""
        yaw = 2 * np.arctan2(bottom.quat_wxyz[3], bottom.quat_wxyz[0])
        c, s = np.cos(yaw), np.sin(yaw)
        x = bottom.position_m[0] + c * self.x_m - s * self.y_m
        y = bottom.position_m[1] + s * self.x_m + c * self.y_m
        return upright(float(x), float(y), float(yaw + self.yaw_rad), self.z_m)

    @property
    def outline(self) -> F64:
        """Its outline from above (K, 2) in the frame of the bottom one."""
        return footprint(self.design.asset().hull, self._pose)

    @property
    def base(self) -> F64:
        """The outline of what it stands on."""
        hull = self.design.asset().hull
        lowest = min(v[2] for v in hull.vertices_m)
        low = replace(hull, vertices_m=tuple(v for v in hull.vertices_m if v[2] < lowest + 0.003))
        return footprint(low, self._pose)

    @property
    def _pose(self) -> Pose:
        return upright(self.x_m, self.y_m, self.yaw_rad)


def pile_high(design: Design, count: int, rng: np.random.Generator) -> list[Piled]:
    """Return a tower of a thing with `count` more of it on top, each a little askew; cups stand in each other."""
    support = design.asset().support_regions[0]
    nested = support.pose.position_m[2] < design.asset().height_m - 0.005
    slip = 0.001 if nested else 0.004
    quarter = 0.0 if nested else np.pi
    piled = [Piled(design, 0.0, 0.0, 0.0, 0.0, None)]
    for level in range(1, count + 1):
        x, y = rng.uniform(-slip, slip, size=2)
        yaw = rng.uniform(-0.25, 0.25) + quarter * float(rng.integers(2))
        piled.append(Piled(design, float(x), float(y), float(yaw), level * support.pose.position_m[2], level - 1))
    return piled


def pile_in(
    bottom: Design, first: Sequence[Design], rest: Sequence[Design], most_levels: int, rng: np.random.Generator
) -> list[Piled]:
    """Return a pile of different things; UnfitError without room.

    Those of `first` stand on the bottom where there is room, those of `rest` on whatever is drawn; at most
    `most_levels` stand on each other, the bottom one included.
    """
    piled = [Piled(bottom, 0.0, 0.0, 0.0, 0.0, None)]
    for item in (*first, *rest):
        bases = [k for k in range(len(piled)) if _level(piled, k) < most_levels]
        order = [bases[i] for i in rng.permutation(len(bases))]
        if len(piled) <= len(first):
            order.sort(key=lambda k: k > 0)
        found = next((one for one in (_stood(piled, k, item, rng) for k in order) if one is not None), None)
        if found is None:
            raise UnfitError("no room on the target")
        piled.append(found)
    return piled


def _level(piled: Sequence[Piled], k: int) -> int:
    under = piled[k].on
    return 1 if under is None else 1 + _level(piled, under)


def _stood(piled: Sequence[Piled], under: int, item: Design, rng: np.random.Generator) -> Piled | None:
    """Return an item stood on one of the pile in a random place, None without room."""
    below = piled[under]
    regions = below.design.asset().support_regions
    beside = [one for one in piled[1:] if one.on == under]
    if under and not regions:
        return None
    region = regions[0]
    if under and (beside or region.pose.position_m[2] < below.design.asset().height_m - 0.002):
        # A top carries one thing, and what is open carries nothing.
        return None
    room = rng.uniform(*BESIDE_M)
    for _ in range(_TRIES):
        if under:
            x, y = below.x_m + rng.uniform(-0.004, 0.004), below.y_m + rng.uniform(-0.004, 0.004)
        else:
            x, y = (rng.uniform(-1.0, 1.0, size=2) * np.asarray(region.size_m[:2])).tolist()
        z = below.z_m + region.pose.position_m[2]
        one = Piled(item, float(x), float(y), float(rng.uniform(-np.pi, np.pi)), float(z), under)
        if under and not _steady(one, below, region):
            continue
        if not under and not _within(one.base, region):
            continue
        others = [other for other in piled[1:] if other is not below and not _clear_above(one, other)]
        if all(gap(one.outline, other.outline) > room for other in others):
            return one
    return None


def _clear_above(one: Piled, other: Piled) -> bool:
    """Return whether one thing begins where the other has ended."""
    return one.z_m > other.z_m + other.design.asset().height_m + 0.02


def _within(base: F64, region: Region) -> bool:
    if region.shape == "disc":
        return bool(np.linalg.norm(base, axis=1).max() <= region.size_m[0] - 0.002)
    return bool(np.all(np.abs(base) <= np.asarray(region.size_m[:2]) - 0.003))


def _steady(one: Piled, below: Piled, region: Region) -> bool:
    """Return whether the tops of what is below carries most of the base of what stands on it."""
    reach = np.linalg.norm(one.base - (one.x_m, one.y_m), axis=1).max()
    return bool(min(region.size_m[:2]) >= 0.75 * reach)


def levels(piled: Sequence[Piled]) -> int:
    """Return how many things stand on each other at most, the bottom one included."""
    return max(_level(piled, k) for k in range(len(piled)))


def closest(piled: Sequence[Piled]) -> float:
    """Return the smallest distance in m between two things that stand beside each other, or of nested walls."""
    if any(
        one.on is not None and one.z_m < _top(piled[one.on]) - 0.005 and one.design == piled[one.on].design
        for one in piled
    ):
        return NEST_M
    gaps = [
        gap(one.outline, other.outline)
        for k, one in enumerate(piled)
        for other in piled[1:k]
        if k and not _clear_above(one, other) and not _clear_above(other, one) and one.on != piled.index(other)
    ]
    return min([NOTHING_BESIDE_M, *(g for g in gaps if g > 0)])


def _top(one: Piled) -> float:
    return one.z_m + one.design.asset().height_m


def rested(scene: SceneSpec) -> SceneSpec:
    """Return a scene with every object at the height at which it comes to rest, places and turns kept.

    UnfitError where something tips or wanders on the way.
    """
    for _ in range(2):
        raised = [
            replace(
                spec, world_T_object=_at_height(spec.world_T_object, spec.world_T_object.position_m[2] + _START_M * k)
            )
            for k, spec in enumerate(scene.objects)
        ]
        with World(replace(scene, objects=tuple(raised))) as world:
            frame = world.reset()
            objects = []
            for spec in scene.objects:
                column = world.scene.index(spec.name)
                place = np.asarray(spec.world_T_object.position_m)
                wandered = float(np.linalg.norm(frame.position_m[column][:2] - place[:2]))
                up = 1.0 - 2.0 * float(np.sum(frame.quat_wxyz[column][1:3] ** 2))
                if wandered > 0.0015 or up < np.cos(np.deg2rad(0.4)):
                    raise UnfitError("the pile does not stand")
                height = round(float(frame.position_m[column][2]), 6)
                objects.append(replace(spec, world_T_object=_at_height(spec.world_T_object, height)))
        scene = replace(scene, objects=tuple(objects))
    return scene


def _at_height(pose: Pose, z_m: float) -> Pose:
    return replace(pose, position_m=(*pose.position_m[:2], round(z_m, 6) + 0.0))
