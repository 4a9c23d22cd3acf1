"""The catalogue: named designs of household objects."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from maniguard.errors import alternatives
from maniguard.sim.assets.asset import AssetError
from maniguard.sim.assets.catalogue import (
    bakery,
    bathroom,
    bottles,
    containers,
    cups,
    decor,
    desk,
    dishes,
    food,
    glasses,
    hinged,
    lids,
    opening,
    ornaments,
    packages,
    preserves,
    serving,
    tools,
    toys,
)
from maniguard.sim.assets.design import Design

CATALOGUE: Mapping[str, Design] = MappingProxyType(
    {
        design.name: design
        for design in (
            *cups.MUGS,
            *cups.TEACUPS,
            *dishes.BOWLS,
            *dishes.RAMEKINS,
            *dishes.PLATES,
            *glasses.GLASSES,
            *glasses.WINE_GLASSES,
            *bottles.BOTTLES,
            *preserves.CANS,
            *preserves.JARS,
            *packages.BOXES,
            *packages.CARTONS,
            *glasses.VASES,
            *dishes.POTS,
            *dishes.BOARDS,
            *cups.PITCHERS,
            *packages.TINS,
            *decor.CANDLES,
            *decor.BOOKS,
            *decor.MILLS,
            *decor.PLANTS,
            *containers.ALL,
            *opening.ALL,
            *serving.ALL,
            *lids.ALL,
            *food.ALL,
            *bakery.ALL,
            *tools.ALL,
            *desk.ALL,
            *ornaments.ALL,
            *bathroom.ALL,
            *toys.ALL,
            *hinged.ALL,
        )
    }
)


def design(name: str) -> Design:
    """Return a design by name; AssetError lists the valid names."""
    if name not in CATALOGUE:
        raise AssetError(f"the catalogue has no design {name!r}; it has {alternatives(CATALOGUE)}")
    return CATALOGUE[name]


def of_category(category: str) -> tuple[Design, ...]:
    """Return the designs of a category, in catalogue order; AssetError lists the categories that have some."""
    found = tuple(d for d in CATALOGUE.values() if d.category == category)
    if not found:
        present = {d.category for d in CATALOGUE.values()}
        raise AssetError(f"the catalogue has nothing of category {category!r}; it has {alternatives(present)}")
    return found
