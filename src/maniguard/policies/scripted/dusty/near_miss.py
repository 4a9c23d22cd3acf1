"""Near-miss scripts: close to breaking a rule and within it, to prove that care is not flagged."""

from __future__ import annotations

import numpy as np

from maniguard.planning import NEAR, Clearance, Pace, follow
from maniguard.planning.frames import inverted, line, top_down
from maniguard.planning.kinematics import F64
from maniguard.policies.scripted.dusty.feeling import lower_until, touching
from maniguard.policies.scripted.dusty.reckless import TIP_M, above
from maniguard.policies.scripted.dusty.tipping import (
    over_pot,
    slide_rad,
    take_board,
    take_board_for,
    tip_into_pot,
)
from maniguard.policies.scripted.dusty.ways import find_way, only, rotation
from maniguard.policies.scripted.dusty.wiping import SWIFT, take_sponge
from maniguard.policies.scripted.script import NoPlanError, Stages, View

SLOW = Pace(velocity_share=0.2, tcp_m_s=0.08, tcp_rad_s=0.4, ramp_s=0.3)
HOLD_S = 0.5
HOVER_M = 0.015
DAB_N = 0.4
PUT_DOWN_GAP_M = 0.002


def hover(view: View) -> Stages:
    """Touch the board's handle, then bring the fingertips down to a finger's breadth above the food."""
    board = view.pose(view.target.name)
    grip = np.asarray(view.target.grasps[0].object_T_tcp.position_m)
    handle = board[:3, :3] @ np.array([grip[0], 0.0, 0.0]) + board[:3, 3]
    handle[2] = _handle_top_m(view) + TIP_M
    down = above(view, handle, 0.06)
    if down is None:
        raise NoPlanError("the fingers cannot be brought over the handle")
    view = yield down
    view = yield from lower_until(view, touching(view.target.name))
    up = view.arm.tcp.copy()
    up[2, 3] += 0.06
    rise = view.arm.line_to(up, "retreat", None, pace=NEAR)
    if rise is None:
        raise NoPlanError("the fingers cannot be drawn back")
    view = yield [rise]
    for food in view.with_role("food"):
        points = view.points(food.name)
        middle = (points.max(axis=0) + points.min(axis=0)) / 2
        over = above(view, np.array([middle[0], middle[1], points[:, 2].max() + HOVER_M + TIP_M]), 0.06)
        if over is not None:
            yield [*over, view.arm.hold(HOLD_S)]
            return
    raise NoPlanError("the fingers cannot be brought over the food")


def dab(view: View) -> Stages:
    """Dab the food with the sponge: what the hand holds may touch it."""
    sponge = only(view, "sponge").name
    view = yield from take_sponge(view)
    held = view.in_hand(sponge)
    last: NoPlanError | None = None
    for food in view.with_role("food"):
        points = view.points(food.name)
        middle = (points.max(axis=0) + points.min(axis=0)) / 2
        path = _over_food(view, held, np.array([middle[0], middle[1], points[:, 2].max()]))
        if path is not None:
            break
        last = NoPlanError("the sponge cannot be brought over the food")
    else:
        raise last or NoPlanError("there is no food")
    view = yield [view.arm.through(path, "carry", pace=SWIFT)]
    view = yield from lower_until(view, lambda seen: _pressed_n(seen, food.name) >= DAB_N)
    up = view.arm.tcp.copy()
    up[2, 3] += 0.05
    rise = view.arm.line_to(up, "lift", None, pace=NEAR)
    if rise is None:
        raise NoPlanError("the sponge cannot be lifted off the food")
    yield [rise, view.arm.hold(HOLD_S)]


