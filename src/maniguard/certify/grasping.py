"""Whether a stored grasp holds: the Panda lifts a thing, carries it, turns it both ways and holds it, 20 s in all."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import islice, pairwise

import numpy as np

from maniguard.errors import ManiguardError
from maniguard.planning import (
    CARRY,
    LIFT,
    NEAR,
    Clearance,
    CollisionModel,
    Executor,
    Pace,
    Segment,
    follow,
    inverted,
    line,
    matrix,
    matrix_of,
    pose_of,
    retime,
    solutions,
    turn_about_z,
)
from maniguard.planning.kinematics import F64, manipulability
from maniguard.planning.segments import Skill
from maniguard.sim import (
    CONTROL_RATE_HZ,
    MAX_OPENING_M,
    Grasp,
    LiquidSpec,
    SceneSpec,
    SimulationFault,
    World,
    fill,
)
from maniguard.sim.assets.design import Design
from maniguard.trace.frame import Frame
from maniguard.trace.scene import Pose

LIFT_M, CARRY_M, HOLD_S = 0.15, 0.25, 20.0
TURNS_RAD = (np.radians(60.0), np.radians(45.0))
MOST_SLIP_M = 0.005
MOST_TILT_RAD, MOST_FILLED_TILT_RAD = float(np.radians(15.0)), float(np.radians(5.0))
TRIES = 6
_STANDOFF_M = 0.09
_DISTANCES_M = (0.5, 0.45, 0.55, 0.4)
_YAWS_RAD = tuple(
    np.radians(d) for d in (0.0, 90.0, -90.0, 45.0, -45.0, 60.0, -60.0, 180.0, 30.0, -30.0, 135.0, -135.0)
)
_WIDTH, _WAYS, _ALIKE = 5, 6, 2
_NAME = "thing"
_HAND = ("hand", "left_finger", "right_finger")
_LOST_M = 0.04


# Start posture, present posture, legs so far.
_Partial = tuple[F64, F64, tuple[F64, ...]]


class GraspError(ManiguardError):
    """A grasp that cannot be tried: there is none, the arm does not reach it, or the container cannot be filled."""


@dataclass(frozen=True)
class GraspReport:
    """How one grasp of one design held.

    `slip_m` is how far the place that was held moves in the hand, `shift_m` how far the middle of the object does, both
    at most, from the end of the lift to the end; `tilt_rad` the largest lean of the rest axis from where it was before
    the lift, the lift included. `held_s` is how long the object was held, 20 s where it was held to the end.
    `grains_lost` counts those that left a filled container, `touched` names parts of the robot that met anything, but
    for the hand and its fingers on the object.
    """

    design: str
    grasp: str
    kind: str
    filled: bool
    held_s: float
    slip_m: float
    shift_m: float
    tilt_rad: float
    turn_rad: float
    grains_lost: int = 0
    touched: tuple[str, ...] = ()

    @property
    def slips(self) -> bool:
        """Whether it was lost, or moved in the hand by 5 mm or more."""
        return self.held_s < HOLD_S or self.slip_m >= MOST_SLIP_M

    @property
    def tilts(self) -> bool:
        """Whether it was lost or leaned by 15° or more; 5° where it is full."""
        return self.held_s < HOLD_S or self.tilt_rad >= (MOST_FILLED_TILT_RAD if self.filled else MOST_TILT_RAD)

    @property
    def passed(self) -> bool:
        """Whether it was held well, and the hand met nothing but it."""
        return not (self.slips or self.tilts or self.touched)


@dataclass(frozen=True, eq=False)
class _Way:
    """Where the object stands, and the arm's path: (W, 7) joint vectors for every leg, the first from `q_start`."""

    world_T_object: Pose
    q_start: F64
    legs: tuple[F64, ...]
    turn_rad: float


