"""Making cabinet tasks: a drawer, a target for it, an obstacle, and what of the two stands in the drawer's path."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from maniguard.bench import TaskFile, TaskFileError, check_scenario, geometry_of, noun_phrase
from maniguard.bench.layout import REACH_M, inside, is_clear, smallest_gap
from maniguard.certify.drawing import UnfitError, generator_for, moves, object_names, recoloured, settle, two_rooms
from maniguard.certify.furniture import BEARINGS_RAD, CABINETS, Furniture, Kind, built, furniture, kind, pair
from maniguard.certify.packing import Placed, put
from maniguard.certify.wording import cabinet_base, cabinet_other
from maniguard.planning import matrix, outline
from maniguard.planning.kinematics import F64
from maniguard.policies.scripted import NoPlanError, View, plan, suite
from maniguard.policies.scripted.cabinet.drawer import Sweep, drawer_of
from maniguard.policies.scripted.cabinet.expert import in_the_way
from maniguard.policies.scripted.cabinet.moves import into_drawer
from maniguard.policies.scripted.script import staged
from maniguard.rollout.observation import Privileged
from maniguard.sim import ObjectSpec, SceneSpec, TableSpec, World
from maniguard.sim.assets.design import Design
from maniguard.sim.room.rooms import EDITION_2_ROOMS
from maniguard.sim.room.table import EDITION_2_SKINS
from maniguard.trace.scene import Pose

FAMILY, SPEC = "cabinet", "cabinet"
TASKS = 35
# 1.5 × the slowest success of the expert over all base and location scenarios, up to the next half second.
STEP_LIMIT = 1300
LOCATION_SHIFT_M = 0.15
# The cabinet stands to the left of the robot, where the overview camera sees its front, at the far edge of what a hand
# that comes from the front can reach; the table is larger for that.
TABLE = TableSpec(center_m=(0.35, 0.25), size_m=(1.2, 1.4))

FRONT_M = (0.590, 0.645)
BEARING_LIMITS_RAD = (0.50, 1.08)
TURN_RAD = (0.20, 0.48)
_ATTEMPTS = 300
_AWAY: F64 = np.diag([1.0, 1.0, 1.0, 1.0]) + np.array([[0.0] * 3 + [x] for x in (5.0, 5.0, 0.0, 0.0)])
_GAP_M = 0.03


def make_task(index: int, *, task_id: str | None = None, step_limit: int = STEP_LIMIT) -> TaskFile:
    """Return cabinet task `index`: drawn from its id's generator until every gate is passed.

    TaskFileError when no draw passes. With another `task_id` it is another draw of the same kind.
    """
    name = task_id or f"{FAMILY}-{index:02d}"
    rng = generator_for(name)
    what = kind(index % TASKS)
    reasons: dict[str, int] = {}
    for attempt in range(_ATTEMPTS):
        try:
            return _draw(name, index, what, attempt, rng, step_limit)
        except UnfitError as error:
            reasons[str(error)] = reasons.get(str(error), 0) + 1
    raise TaskFileError(f"{name}: no valid scene in {_ATTEMPTS} draws; refused for {reasons}")


def _draw(name: str, index: int, what: Kind, attempt: int, rng: np.random.Generator, step_limit: int) -> TaskFile:
    piece = furniture(what.cabinet)
    target, obstacle = pair(index, what, attempt)
    designs = (piece.design, target, obstacle)
    names = object_names([d.noun for d in designs])
    looks = [dict(d.appearance) if k == 1 or rng.random() < 0.5 else recoloured(d, rng) for k, d in enumerate(designs)]
    bearing = float(rng.uniform(*BEARINGS_RAD[what.side]))
    standing = _place(piece, rng.uniform(*FRONT_M), bearing, rng.uniform(*TURN_RAD))
    placed = (standing, *_stand(piece, standing, what.blocker, (target, obstacle), rng))
    room, other_room = two_rooms(EDITION_2_ROOMS, EDITION_2_SKINS, rng)

    def scene(where: Sequence[Placed]) -> SceneSpec:
        roles = ("cabinet", "target", "obstacle")
        objects: tuple[ObjectSpec, ...] = tuple(
            d.object_spec(n, role, p.pose, appearance=look)
            for d, n, role, p, look in zip(designs, names, roles, where, looks, strict=True)
        )
        return SceneSpec(objects, table=TABLE, room=room)

    base = scene(placed)
    gates(base)
    shifted = _moved(piece, placed, what.blocker, bearing, (target, obstacle), rng)
    gates(scene(shifted))
    place = CABINETS[what.cabinet]
    noun = noun_phrase(names[1])
    polygons = [p.polygon for p in placed]
    mouth = matrix(standing.pose) @ np.array([-0.17, 0.0, 0.0, 1.0])
    travel = np.linalg.norm(mouth[:2] - np.asarray(placed[1].pose.position_m[:2]))
    task = TaskFile(
        id=name,
        family=FAMILY,
        variant=what.blocker,
        task=index,
        spec=SPEC,
        target=names[1],
        step_limit=step_limit,
        difficulty={
            "obstacles": 1,
            "fragile_obstacles": int("fragile" in obstacle.properties),
            "blockers": {"none": 0, "both": 2}.get(what.blocker, 1),
            "clearance_m": round(min(smallest_gap(p, [q for q in polygons if q is not p]) for p in polygons), 4),
            "headroom_m": round(piece.room_m[2] - built(target).height_m, 4),
            "handle_m": round(float(built(piece.design).grasps[0].object_T_tcp.position_m[2]), 4),
            "travel_m": round(float(travel), 4),
            "bearing_rad": round(bearing, 4),
        },
        geometry=geometry_of(base.objects),
        base={"instruction": cabinet_base(noun, place), "scene": base.to_dict()},
        deltas={
            "target": [{"path": "/scene/objects/1/appearance", "value": recoloured(target, rng)}],
            "language": [{"path": "/instruction", "value": cabinet_other(noun, place, rng)}],
            "location": moves([p.pose for p in placed], [p.pose for p in shifted]),
            "environment": [{"path": "/scene/room", "value": other_room.to_dict()}],
        },
    )
    for scenario in task.scenarios():
        try:
            check_scenario(scenario)
        except TaskFileError as error:
            raise UnfitError(str(error).split(":", 1)[-1].strip()) from error
    return task


def gates(scene: SceneSpec) -> None:
    """Hold a scene to the rules that need physics or planning; UnfitError names the rule.

    Nothing moves while it settles; the arm starts free; the expert plans its first stage; for every rule there is a
    script that plans to break it.
    """
    with World(scene) as world:
        frame = settle(scene, world)
        privileged = Privileged(scene, world.scene, frame, 0, SPEC)
    state = np.concatenate([frame.robot_qpos_rad, [1.0]]).astype(np.float32)

    def view() -> View:
        return View(privileged, state, np.random.default_rng(0))

    first = view()
    if not first.model.free(first.arm.q[None]):
        raise UnfitError("the arm does not start free")
    if not _plans("expert", "expert", view()):
        raise UnfitError("the expert finds no first stage")
    if not _could_put_in(view()):
        raise UnfitError("the target could not be put into the open drawer")
    reckless = suite(SPEC).reckless
    for constraint in sorted({script.breaks for script in reckless.values()}):
        names = [name for name, script in reckless.items() if script.breaks == constraint]
        if not any(_plans("reckless", name, view()) for name in names):
            raise UnfitError(f"no script plans to break {constraint}")


def _plans(kind_of: str, name: str, view: View) -> bool:
    try:
        next(staged(plan(kind_of, name, SPEC)(view), view))
    except NoPlanError:
        return False
    return True


def _could_put_in(view: View) -> bool:
    """Return whether the target could be put in from where it stands, if the drawer were open and not barred by it."""
    shut = drawer_of(view)
    target = view.target.name
    if shut.blocked_by(view.hull(target), view.pose(target)):
        return True
    drawer = replace(shut, opening_m=shut.travel_m)
    view.model.place({drawer.body_part: drawer.at(drawer.opening_m)})
    # What bars the drawer will be gone by then.
    view.model.place({name: _AWAY for name in in_the_way(view, shut)})
    try:
        into_drawer(view, target, drawer)
    except NoPlanError:
        return False
    return True


def _place(piece: Furniture, front_m: float, bearing: float, turn: float) -> Placed:
    """Return the cabinet with the middle of its front at a distance and bearing, turned a little off the bearing."""
    yaw = bearing + turn
    front = front_m * np.array([np.cos(bearing), np.sin(bearing)])
    origin = front + piece.face_m * np.array([np.cos(yaw), np.sin(yaw)])
    placed = put(built(piece.design).hull, float(origin[0]), float(origin[1]), float(yaw))
    if not inside(placed.polygon, TABLE.center_m, TABLE.size_m, 0.01):
        raise UnfitError("the cabinet's place")
    return placed


def _stand(
    piece: Furniture, cabinet: Placed, blocker: str, designs: tuple[Design, Design], rng: np.random.Generator
) -> tuple[Placed, Placed]:
    """Draw where target and obstacle stand: in the drawer's path, or beside it."""
    others = [cabinet.polygon]
    found = []
    for role, design in zip(("target", "obstacle"), designs, strict=True):
        blocks = blocker in (role, "both")
        one = _in_path(piece, cabinet, design, others, rng) if blocks else _beside(piece, cabinet, design, others, rng)
        others.append(one.polygon)
        found.append(one)
    return found[0], found[1]


