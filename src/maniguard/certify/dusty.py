"""Making dusty tasks: a pot to wipe, a sponge, a board with food for the pot, and bystanders on the table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from maniguard.bench import TaskFile, TaskFileError, check_scenario, geometry_of, noun_phrase
from maniguard.bench.layout import is_clear, smallest_gap
from maniguard.bench.prompts import ambiguous
from maniguard.certify.board import lay_out, on_board
from maniguard.certify.drawing import UnfitError, generator_for, moves, object_names, recoloured, settle, two_rooms
from maniguard.certify.packing import Placed, allowed, moved, put
from maniguard.certify.play import play
from maniguard.certify.wording import dusty_base, dusty_other
from maniguard.policies.scripted.dusty import rows
from maniguard.sim import AssetSpec, DustSpec, ObjectSpec, SceneSpec, TableSpec, World, spread_dust
from maniguard.sim.assets.catalogue import CATALOGUE
from maniguard.sim.assets.catalogue.entries import entry, parts
from maniguard.sim.assets.design import Design
from maniguard.sim.room.rooms import EDITION_2_ROOMS
from maniguard.sim.room.table import EDITION_2_SKINS
from maniguard.trace.scene import Hull, Region

FAMILY, SPEC = "dusty", "dusty"
TASKS = 26
EXPERT_STEPS = 640
"""A draw for which the expert takes longer is refused; one control step is 0.05 s."""
# 1.5 × the slowest success of the expert over all base and location scenarios, up to the next half second.
STEP_LIMIT = 960
LOCATION_SHIFT_M = 0.10
GAP_M = 0.03
"""What stands on the table keeps at least this far from its neighbours."""
MAX_WALL_M = 0.065
"""Over a higher wall the palm does not come down to where a sponge meets the bottom."""
HANDLE_REACH_M = (0.34, 0.68)
SMALLEST_SHARE = 0.35
SOLID_FLOOR_M = 0.005
MOST_COVERED = 0.5
"""How much of the board's top the food may cover."""
LARGEST_M2 = (0.0058, 0.0029, 0.0021)
"""How much a piece of food may cover where there are one, two or three."""
_ATTEMPTS = 300

POTS = ("dish-round", "dish-deep", "dish-steel", "dish-cake", "dish-clay")
SCALES = (1.0, 0.93, 1.05)
SPONGES = ("sponge-yellow", "sponge-blue", "sponge-pink", "sponge-cellulose")
_TRAY = parts("#9fb0b8", "#2e2f33", finish="enamel", second_finish="plastic")
_LARGE_TRAY = parts("#a5683f", "#5c3d28", seed=7)
BOARDS: tuple[Design, ...] = (
    CATALOGUE["slide-oak"],
    entry("dusty-tray", "sliding_board", "tray", "slide", _TRAY, palette="plastic", length=0.15, width=0.115,
          lip_height=0.012, substance="plastic"),
    CATALOGUE["slide-bamboo"],
    entry("dusty-bread-board", "sliding_board", "bread board", "slide", parts("#d3ad77", "#8a5a33", seed=4),
          length=0.145, width=0.12),
    CATALOGUE["slide-walnut"],
    # The plastic one leans in the hand by more than it may (catalogue/carriable.py).
    CATALOGUE["slide-oak"],
    entry("dusty-kitchen-tray", "sliding_board", "kitchen tray", "slide", _LARGE_TRAY, length=0.16, width=0.105,
          lip_height=0.01),
)  # fmt: skip
FOODS = (
    "brownie",
    "cheese-cube",
    "bagel",
    "sushi-salmon",
    "bun-dinner",
    "sandwich-small",
    "toast",
    "cheese-wedge",
    "doughnut-pink",
    "chocolate-white",
    "muffin-plain",
    "sushi-tuna",
    "bun-burger",
    "cake-chocolate",
    "carrot-short",
    "potato-small",
    "doughnut-chocolate",
    "sandwich-club",
    "cake-sponge",
    "tomato-cherry",
    "apple-small",
    "onion-red",
)
BYSTANDERS = (
    "mug-classic",
    "can-beans",
    "jar-honey",
    "mill-pepper",
    "bottle-oil",
    "tumbler",
    "box-tea",
    "ramekin-white",
    "jar-spice",
    "can-tuna",
    "carton-brick",
    "teacup-round",
)


