"""Taking a stack apart: what lies on top, where there is room for it on the table, how it is taken and set down."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from maniguard.bench.layout import BASE_RADIUS_M, REACH_M, footprint, gap
from maniguard.planning import (
    CARRY,
    LIFT,
    NEAR,
    CollisionModel,
    GraspChoice,
    Pace,
    Segment,
    carry_choice,
    follow,
    forward,
    grasp_choices,
    line,
    pose_of,
    steady,
)
from maniguard.planning.kinematics import F64
from maniguard.planning.pick import CarryChoice
from maniguard.policies.scripted.script import NoPlanError, View
from maniguard.sim import Grasp
from maniguard.trace.scene import Pose

Steps = Generator[Sequence[Segment], View, View]
"""Stages of a plan that end with the last view."""

NamedSteps = Generator[Sequence[Segment], View, tuple[View, str]]
"""Stages of a plan that end with the last view and with the name of what was handled."""

LOWER = Pace(velocity_share=0.2, tcp_m_s=0.06, tcp_rad_s=0.4, ramp_s=0.3)
AWAY = Pace(velocity_share=0.35, tcp_m_s=0.2, tcp_rad_s=0.8, ramp_s=0.3)
HOVER_M = 0.03
SET_DOWN_GAP_M = 0.0025
RETREAT_M = 0.09
# Fingers that open beside a thing set down, and those that come for the next one, need this much around it.
ROOM_M = 0.05
TABLE_MARGIN_M = 0.05
_GRASPS_TRIED, _SPOTS_TRIED = 5, 8
_FINGERS_TOUCH_M = 0.004
_HIGHER_M = (0.008, 0.016, 0.024)
_PAD_BELOW_TOP_M = 0.010
_SAG_M = 0.01


@dataclass(frozen=True, eq=False)
class Lifted:
    """One thing that is grasped: how, the way that was planned for it, and the segments up to the closed gripper."""

    name: str
    choice: GraspChoice
    carry: CarryChoice
    segments: tuple[Segment, ...]


def see_inside(view: View) -> None:
    """Let the planner reach into the target: it counts as it is and not with its hull, for all later stages."""
    view.model = CollisionModel(view.scene, (view.target.name,))
    view.model.place_from(view.frame.position_m, view.frame.quat_wxyz)
    view.arm.model = view.model


def on_top(view: View, done: Sequence[str] = ()) -> list[str]:
    """Return the stacked things that nothing lies on, the highest first; those of `done` are off the stack already."""
    names = [spec.name for spec in view.with_role("stacked") if spec.name not in done]
    free = [name for name in names if not any(_lies_on(view, other, name) for other in names if other != name)]
    return sorted(free, key=lambda name: (-lowest(view, name), name))


def lowest(view: View, name: str) -> float:
    """Return the height of a thing's lowest point in m, to the millimetre, as orders need it."""
    return round(float(view.points(name)[:, 2].min()), 3)


def _lies_on(view: View, upper: str, lower: str) -> bool:
    high, low = view.points(upper), view.points(lower)
    if high[:, 2].min() < low[:, 2].min() + _FINGERS_TOUCH_M or high[:, 2].min() > low[:, 2].max() + _FINGERS_TOUCH_M:
        return False
    return gap(_outline(view, upper), _outline(view, lower)) < 0.0


def _outline(view: View, name: str) -> F64:
    position, quat = pose_of(view.pose(name))
    return footprint(view.hull(name), Pose(tuple(position), tuple(quat)))


