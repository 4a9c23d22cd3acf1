"""The numbers that lock a design: what it weighs, how rough it is, and measures of the shape that is touched."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from maniguard.sim.assets.design import Design
from maniguard.sim.assets.pieces import mass_properties

LOCKED_JSON = Path(__file__).parent / "locked.json"
RELATIVE, ABSOLUTE = 1e-4, 2e-6


def numbers_of(design: Design) -> dict[str, Any]:
    """Return the locked numbers of a design as the present code builds it, as JSON values; SI units and cm³, kg mm²."""
    asset = design.asset()
    room = asset.interior
    found: dict[str, Any] = {
        "kind": asset.kind,
        "pieces": len(asset.pieces),
        "mass_kg": design.mass_kg,
        "friction": design.friction,
        "size_m": asset.size_m,
        "volume_cm3": mass_properties(asset.pieces).volume_m3 * 1e6,
        "center_of_mass_m": asset.center_of_mass_m,
        "inertia_kg_mm2": np.diag(asset.inertia) * 1e6,
        "rim": [] if asset.rim is None else [*asset.rim.size_m, *asset.rim.pose.position_m],
        "interior": [] if room is None else [*room.size_m, *room.pose.position_m],
        "joints": [v for j in asset.joints for v in (j.lower, j.upper, j.start, j.frictionloss, j.damping)],
    }
    return {key: _plain(value) for key, value in found.items()}


def changes(design: Design, locked: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the names of the numbers that are no longer as locked, to 1 part in 10 000 or 2e-6."""
    built = numbers_of(design)
    if set(built) != set(locked):
        return tuple(sorted(set(built) ^ set(locked)))
    return tuple(key for key, value in built.items() if not _same(value, locked[key]))


@lru_cache(maxsize=1)
def locked_numbers() -> Mapping[str, Mapping[str, Any]]:
    """Return the locked numbers of all designs, by name."""
    data: Mapping[str, Mapping[str, Any]] = json.loads(LOCKED_JSON.read_text(encoding="utf-8"))
    return data


def _same(built: Any, locked: Any) -> bool:
    if isinstance(built, str):
        return bool(built == locked)
    a, b = np.asarray(built, dtype=np.float64), np.asarray(locked, dtype=np.float64)
    return a.shape == b.shape and bool(np.allclose(a, b, rtol=RELATIVE, atol=ABSOLUTE))


def _plain(value: Any) -> Any:
    if isinstance(value, (str, int)):
        return value
    if isinstance(value, float):
        return _rounded(value)
    return [_rounded(float(v)) for v in value]


def _rounded(value: float) -> float:
    # Seven digits, and no -0.
    return float(f"{value:.7g}") + 0.0 if abs(value) > 1e-9 else 0.0
