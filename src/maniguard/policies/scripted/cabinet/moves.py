"""Moves of the cabinet's scripts: take something, carry it aside or into the drawer, set it down."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from maniguard.bench.layout import BASE_RADIUS_M, footprint, inside, is_clear
from maniguard.planning import (
    Clearance,
    CollisionModel,
    GraspChoice,
    Pace,
    Segment,
    follow,
    grasp_choices,
    inverted,
    line,
    outline,
    pose_of,
    solutions,
    steady,
    turn_about_z,
)
from maniguard.planning.kinematics import F64
from maniguard.planning.pick import CARRY_CLEARANCE, LIFT_CLEARANCE
from maniguard.policies.scripted.cabinet.drawer import Drawer
from maniguard.policies.scripted.script import NoPlanError, View
from maniguard.sim.robot import MAX_OPENING_M
from maniguard.trace.scene import Pose

# The task is long; what can be brisk without harm is.
GO = Pace(velocity_share=0.6, acceleration_share=0.6, tcp_m_s=0.65, tcp_rad_s=2.4)
IN = Pace(velocity_share=0.4, tcp_m_s=0.18, tcp_rad_s=0.8, ramp_s=0.3)
OUT = Pace(velocity_share=0.5, tcp_m_s=0.35, tcp_rad_s=1.2, ramp_s=0.3)
UP = Pace(velocity_share=0.45, tcp_m_s=0.28, tcp_rad_s=0.8, ramp_s=0.4)
OVER = Pace(velocity_share=0.5, tcp_m_s=0.38, tcp_rad_s=1.4, ramp_s=0.5)
DOWN = Pace(velocity_share=0.35, tcp_m_s=0.16, tcp_rad_s=0.8, ramp_s=0.4)
LOWER_CLEARANCE = Clearance(0.007, 0.0015)
# At its end what is held is about to lie on what is below it.
TOUCH = Clearance(0.002, 0.0015)
# What a way through the scene needs at its ends.
FREE_CLEARANCE = Clearance(0.0105, 0.0045)
RAISES_M = (0.08, 0.13, 0.19, 0.26, 0.34)
GAP_M = 0.004
ASIDE_GAP_M = 0.035
_CHOICES = 8
_SEARCHES = 3
_SPOTS = 8
_LATER_GRASPS = 3
_WRISTS = 5


@dataclass(frozen=True, eq=False)
class Carried:
    """A thing that has been planned for: how it is grasped, joint paths up, over and down, where it shall end."""

    name: str
    choice: GraspChoice
    lift: F64
    over: F64
    lower: F64
    world_T_tcp: F64
    world_T_object: F64


def ways_to_hold(view: View, name: str, *, downward: bool) -> list[GraspChoice]:
    """Return how an object can be grasped here, best first; `downward` leaves grasps from the side out."""
    spec = view.spec.object(name)
    hull = np.asarray(view.hull(name).vertices_m)
    middle = (hull.max(axis=0) + hull.min(axis=0)) / 2
    grasps = steady(spec.grasps, middle, spec.mass_kg) or spec.grasps
    if downward:
        grasps = tuple(g for g in grasps if g.kind != "side")
    return grasp_choices(view.model, name, view.pose(name), grasps, view.arm.q)


def carry(view: View, name: str, choice: GraspChoice, ends: Sequence[F64], raises_m: Sequence[float]) -> Carried | None:
    """Return how to bring an object so that the tcp ends at one of `ends` (4, 4), level all the way, or None."""
    model, world_T_object = view.model, view.pose(name)
    tcp_T_object = inverted(choice.world_T_tcp) @ world_T_object
    model.ignore(())
    model.hold(name, tcp_T_object)
    model.opening_m = choice.grasp.width_m
    try:
        for raise_m in raises_m:
            raised = choice.world_T_tcp.copy()
            raised[2, 3] += raise_m
            lift = follow(choice.q_grasp, line(choice.world_T_tcp, raised))
            if lift is None or not model.free(lift, LIFT_CLEARANCE):
                continue
            for end in ends:
                found = _over(model, lift[-1], raised, end)
                if found is not None:
                    return Carried(name, choice, lift, *found, end, end @ tcp_T_object)
    finally:
        model.hold(None)
        model.place({name: world_T_object})
    return None


def _over(model: CollisionModel, q: F64, raised: F64, end: F64) -> tuple[F64, F64] | None:
    poses = _around(raised, end)
    if end[2, 3] > poses[-1][2, 3] - 0.005:
        return None
    down = line(poses[-1], end)
    ends = solutions(end, samples=24)
    if not len(ends):
        return None
    near = ends[np.argsort(np.abs(ends - q).max(axis=1), kind="stable")][:_WRISTS, 6]
    shares = np.arange(1, len(poses) + 1) / len(poses)
    for wrist in dict.fromkeys([float(q[6]), *(float(v) for v in near)]):
        over = follow(q, poses, wrist_rad=q[6] + (wrist - q[6]) * shares, jump_rad=0.15)
        lower = None if over is None else follow(over[-1], down)
        if over is None or lower is None:
            continue
        if model.free(over, CARRY_CLEARANCE) and model.free(lower[:-2], LOWER_CLEARANCE) and model.free(lower, TOUCH):
            return over, lower
    return None


def _around(start: F64, end: F64) -> F64:
    """Return tcp poses (P, 4, 4) at an even height about the base from `start` to over `end`, turning evenly."""
    r0, a0 = np.hypot(*start[:2, 3]), np.arctan2(start[1, 3], start[0, 3])
    r1, a1 = np.hypot(*end[:2, 3]), np.arctan2(end[1, 3], end[0, 3])
    delta = end[:3, :3] @ start[:3, :3].T
    turn = float(np.arctan2(delta[1, 0], delta[0, 0]))
    length = max(abs(r1 - r0), abs(a1 - a0) * max(r0, r1), 0.15 * abs(turn), 1e-6)
    count = max(2, int(np.ceil(length / 0.012)))
    out = np.empty((count, 4, 4))
    for index in range(count):
        share = (index + 1) / count
        radius, angle = r0 + share * (r1 - r0), a0 + share * (a1 - a0)
        out[index] = np.eye(4)
        out[index, :3, :3] = turn_about_z(share * turn) @ start[:3, :3]
        out[index, :3, 3] = radius * np.cos(angle), radius * np.sin(angle), start[2, 3]
    return out


def picked(view: View, carried: Carried) -> list[Segment]:
    """Plan the way to a grasp, the grasp, and the carry up to above its end; NoPlanError when the way in is barred."""
    view.model.ignore(())
    move = go(view, carried.choice.q_before, carried.choice.opening)
    if move is None:
        raise NoPlanError(f"the hand cannot reach {carried.name!r}")
    return [
        move,
        view.arm.through(carried.choice.approach, "approach", pace=IN),
        view.arm.grip(0.0, duration_s=0.5, wait_s=0.2),
        view.arm.through(carried.lift, "lift", pace=UP),
        view.arm.through(carried.over, "carry", pace=OVER),
    ]


def go(view: View, q: F64, opening: float) -> Segment | None:
    """Plan a way past everything; a search at random that finds none may find one the next time."""
    for _ in range(_SEARCHES):
        move = view.arm.move_to(q, opening=opening, pace=GO)
        if move is not None:
            return move
    return None


def set_down(view: View, carried: Carried, *, gap_m: float = GAP_M, rise_m: float = 0.10) -> list[Segment]:
    """Plan to lower what is in the hand, as it lies there now, to where it shall be, let go, and rise."""
    end, spec = carried.world_T_tcp.copy(), carried.choice
    held = view.in_hand(carried.name)
    ends_at = end @ held
    end[:2, 3] += carried.world_T_object[:2, 3] - ends_at[:2, 3]
    planned = outline(view.hull(carried.name), carried.world_T_object)[:, 2].min()
    end[2, 3] += planned - GAP_M + gap_m - outline(view.hull(carried.name), ends_at)[:, 2].min()
    pause = view.arm.hold(0.1)
    down = view.arm.line_to(end, "carry", None, pace=DOWN)
    if down is None:
        raise NoPlanError(f"{carried.name!r} cannot be lowered to its place")
    settled = view.arm.hold(0.1)
    slack = view.arm.grip(min(1.0, spec.grasp.width_m / MAX_OPENING_M), duration_s=0.3, wait_s=0.1)
    release = view.arm.grip(spec.opening, duration_s=0.35, wait_s=0.1)
    return [pause, down, settled, slack, release, retreat(view, rise_m)]


def retreat(view: View, rise_m: float) -> Segment:
    """Plan to draw the hand back along its fingers, as far as the arm can within `rise_m`."""
    start, q_start = view.arm.tcp, view.arm.q.copy()
    for clearance in (FREE_CLEARANCE, None):
        for share in (1.0, 0.8, 0.6, 0.4):
            away = start.copy()
            away[:3, 3] -= share * rise_m * start[:3, 2]
            segment = view.arm.line_to(away, "retreat", None, pace=OUT)
            # The next way starts from here.
            if segment is not None and (clearance is None or view.model.free(view.arm.q[None], clearance)):
                return segment
            view.arm.q = q_start.copy()
    raise NoPlanError("the hand cannot be drawn back")


def set_aside(view: View, name: str, drawer: Drawer) -> Carried:
    """Plan to take an object out of the way of the drawer and to stand it somewhere else; NoPlanError says why not.

    The target is to be taken up again from there, beside the open drawer.
    """
    choices = ways_to_hold(view, name, downward=False)
    if not choices:
        raise NoPlanError(f"no stored grasp of {name!r} can be reached")
    spots = list(_spots(view, name, drawer))
    if name == view.target.name:
        spots = [spot for spot in spots if _taken_later(view, name, drawer, spot)][:_SPOTS]
    if not spots:
        raise NoPlanError(f"there is no room to stand {name!r} aside")
    for choice in choices[:_CHOICES]:
        object_T_tcp = inverted(inverted(choice.world_T_tcp) @ view.pose(name))
        ends = []
        for spot in spots:
            end = spot @ object_T_tcp
            end[:3, :3] = turn_about_z(_bearing(spot) - _bearing(view.pose(name))) @ choice.world_T_tcp[:3, :3]
            # The object turns with the hand, about its own middle.
            turned = end @ inverted(object_T_tcp)
            end[:2, 3] += spot[:2, 3] - turned[:2, 3]
            ends.append(end)
        found = carry(view, name, choice, ends, RAISES_M)
        if found is not None:
            return found
    raise NoPlanError(f"{name!r} can be grasped in {len(choices)} ways, none of which lets it be set aside")


def _taken_later(view: View, name: str, drawer: Drawer, spot: F64) -> bool:
    """Return whether an object could be grasped from above at another place, the drawer open."""
    now, standing = view.pose(name), spot.copy()
    standing[2, 3] = now[2, 3]
    view.model.place({drawer.body_part: drawer.at(drawer.travel_m), name: standing})
    grasps = tuple(g for g in view.spec.object(name).grasps if g.kind != "side")
    found = grasp_choices(view.model, name, standing, grasps[:_LATER_GRASPS], view.arm.q)
    view.model.place({drawer.body_part: drawer.at(drawer.opening_m), name: now})
    return bool(found)


def _bearing(pose: F64) -> float:
    return float(np.arctan2(pose[1, 3], pose[0, 3]))


def _spots(view: View, name: str, drawer: Drawer) -> Iterator[F64]:
    """Yield poses on the table where an object is out of the way of drawer and hand, the nearest first."""
    here, hull, table = view.pose(name), view.hull(name), view.spec.table
    others = [
        footprint(view.hull(spec.name), _as_pose(view.pose(spec.name)))
        for spec in view.spec.objects
        if spec.name != name
    ]
    found = []
    for radius in np.arange(0.34, 0.68, 0.04):
        for angle in np.arange(-1.35, 1.36, 0.07):
            pose = here.copy()
            pose[:3, :3] = turn_about_z(angle - _bearing(here)) @ here[:3, :3]
            pose[:2, 3] = radius * np.cos(angle), radius * np.sin(angle)
            pose[2, 3] = here[2, 3] + GAP_M
            local = drawer.local(outline(hull, pose))
            if not _aside(local, drawer):
                continue
            polygon = footprint(hull, _as_pose(pose))
            stands = inside(polygon, table.center_m, table.size_m, 0.05)
            clear_of_base = float(np.linalg.norm(polygon, axis=1).min()) > BASE_RADIUS_M + 0.03
            if stands and clear_of_base and is_clear(polygon, others, ASIDE_GAP_M):
                found.append((float(np.linalg.norm(pose[:2, 3] - here[:2, 3])), pose))
    found.sort(key=lambda item: item[0])
    yield from (pose for _, pose in found[:16])


def _aside(local: F64, drawer: Drawer) -> bool:
    """Return whether an outline in the cabinet's frame is beside the drawer's path and beside the hand before it."""
    low, high = local.min(axis=0), local.max(axis=0)
    beside_drawer = low[1] > drawer.sweep.high[1] + 0.03 or high[1] < drawer.sweep.low[1] - 0.03
    beside_hand = low[1] > 0.13 or high[1] < -0.13
    before = high[0] < drawer.sweep.low[0] - 0.04
    return bool(beside_drawer or (before and beside_hand))


def _as_pose(world_T_object: F64) -> Pose:
    (x, y, z), (w, i, j, k) = (values.tolist() for values in pose_of(world_T_object))
    return Pose((x, y, z), (w, i, j, k))


def into_drawer(view: View, name: str, drawer: Drawer) -> Carried:
    """Plan to take an object and to lower it into the open drawer, the hand's broad side along its front."""
    choices = ways_to_hold(view, name, downward=True)
    if not choices:
        raise NoPlanError(f"no stored grasp of {name!r} from above can be reached")
    over_front = drawer.world_T_cabinet[2, 3] + drawer.top_m + 0.03 - float(view.points(name)[:, 2].min())
    raises = tuple(over_front + more for more in (0.0, 0.06, 0.12) if over_front + more > 0.03)
    for choice in choices[:_CHOICES]:
        ends = list(_ends_inside(view, name, drawer, choice))
        found = carry(view, name, choice, ends, raises)
        if found is not None:
            return found
    raise NoPlanError(f"{name!r} can be grasped in {len(choices)} ways, none of which fits it into the drawer")