def spots(view: View, name: str, *, room_m: float = ROOM_M) -> list[F64]:
    """Return free places (x, y) on the table for something, the nearest first: away from all else and from the goal."""
    table, here = view.spec.table, view.pose(name)[:2, 3]
    radius = _radius(view, name)
    outlines = {spec.name: _outline(view, spec.name) for spec in view.spec.objects if spec.name != name}
    low = np.array(table.center_m) - np.array(table.size_m) / 2 + TABLE_MARGIN_M + radius
    high = np.array(table.center_m) + np.array(table.size_m) / 2 - TABLE_MARGIN_M - radius
    clear_of_goal = _radius(view, view.target.name) + radius + 0.02
    below_goal = view.goal_m[2] - view.height_m(view.target.name) / 2 - view.height_m(name) > 0.04
    found: list[tuple[float, F64]] = []
    for distance in np.arange(REACH_M[0] + 0.04, REACH_M[1] - 0.04, 0.03):
        for angle in np.arange(-1.35, 1.351, 0.09):
            place = distance * np.array([np.cos(angle), np.sin(angle)])
            if np.any(place < low) or np.any(place > high) or distance - radius < BASE_RADIUS_M + 0.05:
                continue
            if not below_goal and np.linalg.norm(place - view.goal_m[:2]) < clear_of_goal:
                continue
            circle = place + (radius + room_m) * _CIRCLE
            if any(gap(circle, outline) < 0.0 for outline in outlines.values()):
                continue
            found.append((round(float(np.linalg.norm(place - here)), 4), place))
    found.sort(key=lambda item: item[0])
    return [place for _, place in found]


_CIRCLE = np.stack([np.cos(np.arange(24) * np.pi / 12), np.sin(np.arange(24) * np.pi / 12)], axis=1)


def _radius(view: View, name: str) -> float:
    """Return how far a thing reaches from its origin, seen from above."""
    offset = view.points(name)[:, :2] - view.pose(name)[:2, 3]
    return float(np.linalg.norm(offset, axis=1).max())


def take_to(view: View, name: str, origins_m: Sequence[F64], *, tries: int = _SPOTS_TRIED) -> Lifted:
    """Plan to grasp something so that it can be carried with its origin to one of `origins_m`, tried in order.

    NoPlanError says what fails.
    """
    spec, world_T_object = view.spec.object(name), view.pose(name)
    hull = np.asarray(view.hull(name).vertices_m)
    grasps = steady(spec.grasps, (hull.max(axis=0) + hull.min(axis=0)) / 2, spec.mass_kg) or spec.grasps
    choices = grasp_choices(view.model, name, world_T_object, grasps, view.arm.q)
    for higher_m in _HIGHER_M:
        if not choices:
            # Between walls there may be room only for fingers that do not reach down as far.
            fewer = _shallow(grasps, float(hull[:, 2].max()), higher_m)
            choices = grasp_choices(view.model, name, world_T_object, fewer, view.arm.q)
    if not choices:
        raise NoPlanError(f"no stored grasp of {name!r} can be reached in the stack")
    beneath = [other.name for other in view.spec.objects if other.name != name and _lies_on(view, name, other.name)]
    for choice in _varied(choices)[:_GRASPS_TRIED]:
        for origin in origins_m[:tries]:
            view.model.place({name: world_T_object})
            carry = carry_choice(view.model, name, choice, world_T_object, origin, leaving=beneath)
            view.model.place({name: world_T_object})
            if carry is None or not _goes_on(carry):
                continue
            view.model.ignore(())
            move = view.arm.move_to(choice.q_before, opening=choice.opening)
            if move is None:
                break
            approach = view.arm.through(choice.approach, "approach", pace=NEAR)
            close = view.arm.grip(0.0, duration_s=0.5, wait_s=0.25)
            return Lifted(name, choice, carry, (_on_the_fly(move), approach, close))
    raise NoPlanError(f"{name!r} can be grasped in {len(choices)} ways; none leads to any of {len(origins_m)} places")


def _goes_on(carry: CarryChoice) -> bool:
    """Return whether the hand can go down in a straight line where a carry ends, and up from there."""
    end = carry.lower[-1]
    pose = forward(end)
    for by_m in (-HOVER_M - _SAG_M, RETREAT_M - HOVER_M + _SAG_M):
        to = pose.copy()
        to[2, 3] += by_m
        if follow(end, line(pose, to)) is None:
            return False
    return True


def _shallow(grasps: Sequence[Grasp], top_m: float, higher_m: float) -> tuple[Grasp, ...]:
    """Return the grasps from above, raised, that still hold with whole pads."""
    out = []
    for grasp in grasps:
        x, y, z = grasp.object_T_tcp.position_m
        if grasp.kind == "top" and z + higher_m <= top_m - _PAD_BELOW_TOP_M:
            raised_pose = replace(grasp.object_T_tcp, position_m=(x, y, z + higher_m))
            out.append(replace(grasp, object_T_tcp=raised_pose))
    return tuple(out)


