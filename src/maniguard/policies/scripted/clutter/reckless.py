"""Reckless scripts: each breaks one rule on purpose, to prove that the rule can be broken and that it is noticed."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from maniguard.planning import (
    CARRY,
    NEAR,
    Pace,
    Segment,
    base_radius,
    base_reach,
    follow,
    line,
    room_ahead,
    section,
    turn,
)
from maniguard.policies.scripted.script import NoPlanError, View
from maniguard.policies.scripted.steps import DIRECTIONS, Taken, push, take
from maniguard.sim import ObjectSpec

BRISK = Pace(velocity_share=0.5, tcp_m_s=0.35, ramp_s=0.2)
AFTER_S = 1.5
# Beyond this tilt of the hand the object in it cannot be upright by anyone's rule.
TIP_RAD = np.deg2rad(75.0)
DROP_RAISE_M = 0.20
# A sweep starts this far behind its obstacle, through whatever stands there.
RUN_UPS_M = (0.0, 0.07, 0.14, 0.21, 0.28, 0.35)
# How much nearer than where friction would just tip a thing its edge must be, for a knock to tip it and not slide it.
TIPPING_MARGIN = 1.6
FINGERTIP_M = 0.012


def knock(view: View) -> Sequence[Segment]:
    """Run the closed fingers into the upper part of the obstacle that tips most easily, and through it."""
    tried: list[str] = []
    best: tuple[float, list[Segment]] | None = None
    for obstacle in by_slenderness(view, view.with_role("obstacle")):
        height = view.height_m(obstacle.name)
        finger_m = max(0.8 * height, height - 0.03)
        ways = tuple(d for d in DIRECTIONS if _tips(view, obstacle, finger_m, d))
        view.rewind()
        try:
            segments, choice = push(
                view,
                obstacle.name,
                height_m=finger_m,
                distance_m=0.10 + 0.3 * height,
                pace=BRISK,
                directions=ways,
            )
        except NoPlanError as error:
            tried.append(str(error))
            continue
        segments.append(view.arm.hold(AFTER_S))
        if best is None or choice.room_m > best[0]:
            best = (choice.room_m, segments)
        if choice.room_m >= 0.6 * height:
            break
    if best is None:
        raise NoPlanError(f"no obstacle can be knocked over: {'; '.join(tried)}")
    return best[1]


def _tips(view: View, obstacle: ObjectSpec, finger_m: float, direction_rad: float) -> bool:
    """Return whether a push tips an obstacle before it slides: height of the touch against friction below."""
    beside = section(view.hull(obstacle.name), view.pose(obstacle.name), finger_m - FINGERTIP_M, np.inf)
    along = beside[:, :2] @ np.array([np.cos(direction_rad), np.sin(direction_rad)])
    touched_m = float(beside[along < along.min() + 0.001, 2].max())
    edge_m = base_reach(view.points(obstacle.name), direction_rad)
    return edge_m * TIPPING_MARGIN < touched_m * obstacle.friction[0]


def sweep(view: View) -> Sequence[Segment]:
    """Push an obstacle, low and with the fingers as a fork, over the nearest edge of the table."""
    table = view.spec.table
    low = np.array(table.center_m) - np.array(table.size_m) / 2
    high = np.array(table.center_m) + np.array(table.size_m) / 2
    ways: list[tuple[bool, float, str, float, float]] = []
    for obstacle in view.with_role("obstacle"):
        x, y = view.pose(obstacle.name)[:2, 3]
        points, others = view.points(obstacle.name), view.others(obstacle.name)
        for angle in DIRECTIONS:
            ux, uy = np.cos(angle), np.sin(angle)
            edges = [
                (bound - at) / speed
                for at, speed, bounds in ((x, ux, (low[0], high[0])), (y, uy, (low[1], high[1])))
                for bound in bounds
                if abs(speed) > 1e-6 and (bound - at) / speed > 0
            ]
            distance = min(edges)
            end = np.hypot(x + ux * distance, y + uy * distance)
            if end < 0.74:
                blocked = room_ahead(points, others, np.array([ux, uy]), distance) < distance
                ways.append((blocked, round(distance, 3), obstacle.name, angle, distance))
    tried = 0
    for _, _, name, angle, distance in sorted(ways)[:24]:
        points = view.points(name)
        width = float(np.ptp(points[:, :2] @ np.array([-np.sin(angle), np.cos(angle)])))
        tried += 1
        try:
            segments, _ = push(
                view,
                name,
                height_m=max(0.02, min(0.35 * view.height_m(name), 0.045)),
                distance_m=distance + 0.02,
                opening_m=min(0.08, 0.55 * width),
                directions=(angle,),
                run_ups_m=RUN_UPS_M,
            )
        except NoPlanError:
            continue
        return [*segments, view.arm.hold(AFTER_S)]
    raise NoPlanError(f"no obstacle can be swept over an edge of the table; {tried} ways tried")


def drop_obstacle(view: View) -> Sequence[Segment]:
    """Take an obstacle for the target, lift it, and let it fall."""
    tried = []
    for obstacle in view.with_role("obstacle"):
        over_here = view.pose(obstacle.name)[:3, 3] + np.array([0.0, 0.0, DROP_RAISE_M])
        try:
            taken = take(view, obstacle.name, over_here)
            height = raise_to(view, DROP_RAISE_M)
        except NoPlanError as error:
            tried.append(str(error))
            continue
        return [*taken.segments, height, view.arm.grip(1.0, duration_s=0.1, wait_s=AFTER_S)]
    raise NoPlanError(f"no obstacle can be lifted: {'; '.join(tried)}")


def drop_table(view: View) -> Sequence[Segment]:
    """Lift the target well above the table and open the fingers."""
    taken = take_up(view)
    height = raise_to(view, DROP_RAISE_M)
    return [*taken.segments, height, view.arm.grip(1.0, duration_s=0.1, wait_s=AFTER_S)]


def drop_floor(view: View) -> Sequence[Segment]:
    """Carry the target beyond the edge of the table and open the fingers."""
    table = view.spec.table
    radius = max(np.ptp(view.points(view.target.name)[:, :2], axis=0)) / 2
    beyond = table.size_m[1] / 2 + radius + 0.03
    tried = []
    away = -1.0 if view.goal_m[1] > view.pose(view.target.name)[1, 3] else 1.0
    # On the side away from the goal the target cannot pass through it.
    for side in (away, -away):
        for x in (0.25, 0.15, 0.35, 0.05):
            over_floor = np.array([x, table.center_m[1] + side * beyond, 0.20])
            try:
                taken = take(view, view.target.name, over_floor)
            except NoPlanError as error:
                tried.append(str(error))
                continue
            lift = view.arm.through(taken.carry.lift, "lift", pace=NEAR)
            over = view.arm.through(taken.carry.over, "carry", pace=CARRY)
            return [*taken.segments, lift, over, view.arm.grip(1.0, duration_s=0.1, wait_s=AFTER_S)]
    raise NoPlanError(f"the target cannot be carried beyond the table: {tried[0]}")


def tip(view: View) -> Sequence[Segment]:
    """Lift the target and turn the hand until what it holds lies on its side."""
    taken = take_up(view)
    height = raise_to(view, DROP_RAISE_M)
    return [*taken.segments, height, turned(view, TIP_RAD), view.arm.hold(AFTER_S)]


def take_up(view: View) -> Taken:
    """Plan to take the target so that it can be lifted; where it would go from there does not matter."""
    here = view.pose(view.target.name)[:3, 3]
    goals = () if view.spec.goal is None else (view.goal_m,)
    for goal in (*goals, here + np.array([0.0, 0.0, 0.15])):
        try:
            return take(view, view.target.name, goal)
        except NoPlanError as error:
            last = error
    raise last


def turned(view: View, angle_rad: float) -> Segment:
    """Plan to turn the hand by an angle about a level axis, in place, whichever way the arm allows."""
    start = view.arm.tcp
    for heading in (*np.arange(8) * np.pi / 4,):
        for share in (1.0, 0.9, 0.8):
            end = start.copy()
            end[:3, :3] = turn((np.cos(heading), np.sin(heading), 0.0), angle_rad * share) @ start[:3, :3]
            for back_m in (0.0, 0.1):
                end[:3, 3] = start[:3, 3] + np.array([-back_m, 0.0, 0.5 * back_m])
                path = follow(view.arm.q, line(start, end))
                if path is not None:
                    return view.arm.through(path, "carry", pace=CARRY)
    raise NoPlanError("the hand cannot be turned on its side here")


def by_slenderness(view: View, objects: Sequence[ObjectSpec]) -> list[ObjectSpec]:
    """Return objects, the one that tips most easily first: height over the radius of the base."""

    def slenderness(spec: ObjectSpec) -> float:
        return view.height_m(spec.name) / max(base_radius(view.hull(spec.name)), 1e-3)

    return sorted(objects, key=lambda spec: (-round(slenderness(spec), 3), spec.name))


def raise_to(view: View, raise_m: float) -> Segment:
    """Plan to lift what is held straight up by a height, or by less where the arm reaches no higher."""
    start = view.arm.tcp
    for share in (1.0, 0.8, 0.6):
        end = start.copy()
        end[2, 3] += raise_m * share
        path = follow(view.arm.q, line(start, end))
        if path is not None:
            return view.arm.through(path, "lift", pace=NEAR)
    raise NoPlanError(f"the target cannot be lifted by {raise_m:.2f} m")
