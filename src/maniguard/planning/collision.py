"""Whether the arm, and what it holds, keeps clear of a scene: hulls and boxes, in MuJoCo, without dynamics."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

import mujoco
import numpy as np
from numpy.typing import NDArray

from maniguard.errors import ManiguardError, alternatives
from maniguard.planning.frames import inverted, matrix_of, pose_of
from maniguard.planning.kinematics import F64, forward
from maniguard.sim.robot import PANDA_XML
from maniguard.trace.scene import Box, Entity, Scene

REACH_M = 0.03
"""The largest clearance that can be asked for."""

_ARM, _SELF = 1, 2


class PlanningError(ManiguardError):
    """A planning request that names something unknown or cannot be met."""


@dataclass(frozen=True)
class Clearance:
    """How far to keep from things, in metres: from objects, and from the table and floor (supports)."""

    objects_m: float = 0.012
    support_m: float = 0.004


class CollisionModel:
    """The robot among the convex hulls of a scene's objects.

    Objects count with their convex hull, which is never smaller than they are; supports with their boxes. What is
    articulated or fixed, a cabinet, counts with the boxes of its body and of its moving parts, which are called
    ENTITY/PART, so that a hand can reach into an open drawer. The robot is checked against objects and supports and,
    from the forearm on, against its own base; the fingers are as wide open as `opening_m` says. A held object moves
    with the hand, its parts along with it, and is checked against everything but the robot. Those named in `hollow`
    count with their boxes as well: what lies in a bowl lies inside its hull.
    """

    def __init__(self, scene: Scene, hollow: Iterable[str] = ()) -> None:
        self._model = _compile(scene, frozenset(hollow))
        self._data = mujoco.MjData(self._model)
        self._objects = [entity.name for entity in scene.entities if entity.hull is not None]
        self._scene = scene
        self._held: str | None = None
        self._tcp_T_held: F64 = np.eye(4)
        self._ignored: frozenset[str] = frozenset()
        model = self._model
        self._geom_owner = [model.body(int(body)).name for body in model.geom_bodyid]
        self._parts = {entity.name: _moving(entity) for entity in scene.entities if _in_boxes(entity)}
        parts = [f"{name}/{part}" for name, moving in self._parts.items() for part in moving]
        # Where a part is in the frame of its entity: with its joint at 0 the two frames coincide.
        self._entity_T_part: dict[str, F64] = {part: np.eye(4) for part in parts}
        self._is_object = np.array([owner in (*self._objects, *parts) for owner in self._geom_owner])
        supports = [entity.name for entity in scene.entities if entity.kind == "support"]
        self._is_support = np.array([owner in supports for owner in self._geom_owner])
        placed = (*self._objects, *supports, *parts)
        self._address = {name: int(model.joint(f"free:{name}").qposadr[0]) for name in placed}
        self._finger = [int(model.joint(f"finger_joint{i}").qposadr[0]) for i in (1, 2)]
        self._arm = int(model.joint("joint1").qposadr[0])
        self.opening_m = 0.08

    @property
    def objects(self) -> tuple[str, ...]:
        """The names of the objects that can be placed, held and ignored."""
        return tuple(self._objects)

    def place(self, world_T_object: Mapping[str, F64]) -> None:
        """Put objects where they are; poses are (4, 4). Parts go along with their entity, or alone as ENTITY/PART."""
        for name, pose in world_T_object.items():
            if name not in self._address:
                raise PlanningError(f"no object {name!r} to place; there is {alternatives(self._address)}")
            if name in self._entity_T_part:
                self._entity_T_part[name] = inverted(self._read(name.rsplit("/", 1)[0])) @ pose
            self._write(name, pose)

    def place_from(
        self,
        position_m: NDArray[np.float32],
        quat_wxyz: NDArray[np.float32],
        part_position_m: NDArray[np.float32] | None = None,
        part_quat_wxyz: NDArray[np.float32] | None = None,
    ) -> None:
        """Put every object, support and moving part where a frame says; columns as in the scene.

        Without part channels the parts stay where they are in their entities.
        """
        for name in self._address:
            if name not in self._entity_T_part:
                column = self._scene.index(name)
                self._write(name, matrix_of(position_m[column], quat_wxyz[column]))
        if part_position_m is None or part_quat_wxyz is None:
            return
        for column, (entity, part) in enumerate(self._scene.moving_parts):
            if f"{entity}/{part}" in self._entity_T_part:
                self.place({f"{entity}/{part}": matrix_of(part_position_m[column], part_quat_wxyz[column])})

    def hold(self, name: str | None, tcp_T_object: F64 | None = None) -> None:
        """Let the hand hold an object in a fixed pose relative to the tcp, or nothing."""
        if self._held is not None:
            self._set_masks(self._held, 0, _ARM)
        self._held = name
        if name is not None:
            if name not in self._address or tcp_T_object is None:
                raise PlanningError(f"cannot hold {name!r}; there is {alternatives(self._address)}, with a pose")
            self._tcp_T_held = np.asarray(tcp_T_object, dtype=np.float64)
            self._set_masks(name, _ARM, 0)

    def ignore(self, names: Iterable[str]) -> None:
        """Let the robot and what it holds pass through these objects (those about to be grasped) from now on."""
        chosen = tuple(names)
        parts = (f"{name}/{part}" for name in chosen for part in self._parts.get(name, ()))
        self._ignored = frozenset((*chosen, *parts))

    def free(self, q: F64, clearance: Clearance = Clearance()) -> bool:
        """Return whether every joint vector of the batch (N, 7) keeps the clearance."""
        return self.first_hit(q, clearance) is None

    def first_hit(self, q: F64, clearance: Clearance = Clearance()) -> tuple[int, str, str] | None:
        """Return the first row of (N, 7) that comes too close, with the two bodies, or None."""
        model, data = self._model, self._data
        held = forward(q) @ self._tcp_T_held if self._held is not None else None
        for address in self._finger:
            data.qpos[address] = self.opening_m / 2.0
        for row in range(len(q)):
            data.qpos[self._arm : self._arm + 7] = q[row]
            if held is not None and self._held is not None:
                self._write(self._held, held[row])
            mujoco.mj_kinematics(model, data)
            mujoco.mj_collision(model, data)
            if data.ncon:
                hit = self._worst(clearance)
                if hit is not None:
                    return (row, *hit)
        return None

    def gap(self, q: F64, *, ignore_support: bool = True) -> float:
        """Return the smallest distance from anything at one joint vector (7,), at most `REACH_M`; negative inside."""
        if self.first_hit(q[None], Clearance(-1.0, -1.0)) is not None:
            return -1.0
        data = self._data
        smallest = REACH_M
        for index in range(data.ncon):
            a, b = (int(g) for g in data.contact.geom[index])
            if ignore_support and (self._is_support[a] or self._is_support[b]):
                continue
            if self._geom_owner[a] in self._ignored or self._geom_owner[b] in self._ignored:
                continue
            smallest = min(smallest, float(data.contact.dist[index]))
        return smallest

    def _worst(self, clearance: Clearance) -> tuple[str, str] | None:
        data = self._data
        pairs, distances = data.contact.geom, data.contact.dist
        for index in range(data.ncon):
            a, b = int(pairs[index, 0]), int(pairs[index, 1])
            first, second = self._geom_owner[a], self._geom_owner[b]
            if first in self._ignored or second in self._ignored:
                continue
            supported = self._is_support[a] or self._is_support[b]
            wanted = clearance.support_m if supported else clearance.objects_m
            if not (self._is_object[a] or self._is_object[b] or supported):
                wanted = 0.0
            if distances[index] < wanted:
                return first, second
        return None

    def _write(self, name: str, pose: F64) -> None:
        address = self._address[name]
        position, quat = pose_of(pose)
        self._data.qpos[address : address + 3] = position
        self._data.qpos[address + 3 : address + 7] = quat
        for part in self._parts.get(name, ()):
            self._write(f"{name}/{part}", pose @ self._entity_T_part[f"{name}/{part}"])

    def _read(self, name: str) -> F64:
        address = self._address[name]
        return matrix_of(self._data.qpos[address : address + 3], self._data.qpos[address + 3 : address + 7])

    def _set_masks(self, name: str, contype: int, conaffinity: int) -> None:
        for part in self._parts.get(name, ()):
            self._set_masks(f"{name}/{part}", contype, conaffinity)
        body = self._model.body(name)
        self._model.body_contype[body.id], self._model.body_conaffinity[body.id] = contype, conaffinity
        for geom in range(int(body.geomadr[0]), int(body.geomadr[0]) + int(body.geomnum[0])):
            self._model.geom_contype[geom], self._model.geom_conaffinity[geom] = contype, conaffinity


@cache
def _robot_xml() -> str:
    """Return the robot's model with nothing but its collision shapes."""
    spec = mujoco.MjSpec.from_file(str(PANDA_XML))
    for geom in list(spec.geoms):
        if geom.classname.name == "visual":
            spec.delete(geom)
    used = {geom.meshname for geom in spec.geoms}
    for mesh in list(spec.meshes):
        if mesh.name not in used:
            spec.delete(mesh)
    for collection in (spec.actuators, spec.equalities, spec.tendons):
        for element in list(collection):
            spec.delete(element)
    spec.meshdir = str(PANDA_XML.parent / "meshes")
    return str(spec.to_xml())


