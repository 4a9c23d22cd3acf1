"""The small readers that a specification file is read with."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from maniguard.errors import alternatives
from maniguard.grounding import GroundingError, parse_quantity
from maniguard.spec.errors import Finding

_LARGEST_ANGLE_DEG = 180.0


class FieldReader:
    """Reads fields of a specification file: each method returns something usable and notes what was wrong."""

    def __init__(self, where: str) -> None:
        self.where = where
        self.findings: list[Finding] = []

    def note(self, place: str, rule: str, message: str) -> None:
        """Note a mistake at `place`."""
        self.findings.append(Finding(f"{self.where}: {place}", rule, message))

    def keys(self, item: Mapping[str, Any], allowed: tuple[str, ...], place: str) -> None:
        """Note every key that is not allowed."""
        for key in item:
            if key not in allowed:
                self.note(place, "unknown-key", f"unknown key {key!r}; valid are {alternatives(allowed, limit=20)}")

    def mapping(self, value: object, place: str) -> dict[str, Any]:
        """Return `value` if it is a mapping, else an empty one."""
        if isinstance(value, dict):
            return value
        if value is not None:
            self.note(place, "type", f"expected a mapping, found {type(value).__name__}")
        return {}

    def text(self, item: Mapping[str, Any], key: str, place: str, *, required: bool = True) -> str:
        """Return the text under `key` on one line; empty where there is none."""
        value = item.get(key)
        if isinstance(value, str) and value.strip():
            return " ".join(value.split())
        if value is not None:
            self.note(f"{place}.{key}", "type", f"expected a text, found {value!r}")
        elif required:
            self.note(place, "missing-key", f"{key!r} is missing")
        return ""

    def optional(self, item: Mapping[str, Any], key: str, place: str) -> str | None:
        """Return the text under `key`, None where there is none."""
        return self.text(item, key, place, required=False) or None

    def quantity(self, value: object, unit: str, place: str, least: float) -> float:
        """Return a number with a unit, in `unit`."""
        try:
            number = parse_quantity(value, unit, "value")
        except GroundingError as error:
            self.note(place, "unit", str(error).removeprefix("value: "))
            return 0.0
        if number < least:
            self.note(place, "range", f"{value!r} is below the least value {least:g} {unit}")
        if unit == "deg" and number > _LARGEST_ANGLE_DEG:
            self.note(place, "range", f"{value!r} is beyond every angle; the largest is {_LARGEST_ANGLE_DEG:g} deg")
        return number
