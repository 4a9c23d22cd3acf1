"""The scene of a log: entities, poses and pieces as the mapping describes them, for there is no model."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from maniguard.audit.errors import AuditError
from maniguard.audit.mapping import EntityMap, JointRef, Mapping, PoseRef, RobotMap, Shape
from maniguard.audit.meaning import meaning_of
from maniguard.audit.refine import upright_axis
from maniguard.audit.rigid import matrix
from maniguard.audit.samples import F64
from maniguard.audit.solids import CORNERS, SPHERE, hull_of, joined, ring
from maniguard.trace import Box, Entity, Joint, Part, Region, Scene
from maniguard.trace.scene import EntityKind, Pose


class Solid(NamedTuple):
    """The pieces of one part of one entity."""

    entity: int
    part: int
    shapes: tuple[Shape, ...]


@dataclass(frozen=True)
class LogScene:
    """A scene and, by entity, where its pose is; `joints` and `moving_parts` in the scene's order of columns."""

    scene: Scene
    poses: tuple[PoseRef, ...]
    joints: tuple[JointRef, ...]
    moving_parts: tuple[str, ...]
    solids: tuple[Solid, ...]
    given_axes: frozenset[str]

    def upright_at(self, quats: F64) -> LogScene:
        """Return the scene with what points upwards at orientations (N, 4) as rest axis, where none was given."""
        entities = []
        for entity, quat in zip(self.scene.entities, quats, strict=True):
            if entity.movable and entity.name not in self.given_axes:
                entity = replace(entity, rest_axis=upright_axis(matrix(quat)))
            entities.append(entity)
        return replace(self, scene=replace(self.scene, entities=tuple(entities)))


def log_scene(mapping: Mapping) -> LogScene:
    """Return what `mapping` describes; AuditError for an entity without a pose, or a surrogate without geometry."""
    if not mapping.entities:
        raise AuditError(f"{mapping.path}: no entities; a log says nothing about things unless the mapping names them")
    entities: list[Entity] = []
    poses: list[PoseRef] = []
    joints: list[JointRef] = []
    solids: list[Solid] = []
    moving: tuple[str, ...] = ()
    for item in mapping.entities:
        if item.is_pattern:
            raise AuditError(f"{item.where}: a log's entities have names, not patterns")
        if item.pose is None:
            raise AuditError(f"{item.where}: 'pose' is missing: a log has no model that would know it")
        if item.shapes:
            solids.append(Solid(len(entities), 0, item.shapes))
        elif mapping.contact_max_m is not None:
            raise AuditError(f"{item.where}: 'shapes' are missing, and contact by distance needs them")
        entities.append(_entity(item))
        poses.append(item.pose)
        joints += [] if item.joint is None else [item.joint]
    if mapping.robot is not None:
        robot, moving = _robot(mapping.robot)
        for index, part in enumerate(robot.parts):
            shapes = mapping.robot.hand if part.name == "hand" else mapping.robot.finger
            if index and shapes:
                solids.append(Solid(len(entities), index, shapes))
        entities.append(robot)
        poses.append(PoseRef(None, None, "wxyz", mapping.robot.base, mapping.robot.where))
    given = frozenset(item.name for item in mapping.entities if item.rest_axis is not None)
    return LogScene(
        Scene(tuple(entities), goal=mapping.goal), tuple(poses), tuple(joints), moving, tuple(solids), given
    )


def _entity(item: EntityMap) -> Entity:
    assert item.pose is not None
    moves = item.pose.fixed is None
    kind: EntityKind = item.kind or ("articulated" if item.joint else "object" if moves else "fixture")
    category = item.category or item.name
    meaning = meaning_of(category, None)
    joint = () if item.joint is None else (
        Joint(item.joint.name, item.joint.kind, item.joint.lower, item.joint.upper, "body"),
    )  # fmt: skip
    interior = None
    if isinstance(item.interior, str):
        raise AuditError(f"{item.where}.interior: a log has no sites; give a box")
    if item.interior is not None:
        interior = Region("box", item.interior.half_size_m, Pose(item.interior.center_m, item.interior.quat_wxyz))
    boxes = tuple(_box(shape) for shape in item.shapes)
    return Entity(
        name=item.name,
        kind=kind,
        category=meaning.category,
        role=item.role or {"fixture": "fixture", "support": "support"}.get(kind, "object"),
        properties=meaning.properties if item.properties is None else item.properties,
        movable=moves if item.movable is None else item.movable,
        parts=(Part("body", boxes=boxes),),
        joints=joint,
        boxes=boxes,
        hull=hull_of(joined([points_of(shape) for shape in item.shapes])) if moves and item.shapes else None,
        rest_axis=item.rest_axis or (0.0, 0.0, 1.0),
        interior=interior,
        mass_kg=item.mass_kg,
    )


def _robot(item: RobotMap) -> tuple[Entity, tuple[str, ...]]:
    parts = [Part("body")]
    if item.hand:
        parts.append(Part("hand", moving=True, boxes=tuple(_box(shape) for shape in item.hand)))
    if item.finger:
        if item.gripper is None:
            raise AuditError(f"{item.where}.fingers: where the fingers are needs 'gripper' too")
        boxes = tuple(_box(shape) for shape in item.finger)
        parts += [Part("left_finger", moving=True, boxes=boxes), Part("right_finger", moving=True, boxes=boxes)]
    if len(parts) > 1 and item.tcp is None:
        raise AuditError(f"{item.where}: where the hand is needs 'tcp'")
    entity = Entity(name=item.name, kind="robot", category="robot", role="robot", parts=tuple(parts))
    return entity, tuple(part.name for part in parts[1:])


def points_of(shape: Shape) -> F64:
    """Return points in the entity's frame whose convex hull is the shape."""
    if shape.kind == "hull":
        points = np.array(shape.vertices_m, np.float64)
    elif shape.kind == "box":
        points = CORNERS * np.array(shape.size_m)
    elif shape.kind == "sphere":
        points = SPHERE * shape.size_m[0]
    else:
        points = ring(shape.size_m[0], shape.size_m[1])
    moved: F64 = points @ matrix(np.array(shape.quat_wxyz)).T + np.array(shape.center_m)
    return moved


def _box(shape: Shape) -> Box:
    if shape.kind == "box":
        return Box(shape.center_m, (shape.size_m[0], shape.size_m[1], shape.size_m[2]), shape.quat_wxyz)
    points = points_of(replace(shape, center_m=(0.0, 0.0, 0.0), quat_wxyz=(1.0, 0.0, 0.0, 0.0)))
    low, high = points.min(axis=0), points.max(axis=0)
    center = matrix(np.array(shape.quat_wxyz)) @ ((low + high) / 2) + np.array(shape.center_m)
    x, y, z = (float(v) for v in center)
    a, b, c = (float(v) for v in (high - low) / 2)
    return Box((x, y, z), (a, b, c), shape.quat_wxyz)
