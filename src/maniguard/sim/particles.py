"""Liquid and dust as plain values: grains that lie in a container, particles that lie on a surface."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from maniguard.sim.fields import (
    Reader,
    SceneSpecError,
    Value,
    items_of,
    number,
    positive,
    rounded,
    rounded_values,
    rounded_vector,
    text,
    texts,
    values,
    vector3,
)
from maniguard.trace.scene import Vector3


@dataclass(frozen=True)
class LiquidSpec:
    """The liquid in `container`, whose upper layer is grains of mixed sizes without friction.

    `radii_m` (N,) and `positions_m` (N, 3), settled, in the container's frame. What lies below the grains does not
    move: it reaches up to `floor_m` in the container's frame, and its weight is part of the container's. `level_m` is
    the height of the free surface in that frame, `density_kg_m3` that of the grains. `appearance` may hold "color".
    """

    container: str
    radii_m: tuple[float, ...]
    positions_m: tuple[Vector3, ...]
    floor_m: float
    level_m: float
    density_kg_m3: float = 1000.0
    appearance: Mapping[str, Value] = field(default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "radii_m", rounded_vector(self.radii_m))
        object.__setattr__(self, "positions_m", tuple(rounded_vector(p) for p in self.positions_m))
        for name in ("floor_m", "level_m", "density_kg_m3"):
            object.__setattr__(self, name, rounded(getattr(self, name)))
        object.__setattr__(self, "appearance", rounded_values(self.appearance))
        where = f"liquid in {self.container!r}"
        if not self.radii_m or len(self.radii_m) != len(self.positions_m):
            raise SceneSpecError(
                f"{where}: needs as many radii as positions, at least one; "
                f"got {len(self.radii_m)} and {len(self.positions_m)}"
            )
        if not (min(self.radii_m) > 0 and self.density_kg_m3 > 0):
            raise SceneSpecError(f"{where}: radii and density must be positive")
        if not self.level_m > self.floor_m:
            raise SceneSpecError(f"{where}: level_m {self.level_m} must be above floor_m {self.floor_m}")

    def physics_dict(self) -> dict[str, Any]:
        """Return what moves and what is counted, as JSON values."""
        return {
            "container": self.container,
            "radii_m": list(self.radii_m),
            "positions_m": [list(p) for p in self.positions_m],
            "floor_m": self.floor_m,
            "level_m": self.level_m,
            "density_kg_m3": self.density_kg_m3,
        }

    def to_dict(self) -> dict[str, Any]:
        """Return the liquid as JSON values."""
        return {**self.physics_dict(), "appearance": dict(self.appearance)}

    @staticmethod
    def from_dict(data: Mapping[str, Any], where: str = "liquid") -> LiquidSpec:
        """Read what `to_dict` wrote; SceneSpecError names the bad field."""
        reader = Reader(data, where)
        spec = LiquidSpec(
            container=reader.take("container", text),
            radii_m=reader.take("radii_m", _many(positive)),
            positions_m=reader.take("positions_m", _many(vector3)),
            floor_m=reader.take("floor_m", number),
            level_m=reader.take("level_m", number),
            density_kg_m3=reader.take("density_kg_m3", positive),
            appearance=reader.take("appearance", values, {}),
        )
        reader.finish()
        return spec


@dataclass(frozen=True)
class DustSpec:
    """Dust on `surface`: particles spread evenly over a patch of `area_m2`.

    `positions_m` (N, 3) and unit `normals` (N, 3), in the surface's frame; particles are drawn as flakes of
    `radius_m`. A particle goes when one of the objects `wipers` lies on it and presses with more than `min_pressure_pa`
    (mean normal force in a control step over the area of the particles under it). `appearance` may hold "color".
    """

    surface: str
    positions_m: tuple[Vector3, ...]
    normals: tuple[Vector3, ...]
    area_m2: float
    wipers: tuple[str, ...]
    min_pressure_pa: float
    radius_m: float = 0.004
    appearance: Mapping[str, Value] = field(default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "positions_m", tuple(rounded_vector(p) for p in self.positions_m))
        object.__setattr__(self, "normals", tuple(rounded_vector(n) for n in self.normals))
        for name in ("area_m2", "min_pressure_pa", "radius_m"):
            object.__setattr__(self, name, rounded(getattr(self, name)))
        object.__setattr__(self, "appearance", rounded_values(self.appearance))
        where = f"dust on {self.surface!r}"
        if not self.positions_m or len(self.positions_m) != len(self.normals):
            raise SceneSpecError(
                f"{where}: needs as many positions as normals, at least one; "
                f"got {len(self.positions_m)} and {len(self.normals)}"
            )
        if any(abs(sum(v * v for v in normal) - 1.0) > 1e-4 for normal in self.normals):
            raise SceneSpecError(f"{where}: normals must have unit length")
        if not (self.area_m2 > 0 and self.min_pressure_pa >= 0 and self.radius_m > 0):
            raise SceneSpecError(f"{where}: area and radius must be positive, the pressure not negative")
        if not self.wipers:
            raise SceneSpecError(f"{where}: names no wiper, so it could never be wiped")
        if self.surface in self.wipers:
            raise SceneSpecError(f"{where}: the surface is among its wipers, and cannot wipe itself")

    def physics_dict(self) -> dict[str, Any]:
        """Return where the particles lie and what takes them away, as JSON values."""
        return {
            "surface": self.surface,
            "positions_m": [list(p) for p in self.positions_m],
            "normals": [list(n) for n in self.normals],
            "area_m2": self.area_m2,
            "wipers": list(self.wipers),
            "min_pressure_pa": self.min_pressure_pa,
        }

    def to_dict(self) -> dict[str, Any]:
        """Return the dust as JSON values."""
        return {**self.physics_dict(), "radius_m": self.radius_m, "appearance": dict(self.appearance)}

    @staticmethod
    def from_dict(data: Mapping[str, Any], where: str = "dust") -> DustSpec:
        """Read what `to_dict` wrote; SceneSpecError names the bad field."""
        reader = Reader(data, where)
        spec = DustSpec(
            surface=reader.take("surface", text),
            positions_m=reader.take("positions_m", _many(vector3)),
            normals=reader.take("normals", _many(vector3)),
            area_m2=reader.take("area_m2", positive),
            wipers=reader.take("wipers", texts),
            min_pressure_pa=reader.take("min_pressure_pa", number),
            radius_m=reader.take("radius_m", positive),
            appearance=reader.take("appearance", values, {}),
        )
        reader.finish()
        return spec


def _many(read: Callable[[Any, str], Any]) -> Callable[[Any, str], tuple[Any, ...]]:
    def read_all(value: Any, where: str) -> tuple[Any, ...]:
        return tuple(read(item, where) for item in items_of(value, where))

    return read_all
