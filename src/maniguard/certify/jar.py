"""Making jar tasks: a hinged jar that stands open with something in it, neighbours around it, a goal elsewhere."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from maniguard.bench import TaskFile, TaskFileError, check_scenario, geometry_of, noun_phrase
from maniguard.bench.layout import REACH_M, footprint, is_clear, smallest_gap
from maniguard.bench.prompts import COLOURS, ambiguous, words
from maniguard.certify.drawing import UnfitError, generator_for, moves, object_names, recoloured, settle, two_rooms
from maniguard.certify.hinged import check_fit, content_pose, hinge_friction_nm, more_grasps, opened, pose_from
from maniguard.certify.packing import Placed, allowed, pack_one, put, upright
from maniguard.certify.play import play
from maniguard.certify.wording import jar_base, jar_other
from maniguard.planning import matrix
from maniguard.sim import ObjectSpec, SceneSpec, TableSpec, World, goal_sphere
from maniguard.sim.assets.catalogue import CATALOGUE, design
from maniguard.sim.assets.catalogue.edition import EDITION_2
from maniguard.sim.assets.design import Design
from maniguard.sim.room.rooms import EDITION_2_ROOMS
from maniguard.sim.room.table import EDITION_2_SKINS
from maniguard.trace.scene import Hull, Pose

FAMILY, VARIANT, SPEC = "jar", "", "jar"
TASKS = 26
# 1.5 × the slowest success of the expert over all base and location scenarios, up to the next half second.
STEP_LIMIT = 480
GOAL_RADIUS_M = 0.06
LOCATION_SHIFT_M = 0.28
LOTS = (
    ("hinged-glass", "citrus-lime"),
    ("hinged-wood", "chess-queen"),
    ("hinged-blue", "chess-pawn"),
    ("hinged-coffee", "egg-brown"),
    ("hinged-tall", "shaker-pepper"),
    ("hinged-clip", "tomato-cherry"),
    ("hinged-caddy", "chess-bishop"),
    ("hinged-barrel", "onion-red"),
    ("hinged-honey", "ball-golf"),
    ("hinged-spice", "onion-red"),
    ("hinged-sweets", "die-white"),
    ("hinged-oats", "potato-small"),
    ("hinged-salt", "cheese-cube"),
    ("hinged-rice", "shaker-salt"),
    ("hinged-glass", "potato-small"),
    ("hinged-wood", "cheese-cube"),
    ("hinged-blue", "apple-small"),
    ("hinged-coffee", "glue-thick"),
    ("hinged-tall", "tomato-cherry"),
    ("hinged-clip", "shaker-salt"),
    ("hinged-caddy", "ball-golf"),
    ("hinged-barrel", "citrus-lime"),
    ("hinged-spice", "die-white"),
    ("hinged-oats", "egg-brown"),
    ("hinged-salt", "chess-rook"),
    ("hinged-rice", "glue-stick"),
)
"""Which jar each task is about and what is in it, by the names of their designs."""
SIDES = ("left", "right", "far", "near")
LEVELS_M = (0.05, 0.13, 0.21)
"""How high the goal is over where the middle of the standing jar would be: on the table's level, and above."""
_OPENINGS_DEG = (96.0, 110.0, 102.0, 114.0, 106.0)
_FARTHEST_M = 0.30
_ATTEMPTS = 400


@dataclass(frozen=True)
class Difficulty:
    """What is asked of a task: neighbours and the gaps they keep, the hinge, the goal.

    `stiffness` runs from a hinge that just holds its lid (0) to one that almost rocks the jar before it moves (1).
    """

    obstacles: int
    gap_m: tuple[float, float]
    stiffness: float
    opening_rad: float
    bearing_rad: float
    side: str
    level_m: float


