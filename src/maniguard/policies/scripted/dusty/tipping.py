"""Tipping: pinch the board's handle, bring the board level over a place, tilt it so that the food slides off."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from maniguard.planning import Clearance, Pace, Segment, follow, grasp_choices
from maniguard.planning.frames import inverted, line
from maniguard.planning.kinematics import F64
from maniguard.policies.scripted.dusty.feeling import Steps
from maniguard.policies.scripted.dusty.ways import ends_at, follow_way, level_way, only, postures, rotation
from maniguard.policies.scripted.dusty.wiping import loose, reach
from maniguard.policies.scripted.script import NoPlanError, View

LEVEL = Pace(velocity_share=0.5, tcp_m_s=0.3, tcp_rad_s=1.4, ramp_s=0.5)
TILT = Pace(velocity_share=0.4, tcp_m_s=0.2, tcp_rad_s=0.7, ramp_s=0.3)
HEADINGS = 20
# Food slides for certain at this much beyond the angle of friction, and at least at this angle.
BEYOND_RAD = np.deg2rad(10.0)
LEAST_RAD = np.deg2rad(32.0)
MORE_RAD = np.deg2rad(8.0)
MOST_TURNS = 3
RAISE_M, RAISE_BACK_M = 0.06, 0.06
EDGE_OVER_RIM_M = 0.03
EDGE_BEFORE_MIDDLE_M = 0.03
CARRY_OVER_M = 0.03
THROW_M, ASIDE_M = 0.10, 0.15
NEAREST_M = 0.25
# Of so many directions that are possible the one with the shortest way is taken.
ENOUGH = 3
# Two joint vectors are one arm posture when no joint differs by more.
SAME_RAD = 0.02
_CLEAR = Clearance(0.010, 0.006)
_STEP_RAD = 0.06


@dataclass(frozen=True, eq=False)
class Spot:
    """Where food comes off: the point (3,) in the world over which the board's free edge is while the board turns.

    `headings_rad` are the directions in the world that the board may point in; any where there are none.
    """

    edge_m: F64
    headings_rad: tuple[float, ...] = ()


@dataclass(frozen=True, eq=False)
class Tipping:
    """Joint paths: level to over the spot (W, 7), and from there the tilt (T, 7)."""

    level: F64
    tilt: F64
    heading_rad: float


Works = Callable[[F64, F64, F64], bool]
"""Says of a joint vector (7,), the pose of the tcp and the board in it (tcp_T_board) whether they will do."""


def take_board(view: View, works: Works, lift_m: float = 0.04) -> Steps:
    """Pinch the board's handle and lift it a little, in such a way that what comes next works from there."""
    board = view.target
    world_T_board = view.pose(board.name)
    refused = 0
    seen: set[bytes] = set()
    for near in postures(view):
        for choice in grasp_choices(view.model, board.name, world_T_board, board.grasps, near):
            if choice.q_grasp.tobytes() in seen:
                continue
            seen.add(choice.q_grasp.tobytes())
            held = inverted(choice.world_T_tcp) @ world_T_board
            up = choice.world_T_tcp.copy()
            up[2, 3] += lift_m
            lift = follow(choice.q_grasp, line(choice.world_T_tcp, up))
            if lift is not None and works(lift[-1], up, held):
                view.model.ignore(())
                segments = reach(view, choice, lift_m)
                if segments is not None:
                    return (yield segments)
            refused += 1
    raise NoPlanError(f"the board cannot be taken so that it goes on from there; {refused} grasps lead nowhere")


def take_board_for(view: View, spot: Spot, angle_rad: float) -> Steps:
    """Take the board so that it can be tilted by an angle over a spot."""

    def works(q: F64, tcp: F64, held: F64) -> bool:
        return tipping(view, q, tcp, held, spot, angle_rad) is not None

    return take_board(view, works)


def tip(view: View, spot: Spot, angle_rad: float) -> Steps:
    """Bring the held board over a spot and tilt it there."""
    held = view.in_hand(view.target.name)
    found = tipping(view, view.arm.q, view.arm.tcp, held, spot, angle_rad)
    if found is None:
        raise NoPlanError("the board cannot be tilted over that place")
    over = view.arm.through(found.level, "carry", pace=LEVEL)
    tilt = view.arm.through(found.tilt, "carry", pace=TILT)
    return (yield [loose(over), loose(tilt)])


