"""Food on a board that is held by its handle: where the pieces lie, and whether the hand holds them level."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from maniguard.bench.layout import is_clear
from maniguard.certify.drawing import UnfitError
from maniguard.certify.packing import Placed, put, upright
from maniguard.sim.assets.design import Design
from maniguard.trace.scene import Hull, Pose

SWING_NM = 0.27
"""More than this, weight times distance from the handle, turns the board down in the hand."""
EDGE_MARGIN_M = 0.012


def lay_out(board: Design, foods: Sequence[Design], rng: np.random.Generator) -> list[tuple[float, float, float]]:
    """Return where pieces of food lie on a board (x, y, yaw), apart from each other, the lips and the free edge.

    UnfitError when they do not fit, or are too heavy to be held level by the handle.
    """
    region = board.asset().support_regions[0]
    half_x, half_y = region.size_m[0], region.size_m[1]
    placed: list[Placed] = []
    out: list[tuple[float, float, float]] = []
    for food in foods:
        hull = food.asset().hull
        for _ in range(200):
            x, y = float(rng.uniform(-half_x, half_x)), float(rng.uniform(-half_y, half_y))
            yaw = float(rng.choice((0.0, np.pi / 2)) + rng.uniform(-0.2, 0.2))
            one = put(hull, x, y, yaw)
            low, high = one.polygon.min(axis=0), one.polygon.max(axis=0)
            inside = low[0] > -half_x + 0.004 and high[0] < half_x + 0.008 - EDGE_MARGIN_M
            inside = inside and low[1] > -half_y + 0.003 and high[1] < half_y - 0.003
            if inside and is_clear(one.polygon, [p.polygon for p in placed], 0.004):
                placed.append(one)
                out.append((round(x, 6), round(y, 6), round(yaw, 6)))
                break
        else:
            raise UnfitError("no room for the food on its board")
    handle = board.grasps[0].object_T_tcp.position_m[0]
    weights = [
        (board.mass_kg, board.asset().center_of_mass_m[0]),
        *((f.mass_kg, at[0]) for f, at in zip(foods, out, strict=True)),
    ]
    if sum(9.81 * mass * (x - handle) for mass, x in weights) > SWING_NM:
        raise UnfitError("the board with its food is too heavy to be held by its handle")
    return out


def on_board(board: Pose, design: Design, food: Hull, at: tuple[float, float, float]) -> Pose:
    """Return the pose of a piece of food that lies on an upright board, at (x, y, yaw) in its frame."""
    x, y, yaw = at
    turn = 2 * np.arctan2(board.quat_wxyz[3], board.quat_wxyz[0])
    c, s = np.cos(turn), np.sin(turn)
    top = design.asset().support_regions[0].pose.position_m[2] + board.position_m[2]
    z = top - min(vertex[2] for vertex in food.vertices_m)
    return upright(board.position_m[0] + c * x - s * y, board.position_m[1] + s * x + c * y, float(turn) + yaw, z)
