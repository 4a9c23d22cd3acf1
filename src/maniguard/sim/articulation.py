"""Joints of an articulated object as plain values: a lid that hinges, a drawer that slides."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, get_args

from maniguard.errors import alternatives
from maniguard.sim.fields import Reader, SceneSpecError, number, rounded, text
from maniguard.trace.scene import JointKind

JOINT_KINDS: tuple[str, ...] = get_args(JointKind)


@dataclass(frozen=True)
class JointSpec:
    """One hinge (rad, Nm) or slide (m, N) of an object; where it sits and what it moves is the asset's.

    The range is `lower` to `upper`; by convention `lower` is closed. `start` is the position at the start, `friction`
    the force or torque below which the joint does not move, `damping` in N s/m or Nm s/rad.
    """

    name: str
    kind: JointKind
    lower: float
    upper: float
    start: float = 0.0
    friction: float = 0.0
    damping: float = 0.0

    def __post_init__(self) -> None:
        if self.kind not in JOINT_KINDS:
            raise SceneSpecError(f"joint {self.name!r}: kind {self.kind!r} is not one of {alternatives(JOINT_KINDS)}")
        for name in ("lower", "upper", "start", "friction", "damping"):
            object.__setattr__(self, name, rounded(getattr(self, name)))
        if not self.lower < self.upper:
            raise SceneSpecError(f"joint {self.name!r}: lower {self.lower} must be less than upper {self.upper}")
        if not self.lower <= self.start <= self.upper:
            raise SceneSpecError(
                f"joint {self.name!r}: start {self.start} is outside its range {self.lower} to {self.upper}"
            )
        if min(self.friction, self.damping) < 0:
            raise SceneSpecError(
                f"joint {self.name!r}: friction and damping must not be negative, got {self.friction}, {self.damping}"
            )

    def to_dict(self) -> dict[str, Any]:
        """Return the joint as JSON values."""
        return {
            "name": self.name,
            "kind": self.kind,
            "lower": self.lower,
            "upper": self.upper,
            "start": self.start,
            "friction": self.friction,
            "damping": self.damping,
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
            lower=reader.take("lower", number),
            upper=reader.take("upper", number),
            start=reader.take("start", number, 0.0),
            friction=reader.take("friction", number, 0.0),
            damping=reader.take("damping", number, 0.0),
        )
        reader.finish()
        return spec
