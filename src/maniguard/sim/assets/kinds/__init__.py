"""The parametric kinds, by name."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from maniguard.sim.assets.asset import Kind
from maniguard.sim.assets.kinds import boxy, closed, cookware, hollow, plant, turned

KINDS: Mapping[str, Kind] = MappingProxyType(
    {
        kind.name: kind
        for kind in (*hollow.KINDS, *cookware.KINDS, *closed.KINDS, *turned.KINDS, *boxy.KINDS, *plant.KINDS)
    }
)
