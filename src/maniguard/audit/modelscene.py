"""Which bodies of somebody else's model are which entities: found by joints and names, refined by a mapping."""

from __future__ import annotations

import re
from collections.abc import Mapping as Map
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase

import mujoco
import numpy as np
from numpy.typing import NDArray

from maniguard.audit.errors import AuditError
from maniguard.audit.mapping import EntityMap, Mapping
from maniguard.audit.meaning import Meaning, meaning_of
from maniguard.audit.solids import F64, geom_box, geom_points, hull_of, joined
from maniguard.errors import alternatives
from maniguard.trace import Box, Entity, Joint, Part, Region, Scene
from maniguard.trace.scene import EntityKind, JointKind, Pose

# Bodies whose name starts like this are a robot's; the number that follows tells robots apart.
_ROBOT = re.compile(r"^(?:robot|gripper|fixed_mount|mount|mobilebase|base|panda|franka|ur5e|fr3)(\d*)(?=[_/]|$)")
_HAND = re.compile(r"(?:^|[_/])(?:hand|gripper)$")
_LEFT = re.compile(r"left_?(?:inner_)?finger$")
_RIGHT = re.compile(r"right_?(?:inner_)?finger$")
_SUPPORTS = ("table", "counter", "desk", "bench", "island", "floor")
_TCP_SITES = ("grip_site", "tcp", "attachment_site", "pinch", "ee_site")
_INTERIORS = ("contain_region", "heating_region", "int_region", "interior")
# A joint without limits: beyond anything that a rule asks for.
_UNLIMITED = 1e6
_PLANE_HALF_M = 4.0
# A thing that stands at the start stands on an axis of its own, but for the last bit of settling.
_SNAP_DEG = 2.0
_FREE, _HINGE, _SLIDE = (
    int(k) for k in (mujoco.mjtJoint.mjJNT_FREE, mujoco.mjtJoint.mjJNT_HINGE, mujoco.mjtJoint.mjJNT_SLIDE)
)


@dataclass
class _Group:
    """The bodies that make one entity, before it is made: body ids in model order, the first is its frame."""

    name: str
    robot: bool
    bodies: list[int] = field(default_factory=list)


