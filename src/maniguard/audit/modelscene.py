"""What is what in somebody else's model: entities with their parts, joints and shapes, refined by a mapping."""

from __future__ import annotations

from collections.abc import Mapping as Map
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase

import mujoco
import numpy as np
from numpy.typing import NDArray

from maniguard.audit.bodies import FREE, HINGE, SLIDE, Bodies, Group, without
from maniguard.audit.errors import AuditError
from maniguard.audit.interiors import marked_interior, region_at, region_name, room_within
from maniguard.audit.mapping import EntityMap, Mapping
from maniguard.audit.meaning import Meaning, meaning_of
from maniguard.audit.refine import check_names, refined, upright_axis
from maniguard.audit.solids import F64, geom_box, geom_points, hull_of, joined
from maniguard.errors import alternatives
from maniguard.trace import Box, Entity, Hull, Joint, Part, Region, Scene
from maniguard.trace.scene import EntityKind, JointKind

_SUPPORTS = ("table", "counter", "desk", "bench", "island", "floor")
# What carries the arm or hangs on it.
_NO_ARM = ("gripper", "mobilebase", "base", "mount", "fixed_mount")
_TCP_SITES = ("grip_site", "tcp", "attachment_site", "pinch", "ee_site")
# A joint without limits: beyond anything that a rule asks for.
_UNLIMITED = 1e6
_PLANE_HALF_M = 4.0


@dataclass(frozen=True)
class ModelScene:
    """A model and the scene that it is.

    `entity_body` (N,) is the body whose frame is the entity's (0: the world); `part_bodies` (P,) those of the moving
    parts; `joint_qpos`, `joint_dof` (J,) the addresses of the scene's joints, `joint_sign` (J,) -1 for those that the
    model opens towards its lower limit, which the scene has the other way round; `geom_entity`, `geom_part` (ngeom,)
    who a geom belongs to, -1 for nothing. `arm_qpos` and `arm_dof` are the robot's seven joints, or empty;
    `finger_qpos` its sliding finger joints, which open towards `finger_sign`; `tcp_site` -1 where there is none;
    `robot_dofs` all degrees of freedom of robots.
    """

    model: mujoco.MjModel
    scene: Scene
    entity_body: NDArray[np.int64]
    part_bodies: NDArray[np.int64]
    joint_qpos: NDArray[np.int64]
    joint_dof: NDArray[np.int64]
    joint_sign: NDArray[np.float64]
    geom_entity: NDArray[np.int64]
    geom_part: NDArray[np.int64]
    arm_qpos: NDArray[np.int64]
    arm_dof: NDArray[np.int64]
    finger_qpos: NDArray[np.int64]
    finger_sign: NDArray[np.float64]
    finger_bodies: NDArray[np.int64]
    tcp_site: int
    robot_dofs: NDArray[np.int64]


def model_scene(
    model: mujoco.MjModel, start: mujoco.MjData, mapping: Mapping, meanings: Map[str, Meaning]
) -> ModelScene:
    """Say what is what in `model`; `start` holds the first recorded state with its kinematics evaluated.

    Trees of bodies with a free joint are objects; with hinges or slides, articulated; a tree whose name starts like a
    robot's (robot0, gripper0, panda …) the robot; other trees with something to touch, supports or fixtures. `meanings`
    are what the recording itself says of names (categories, roles). AuditError for a name of the mapping that the model
    does not have.
    """
    return _Builder(model, start, mapping, meanings).build()


