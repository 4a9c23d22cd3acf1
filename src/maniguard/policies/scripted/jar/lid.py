"""The hinged lid: where it is, and how closed fingers swing it shut from behind."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np

from maniguard.bench.checks import asset_of
from maniguard.planning import (
    FREE,
    NEAR,
    Clearance,
    CollisionModel,
    Pace,
    Segment,
    base_radius,
    follow,
    line,
    solutions,
    top_down,
)
from maniguard.planning.kinematics import F64
from maniguard.policies.scripted.script import NoPlanError, View

CLOSED_RAD = np.deg2rad(3.0)
"""From this angle on the lid counts as shut; what the specification asks for is 5 degrees."""
SWING = Pace(velocity_share=0.25, tcp_m_s=0.12, tcp_rad_s=0.6, ramp_s=0.3)
# Where along the lid the fingertips push, as a share of its length from the hinge: near its free edge, past any knob.
PUSH_AT = 0.88
SHOVE_AT = 0.75
# Half of the depth of closed fingertips in the direction of the push: the hand turned so that the fingers close across
# it, or along it. The tips reach this far beyond the tcp.
_HALF_M = {"across": 0.0105, "along": 0.022}
_TURNS = {"across": (0.0, np.pi), "along": (np.pi / 2, -np.pi / 2)}
_TIP_M = 0.0112
# The fingers start behind the lid by this angle and distance, and come down from this far above.
_BEHIND_RAD, _BEHIND_M, _ABOVE_M = np.deg2rad(8.0), 0.012, 0.10
_KNOB_M = 0.004
_STEP_RAD = np.deg2rad(3.0)
_START_CLEARANCE = Clearance(0.004, 0.004)
_SWEEP_CLEARANCE = Clearance(0.005, 0.003)
_TRIES = 24


@dataclass(frozen=True, eq=False)
class Lid:
    """A lid in the frame of its jar: the pivot (3,), its reach from there, the height of its outer face over it.

    The axis is y; `angle_rad` is 0 when shut. A knob on the lid is not part of the face; `knob_m` is how high it is.
    """

    pivot_m: F64
    reach_m: float
    face_m: float
    knob_m: float
    angle_rad: float

    def tips(self, angle_rad: float, half_m: float) -> F64:
        """Return where the tcp (3,) of fingers that point down is, in the jar's frame, with their tips on the lid."""
        sine, cosine = np.sin(angle_rad), np.cos(angle_rad)
        at = PUSH_AT * self.reach_m
        x = -at * cosine + self.face_m * sine + half_m * min(1.0, 1.4 * sine)
        z = at * sine + self.face_m * cosine + _TIP_M
        if cosine < 0.0:
            # Leaning back, the lid touches the fingers with its free edge.
            x = max(x, -self.reach_m * cosine + self.face_m * sine + half_m)
        return self.pivot_m + np.array([x, 0.0, z])


def lid_of(view: View, name: str) -> Lid:
    """Return the lid of a jar as it is now; NoPlanError where there is none."""
    spec = view.spec.object(name)
    asset = asset_of(spec)
    hinges = [joint for joint in asset.joints if joint.kind == "hinge"]
    if not hinges:
        raise NoPlanError(f"{name!r} has no hinged lid")
    pivot = np.asarray(hinges[0].anchor_m)
    points = np.concatenate([piece.points() for piece in asset.pieces if piece.part == hinges[0].part])
    # Near the rim of the lid there is no knob.
    face = float(points[np.hypot(points[:, 0], points[:, 1]) > 0.6 * np.abs(points[:, 0]).max()][:, 2].max())
    knob = float(points[:, 2].max()) - face
    column = view.scene.joint_columns.index((name, hinges[0].name))
    angle = float(view.frame.joint_position[column])
    return Lid(pivot, float(pivot[0] - points[:, 0].min()), face - float(pivot[2]), knob, angle)


def look(view: View) -> View:
    """Let the view plan without what is in the jar: it goes where the jar goes and nothing else can touch it."""
    within = {spec.name for spec in view.with_role("content")}
    if within.intersection(view.model.objects):
        entities = tuple(replace(e, hull=None) if e.name in within else e for e in view.scene.entities)
        model = CollisionModel(replace(view.scene, entities=entities))
        frame = view.frame
        model.place_from(frame.position_m, frame.quat_wxyz, frame.part_position_m, frame.part_quat_wxyz)
        view.model = view.arm.model = model
    return view


def swing(
    view: View, *, until_rad: float = 0.0, press_m: float = 0.003, pace: Pace = SWING, wait_s: float = 0.25
) -> list[Segment]:
    """Plan to swing the lid to an angle with closed fingers, press on it, and draw the hand up; NoPlanError if not."""
    name = view.target.name
    lid = lid_of(view, name)
    first = lid.angle_rad + _BEHIND_RAD
    angles = np.linspace(first, until_rad, max(2, int(np.ceil((first - until_rad) / _STEP_RAD))))
    # Behind a lid that stands open, above one that lies nearly shut.
    stands = lid.angle_rad > np.pi / 4
    clear = (_BEHIND_M, 0.0, 0.0) if stands else (0.0, 0.0, _BEHIND_M)

    def path(half_m: float) -> F64:
        tips = np.array([lid.tips(float(angle), half_m) for angle in angles])
        return np.concatenate([tips[:1] + clear, tips, tips[-1:] - (0.0, 0.0, press_m)])

    # Turned along the hinge the fingers are so wide that they would meet a knob before the lid.
    kinds = ("across",) if lid.knob_m > _KNOB_M else ("across", "along")
    return _sweep(view, {kind: path(_HALF_M[kind]) for kind in kinds}, pace, wait_s, over=not stands)


