"""The categories of household objects: how they rub, what they are like, and how heavy real ones are."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from maniguard.trace.scene import Vector3


@dataclass(frozen=True)
class Category:
    """What all designs of a category share.

    `friction` is (sliding, torsional in m, rolling in m) of the surface, `properties` are semantic, `mass_range_kg`
    bounds what household objects of the category weigh as they stand here, contents included. `palette` names the
    colours that a recoloured one is given.
    """

    name: str
    friction: Vector3
    properties: tuple[str, ...]
    mass_range_kg: tuple[float, float]
    palette: str


# Sliding coefficients on a hard dry surface, from common tables of pairs with wood: glazed ceramic and glass 0.4–0.6,
# metal 0.4–0.6, card and paper 0.4–0.5, unvarnished wood 0.5–0.6, plastic 0.3–0.5. Rolling: cans and bottles on wood
# slow down by about 0.1 m/s², which 0.3 mm gives.
CERAMIC: Vector3 = (0.5, 0.003, 0.0003)
GLASS: Vector3 = (0.45, 0.003, 0.0003)
METAL: Vector3 = (0.5, 0.003, 0.0003)
CARD: Vector3 = (0.45, 0.003, 0.0003)
WOOD: Vector3 = (0.55, 0.003, 0.0003)
WAX: Vector3 = (0.55, 0.003, 0.0003)

_ALL = (
    Category("mug", CERAMIC, ("container", "fragile", "open", "handled"), (0.09, 0.42), "ceramic"),
    Category("teacup", CERAMIC, ("container", "fragile", "open"), (0.05, 0.26), "ceramic"),
    Category("bowl", CERAMIC, ("container", "fragile", "open", "stackable"), (0.1, 0.6), "ceramic"),
    Category("ramekin", CERAMIC, ("container", "fragile", "open", "stackable"), (0.06, 0.25), "ceramic"),
    Category("plate", CERAMIC, ("flat", "fragile", "stackable"), (0.15, 0.75), "ceramic"),
    Category("drinking_glass", GLASS, ("container", "fragile", "open"), (0.08, 0.4), "glass"),
    Category("wine_glass", GLASS, ("container", "fragile", "open"), (0.07, 0.25), "glass"),
    Category("bottle", GLASS, ("closed", "container", "rollable"), (0.1, 1.3), "plastic"),
    Category("can", METAL, ("closed", "container", "rollable"), (0.07, 0.5), "print"),
    Category("jar", GLASS, ("closed", "container", "fragile", "rollable"), (0.1, 0.75), "print"),
    Category("box", CARD, ("closed", "container"), (0.03, 0.8), "print"),
    Category("carton", CARD, ("closed", "container"), (0.18, 1.1), "print"),
    Category("vase", CERAMIC, ("container", "fragile", "open"), (0.12, 0.9), "ceramic"),
    Category("pot", METAL, ("container", "handled", "open"), (0.3, 1.2), "metal"),
    Category("cutting_board", WOOD, ("flat",), (0.2, 0.9), "wood"),
    Category("pitcher", CERAMIC, ("container", "fragile", "handled", "open"), (0.1, 0.8), "ceramic"),
    Category("tin", METAL, ("closed", "container"), (0.08, 0.6), "print"),
    Category("candle", WAX, ("rollable",), (0.05, 0.5), "wax"),
    Category("book", CARD, ("flat",), (0.15, 0.9), "print"),
    Category("mill", WOOD, ("rollable",), (0.08, 0.4), "wood"),
    Category("plant", CERAMIC, ("fragile",), (0.15, 0.9), "ceramic"),
)

CATEGORIES: Mapping[str, Category] = MappingProxyType({category.name: category for category in _ALL})