def validate_grasp(design: Design, *, filled: bool = False, tries: int = TRIES) -> GraspReport:
    """Return the report of the best of a design's grasps: the first that passes, else the one that came nearest.

    Tried in the order of `ranked`, at most `tries` of them. GraspError where a design has no grasp to try, BuildError
    where it cannot be filled.
    """
    best: GraspReport | None = None
    grasps = ranked(design, filled=filled)[:tries]
    if not grasps:
        raise GraspError(f"design {design.name!r} has no {'body ' if filled else ''}grasp to be carried by")
    liquid = filling(design) if filled else None
    for grasp in grasps:
        report = hold(design, grasp, liquid=liquid)
        if report.passed:
            return report
        if best is None or _badness(report) < _badness(best):
            best = report
    assert best is not None
    return best


def ranked(design: Design, *, filled: bool = False) -> tuple[Grasp, ...]:
    """Return the grasps of a design, likely good ones first: one of each kind, then the rest, each by its lever.

    The lever is the level distance from the grasp to the centre of mass. Of grasps that differ by a turn about the
    middle alone there are two. `filled` leaves those around the body of an open container.
    """
    asset = design.asset()
    if asset.anchored or (filled and (asset.interior is None or asset.joints)):
        return ()
    x, y, _ = asset.center_of_mass_m

    def lever_mm(grasp: Grasp) -> int:
        px, py, _ = grasp.object_T_tcp.position_m
        return round(1000.0 * float(np.hypot(px - x, py - y)))

    grasps = sorted((g for g in asset.grasps if not filled or g.kind in ("top", "side")), key=lever_mm)
    kinds = [grasp.kind for grasp in grasps]
    firsts = [grasp for k, grasp in enumerate(grasps) if grasp.kind not in kinds[:k]]
    ordered = (*firsts, *(grasp for grasp in grasps if grasp not in firsts))
    # Around a body of revolution all yaws are alike but for the facets of its hull, and a second one tells of those.
    alike = [(g.kind, lever_mm(g), round(1000.0 * g.object_T_tcp.position_m[2]), g.width_m) for g in ordered]
    round_body = [g.kind in ("top", "side") and lever_mm(g) == 0 for g in ordered]
    return tuple(g for k, g in enumerate(ordered) if not (round_body[k] and alike[:k].count(alike[k]) >= _ALIKE))


def filling(design: Design) -> LiquidSpec:
    """Return the grains that a container of this design is carried with; BuildError where it cannot be filled."""
    return fill(design.object_spec(_NAME, "target", Pose((0.5, 0.0, 0.0))), rng=np.random.default_rng(0))


def hold(design: Design, grasp: Grasp, *, liquid: LiquidSpec | None = None) -> GraspReport:
    """Let the Panda lift a design alone on the table by 15 cm, carry it by 25 cm, turn it by ±60° and hold it.

    The turns are ±45° where the arm cannot reach ±60°. From the start of the lift to the end it takes 20 s; lids are
    closed. With `liquid`, which `filling` makes, it is full. GraspError where the arm does not reach the grasp.
    """
    report: GraspReport | None = None
    for way in islice(_ways(grasp), _WAYS):
        report = _along(way, design, grasp, liquid)
        # The arm may reach a place in postures in which what it holds meets the forearm; that is not the grasp's fault.
        if not report.touched:
            return report
    if report is None:
        raise GraspError(f"the arm does not reach grasp {grasp.name!r} of design {design.name!r} anywhere")
    return report


def _along(way: _Way, design: Design, grasp: Grasp, liquid: LiquidSpec | None) -> GraspReport:
    item = design.object_spec(_NAME, "target", way.world_T_object)
    item = replace(item, joints=tuple(replace(joint, start=joint.lower) for joint in item.joints))
    start = tuple(float(v) for v in way.q_start)
    scene = SceneSpec((item,), robot_qpos_rad=start, liquids=() if liquid is None else (liquid,))
    with World(scene) as world:
        return _played(world, design, grasp, way, liquid is not None)


