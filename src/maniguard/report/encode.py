"""Compact JSON values for series, so that a page of one rollout stays small."""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

_MISSING = -32768
_LARGEST = 32767


def runs(values: Sequence[Any] | NDArray[Any]) -> list[list[Any]]:
    """Return [[start, value], …]: one pair where the series changes. Values must be JSON values or numpy scalars."""
    result: list[list[Any]] = []
    for index, value in enumerate(values):
        plain = value.item() if isinstance(value, np.generic) else value
        if not result or result[-1][1] != plain:
            result.append([index, plain])
    return result


def packed(values: ArrayLike, *, step: float | None = None) -> Mapping[str, Any]:
    """Return {"b64": little-endian int16, "step": s, "shape": […]}: value = integer x s, NaN stored as -32768.

    Without `step` the finest one that holds the largest magnitude is taken (error at most half of it, 1.5e-5 of the
    peak); with it, values beyond 32767 steps are clipped. Infinite values are clipped to the finite range.
    """
    array = np.asarray(values, dtype=np.float64)
    finite = np.abs(array[np.isfinite(array)])
    # A peak of (almost) nothing has no useful step of its own; every value is then 0.
    peak = float(finite.max(initial=0.0))
    scale = step if step is not None else peak / _LARGEST if peak > 1e-30 else 1.0
    with np.errstate(invalid="ignore"):
        units = np.clip(np.rint(array / scale), -_LARGEST, _LARGEST)
    stored = np.where(np.isnan(array), _MISSING, units).astype("<i2")
    return {"b64": base64.b64encode(stored.tobytes()).decode("ascii"), "step": scale, "shape": list(array.shape)}


def unpacked(value: Mapping[str, Any]) -> NDArray[np.float64]:
    """Undo `packed`, up to its rounding."""
    stored = np.frombuffer(base64.b64decode(value["b64"]), dtype="<i2").reshape(value["shape"])
    return np.where(stored == _MISSING, np.nan, stored * value["step"])