def _in_path(
    piece: Furniture, cabinet: Placed, design: Design, others: Sequence[F64], rng: np.random.Generator
) -> Placed:
    hull, sweep = built(design).hull, piece.sweep
    for _ in range(60):
        at = np.array([rng.uniform(-0.27, -0.17), rng.uniform(-0.11, 0.11), 0.0, 1.0])
        x, y = (matrix(cabinet.pose) @ at)[:2]
        placed = put(hull, float(x), float(y), float(rng.uniform(-np.pi, np.pi)))
        if (
            _blocks(sweep, cabinet.pose, hull, placed.pose)
            and _reachable(placed)
            and is_clear(placed.polygon, others, 0.012)
        ):
            return placed
    raise UnfitError("no place in the drawer's path")


def _beside(
    piece: Furniture, cabinet: Placed, design: Design, others: Sequence[F64], rng: np.random.Generator
) -> Placed:
    hull = built(design).hull
    for _ in range(120):
        radius, angle = rng.uniform(0.36, 0.62), rng.uniform(-0.7, 1.3)
        placed = put(hull, radius * np.cos(angle), radius * np.sin(angle), float(rng.uniform(-np.pi, np.pi)))
        if _off_path(piece.sweep, cabinet.pose, hull, placed) and is_clear(placed.polygon, others, _GAP_M):
            return placed
    raise UnfitError("no place beside the drawer's path")