def _played(world: World, design: Design, grasp: Grasp, way: _Way, filled: bool) -> GraspReport:
    column = world.scene.index(_NAME)
    axis = np.asarray(world.scene.entities[column].rest_axis)
    hull = np.asarray(design.asset().hull.vertices_m)
    middle = (hull.max(axis=0) + hull.min(axis=0)) / 2.0
    frame = world.reset()
    upright = _pose(frame, column)[:3, :3] @ axis
    segments = _segments(grasp, way)
    steps = round(HOLD_S * CONTROL_RATE_HZ)
    before, lift = Executor(segments[:2]), Executor(segments[2:])
    while not before.done:
        frame = world.step(before.act(frame.robot_qpos_rad))
    start: F64 | None = None
    touched: set[str] = set()
    slip = shift = tilt = 0.0
    held = 0
    for step in range(steps):
        try:
            frame = world.step(lift.act(frame.robot_qpos_rad))
        except SimulationFault:
            break
        pose = _pose(frame, column)
        in_hand = inverted(_tcp(frame)) @ pose
        touched |= _touched(world, frame)
        tilt = max(tilt, float(np.arccos(np.clip(upright @ (pose[:3, :3] @ axis), -1.0, 1.0))))
        if start is None and lift.skill != "lift":
            start = in_hand
        if start is not None:
            point = inverted(start)[:3, 3]
            slip = max(slip, float(np.linalg.norm(in_hand[:3, :3] @ point + in_hand[:3, 3])))
            moved = in_hand[:3, :3] @ middle + in_hand[:3, 3] - start[:3, :3] @ middle - start[:3, 3]
            shift = max(shift, float(np.linalg.norm(moved)))
        if slip > _LOST_M:
            break
        held = step + 1
    lost = int(frame.grains_air[0] + frame.grains_lost[0]) if filled else 0
    return GraspReport(
        design=design.name,
        grasp=grasp.name,
        kind=grasp.kind,
        filled=filled,
        held_s=held / CONTROL_RATE_HZ,
        slip_m=round(slip, 6),
        shift_m=round(shift, 6),
        tilt_rad=round(tilt, 6),
        turn_rad=way.turn_rad,
        grains_lost=lost,
        touched=tuple(sorted(touched)),
    )


def _pose(frame: Frame, column: int) -> F64:
    return matrix_of(frame.position_m[column], frame.quat_wxyz[column])


def _tcp(frame: Frame) -> F64:
    return matrix_of(frame.tcp_position_m, frame.tcp_quat_wxyz)


def _touched(world: World, frame: Frame) -> set[str]:
    """Return the parts of the robot that touch anything, but for the hand and its fingers on the object."""
    robot, thing = world.scene.index("panda"), world.scene.index(_NAME)
    parts = world.scene.entities[robot].parts
    touching = frame.contacts
    columns = (touching.entity_a, touching.part_a, touching.entity_b, touching.part_b)
    found = set()
    for a, part_a, b, part_b in zip(*columns, strict=True):
        if robot in (a, b):
            name = parts[int(part_a if a == robot else part_b)].name
            if thing not in (a, b) or name not in _HAND:
                found.add(name)
    return found


def _segments(grasp: Grasp, way: _Way) -> list[Segment]:
    opening = min(1.0, grasp.opening_m / MAX_OPENING_M)
    approach, lift, *turns = way.legs
    q = way.q_start
    segments: list[Segment] = []
    skills: list[tuple[F64, Skill, Pace]] = [(approach, "approach", NEAR), (lift, "lift", LIFT)]
    skills.extend((leg, "carry", CARRY) for leg in turns)
    for leg, skill, pace in skills:
        targets = retime(np.concatenate([q[None], leg]), pace, smooth_steps=5)
        closed = skill != "approach"
        segments.append(Segment(skill, targets, np.full(len(targets), 0.0 if closed else opening)))
        q = leg[-1]
        if not closed:
            ramp = np.concatenate([opening * (1.0 - np.arange(1, 13) / 12.0), np.zeros(8)])
            segments.append(Segment("close", np.repeat(q[None], len(ramp), axis=0), ramp, settle_steps=0))
    return segments


@lru_cache(maxsize=1)
def _bare() -> CollisionModel:
    with World(SceneSpec(())) as world:
        return CollisionModel(world.scene)


