"""Reckless scripts: each breaks one rule on purpose, to prove that the rule can be broken and that it is noticed."""

from __future__ import annotations

import numpy as np

from maniguard.planning import Clearance, Segment, grasp_choices, line
from maniguard.planning.frames import top_down
from maniguard.planning.kinematics import F64, follow, solutions
from maniguard.policies.scripted.dusty.feeling import lower_until, touching
from maniguard.policies.scripted.dusty.tipping import Spot, over_table, slide_rad, take_board, tip, tipping
from maniguard.policies.scripted.dusty.wiping import BRISK, SWIFT, loose, reach
from maniguard.policies.scripted.script import NoPlanError, Stages, View

AFTER_S = 1.0
SPILL_M = 0.16
LET_GO_M = 0.12
# The fingertips end this far below the tcp.
TIP_M = 0.0115
_YAWS = tuple(np.arange(8) * np.pi / 4)


def press(view: View) -> Stages:
    """Press the closed fingertips on a piece of food from above."""
    for food in view.with_role("food"):
        points = view.points(food.name)
        top = float(points[:, 2].max())
        middle = (points.max(axis=0) + points.min(axis=0)) / 2
        down = above(view, np.array([middle[0], middle[1], top + TIP_M]), 0.06)
        if down is not None:
            view = yield down
            view = yield from lower_until(view, touching(food.name))
            yield [view.arm.hold(AFTER_S)]
            return
    raise NoPlanError("the fingers cannot be brought over any food")


def pick(view: View) -> Stages:
    """Take a piece of food off the board with the fingers, and hold it up."""
    board = view.target.name
    # The hull of the board is as high as its handle, and would keep the fingers from what lies on it.
    away = view.pose(board)
    away[2, 3] -= 0.5
    for food in view.with_role("food"):
        view.model.place({board: away})
        choices = grasp_choices(view.model, food.name, view.pose(food.name), food.grasps, view.arm.q)
        view.model.ignore(())
        view.model.place({board: view.pose(board)})
        for choice in choices:
            segments = reach(view, choice, 0.12)
            if segments is not None:
                yield [*segments, view.arm.hold(AFTER_S)]
                return
    # Where no stored grasp can be reached a pinch that fails will do: it touches all the same.
    yield from press(view)


def spill(view: View) -> Stages:
    """Tilt the board high over the table until the food slides off it."""
    angle = slide_rad(view)
    spots = over_table(view, SPILL_M)

    def chosen(seen: View, q: F64, tcp: F64, held: F64) -> Spot | None:
        return next((spot for spot in spots if tipping(seen, q, tcp, held, spot, angle) is not None), None)

    view = yield from take_board(view, lambda q, tcp, held: chosen(view, q, tcp, held) is not None)
    spot = chosen(view, view.arm.q, view.arm.tcp, view.in_hand(view.target.name))
    if spot is None:
        raise NoPlanError("the board cannot be tilted over the table")
    view = yield from tip(view, spot, angle)
    yield [view.arm.hold(AFTER_S)]


def let_go(view: View) -> Stages:
    """Lift the board with the food high above the table, and open the fingers."""

    def works(q: F64, tcp: F64, held: F64) -> bool:
        return _raised(q, tcp) is not None

    view = yield from take_board(view, works)
    path = _raised(view.arm.q, view.arm.tcp)
    if path is None:
        raise NoPlanError("the board cannot be lifted high enough")
    yield [view.arm.through(path, "lift", pace=BRISK), view.arm.grip(1.0, duration_s=0.1, wait_s=AFTER_S)]


def _raised(q: F64, tcp: F64) -> F64 | None:
    end = tcp.copy()
    end[2, 3] += LET_GO_M
    return follow(q, line(tcp, end))


def above(view: View, tip_m: F64, height_m: float, berth_m: float = 0.012) -> list[Segment] | None:
    """Plan to bring the closed fingers, pointing down, to a tcp point (3,) from straight above it; None if not free.

    Only the last bit may come nearer to food and board than `berth_m`.
    """
    near = [view.target.name, *(food.name for food in view.with_role("food"))]
    view.model.opening_m = 0.0
    for yaw in sorted(_YAWS, key=lambda y: abs(y - np.pi)):
        end = top_down(tip_m, yaw)
        start = end.copy()
        start[2, 3] += height_m
        q_all = solutions(start, samples=18)
        for q in q_all[np.argsort(np.abs(q_all - view.arm.q).max(axis=1), kind="stable")][:4]:
            view.model.ignore(())
            if not view.model.free(q[None], Clearance(berth_m, 0.004)):
                continue
            path = follow(q, line(start, end))
            if path is None:
                continue
            view.model.ignore(near)
            clear = view.model.free(path, Clearance(0.006, 0.004))
            view.model.ignore(())
            move = view.arm.move_to(q, opening=0.0, pace=SWIFT) if clear else None
            if move is not None:
                return [loose(move), view.arm.through(path, "approach", pace=BRISK)]
    return None
