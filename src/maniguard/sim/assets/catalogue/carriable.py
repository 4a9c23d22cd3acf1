"""Which designs are carried and by which grasp, as `benchmarks/grasp_hold.py` measured it.

Stored grasps keep their order, because locked tasks quote them.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

NOT_CARRIABLE: frozenset[str] = frozenset()
"""Designs that are not carried, though they have grasps: with none of them does the gripper hold them well."""

BEST_GRASP: Mapping[str, str] = MappingProxyType({})
"""The grasp that holds a design well, where that is not the first stored."""
