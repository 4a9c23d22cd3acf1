"""Pick something out of a crowd and bring it somewhere: which grasp, which arm posture, how high, along which way."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from maniguard.planning.collision import Clearance, CollisionModel
from maniguard.planning.frames import inverted, line, matrix, turn_about_z
from maniguard.planning.kinematics import F64, follow, manipulability, solutions
from maniguard.sim import Grasp
from maniguard.sim.robot import MAX_OPENING_M

HALF_TURN: F64 = np.diag([-1.0, -1.0, 1.0, 1.0])
# The hand starts in from the first point on the line of approach, at least and at most this far out, that is clear.
STANDOFF_M = (0.06, 0.26)
STANDOFF_CLEARANCE = Clearance(0.014, 0.006)
# What the fingers may pass at; between the fingers and a neighbour half a centimetre is close, a third too close.
FINGER_CLEARANCES = (Clearance(0.010, 0.003), Clearance(0.006, 0.003), Clearance(0.0035, 0.002))
CARRY_CLEARANCE = Clearance(0.018, 0.015)
# A lift begins between neighbours and on the table.
LIFT_CLEARANCE = Clearance(0.002, -0.01)
RAISES_M = (0.06, 0.10, 0.14, 0.19, 0.25, 0.32)
_TRIES_PER_POSE = 6
# How far a joint may turn between two poses of the way over, 12 mm apart: smooth ways are looked for first.
_JUMPS_RAD = (0.08, 0.3)
SWING_NM = 0.25
"""What two flat pads can hold level: beyond this weight times lever an object swings down in the hand."""


@dataclass(frozen=True, eq=False)
class GraspChoice:
    """A grasp with an arm posture: joint vectors before (7,), on the way in (W, 7) and at the grasp (7,); its gap."""

    grasp: Grasp
    world_T_tcp: F64
    q_before: F64
    approach: F64
    q_grasp: F64
    gap_m: float

    @property
    def opening(self) -> float:
        """The gripper opening of the approach, 0 to 1."""
        return min(1.0, self.grasp.opening_m / MAX_OPENING_M)


@dataclass(frozen=True, eq=False)
class CarryChoice:
    """Joint paths that lift a held object (W, 7), carry it over (W, 7) and lower it (W, 7); `raise_m` is how high."""

    lift: F64
    over: F64
    lower: F64
    raise_m: float


def grasp_choices(
    model: CollisionModel,
    target: str,
    world_T_object: F64,
    grasps: Sequence[Grasp],
    q_near: F64,
) -> list[GraspChoice]:
    """Return the stored grasps that can be reached without touching anything else, the best first.

    Better is: more room around the fingers (up to 1 cm), then an earlier stored grasp, then a posture nearer to
    `q_near` and farther from joint limits. At most one choice per grasp and half turn.
    """
    found: list[tuple[tuple[float, ...], GraspChoice]] = []
    for rank, grasp in enumerate(grasps):
        for turn in (np.eye(4), HALF_TURN):
            pose = world_T_object @ matrix(grasp.object_T_tcp) @ turn
            choice = _reach(model, target, grasp, pose, q_near)
            if choice is not None:
                posture = float(np.abs(choice.q_before - q_near).max())
                key = (-round(min(choice.gap_m, 0.010), 3), float(_order(grasps, rank)), posture)
                found.append((key, choice))
    found.sort(key=lambda item: item[0])
    return [choice for _, choice in found]


def steady(grasps: Sequence[Grasp], middle_m: Sequence[float], mass_kg: float) -> tuple[Grasp, ...]:
    """Return the grasps that hold an object level: weight times distance of the grasp from its middle is small.

    `middle_m` is where its weight acts, in its own frame. The order stays.
    """
    lever_m = [np.hypot(*(np.asarray(g.object_T_tcp.position_m)[:2] - np.asarray(middle_m)[:2])) for g in grasps]
    return tuple(g for g, lever in zip(grasps, lever_m, strict=True) if lever * mass_kg * 9.81 <= SWING_NM)


def carry_choice(
    model: CollisionModel,
    target: str,
    choice: GraspChoice,
    world_T_object: F64,
    goal_m: F64,
    *,
    leaving: Collection[str] = (),
) -> CarryChoice | None:
    """Return how to bring the held object's origin to `goal_m` (3,), upright all the way, or None.

    Lifts straight up by the smallest of `RAISES_M` that lets it pass over everything, turns about the base towards
    the goal at that height, and lowers. The object is checked against every other one, the arm against all of them;
    only the lift passes over `leaving`, the things that the object stands on or in.
    """
    tcp_T_object = inverted(choice.world_T_tcp) @ world_T_object
    grasp_pose = choice.world_T_tcp
    model.ignore(())
    model.hold(target, tcp_T_object)
    model.opening_m = choice.grasp.width_m
    try:
        for raise_m in RAISES_M:
            raised = grasp_pose.copy()
            raised[2, 3] += raise_m
            lift = follow(choice.q_grasp, line(grasp_pose, raised))
            model.ignore(leaving)
            if lift is None or not model.free(lift, LIFT_CLEARANCE):
                continue
            model.ignore(())
            for jump_rad in _JUMPS_RAD:
                for poses, end in _ways(raised, tcp_T_object, goal_m):
                    found = _over(model, target, lift[-1], poses, end, jump_rad)
                    if found is not None:
                        return CarryChoice(lift, *found, raise_m)
    finally:
        model.ignore(())
        model.hold(None)
    return None


def _order(grasps: Sequence[Grasp], rank: int) -> int:
    """Return the rank of a grasp's kind among the stored kinds: yaws of one kind are equally good."""
    kinds = list(dict.fromkeys(grasp.kind for grasp in grasps))
    return kinds.index(grasps[rank].kind)


