"""What stands around the objects of a scene, as plain values: the table they stand on, the room that is only seen."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from maniguard.sim.fields import (
    Reader,
    SceneSpecError,
    Value,
    positive,
    rounded,
    rounded_values,
    rounded_vector,
    text,
    values,
    vector2,
    vector3,
)
from maniguard.trace.scene import Vector3


@dataclass(frozen=True)
class TableSpec:
    """The table: centre and size of its top in the xy plane, thickness of the top, height above the floor; metres."""

    center_m: tuple[float, float] = (0.3, 0.0)
    size_m: tuple[float, float] = (1.1, 1.1)
    thickness_m: float = 0.04
    height_m: float = 0.74
    friction: Vector3 = (0.5, 0.005, 0.0001)
    appearance: Mapping[str, Value] = field(default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "center_m", rounded_vector(self.center_m))
        object.__setattr__(self, "size_m", rounded_vector(self.size_m))
        object.__setattr__(self, "friction", rounded_vector(self.friction))
        object.__setattr__(self, "thickness_m", rounded(self.thickness_m))
        object.__setattr__(self, "height_m", rounded(self.height_m))
        object.__setattr__(self, "appearance", rounded_values(self.appearance))
        if min(*self.size_m, self.thickness_m) <= 0 or self.height_m <= self.thickness_m:
            raise SceneSpecError("table: sizes must be positive and the height more than the thickness")

    def physics_dict(self) -> dict[str, Any]:
        """Return size and friction as JSON values."""
        return {
            "center_m": list(self.center_m),
            "size_m": list(self.size_m),
            "thickness_m": self.thickness_m,
            "height_m": self.height_m,
            "friction": list(self.friction),
        }

    def to_dict(self) -> dict[str, Any]:
        """Return the table as JSON values."""
        return {**self.physics_dict(), "appearance": dict(self.appearance)}

    @staticmethod
    def from_dict(data: Mapping[str, Any], where: str = "table") -> TableSpec:
        """Read what `to_dict` wrote; SceneSpecError names the bad field."""
        reader = Reader(data, where)
        spec = TableSpec(
            center_m=reader.take("center_m", vector2),
            size_m=reader.take("size_m", vector2),
            thickness_m=reader.take("thickness_m", positive),
            height_m=reader.take("height_m", positive),
            friction=reader.take("friction", vector3),
            appearance=reader.take("appearance", values, {}),
        )
        reader.finish()
        return spec


@dataclass(frozen=True)
class RoomSpec:
    """The environment around the table. It is looked at and never touched: it takes no part in physics."""

    name: str = "studio"
    appearance: Mapping[str, Value] = field(default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "appearance", rounded_values(self.appearance))

    def to_dict(self) -> dict[str, Any]:
        """Return the room as JSON values."""
        return {"name": self.name, "appearance": dict(self.appearance)}

    @staticmethod
    def from_dict(data: Mapping[str, Any], where: str = "room") -> RoomSpec:
        """Read what `to_dict` wrote; SceneSpecError names the bad field."""
        reader = Reader(data, where)
        spec = RoomSpec(name=reader.take("name", text), appearance=reader.take("appearance", values, {}))
        reader.finish()
        return spec
