"""Silhouettes in the (r, z) half plane: smooth curves, filleted corners, walls of real thickness."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.interpolate import PchipInterpolator

Array = NDArray[np.float64]
Points = Sequence[tuple[float, float]]


def smooth(points: Points, *, count: int = 14) -> Array:
    """Return a smooth curve (count, 2) through `points` (r, z) that never overshoots (monotone cubic in arc length)."""
    given = np.asarray(points, dtype=float)
    along = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(given, axis=0), axis=1))])
    wanted = np.unique(np.concatenate([np.linspace(0.0, along[-1], count), along[[0, -1]]]))
    return np.asarray(PchipInterpolator(along, given)(wanted))


def filleted(points: Points, radii: Sequence[float] | float, *, steps: int = 3) -> Array:
    """Round the inner corners of a polyline (P, 2) with arcs of `radii` (one per corner, or one for all)."""
    given = np.asarray(points, dtype=float)
    corner_radii = np.broadcast_to(radii, len(given) - 2)
    out = [given[0]]
    for i in range(1, len(given) - 1):
        before, corner, after = given[i - 1], given[i], given[i + 1]
        into, away = corner - before, after - corner
        length_in, length_out = np.linalg.norm(into), np.linalg.norm(away)
        into, away = into / length_in, away / length_out
        turn = np.arccos(np.clip(into @ away, -1.0, 1.0))
        reach = corner_radii[i - 1] * np.tan(turn / 2.0)
        reach = min(reach, 0.49 * length_in, 0.49 * length_out)
        if turn < 0.05 or reach < 1e-6:
            out.append(corner)
            continue
        radius = reach / np.tan(turn / 2.0)
        start = corner - reach * into
        cross = into[0] * away[1] - into[1] * away[0]
        inward = np.array([-into[1], into[0]]) * np.sign(cross)
        centre = start + radius * inward
        for k in range(steps + 1):
            angle = turn * k / steps
            out.append(centre - radius * inward * np.cos(angle) + radius * into * np.sin(angle))
    out.append(given[-1])
    return np.asarray(out)


def offset(points: Array, distance: float) -> Array:
    """Shift a silhouette that is walked upwards to its inner side by `distance`; corners are mitred, r stays >= 0."""
    steps = np.diff(points, axis=0)
    lengths = np.maximum(np.linalg.norm(steps, axis=1), 1e-12)
    normals = np.stack([-steps[:, 1], steps[:, 0]], axis=1) / lengths[:, None]
    out = np.empty_like(points)
    for i in range(len(points)):
        before, after = normals[max(i - 1, 0)], normals[min(i, len(normals) - 1)]
        middle = before + after
        middle /= np.linalg.norm(middle)
        out[i] = points[i] + middle * distance / max(float(middle @ before), 0.5)
    out[:, 0] = np.maximum(out[:, 0], 0.0)
    return out


def vessel(outer: Array, wall_m: float, floor_m: float, *, foot_recess_m: float = 0.0) -> tuple[Array, Array, Array]:
    """Close an outer silhouette (walked upwards from the foot) into a hollow body: rounded rim, inner wall, floor.

    Returns three profiles for `lathe`, each starting where the one before ends: the outside from the axis up, the
    rim, the inside down to the axis. The floor's upper side lies `floor_m` above the foot.
    """
    outer = lowered(outer, wall_m / 2.0)
    inner = offset(outer, wall_m)
    floor_z = float(outer[0, 1]) + floor_m
    corner_r = float(np.interp(floor_z, inner[:, 1], inner[:, 0]))
    inner = inner[inner[:, 1] > floor_z + 1e-4]
    top_out, top_in = outer[-1], inner[-1]
    middle, spoke = (top_out + top_in) / 2.0, (top_out - top_in) / 2.0
    up = np.array([-spoke[1], spoke[0]])
    rim = [middle + spoke * np.cos(a) + up * np.sin(a) for a in np.linspace(0.0, np.pi, 5)[1:-1]]
    down = inner[::-1]
    bend = min(0.35 * corner_r, 0.006)
    corner = [(float(down[-1, 0]), float(down[-1, 1])), (corner_r, floor_z), (0.0, floor_z)]
    tail = filleted(corner, bend, steps=2)[1:] if down[-1, 1] - floor_z > 0.002 else np.array(corner[1:])
    foot = [(0.0, float(outer[0, 1]))]
    if foot_recess_m > 0.0:
        ring = float(outer[0, 0]) - max(0.6 * wall_m, 0.003)
        foot = [(0.0, foot_recess_m), (ring - foot_recess_m, foot_recess_m), (ring, float(outer[0, 1]))]
    edge = np.concatenate([outer[-1:], np.asarray(rim), down[:1]])
    return np.concatenate([np.asarray(foot), outer]), edge, np.concatenate([down, tail])


def revolved_volume(*profiles: Array) -> float:
    """Return the volume in m³ that closed profiles (walked with matter on the left) enclose when revolved about z."""
    walked = np.concatenate(profiles)
    r0, z0, r1, z1 = walked[:-1, 0], walked[:-1, 1], walked[1:, 0], walked[1:, 1]
    return float(np.pi * np.sum((r0 * r0 + r0 * r1 + r1 * r1) / 3.0 * (z1 - z0)))


def lowered(outer: Array, by_m: float) -> Array:
    """Cut the upper end off a silhouette so that it ends `by_m` lower."""
    top = float(outer[-1, 1]) - by_m
    kept = outer[outer[:, 1] < top - 1e-6]
    return np.concatenate([kept, [[radius_at(outer, top), top]]])


def simplified(points: Array, tolerance_m: float, *, limit: int = 5) -> Array:
    """Return a polyline of at most `limit` points that stays within `tolerance_m` of `points`, or as near as it can.

    Knots between the ends are moved sideways so that the silhouette runs as far outside of the chords as inside.
    """
    keep = [0, len(points) - 1]
    while len(keep) < limit:
        worst, where = 0.0, -1
        for start, end in itertools.pairwise(keep):
            if end - start < 2:
                continue
            chord = points[end] - points[start]
            length = max(float(np.linalg.norm(chord)), 1e-12)
            inside = points[start + 1 : end] - points[start]
            away = np.abs(chord[0] * inside[:, 1] - chord[1] * inside[:, 0]) / length
            if away.max() > worst:
                worst, where = float(away.max()), start + 1 + int(away.argmax())
        if where < 0 or worst <= tolerance_m:
            break
        keep = sorted([*keep, where])
    return _balanced(points, keep)


def _balanced(points: Array, keep: list[int]) -> Array:
    out = points[keep].copy()
    shifts = np.zeros((len(keep) - 1, 2))
    for k, (start, end) in enumerate(itertools.pairwise(keep)):
        chord = points[end] - points[start]
        normal = np.array([chord[1], -chord[0]]) / max(float(np.linalg.norm(chord)), 1e-12)
        away = (points[start : end + 1] - points[start]) @ normal
        shifts[k] = normal * (away.max() + away.min()) / 2.0
    for k in range(1, len(keep) - 1):
        out[k, 0] += (shifts[k - 1] + shifts[k])[0] / 2.0
    return out


def radius_at(outer: Array, z: float) -> float:
    """Return the radius of a silhouette walked upwards at height `z`."""
    return float(np.interp(z, outer[:, 1], outer[:, 0]))


def cone_volume(outer: Array) -> float:
    """Return the volume in m³ of the solid under a silhouette walked upwards, revolved about z."""
    r, z = outer[:, 0], outer[:, 1]
    return float(np.pi * np.sum((r[:-1] ** 2 + r[:-1] * r[1:] + r[1:] ** 2) / 3.0 * np.diff(z)))
