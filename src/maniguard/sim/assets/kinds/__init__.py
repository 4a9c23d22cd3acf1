"""The parametric kinds, by name."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from maniguard.sim.assets.asset import Kind
from maniguard.sim.assets.kinds import (
    bath,
    boxy,
    closed,
    cookware,
    food,
    foreign,
    furniture,
    hinged,
    hollow,
    lid,
    office,
    pastry,
    plant,
    pouring,
    spindle,
    tool,
    toys,
    tub,
    turned,
)

_MODULES = (
    *(hollow, cookware, closed, turned, boxy, plant),
    *(spindle, tool, food, pastry, tub, lid, hinged, furniture, office, toys, bath, pouring, foreign),
)
KINDS: Mapping[str, Kind] = MappingProxyType({kind.name: kind for module in _MODULES for kind in module.KINDS})
