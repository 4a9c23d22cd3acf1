"""Wiping: pinch the sponge, rub the inner bottom of the pot in rows at a light force, put the sponge back."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from maniguard.planning import NEAR, Clearance, GraspChoice, Pace, Segment, follow, grasp_choices, line
from maniguard.planning.frames import inverted, top_down
from maniguard.planning.kinematics import F64
from maniguard.policies.scripted.dusty.feeling import RATE_HZ, Steps, force_n, one_step
from maniguard.policies.scripted.dusty.ways import find_way, only, postures
from maniguard.policies.scripted.script import NoPlanError, View
from maniguard.sim import Grasp
from maniguard.trace.scene import Pose

BRISK = Pace(velocity_share=0.5, tcp_m_s=0.25, tcp_rad_s=1.2, ramp_s=0.3)
# With nothing in the hand, or with a sponge that weighs next to nothing.
SWIFT = Pace(velocity_share=0.6, acceleration_share=0.6, tcp_m_s=0.5, tcp_rad_s=2.0, ramp_s=0.3)
WIPE_M_S = 0.13
# The force that the hand aims at is within these; beyond, it comes down or goes up by a little each control step.
LIGHT_N, FIRM_N = 4.0, 9.0
DOWN_M, UP_M = 0.0008, 0.0006
TOUCH_M_S = 0.03
# A pinch with its pads below the sponge's top edge, high enough for the palm to stay above the pot's rim.
PINCH_BELOW_TOP_M = 0.0105
PINCH_HIGHEST_M = 0.032
# Half the outer depth and the reach beyond the pads of the fingers; what they and the sponge keep from the wall.
FINGER_HALF_M, FINGER_BEYOND_M, WALL_GAP_M = 0.011, 0.017, 0.005
ROW_OVERLAP_M = 0.006
OVER_RIM_M = 0.05
PUT_GAP_M = 0.003
CLEAN_ENOUGH = 0.97
PASSES = 3


@dataclass(frozen=True, eq=False)
class Rub:
    """Rows to rub in the frame of the pot: middles of the sponge (K, 2) along the way, at one yaw."""

    middles: F64
    yaw_rad: float


def pinch(view: View) -> tuple[Grasp, ...]:
    """Return the grasps of the sponge with which it is wiped: stored ones across the middle, taken higher up."""
    sponge = only(view, "sponge")
    top = view.height_m(sponge.name)
    z = min(top - PINCH_BELOW_TOP_M, PINCH_HIGHEST_M)
    out = []
    for grasp in sponge.grasps:
        x, y, _ = grasp.object_T_tcp.position_m
        if abs(x) + abs(y) < 1e-6:
            pose = Pose((x, y, z), grasp.object_T_tcp.quat_wxyz)
            out.append(Grasp(grasp.name, pose, grasp.opening_m, grasp.width_m, grasp.kind))
    return tuple(out)


def take_sponge(view: View) -> Steps:
    """Pinch the sponge and lift it a little."""
    sponge = only(view, "sponge")
    for near in postures(view):
        for choice in grasp_choices(view.model, sponge.name, view.pose(sponge.name), pinch(view), near):
            view.model.ignore(())
            segments = reach(view, choice, 0.05)
            if segments is not None:
                return (yield segments)
    raise NoPlanError("the sponge cannot be taken")


def reach(view: View, choice: GraspChoice, lift_m: float) -> list[Segment] | None:
    """Plan the way to a grasp, the closing of the fingers and a short lift; None when there is no way in."""
    move = view.arm.move_to(choice.q_before, opening=choice.opening, pace=SWIFT)
    if move is None:
        return None
    approach = view.arm.through(choice.approach, "approach", pace=BRISK)
    close = view.arm.grip(0.0, duration_s=0.4, wait_s=0.15)
    up = choice.world_T_tcp.copy()
    up[2, 3] += lift_m
    lift = view.arm.line_to(up, "lift", None, pace=NEAR)
    return None if lift is None else [loose(move), approach, close, loose(lift)]


def loose(segment: Segment) -> Segment:
    """Return a segment that need not come to rest before the next one."""
    return replace(segment, settle_rad=0.03, settle_steps=4)


def wipe(view: View) -> Steps:
    """Bring the held sponge over the pot, down to its bottom, rub until it is clean, and come up again."""
    pot, sponge = only(view, "pot"), only(view, "sponge")
    for number in range(PASSES):
        held = view.in_hand(sponge.name)
        found = _approach(view, held, number)
        if found is None:
            raise NoPlanError("the bottom of the pot cannot be reached with the sponge")
        segment, rub, yaw = found
        view = yield [loose(segment)]
        view = yield from _press(view)
        for middle in _dense(rub.middles):
            target = view.pose(pot.name)[:3, :3] @ np.array([*middle, 0.0]) + view.pose(pot.name)[:3, 3]
            tcp = top_down((0.0, 0.0, 0.0), yaw)
            tcp[:2, 3] = target[:2] - (tcp @ held)[:2, 3]
            tcp[2, 3] = view.arm.tcp[2, 3] + _correction_m(view)
            view = yield [one_step(view, tcp)]
        up = view.arm.tcp
        up[2, 3] = _rim_m(view) + OVER_RIM_M + view.height_m(sponge.name) / 2
        rise = view.arm.line_to(up, "lift", None, pace=BRISK)
        if rise is None:
            raise NoPlanError("the sponge cannot be lifted out of the pot")
        view = yield [loose(rise)]
        left, there = int(view.frame.dust_left[0]), view.scene.dust_groups[0].count
        if left <= (1.0 - CLEAN_ENOUGH) * there:
            break
    return view


def put_back(view: View, place: F64) -> Steps:
    """Bring the held sponge to a pose (4, 4) on the table and let go of it."""
    sponge = only(view, "sponge")
    held = view.in_hand(sponge.name)
    view.model.hold(sponge.name, held)
    path = None
    # A sponge looks the same turned by a half.
    for half_turn in (np.eye(3), np.diag([-1.0, -1.0, 1.0])):
        goal = place.copy()
        goal[:3, :3] = goal[:3, :3] @ half_turn
        goal[2, 3] += PUT_GAP_M
        end = goal @ inverted(held)
        # The fingers point straight down, however the sponge has turned in them.
        end[:3, :3] = top_down((0, 0, 0), float(np.arctan2(end[1, 0], end[0, 0])))[:3, :3]
        above = end.copy()
        above[2, 3] += 0.06
        path = find_way(view.model, view.arm.q, view.arm.tcp, above, _carry_m(view), Clearance(0.012, 0.004))
        if path is not None:
            break
    view.model.hold(None)
    if path is None:
        raise NoPlanError("the sponge cannot be brought back")
    over = view.arm.through(path, "carry", pace=SWIFT)
    down = view.arm.line_to(end, "carry", None, pace=BRISK)
    if down is None:
        raise NoPlanError("the sponge cannot be put down")
    release = view.arm.grip(1.0, duration_s=0.35, wait_s=0.05)
    away = view.arm.tcp.copy()
    away[2, 3] += 0.05
    up = view.arm.line_to(away, "retreat", None, pace=BRISK)
    if up is None:
        raise NoPlanError("the hand cannot be drawn back")
    return (yield [loose(over), down, release, loose(up)])


def rows(dust: F64, half_m: tuple[float, float], wall_m: float, yaw_rad: float) -> F64 | None:
    """Return middles of the sponge (K, 2) that rub over all `dust` (N, 2), as a polyline in the pot's frame.

    `half_m` are the sponge's half length and half width, `wall_m` the inner radius of the pot. Rows run along the
    sponge's length at `yaw_rad`; None when the wall keeps the sponge from some of the dust.
    """
    c, s = np.cos(yaw_rad), np.sin(yaw_rad)
    turn = np.array([[c, s], [-s, c]])
    own = dust @ turn.T
    long, wide = half_m[0] - ROW_OVERLAP_M / 2, half_m[1] - ROW_OVERLAP_M / 2
    low, high = float(own[:, 1].min()) + wide, float(own[:, 1].max()) - wide
    count = 1 if high <= low else int(np.ceil((high - low) / (2 * wide) - 1e-9)) + 1
    across = [(low + high) / 2] if count == 1 else list(np.linspace(low, high, count))
    out: list[tuple[float, float]] = []
    for number, y in enumerate(across):
        here = own[np.abs(own[:, 1] - y) <= wide + 1e-9, 0]
        if not len(here):
            continue
        first, last = float(here.min()) + long, float(here.max()) - long
        ends = [first, last] if last > first else [(first + last) / 2]
        for x in ends if number % 2 == 0 else ends[::-1]:
            if _outermost(x, y, half_m) > wall_m - WALL_GAP_M:
                return None
            out.append((x, y))
    return np.array(out) @ turn


def _outermost(x: float, y: float, half_m: tuple[float, float]) -> float:
    """Return how far from the pot's middle the sponge and the fingers beside it reach."""
    sponge = np.hypot(abs(x) + half_m[0], abs(y) + half_m[1])
    fingers = np.hypot(abs(x) + FINGER_HALF_M, abs(y) + half_m[1] + FINGER_BEYOND_M)
    return float(max(sponge, fingers))