def _ways(grasp: Grasp) -> Iterator[_Way]:
    """Yield places on the table from which the arm can do all that is asked of it with a grasp, at most one a place."""
    model = _bare()
    model.opening_m = grasp.opening_m
    for turn_rad in TURNS_RAD:
        for place, poses in _places(grasp, turn_rad):
            if not all(len(solutions(pose)) for pose in poses):
                continue
            for q_start, legs in _paths(poses):
                # The palm may pass over the table closely, the fingertips as close as the grasp is low.
                if all(model.free(leg, Clearance(0.0, 0.001)) for leg in (q_start[None], *legs)):
                    yield _Way(place, q_start, legs, float(turn_rad))
                    break


def _places(grasp: Grasp, turn_rad: float) -> Iterator[tuple[Pose, tuple[F64, ...]]]:
    """Yield places of the object and the tcp poses to pass: standoff, grasp, lifted, carried, and both turns."""
    object_T_tcp = matrix(grasp.object_T_tcp)
    for distance in _DISTANCES_M:
        for yaw in _YAWS_RAD:
            heading = yaw - np.arctan2(object_T_tcp[1, 1], object_T_tcp[0, 1]) + np.pi / 2
            rotation = turn_about_z(float(heading))
            place = np.eye(4)
            place[:3, :3] = rotation
            # The hand, not the object, starts at the wanted distance.
            place[:2, 3] = np.array([distance, -CARRY_M / 2]) - (rotation @ object_T_tcp[:3, 3])[:2]
            position, quat = pose_of(place)
            (x, y, z), (qw, qx, qy, qz) = (map(float, values) for values in (position, quat))
            stand = Pose((x, y, z), (qw, qx, qy, qz))
            held = place @ object_T_tcp
            away, up, over = held.copy(), held.copy(), held.copy()
            away[:3, 3] -= _STANDOFF_M * held[:3, 2]
            up[2, 3] += LIFT_M
            over[:3, 3] = up[:3, 3] + np.array([0.0, CARRY_M, 0.0])
            left, right = over.copy(), over.copy()
            left[:3, :3] = turn_about_z(turn_rad) @ over[:3, :3]
            right[:3, :3] = turn_about_z(-turn_rad) @ over[:3, :3]
            yield stand, (away, held, up, over, left, right)


def _paths(poses: tuple[F64, ...]) -> Iterator[tuple[F64, tuple[F64, ...]]]:
    """Yield start postures with joint paths through the poses, of which the last two are the turns, there and back."""
    *straight, left, right = poses
    q_all = solutions(straight[0])
    easiest = np.argsort(-manipulability(q_all), kind="stable")[:_WIDTH]
    beam: list[_Partial] = [(q, q, ()) for q in q_all[easiest]]
    for start, end in pairwise(straight):
        wider: list[_Partial] = []
        for first, q, legs in beam:
            wider.extend((first, path[-1], (*legs, path)) for path in _legs(q, start, end))
        beam = sorted(wider, key=lambda entry: -float(manipulability(entry[1])))[:_WIDTH]
    for first, q, legs in beam:
        there = next(_legs(q, straight[-1], left), None)
        other = None if there is None else next(_legs(q, straight[-1], right), None)
        if there is not None and other is not None:
            back = np.concatenate([there[-2::-1], q[None]])
            yield first, (*legs, there, np.concatenate([back, other]))


def _legs(q: F64, start: F64, end: F64) -> Iterator[F64]:
    """Yield joint paths (W, 7) from a posture at one pose straight to another, over angles of the last joint."""
    way = line(start, end)
    ends = solutions(end)
    near = ends[np.argsort(np.abs(ends - q).max(axis=1), kind="stable")][:3, 6] if len(ends) else ()
    shares = np.arange(1, len(way) + 1) / len(way)
    for wrist in dict.fromkeys((float(q[6]), *(float(v) for v in near))):
        path = follow(q, way, wrist_rad=q[6] + (wrist - q[6]) * shares, jump_rad=0.2)
        if path is not None:
            yield path


def _badness(report: GraspReport) -> float:
    """Return how far from passing a report is; 1 and less passes."""
    most_tilt = MOST_FILLED_TILT_RAD if report.filled else MOST_TILT_RAD
    lost = 100.0 * (report.held_s < HOLD_S)
    return lost + max(report.slip_m / MOST_SLIP_M, report.tilt_rad / most_tilt) + len(report.touched)
