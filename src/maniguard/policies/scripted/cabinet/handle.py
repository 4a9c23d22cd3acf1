"""Moves at the handle of the cabinet's drawer: pull it open, let go of it, push it shut."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from maniguard.planning import Clearance, Pace, Segment, follow, line, solutions
from maniguard.planning.kinematics import F64
from maniguard.planning.pick import HALF_TURN
from maniguard.policies.scripted.cabinet.drawer import Drawer
from maniguard.policies.scripted.cabinet.moves import IN, go, retreat
from maniguard.policies.scripted.script import NoPlanError, View
from maniguard.sim.robot import MAX_OPENING_M

PULL = Pace(velocity_share=0.5, tcp_m_s=0.18, tcp_rad_s=0.6, ramp_s=0.4)
SHUT = Pace(velocity_share=0.4, tcp_m_s=0.13, tcp_rad_s=0.6, ramp_s=0.4)
HANDLE_CLEARANCE = Clearance(0.008, 0.004)
BACK_M = 0.10
AWAY_M = 0.08
# A finger's half depth: how far the tcp stays before what the closed fingers push.
FINGER_M = 0.0105
_PULLS = 24
_TURNS = (0.0, 0.5, -0.5, 1.0, -1.0)


def opened(
    view: View, drawer: Drawer, pull_m: float, *, pace: Pace = PULL, through: Sequence[str] = ()
) -> list[Segment]:
    """Plan to grasp the handle from the front and pull the drawer by `pull_m`, still holding it at the end.

    The pull passes over what is named in `through`; the way to the handle does not.
    """
    model = view.model
    model.opening_m = drawer.grasp.opening_m
    here = drawer.opening_m
    reached = 0
    for q, q_before, inward, along, back in _pulls(view, drawer, pull_m):
        model.opening_m = drawer.grasp.opening_m
        model.ignore((drawer.body_part,))
        if not model.free(inward, HANDLE_CLEARANCE):
            continue
        model.ignore((drawer.body_part, *through))
        if not all(model.free(path, HANDLE_CLEARANCE) for path in (along, back)):
            continue
        reached += 1
        model.ignore(())
        opening = drawer.grasp.opening_m / MAX_OPENING_M
        move = go(view, q_before, opening)
        if move is None:
            continue
        return [
            move,
            view.arm.through(np.concatenate([inward, q[None]]), "approach", pace=IN),
            view.arm.grip(0.0, duration_s=0.4, wait_s=0.2),
            view.arm.through(along, "retreat", pace=pace),
        ]
    raise NoPlanError(f"the handle at {here:.2f} m open cannot be pulled; {reached} postures would do, none is reached")


def _pulls(view: View, drawer: Drawer, pull_m: float) -> Iterator[tuple[F64, F64, F64, F64, F64]]:
    """Yield postures at the handle (7,), before it (7,), and paths (W, 7) in, along the pull, and back from there."""
    found = []
    for turn in (np.eye(4), HALF_TURN):
        pose = drawer.handle(drawer.opening_m) @ turn
        far, end = pose.copy(), drawer.handle(drawer.opening_m + pull_m) @ turn
        far[:3, 3] -= BACK_M * pose[:3, 2]
        behind = end.copy()
        behind[:3, 3] -= AWAY_M * end[:3, 2]
        for q in solutions(pose, samples=48):
            outward = follow(q, line(pose, far))
            if outward is None:
                continue
            along = _along(q, line(pose, end))
            back = None if along is None else follow(along[-1], line(end, behind))
            if along is None or back is None:
                continue
            found.append((float(np.abs(outward[-1] - view.arm.q).max()), q, outward, along, back))
    found.sort(key=lambda item: item[0])
    for _, q, outward, along, back in found[:_PULLS]:
        yield q, outward[-1], outward[-2::-1], along, back


def _along(q: F64, poses: F64) -> F64 | None:
    for turn in _TURNS:
        path = follow(q, poses, wrist_rad=q[6] + turn * np.arange(1, len(poses) + 1) / len(poses), jump_rad=0.15)
        if path is not None:
            return path
    return None


def contents(view: View, drawer: Drawer) -> list[str]:
    """Return the names of what is in the drawer as it stands now."""
    found = []
    for spec in view.spec.objects:
        if spec.name != drawer.name:
            middle = drawer.local(view.points(spec.name)).mean(axis=0) + np.array([drawer.opening_m, 0.0, 0.0])
            if np.all(middle > drawer.closed_low) and np.all(middle < drawer.closed_high):
                found.append(spec.name)
    return found


def let_go(view: View, drawer: Drawer) -> list[Segment]:
    """Plan to open the fingers at the handle and to draw the hand back."""
    release = view.arm.grip(drawer.grasp.opening_m / MAX_OPENING_M, duration_s=0.3, wait_s=0.1)
    return [release, retreat(view, AWAY_M)]


def shut(view: View, drawer: Drawer, *, beyond_m: float = 0.004) -> list[Segment]:
    """Plan to push the handle with closed fingers that point down until the drawer is shut, and draw the hand back."""
    _, y, z = drawer.handle_m
    outer = float(drawer.closed_low[0]) - FINGER_M
    start_x, end_x = outer - drawer.opening_m - 0.025, outer + beyond_m
    across = drawer.world_T_cabinet[:3, 1]
    for aside in (0.0, 0.015, -0.015):
        for sign in (1.0, -1.0):
            start, end = np.eye(4), np.eye(4)
            down = np.array([0.0, 0.0, -1.0])
            closing = sign * across
            start[:3, :3] = np.stack([np.cross(closing, down), closing, down], axis=1)
            end[:3, :3] = start[:3, :3]
            start[:3, 3], end[:3, 3] = drawer.point(start_x, y + aside, z), drawer.point(end_x, y + aside, z)
            segments = _shut(view, drawer, start, end)
            if segments is not None:
                return segments
    raise NoPlanError("the hand cannot push the drawer shut")


def _shut(view: View, drawer: Drawer, start: F64, end: F64) -> list[Segment] | None:
    model = view.model
    model.opening_m = 0.0
    q_all = solutions(start, samples=36)
    for q in q_all[np.argsort(np.abs(q_all - view.arm.q).max(axis=1), kind="stable")][:10]:
        model.ignore(())
        if not model.free(q[None], HANDLE_CLEARANCE):
            continue
        along = _along(q, line(start, end))
        if along is None:
            continue
        # What lies in the drawer goes along with it.
        model.ignore((drawer.body_part, *contents(view, drawer)))
        if not model.free(along, Clearance(0.003, 0.004)):
            continue
        model.ignore(())
        move = go(view, q, 0.0)
        if move is None:
            continue
        push = view.arm.through(along, "push", pace=SHUT)
        return [move, push, view.arm.hold(0.15)]
    return None