@dataclass(frozen=True)
class ModelScene:
    """A model and the scene that it is.

    `entity_body` (N,) is the body whose frame is the entity's (0: the world); `part_bodies` (P,) those of the moving
    parts; `joint_qpos`, `joint_dof` (J,) the addresses of the scene's joints; `geom_entity`, `geom_part` (ngeom,) who a
    geom belongs to, -1 for nothing. `arm_qpos` and `arm_dof` are the robot's seven joints, or empty; `finger_qpos` its
    sliding finger joints, which open towards `finger_sign`; `tcp_site` -1 where there is none; `robot_dofs` all degrees
    of freedom of robots.
    """

    model: mujoco.MjModel
    scene: Scene
    entity_body: NDArray[np.int64]
    part_bodies: NDArray[np.int64]
    joint_qpos: NDArray[np.int64]
    joint_dof: NDArray[np.int64]
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
        self.body_names = [str(model.body(i).name) for i in range(model.nbody)]
        self.touchable = (model.geom_contype != 0) | (model.geom_conaffinity != 0)
        self.joints_of: dict[int, list[int]] = {}
        for joint in range(model.njnt):
            self.joints_of.setdefault(int(model.jnt_bodyid[joint]), []).append(joint)

    def build(self) -> ModelScene:
        model = self.model
        groups = self._groups()
        entity_of_body = np.full(model.nbody, -1)
        part_of_body = np.full(model.nbody, -1)
        entities: list[Entity] = []
        part_bodies: list[int] = []
        joint_ids: list[int] = []
        frames: list[int] = []
        for group in groups:
            entity, moving, joints = self._entity(group, part_of_body)
            for body in group.bodies:
                entity_of_body[body] = len(entities)
            entities.append(entity)
            part_bodies += moving
            joint_ids += joints
            frames.append(group.bodies[0])
        entities = self._refined(entities)
        ids = np.array(joint_ids, np.int64)
        geom_body = model.geom_bodyid
        geom_entity = np.where(self.touchable, entity_of_body[geom_body], -1)
        arm, fingers = self._robot_joints(groups)
        finger_bodies = self._fingers([b for g in groups if g.robot for b in g.bodies])
        robots = [b for g in groups if g.robot for b in g.bodies]
        dofs = np.flatnonzero(np.isin(model.dof_bodyid, robots)) if model.nv else np.zeros(0, np.int64)
        return ModelScene(
            model=model,
            scene=Scene(tuple(entities), goal=self.mapping.goal),
            entity_body=np.array(frames, np.int64),
            part_bodies=np.array(part_bodies, np.int64),
            joint_qpos=model.jnt_qposadr[ids].astype(np.int64),
            joint_dof=model.jnt_dofadr[ids].astype(np.int64),
            geom_entity=geom_entity,
            geom_part=part_of_body[geom_body],
            arm_qpos=model.jnt_qposadr[arm].astype(np.int64),
            arm_dof=model.jnt_dofadr[arm].astype(np.int64),
            finger_qpos=model.jnt_qposadr[fingers].astype(np.int64),
            finger_sign=np.where(model.jnt_range[fingers].sum(axis=1) < 0, -1.0, 1.0),
            finger_bodies=np.array(finger_bodies, np.int64),
            tcp_site=self._tcp_site(),
            robot_dofs=dofs.astype(np.int64),
        )

    def _groups(self) -> list[_Group]:
        model = self.model
        robot_map = self.mapping.robot
        stated = set(() if robot_map is None else robot_map.bodies)
        for name in sorted(stated - set(self.body_names)):
            raise AuditError(
                f"{robot_map.where if robot_map else ''}.bodies: the model has no body {name!r}; it has "
                f"{alternatives(self.body_names[1:], limit=40)}"
            )
        groups: dict[str, _Group] = {}
        root_group: dict[int, str] = {}
        for body in range(model.nbody):
            root = int(model.body_rootid[body])
            if body == 0:
                continue
            if body == root:
                name = self.body_names[body] or f"body{body}"
                match = _ROBOT.match(name)
                robot = name in stated if stated else match is not None
                key = self._robot_name(match) if robot else _entity_name(name)
                if key in groups and not (robot and groups[key].robot):
                    key = name if name not in groups else f"{name}#{body}"
                groups.setdefault(key, _Group(key, robot))
                root_group[root] = key
            groups[root_group[root]].bodies.append(body)
        found = [group for group in groups.values() if self._matters(group)]
        world = [g for g in range(model.ngeom) if self.touchable[g] and model.geom_bodyid[g] == 0]
        if world:
            name = "floor" if "floor" not in groups else "world"
            found.insert(0, _Group(name, False, [0]))
        ignored = set(self.mapping.ignore)
        for name in sorted(ignored - {group.name for group in found}):
            raise AuditError(
                f"{self.mapping.path}.ignore: the recording has no {name!r}; it has "
                f"{alternatives((g.name for g in found), limit=40)}"
            )
        return [group for group in found if group.name not in ignored]

    def _robot_name(self, match: re.Match[str] | None) -> str:
        if self.mapping.robot is not None:
            return self.mapping.robot.name
        return f"robot{match[1]}" if match is not None else "robot"

    def _matters(self, group: _Group) -> bool:
        """Whether an entity can be touched, moves, or is a robot; markers and lamps are nothing."""
        if group.robot:
            return True
        geoms = np.isin(self.model.geom_bodyid, group.bodies)
        return bool((geoms & self.touchable).any())

    def _entity(self, group: _Group, part_of_body: NDArray[np.int64]) -> tuple[Entity, list[int], list[int]]:
        model, root = self.model, group.bodies[0]
        free = any(int(model.jnt_type[j]) == _FREE for j in self.joints_of.get(root, ()))
        parts: list[tuple[str, int]] = [("body", root)]
        joints: list[Joint] = []
        joint_ids: list[int] = []
        fingers = self._fingers(group.bodies) if group.robot else []
        part_of_body[root] = 0
        moving_kinds: set[int] = set()
        for body in group.bodies[1:]:
            own = [j for j in self.joints_of.get(body, ()) if int(model.jnt_type[j]) != _FREE]
            parent = int(model.body_parentid[body])
            hand = group.robot and _HAND.search(self.body_names[body]) and "hand" not in [p for p, _ in parts]
            if not own and not hand and body not in fingers:
                part_of_body[body] = part_of_body[parent] if parent in group.bodies else 0
                continue
            name = self._part_name(body, group, [p for p, _ in parts], fingers)
            part_of_body[body] = len(parts)
            parts.append((name, body))
            if not group.robot:
                for joint in own:
                    kind = int(model.jnt_type[joint])
                    if kind in (_HINGE, _SLIDE):
                        moving_kinds.add(kind)
                        joints.append(self._joint(joint, name, group, [j.name for j in joints]))
                        joint_ids.append(joint)
        root_joints = [j for j in self.joints_of.get(root, ()) if int(model.jnt_type[j]) in (_HINGE, _SLIDE)]
        if root_joints and not group.robot:
            # A tree that swings as a whole: its frame moves, and its only piece is the part that the joint moves.
            parts.append(("moving", root))
            part_of_body[[b for b in group.bodies if part_of_body[b] == 0]] = len(parts) - 1
            for joint in root_joints:
                joints.append(self._joint(joint, "moving", group, [j.name for j in joints]))
                joint_ids.append(joint)
        entity = self._describe(group, free, parts, joints, part_of_body)
        return entity, [body for _, body in parts[1:]], joint_ids

    def _describe(
        self,
        group: _Group,
        free: bool,
        parts: list[tuple[str, int]],
        joints: list[Joint],
        part_of_body: NDArray[np.int64],
    ) -> Entity:
        boxes = [self._boxes(group, index, body, part_of_body) for index, (_, body) in enumerate(parts)]
        made = tuple(Part(name, moving=index > 0, boxes=boxes[index]) for index, (name, _) in enumerate(parts))
        support = not free and not joints and any(word in group.name.lower() for word in _SUPPORTS)
        kind: EntityKind = (
            "robot"
            if group.robot
            else "articulated"
            if joints
            else "object"
            if free
            else "support"
            if support
            else "fixture"
        )
        meaning = self.meanings.get(group.name) or meaning_of(group.name, self.mapping.ontology)
        role = {"robot": "robot", "support": "support", "fixture": "fixture", "object": "object"}.get(kind, "fixture")
        if kind == "articulated" and free:
            role = "object"
        if group.bodies[0] == 0:
            role = "room"
        root = group.bodies[0]
        axis = (0.0, 0.0, 1.0)
        if free:
            axis = upright_axis(self.start.xmat[root].reshape(3, 3))
        return Entity(
            name=group.name,
            kind=kind,
            category="robot" if group.robot else meaning.category,
            role=meaning.role or role,
            properties=() if group.robot else meaning.properties,
            movable=free and not group.robot,
            parts=made,
            joints=tuple(joints),
            boxes=boxes[0],
            hull=hull_of(self._points(group, part_of_body)) if free else None,
            rest_axis=axis,
            interior=self._interior(group),
            mass_kg=round(float(self.model.body_subtreemass[root]), 6) if free else None,
        )

    def _part_geoms(self, group: _Group, part: int, part_of_body: NDArray[np.int64]) -> list[int]:
        bodies = [b for b in group.bodies if part_of_body[b] == part]
        mine = np.flatnonzero(np.isin(self.model.geom_bodyid, bodies) & self.touchable)
        return [int(geom) for geom in mine]

    def _boxes(self, group: _Group, part: int, frame: int, part_of_body: NDArray[np.int64]) -> tuple[Box, ...]:
        boxes = []
        for geom in self._part_geoms(group, part, part_of_body):
            position, rotation = self._in_frame(geom, frame)
            if int(self.model.geom_type[geom]) == int(mujoco.mjtGeom.mjGEOM_PLANE):
                half = (_PLANE_HALF_M, _PLANE_HALF_M, 0.05)
                center = position - rotation[:, 2] * half[2]
                boxes.append(Box((float(center[0]), float(center[1]), float(center[2])), half))
            else:
                boxes.append(geom_box(self.model, geom, position, rotation))
        return tuple(boxes)

    def _points(self, group: _Group, part_of_body: NDArray[np.int64]) -> F64:
        pieces = []
        for geom in self._part_geoms(group, 0, part_of_body):
            position, rotation = self._in_frame(geom, group.bodies[0])
            pieces.append(geom_points(self.model, geom) @ rotation.T + position)
        return joined(pieces)

    def _in_frame(self, geom: int, body: int) -> tuple[F64, F64]:
        data = self.start
        turn = data.xmat[body].reshape(3, 3)
        position = turn.T @ (data.geom_xpos[geom] - data.xpos[body])
        return position, turn.T @ data.geom_xmat[geom].reshape(3, 3)

    def _part_name(self, body: int, group: _Group, taken: list[str], fingers: list[int]) -> str:
        if body in fingers:
            return ("left_finger", "right_finger")[fingers.index(body)]
        name = _without(self.body_names[body] or f"body{body}", group.name)
        if group.robot:
            name = "hand" if _HAND.search(name) else _ROBOT.sub("", name).lstrip("_/")
        return name if name not in taken else f"{name}#{body}"

    def _joint(self, joint: int, part: str, group: _Group, taken: list[str]) -> Joint:
        model = self.model
        name = _without(str(model.joint(joint).name) or f"joint{joint}", group.name)
        kind: JointKind = "hinge" if int(model.jnt_type[joint]) == _HINGE else "slide"
        low, high = (-_UNLIMITED, _UNLIMITED)
        if model.jnt_limited[joint]:
            low, high = (float(v) for v in model.jnt_range[joint])
        return Joint(name if name not in taken else f"{name}#{joint}", kind, low, high, part)

    def _fingers(self, bodies: list[int]) -> list[int]:
        robot_map = self.mapping.robot
        if robot_map is not None and robot_map.fingers is not None:
            found = []
            for name in robot_map.fingers:
                if name not in self.body_names:
                    raise AuditError(
                        f"{robot_map.where}.fingers: the model has no body {name!r}; it has "
                        f"{alternatives(self.body_names[1:], limit=40)}"
                    )
                found.append(self.body_names.index(name))
            return found
        left = [b for b in bodies if _LEFT.search(self.body_names[b])]
        right = [b for b in bodies if _RIGHT.search(self.body_names[b])]
        return [left[0], right[0]] if left and right else []

    def _robot_joints(self, groups: list[_Group]) -> tuple[list[int], list[int]]:
        robots = [group for group in groups if group.robot]
        if len(robots) != 1:
            return [], []
        bodies = robots[0].bodies
        joints = [j for b in bodies for j in self.joints_of.get(b, ())]
        fingers = set(self._fingers(bodies))
        sliding = [
            j for j in joints if int(self.model.jnt_type[j]) == _SLIDE and int(self.model.jnt_bodyid[j]) in fingers
        ]
        arm = [
            j
            for j in joints
            if int(self.model.jnt_type[j]) == _HINGE and "gripper" not in self.body_names[int(self.model.jnt_bodyid[j])]
        ]
        return (arm if len(arm) == 7 else []), sliding

    def _tcp_site(self) -> int:
        names = [str(self.model.site(i).name) for i in range(self.model.nsite)]
        robot_map = self.mapping.robot
        if robot_map is not None and robot_map.tcp_site is not None:
            if robot_map.tcp_site not in names:
                raise AuditError(
                    f"{robot_map.where}.tcp_site: the model has no site {robot_map.tcp_site!r}; it has "
                    f"{alternatives(names, limit=40)}"
                )
            return names.index(robot_map.tcp_site)
        for wanted in _TCP_SITES:
            for index, name in enumerate(names):
                if name == wanted or name.endswith((f"_{wanted}", f"/{wanted}")):
                    return index
        return -1

    def _interior(self, group: _Group) -> Region | None:
        """Return the box region that the model itself marks as the inside, if the first such site is a box."""
        for site in range(self.model.nsite):
            if int(self.model.site_bodyid[site]) not in group.bodies or group.robot:
                continue
            name = str(self.model.site(site).name)
            if name.endswith(_INTERIORS) and int(self.model.site_type[site]) == int(mujoco.mjtGeom.mjGEOM_BOX):
                return self._site_region(site, group.bodies[0])
        return None

    def _site_region(self, site: int, body: int) -> Region:
        data = self.start
        turn = data.xmat[body].reshape(3, 3)
        position = turn.T @ (data.site_xpos[site] - data.xpos[body])
        quat = np.empty(4)
        mujoco.mju_mat2Quat(quat, (turn.T @ data.site_xmat[site].reshape(3, 3)).ravel())
        size = tuple(round(float(v), 6) for v in self.model.site_size[site])
        pose = Pose(tuple(round(float(v), 6) for v in position), tuple(round(float(v), 9) for v in quat))  # type: ignore[arg-type]
        return Region("box", size, pose)  # type: ignore[arg-type]

    def _refined(self, entities: list[Entity]) -> list[Entity]:
        frames = {entity.name: entity for entity in entities}
        check_names(self.mapping, tuple(frames))
        return [self._refine(entity) for entity in entities]

    def _refine(self, entity: Entity) -> Entity:
        for item in self.mapping.entities:
            if item.name != entity.name and not (item.is_pattern and fnmatchcase(entity.name, item.name)):
                continue
            entity = refined(entity, item)
            if isinstance(item.interior, str):
                entity = replace(entity, interior=self._named_interior(item, entity))
        return entity

    def _named_interior(self, item: EntityMap, entity: Entity) -> Region:
        names = [str(self.model.site(i).name) for i in range(self.model.nsite)]
        if item.interior not in names:
            raise AuditError(
                f"{item.where}.interior: the model has no site {item.interior!r}; it has "
                f"{alternatives(names, limit=40)}"
            )
        site = names.index(str(item.interior))
        return self._site_region(site, int(self.model.body_rootid[self.model.site_bodyid[site]]))