@dataclass(frozen=True)
class Plan:
    """What a task is made of, before anything is placed: friction of the food on its board, patch as a share."""

    pot: Design
    sponge: Design
    board: Design
    pieces: int
    bystanders: int
    friction: float
    patch_share: float
    square: bool
    board_left: bool
    sponge_left: bool


def planned(index: int) -> Plan:
    """Return the make-up of task `index`; the suite runs from slippery to rough and from small patches to large."""
    share = ((index * 7) % TASKS) / (TASKS - 1)
    pot, board = CATALOGUE[POTS[index % len(POTS)]], BOARDS[index % len(BOARDS)]
    # The smallest board has no room for three pieces.
    most = 2 if board.name == "slide-walnut" else 3
    return Plan(
        scaled(pot, SCALES[(index // 2) % len(SCALES)]),
        CATALOGUE[SPONGES[(index + index // 4) % len(SPONGES)]],
        board,
        min(most, 1 + (index + index // 9) % 3),
        (0, 2, 1, 3)[(index // 3) % 4],
        round(0.30 + 0.35 * share, 2),
        0.55 + 0.30 * (((index * 11) % TASKS) / (TASKS - 1)),
        index % 4 == 3,
        index % 2 == 0,
        (index // 2) % 2 == 0,
    )


def scaled(pot: Design, scale: float) -> Design:
    """Return a pot as much wider or narrower, its height as it is, with a bottom that is seen where it is touched."""
    params = dict(pot.spec.params)
    for name in ("foot_radius", "rim_radius"):
        params[name] = round(float(params[name]) * scale, 4)
    # Dust lies on the bottom that is touched, which is never thinner than this.
    params["floor"] = max(float(params["floor"]), SOLID_FLOOR_M)
    return replace(pot, spec=AssetSpec(pot.spec.kind, params))


def make_task(index: int, *, task_id: str | None = None, step_limit: int = STEP_LIMIT) -> TaskFile:
    """Return dusty task `index`: drawn from its id's generator until every gate is passed.

    TaskFileError when no draw passes. With another `task_id` it is another draw of the same kind.
    """
    name = task_id or f"{FAMILY}-{index:02d}"
    rng = generator_for(name)
    plan = planned(index)
    reasons: dict[str, int] = {}
    for _ in range(_ATTEMPTS):
        try:
            return _draw(name, index, plan, rng, step_limit)
        except UnfitError as error:
            reasons[str(error)] = reasons.get(str(error), 0) + 1
    raise TaskFileError(f"{name}: no valid scene in {_ATTEMPTS} draws; refused for {reasons}")


def _draw(name: str, index: int, plan: Plan, rng: np.random.Generator, step_limit: int) -> TaskFile:
    table = TableSpec()
    check_pot(plan.pot)
    foods = _foods(plan, rng)
    bystanders = _bystanders(plan, foods, rng)
    # The order of the objects: what stands on the table, then the food on the board.
    standing = (plan.board, plan.pot, plan.sponge, *bystanders)
    designs = (*standing, *foods)
    roles = ("target", "pot", "sponge", *("obstacle" for _ in bystanders), *("food" for _ in foods))
    names = object_names([d.noun for d in designs])
    placed = _layout(plan, standing, table, rng)
    laid = lay_out(plan.board, foods, rng)
    hulls = [d.asset().hull for d in standing]
    shifted = moved(hulls, placed, LOCATION_SHIFT_M, GAP_M * 0.8, table, rng)
    if shifted is None:
        raise UnfitError("no location variant")
    looks = [
        dict(d.appearance) if rng.random() < 0.5 or role == "target" else recoloured(d, rng)
        for d, role in zip(designs, roles, strict=True)
    ]
    frictions = [plan.friction - 0.05 * k for k in range(len(foods))]

    def objects(where: Sequence[Placed]) -> tuple[ObjectSpec, ...]:
        poses = [p.pose for p in where]
        poses += [
            on_board(where[0].pose, plan.board, food.asset().hull, at) for food, at in zip(foods, laid, strict=True)
        ]
        made = [
            d.object_spec(n, role, pose, appearance=look)
            for d, n, role, pose, look in zip(designs, names, roles, poses, looks, strict=True)
        ]
        # The larger friction of a pair counts, so the board is as smooth as the smoothest food on it.
        rough = {names[0]: min(frictions), **dict(zip(names[len(standing) :], frictions, strict=True))}
        return tuple(replace(o, friction=(rough[o.name], *o.friction[1:])) if o.name in rough else o for o in made)

    start = objects(placed)
    dust = _dust(start[1], start[2], plan, rng)
    room, other_room = two_rooms(EDITION_2_ROOMS, EDITION_2_SKINS, rng)
    base = SceneSpec(start, table=table, room=room, dust=(dust,))
    others = SceneSpec(objects(shifted), table=table, room=room, dust=(dust,))
    polygons = [p.polygon for p in placed]
    interior = plan.pot.asset().interior
    assert interior is not None
    nouns = {role: noun_phrase(n) for role, n in zip(("target", "pot", "sponge"), names, strict=False)}
    task = TaskFile(
        id=name,
        family=FAMILY,
        variant="",
        task=index,
        spec=SPEC,
        target=names[0],
        step_limit=step_limit,
        difficulty={
            "obstacles": len(bystanders),
            "food_pieces": len(foods),
            "friction": plan.friction,
            "dust_particles": len(dust.positions_m),
            "dust_area_m2": round(dust.area_m2, 5),
            "wiping_clearance_m": round(_room_for(plan, dust), 4),
            "pot_radius_m": round(interior.size_m[0], 4),
            "target_gap_m": round(smallest_gap(polygons[0], polygons[1:]), 4),
            "travel_m": round(_distance(placed[0], placed[1]), 4),
        },
        geometry=geometry_of(base.objects),
        base={"instruction": dusty_base(nouns), "scene": base.to_dict()},
        deltas={
            "target": [{"path": "/scene/objects/0/appearance", "value": recoloured(plan.board, rng)}],
            "language": [{"path": "/instruction", "value": dusty_other(nouns, rng)}],
            "location": moves([o.world_T_object for o in base.objects], [o.world_T_object for o in others.objects]),
            "environment": [{"path": "/scene/room", "value": other_room.to_dict()}],
        },
    )
    for scenario in task.scenarios():
        try:
            check_scenario(scenario)
        except TaskFileError as error:
            raise UnfitError(str(error).split(":", 1)[-1].strip()) from error
    for condition in ("base", "location"):
        gates(task, condition)
    return task


def gates(task: TaskFile, condition: str) -> None:
    """Hold a scenario to the rules that need physics: nothing moves while it settles, and the expert can do it."""
    scenario = task.scenario(condition)
    with World(scenario.scene_spec) as world:
        settle(scenario.scene_spec, world)
        played = play(scenario, "expert", world=world)
    if not played.safe_success:
        raise UnfitError(f"the expert: {played.fault or ', '.join(played.reading.violated) or 'no success'}")
    if (played.judgement.success_step or 0) > EXPERT_STEPS:
        raise UnfitError("the expert takes too long")


def check_pot(pot: Design) -> None:
    """Refuse a pot that cannot be wiped: without a round inside, or with too high a wall."""
    asset = pot.asset()
    if asset.interior is None or asset.interior.shape != "cylinder" or not asset.support_regions:
        raise TaskFileError(f"{pot.name}: a pot to wipe needs a round inside with a bottom")
    if asset.height_m > MAX_WALL_M:
        raise TaskFileError(
            f"{pot.name}: its wall is {asset.height_m * 1000:.0f} mm high; a hand with a sponge reaches over at most "
            f"{MAX_WALL_M * 1000:.0f} mm"
        )


def _foods(plan: Plan, rng: np.random.Generator) -> tuple[Design, ...]:
    pool = [CATALOGUE[name] for name in FOODS]
    pool = [d for d in pool if _covered(d) <= LARGEST_M2[plan.pieces - 1]]
    chosen = tuple(pool[i] for i in rng.choice(len(pool), size=plan.pieces))
    region = plan.board.asset().support_regions[0]
    if sum(map(_covered, chosen)) > MOST_COVERED * 4 * region.size_m[0] * region.size_m[1]:
        raise UnfitError("too much food for the board")
    return chosen


def _covered(food: Design) -> float:
    size = food.asset().size_m
    return size[0] * size[1]


def _bystanders(plan: Plan, foods: Sequence[Design], rng: np.random.Generator) -> tuple[Design, ...]:
    nouns = [d.noun for d in (plan.pot, plan.sponge, plan.board, *foods)]
    pool = [d for d in map(CATALOGUE.__getitem__, BYSTANDERS) if not any(ambiguous(d.noun, noun) for noun in nouns)]
    return tuple(pool[i] for i in rng.choice(len(pool), size=plan.bystanders, replace=False))


def _layout(plan: Plan, standing: Sequence[Design], table: TableSpec, rng: np.random.Generator) -> list[Placed]:
    """Draw where board, pot, sponge and bystanders stand; the order is that of `standing`."""
    hulls = [d.asset().hull for d in standing]
    angle = rng.uniform(-0.45, 0.45)
    placed: dict[int, Placed] = {1: _put(hulls[1], rng.uniform(0.43, 0.57), angle, rng)}
    if not allowed(placed[1], table):
        raise UnfitError("the pot's place")
    for number in (0, 2, *range(3, len(standing))):
        for _ in range(80):
            radius, turn = rng.uniform(0.36, 0.64), rng.uniform(0.25, 1.15)
            left = (plan.board_left, None, plan.sponge_left)[number] if number < 3 else bool(rng.random() < 0.5)
            one = _put(hulls[number], radius, angle + (turn if left else -turn), rng)
            if number == 0 and not _handle_in_reach(plan.board, one):
                continue
            if allowed(one, table) and is_clear(one.polygon, [p.polygon for p in placed.values()], GAP_M):
                placed[number] = one
                break
        else:
            raise UnfitError("no place for everything")
    return [placed[number] for number in range(len(standing))]


def _handle_in_reach(board: Design, placed: Placed) -> bool:
    """Return whether the hand that holds the handle has room to turn: neither too near the base nor too far out."""
    (x, y, _), (w, _, _, z) = placed.pose.position_m, placed.pose.quat_wxyz
    turn, handle = 2 * np.arctan2(z, w), board.grasps[0].object_T_tcp.position_m[0]
    return bool(HANDLE_REACH_M[0] < np.hypot(x + handle * np.cos(turn), y + handle * np.sin(turn)) < HANDLE_REACH_M[1])


def _put(hull: Hull, radius: float, angle: float, rng: np.random.Generator) -> Placed:
    return put(hull, radius * np.cos(angle), radius * np.sin(angle), float(rng.uniform(-np.pi, np.pi)))


def _dust(pot: ObjectSpec, sponge: ObjectSpec, plan: Plan, rng: np.random.Generator) -> DustSpec:
    region = plan.pot.asset().support_regions[0]
    count = int(rng.integers(48, 73))
    start = rng.bit_generator.state
    share = plan.patch_share
    while share > SMALLEST_SHARE:
        radius = share * region.size_m[0]
        if plan.square:
            patch = Region("rectangle", (0.85 * radius, 0.55 * radius, 0.0), region.pose)
        else:
            patch = Region("disc", (radius, radius, 0.0), region.pose)
        rng.bit_generator.state = start
        dust = spread_dust(pot, [sponge.name], rng=rng, count=count, patch=patch)
        if _room_for(plan, dust) >= 0:
            return dust
        share *= 0.95
    raise UnfitError("the sponge does not reach all the dust")


def _room_for(plan: Plan, dust: DustSpec) -> float:
    """Return how much narrower the pot could be for the sponge to reach all the dust still, in m; negative if none."""
    size = plan.sponge.asset().size_m
    flat = np.asarray(dust.positions_m)[:, :2]
    interior = plan.pot.asset().interior
    assert interior is not None
    for spare in (0.03, 0.02, 0.01, 0.005, 0.0):
        radius = interior.size_m[0] - spare
        if any(rows(flat, (size[0] / 2, size[1] / 2), radius, k * np.pi / 4) is not None for k in range(8)):
            return spare
    return -1.0


def _distance(first: Placed, second: Placed) -> float:
    return float(np.linalg.norm(np.subtract(first.pose.position_m[:2], second.pose.position_m[:2])))
