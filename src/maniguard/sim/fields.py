"""Reading and rounding of JSON fields for scene descriptions; every error names the place and the field."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from maniguard.errors import ManiguardError, alternatives
from maniguard.trace.scene import Pose, Vector3

Value = float | str
T = TypeVar("T")

DECIMALS = 6


class SceneSpecError(ManiguardError):
    """A scene description that cannot be read or contradicts itself; the message names the object and the field."""


def rounded(value: float) -> float:
    """Return `value` rounded to 1e-6, without a negative zero."""
    return round(float(value), DECIMALS) + 0.0


def rounded_pose(pose: Pose) -> Pose:
    """Return `pose` with its numbers rounded to 1e-6."""
    return Pose(rounded_vector(pose.position_m), rounded_vector(pose.quat_wxyz))


def rounded_vector(values: Sequence[float]) -> Any:
    """Return the numbers rounded to 1e-6, as a tuple."""
    return tuple(rounded(v) for v in values)


def rounded_values(values: Mapping[str, Value]) -> dict[str, Value]:
    """Return named values sorted by name, numbers rounded to 1e-6."""
    return {str(k): v if isinstance(v, str) else rounded(v) for k, v in sorted(values.items())}


def pose_dict(pose: Pose) -> dict[str, list[float]]:
    """Return a pose as JSON values."""
    return {"position_m": list(pose.position_m), "quat_wxyz": list(pose.quat_wxyz)}


class Reader:
    """Takes the fields of one mapping in turn; every error says in which mapping and field it arose."""

    def __init__(self, data: Any, where: str) -> None:
        if not isinstance(data, Mapping):
            raise SceneSpecError(f"{where}: expected an object with named fields, got {type(data).__name__}")
        self.data = data
        self.where = where
        self._known: set[str] = set()

    def take(self, name: str, read: Callable[[Any, str], T], *default: T) -> T:
        """Read one field; without a default its absence is an error."""
        self._known.add(name)
        if name not in self.data:
            if default:
                return default[0]
            raise SceneSpecError(f"{self.where}: field {name!r} is missing; present are {alternatives(self.data)}")
        return read(self.data[name], f"{self.where}: field {name!r}")

    def take_list(self, name: str, read: Callable[[Any, str], T], *default: Sequence[Any]) -> tuple[T, ...]:
        """Read a list field item by item; without a default its absence is an error."""
        items: list[Any] = self.take(name, items_of, *map(list, default))
        return tuple(read(item, f"{self.where}: {name}[{i}]") for i, item in enumerate(items))

    def finish(self) -> None:
        """Refuse fields that nobody asked for."""
        for name in self.data:
            if name not in self._known:
                raise SceneSpecError(f"{self.where}: unknown field {name!r}; valid are {alternatives(self._known)}")


def text(value: Any, where: str) -> str:
    """Read a non-empty string."""
    if not isinstance(value, str) or not value:
        raise SceneSpecError(f"{where}: expected a non-empty string, got {value!r}")
    return value


def items_of(value: Any, where: str) -> list[Any]:
    """Read a list."""
    if not isinstance(value, (list, tuple)):
        raise SceneSpecError(f"{where}: expected a list, got {type(value).__name__}")
    return list(value)


def texts(value: Any, where: str) -> tuple[str, ...]:
    """Read a list of non-empty strings."""
    return tuple(text(item, where) for item in items_of(value, where))


def number(value: Any, where: str) -> float:
    """Read a finite number."""
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
        raise SceneSpecError(f"{where}: expected a finite number, got {value!r}")
    return float(value)


def positive(value: Any, where: str) -> float:
    """Read a positive number."""
    read = number(value, where)
    if not read > 0:
        raise SceneSpecError(f"{where}: expected a positive number, got {value!r}")
    return read


def numbers(count: int) -> Callable[[Any, str], Any]:
    """Return a reader of a list of `count` finite numbers."""

    def read(value: Any, where: str) -> tuple[float, ...]:
        items = items_of(value, where)
        if len(items) != count:
            raise SceneSpecError(f"{where}: expected {count} numbers, got {len(items)}")
        return tuple(number(item, where) for item in items)

    return read


vector2: Callable[[Any, str], tuple[float, float]] = numbers(2)
vector3: Callable[[Any, str], Vector3] = numbers(3)


def values(value: Any, where: str) -> dict[str, Value]:
    """Read named numbers and strings."""
    if not isinstance(value, Mapping):
        raise SceneSpecError(f"{where}: expected an object with named values, got {type(value).__name__}")
    return {key: item if isinstance(item, str) else number(item, f"{where}[{key!r}]") for key, item in value.items()}


def pose(value: Any, where: str) -> Pose:
    """Read a pose; its quaternion must have unit length to 1e-4."""
    reader = Reader(value, where)
    read = Pose(reader.take("position_m", vector3), reader.take("quat_wxyz", numbers(4)))
    reader.finish()
    if abs(math.hypot(*read.quat_wxyz) - 1.0) > 1e-4:
        raise SceneSpecError(f"{where}: quat_wxyz must have unit length, got {list(read.quat_wxyz)}")
    return read
