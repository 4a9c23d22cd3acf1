"""Making lid tasks: a container, its lid beside it, something inside, and a goal to carry both to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache

import numpy as np

from maniguard.bench import TaskFile, TaskFileError, check_scenario, geometry_of, noun_phrase
from maniguard.bench.layout import REACH_M, is_clear, smallest_gap
from maniguard.bench.prompts import ambiguous
from maniguard.certify.drawing import UnfitError, generator_for, moves, object_names, recoloured, settle, two_rooms
from maniguard.certify.lid_plans import LIQUID, PLANS, Plan, check_plan
from maniguard.certify.packing import Placed, allowed, pack_one, put
from maniguard.certify.wording import lid_base, lid_other
from maniguard.planning import inverted, matrix, matrix_of, pose_of
from maniguard.planning.kinematics import F64
from maniguard.policies.scripted import NoPlanError, View
from maniguard.policies.scripted.lid.body import hold_body
from maniguard.policies.scripted.lid.expert import carry_to_goal, goal_origin
from maniguard.policies.scripted.lid.steps import fetch_lid, lid_of, seat
from maniguard.rollout.observation import Privileged
from maniguard.sim import HOME_QPOS_RAD, LiquidSpec, ObjectSpec, SceneSpec, TableSpec, World, fill, goal_sphere
from maniguard.sim.assets.catalogue import CATALOGUE
from maniguard.sim.assets.catalogue.edition import EDITION_2
from maniguard.sim.assets.design import Design
from maniguard.sim.assets.fitting import mouth_radius_m
from maniguard.sim.bodies import BuildError
from maniguard.sim.room.rooms import EDITION_2_ROOMS
from maniguard.sim.room.table import EDITION_2_SKINS
from maniguard.trace.scene import Hull, Pose, Vector3

FAMILY, SPEC = "lid", "lid"
TASKS = 30
# 1.5 × the slowest success of the expert over all base and location scenarios, up to the next half second.
STEP_LIMIT = 750
GOAL_RADIUS_M = 0.06
LOCATION_SHIFT_M = 0.18
LEAST_TRAVEL_M = 0.14
SHIFT_SPREAD = (0.88, 1.12)
SHIFT_TURN_RAD = 0.30
GRAINS, GRAINS_IN_NECK, NECK_M = 24, 16, 0.02
"""How many grains a liquid has, and how many where the mouth is narrower than that radius."""
FREEBOARD_M = 0.016
"""How far below the rim the liquid ends: a plug dips 6 mm into it."""
SETTLE_STEPS = 160
LIQUID_COLOURS = ("#7fb4d6", "#8a4b2a", "#d9a441", "#b23a48")
_SIDES = ("left", "right", "far", "near")
_ATTEMPTS = 200
_PLACES = 60


def make_task(index: int, *, task_id: str | None = None, step_limit: int = STEP_LIMIT) -> TaskFile:
    """Return lid task `index`: drawn from its id's generator until every gate is passed.

    TaskFileError when no draw passes. With another `task_id` it is another draw of the same kind.
    """
    name = task_id or f"{FAMILY}-{index:02d}"
    plan = PLANS[index]
    check_plan(plan)
    rng = generator_for(name)
    reasons: dict[str, int] = {}
    for _ in range(_ATTEMPTS):
        try:
            return _draw(name, index, plan, rng, step_limit)
        except UnfitError as error:
            reasons[str(error)] = reasons.get(str(error), 0) + 1
    raise TaskFileError(f"{name}: no valid scene in {_ATTEMPTS} draws; refused for {reasons}")


def _draw(name: str, index: int, plan: Plan, rng: np.random.Generator, step_limit: int) -> TaskFile:
    table = TableSpec()
    container, lid = CATALOGUE[plan.container], CATALOGUE[plan.lid]
    inside = CATALOGUE.get(plan.inside)
    named = [container, lid, *([inside] if inside else [])]
    designs = [container, lid, *_obstacles(named, plan.obstacles, rng)]
    nouns = object_names([d.noun for d in (*named, *designs[2:])])
    names = [*nouns[:2], *nouns[len(named) :]]
    placed = _pack(designs, plan, table, rng)
    looks = [dict(d.appearance) if rng.random() < 0.5 or k < 2 else recoloured(d, rng) for k, d in enumerate(designs)]
    roles = ["target", "lid", *["obstacle"] * plan.obstacles]
    liquids = _liquid(container, names[0], plan, rng)
    in_container = _settled_inside(plan.container, plan.inside) if inside else None

    def objects(where: Sequence[Placed]) -> tuple[ObjectSpec, ...]:
        found = [
            d.object_spec(n, role, p.pose, appearance=look)
            for d, n, role, p, look in zip(designs, names, roles, where, looks, strict=True)
        ]
        if inside is not None and in_container is not None:
            found.insert(2, inside.object_spec(nouns[2], "content", _compose(where[0].pose, in_container)))
        return tuple(found)

    room, other_room = two_rooms(EDITION_2_ROOMS, EDITION_2_SKINS, rng)
    goal = goal_sphere(_goal(container, placed, _SIDES[index % len(_SIDES)], rng), GOAL_RADIUS_M)
    base = SceneSpec(objects(placed), goal, table=table, room=room, liquids=liquids)
    gates(base)
    shifted = _moved([d.asset().hull for d in designs], placed, goal.pose.position_m, table, rng)
    moved = replace(base, objects=objects(shifted))
    gates(moved)
    polygons = [p.polygon for p in placed]
    start = np.asarray(placed[0].pose.position_m[:2])
    task = TaskFile(
        id=name,
        family=FAMILY,
        variant=_kind(lid),
        task=index,
        spec=SPEC,
        target=names[0],
        step_limit=step_limit,
        difficulty={
            "obstacles": plan.obstacles,
            "target_gap_m": round(smallest_gap(polygons[0], polygons[1:]), 4),
            "travel_m": round(float(np.linalg.norm(np.asarray(goal.pose.position_m[:2]) - start)), 4),
            "lid_travel_m": round(float(np.linalg.norm(np.asarray(placed[1].pose.position_m[:2]) - start)), 4),
            "play_m": round(_play_m(lid, container), 4),
            "grip_m": round(min(grasp.width_m for grasp in lid.grasps), 4),
        },
        geometry=geometry_of(base.objects),
        base={"instruction": lid_base(noun_phrase(names[0]), noun_phrase(names[1])), "scene": base.to_dict()},
        deltas={
            "target": [{"path": "/scene/objects/0/appearance", "value": recoloured(container, rng)}],
            "language": [
                {"path": "/instruction", "value": lid_other(noun_phrase(names[0]), noun_phrase(names[1]), rng)}
            ],
            "location": moves(
                [spec.world_T_object for spec in base.objects], [spec.world_T_object for spec in moved.objects]
            ),
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

    Nothing moves while it settles; the arm starts free; the lid can be taken and brought over the container; with the
    lid on, and without it, the container can be taken by its body and carried to the goal.
    """
    world = World(scene)
    frame = settle(scene, world)
    state = np.concatenate([frame.robot_qpos_rad, [1.0]]).astype(np.float32)

    def view(capped: bool) -> View:
        first = View(Privileged(scene, world.scene, frame, 0, SPEC), state, np.random.default_rng(0))
        if not capped:
            return first
        seated = seat(first)
        column = world.scene.index(lid_of(first).name)
        position, quat = frame.position_m.copy(), frame.quat_wxyz.copy()
        position[column] = seated[:3, 3]
        quat[column] = pose_of(seated)[1]
        then = replace(frame, position_m=position, quat_wxyz=quat)
        return View(Privileged(scene, world.scene, then, 0, SPEC), state, np.random.default_rng(0))

    if not (first := view(False)).model.free(first.arm.q[None]):
        raise UnfitError("the arm does not start free")
    for what, attempt in (
        ("the lid cannot be brought over the container", lambda: fetch_lid(view(False))),
        ("the container cannot be brought to the goal with the lid on", lambda: carry_to_goal(view(True))),
        ("the container cannot be lifted without the lid", lambda: hold_body(first, goal_origin(first))),
    ):
        try:
            attempt()
        except NoPlanError as error:
            raise UnfitError(what) from error
    world.close()


