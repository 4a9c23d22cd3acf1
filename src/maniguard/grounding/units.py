"""Quantities with units, as specification files write them: `5 cm`, `45 deg`, `0.1 s`, `15 %`."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import NamedTuple

from maniguard.errors import alternatives
from maniguard.grounding.errors import GroundingError


class _Unit(NamedTuple):
    base: str
    factor: Decimal


# 180 / pi to more digits than a double holds.
_DEG_PER_RAD = Decimal("57.29577951308232087679815481410517")

_UNITS: dict[str, _Unit] = {
    "m": _Unit("m", Decimal(1)),
    "cm": _Unit("m", Decimal("0.01")),
    "mm": _Unit("m", Decimal("0.001")),
    "s": _Unit("s", Decimal(1)),
    "ms": _Unit("s", Decimal("0.001")),
    "deg": _Unit("deg", Decimal(1)),
    "rad": _Unit("deg", _DEG_PER_RAD),
    "m/s": _Unit("m/s", Decimal(1)),
    "cm/s": _Unit("m/s", Decimal("0.01")),
    "deg/s": _Unit("deg/s", Decimal(1)),
    "rad/s": _Unit("deg/s", _DEG_PER_RAD),
    "N": _Unit("N", Decimal(1)),
    "%": _Unit("1", Decimal("0.01")),
    "1": _Unit("1", Decimal(1)),
}

_QUANTITY = re.compile(r"^\s*([+-]?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)\s*([a-zA-Z%/1]+)\s*$")


def parse_quantity(value: object, unit: str, where: str) -> float:
    """Return `value`, a text such as `5 cm`, in `unit` (m, s, deg, m/s, deg/s, N or 1), rounded once.

    Raises GroundingError, which begins with `where`, for a bare number, an unknown unit or one of another dimension.
    """
    fitting = alternatives(name for name, known in _UNITS.items() if known.base == unit and name != "1")
    if not isinstance(value, str):
        raise GroundingError(f"{where}: {value!r} has no unit; write it as a number with one of {fitting}")
    match = _QUANTITY.match(value)
    if match is None:
        raise GroundingError(f"{where}: {value!r} is not a number with a unit; the units are {fitting}")
    number, name = match.groups()
    found = _UNITS.get(name)
    if found is None or found.base != unit:
        raise GroundingError(f"{where}: {value!r} is not a quantity in {unit}; the units are {fitting}")
    return float(Decimal(number) * found.factor)


def format_quantity(value: float, unit: str) -> str:
    """Return `value` in `unit` for a reader: lengths below 1 m in cm or mm, shares in percent."""
    if unit == "m" and 0 < abs(value) < 1:
        return f"{value * 100:g} cm" if abs(value) >= 0.01 else f"{value * 1000:g} mm"
    if unit == "1":
        return f"{value * 100:g} %"
    return f"{value:g} {unit}"
