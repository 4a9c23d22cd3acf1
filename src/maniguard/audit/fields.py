"""Reads the values of a mapping file, and says of each wrong one where it stands and what would be valid."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from typing import Any

from maniguard.audit.errors import AuditError
from maniguard.errors import alternatives

# Factors to SI, by what is measured.
UNITS: dict[str, dict[str, float]] = {
    "length": {"m": 1.0, "cm": 0.01, "mm": 0.001},
    "angle": {"rad": 1.0, "deg": math.pi / 180.0},
    "time": {"s": 1.0, "ms": 1e-3, "us": 1e-6, "ns": 1e-9},
    "force": {"N": 1.0},
    "none": {"1": 1.0},
}
_QUANTITY = re.compile(r"^\s*([-+]?[0-9.]+(?:[eE][-+]?[0-9]+)?)\s*([A-Za-z0-9]+)\s*$")


class Node:
    """A value of a mapping file and where it stands."""

    def __init__(self, value: Any, where: str) -> None:
        self.value, self.where = value, where

    def refuse(self, message: str) -> AuditError:
        """Return the error that says what is wrong here."""
        return AuditError(f"{self.where}: {message}")

    def keys(self, *allowed: str) -> Node:
        """Demand a mapping with none but these keys."""
        if not isinstance(self.value, dict):
            raise self.refuse(f"expected named values, found {self.value!r}")
        for key in self.value:
            if key not in allowed:
                raise self.refuse(f"unknown key {key!r}; valid are {alternatives(allowed, limit=30)}")
        return self

    def has(self, key: str) -> bool:
        """Whether a key is given."""
        return self.value.get(key) is not None

    def at(self, key: str) -> Node:
        """Return the value of a key; AuditError where it is missing."""
        if not self.has(key):
            raise self.refuse(f"{key!r} is missing")
        return Node(self.value[key], f"{self.where}.{key}")

    def get(self, key: str) -> Node | None:
        """Return the value of a key, None where it is missing."""
        return self.at(key) if self.has(key) else None

    def items(self) -> Iterator[tuple[str, Node]]:
        """Iterate over a mapping's values."""
        if not isinstance(self.value, dict):
            raise self.refuse(f"expected named values, found {self.value!r}")
        for key, value in self.value.items():
            yield str(key), Node(value, f"{self.where}.{key}")

    def text(self, choices: tuple[str, ...] = ()) -> str:
        """Read a non-empty string, one of `choices` if given."""
        if not isinstance(self.value, str) or not self.value:
            raise self.refuse(f"expected a text, found {self.value!r}")
        if choices and self.value not in choices:
            raise self.refuse(f"{self.value!r} is not one of {alternatives(choices)}")
        return self.value

    def texts(self) -> tuple[str, ...]:
        """Read a list of strings, or one string."""
        value = [self.value] if isinstance(self.value, str) else self.value
        if not isinstance(value, list):
            raise self.refuse(f"expected a list of texts, found {self.value!r}")
        return tuple(Node(item, f"{self.where}[{index}]").text() for index, item in enumerate(value))

    def number(self) -> float:
        """Read a finite number."""
        if isinstance(self.value, bool) or not isinstance(self.value, int | float) or not math.isfinite(self.value):
            raise self.refuse(f"expected a finite number, found {self.value!r}")
        return float(self.value)

    def numbers(self, count: int) -> tuple[float, ...]:
        """Read a list of `count` finite numbers."""
        if not isinstance(self.value, list) or len(self.value) != count:
            raise self.refuse(f"expected a list of {count} numbers, found {self.value!r}")
        return tuple(Node(item, f"{self.where}[{index}]").number() for index, item in enumerate(self.value))

    def truth(self) -> bool:
        """Read true or false."""
        if not isinstance(self.value, bool):
            raise self.refuse(f"expected true or false, found {self.value!r}")
        return self.value

    def quantity(self, dimension: str) -> float:
        """Read a number with its unit, such as `1 mm`, and return it in SI units."""
        match = _QUANTITY.match(self.value) if isinstance(self.value, str) else None
        if match is None or match[2] not in UNITS[dimension]:
            raise self.refuse(
                f"expected a {dimension} such as '1 {next(iter(UNITS[dimension]))}', found {self.value!r}; "
                f"units are {alternatives(UNITS[dimension])}"
            )
        return float(match[1]) * UNITS[dimension][match[2]]

    def unit(self, dimension: str) -> float:
        """Read a unit and return its factor to SI."""
        name = str(self.value)
        if name not in UNITS[dimension]:
            raise self.refuse(f"{name!r} is no unit of {dimension}; units are {alternatives(UNITS[dimension])}")
        return UNITS[dimension][name]