def _kind(lid: Design) -> str:
    style = str(lid.spec.params.get("style", "knob"))
    return {"tall-knob": "knob", "cap": "cap", "handle": "handle"}.get(style, style)


def _play_m(lid: Design, container: Design) -> float:
    """Return the room between the plug and the mouth that it goes into."""
    plug = lid.asset().plug
    assert plug is not None
    return mouth_radius_m(container.asset()) - float(plug.size_m[0])


def _obstacles(named: Sequence[Design], count: int, rng: np.random.Generator) -> tuple[Design, ...]:
    """Draw obstacles: none that a noun of the task could mean, and nothing that a lid is on or that moves in itself."""
    taken = {d.category for d in named} | {"lid"}
    pool = [d for d in map(CATALOGUE.__getitem__, EDITION_2) if d.category not in taken]
    pool = [d for d in pool if not any(ambiguous(d.noun, other.noun) for other in named)]
    pool = [d for d in pool if max(d.asset().size_m[:2]) < 0.17 and not d.asset().joints and not d.asset().anchored]
    return tuple(pool[i] for i in rng.choice(len(pool), size=count, replace=False))


def _pack(designs: Sequence[Design], plan: Plan, table: TableSpec, rng: np.random.Generator) -> list[Placed]:
    radius, angle = rng.uniform(0.42, 0.58), rng.uniform(-0.75, 0.75)
    placed = [
        put(designs[0].asset().hull, radius * np.cos(angle), radius * np.sin(angle), float(rng.uniform(-np.pi, np.pi)))
    ]
    if not allowed(placed[0], table):
        raise UnfitError("the container's place")
    for k, design in enumerate(designs[1:]):
        center = placed[0].polygon.mean(axis=0)
        gap = plan.apart_m
        if k:
            center = (center + placed[1].polygon.mean(axis=0)) / 2.0 + rng.normal(scale=0.05, size=2)
            gap = float(rng.uniform(0.045, 0.085))
        one = pack_one(design.asset().hull, placed, tuple(center), gap, table, rng, tries=1 if k == 0 else 12)
        if one is None:
            raise UnfitError("no room for the lid" if k == 0 else "no room for an obstacle")
        placed.append(one)
    return placed