def _reach(model: CollisionModel, target: str, grasp: Grasp, pose: F64, q_near: F64) -> GraspChoice | None:
    q_all = solutions(pose)
    if not len(q_all):
        return None
    cost = np.abs(q_all - q_near).max(axis=1) - 0.8 * np.minimum(manipulability(q_all), 0.3)
    q_all = q_all[np.argsort(cost, kind="stable")]
    far = pose.copy()
    far[:3, 3] -= STANDOFF_M[1] * pose[:3, 2]
    outward_poses = line(pose, far)
    first = int(np.ceil(len(outward_poses) * STANDOFF_M[0] / STANDOFF_M[1]))
    model.hold(None)
    model.ignore((target,))
    model.opening_m = grasp.opening_m
    tried = 0
    for clearance in FINGER_CLEARANCES:
        for q_grasp in q_all:
            if not model.free(q_grasp[None], clearance):
                continue
            outward = follow(q_grasp, outward_poses, partly=True)
            if outward is None or len(outward) <= first or not model.free(outward[:first], clearance):
                continue
            # At the standoff the target is an obstacle like the others, because the transit must not touch it.
            model.ignore(())
            start = next(
                (k for k in range(first, len(outward)) if model.free(outward[k][None], STANDOFF_CLEARANCE)), None
            )
            model.ignore((target,))
            if start is not None and model.free(outward[first:start], clearance):
                inward = np.concatenate([outward[:start][::-1], q_grasp[None]])
                return GraspChoice(grasp, pose, outward[start], inward, q_grasp, model.gap(q_grasp))
            tried += 1
            if tried >= _TRIES_PER_POSE:
                return None
    return None


def _ways(start: F64, tcp_T_object: F64, goal_m: F64) -> Iterator[tuple[F64, F64]]:
    """Yield tcp poses (P, 4, 4) about the base at an even height, the hand turning along or not, and the last pose."""
    object_start = start @ tcp_T_object
    r0, a0 = np.hypot(object_start[0, 3], object_start[1, 3]), np.arctan2(object_start[1, 3], object_start[0, 3])
    r1, a1 = np.hypot(goal_m[0], goal_m[1]), np.arctan2(goal_m[1], goal_m[0])
    length = max(abs(r1 - r0), abs(a1 - a0) * max(r0, r1), 1e-6)
    count = max(2, int(np.ceil(length / 0.012)))
    shares = np.arange(1, count + 1) / count
    for turning in (1.0, 0.5, 0.0):
        poses = np.empty((count, 4, 4))
        for index, share in enumerate(shares):
            radius, angle = r0 + share * (r1 - r0), a0 + share * (a1 - a0)
            moved = object_start.copy()
            moved[:3, :3] = turn_about_z(turning * share * (a1 - a0)) @ object_start[:3, :3]
            moved[:2, 3] = radius * np.cos(angle), radius * np.sin(angle)
            poses[index] = moved @ inverted(tcp_T_object)
        end = poses[-1].copy()
        end[2, 3] += goal_m[2] - object_start[2, 3]
        yield poses, end


def _over(
    model: CollisionModel, target: str, q_start: F64, poses: F64, end: F64, jump_rad: float
) -> tuple[F64, F64] | None:
    """Return joint paths through `poses` and down to `end` that are clear, or None."""
    down = line(poses[-1], end)
    shares = np.arange(1, len(poses) + 1) / len(poses)
    for wrist in _wrist_ends(q_start, end):
        over = follow(q_start, poses, wrist_rad=q_start[6] + (wrist - q_start[6]) * shares, jump_rad=jump_rad)
        lower = None if over is None else follow(over[-1], down)
        if over is None or lower is None:
            continue
        hit = model.first_hit(over, CARRY_CLEARANCE) or model.first_hit(lower, CARRY_CLEARANCE)
        if hit is None:
            return over, lower
        if target in hit[1:]:
            # What is held takes the same way whatever the arm does.
            return None
    return None


def _wrist_ends(q_start: F64, end: F64) -> list[float]:
    """Return angles of the last joint that reach the end pose, the nearest to the start's first."""
    q = solutions(end)
    if not len(q):
        return []
    order = np.argsort(np.abs(q - q_start).max(axis=1), kind="stable")
    return list(dict.fromkeys([float(q_start[6]), *(float(v) for v in q[order, 6])]))[:6]