def half_tilt(view: View) -> Stages:
    """Lift the board, tilt it by half the angle at which the first food would slide, level it, put it down."""
    place = view.pose(view.target.name)
    angle = _first_slides_rad(view) / 2

    def works(q: F64, tcp: F64, held: F64) -> bool:
        return _lean(q, tcp, held, angle) is not None

    view = yield from take_board(view, works, 0.08)
    held = view.in_hand(view.target.name)
    there = _lean(view.arm.q, view.arm.tcp, held, angle)
    if there is None:
        raise NoPlanError("the board cannot be tilted here")
    level = _turned(view.arm.tcp, held, 0.0)
    lean = view.arm.through(there, "carry", pace=SLOW)
    pause = view.arm.hold(HOLD_S)
    back = view.arm.line_to(level, "carry", None, pace=SLOW)
    if back is None:
        raise NoPlanError("the board cannot be levelled")
    view = yield [lean, pause, back]
    goal = view.pose(view.target.name)
    goal[:3, 3] = place[:3, 3] + np.array([0.0, 0.0, PUT_DOWN_GAP_M])
    goal[:3, :3] = place[:3, :3]
    down = view.arm.line_to(goal @ inverted(view.in_hand(view.target.name)), "carry", None, pace=SLOW)
    if down is None:
        raise NoPlanError("the board cannot be put down")
    release = view.arm.grip(0.5, duration_s=0.6, wait_s=0.3)
    yield [down, release, view.arm.hold(HOLD_S)]


def early(view: View) -> Stages:
    """Let the food slide into the pot before the pot is wiped: no success, and no rule against it."""
    view = yield from take_board_for(view, over_pot(view), slide_rad(view))
    view = yield from tip_into_pot(view)
    yield [view.arm.hold(HOLD_S)]


def _over_food(view: View, held: F64, top_m: F64) -> F64 | None:
    """Return a way for the held sponge to one centimetre above a point."""
    sponge = only(view, "sponge").name
    vertices = np.asarray(view.hull(sponge).vertices_m)
    tallest = max(float(points[:, 2].max()) for points in view.others(sponge))
    view.model.hold(sponge, held)
    view.model.ignore([view.target.name, *(food.name for food in view.with_role("food"))])
    try:
        for yaw in np.arange(8) * np.pi / 4:
            end = top_down((0.0, 0.0, 0.0), yaw)
            lowest = float((vertices @ (end @ held)[:3, :3].T)[:, 2].min() + (end @ held)[2, 3])
            end[:3, 3] = (*(top_m[:2] - (end @ held)[:2, 3]), top_m[2] + 0.01 - lowest)
            path = find_way(view.model, view.arm.q, view.arm.tcp, end, tallest + 0.08, Clearance(0.008, 0.004))
            if path is not None:
                return path
    finally:
        view.model.hold(None)
        view.model.ignore(())
    return None


def _pressed_n(view: View, food: str) -> float:
    one, other = view.scene.index(food), view.scene.index(only(view, "sponge").name)
    contacts = view.frame.contacts
    rows = (contacts.entity_a == min(one, other)) & (contacts.entity_b == max(one, other))
    return float(contacts.peak_force_n[rows].sum())


def _handle_top_m(view: View) -> float:
    """Return the height of the top of the board's handle."""
    handle = view.scene.entity(view.target.name).parts
    tops = [box.center_m[2] + box.half_size_m[2] for part in handle if part.name == "handle" for box in part.boxes]
    return max(tops) + float(view.pose(view.target.name)[2, 3])


def _first_slides_rad(view: View) -> float:
    own = view.target.friction[0]
    return float(np.arctan(min(max(food.friction[0], own) for food in view.with_role("food"))))


def _lean(q: F64, tcp: F64, held: F64, angle_rad: float) -> F64 | None:
    """Return joint vectors that level the held board and then tilt it by an angle, or None."""
    level, tilted = _turned(tcp, held, 0.0), _turned(tcp, held, angle_rad)
    return follow(q, np.concatenate([line(tcp, level), line(level, tilted)]))


def _turned(tcp: F64, held: F64, angle_rad: float) -> F64:
    """Return the pose of the tcp at which the board is tilted towards its free edge by an angle."""
    now = tcp @ held
    yaw = float(np.arctan2(now[1, 0], now[0, 0]))
    board = np.eye(4)
    z, y = np.array([0.0, 0.0, 1.0]), np.array([0.0, 1.0, 0.0])
    board[:3, :3] = rotation(z, yaw) @ rotation(y, angle_rad)
    out = board @ inverted(held)
    out[:3, 3] = tcp[:3, 3]
    return out
