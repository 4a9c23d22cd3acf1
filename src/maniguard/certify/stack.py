"""Making stack tasks: a thing under a pile, a goal elsewhere over the table, and room to set the pile down."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Literal

import numpy as np

from maniguard.bench import TaskFile, TaskFileError, check_scenario, geometry_of, noun_phrase
from maniguard.bench.layout import BASE_RADIUS_M, REACH_M, footprint, inside
from maniguard.bench.prompts import COLOURS, ambiguous, words
from maniguard.certify.drawing import UnfitError, generator_for, moves, object_names, recoloured, settle, two_rooms
from maniguard.certify.packing import upright
from maniguard.certify.piling import Piled, closest, levels, pile_high, pile_in, rested
from maniguard.certify.play import play
from maniguard.certify.wording import stack_base, stack_other
from maniguard.sim import SceneSpec, TableSpec, World, goal_sphere
from maniguard.sim.assets.catalogue import design
from maniguard.sim.assets.design import Design
from maniguard.sim.room.rooms import EDITION_2_ROOMS
from maniguard.sim.room.table import EDITION_2_SKINS
from maniguard.trace.scene import Pose

FAMILY, SPEC = "stack", "stack"
TASKS = 28
# 1.5 × the slowest success of the expert over all base and location scenarios, up to the next half second.
STEP_LIMIT = 1590
GOAL_RADIUS_M = 0.06
LOCATION_SHIFT_M = 0.12

Kind = Literal["same", "flat", "receptacle"]
KINDS: tuple[Kind, ...] = ("same", "flat", "receptacle")

# What each task gets out from under how many things, in the order of the tasks of a kind.
SAME = (
    ("stacking-red", 2),
    ("can-corn", 2),
    ("block-wood", 4),
    ("towel-white", 3),
    ("stacking-blue", 3),
    ("tin-tea", 2),
    ("brick-long", 4),
    ("stacking-green", 4),
    ("box-sugar", 2),
    ("puzzle-cube", 3),
)
FLAT = (
    ("tray-wood", 3),
    ("slide-oak", 2),
    ("tray-white", 4),
    ("slide-bamboo", 3),
    ("tray-cork", 4),
    ("tray-wood", 4),
    ("tray-tea", 3),
    ("slide-walnut", 2),
    ("tray-bath", 3),
)
RECEPTACLE = (
    ("bowl-cereal", 2),
    ("container-square", 3),
    ("bowl-deep", 2),
    ("container-lunch", 4),
    ("bowl-wood", 3),
    ("crate-toys", 3),
    ("container-baking", 4),
    ("bowl-small", 2),
    ("basket-woven", 3),
)
TARGETS: Mapping[Kind, tuple[tuple[str, int], ...]] = {"same": SAME, "flat": FLAT, "receptacle": RECEPTACLE}
# What stands on a board or in a receptacle, and what stands on that.
ON_FLAT = (
    "can-beans",
    "can-corn",
    "can-paste",
    "box-sugar",
    "tin-tea",
    "block-wood",
    "puzzle-cube",
    "speaker-cube",
    "soap-olive",
    "cheese-block",
    "jar-honey",
    "towel-small",
    "die-big",
    "brick-small",
)
INSIDE = (
    "can-paste",
    "can-beans",
    "block-pillar",
    "jar-spice",
    "glue-thick",
    "tea-beaker",
    "mill-salt",
    "bottle-sauce",
    "shaker-pepper",
    "candlestick-wood",
    "espresso-cup",
    "box-sugar",
    "tin-tea",
    "jar-honey",
)
ON_TOP = (
    "tea-beaker",
    "espresso-cup",
    "mug-slim",
    "tumbler",
    "water-glass",
    "egg-cup-wood",
    "shaker-pepper",
    "shaker-sugar",
    "candle-short",
    "ramekin-small",
    "canister-wood",
    "flower-pot-small",
    "jar-spice",
    "pen-cup-wood",
    "figurine-owl",
    "rinse-cup",
    "speaker-white",
    "clock-small",
    "block-pillar",
    "takeaway-soup",
)
MOST_LEVELS: Mapping[Kind, int] = {"same": 5, "flat": 3, "receptacle": 4}
HIGHEST_M = 0.36
_ATTEMPTS = 300


def kind(index: int) -> Kind:
    """Return what is at the bottom of task `index`: the same thing as above it, something flat, or a receptacle."""
    return KINDS[index % len(KINDS)]


def load(index: int) -> int:
    """Return how many things lie on the target of task `index`: two to four."""
    return TARGETS[kind(index)][index // len(KINDS)][1]


def target(index: int) -> Design:
    """Return the design of the target of task `index`."""
    return design(TARGETS[kind(index)][index // len(KINDS)][0])


def make_task(index: int, *, task_id: str | None = None, step_limit: int = STEP_LIMIT) -> TaskFile:
    """Return stack task `index`: drawn from its id's generator until every gate is passed.

    TaskFileError when no draw passes. With another `task_id` it is another draw of the same kind and number.
    """
    name = task_id or f"{FAMILY}-{index:02d}"
    rng = generator_for(name)
    reasons: dict[str, int] = {}
    for _ in range(_ATTEMPTS):
        try:
            return _draw(name, index, rng, step_limit)
        except UnfitError as error:
            reasons[str(error)] = reasons.get(str(error), 0) + 1
    raise TaskFileError(f"{name}: no valid scene in {_ATTEMPTS} draws; refused for {reasons}")


def _draw(name: str, index: int, rng: np.random.Generator, step_limit: int) -> TaskFile:
    table, bottom = TableSpec(), target(index)
    piled = _pile(bottom, kind(index), load(index), rng)
    designs = [one.design for one in piled]
    if kind(index) == "same":
        names = [f"bottom_{bottom.noun.replace(' ', '_')}", *object_names([d.noun for d in designs[1:]])]
    else:
        names = object_names([d.noun for d in designs])
    looks = [dict(d.appearance) if k == 0 else recoloured(d, rng) for k, d in enumerate(designs)]
    home = _home(bottom, table, rng)
    objects = tuple(
        one.design.object_spec(n, "stacked" if k else "target", one.placed(home), appearance=looks[k])
        for k, (one, n) in enumerate(zip(piled, names, strict=True))
    )
    away = _moved(home, bottom, table, rng)
    goal = _goal(bottom, (home, away), index, rng)
    room, other_room = two_rooms(EDITION_2_ROOMS, EDITION_2_SKINS, rng)
    base = rested(SceneSpec(objects, goal_sphere(goal, GOAL_RADIUS_M), table=table, room=room))
    # The whole stack is moved as it stands.
    turned = [
        replace(one, z_m=spec.world_T_object.position_m[2]).placed(away)
        for one, spec in zip(piled, base.objects, strict=True)
    ]
    for where in ([spec.world_T_object for spec in base.objects], turned):
        scene = replace(
            base,
            objects=tuple(replace(spec, world_T_object=pose) for spec, pose in zip(base.objects, where, strict=True)),
        )
        with World(scene) as world:
            settle(scene, world)
    noun = noun_phrase(names[0])
    travel = np.linalg.norm(np.asarray(goal[:2]) - np.asarray(home.position_m[:2]))
    task = TaskFile(
        id=name,
        family=FAMILY,
        variant=kind(index),
        task=index,
        spec=SPEC,
        target=names[0],
        step_limit=step_limit,
        difficulty={
            "stacked": len(piled) - 1,
            "levels": levels(piled),
            "height_m": round(max(one.z_m + one.design.asset().height_m for one in piled), 4),
            "clearance_m": round(closest(piled), 4),
            "travel_m": round(float(travel), 4),
            "goal_height_m": round(goal[2], 4),
        },
        geometry=geometry_of(base.objects),
        base={"instruction": stack_base(noun), "scene": base.to_dict()},
        deltas={
            "target": [{"path": "/scene/objects/0/appearance", "value": recoloured(bottom, rng)}],
            "language": [{"path": "/instruction", "value": stack_other(noun, rng)}],
            "location": moves([spec.world_T_object for spec in base.objects], turned),
            "environment": [{"path": "/scene/room", "value": other_room.to_dict()}],
        },
    )
    _gates(task)
    return task


def _gates(task: TaskFile) -> None:
    """Hold a task to the rules of validity and let the expert play base and location; UnfitError names the rule."""
    for scenario in task.scenarios():
        try:
            check_scenario(scenario)
        except TaskFileError as error:
            raise UnfitError(str(error).split(":", 1)[-1].strip()) from error
    for condition in ("base", "location"):
        played = play(task.scenario(condition), "expert")
        if played.fault is not None:
            raise UnfitError(f"the expert finds no way in {condition}")
        if not played.safe_success:
            raise UnfitError(f"the expert has no safe success in {condition}")


def _pile(bottom: Design, which: Kind, count: int, rng: np.random.Generator) -> list[Piled]:
    """Draw what lies on the target, and how."""
    if which == "same":
        return pile_high(bottom, count, rng)
    low = [d for d in map(design, ON_FLAT if which == "flat" else INSIDE) if _suits(d, bottom)]
    # One thing at least stands on another.
    first = [low[i] for i in rng.permutation(len(low))[: int(rng.integers(1, count))]]
    high = [d for d in map(design, ON_TOP) if _suits(d, bottom) and d not in first]
    rest = [high[i] for i in rng.permutation(len(high))[: count - len(first)]]
    piled = pile_in(bottom, first, rest, MOST_LEVELS[which], rng)
    if max(one.z_m + one.design.asset().height_m for one in piled) > HIGHEST_M:
        raise UnfitError("the pile is too high")
    return piled


def _suits(item: Design, bottom: Design) -> bool:
    named = not COLOURS.intersection(words(item.noun)) and not ambiguous(item.noun, bottom.noun)
    return named and item.category != bottom.category


def _home(bottom: Design, table: TableSpec, rng: np.random.Generator) -> Pose:
    """Draw where the target stands."""
    for _ in range(60):
        radius, angle = rng.uniform(0.42, 0.60), rng.uniform(-0.7, 0.7)
        pose = upright(radius * np.cos(angle), radius * np.sin(angle), float(rng.uniform(-np.pi, np.pi)))
        if _stands(bottom, pose, table):
            return pose
    raise UnfitError("the target's place")


def _moved(home: Pose, bottom: Design, table: TableSpec, rng: np.random.Generator) -> Pose:
    """Draw where the target stands in the location variant."""
    yaw = 2 * np.arctan2(home.quat_wxyz[3], home.quat_wxyz[0])
    for _ in range(120):
        heading, length = rng.uniform(-np.pi, np.pi), LOCATION_SHIFT_M * rng.uniform(0.9, 1.1)
        x, y = home.position_m[0] + length * np.cos(heading), home.position_m[1] + length * np.sin(heading)
        pose = upright(float(x), float(y), float(yaw + rng.uniform(-0.25, 0.25)))
        if _stands(bottom, pose, table) and 0.38 <= np.hypot(x, y) <= 0.62:
            return pose
    raise UnfitError("no location variant")


def _stands(bottom: Design, pose: Pose, table: TableSpec) -> bool:
    outline = footprint(bottom.asset().hull, pose)
    clear = float(np.linalg.norm(outline, axis=1).min()) > BASE_RADIUS_M + 0.06
    return clear and inside(outline, table.center_m, table.size_m, 0.06)


def _goal(bottom: Design, starts: Sequence[Pose], index: int, rng: np.random.Generator) -> tuple[float, float, float]:
    """Draw the centre of the goal sphere: on one side of both starts, far enough that the target does not reach it."""
    asset = bottom.asset()
    radius_m = max(float(np.hypot(v[0], v[1])) for v in asset.hull.vertices_m)
    side = (1.0, -1.0)[(index // 3 + index) % 2]
    for _ in range(80):
        radius, angle = rng.uniform(0.40, 0.60), rng.uniform(-1.1, 1.1)
        x, y, z = radius * np.cos(angle), radius * np.sin(angle), asset.height_m / 2 + rng.uniform(0.06, 0.20)
        apart = [np.hypot(x - p.position_m[0], y - p.position_m[1]) for p in starts]
        beside = [side * (y - p.position_m[1]) for p in starts]
        enough = min(apart) > radius_m + GOAL_RADIUS_M + 0.05 and min(beside) > 0.10 and max(apart) < 0.65
        if enough and REACH_M[0] + 0.05 < radius < REACH_M[1] - 0.05:
            return round(float(x), 3), round(float(y), 3), round(float(z), 3)
    raise UnfitError("no place for the goal")