def check_names(mapping: Mapping, names: tuple[str, ...]) -> None:
    """Raise AuditError for an entity of the mapping that the recording does not have; patterns may fit none."""
    for item in mapping.entities:
        if not item.is_pattern and item.name not in names:
            raise AuditError(
                f"{item.where}: the recording has no entity {item.name!r}; it has {alternatives(names, limit=40)}"
            )


def refined(entity: Entity, item: EntityMap) -> Entity:
    """Return the entity with what a mapping says of it."""
    changes: dict[str, object] = {
        "kind": item.kind,
        "category": item.category,
        "role": item.role,
        "properties": item.properties,
        "mass_kg": item.mass_kg,
        "rest_axis": item.rest_axis,
        "movable": item.movable,
    }
    if item.category is not None and item.properties is None:
        changes["properties"] = meaning_of(item.category, None).properties or entity.properties
    if isinstance(item.interior, Box):
        changes["interior"] = Region(
            "box", item.interior.half_size_m, Pose(item.interior.center_m, item.interior.quat_wxyz)
        )
    return replace(entity, **{key: value for key, value in changes.items() if value is not None})  # type: ignore[arg-type]


def upright_axis(rotation: F64) -> tuple[float, float, float]:
    """Return what points upwards in a frame with this rotation (3, 3): one of its axes if that is within 2 degrees."""
    up = rotation.T @ np.array([0.0, 0.0, 1.0])
    largest = int(np.abs(up).argmax())
    if abs(up[largest]) >= np.cos(np.deg2rad(_SNAP_DEG)):
        up = np.where(np.arange(3) == largest, np.sign(up), 0.0)
    x, y, z = (round(float(v), 6) + 0.0 for v in up)
    return x, y, z


def _entity_name(body: str) -> str:
    """Name an entity after its root body, which robosuite calls NAME_main."""
    return body.removesuffix("_main")


def _without(name: str, entity: str) -> str:
    """Return a name without the entity's in front."""
    for separator in ("_", "/"):
        if name.startswith(entity + separator):
            return name[len(entity) + 1 :]
    return name
