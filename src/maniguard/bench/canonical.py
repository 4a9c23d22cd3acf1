"""Canonical JSON: one text, and so one digest, per value."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Callable, Mapping
from typing import Any

from maniguard.errors import ManiguardError

DECIMALS = 6


class TaskFileError(ManiguardError):
    """A task file or scenario that is malformed, contradicts itself, or breaks a rule of validity."""


def normal(value: Any) -> Any:
    """Return `value` as plain JSON values: tuples as lists, numbers rounded to 1e-6, no negative zero.

    TaskFileError for a number that is not finite or a type that JSON lacks.
    """
    return _plain(value, _rounded)


def dumps(value: Any) -> str:
    """Return the canonical text of `value` for digests: sorted keys, no spaces, numbers as by `normal`.

    Whole numbers are written alike whether they came as int or float, because JSON readers do not keep the
    difference.
    """
    plain = _plain(value, _shortest)
    return json.dumps(plain, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def pretty(value: Any, *, width: int = 110) -> str:
    """Return canonical text for people: keys in given order, what is short on one line, newline at the end."""
    return _lines(_plain(value, _shortest), "", width) + "\n"


def digest(value: Any) -> str:
    """Return the sha256 of the canonical text, in hex."""
    return hashlib.sha256(dumps(value).encode()).hexdigest()


def _rounded(value: float) -> float:
    if not math.isfinite(value):
        raise TaskFileError(f"a task file holds finite numbers only, got {value!r}")
    return round(value, DECIMALS) + 0.0


def _shortest(value: float) -> float | int:
    rounded = _rounded(value)
    return int(rounded) if rounded.is_integer() else rounded


def _plain(value: Any, number: Callable[[float], float | int]) -> Any:
    if isinstance(value, float):
        return number(value)
    if value is None or isinstance(value, (str, bool, int)):
        return value
    if isinstance(value, (list, tuple)):
        return [_plain(item, number) for item in value]
    if isinstance(value, Mapping):
        return {str(key): _plain(item, number) for key, item in value.items()}
    raise TaskFileError(f"a task file cannot hold a {type(value).__name__}: {value!r}")


def _lines(value: Any, indent: str, width: int) -> str:
    flat = json.dumps(value, ensure_ascii=False, allow_nan=False)
    if len(indent) + len(flat) <= width or not isinstance(value, (dict, list)) or not value:
        return flat
    deeper = indent + " "
    if isinstance(value, dict):
        items = [
            f"{deeper}{json.dumps(key, ensure_ascii=False)}: {_lines(item, deeper, width)}"
            for key, item in value.items()
        ]
        return "{\n" + ",\n".join(items) + f"\n{indent}}}"
    return "[\n" + ",\n".join(deeper + _lines(item, deeper, width) for item in value) + f"\n{indent}]"