def _varied(choices: Sequence[GraspChoice]) -> list[GraspChoice]:
    """Return grasps in order, but the second of each name (the hand turned by 180 degrees) after the first of all."""
    first: dict[str, GraspChoice] = {}
    for choice in choices:
        first.setdefault(choice.grasp.name, choice)
    return [*first.values(), *(c for c in choices if first[c.grasp.name] is not c)]


def above_table(view: View, name: str, places: Sequence[F64], height_m: float = HOVER_M) -> list[F64]:
    """Return origins (3,) at which something hovers at a height over places on the table."""
    foot = float(np.asarray(view.hull(name).vertices_m)[:, 2].min())
    return [np.array([place[0], place[1], height_m - foot]) for place in places]


def raised(view: View, lifted: Lifted) -> list[Segment]:
    """Plan to lift what was taken, carry it over everything and lower it to where it was meant to go."""
    return [
        _on_the_fly(view.arm.through(lifted.carry.lift, "lift", pace=LIFT)),
        view.arm.through(np.concatenate([lifted.carry.over, lifted.carry.lower]), "carry", pace=CARRY),
    ]


def _on_the_fly(segment: Segment) -> Segment:
    """Return a segment after which nobody waits for the arm to come to rest."""
    return replace(segment, settle_steps=2)


def shifted(view: View, by_m: F64, *, pace: Pace = LOWER) -> Segment:
    """Plan to move the hand by a vector in a straight line; NoPlanError where it does not reach."""
    pose = view.arm.tcp.copy()
    pose[:3, 3] += by_m
    segment = view.arm.line_to(pose, "carry", None, pace=pace)
    if segment is None:
        raise NoPlanError("the hand cannot go on in a straight line")
    return segment


def released(view: View, choice: GraspChoice) -> list[Segment]:
    """Plan to open the fingers evenly and to draw the hand back the way it came."""
    slack = view.arm.grip(min(1.0, choice.grasp.width_m / 0.08), duration_s=0.3, wait_s=0.1)
    release = view.arm.grip(choice.opening, duration_s=0.5, wait_s=0.1)
    away = view.arm.tcp.copy()
    away[:3, 3] -= RETREAT_M * away[:3, 2]
    retreat = view.arm.line_to(away, "retreat", None, pace=AWAY)
    if retreat is None:
        raise NoPlanError("the hand cannot be drawn back")
    return [slack, release, _on_the_fly(retreat)]


def set_down(view: View, lifted: Lifted, place: F64, support_m: float, gap_m: float = SET_DOWN_GAP_M) -> list[Segment]:
    """Plan to lower what hangs in the hand, as measured now, onto a surface at `support_m` over (x, y), and let go."""
    by = np.zeros(3)
    by[:2] = place - view.pose(lifted.name)[:2, 3]
    by[2] = support_m + gap_m - float(view.points(lifted.name)[:, 2].min())
    return [shifted(view, by), view.arm.hold(0.15), *released(view, lifted.choice)]


def pick_top(view: View, done: Sequence[str] = (), *, height_m: float = HOVER_M) -> Lifted:
    """Plan to take one thing off the stack and bring it to a height over a free place; NoPlanError says what fails."""
    last: NoPlanError | None = None
    for name in on_top(view, done):
        try:
            return take_to(view, name, above_table(view, name, spots(view, name), height_m))
        except NoPlanError as error:
            last = error
            view.rewind()
    raise last or NoPlanError("nothing is stacked on the target")


def put_aside(view: View, done: Sequence[str] = (), *, gap_m: float = SET_DOWN_GAP_M) -> NamedSteps:
    """Take one thing off the stack and set it down on the table; ends with the view and its name."""
    lifted = pick_top(view, done)
    view = yield [*lifted.segments, *raised(view, lifted)]
    view = yield set_down(view, lifted, view.pose(lifted.name)[:2, 3], 0.0, gap_m)
    return view, lifted.name


def unload(view: View) -> Steps:
    """Set everything that lies on the target down beside it, piece by piece."""
    done: list[str] = []
    while len(done) < len(view.with_role("stacked")):
        view, name = yield from put_aside(view, done)
        done.append(name)
    return view
