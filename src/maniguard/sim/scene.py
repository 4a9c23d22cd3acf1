"""The description of a simulated scene as plain values: what stands where, how heavy, how rough, how it looks.

World frame: origin at the base of the robot, which stands on the table; x points from it over the table, z up. The
table top is the plane z = 0, the floor lies at z = -height of the table.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, get_args

from maniguard.errors import alternatives
from maniguard.sim.articulation import JointSpec
from maniguard.sim.fields import (
    Reader,
    SceneSpecError,
    Value,
    numbers,
    pose,
    pose_dict,
    positive,
    rounded,
    rounded_pose,
    rounded_values,
    rounded_vector,
    text,
    texts,
    values,
    vector3,
)
from maniguard.sim.particles import DustSpec, LiquidSpec
from maniguard.sim.surroundings import RoomSpec, TableSpec
from maniguard.trace.scene import Pose, Region, Vector3

GraspKind = Literal["top", "side", "rim", "handle"]
HOME_QPOS_RAD = (0.0, -0.785398, 0.0, -2.356194, 0.0, 1.570796, 0.785398)
RESERVED_NAMES = ("table", "floor", "panda")


@dataclass(frozen=True)
class AssetSpec:
    """Which parametric asset: `kind` names its maker, `params` its measures (SI units) and named choices."""

    kind: str
    params: Mapping[str, Value] = field(default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "params", rounded_values(self.params))


@dataclass(frozen=True)
class Grasp:
    """A stored grasp: pose of the tcp in the object's frame, pad distance before closing, width of the feature held.

    The tcp frame has z along the approach (out of the hand) and y along the closing direction; its origin lies between
    the pads.
    """

    name: str
    object_T_tcp: Pose
    opening_m: float
    width_m: float
    kind: GraspKind

    def __post_init__(self) -> None:
        if self.kind not in get_args(GraspKind):
            raise SceneSpecError(
                f"grasp {self.name!r}: kind {self.kind!r} is not one of {alternatives(get_args(GraspKind))}"
            )
        object.__setattr__(self, "object_T_tcp", rounded_pose(self.object_T_tcp))
        object.__setattr__(self, "opening_m", rounded(self.opening_m))
        object.__setattr__(self, "width_m", rounded(self.width_m))

    def to_dict(self) -> dict[str, Any]:
        """Return the grasp as JSON values."""
        return {
            "name": self.name,
            "object_T_tcp": pose_dict(self.object_T_tcp),
            "opening_m": self.opening_m,
            "width_m": self.width_m,
            "kind": self.kind,
        }

    @staticmethod
    def from_dict(data: Mapping[str, Any], where: str = "grasp") -> Grasp:
        """Read what `to_dict` wrote; SceneSpecError names the bad field."""
        reader = Reader(data, where)
        grasp = Grasp(
            name=reader.take("name", text),
            object_T_tcp=reader.take("object_T_tcp", pose),
            opening_m=reader.take("opening_m", positive),
            width_m=reader.take("width_m", positive),
            kind=reader.take("kind", text),  # type: ignore[arg-type]
        )
        reader.finish()
        return grasp


@dataclass(frozen=True)
class ObjectSpec:
    """One object: its asset, mass, friction (sliding, torsional m, rolling m), start pose, meaning and looks.

    `role` is what the task makes of it, `properties` its semantic properties. `appearance` changes pixels
    and nothing else. `joints` are those of an articulated asset, all of them.
    """

    name: str
    category: str
    role: str
    asset: AssetSpec
    mass_kg: float
    friction: Vector3
    world_T_object: Pose
    properties: tuple[str, ...] = ()
    appearance: Mapping[str, Value] = field(default_factory=dict)
    grasps: tuple[Grasp, ...] = ()
    joints: tuple[JointSpec, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "mass_kg", rounded(self.mass_kg))
        object.__setattr__(self, "friction", rounded_vector(self.friction))
        object.__setattr__(self, "world_T_object", rounded_pose(self.world_T_object))
        object.__setattr__(self, "appearance", rounded_values(self.appearance))
        if not self.mass_kg > 0:
            raise SceneSpecError(f"object {self.name!r}: mass_kg must be positive, got {self.mass_kg}")
        if min(self.friction) < 0:
            raise SceneSpecError(f"object {self.name!r}: friction must not be negative, got {self.friction}")
        names = [joint.name for joint in self.joints]
        if len(set(names)) < len(names):
            raise SceneSpecError(f"object {self.name!r}: two joints have the same name, among {alternatives(names)}")

    def grasp(self, name: str) -> Grasp:
        """Return the stored grasp called `name`; SceneSpecError lists the valid names."""
        for grasp in self.grasps:
            if grasp.name == name:
                return grasp
        raise SceneSpecError(
            f"object {self.name!r} has no grasp {name!r}; it has {alternatives(g.name for g in self.grasps)}"
        )

    def physics_dict(self) -> dict[str, Any]:
        """Return what moves the object, as JSON values: shape, mass, friction, start pose, joints where it has any."""
        joints = {"joints": [joint.to_dict() for joint in self.joints]} if self.joints else {}
        return {
            "name": self.name,
            "asset": {"kind": self.asset.kind, "params": dict(self.asset.params)},
            "mass_kg": self.mass_kg,
            "friction": list(self.friction),
            "world_T_object": pose_dict(self.world_T_object),
            **joints,
        }

    def to_dict(self) -> dict[str, Any]:
        """Return the object as JSON values."""
        return {
            **self.physics_dict(),
            "category": self.category,
            "role": self.role,
            "properties": list(self.properties),
            "appearance": dict(self.appearance),
            "grasps": [grasp.to_dict() for grasp in self.grasps],
        }

    @staticmethod
    def from_dict(data: Mapping[str, Any], where: str = "object") -> ObjectSpec:
        """Read what `to_dict` wrote; SceneSpecError names the object and the bad field."""
        reader = Reader(data, where)
        name = reader.take("name", text)
        reader.where = f"object {name!r}"
        spec = ObjectSpec(
            name=name,
            category=reader.take("category", text),
            role=reader.take("role", text),
            asset=reader.take("asset", _asset),
            mass_kg=reader.take("mass_kg", positive),
            friction=reader.take("friction", vector3),
            world_T_object=reader.take("world_T_object", pose),
            properties=reader.take("properties", texts, ()),
            appearance=reader.take("appearance", values, {}),
            grasps=reader.take_list("grasps", Grasp.from_dict),
            joints=reader.take_list("joints", JointSpec.from_dict, ()),
        )
        reader.finish()
        return spec


@dataclass(frozen=True)
class SceneSpec:
    """A locked scene: everything that a world is built from. Numbers are rounded to 1e-6 when it is made.

    `goal` is a sphere in the world frame or None; `robot_qpos_rad` (7,) the start of the arm. `liquids` and `dust` are
    in what they lie in or on.
    """

    objects: tuple[ObjectSpec, ...]
    goal: Region | None = None
    robot_qpos_rad: tuple[float, ...] = HOME_QPOS_RAD
    table: TableSpec = field(default_factory=TableSpec)
    room: RoomSpec = field(default_factory=RoomSpec)
    liquids: tuple[LiquidSpec, ...] = ()
    dust: tuple[DustSpec, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "robot_qpos_rad", rounded_vector(self.robot_qpos_rad))
        if len(self.robot_qpos_rad) != 7:
            raise SceneSpecError(f"scene: robot_qpos_rad needs 7 joint angles, got {len(self.robot_qpos_rad)}")
        if self.goal is not None:
            if self.goal.shape != "sphere":
                raise SceneSpecError(f"scene: goal must be a sphere, got {self.goal.shape!r}")
            object.__setattr__(
                self,
                "goal",
                replace(self.goal, size_m=rounded_vector(self.goal.size_m), pose=rounded_pose(self.goal.pose)),
            )
        seen = set(RESERVED_NAMES)
        for spec in self.objects:
            if not spec.name or spec.name in seen or "/" in spec.name:
                raise SceneSpecError(
                    f"scene: object name {spec.name!r} is empty, holds '/', or is taken; taken are {alternatives(seen)}"
                )
            seen.add(spec.name)
        containers = [liquid.container for liquid in self.liquids]
        if len(set(containers)) < len(containers):
            raise SceneSpecError(f"scene: two liquids in one container, among {alternatives(containers)}")
        surfaces = [dust.surface for dust in self.dust]
        if len(set(surfaces)) < len(surfaces):
            raise SceneSpecError(f"scene: dust twice on one surface, among {alternatives(surfaces)}")
        for name in (*containers, *surfaces, *(wiper for dust in self.dust for wiper in dust.wipers)):
            self.object(name)

    def object(self, name: str) -> ObjectSpec:
        """Return the object called `name`; SceneSpecError lists the valid names."""
        for spec in self.objects:
            if spec.name == name:
                return spec
        raise SceneSpecError(f"the scene has no object {name!r}; it has {alternatives(o.name for o in self.objects)}")

    def physics_dict(self) -> dict[str, Any]:
        """Return what decides motion, as JSON values; scenes with equal ones move equally, whatever they look like."""
        return {
            "objects": [spec.physics_dict() for spec in self.objects],
            "robot_qpos_rad": list(self.robot_qpos_rad),
            "table": self.table.physics_dict(),
            **self._particles([p.physics_dict() for p in self.liquids], [p.physics_dict() for p in self.dust]),
        }

    @staticmethod
    def _particles(liquids: list[dict[str, Any]], dust: list[dict[str, Any]]) -> dict[str, Any]:
        """Return the entries for liquids and dust; scenes without any have none, and so the hashes they always had."""
        return {name: entry for name, entry in (("liquids", liquids), ("dust", dust)) if entry}

    def to_dict(self) -> dict[str, Any]:
        """Return the scene as JSON values; `from_dict` gives an equal scene back."""
        goal = None
        if self.goal is not None:
            goal = {"center_m": list(self.goal.pose.position_m), "radius_m": self.goal.size_m[0]}
        return {
            "objects": [spec.to_dict() for spec in self.objects],
            "goal": goal,
            "robot_qpos_rad": list(self.robot_qpos_rad),
            "table": self.table.to_dict(),
            "room": self.room.to_dict(),
            **self._particles([p.to_dict() for p in self.liquids], [p.to_dict() for p in self.dust]),
        }

    @staticmethod
    def from_dict(data: Mapping[str, Any], where: str = "scene") -> SceneSpec:
        """Read what `to_dict` wrote; SceneSpecError names the object and the missing, unknown or wrong field."""
        reader = Reader(data, where)
        spec = SceneSpec(
            objects=reader.take_list("objects", ObjectSpec.from_dict),
            goal=reader.take("goal", _goal, None),
            robot_qpos_rad=reader.take("robot_qpos_rad", numbers(7)),
            table=reader.take("table", TableSpec.from_dict),
            room=reader.take("room", RoomSpec.from_dict),
            liquids=reader.take_list("liquids", LiquidSpec.from_dict, ()),
            dust=reader.take_list("dust", DustSpec.from_dict, ()),
        )
        reader.finish()
        return spec


def goal_sphere(center_m: Sequence[float], radius_m: float) -> Region:
    """Return a goal region: a sphere in the world frame."""
    x, y, z = (float(v) for v in center_m)
    return Region("sphere", (float(radius_m), float(radius_m), float(radius_m)), Pose((x, y, z)))


def _asset(value: Any, where: str) -> AssetSpec:
    reader = Reader(value, where)
    asset = AssetSpec(reader.take("kind", text), reader.take("params", values, {}))
    reader.finish()
    return asset


def _goal(value: Any, where: str) -> Region | None:
    if value is None:
        return None
    reader = Reader(value, where)
    goal = goal_sphere(reader.take("center_m", vector3), reader.take("radius_m", positive))
    reader.finish()
    return goal