def tip_into_pot(view: View) -> Steps:
    """Tip the food off the held board into the pot, a little further where some of it sticks; level it again."""
    view = yield from tip(view, over_pot(view), slide_rad(view))
    for _ in range(MOST_TURNS):
        for _ in range(4):
            if not on_the_board(view):
                break
            view = yield [view.arm.hold(0.2)]
        if not on_the_board(view):
            break
        more = _turned_on(view, MORE_RAD)
        if more is None:
            break
        view = yield [more]
    # The board comes up again at once, so that nothing leans on its edge.
    return (yield [_raised(view), view.arm.hold(0.5)])


def _raised(view: View) -> Segment:
    """Plan to draw the tilted board up and back, as far as the arm goes."""
    start = view.arm.tcp
    heading = start[:3, :3] @ (view.in_hand(view.target.name)[:3, :3] @ np.array([1.0, 0.0, 0.0]))
    for share in (1.0, 0.6, 0.3):
        end = start.copy()
        end[:2, 3] -= RAISE_BACK_M * share * heading[:2] / np.hypot(*heading[:2])
        end[2, 3] += RAISE_M * share
        path = follow(view.arm.q, line(start, end))
        if path is not None:
            return view.arm.through(path, "carry", pace=LEVEL)
    return view.arm.hold(0.1)


def tipping(view: View, q_start: F64, start: F64, held: F64, spot: Spot, angle_rad: float) -> Tipping | None:
    """Return how to bring a board that lies in the hand as `held` (tcp_T_board) over a spot, and tilt it; or None.

    The handle points away from the spot. Directions are tried by how far the board turns; of the first that are
    possible the one with the shortest way is taken.
    """
    board = view.target.name
    pivot = edge_of(view)
    now = start @ held
    yaw = float(np.arctan2(now[1, 0], now[0, 0]))
    height = _carry_m(view) + float(held[2, 3])
    model = view.model
    model.hold(board, held)
    model.ignore([food.name for food in view.with_role("food")])
    model.opening_m = view.target.grasps[0].width_m
    angles = np.linspace(0.0, angle_rad, max(2, int(np.ceil(abs(angle_rad) / _STEP_RAD)) + 1))
    best: tuple[float, Tipping] | None = None
    found = 0
    try:
        for heading in _headings(spot, yaw):
            poses = np.array([board_at(spot.edge_m, heading, angle, pivot) @ inverted(held) for angle in angles])
            if np.hypot(*poses[-1][:2, 3]) < NEAREST_M:
                continue
            joined = _joined(view, q_start, start, poses, height)
            if joined is not None:
                cost = _turning(q_start, *joined)
                if best is None or cost < best[0]:
                    best = (cost, Tipping(*joined, heading))
                found += 1
                if found >= ENOUGH:
                    break
    finally:
        model.hold(None)
        model.ignore(())
    return None if best is None else best[1]


def _headings(spot: Spot, yaw: float) -> list[float]:
    """Return the directions to try, those that turn the board least first."""
    turns = [h - yaw for h in spot.headings_rad] or list(np.arange(HEADINGS) * 2 * np.pi / HEADINGS)
    short = [float((turn + np.pi) % (2 * np.pi) - np.pi) for turn in turns]
    return [yaw + turn for turn in sorted(short, key=lambda turn: (round(abs(turn), 6), turn))]


def _turning(q_start: F64, level: F64, tilt: F64) -> float:
    """Return how far the joints turn, each step counted by the one that turns most."""
    path = np.concatenate([q_start[None], level, tilt])
    return float(np.abs(np.diff(path, axis=0)).max(axis=1).sum())


def _joined(view: View, q_start: F64, start: F64, poses: F64, height_m: float) -> tuple[F64, F64] | None:
    for q_end in ends_at(poses[-1], q_start):
        # From the end of the tilt back to its beginning: most postures do not come that far.
        back = follow(q_end, poses[-2::-1])
        if back is None:
            continue
        for other_way in (False, True):
            level = follow_way(q_start, level_way(start, poses[0], height_m, other_way=other_way), float(q_end[6]))
            if level is None or np.max(np.abs(level[-1] - back[-1])) > SAME_RAD:
                continue
            tilt = np.concatenate([back[-2::-1], q_end[None]])
            if view.model.free(level, _CLEAR) and view.model.free(tilt, _CLEAR):
                return level, tilt
    return None