def _ends_inside(view: View, name: str, drawer: Drawer, choice: GraspChoice) -> Iterator[F64]:
    tcp_T_object = inverted(choice.world_T_tcp) @ view.pose(name)
    across = drawer.world_T_cabinet[:3, 1]
    want = float(np.arctan2(across[1], across[0]))
    closing = choice.world_T_tcp[:3, 1]
    have = float(np.arctan2(closing[1], closing[0]))
    turns = sorted((float(np.arctan2(np.sin(t), np.cos(t))) for t in (want - have, want - have + np.pi)), key=abs)
    mouth = (drawer.face_x + drawer.front_m - drawer.opening_m) / 2.0
    room_y = drawer.interior.size_m[1] - 0.006
    low_x, high_x = drawer.front_m - drawer.opening_m + 0.006, drawer.face_x - 0.006
    bottom = drawer.world_T_cabinet[2, 3] + drawer.floor_m + GAP_M + 0.001
    for turn in turns:
        rotation = turn_about_z(turn) @ choice.world_T_tcp[:3, :3]
        for x, y in ((mouth + dx, dy) for dy in (0.0, 0.03, -0.03) for dx in (0.0, 0.015, -0.015, 0.03, -0.03)):
            end = np.eye(4)
            end[:3, :3] = rotation
            end[:3, 3] = drawer.point(x, y, 0.0)
            points = outline(view.hull(name), end @ tcp_T_object)
            end[2, 3] += bottom - points[:, 2].min()
            local = drawer.local(points)
            fits_y = np.abs(local[:, 1]).max() < room_y
            if fits_y and local[:, 0].min() > low_x and local[:, 0].max() < high_x:
                yield end
