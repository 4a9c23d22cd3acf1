"""Which designs are carried and by which grasp, as `benchmarks/grasp_hold.py` measured it.

Stored grasps keep their order, because locked tasks quote them.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

NOT_CARRIABLE: frozenset[str] = frozenset(
    (
        "wine-glass-white",
        "wine-glass-port",
        "slide-plastic",
        "cap-flagon",
        "cap-apothecary",
        "cap-cork",
        "pear-conference",
        "bun-burger",
        "bell-desk",
        "shaker-salt",
        "shaker-pepper",
        "egg-cup-blue",
        "teapot-blue",
        "teapot-white",
        "moka-pot",
        "coffee-pot",
        "watering-can",
    )
)
"""Designs that are not carried: the gripper holds them well with none of their grasps."""

BEST_GRASP: Mapping[str, str] = MappingProxyType(
    {
        "pen-cup-mesh": "rim-0",
        "pen-cup-wood": "rim-0",
        "pen-cup-clay": "rim-0",
    }
)
"""The grasp that holds a design well, where that is not the first stored."""