def _moved(
    hulls: Sequence[Hull], placed: Sequence[Placed], goal_m: Vector3, table: TableSpec, rng: np.random.Generator
) -> list[Placed]:
    """Move everything by about `LOCATION_SHIFT_M`, each a little differently, the container not to the goal."""
    least = 0.8 * min(smallest_gap(p.polygon, [o.polygon for o in placed if o is not p]) for p in placed)
    for _ in range(_PLACES * 5):
        heading = rng.uniform(-np.pi, np.pi)
        out: list[Placed] = []
        for hull, old in zip(hulls, placed, strict=True):
            angle = heading + rng.uniform(-SHIFT_TURN_RAD, SHIFT_TURN_RAD)
            length = LOCATION_SHIFT_M * rng.uniform(*SHIFT_SPREAD)
            x, y, _ = old.pose.position_m
            yaw = 2 * np.arctan2(old.pose.quat_wxyz[3], old.pose.quat_wxyz[0])
            new = put(hull, x + length * np.cos(angle), y + length * np.sin(angle), float(yaw))
            if not allowed(new, table) or not is_clear(new.polygon, [o.polygon for o in out], least):
                break
            out.append(new)
        else:
            if np.linalg.norm(np.subtract(out[0].pose.position_m[:2], goal_m[:2])) >= LEAST_TRAVEL_M:
                return out
    raise UnfitError("no location variant")


def _liquid(container: Design, name: str, plan: Plan, rng: np.random.Generator) -> tuple[LiquidSpec, ...]:
    if plan.inside != LIQUID:
        return ()
    item = container.object_spec(name, "target", Pose((0.5, 0.0, 0.0)))
    colour = LIQUID_COLOURS[int(rng.integers(len(LIQUID_COLOURS)))]
    count = GRAINS_IN_NECK if mouth_radius_m(container.asset()) < NECK_M else GRAINS
    try:
        return (fill(item, rng=rng, count=count, freeboard_m=FREEBOARD_M, appearance={"color": colour}),)
    except BuildError as error:
        raise UnfitError("the liquid does not settle") from error


@cache
def _settled_inside(container_name: str, inside_name: str) -> F64:
    """Return `container_T_content` (4, 4) of something that has come to rest in a container."""
    container, inside = CATALOGUE[container_name], CATALOGUE[inside_name]
    asset = container.asset()
    floor = asset.interior.pose.position_m[2] if asset.interior is not None else 0.0
    low = -min(vertex[2] for vertex in inside.asset().hull.vertices_m)
    outer = container.object_spec("container", "target", Pose((0.5, 0.0, 0.0)))
    inner = inside.object_spec("content", "content", Pose((0.5, 0.0, floor + low + 0.0005)))
    with World(SceneSpec((outer, inner))) as world:
        world.reset()
        action = np.array([*HOME_QPOS_RAD, 1.0])
        for _ in range(SETTLE_STEPS):
            frame = world.step(action)
        columns = [world.scene.index(name) for name in ("container", "content")]
        around, within = (matrix_of(frame.position_m[c], frame.quat_wxyz[c]) for c in columns)
    return inverted(around) @ within


def _compose(world_T_container: Pose, container_T_content: F64) -> Pose:
    position, quat = pose_of(matrix(world_T_container) @ container_T_content)
    (x, y, z), (qw, qx, qy, qz) = (tuple(round(float(v), 6) for v in part) for part in (position, quat))
    return Pose((x, y, z), (qw, qx, qy, qz))


def _goal(
    container: Design, placed: Sequence[Placed], side: str, rng: np.random.Generator
) -> tuple[float, float, float]:
    """Draw the centre of the goal sphere: to one side of the container, in reach, clear of where it starts."""
    half = container.asset().height_m / 2
    tx, ty, _ = placed[0].pose.position_m
    for _ in range(_PLACES):
        radius, angle = rng.uniform(0.40, 0.62), rng.uniform(-1.0, 1.0)
        x, y, z = radius * np.cos(angle), radius * np.sin(angle), half + rng.uniform(0.05, 0.20)
        start, distance = np.hypot(tx, ty), np.hypot(x - tx, y - ty)
        fits = {
            "left": y > ty + 0.12,
            "right": y < ty - 0.12,
            "far": radius > start + 0.03,
            "near": radius < start - 0.03,
        }
        if fits[side] and 0.18 <= distance <= 0.60 and REACH_M[0] + 0.05 < radius < REACH_M[1] - 0.05:
            return round(float(x), 3), round(float(y), 3), round(float(z), 3)
    raise UnfitError("no place for the goal")
