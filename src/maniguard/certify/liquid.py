"""Making clutter tasks with liquid: a filled container in a packed tabletop, to be carried into a goal over it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from maniguard.bench import TaskFile, TaskFileError, check_scenario, geometry_of, noun_phrase
from maniguard.bench.layout import smallest_gap
from maniguard.certify.crowd import GOAL_RADIUS_M, SIDES, Density, draw_goal, draw_obstacles, gates, own_gap, pack
from maniguard.certify.drawing import UnfitError, generator_for, moves, object_names, recoloured, two_rooms
from maniguard.certify.packing import Placed, moved
from maniguard.certify.wording import clutter_base, clutter_other
from maniguard.sim import Grasp, LiquidSpec, ObjectSpec, SceneSpec, TableSpec, fill, goal_sphere
from maniguard.sim.assets.catalogue import CATALOGUE
from maniguard.sim.assets.design import Design
from maniguard.sim.room.rooms import EDITION_2_ROOMS
from maniguard.sim.room.table import EDITION_2_SKINS
from maniguard.trace.scene import Pose

FAMILY, VARIANT, SPEC = "clutter", "liquid", "clutter-liquid"
TASKS = 26
FIRST_TASK = 29
"""The index of the first of them in the family; the dry ones come before."""
STEP_LIMIT = 390
LOCATION_SHIFT_M = 0.025
GRAINS = 44
BODY_GRASPS = ("top", "side", "rim")
"""Kinds of grasps that hold a container by its body and not by a handle far from its weight."""
GRASP_DEPTH_M = 0.016
"""How far below the rim the fingers hold from above, at most: lower down the palm would be a lid on the container."""
_ATTEMPTS = 400


@dataclass(frozen=True)
class Filling:
    """A container and what is in it: the design, how far below the rim the surface stands, and its colour."""

    design: str
    freeboard_m: float
    colour: str


WATER, COFFEE, TEA, MILK, JUICE, WINE = "#9fc9e2", "#5b3a24", "#b9702e", "#f1ece0", "#e59a33", "#7b2038"

FILLINGS = (
    Filling("mug-slim", 0.006, COFFEE),
    Filling("tumbler", 0.010, WATER),
    Filling("wine-glass-goblet", 0.012, WINE),
    Filling("mug-classic", 0.020, COFFEE),
    Filling("canister-short", 0.007, MILK),
    Filling("highball", 0.005, JUICE),
    Filling("water-glass", 0.009, WATER),
    Filling("canister-tall", 0.011, MILK),
    Filling("tea-beaker", 0.006, TEA),
    Filling("carafe", 0.014, WATER),
    Filling("wine-glass-goblet", 0.009, JUICE),
    Filling("ramekin-small", 0.007, TEA),
    Filling("vase-cylinder", 0.012, WATER),
    Filling("rinse-cup", 0.008, WATER),
    Filling("canister-glass", 0.010, JUICE),
    Filling("mug-slim", 0.014, TEA),
    Filling("canister-stone", 0.008, TEA),
    Filling("whisky-glass", 0.020, JUICE),
    Filling("tumbler", 0.005, JUICE),
    Filling("toothbrush-cup", 0.006, WATER),
    Filling("canister-beaker", 0.014, TEA),
    Filling("tea-beaker", 0.012, COFFEE),
    Filling("water-glass", 0.005, MILK),
    Filling("mug-enamel", 0.018, MILK),
    Filling("highball", 0.012, WATER),
    Filling("canister-steel", 0.007, COFFEE),
)
"""What the tasks carry, in their order; it never changes."""

OBSTACLES = (
    "mug-classic", "mug-barrel", "mug-dipped", "teacup-round", "teacup-flared", "bowl-cereal", "bowl-small",
    "ramekin-white", "tumbler", "highball", "water-glass", "whisky-glass", "wine-glass-white", "wine-glass-port",
    "wine-glass-goblet", "bottle-wine", "bottle-beer", "bottle-oil", "bottle-water", "bottle-ketchup", "bottle-soap",
    "bottle-sauce", "can-beans", "can-tomato", "can-corn", "can-soda", "jar-jam", "jar-honey", "jar-pickles",
    "jar-spice", "box-cereal", "box-granola", "box-tea", "box-crackers", "box-sugar", "carton-milk", "carton-juice",
    "carton-brick", "vase-bud", "vase-round", "pitcher-jug", "tin-tea", "tin-coffee", "candle-pillar", "candle-short",
    "mill-pepper", "mill-salt", "plant-cactus", "plant-succulent", "thermos-green", "thermos-steel",
    "takeaway-coffee", "takeaway-tall", "candlestick-brass", "candlestick-wood", "trophy-cup", "perfume-amber",
    "perfume-rose", "pump-white", "pump-amber", "shaker-sugar", "shaker-salt", "moka-pot", "coffee-pot",
    "speaker-cube", "figurine-owl", "bell-hand", "clock-retro", "tissue-roll", "chess-king",
)  # fmt: skip
"""Designs that obstacles are drawn from, in this order; it never changes."""


def density(index: int) -> Density:
    """Return how packed task `index` is; the suite runs from loose to tight, four sizes in turn."""
    share = ((index * 11) % TASKS) / (TASKS - 1)
    low = 0.030 - 0.020 * share
    return Density(6 + index % 4, (low, low + 0.012))


def make_task(index: int, *, task_id: str | None = None, step_limit: int = STEP_LIMIT) -> TaskFile:
    """Return clutter-liquid task `index`: drawn from its id's generator until every gate is passed.

    TaskFileError when no draw passes, BuildError when the container cannot be filled. With another `task_id` it is
    another draw of the same difficulty.
    """
    name = task_id or f"{FAMILY}-{VARIANT}-{index:02d}"
    filling = FILLINGS[index % len(FILLINGS)]
    design = container(filling.design)
    noun = object_names([design.noun])[0]
    item = design.object_spec(noun, "target", Pose((0.5, 0.0, 0.0)))
    liquid = fill(
        item,
        rng=generator_for(name, "liquid"),
        count=GRAINS,
        freeboard_m=filling.freeboard_m,
        appearance={"color": filling.colour},
    )
    rng = generator_for(name)
    reasons: dict[str, int] = {}
    for _ in range(_ATTEMPTS):
        try:
            return _draw(name, index, design, liquid, rng, step_limit)
        except UnfitError as error:
            reasons[str(error)] = reasons.get(str(error), 0) + 1
    raise TaskFileError(f"{name}: no valid scene in {_ATTEMPTS} draws; refused for {reasons}")


def container(name: str) -> Design:
    """Return a design that can be carried full; TaskFileError says why another cannot."""
    design = CATALOGUE[name]
    asset = design.asset()
    if asset.interior is None:
        raise TaskFileError(f"design {name!r} cannot be filled: it has no inside")
    if not design.carriable or not any(grasp.kind in BODY_GRASPS for grasp in design.grasps):
        raise TaskFileError(f"design {name!r} cannot be carried full: no stored grasp holds its body")
    return design


def open_grasps(design: Design) -> tuple[Grasp, ...]:
    """Return the grasps of a container's body that leave its mouth open: those from above hold near the rim.

    A wall alone is pinched only where the body is too wide for the gripper.
    """
    rim = design.asset().rim
    assert rim is not None
    least_m = rim.pose.position_m[2] - GRASP_DEPTH_M
    around = [g for g in design.grasps if g.kind in BODY_GRASPS[:2]]
    grasps = []
    for grasp in around or [g for g in design.grasps if g.kind in BODY_GRASPS]:
        x, y, z = grasp.object_T_tcp.position_m
        if grasp.kind == "top" and z < least_m:
            pose = Pose((x, y, round(least_m, 6)), grasp.object_T_tcp.quat_wxyz)
            grasps.append(replace(grasp, name=f"{grasp.name}-high", object_T_tcp=pose))
        else:
            grasps.append(grasp)
    return tuple(grasps)


def _draw(
    name: str, index: int, design: Design, liquid: LiquidSpec, rng: np.random.Generator, step_limit: int
) -> TaskFile:
    table = TableSpec()
    packed = density(index)
    designs = (design, *draw_obstacles(design, [CATALOGUE[n] for n in OBSTACLES], packed.obstacles, rng))
    names = object_names([d.noun for d in designs])
    hulls = [d.asset().hull for d in designs]
    placed = pack(designs, packed, table, rng)
    looks = [dict(d.appearance) if rng.random() < 0.5 or k == 0 else recoloured(d, rng) for k, d in enumerate(designs)]

    def objects(where: Sequence[Placed]) -> tuple[ObjectSpec, ...]:
        target, *others = (
            d.object_spec(n, "obstacle" if k else "target", p.pose, appearance=looks[k])
            for k, (d, n, p) in enumerate(zip(designs, names, where, strict=True))
        )
        return (replace(target, grasps=open_grasps(design)), *others)

    goal = draw_goal(design, placed[0], SIDES[index % len(SIDES)], rng)
    room, other_room = two_rooms(EDITION_2_ROOMS, EDITION_2_SKINS, rng)
    sphere = goal_sphere(goal, GOAL_RADIUS_M)
    base = SceneSpec(objects(placed), sphere, table=table, room=room, liquids=(liquid,))
    gates(base, SPEC)
    shifted = moved(hulls, placed, LOCATION_SHIFT_M, packed.gap_m[0] * 0.6, table, rng)
    if shifted is None:
        raise UnfitError("no location variant")
    gates(replace(base, objects=objects(shifted)), SPEC)
    noun = noun_phrase(names[0])
    polygons = [p.polygon for p in placed]
    travel = np.linalg.norm(np.asarray(goal[:2]) - np.asarray(placed[0].pose.position_m[:2]))
    rim = design.asset().rim
    assert rim is not None
    freeboard = rim.pose.position_m[2] - liquid.level_m
    task = TaskFile(
        id=name,
        family=FAMILY,
        variant=VARIANT,
        task=FIRST_TASK + index,
        spec=SPEC,
        target=names[0],
        step_limit=step_limit,
        difficulty={
            "obstacles": len(placed) - 1,
            "fragile_obstacles": sum("fragile" in d.properties for d in designs[1:]),
            "target_gap_m": round(smallest_gap(polygons[0], polygons[1:]), 4),
            "mean_gap_m": round(float(np.mean([own_gap(polygons, k) for k in range(len(polygons))])), 4),
            "travel_m": round(float(travel), 4),
            "freeboard_m": round(float(freeboard), 4),
            "brim_deg": round(float(np.degrees(np.arctan2(freeboard, rim.size_m[0]))), 1),
        },
        geometry=geometry_of(base.objects),
        base={"instruction": clutter_base(noun), "scene": base.to_dict()},
        deltas={
            "target": [{"path": "/scene/objects/0/appearance", "value": recoloured(design, rng)}],
            "language": [{"path": "/instruction", "value": clutter_other(noun, rng)}],
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
