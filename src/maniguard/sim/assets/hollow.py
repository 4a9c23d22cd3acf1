"""The common body of cups, bowls, glasses and pots: a revolved wall with a floor, touched as convex sectors."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from maniguard.sim.assets import pieces as solid
from maniguard.sim.assets.asset import AssetError
from maniguard.sim.assets.mesh import SEGMENTS, VisualMesh, lathe
from maniguard.sim.assets.profile import lowered, offset, radius_at, revolved_volume, simplified, vessel
from maniguard.trace.scene import Pose, Region

Array = NDArray[np.float64]

# Thinner walls let stiff fingers sink through within a step; the drawn wall keeps its real thickness.
LEAST_WALL_M = 0.005


@dataclass(frozen=True, eq=False)
class HollowBody:
    """A hollow body of revolution: what is seen, what is touched, what it holds.

    `touched_outer` and `touched_inner` (P, 2) are the silhouettes of the collision wall, walked upwards.
    """

    outer: Array
    touched_outer: Array
    touched_inner: Array
    visuals: tuple[VisualMesh, ...]
    pieces: tuple[solid.Piece, ...]
    volume_m3: float
    rim: Region
    interior: Region
    floor: Region


def hollow_body(
    outer: Array,
    wall_m: float,
    floor_m: float,
    *,
    sectors: int = 12,
    bands: int = 3,
    tolerance_m: float = 0.0015,
    foot_recess_m: float = 0.0,
    base_low_m: float = 0.0,
    with_base: bool = True,
    segments: int = SEGMENTS,
    separate_rim: bool = False,
    owner: str = "vessel",
) -> HollowBody:
    """Build a hollow body from its outer silhouette (P, 2), walked upwards from the foot.

    Slots are "body" (outside and rim) and "inside"; with `separate_rim` the rim is a slot of its own, "rim". The wall
    is touched as `sectors` convex pieces in each of at most `bands` bands, at least 5 mm thick, the floor as one
    prism. AssetError when there is no room inside.
    """
    top, foot_z = float(outer[:, 1].max()), float(outer[0, 1])
    touch_wall = max(wall_m, LEAST_WALL_M)
    touch_floor = foot_z + max(floor_m, LEAST_WALL_M)
    if top - touch_floor < 0.004 or radius_at(outer, top) - touch_wall < 0.004:
        raise AssetError(f"asset kind {owner!r}: there is no room inside; wall {wall_m} m, floor {floor_m} m")
    outside, edge, inside = vessel(outer, wall_m, floor_m, foot_recess_m=foot_recess_m)
    start = foot_z + (0.001 if with_base else 0.0)
    steep = abs(outer[-1, 0] - outer[-2, 0]) < outer[-1, 1] - outer[-2, 1]
    # A steep wall ends level; a flat one ends square to itself and so rises by its thickness at the rim.
    touched = outer if steep else lowered(outer, touch_wall / 2.0)
    above = touched[touched[:, 1] > start + 1e-6]
    walked = np.concatenate([[[radius_at(outer, start), start]], above])
    coarse = simplified(walked, tolerance_m, limit=bands + 1)
    inner = offset(coarse, touch_wall)
    inner[0, 1] = min(inner[0, 1], start) if coarse[1, 1] - coarse[0, 1] > 0.003 else inner[0, 1]
    if steep:
        inner[-1, 1] = coarse[-1, 1]
    pieces = solid.ring(coarse, inner, sectors=sectors)
    if with_base:
        foot_r = float(walked[0, 0])
        pieces = (solid.frustum(foot_r, radius_at(outer, touch_floor), base_low_m, touch_floor), *pieces)
    if separate_rim:
        shells = [("body", outside), ("rim", edge), ("inside", inside)]
    else:
        shells = [("body", np.concatenate([outside, edge[1:]])), ("inside", inside)]
    visuals = tuple(lathe(slot, shell, segments=segments, v_range=slot == "body") for slot, shell in shells)
    fine_inner = offset(outer, wall_m)
    heights = np.linspace(foot_z + floor_m, top, 25)
    inner_radii = np.interp(heights, fine_inner[:, 1], fine_inner[:, 0])
    rim_r, mean_r = float(inner_radii[-1]), float(np.sqrt(np.mean(inner_radii**2)))
    floor_r = max(float(inner_radii[1]), 0.004)
    return HollowBody(
        outer,
        coarse,
        inner,
        visuals,
        pieces,
        revolved_volume(outside, edge, inside),
        rim=Region("disc", (_r(rim_r), _r(rim_r), 0.0), Pose((0.0, 0.0, _r(top)))),
        interior=Region(
            "cylinder", (_r(mean_r), _r(mean_r), _r(top - foot_z - floor_m)), Pose((0.0, 0.0, _r(foot_z + floor_m)))
        ),
        floor=Region("disc", (_r(floor_r), _r(floor_r), 0.0), Pose((0.0, 0.0, _r(foot_z + floor_m)))),
    )


def flat_top(radius_m: float, height_m: float) -> Region:
    """Return the flat round top of a closed body as a support region."""
    return Region("disc", (_r(radius_m), _r(radius_m), 0.0), Pose((0.0, 0.0, _r(height_m))))


def flat_rectangle(half_x_m: float, half_y_m: float, height_m: float) -> Region:
    """Return the flat rectangular top of a box as a support region."""
    return Region("rectangle", (_r(half_x_m), _r(half_y_m), 0.0), Pose((0.0, 0.0, _r(height_m))))


def _r(value: float) -> float:
    return round(value, 6)