def _approach(view: View, held: F64, number: int) -> tuple[Segment, Rub, float] | None:
    """Plan the way over the pot to above where the rubbing begins; the yaw of the hand is the one that is near."""
    pot, sponge = only(view, "pot"), only(view, "sponge")
    size = np.ptp(np.asarray(view.hull(sponge.name).vertices_m), axis=0)
    (dust,) = view.spec.dust
    flat = np.asarray(dust.positions_m)[:, :2]
    world_T_pot = view.pose(pot.name)
    floor = float(dust.positions_m[0][2]) + world_T_pot[2, 3]
    pot_yaw = float(np.arctan2(world_T_pot[1, 0], world_T_pot[0, 0]))
    held_yaw = float(np.arctan2(held[1, 0], held[0, 0]))
    options = []
    for quarter in range(8):
        yaw = quarter * np.pi / 4 + (number % 2) * np.pi / 2
        middles = rows(flat, (size[0] / 2, size[1] / 2), inner_radius_m(view), yaw)
        if middles is not None:
            length = float(np.linalg.norm(np.diff(middles, axis=0), axis=1).sum())
            options.append((round(length, 3), yaw, middles))
    shortest = min((option[0] for option in options), default=0.0)
    start = view.arm.tcp
    facing = float(np.arctan2(start[1, 0], start[0, 0]))
    near: list[tuple[float, float, F64]] = []
    for length, yaw, middles in options:
        if length > shortest + 0.06:
            continue
        # Pointing down, the hand's x turns against the sponge's by what the grasp says; modulo a half turn.
        world_yaw = yaw + pot_yaw
        hand = world_yaw + held_yaw
        for flip in (0.0, np.pi):
            turn = (hand + flip - facing + np.pi) % (2 * np.pi) - np.pi
            near.append((abs(turn) + 4.0 * (length - shortest), facing + turn, middles))
    view.model.hold(sponge.name, held)
    view.model.ignore((pot.name,))
    try:
        for _, yaw, middles in sorted(near, key=lambda item: item[0]):
            tcp = top_down((0.0, 0.0, 0.0), yaw)
            at = world_T_pot[:3, :3] @ np.array([*middles[0], 0.0]) + world_T_pot[:3, 3]
            tcp[:2, 3] = at[:2] - (tcp @ held)[:2, 3]
            lowest = float((np.asarray(view.hull(sponge.name).vertices_m) @ (tcp @ held)[:3, :3].T)[:, 2].min())
            tcp[2, 3] = floor + 0.006 - lowest - (tcp @ held)[2, 3]
            path = find_way(view.model, view.arm.q, start, tcp, _carry_m(view), Clearance(0.012, -0.01))
            if path is not None and _reachable(path[-1], tcp, middles, world_T_pot):
                return view.arm.through(path, "carry", pace=SWIFT), Rub(middles, yaw), yaw
    finally:
        view.model.hold(None)
        view.model.ignore(())
    return None


