"""Packing a tabletop: objects pushed towards a target until only a gap is left."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from maniguard.bench.layout import BASE_RADIUS_M, F64, REACH_M, footprint, inside, is_clear
from maniguard.sim import TableSpec
from maniguard.trace.scene import Hull, Pose

EDGE_MARGIN_M = 0.06
REACH_MARGIN_M = 0.015
_STEP_M = 0.002


@dataclass(frozen=True, eq=False)
class Placed:
    """One object on the table: where it stands and its outline from above (K, 2)."""

    pose: Pose
    polygon: F64


def upright(x: float, y: float, yaw_rad: float, z: float = 0.0) -> Pose:
    """Return the pose of an upright object, rounded to 1e-6."""
    half = yaw_rad / 2
    quat = (round(float(np.cos(half)), 6) + 0.0, 0.0, 0.0, round(float(np.sin(half)), 6) + 0.0)
    return Pose((round(float(x), 6) + 0.0, round(float(y), 6) + 0.0, round(float(z), 6) + 0.0), quat)


def put(hull: Hull, x: float, y: float, yaw_rad: float) -> Placed:
    """Return an object put on the table so that its lowest point touches."""
    pose = upright(x, y, yaw_rad, -min(vertex[2] for vertex in hull.vertices_m))
    return Placed(pose, footprint(hull, pose))


def allowed(placed: Placed, table: TableSpec, reach_m: tuple[float, float] = REACH_M) -> bool:
    """Return whether an object stands on the table, within reach and clear of the robot's base."""
    x, y, _ = placed.pose.position_m
    low, high = reach_m[0] + REACH_MARGIN_M, reach_m[1] - REACH_MARGIN_M
    clear = float(np.linalg.norm(placed.polygon, axis=1).min()) > BASE_RADIUS_M
    stands = inside(placed.polygon, table.center_m, table.size_m, EDGE_MARGIN_M)
    return bool(low <= np.hypot(x, y) <= high and clear and stands)


def pack_one(
    hull: Hull,
    others: Sequence[Placed],
    center_m: tuple[float, float],
    gap_m: float,
    table: TableSpec,
    rng: np.random.Generator,
    *,
    tries: int = 12,
) -> Placed | None:
    """Return an object as near to `center_m` as `gap_m` to all others lets it, in a random direction and turn.

    Of `tries` directions the one that comes nearest is taken; None when none is allowed.
    """
    best: tuple[float, Placed] | None = None
    polygons = [other.polygon for other in others]
    for _ in range(tries):
        direction, yaw = rng.uniform(-np.pi, np.pi), rng.uniform(-np.pi, np.pi)
        u = np.array([np.cos(direction), np.sin(direction)])
        low, high = 0.0, 0.45

        def at(distance_m: float, u: F64 = u, yaw: float = yaw) -> Placed:
            return put(hull, center_m[0] + distance_m * float(u[0]), center_m[1] + distance_m * float(u[1]), yaw)

        if not is_clear(at(high).polygon, polygons, gap_m):
            continue
        # From outside inwards, and no farther than the first thing in the way.
        while high - low > _STEP_M:
            middle = (low + high) / 2
            if is_clear(at(middle).polygon, polygons, gap_m):
                high = middle
            else:
                low = middle
        placed = at(high)
        if allowed(placed, table) and (best is None or high < best[0]):
            best = (high, placed)
    return None if best is None else best[1]


def moved(
    hulls: Sequence[Hull],
    placed: Sequence[Placed],
    distance_m: float,
    smallest_gap_m: float,
    table: TableSpec,
    rng: np.random.Generator,
    *,
    tries: int = 200,
) -> list[Placed] | None:
    """Return every object moved by about `distance_m`, each a little differently, gaps kept; None when that fails."""
    for _ in range(tries):
        heading = rng.uniform(-np.pi, np.pi)
        out: list[Placed] = []
        for hull, old in zip(hulls, placed, strict=True):
            angle = heading + rng.uniform(-0.35, 0.35)
            length = distance_m * rng.uniform(0.85, 1.15)
            x, y, _ = old.pose.position_m
            yaw = 2 * np.arctan2(old.pose.quat_wxyz[3], old.pose.quat_wxyz[0])
            new = put(hull, x + length * np.cos(angle), y + length * np.sin(angle), float(yaw))
            if not allowed(new, table) or not is_clear(new.polygon, [o.polygon for o in out], smallest_gap_m):
                break
            out.append(new)
        else:
            return out
    return None
