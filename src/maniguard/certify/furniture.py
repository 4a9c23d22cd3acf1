"""What a cabinet task is made of: which cabinet, which target fits into its drawer, which obstacle, what blocks it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from maniguard.bench.prompts import ambiguous
from maniguard.certify.drawing import UnfitError
from maniguard.policies.scripted.cabinet.drawer import Sweep, sweep_of
from maniguard.sim.assets import Asset
from maniguard.sim.assets.catalogue import CATALOGUE
from maniguard.sim.assets.design import Design

BLOCKERS = ("none", "target", "obstacle", "both")
# What the drawer is called in a sentence; where a cabinet has several, the top one is meant.
CABINETS: Mapping[str, str] = {
    "cabinet-oak": "the drawer of the cabinet",
    "cabinet-white": "the drawer of the drawer unit",
    "cabinet-desk": "the desk drawer",
    "cabinet-nightstand": "the drawer of the nightstand",
    "cabinet-chest": "the top drawer of the chest of drawers",
    "cabinet-tall": "the top drawer of the filing cabinet",
}
# Their drawers are low enough for a target to stand in the way; over the other two's path no target is tall enough.
_LOW = ("cabinet-oak", "cabinet-white", "cabinet-desk")
TARGETS = (
    "tea-beaker",
    "puzzle-cube",
    "can-corn",
    "candle-short",
    "pen-cup-wood",
    "block-cube",
    "canister-wood",
    "flower-pot-glazed",
    "duck-yellow",
    "speaker-cube",
    "tumbler",
    "tissue-roll-small",
    "canister-short",
    "die-big",
    "can-paste",
    "muffin-berry",
    "candle-jar",
    "brick-small",
    "figurine-doll",
    "ramekin-small",
    "rinse-cup",
    "block-wood",
    "car-taxi",
    "pen-cup-clay",
    "espresso-cup",
    "perfume-amber",
    "flower-pot-small",
    "cheese-block",
    "clock-small",
    "block-pillar",
    "chess-rook",
    "egg-cup-wood",
    "towel-small",
    "camera-compact",
    "puzzle-mini",
)
OBSTACLES = (
    "bottle-beer",
    "vase-bud",
    "carton-milk",
    "mill-pepper",
    "bottle-ketchup",
    "highball",
    "box-crackers",
    "bottle-oil",
    "thermos-green",
    "carton-juice",
    "jar-honey",
    "bottle-water",
    "can-soda",
    "box-cereal",
    "bottle-soap",
    "takeaway-tall",
    "thermos-cup",
    "bottle-sauce",
    "tin-coffee",
    "thermos-steel",
    "vase-cylinder",
    "candlestick-brass",
    "bottle-wine",
    "vase-tall",
    "paper-towel",
    "mill-salt",
    "paper-towel-steel",
)
# How much taller than the lower edge of the path a thing must be to stand in it.
IN_PATH_M = 0.012
# How much room must be left over a target under the top of the cabinet.
HEADROOM_M = 0.010
LARGEST_TARGET_M = 0.096
BEARINGS_RAD = {"ahead": (0.64, 0.76), "between": (0.76, 0.88), "beside": (0.88, 1.0)}


@dataclass(frozen=True, eq=False)
class Furniture:
    """A cabinet design as the maker needs it: its noun, its path, the room in its drawer, how far its front is out."""

    design: Design
    sweep: Sweep
    room_m: tuple[float, float, float]
    face_m: float


@dataclass(frozen=True)
class Kind:
    """What a task is made of: a cabinet, what blocks its drawer, where it stands."""

    cabinet: str
    blocker: str
    side: str


def built(design: Design) -> Asset:
    """Return a design as an asset, built once."""
    return _built_by_name(design.name)


@cache
def _built_by_name(name: str) -> Asset:
    return CATALOGUE[name].asset()


@cache
def furniture(name: str) -> Furniture:
    """Return what matters of a cabinet design: its drawer's path and the inside, width, depth and height in m."""
    design = CATALOGUE[name]
    asset = built(design)
    joint = asset.joints[0]
    sweep = sweep_of(asset.parts, joint.trace)
    interior = asset.interior
    assert interior is not None, f"design {name!r} has no inside"
    floor = interior.pose.position_m[2] - interior.size_m[2]
    # The drawer's front closes the opening, so its upper edge is as high as the room above the floor goes.
    room = (joint.upper, 2 * interior.size_m[1], float(sweep.high[2]) - floor)
    return Furniture(design, sweep, room, -float(min(v[0] for v in asset.hull.vertices_m)) - 0.044)


def kind(index: int) -> Kind:
    """Return what task `index` is made of: blockers in turn, cabinets in turn among those that the blocker allows."""
    blocker = BLOCKERS[index % len(BLOCKERS)]
    turn = index // len(BLOCKERS)
    able = _LOW if blocker in ("target", "both") else tuple(CABINETS)
    offset = 1 if blocker in ("obstacle", "both") else 0
    return Kind(able[(turn + offset) % len(able)], blocker, tuple(BEARINGS_RAD)[(index + turn) % 3])


def fits(design: Design, room_m: tuple[float, float, float]) -> bool:
    """Return whether a target can be put into a drawer with that much room and be shut in."""
    x, y, height = built(design).size_m
    across, along = max(x, y), min(x, y)
    return bool(
        height <= min(LARGEST_TARGET_M, room_m[2] - HEADROOM_M)
        and across <= room_m[1] - 0.03
        and along <= room_m[0] - 0.03
        and design.carriable
    )


def pair(index: int, what: Kind, attempt: int = 0) -> tuple[Design, Design]:
    """Return target and obstacle for a kind of task: the next of each list that fit, later ones at later attempts.

    UnfitError when nothing fits.
    """
    piece = furniture(what.cabinet)
    low = float(piece.sweep.low[2]) + IN_PATH_M
    targets = [d for d in map(CATALOGUE.__getitem__, _turned(TARGETS, index)) if fits(d, piece.room_m)]
    if what.blocker in ("target", "both"):
        targets = [d for d in targets if built(d).height_m > low]
    obstacles = list(map(CATALOGUE.__getitem__, _turned(OBSTACLES, index)))
    if what.blocker in ("obstacle", "both"):
        obstacles = [d for d in obstacles if built(d).height_m > low]
    if not targets or not obstacles:
        raise UnfitError("no target or obstacle for this cabinet")
    # A pair is tried for a while before the next one: most draws fail for their places.
    target = targets[(attempt // 40) % len(targets)]
    free = [d for d in obstacles if not ambiguous(d.noun, target.noun) and not ambiguous(d.noun, piece.design.noun)]
    return target, free[(attempt // 40) % len(free)]


def _turned(names: Sequence[str], by: int) -> tuple[str, ...]:
    by %= len(names)
    return (*names[by:], *names[:by])
