"""A mapping: what the names of a recording mean."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from typing import Literal

from maniguard.trace import Box, Pose, Region
from maniguard.trace.scene import EntityKind, Quaternion, Vector3


@dataclass(frozen=True)
class ColumnRef:
    """Where numbers are: one column (or a slice of it), or several columns side by side; `scale` turns them into SI."""

    names: tuple[str, ...]
    span: tuple[int, int] | None
    scale: float
    where: str


@dataclass(frozen=True)
class PoseRef:
    """Where a pose is: columns, or one that never changes. An orientation that is not recorded is the identity."""

    position: ColumnRef | None
    orientation: ColumnRef | None
    order: Literal["wxyz", "xyzw"]
    fixed: Pose | None
    where: str


@dataclass(frozen=True)
class Shape:
    """One convex piece: `size_m` are a box's half sizes, a cylinder's radius and half height, or a sphere's radius."""

    kind: Literal["box", "cylinder", "sphere", "hull"]
    size_m: tuple[float, ...]
    center_m: Vector3
    quat_wxyz: Quaternion
    vertices_m: tuple[Vector3, ...] = ()


@dataclass(frozen=True)
class JointRef:
    """The one degree of freedom of an articulated entity in a log: where its position is, and its limits, in SI."""

    name: str
    kind: Literal["hinge", "slide"]
    lower: float
    upper: float
    position: ColumnRef


@dataclass(frozen=True)
class EntityMap:
    """What a mapping says of one entity; None where it leaves that to the recording."""

    name: str
    where: str
    kind: EntityKind | None = None
    category: str | None = None
    role: str | None = None
    properties: tuple[str, ...] | None = None
    mass_kg: float | None = None
    rest_axis: Vector3 | None = None
    movable: bool | None = None
    shapes: tuple[Shape, ...] = ()
    pose: PoseRef | None = None
    joint: JointRef | None = None
    interior: Box | str | None = None

    @property
    def is_pattern(self) -> bool:
        """Whether the name is a pattern, which may fit several entities or none."""
        return any(sign in self.name for sign in "*?[")


@dataclass(frozen=True)
class GripperRef:
    """Where the distance between the pads is: the sum of the columns, so that two finger joints may be given."""

    opening: ColumnRef


@dataclass(frozen=True)
class RobotMap:
    """What a mapping says of the robot. `bodies` and `fingers` are body names of a model; the rest is for logs.

    `hand` are the pieces of the hand and `finger` the piece of each finger, in the frame of the tool centre point (z
    out of the hand, y along the closing direction); the left finger stands at half the opening along +y.
    """

    name: str
    where: str
    bodies: tuple[str, ...] = ()
    fingers: tuple[str, str] | None = None
    tcp_site: str | None = None
    joints: ColumnRef | None = None
    gripper: GripperRef | None = None
    tcp: PoseRef | None = None
    hand: tuple[Shape, ...] = ()
    finger: tuple[Shape, ...] = ()
    base: Pose = field(default_factory=Pose)


@dataclass(frozen=True)
class ContactRef:
    """A sensor that feels how hard two things press on each other: (entity, part) twice, and the force."""

    a: tuple[str, str]
    b: tuple[str, str]
    force: ColumnRef
    where: str


@dataclass(frozen=True)
class SuccessRef:
    """The recording's own word on success: a column (success from its first non-zero sample on), or a constant."""

    column: ColumnRef | None
    constant: bool | None


@dataclass(frozen=True)
class Mapping:
    """A mapping file as read. `digest` is over its bytes; the empty mapping has the digest of nothing."""

    path: str = "(no mapping)"
    digest: str = hashlib.sha256(b"").hexdigest()
    dataset: str | None = None
    ontology: str | None = None
    instruction: str | None = None
    rate_hz: float | None = None
    time: ColumnRef | None = None
    success: SuccessRef | None = None
    robot: RobotMap | None = None
    entities: tuple[EntityMap, ...] = ()
    ignore: tuple[str, ...] = ()
    goal: Region | None = None
    contact_max_m: float | None = None
    contact_force_n: float | None = None
    contacts: tuple[ContactRef, ...] = ()
    wrench: ColumnRef | None = None