def _reachable(q: F64, tcp: F64, middles: F64, world_T_pot: F64) -> bool:
    offset = tcp[:2, 3] - (world_T_pot[:2, :2] @ middles[0])
    for middle in middles[1:]:
        end = tcp.copy()
        end[:2, 3] = world_T_pot[:2, :2] @ middle + offset
        path = follow(q, line(tcp, end))
        if path is None:
            return False
        q, tcp = path[-1], end
    return True


def _press(view: View) -> Steps:
    """Come down until the sponge presses on the bottom."""
    for _ in range(40):
        if force_n(view) >= LIGHT_N / 2:
            return view
        tcp = view.arm.tcp
        tcp[2, 3] -= TOUCH_M_S / RATE_HZ
        view = yield [one_step(view, tcp)]
    raise NoPlanError("the sponge does not meet the bottom of the pot")


def _correction_m(view: View) -> float:
    force = force_n(view)
    return -DOWN_M if force < LIGHT_N else UP_M if force > FIRM_N else 0.0


def _dense(middles: F64) -> F64:
    """Return points a control step apart along a polyline; slow at its corners."""
    step = WIPE_M_S / RATE_HZ
    out = [middles[0]]
    for start, end in pairwise(middles):
        length = float(np.linalg.norm(end - start))
        count = max(2, int(np.ceil(length / step)) + 2)
        shares = (1.0 - np.cos(np.pi * np.arange(1, count + 1) / count)) / 2.0 if count < 6 else _eased(count)
        out.extend(start + share * (end - start) for share in shares)
    return np.array(out)


def _eased(count: int) -> F64:
    speed = np.ones(count)
    speed[[0, -1]] = 0.35
    speed[[1, -2]] = 0.75
    return np.asarray(np.cumsum(speed) / speed.sum())


def inner_radius_m(view: View) -> float:
    """Return the inner radius of the pot where the sponge moves."""
    interior = view.scene.entity(only(view, "pot").name).interior
    if interior is None or interior.shape != "cylinder":
        raise NoPlanError("the pot has no round inside")
    return float(interior.size_m[0])


def _rim_m(view: View) -> float:
    return float(view.points(only(view, "pot").name)[:, 2].max())


def _carry_m(view: View) -> float:
    """Return the height of the tcp at which the sponge passes over everything."""
    name = only(view, "sponge").name
    tallest = max(float(points[:, 2].max()) for points in view.others(name))
    return tallest + view.height_m(name) + 0.02