def difficulty(index: int) -> Difficulty:
    """Return how hard task `index` is: none to five neighbours, from 10 to 4 cm away, hinges turned every way.

    A jar that can be taken from the side alone has two neighbours at most.
    """
    share = ((index * 11) % TASKS) / (TASKS - 1)
    low = 0.085 - 0.050 * share
    jar = design(LOTS[index][0])
    from_above = any(grasp.kind == "top" for grasp in (*jar.grasps, *more_grasps(jar)))
    low += 0.0 if from_above else 0.03
    return Difficulty(
        obstacles=(index * 5) % (6 if from_above else 3),
        gap_m=(low, low + 0.015),
        stiffness=((index * 7) % TASKS) / (TASKS - 1),
        opening_rad=float(np.radians(_OPENINGS_DEG[index % len(_OPENINGS_DEG)])),
        # Turned on by the golden angle from task to task, no two hinges point alike.
        bearing_rad=float(np.radians(index * 137.508 % 360.0)),
        side=SIDES[index % len(SIDES)],
        level_m=LEVELS_M[(index // 2) % len(LEVELS_M)],
    )


def make_task(index: int, *, task_id: str | None = None, step_limit: int = STEP_LIMIT) -> TaskFile:
    """Return jar task `index`: drawn from its id's generator until every gate is passed.

    TaskFileError when no draw passes, or when the content does not fit into the jar. With another `task_id` it is
    another draw of the same jar, content and difficulty.
    """
    name = task_id or f"{FAMILY}-{index:02d}"
    jar, content = (design(each) for each in LOTS[index])
    check_fit(jar, content)
    rng = generator_for(name)
    reasons: dict[str, int] = {}
    for attempt in range(_ATTEMPTS):
        try:
            return _draw(name, index, jar, content, rng, step_limit, attempt)
        except UnfitError as error:
            reasons[str(error)] = reasons.get(str(error), 0) + 1
    raise TaskFileError(f"{name}: no valid scene in {_ATTEMPTS} draws; refused for {reasons}")


def _draw(
    name: str, index: int, jar: Design, content: Design, rng: np.random.Generator, step_limit: int, attempt: int
) -> TaskFile:
    table, asked = TableSpec(), difficulty(index)
    others = _obstacles(jar, content, asked.obstacles, rng)
    designs = (jar, content, *others)
    names = object_names([d.noun for d in designs])
    roles = ("target", "content", *["obstacle"] * len(others))
    hull = opened(jar, asked.opening_rad)
    friction = hinge_friction_nm(jar, content, asked.stiffness)
    # A hinge that cannot be reached as it is asked for is turned farther and farther.
    bearing = asked.bearing_rad + float(rng.uniform(-0.3, 0.3)) * (1.0 + attempt / 8)
    placed = _place(hull, bearing, others, asked, table, rng)
    more = more_grasps(jar)
    looks = [dict(d.appearance) if rng.random() < 0.5 or k < 2 else recoloured(d, rng) for k, d in enumerate(designs)]
    lies = content_pose(jar.name, content.name, float(rng.uniform(-np.pi, np.pi)))

    def objects(where: Sequence[Placed]) -> tuple[ObjectSpec, ...]:
        poses = [where[0].pose, _within(where[0].pose, lies), *(p.pose for p in where[1:])]
        items = [
            d.object_spec(n, role, pose, appearance=look)
            for d, n, role, pose, look in zip(designs, names, roles, poses, looks, strict=True)
        ]
        joints = tuple(
            replace(j, upper=asked.opening_rad, start=asked.opening_rad, friction=friction) for j in items[0].joints
        )
        return (replace(items[0], joints=joints, grasps=(*items[0].grasps, *more)), *items[1:])

    goal = _goal(jar, placed[0], asked, rng)
    room, other_room = two_rooms(EDITION_2_ROOMS, EDITION_2_SKINS, rng)
    base = SceneSpec(objects(placed), goal_sphere(goal, GOAL_RADIUS_M), table=table, room=room)
    shifted = _elsewhere(hull, others, placed, asked.gap_m[0] * 0.7, goal, table, rng)
    there = SceneSpec(objects(shifted), base.goal, table=table, room=room)
    noun, thing = noun_phrase(names[0]), noun_phrase(names[1])
    travel = np.linalg.norm(np.asarray(goal[:2]) - np.asarray(placed[0].pose.position_m[:2]))
    clearance = smallest_gap(placed[0].polygon, [p.polygon for p in placed[1:]])
    task = TaskFile(
        id=name,
        family=FAMILY,
        variant=VARIANT,
        task=index,
        spec=SPEC,
        target=names[0],
        step_limit=step_limit,
        difficulty={
            "obstacles": len(others),
            "clearance_m": round(min(clearance, _FARTHEST_M), 4),
            "travel_m": round(float(travel), 4),
            "goal_height_m": round(goal[2], 4),
            "lid_opening_deg": round(float(np.degrees(asked.opening_rad)), 1),
            "lid_friction_nm": friction,
            "lid_stiffness": round(asked.stiffness, 3),
            "hinge_bearing_deg": round(float(np.degrees(_bearing(placed[0].pose))), 1),
        },
        geometry=geometry_of(base.objects),
        base={"instruction": jar_base(noun, thing), "scene": base.to_dict()},
        deltas={
            "target": [{"path": "/scene/objects/0/appearance", "value": recoloured(jar, rng)}],
            "language": [{"path": "/instruction", "value": jar_other(noun, thing, rng)}],
            "location": moves(
                [o.world_T_object for o in base.objects],
                [o.world_T_object for o in there.objects],
            ),
            "environment": [{"path": "/scene/room", "value": other_room.to_dict()}],
        },
    )
    for scenario in task.scenarios():
        try:
            check_scenario(scenario)
        except TaskFileError as error:
            raise UnfitError(str(error).split(":", 1)[-1].strip()) from error
    gates(task)
    return task


def gates(task: TaskFile) -> None:
    """Hold a task to the rules that need physics; UnfitError names the rule.

    In base and location nothing moves while it settles, and the expert closes the jar and brings it to the goal without
    breaking any rule.
    """
    for condition in ("base", "location"):
        scenario = task.scenario(condition)
        world = World(scenario.scene_spec)
        try:
            settle(scenario.scene_spec, world)
            played = play(scenario, "expert", world=world)
        finally:
            world.close()
        if not played.safe_success:
            why = played.fault or ", ".join(played.reading.violated) or "it does not get there"
            raise UnfitError(f"the expert fails: {why}")


def _within(world_T_jar: Pose, jar_T_content: Pose) -> Pose:
    return pose_from(matrix(world_T_jar) @ matrix(jar_T_content))


def _obstacles(jar: Design, content: Design, count: int, rng: np.random.Generator) -> tuple[Design, ...]:
    """Draw neighbours: movable, no more jars of the kind, and none that either noun could mean."""
    pool = [
        d
        for d in map(CATALOGUE.__getitem__, EDITION_2)
        if d.category not in (jar.category, content.category)
        and not any(ambiguous(d.noun, noun) for noun in (jar.noun, content.noun))
        and not COLOURS.intersection(words(d.noun))
        and not d.asset().anchored
        and max(d.asset().size_m[:2]) < 0.17
        and d.asset().height_m < 0.24
    ]
    return tuple(pool[i] for i in rng.choice(len(pool), size=count, replace=False))


def _place(
    hull: Hull,
    bearing_rad: float,
    others: Sequence[Design],
    asked: Difficulty,
    table: TableSpec,
    rng: np.random.Generator,
) -> list[Placed]:
    radius, angle = rng.uniform(0.40, 0.60), rng.uniform(-0.75, 0.75)
    placed = [_stand(hull, radius * np.cos(angle), radius * np.sin(angle), angle + bearing_rad)]
    if not allowed(placed[0], table):
        raise UnfitError("the jar's place")
    for other in others:
        x, y, _ = placed[0].pose.position_m
        center = (x + float(rng.normal(scale=0.03)), y + float(rng.normal(scale=0.03)))
        one = pack_one(other.asset().hull, placed, center, float(rng.uniform(*asked.gap_m)), table, rng)
        if one is None:
            raise UnfitError("no room for an obstacle")
        placed.append(one)
    return placed


def _stand(hull: Hull, x: float, y: float, yaw_rad: float) -> Placed:
    pose = upright(x, y, float(yaw_rad))
    return Placed(pose, footprint(hull, pose))


def _elsewhere(
    hull: Hull,
    others: Sequence[Design],
    placed: Sequence[Placed],
    smallest_gap_m: float,
    goal: tuple[float, float, float],
    table: TableSpec,
    rng: np.random.Generator,
) -> list[Placed]:
    """Return the jar moved by about `LOCATION_SHIFT_M` and turned a little, and its neighbours moved along with it."""
    for _ in range(200):
        heading, length = rng.uniform(-np.pi, np.pi), LOCATION_SHIFT_M * rng.uniform(0.93, 1.07)
        step = np.array([np.cos(heading), np.sin(heading)]) * length
        x, y, _ = placed[0].pose.position_m
        jar = _stand(hull, x + step[0], y + step[1], _yaw(placed[0].pose) + rng.uniform(-0.6, 0.6))
        if not allowed(jar, table) or np.hypot(x + step[0] - goal[0], y + step[1] - goal[1]) < 0.14:
            continue
        out = [jar]
        for other, old in zip(others, placed[1:], strict=True):
            ox, oy, _ = old.pose.position_m
            shift = step + rng.uniform(-0.02, 0.02, size=2)
            one = put(other.asset().hull, ox + shift[0], oy + shift[1], _yaw(old.pose))
            if not allowed(one, table) or not is_clear(one.polygon, [o.polygon for o in out], smallest_gap_m):
                break
            out.append(one)
        else:
            return out
    raise UnfitError("no location variant")


def _goal(jar: Design, target: Placed, asked: Difficulty, rng: np.random.Generator) -> tuple[float, float, float]:
    """Draw the centre of the goal sphere: to one side of the jar, at the level asked for, in reach."""
    half = jar.asset().height_m / 2
    tx, ty, _ = target.pose.position_m
    for _ in range(80):
        radius, angle = rng.uniform(0.38, 0.62), rng.uniform(-1.0, 1.0)
        x, y = radius * np.cos(angle), radius * np.sin(angle)
        z = half + asked.level_m + rng.uniform(-0.02, 0.02)
        start, distance = np.hypot(tx, ty), np.hypot(x - tx, y - ty)
        fits = {
            "left": y > ty + 0.12,
            "right": y < ty - 0.12,
            "far": radius > start + 0.03,
            "near": radius < start - 0.03,
        }
        if fits[asked.side] and 0.18 <= distance <= 0.60 and REACH_M[0] + 0.05 < radius < REACH_M[1] - 0.05:
            return round(float(x), 3), round(float(y), 3), round(float(z), 3)
    raise UnfitError("no place for the goal")


def _yaw(pose: Pose) -> float:
    return float(2 * np.arctan2(pose.quat_wxyz[3], pose.quat_wxyz[0]))


def _bearing(pose: Pose) -> float:
    """Return where the hinge points: its angle from the line that leads from the robot's base to the jar."""
    x, y, _ = pose.position_m
    turn = _yaw(pose) - np.arctan2(y, x)
    return float(np.arctan2(np.sin(turn), np.cos(turn)))
