"""The asset: one household object as matter, looks and meaning, built from a parametric description."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maniguard.errors import ManiguardError, alternatives
from maniguard.sim.assets.materials import AppearanceError, Material
from maniguard.sim.assets.mesh import VisualMesh
from maniguard.sim.assets.pieces import Piece
from maniguard.sim.scene import Grasp
from maniguard.trace.scene import Box, Hull, Joint, JointKind, Part, Region, Vector3

Value = float | str


class AssetError(ManiguardError):
    """An asset description with an unknown kind or parameter, or numbers that no object can have."""


@dataclass(frozen=True)
class PartJoint:
    """How a moving part hangs on the body: one degree of freedom.

    Geometry is stated with every joint at zero, in the object's frame, which is then also the frame of the part.
    `axis` is a unit vector and `anchor_m` a point on the axis of a hinge. `lower`, `upper` and `start` (its place when
    an episode begins) are in rad or m; `damping` in N m s/rad or N s/m, `frictionloss` in N m or N.
    """

    name: str
    kind: JointKind
    part: str
    axis: Vector3
    lower: float
    upper: float
    start: float = 0.0
    anchor_m: Vector3 = (0.0, 0.0, 0.0)
    damping: float = 0.0
    frictionloss: float = 0.0

    @property
    def trace(self) -> Joint:
        """What a trace records of it."""
        return Joint(self.name, self.kind, self.lower, self.upper, self.part)


@dataclass(frozen=True, eq=False)
class RigidPart:
    """The matter of one rigid part: centre of mass and inertia (3, 3) about it, in the object's frame at joint zero."""

    part: str
    mass_kg: float
    center_of_mass_m: Vector3
    inertia: NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Asset:
    """One object, in its own frame: origin at the centre of its base, z up at rest; metres, kilograms.

    `visuals` are seen and never touched, `pieces` are convex and touched and never seen. `inertia` (3, 3) is about
    `center_of_mass_m`. `rim` is the opening's edge, `interior` the room inside, `support_regions` the upper faces
    that can carry something. `materials` maps the slots of the visuals. `grasps` come best first; turning a top or
    side grasp by 180° about its approach gives an equal one. An asset without grasps cannot be carried.

    An articulated asset has `joints`, one for each moving part, and `rigid_parts`: the body's matter, then that of the
    parts in the order of the joints. `interior_part` is the part that `interior` moves with. An `anchored` asset stands
    where it is put and cannot be displaced. `plug` is the cylinder of a lid that goes into a mouth.
    """

    kind: str
    visuals: tuple[VisualMesh, ...]
    materials: Mapping[str, Material]
    pieces: tuple[Piece, ...]
    hull: Hull
    boxes: tuple[Box, ...]
    parts: tuple[Part, ...]
    rim: Region | None
    interior: Region | None
    support_regions: tuple[Region, ...]
    mass_kg: float
    friction: Vector3
    center_of_mass_m: Vector3
    inertia: NDArray[np.float64]
    grasps: tuple[Grasp, ...] = ()
    rest_axis: Vector3 = (0.0, 0.0, 1.0)
    joints: tuple[PartJoint, ...] = ()
    rigid_parts: tuple[RigidPart, ...] = ()
    interior_part: str = "body"
    anchored: bool = False
    plug: Region | None = None

    @property
    def size_m(self) -> Vector3:
        """Edge lengths of the axis-aligned box around the hull."""
        x, y, z = np.ptp(np.asarray(self.hull.vertices_m), axis=0)
        return float(x), float(y), float(z)

    @property
    def height_m(self) -> float:
        """Height above the base at rest."""
        return max(vertex[2] for vertex in self.hull.vertices_m)

    @property
    def carriable(self) -> bool:
        """Whether a stored grasp exists."""
        return bool(self.grasps)

    def geometry_digest(self) -> str:
        """Return the sha256 of all that physics and judgement know of the asset; looks and grasps are not in it."""
        matter: dict[str, Any] = {
            "pieces": [[p.shape, p.size_m, p.center_m, p.quat_wxyz, p.vertices_m, p.part] for p in self.pieces],
            "hull": [self.hull.vertices_m, self.hull.faces],
            "rim": _region(self.rim),
            "interior": _region(self.interior),
            "support": [_region(r) for r in self.support_regions],
            "rest_axis": self.rest_axis,
            "mass_kg": self.mass_kg,
            "friction": self.friction,
            "center_of_mass_m": self.center_of_mass_m,
            "inertia": [[float(f"{v:.6e}") for v in row] for row in self.inertia],
        }
        if self.joints:
            matter["joints"] = [[j.name, j.kind, j.part, j.axis, j.lower, j.upper, j.start] for j in self.joints]
            matter["hinges"] = [[j.anchor_m, j.damping, j.frictionloss] for j in self.joints]
            matter["parts"] = [[r.part, float(f"{r.mass_kg:.6e}"), r.center_of_mass_m] for r in self.rigid_parts]
        if self.plug is not None:
            matter["plug"] = _region(self.plug)
        return hashlib.sha256(json.dumps(matter, separators=(",", ":")).encode()).hexdigest()


