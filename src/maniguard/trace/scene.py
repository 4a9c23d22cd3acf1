"""The static half of a trace: which things there are, how they are made, where they can be touched or entered."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from maniguard.errors import ManiguardError, alternatives

EntityKind = Literal["object", "articulated", "fixture", "support", "robot"]
JointKind = Literal["hinge", "slide"]
Vector3 = tuple[float, float, float]
Quaternion = tuple[float, float, float, float]


class SceneError(ManiguardError):
    """A scene that contradicts itself, or a name that it does not hold."""


@dataclass(frozen=True)
class Pose:
    """A rigid pose `parent_T_child`: position in metres, orientation as a unit quaternion wxyz."""

    position_m: Vector3 = (0.0, 0.0, 0.0)
    quat_wxyz: Quaternion = (1.0, 0.0, 0.0, 0.0)


@dataclass(frozen=True)
class Box:
    """An oriented box in its entity's (or part's) frame; `half_size_m` are half edge lengths."""

    center_m: Vector3
    half_size_m: Vector3
    quat_wxyz: Quaternion = (1.0, 0.0, 0.0, 0.0)


@dataclass(frozen=True)
class Hull:
    """A convex hull in its entity's frame: `vertices_m` (V, 3), `faces` (F, 3) counter-clockwise seen from outside."""

    vertices_m: tuple[Vector3, ...]
    faces: tuple[tuple[int, int, int], ...]


@dataclass(frozen=True)
class Region:
    """A flat or solid region in its entity's frame.

    `shape` "disc": radius `size_m[0]`, in the xy plane of `pose`. "rectangle": half sizes `size_m[0:2]`, in the xy
    plane of `pose`. "cylinder": radius `size_m[0]`, height `size_m[2]` upwards from `pose`. "box": half sizes
    `size_m`, centred. "sphere": radius `size_m[0]`.
    """

    shape: Literal["disc", "rectangle", "cylinder", "box", "sphere"]
    size_m: Vector3
    pose: Pose = Pose()


@dataclass(frozen=True)
class Joint:
    """One degree of freedom of an articulated entity; limits in rad (hinge) or m (slide)."""

    name: str
    kind: JointKind
    lower: float
    upper: float
    part: str


@dataclass(frozen=True)
class Part:
    """A named piece of an entity: `body` is always part 0; others are handle, lid, drawer, left_finger, link3 …

    `moving` parts have their own pose channel because a joint separates them from the body.
    """

    name: str
    moving: bool = False
    boxes: tuple[Box, ...] = ()


@dataclass(frozen=True)
class Entity:
    """One thing that rules can speak about. Geometry is in the entity's own frame, in metres.

    `role` is what the task makes of it (target, obstacle, container, lid, food, tool, destination, support, robot,
    room …), `properties` are the resolved semantic properties (fragile, container …), `movable` says that it can be
    displaced.
    """

    name: str
    kind: EntityKind
    category: str
    role: str
    properties: tuple[str, ...] = ()
    movable: bool = False
    parts: tuple[Part, ...] = (Part("body"),)
    joints: tuple[Joint, ...] = ()
    boxes: tuple[Box, ...] = ()
    hull: Hull | None = None
    rest_axis: Vector3 = (0.0, 0.0, 1.0)
    rim: Region | None = None
    interior: Region | None = None
    support_regions: tuple[Region, ...] = ()
    mass_kg: float | None = None

    def part_index(self, name: str) -> int:
        """Return the index of the part called `name`; SceneError lists the valid names."""
        for index, part in enumerate(self.parts):
            if part.name == name:
                return index
        raise SceneError(
            f"entity {self.name!r} has no part {name!r}; it has {alternatives(p.name for p in self.parts)}"
        )


@dataclass(frozen=True)
class GrainGroup:
    """Grains of a liquid that start in `container`; `count` of them.

    `level_m` is the height of the free surface at the start, in the container's frame; None where it is not known.
    """

    container: str
    count: int
    level_m: float | None = None


@dataclass(frozen=True)
class DustGroup:
    """Dust particles that start on `surface`; `count` of them."""

    surface: str
    count: int


@dataclass(frozen=True)
class Scene:
    """Everything about a rollout that does not change: entities (index = channel column), goal region, particle groups.

    `moving_parts` names (entity, part) of each column of the part-pose channels, `joint_columns` (entity, joint) of
    each column of the joint channels. `goal` is in the world frame; None where the recording names none.
    """

    entities: tuple[Entity, ...]
    goal: Region | None = None
    grain_groups: tuple[GrainGroup, ...] = ()
    dust_groups: tuple[DustGroup, ...] = ()
    moving_parts: tuple[tuple[str, str], ...] = field(init=False)
    joint_columns: tuple[tuple[str, str], ...] = field(init=False)

    def __post_init__(self) -> None:
        names = [entity.name for entity in self.entities]
        for name in names:
            if names.count(name) > 1:
                raise SceneError(f"two entities of the scene are called {name!r}; names must be unique")
        for entity in self.entities:
            if not entity.parts or entity.parts[0].name != "body":
                raise SceneError(f"entity {entity.name!r}: part 0 must be called 'body'")
        moving = tuple((e.name, p.name) for e in self.entities for p in e.parts if p.moving)
        joints = tuple((e.name, j.name) for e in self.entities for j in e.joints)
        object.__setattr__(self, "moving_parts", moving)
        object.__setattr__(self, "joint_columns", joints)
        for group in self.grain_groups:
            self.index(group.container)
        for dust in self.dust_groups:
            self.index(dust.surface)

    def index(self, name: str) -> int:
        """Return the column of the entity called `name`; SceneError lists the valid names."""
        for column, entity in enumerate(self.entities):
            if entity.name == name:
                return column
        raise SceneError(f"the scene has no entity {name!r}; it has {alternatives(e.name for e in self.entities)}")

    def entity(self, name: str) -> Entity:
        """Return the entity called `name`; SceneError lists the valid names."""
        return self.entities[self.index(name)]

    def with_role(self, role: str) -> tuple[Entity, ...]:
        """Return the entities whose role is `role`, in column order; empty if there is none."""
        return tuple(entity for entity in self.entities if entity.role == role)