class _Builder:
    def __init__(
        self, model: mujoco.MjModel, start: mujoco.MjData, mapping: Mapping, meanings: Map[str, Meaning]
    ) -> None:
        self.model, self.start, self.mapping, self.meanings = model, start, mapping, meanings
        self.bodies = Bodies(model, mapping)
        self.part_of_body = np.full(model.nbody, -1)
        self.groups: list[Group] = []

    def build(self) -> ModelScene:
        model = self.model
        groups = self.groups = self.bodies.groups()
        entity_of_body = np.full(model.nbody, -1)
        entities: list[Entity] = []
        part_bodies: list[int] = []
        joint_ids: list[int] = []
        for group in groups:
            entity_of_body[group.bodies] = len(entities)
            entity, moving, joints = self._entity(group)
            entities.append(entity)
            part_bodies += moving
            joint_ids += joints
        check_names(self.mapping, tuple(entity.name for entity in entities))
        entities = [self._refined(entity, group) for entity, group in zip(entities, groups, strict=True)]
        ids = np.array(joint_ids, np.int64)
        robots = [body for group in groups if group.robot for body in group.bodies]
        arm, fingers = self._robot_joints(groups)
        return ModelScene(
            model=model,
            scene=Scene(tuple(entities), goal=self.mapping.goal),
            entity_body=np.array([group.frame for group in groups], np.int64),
            part_bodies=np.array(part_bodies, np.int64),
            joint_qpos=model.jnt_qposadr[ids].astype(np.int64),
            joint_dof=model.jnt_dofadr[ids].astype(np.int64),
            joint_sign=np.array([self._sign(joint) for joint in joint_ids], np.float64),
            geom_entity=np.where(self.bodies.touchable, entity_of_body[model.geom_bodyid], -1),
            geom_part=self.part_of_body[model.geom_bodyid],
            arm_qpos=model.jnt_qposadr[arm].astype(np.int64),
            arm_dof=model.jnt_dofadr[arm].astype(np.int64),
            finger_qpos=model.jnt_qposadr[fingers].astype(np.int64),
            finger_sign=np.where(model.jnt_range[fingers].sum(axis=1) < 0, -1.0, 1.0),
            finger_bodies=np.array(self.bodies.fingers(robots), np.int64),
            tcp_site=self._tcp_site(),
            robot_dofs=np.flatnonzero(np.isin(model.dof_bodyid, robots)).astype(np.int64),
        )

    def _entity(self, group: Group) -> tuple[Entity, list[int], list[int]]:
        """Return an entity, the bodies of its moving parts and its joints, and note which part each body is."""
        free = bool(self.bodies.joints(group.frame, FREE))
        parts: list[tuple[str, int]] = [("body", group.frame)]
        joints: list[Joint] = []
        joint_ids: list[int] = []
        fingers = self.bodies.fingers(group.bodies) if group.robot else []
        for body in group.bodies:
            own = self.bodies.joints(body, HINGE, SLIDE)
            moves = bool(own) or body in fingers or bool(self.bodies.joints(body, int(mujoco.mjtJoint.mjJNT_BALL)))
            hand = group.robot and self.bodies.is_hand(body) and "hand" not in [name for name, _ in parts]
            if not (moves or hand) or (group.robot and body == group.frame):
                parent = int(self.model.body_parentid[body])
                inherits = body != group.frame and parent in group.bodies
                self.part_of_body[body] = self.part_of_body[parent] if inherits else 0
                continue
            name = self._part_name(body, group, [part for part, _ in parts], fingers)
            self.part_of_body[body] = len(parts)
            parts.append((name, body))
            if not group.robot:
                joints += [self._joint(joint, name, group, [j.name for j in joints]) for joint in own]
                joint_ids += own
        return self._described(group, free, parts, joints), [body for _, body in parts[1:]], joint_ids

    def _described(self, group: Group, free: bool, parts: list[tuple[str, int]], joints: list[Joint]) -> Entity:
        boxes = [self._boxes(self._geoms(group, index), body) for index, (_, body) in enumerate(parts)]
        kind = self._kind(group, free, bool(joints))
        meaning = self._meaning(group)
        role = {"robot": "robot", "support": "support", "object": "object"}.get(kind, "object" if free else "fixture")
        hull = self._hull(group) if free else None
        return Entity(
            name=group.name,
            kind=kind,
            category="robot" if group.robot else meaning.category,
            role="room" if group.frame == 0 else meaning.role or role,
            properties=() if group.robot else meaning.properties,
            movable=free and not group.robot,
            parts=tuple(Part(name, moving=i > 0, boxes=boxes[i]) for i, (name, _) in enumerate(parts)),
            joints=tuple(joints),
            # What moves as a whole has nothing that stands still: its outline is where it is at the start.
            boxes=boxes[0] or self._boxes(self._geoms(group, None), group.frame),
            hull=hull,
            rest_axis=upright_axis(self.start.xmat[group.frame].reshape(3, 3)) if free else (0.0, 0.0, 1.0),
            interior=None if group.robot else self._interior(group, parts, joints, meaning, hull),
            mass_kg=round(float(self.model.body_subtreemass[group.frame]), 6) if free else None,
        )

    def _meaning(self, group: Group) -> Meaning:
        """Return what the recording or the ontology says; a drawer has a role only if its own region was named."""
        found = self.meanings.get(group.tree) or meaning_of(group.tree, self.mapping.ontology)
        if group.tree == group.name and not self._is_parted(group):
            return found
        region = region_name(self.model, group.bodies) if group.tree != group.name else None
        own = self.meanings.get(region or "")
        return found._replace(role=None if own is None else own.role)

    def _is_parted(self, group: Group) -> bool:
        return any(other.tree == group.name and other.name != group.name for other in self.groups)

    def _kind(self, group: Group, free: bool, jointed: bool) -> EntityKind:
        if group.robot:
            return "robot"
        if jointed:
            return "articulated"
        if free:
            return "object"
        return "support" if any(word in group.name.lower() for word in _SUPPORTS) else "fixture"

    def _interior(
        self, group: Group, parts: list[tuple[str, int]], joints: list[Joint], meaning: Meaning, hull: Hull | None
    ) -> Region | None:
        """Return the inside, in the frame of the first sliding part where there is one, else in the entity's."""
        slide = next((joint.part for joint in joints if joint.kind == "slide"), None)
        frame = group.frame if slide is None else dict(parts)[slide]
        found = marked_interior(self.model, self.start, group.bodies, frame, drawer=slide is not None)
        if found is None and hull is not None and "receptacle" in meaning.properties:
            return room_within(hull)
        return found

    def _geoms(self, group: Group, part: int | None) -> list[int]:
        bodies = [body for body in group.bodies if part is None or self.part_of_body[body] == part]
        return [int(g) for g in np.flatnonzero(np.isin(self.model.geom_bodyid, bodies) & self.bodies.touchable)]

    def _boxes(self, geoms: list[int], frame: int) -> tuple[Box, ...]:
        boxes = []
        for geom in geoms:
            position, rotation = self._in_frame(geom, frame)
            if int(self.model.geom_type[geom]) == int(mujoco.mjtGeom.mjGEOM_PLANE):
                half = (_PLANE_HALF_M, _PLANE_HALF_M, 0.05)
                x, y, z = (float(v) for v in position - rotation[:, 2] * half[2])
                boxes.append(Box((x, y, z), half))
            else:
                boxes.append(geom_box(self.model, geom, position, rotation))
        return tuple(boxes)

    def _hull(self, group: Group) -> Hull | None:
        pieces = []
        for geom in self._geoms(group, 0):
            position, rotation = self._in_frame(geom, group.frame)
            pieces.append(geom_points(self.model, geom) @ rotation.T + position)
        return hull_of(joined(pieces))

    def _in_frame(self, geom: int, body: int) -> tuple[F64, F64]:
        turn = self.start.xmat[body].reshape(3, 3)
        position = turn.T @ (self.start.geom_xpos[geom] - self.start.xpos[body])
        return position, turn.T @ self.start.geom_xmat[geom].reshape(3, 3)

    def _part_name(self, body: int, group: Group, taken: list[str], fingers: list[int]) -> str:
        if body in fingers:
            return ("left_finger", "right_finger")[fingers.index(body)]
        if group.robot:
            name = "hand" if self.bodies.is_hand(body) else self.bodies.without_robot(body)
        else:
            name = "moving" if body == group.frame else without(self.bodies.names[body], group.tree)
        return name if name not in taken else f"{name}#{body}"

    def _joint(self, joint: int, part: str, group: Group, taken: list[str]) -> Joint:
        name = without(str(self.model.joint(joint).name) or f"joint{joint}", group.tree)
        kind: JointKind = "hinge" if int(self.model.jnt_type[joint]) == HINGE else "slide"
        low, high = -_UNLIMITED, _UNLIMITED
        if self.model.jnt_limited[joint]:
            low, high = sorted(self._sign(joint) * float(v) + 0.0 for v in self.model.jnt_range[joint])
        return Joint(name if name not in taken else f"{name}#{joint}", kind, low, high, part)

    def _sign(self, joint: int) -> float:
        """Return -1 for a joint that opens towards its lower limit.

        A trace has closed at the lower limit. Models are drawn closed, at zero, so that closed is the limit that is
        nearer to zero: LIBERO's drawers go from 0.01 to -0.16, its microwave from 0 to -2.1.
        """
        low, high = self.model.jnt_range[joint]
        return -1.0 if self.model.jnt_limited[joint] and abs(high) < abs(low) else 1.0

    def _robot_joints(self, groups: list[Group]) -> tuple[list[int], list[int]]:
        robots = [group for group in groups if group.robot]
        if len(robots) != 1:
            return [], []
        members = robots[0].bodies
        fingers = self.bodies.fingers(members)
        sliding = [joint for body in members if body in fingers for joint in self.bodies.joints(body, SLIDE)]
        arm = [
            joint
            for body in members
            if not self.bodies.names[body].startswith(_NO_ARM) and body not in fingers
            for joint in self.bodies.joints(body, HINGE)
        ]
        return (arm if len(arm) == 7 else []), sliding

    def _tcp_site(self) -> int:
        names = self._site_names()
        robot_map = self.mapping.robot
        if robot_map is not None and robot_map.tcp_site is not None:
            if robot_map.tcp_site not in names:
                known = alternatives(names, limit=40)
                raise AuditError(
                    f"{robot_map.where}.tcp_site: the model has no site {robot_map.tcp_site!r}; it has {known}"
                )
            return names.index(robot_map.tcp_site)
        for wanted in _TCP_SITES:
            for index, name in enumerate(names):
                if name == wanted or name.endswith((f"_{wanted}", f"/{wanted}")):
                    return index
        return -1

    def _site_names(self) -> list[str]:
        return [str(self.model.site(index).name) for index in range(self.model.nsite)]

    def _refined(self, entity: Entity, group: Group) -> Entity:
        for item in self.mapping.entities:
            if item.name == entity.name or (item.is_pattern and fnmatchcase(entity.name, item.name)):
                entity = refined(entity, item, self.mapping.ontology)
                if isinstance(item.interior, str):
                    entity = replace(entity, interior=self._named_interior(item, item.interior, entity, group))
        return entity

    def _named_interior(self, item: EntityMap, name: str, entity: Entity, group: Group) -> Region:
        names = self._site_names()
        if name not in names:
            known = alternatives(names, limit=40)
            raise AuditError(f"{item.where}.interior: the model has no site {name!r}; it has {known}")
        slide = next((joint.part for joint in entity.joints if joint.kind == "slide"), None)
        frame = group.frame
        if slide is not None:
            part = entity.part_index(slide)
            frame = next(body for body in group.bodies if self.part_of_body[body] == part)
        index, start = names.index(name), self.start
        return region_at(start, frame, start.site_xpos[index], start.site_xmat[index], self.model.site_size[index])