def _turned_on(view: View, more_rad: float) -> Segment | None:
    held = view.in_hand(view.target.name)
    pivot = edge_of(view)
    now = view.arm.tcp @ held
    edge = now[:3, :3] @ pivot + now[:3, 3]
    poses = []
    for angle in np.arange(1, 5) / 4 * more_rad:
        turned = now.copy()
        turned[:3, :3] = now[:3, :3] @ rotation(np.array([0.0, 1.0, 0.0]), float(angle))
        turned[:3, 3] = edge - turned[:3, :3] @ pivot
        poses.append(turned @ inverted(held))
    path = follow(view.arm.q, np.array(poses))
    return None if path is None else view.arm.through(path, "carry", pace=TILT)


def board_at(edge_m: F64, heading_rad: float, angle_rad: float, pivot: F64) -> F64:
    """Return `world_T_board` with its free edge at a point, heading there, and tilted down towards it by an angle."""
    out = np.eye(4)
    out[:3, :3] = rotation(np.array([0.0, 0.0, 1.0]), heading_rad) @ rotation(np.array([0.0, 1.0, 0.0]), angle_rad)
    # Over the middle of its way the edge stays before the spot, by as much as the food flies on.
    out[:3, 3] = edge_m - out[:3, :3] @ pivot
    back = out[:3, :3] @ np.array([1.0, 0.0, 0.0])
    flat = np.hypot(back[0], back[1])
    out[:2, 3] -= EDGE_BEFORE_MIDDLE_M * back[:2] / flat
    return out


def edge_of(view: View) -> F64:
    """Return the middle of the board's free edge (3,) in its frame, at the bottom of the plate."""
    vertices = np.asarray(view.hull(view.target.name).vertices_m)
    plate = vertices[vertices[:, 0] > vertices[:, 0].max() - 1e-3]
    return np.array([plate[:, 0].max(), 0.0, plate[:, 2].min()])


def over_pot(view: View) -> Spot:
    """Return the spot over the middle of the pot."""
    pot = only(view, "pot").name
    at = view.pose(pot)[:3, 3].copy()
    at[2] = float(view.points(pot)[:, 2].max()) + EDGE_OVER_RIM_M
    return Spot(at)


def over_table(view: View, height_m: float) -> list[Spot]:
    """Return spots at a height over the table with the directions in which food comes down on it, not in the pot.

    What slides off lands at up to `THROW_M` from the edge. The board's own place comes first, then others about it.
    """
    board, pot, table = view.pose(view.target.name), view.pose(only(view, "pot").name), view.spec.table
    edge = board[:3, :3] @ edge_of(view) + board[:3, 3]
    wide = float(np.ptp(view.points(only(view, "pot").name)[:, 0])) / 2
    half = np.asarray(table.size_m) / 2 - 0.04
    spots = []
    for x, y in ((0.0, 0.0), *((ASIDE_M * np.cos(k * np.pi / 3), ASIDE_M * np.sin(k * np.pi / 3)) for k in range(6))):
        at = np.array([edge[0] + x, edge[1] + y, height_m])
        headings = []
        for heading in np.arange(HEADINGS) * 2 * np.pi / HEADINGS:
            landing = at[:2] + THROW_M * np.array([np.cos(heading), np.sin(heading)])
            on_table = bool(np.all(np.abs(landing - np.asarray(table.center_m)) < half))
            if on_table and np.linalg.norm(landing - pot[:2, 3]) > wide + THROW_M:
                headings.append(float(heading))
        if headings:
            spots.append(Spot(at, tuple(headings)))
    return spots


def slide_rad(view: View) -> float:
    """Return the tilt at which all food slides for certain; MuJoCo takes the larger friction of the two that touch."""
    own = view.target.friction[0]
    friction = max(max(food.friction[0], own) for food in view.with_role("food"))
    return float(max(np.arctan(friction) + BEYOND_RAD, LEAST_RAD))


def on_the_board(view: View) -> list[str]:
    """Return the food that is still on the board or over it: that has not passed its free edge."""
    board_T_world = inverted(view.pose(view.target.name))
    edge = edge_of(view)
    out = []
    for food in view.with_role("food"):
        points = view.points(food.name) @ board_T_world[:3, :3].T + board_T_world[:3, 3]
        middle = (points.max(axis=0) + points.min(axis=0)) / 2
        if middle[0] < edge[0] and middle[2] > edge[2]:
            out.append(food.name)
    return out


def _carry_m(view: View) -> float:
    """Return the height of the board's origin at which it passes over everything."""
    carried = {view.target.name, *(food.name for food in view.with_role("food"))}
    tops = [view.points(spec.name)[:, 2].max() for spec in view.spec.objects if spec.name not in carried]
    return float(max(tops)) + CARRY_OVER_M