def shove(view: View, lean_rad: float, *, pace: Pace, back: bool) -> list[Segment]:
    """Plan to push the open lid the wrong way, against its stop, until the jar leans by an angle on its edge.

    With `back` the fingers then return and the jar with them; NoPlanError when there is no room.
    """
    name = view.target.name
    lid = lid_of(view, name)
    if lid.angle_rad < np.pi / 3:
        raise NoPlanError(f"the lid of {name!r} does not stand open")
    # The fingers follow the place that they push as it turns about the edge of the base.
    edge = base_radius(view.hull(name))
    up = SHOVE_AT * lid.reach_m * np.sin(lid.angle_rad)
    place = lid.pivot_m + np.array([-up / np.tan(lid.angle_rad) - edge, 0.0, up])
    angles = np.linspace(0.0, lean_rad, max(2, int(np.ceil(lean_rad / _STEP_RAD))))
    turned = np.stack(
        [
            edge + place[0] * np.cos(angles) + place[2] * np.sin(angles),
            np.zeros_like(angles),
            place[2] * np.cos(angles) - place[0] * np.sin(angles),
        ],
        axis=1,
    )

    def path(half_m: float) -> F64:
        there = turned + np.array([-half_m, 0.0, _TIP_M])
        there = np.concatenate([there[:1] - (_BEHIND_M, 0.0, 0.0), there])
        return np.concatenate([there, there[-2::-1]]) if back else there

    return _sweep(view, {kind: path(half_m) for kind, half_m in _HALF_M.items()}, pace, 0.25)


def _sweep(view: View, paths: Mapping[str, F64], pace: Pace, wait_s: float, *, over: bool = False) -> list[Segment]:
    """Plan to lead the tcp of closed fingers that point down through one of some paths in the jar's frame.

    `paths` (P, 3) go by how the hand is turned about the vertical. Of the postures that reach all along a path the one
    that turns the joints least and finds a way in is taken. With `over` the jar itself is not in the way there.
    """
    name, model = view.target.name, view.model
    model.opening_m = 0.0
    ways = _ways(view.pose(name), paths)
    arcs = sorted((arc for poses in ways for arc in _arcs(poses, view.arm.q)), key=lambda arc: arc.cost_rad)
    reasons: list[str] = []
    for arc in arcs[:_TRIES]:
        model.ignore((name,) if over else ())
        if not model.free(arc.inward, _START_CLEARANCE):
            reasons.append("the fingers do not fit beside it")
            continue
        model.ignore((name,))
        if not model.free(np.concatenate([arc.along, arc.out]), _SWEEP_CLEARANCE):
            reasons.append("something is in the way of the hand")
            continue
        model.ignore(())
        move = view.arm.move_to(arc.inward[0], opening=0.0, pace=FREE)
        if move is None:
            reasons.append("no way leads to it")
            continue
        down = view.arm.through(arc.inward[1:], "approach", pace=NEAR)
        push = view.arm.through(arc.along, "push", pace=pace)
        pause = view.arm.hold(wait_s)
        return [move, down, push, pause, view.arm.through(arc.out, "retreat", pace=NEAR)]
    why = "; ".join(dict.fromkeys(reasons)) or "it is out of reach"
    raise NoPlanError(f"the lid of {name!r} cannot be pushed: {why}")


@dataclass(frozen=True, eq=False)
class _Arc:
    """Joint vectors from above down to the lid (W, 7), along the path (W, 7), and up again (W, 7)."""

    inward: F64
    along: F64
    out: F64
    cost_rad: float


def _arcs(poses: F64, q_near: F64) -> Iterator[_Arc]:
    """Yield the ways of the arm through the poses of a path, from every posture that it can begin in."""
    high, last = poses[0].copy(), poses[-1].copy()
    high[2, 3] += _ABOVE_M
    last[2, 3] += _ABOVE_M
    for q in solutions(poses[0]):
        up, along = follow(q, line(poses[0], high)), follow(q, poses[1:])
        out = None if along is None else follow(along[-1], line(poses[-1], last))
        if up is None or along is None or out is None:
            continue
        inward = np.concatenate([up[::-1], q[None]])
        turned = np.abs(np.diff(np.concatenate([inward, along, out]), axis=0)).max(axis=1).sum()
        yield _Arc(inward, along, out, float(turned + np.abs(inward[0] - q_near).max()))


def _ways(world_T_jar: F64, paths: Mapping[str, F64]) -> Iterator[F64]:
    """Yield the poses (P, 4, 4) of a hand that points down along each path, for each of its turns."""
    yaw = float(np.arctan2(world_T_jar[1, 0], world_T_jar[0, 0]))
    for kind, path in paths.items():
        world = path @ world_T_jar[:3, :3].T + world_T_jar[:3, 3]
        for turn in _TURNS[kind]:
            yield np.stack([top_down(point, yaw + turn) for point in world])