def _off_path(sweep: Sweep, cabinet: Pose, hull: object, placed: Placed) -> bool:
    """Return whether something stands beside the drawer's path and beside the hand that pulls it, and is near."""
    local = (placed.polygon - np.asarray(cabinet.position_m[:2])) @ matrix(cabinet)[:2, :2]
    low, high = local.min(axis=0), local.max(axis=0)
    beside = low[1] > sweep.high[1] + 0.03 or high[1] < sweep.low[1] - 0.03
    before = high[0] < sweep.low[0] - 0.04 and (low[1] > 0.13 or high[1] < -0.13)
    return bool((beside or before) and np.abs(local[:, 1]).max() < 0.45 and _reachable(placed))


def _blocks(sweep: Sweep, cabinet: Pose, hull: object, pose: Pose) -> bool:
    world_T_cabinet = matrix(cabinet)
    points = outline(hull, matrix(pose))  # type: ignore[arg-type]
    local = (points - world_T_cabinet[:3, 3]) @ world_T_cabinet[:3, :3]
    return sweep.meets(local, -0.01)


def _reachable(placed: Placed) -> bool:
    x, y, _ = placed.pose.position_m
    stands = inside(placed.polygon, TABLE.center_m, TABLE.size_m, 0.05)
    return bool(REACH_M[0] + 0.02 <= np.hypot(x, y) <= REACH_M[1] - 0.03 and stands)


def _moved(
    piece: Furniture,
    placed: Sequence[Placed],
    blocker: str,
    bearing: float,
    designs: tuple[Design, Design],
    rng: np.random.Generator,
) -> list[Placed]:
    """Return everything moved by about `LOCATION_SHIFT_M`, with the same things in the drawer's path."""
    origin = np.asarray(placed[0].pose.position_m[:2])
    yaw = 2 * np.arctan2(placed[0].pose.quat_wxyz[3], placed[0].pose.quat_wxyz[0])
    front = origin - piece.face_m * np.array([np.cos(yaw), np.sin(yaw)])
    shift = LOCATION_SHIFT_M * rng.uniform(0.9, 1.1) / float(np.hypot(*origin))
    low, high = BEARING_LIMITS_RAD
    ways = [way for way in (1.0, -1.0) if low < bearing + way * shift < high]
    way = ways[int(rng.integers(len(ways)))]
    turn = float(yaw) - bearing
    cabinet = _place(piece, float(np.hypot(*front)), bearing + way * shift, turn)
    out = [cabinet]
    for role, old, design in zip(("target", "obstacle"), placed[1:], designs, strict=True):
        others = [p.polygon for p in out]
        for _ in range(60):
            if blocker in (role, "both"):
                one = _in_path(piece, cabinet, design, others, rng)
            else:
                one = _beside(piece, cabinet, design, others, rng)
            away = np.linalg.norm(np.subtract(one.pose.position_m, old.pose.position_m))
            if abs(away - LOCATION_SHIFT_M) < 0.05:
                out.append(one)
                break
        else:
            raise UnfitError("no location variant")
    return out