@dataclass(frozen=True, eq=False)
class Blueprint:
    """What the maker of a kind returns: geometry and meaning, before mass and looks are settled.

    `matter` lists (volume in m³, substance) of all that the object consists of, contents included. `part_matter` says
    how much of it each moving part has; the rest is the body's.
    """

    visuals: tuple[VisualMesh, ...]
    pieces: tuple[Piece, ...]
    matter: tuple[tuple[float, str], ...]
    rim: Region | None = None
    interior: Region | None = None
    support_regions: tuple[Region, ...] = ()
    grasps: tuple[Grasp, ...] = ()
    joints: tuple[PartJoint, ...] = ()
    part_matter: Mapping[str, tuple[tuple[float, str], ...]] = field(default_factory=dict)
    interior_part: str = "body"
    anchored: bool = False
    plug: Region | None = None


@dataclass(frozen=True)
class Kind:
    """A parametric family: its measures with defaults, its looks with defaults, and the two functions that use them."""

    name: str
    defaults: Mapping[str, Value]
    looks: Mapping[str, Value]
    make: Callable[[Params], Blueprint]
    paint: Callable[[Looks, Params], dict[str, Material]]


@dataclass(frozen=True)
class Params:
    """The measures of one asset over the defaults of its kind; unknown names and impossible values are errors."""

    kind: str
    given: Mapping[str, Value]
    defaults: Mapping[str, Value] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name, value in self.given.items():
            if name not in self.defaults:
                raise AssetError(
                    f"asset kind {self.kind!r} has no parameter {name!r}; it has {alternatives(self.defaults)}"
                )
            if isinstance(value, str) != isinstance(self.defaults[name], str):
                wanted = "a string" if isinstance(self.defaults[name], str) else "a number"
                raise AssetError(f"asset kind {self.kind!r}: parameter {name!r} must be {wanted}, got {value!r}")
            if not isinstance(value, str) and not (np.isfinite(value) and 0.0 <= value <= 1000.0):
                raise AssetError(f"asset kind {self.kind!r}: parameter {name!r} must be 0 or more, got {value!r}")

    def number(self, name: str) -> float:
        """Return a numeric parameter."""
        return float(self.given.get(name, self.defaults[name]))

    def positive(self, name: str) -> float:
        """Return a numeric parameter that must not be zero."""
        value = self.number(name)
        if value <= 0.0:
            raise AssetError(f"asset kind {self.kind!r}: parameter {name!r} must be positive, got {value!r}")
        return value

    def text(self, name: str) -> str:
        """Return a named choice."""
        return str(self.given.get(name, self.defaults[name]))

    def choice(self, name: str, valid: tuple[str, ...]) -> str:
        """Return a named choice out of `valid`."""
        value = self.text(name)
        if value not in valid:
            raise AssetError(
                f"asset kind {self.kind!r}: parameter {name!r} is {value!r}; valid are {alternatives(valid)}"
            )
        return value


@dataclass(frozen=True)
class Looks:
    """The appearance of one asset over the defaults of its kind; unknown names are errors."""

    kind: str
    given: Mapping[str, Value]
    defaults: Mapping[str, Value]

    def __post_init__(self) -> None:
        for name in self.given:
            if name not in self.defaults:
                raise AppearanceError(
                    f"asset kind {self.kind!r} has no appearance key {name!r}; it has {alternatives(self.defaults)}"
                )

    def text(self, name: str) -> str:
        """Return a named choice or a colour."""
        return str(self.given.get(name, self.defaults[name]))

    def seed(self) -> int:
        """Return the seed of the pattern."""
        return int(float(self.given.get("seed", self.defaults.get("seed", 0.0))))


def _region(region: Region | None) -> Any:
    return None if region is None else [region.shape, region.size_m, region.pose.position_m, region.pose.quat_wxyz]