def _compile(scene: Scene, hollow: frozenset[str]) -> mujoco.MjModel:
    spec = mujoco.MjSpec.from_string(_robot_xml())
    for geom in spec.geoms:
        name = geom.parent.name
        # The base stands on the table and never moves.
        geom.contype = {"link0": _SELF, "link1": _ARM | _SELF}.get(name, _ARM)
        geom.conaffinity = _SELF if name in ("link5", "link6", "link7", "hand", "left_finger", "right_finger") else 0
        geom.margin = 0.0
    for entity in scene.entities:
        if _in_boxes(entity):
            _add_boxes(spec, entity.name, entity.parts[0].boxes)
            for part in entity.parts:
                if part.moving:
                    _add_boxes(spec, f"{entity.name}/{part.name}", part.boxes)
        elif entity.name in hollow and entity.boxes:
            _add_boxes(spec, entity.name, entity.boxes)
        elif entity.hull is not None and entity.kind != "robot":
            _add_object(spec, entity)
        elif entity.kind == "support":
            _add_boxes(spec, entity.name, entity.boxes)
    model = spec.compile()
    model.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_MULTICCD)
    return model


def _add_object(spec: mujoco.MjSpec, entity: Entity) -> None:
    assert entity.hull is not None
    body = spec.worldbody.add_body(name=entity.name)
    body.add_freejoint(name=f"free:{entity.name}")
    mesh = spec.add_mesh(name=f"hull:{entity.name}")
    mesh.uservert = np.asarray(entity.hull.vertices_m, dtype=np.float64).ravel()
    mesh.userface = np.asarray(entity.hull.faces, dtype=np.int32).ravel()
    body.add_geom(
        type=mujoco.mjtGeom.mjGEOM_MESH,
        meshname=mesh.name,
        contype=0,
        conaffinity=_ARM,
        margin=REACH_M,
    )


def _in_boxes(entity: Entity) -> bool:
    """Return whether an entity counts with its boxes: it can be reached into, which its hull would not allow."""
    known = bool(entity.parts[0].boxes) and all(part.boxes for part in entity.parts if part.moving)
    return entity.kind in ("articulated", "fixture") and entity.hull is not None and known


def _moving(entity: Entity) -> tuple[str, ...]:
    return tuple(part.name for part in entity.parts if part.moving)


def _add_boxes(spec: mujoco.MjSpec, name: str, boxes: Sequence[Box]) -> None:
    body = spec.worldbody.add_body(name=name)
    body.add_freejoint(name=f"free:{name}")
    for box in boxes:
        body.add_geom(
            type=mujoco.mjtGeom.mjGEOM_BOX,
            pos=box.center_m,
            quat=box.quat_wxyz,
            size=box.half_size_m,
            contype=0,
            conaffinity=_ARM,
            margin=REACH_M,
        )
