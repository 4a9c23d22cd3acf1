"""Joints of an articulated object as plain values: a lid that hinges, a drawer that slides."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, get_args

from maniguard.errors import alternatives
from maniguard.sim.fields import (
    Reader,
    SceneSpecError,
    number,
    positive,
    rounded,
    rounded_vector,
    text,
    texts,
    vector3,
)
from maniguard.trace.scene import JointKind, Vector3

JOINT_KINDS: tuple[str, ...] = get_args(JointKind)


@dataclass(frozen=True)
class JointSpec:
    """One hinge (rad, Nm) or slide (m, N) between an object's body and its part `part`.

    `axis` and the point `anchor_m` on it are in the object's frame, in which all parts are described with their joints
    at 0. The range is `lower` to `upper`; by convention `lower` is closed. `friction` is the force or torque below
    which the joint does not move, `damping` in N s/m or Nm s/rad. `mass_kg` is what moves with it, which is a share of
    the object's mass; parts in `carries` (a handle) move along. `start` is the position at the start.
    """

    name: str
    kind: JointKind
    part: str
    axis: Vector3
    anchor_m: Vector3
    lower: float
    upper: float
    mass_kg: float
    friction: float = 0.0
    damping: float = 0.0
    start: float = 0.0
    carries: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.kind not in JOINT_KINDS:
            raise SceneSpecError(f"joint {self.name!r}: kind {self.kind!r} is not one of {alternatives(JOINT_KINDS)}")
        for name in ("lower", "upper", "mass_kg", "friction", "damping", "start"):
            object.__setattr__(self, name, rounded(getattr(self, name)))
        object.__setattr__(self, "axis", rounded_vector(self.axis))
        object.__setattr__(self, "anchor_m", rounded_vector(self.anchor_m))
        if abs(math.hypot(*self.axis) - 1.0) > 1e-4:
            raise SceneSpecError(f"joint {self.name!r}: axis must have unit length, got {list(self.axis)}")
        if not self.lower < self.upper:
            raise SceneSpecError(f"joint {self.name!r}: lower {self.lower} must be less than upper {self.upper}")
        if not self.lower <= self.start <= self.upper:
            raise SceneSpecError(
                f"joint {self.name!r}: start {self.start} is outside its range {self.lower} to {self.upper}"
            )
        if self.mass_kg <= 0 or self.friction < 0 or self.damping < 0:
            raise SceneSpecError(
                f"joint {self.name!r}: mass_kg must be positive, friction and damping not negative; "
                f"got {self.mass_kg}, {self.friction}, {self.damping}"
            )
        if self.part == "body" or "body" in self.carries:
            raise SceneSpecError(f"joint {self.name!r} moves 'body', which is what its parts move against")

    @property
    def parts(self) -> tuple[str, ...]:
        """The parts that move with the joint."""
        return (self.part, *self.carries)

    def to_dict(self) -> dict[str, Any]:
        """Return the joint as JSON values."""
        return {
            "name": self.name,
            "kind": self.kind,
            "part": self.part,
            "axis": list(self.axis),
            "anchor_m": list(self.anchor_m),
            "lower": self.lower,
            "upper": self.upper,
            "mass_kg": self.mass_kg,
            "friction": self.friction,
            "damping": self.damping,
            "start": self.start,
            "carries": list(self.carries),
        }

    @staticmethod
    def from_dict(data: Mapping[str, Any], where: str = "joint") -> JointSpec:
        """Read what `to_dict` wrote; SceneSpecError names the joint and the bad field."""
        reader = Reader(data, where)
        name = reader.take("name", text)
        reader.where = f"{where}: joint {name!r}"
        spec = JointSpec(
            name=name,
            kind=reader.take("kind", text),  # type: ignore[arg-type]
            part=reader.take("part", text),
            axis=reader.take("axis", vector3),
            anchor_m=reader.take("anchor_m", vector3),
            lower=reader.take("lower", number),
            upper=reader.take("upper", number),
            mass_kg=reader.take("mass_kg", positive),
            friction=reader.take("friction", number, 0.0),
            damping=reader.take("damping", number, 0.0),
            start=reader.take("start", number, 0.0),
            carries=reader.take("carries", texts, ()),
        )
        reader.finish()
        return spec
