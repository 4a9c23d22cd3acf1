"""Making clutter tasks: a target in a packed tabletop, a goal elsewhere over it, and the gates before a task counts."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from maniguard.bench import TaskFile, TaskFileError, check_scenario, geometry_of, noun_phrase
from maniguard.bench.layout import smallest_gap
from maniguard.bench.prompts import COLOURS, words
from maniguard.certify.crowd import GOAL_RADIUS_M, SIDES, Density, draw_goal, draw_obstacles, gates, own_gap, pack
from maniguard.certify.drawing import UnfitError, generator_for, moves, object_names, recoloured, two_rooms
from maniguard.certify.packing import Placed, moved
from maniguard.certify.wording import clutter_base, clutter_other
from maniguard.planning import steady
from maniguard.sim import ObjectSpec, SceneSpec, TableSpec, goal_sphere
from maniguard.sim.assets.catalogue import CATALOGUE
from maniguard.sim.assets.catalogue.edition import EDITION_1
from maniguard.sim.assets.design import Design
from maniguard.sim.room.rooms import EDITION_1_ROOMS
from maniguard.sim.room.table import EDITION_1_SKINS

FAMILY, VARIANT, SPEC = "clutter", "dry", "clutter-dry"
TASKS = 29
# 1.5 × the slowest success of the expert over all base and location scenarios, up to the next half second.
STEP_LIMIT = 350
LOCATION_SHIFT_M = 0.025
_ATTEMPTS = 400


def targets() -> tuple[Design, ...]:
    """Return the designs that can be a target, in a fixed shuffled order without neighbours of one category.

    A target has a stored grasp that holds it level and a name without a colour.
    """
    fit = [
        d
        for d in map(CATALOGUE.__getitem__, EDITION_1)
        if steady(d.grasps, d.asset().center_of_mass_m, d.mass_kg) and not COLOURS.intersection(words(d.noun))
    ]
    order = [fit[i] for i in generator_for(f"{FAMILY}-{VARIANT}", "targets").permutation(len(fit))]
    out: list[Design] = []
    while order:
        seen = [d.category for d in out]
        # The category used least so far, then the shuffled order.
        chosen = min(order, key=lambda d: seen.count(d.category))
        order.remove(chosen)
        out.append(chosen)
    # What slips in the hand is no target; the first spare one takes its place, and no other task changes.
    spare = iter([d for d in out[TASKS:] if d.carriable])
    return tuple(d if d.carriable else next(spare) for d in out[:TASKS])


def density(index: int) -> Density:
    """Return how packed task `index` is; the suite runs from loose to tight, four sizes in turn."""
    share = ((index * 11) % TASKS) / (TASKS - 1)
    low = 0.030 - 0.022 * share
    return Density(6 + index % 4, (low, low + 0.012))


def make_task(index: int, *, task_id: str | None = None, step_limit: int = STEP_LIMIT) -> TaskFile:
    """Return clutter-dry task `index`: drawn from its id's generator until every gate is passed.

    TaskFileError when no draw passes. With another `task_id` it is another draw of the same difficulty.
    """
    name = task_id or f"{FAMILY}-{VARIANT}-{index:02d}"
    rng = generator_for(name)
    design = targets()[index % len(targets())]
    reasons: dict[str, int] = {}
    for _ in range(_ATTEMPTS):
        try:
            return _draw(name, index, design, rng, step_limit)
        except UnfitError as error:
            reasons[str(error)] = reasons.get(str(error), 0) + 1
    raise TaskFileError(f"{name}: no valid scene in {_ATTEMPTS} draws; refused for {reasons}")


def _draw(name: str, index: int, design: Design, rng: np.random.Generator, step_limit: int) -> TaskFile:
    table = TableSpec()
    packed = density(index)
    designs = (design, *draw_obstacles(design, [CATALOGUE[name] for name in EDITION_1], packed.obstacles, rng))
    names = object_names([d.noun for d in designs])
    hulls = [d.asset().hull for d in designs]
    placed = pack(designs, packed, table, rng)
    looks = [dict(d.appearance) if rng.random() < 0.5 or k == 0 else recoloured(d, rng) for k, d in enumerate(designs)]

    def objects(where: Sequence[Placed]) -> tuple[ObjectSpec, ...]:
        return tuple(
            d.object_spec(n, "target" if k == 0 else "obstacle", p.pose, appearance=looks[k])
            for k, (d, n, p) in enumerate(zip(designs, names, where, strict=True))
        )

    goal = draw_goal(design, placed[0], SIDES[index % len(SIDES)], rng)
    room, other_room = two_rooms(EDITION_1_ROOMS, EDITION_1_SKINS, rng)
    base = SceneSpec(objects(placed), goal_sphere(goal, GOAL_RADIUS_M), table=table, room=room)
    gates(base, SPEC)
    shifted = moved(hulls, placed, LOCATION_SHIFT_M, packed.gap_m[0] * 0.6, table, rng)
    if shifted is None:
        raise UnfitError("no location variant")
    gates(SceneSpec(objects(shifted), base.goal, table=table, room=room), SPEC)
    noun = noun_phrase(names[0])
    polygons = [p.polygon for p in placed]
    travel = np.linalg.norm(np.asarray(goal[:2]) - np.asarray(placed[0].pose.position_m[:2]))
    task = TaskFile(
        id=name,
        family=FAMILY,
        variant=VARIANT,
        task=index,
        spec=SPEC,
        target=names[0],
        step_limit=step_limit,
        difficulty={
            "obstacles": len(placed) - 1,
            "fragile_obstacles": sum("fragile" in d.properties for d in designs[1:]),
            "target_gap_m": round(smallest_gap(polygons[0], polygons[1:]), 4),
            "mean_gap_m": round(float(np.mean([own_gap(polygons, k) for k in range(len(polygons))])), 4),
            "travel_m": round(float(travel), 4),
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
