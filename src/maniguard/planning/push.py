"""Push something with the fingertips: from where, at what height, in which direction."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from maniguard.planning.collision import Clearance, CollisionModel
from maniguard.planning.frames import line, top_down
from maniguard.planning.kinematics import F64, follow, solutions
from maniguard.trace.scene import Hull

# Half the depth of a finger and of the hand along the palm's normal, plus a gap that keeps the start free of contact.
_GAP_M = 0.012
_SPARE_M = 0.03
_ABOVE_M = 0.12
_STEP_M = 0.002
_FINGER_DEPTH_M = 0.012
_HAND_DEPTH_M = 0.034
# The fingertips end this far below the tcp; the palm begins this far above it.
_TIP_M = 0.012
_PALM_M = 0.042
_START_CLEARANCE = Clearance(0.005, 0.004)


@dataclass(frozen=True, eq=False)
class PushChoice:
    """A push: joint vectors above (7,), down beside the object (W, 7), along (W, 7); direction (2,), opening in m."""

    q_above: F64
    down: F64
    along: F64
    direction: F64
    opening_m: float
    room_m: float


def outline(hull: Hull, world_T_object: F64) -> F64:
    """Return the vertices (V, 3) of a hull in the world."""
    return np.asarray(hull.vertices_m) @ world_T_object[:3, :3].T + world_T_object[:3, 3]


def section(hull: Hull, world_T_object: F64, low_m: float, high_m: float) -> F64:
    """Return points (K, 3) whose hull is the slab of an outline between two heights in the world; (0, 3) outside it."""
    points = outline(hull, world_T_object)
    edges = {(min(a, b), max(a, b)) for f in hull.faces for a, b in ((f[0], f[1]), (f[1], f[2]), (f[2], f[0]))}
    inside = [points[(points[:, 2] >= low_m) & (points[:, 2] <= high_m)]]
    for first, second in sorted(edges):
        a, b = points[first], points[second]
        for level in (low_m, high_m):
            if min(a[2], b[2]) < level < max(a[2], b[2]):
                share = (level - a[2]) / (b[2] - a[2])
                inside.append((a + share * (b - a))[None])
    return np.concatenate(inside)


def base_reach(points: F64, direction_rad: float) -> float:
    """Return how far the base of an outline (V, 3) extends along a level direction from its middle, in m."""
    base = points[points[:, 2] < points[:, 2].min() + 0.002][:, :2]
    along = base @ np.array([np.cos(direction_rad), np.sin(direction_rad)])
    return float(np.ptp(along) / 2)


def base_radius(hull: Hull) -> float:
    """Return the smallest distance from the axis to the edge of the base in m, which is what keeps a thing upright."""
    points = np.asarray(hull.vertices_m)
    base = points[points[:, 2] < points[:, 2].min() + 0.002][:, :2]
    angles = np.arange(24) * (2 * np.pi / 24)
    directions = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    return float(np.max(base @ directions.T, axis=0).min())


def push_choices(
    model: CollisionModel,
    name: str,
    hull: Hull,
    world_T_object: F64,
    others: Sequence[F64],
    q_near: F64,
    *,
    height_m: float,
    distance_m: float,
    directions: Sequence[float],
    opening_m: float = 0.0,
    run_ups_m: Sequence[float] = (0.0,),
) -> list[PushChoice]:
    """Return ways to push an object, those with most room ahead first.

    The hand points down with its tcp at `height_m` above the table, behind the object as seen along a direction
    (angles in rad), and moves `distance_m` beyond first contact. `others` are the outlines of the other objects; room
    is the free distance ahead of the object before it meets one of them, at most `distance_m`. Each of `run_ups_m`
    begins that much farther back and goes through what stands there; the first whose start is free counts.
    """
    found: list[PushChoice] = []
    points = outline(hull, world_T_object)
    middle = (points[:, :2].max(axis=0) + points[:, :2].min(axis=0)) / 2.0
    beside_fingers = section(hull, world_T_object, height_m - _TIP_M, height_m + _PALM_M)
    beside_hand = section(hull, world_T_object, height_m + _PALM_M, np.inf)
    if not len(beside_fingers):
        return []
    for angle in directions:
        u = np.array([np.cos(angle), np.sin(angle)])
        back = float(((beside_fingers[:, :2] - middle) @ u).min()) - _FINGER_DEPTH_M
        if len(beside_hand):
            back = min(back, float(((beside_hand[:, :2] - middle) @ u).min()) - _HAND_DEPTH_M)
        start = middle + u * (back - _GAP_M)
        for run_up, yaw in ((r, y) for r in run_ups_m for y in (angle, angle + np.pi)):
            poses = _poses(start - u * run_up, yaw, u, height_m, distance_m + _GAP_M + run_up + _SPARE_M)
            model.opening_m = opening_m
            choice = _choice(model, poses, q_near)
            if choice is None:
                continue
            q_above, down, along = choice
            touch = _first_touch(model, name, along)
            if touch is not None:
                along = along[: touch + round(distance_m / _STEP_M)]
                room = room_ahead(points, others, u, distance_m)
                found.append(PushChoice(q_above, down, along, u, opening_m, room))
                break
    found.sort(key=lambda choice: -round(choice.room_m, 3))
    return found


def _poses(start: F64, yaw: float, u: F64, height_m: float, travel_m: float) -> tuple[F64, F64, F64]:
    """Return the tcp poses above the start, at the start, and at the end of a push."""
    low = top_down((*start, height_m), yaw)
    high, end = low.copy(), low.copy()
    high[2, 3] += _ABOVE_M
    end[:2, 3] += u * travel_m
    return high, low, end


def _choice(model: CollisionModel, poses: tuple[F64, F64, F64], q_near: F64) -> tuple[F64, F64, F64] | None:
    high, low, end = poses
    q_all = solutions(low, samples=24)
    for q in q_all[np.argsort(np.abs(q_all - q_near).max(axis=1), kind="stable")][:10]:
        if not model.free(q[None], _START_CLEARANCE):
            continue
        up = follow(q, line(low, high))
        along = _along(q, line(low, end, step_m=_STEP_M))
        if up is None or along is None or not model.free(up, _START_CLEARANCE):
            continue
        down = np.concatenate([up[-2::-1], q[None]])
        return up[-1], down, along
    return None


def _first_touch(model: CollisionModel, name: str, along: F64) -> int | None:
    """Return the first row of a path at which the hand meets the hull of one object, whatever else is in the way."""
    model.ignore(other for other in model.objects if other != name)
    hit = model.first_hit(along, Clearance(0.0, -1.0))
    model.ignore(())
    return None if hit is None else hit[0]


def _along(q: F64, poses: F64) -> F64 | None:
    """Follow a long line; where the last joint cannot keep its angle, let it turn evenly on the way."""
    for turn in (0.0, 0.5, -0.5, 1.0, -1.0):
        path = follow(q, poses, wrist_rad=q[6] + turn * np.arange(1, len(poses) + 1) / len(poses))
        if path is not None:
            return path
    return None


def room_ahead(points: F64, others: Sequence[F64], u: F64, most_m: float) -> float:
    """Return how far the object can go along `u` before its outline, seen from above, comes beside another one."""
    across = np.array([-u[1], u[0]])
    front = float((points[:, :2] @ u).max())
    low, high = float((points[:, :2] @ across).min()), float((points[:, :2] @ across).max())
    room = most_m
    for other in others:
        sides = other[:, :2] @ across
        ahead = float((other[:, :2] @ u).min()) - front
        if sides.max() > low and sides.min() < high and float((other[:, :2] @ u).max()) > front:
            room = min(room, max(ahead, 0.0))
    return room
