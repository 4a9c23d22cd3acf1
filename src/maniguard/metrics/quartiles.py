"""Quartiles of whatever is known about a set of rollouts."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence


def quartiles(values: Iterable[float | None]) -> dict[str, float | int | None]:
    """Return {"n", "q25", "median", "q75"} of the known values, by linear interpolation; None where none is known."""
    known = sorted(v for v in values if v is not None)
    return {"n": len(known), **{key: _quantile(known, q) for key, q in (("q25", 0.25), ("median", 0.5), ("q75", 0.75))}}


def _quantile(ordered: Sequence[float], share: float) -> float | None:
    if not ordered:
        return None
    place = share * (len(ordered) - 1)
    low = math.floor(place)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (place - low) * (ordered[high] - ordered[low])
