"""Whether the arm, and what it holds, keeps clear of a scene: hulls against hulls, in MuJoCo, without dynamics."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache

import mujoco
import numpy as np
from numpy.typing import NDArray

from maniguard.errors import ManiguardError, alternatives
from maniguard.planning.frames import matrix_of, pose_of
from maniguard.planning.kinematics import F64, forward
from maniguard.sim.robot import PANDA_XML
from maniguard.trace.scene import Entity, Scene

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

    Objects count with their convex hull, which is never smaller than they are; supports with their boxes. The robot is
    checked against objects and supports and, from the forearm on, against its own base; the fingers are as wide open
    as `opening_m` says. A held object moves with the hand and is checked against everything but the robot.
    """

    def __init__(self, scene: Scene) -> None:
        self._model = _compile(scene)
        self._data = mujoco.MjData(self._model)
        self._objects = [entity.name for entity in scene.entities if entity.hull is not None]
        self._scene = scene
        self._held: str | None = None
        self._tcp_T_held: F64 = np.eye(4)
        self._ignored: frozenset[str] = frozenset()
        model = self._model
        self._geom_owner = [model.body(int(body)).name for body in model.geom_bodyid]
        self._is_object = np.array([owner in self._objects for owner in self._geom_owner])
        supports = [entity.name for entity in scene.entities if entity.kind == "support"]
        self._is_support = np.array([owner in supports for owner in self._geom_owner])
        self._address = {name: int(model.joint(f"free:{name}").qposadr[0]) for name in (*self._objects, *supports)}
        self._finger = [int(model.joint(f"finger_joint{i}").qposadr[0]) for i in (1, 2)]
        self._arm = int(model.joint("joint1").qposadr[0])
        self.opening_m = 0.08

    @property
    def objects(self) -> tuple[str, ...]:
        """The names of the objects that can be placed, held and ignored."""
        return tuple(self._objects)

    def place(self, world_T_object: Mapping[str, F64]) -> None:
        """Put objects where they are; poses are (4, 4)."""
        for name, pose in world_T_object.items():
            if name not in self._address:
                raise PlanningError(f"no object {name!r} to place; there is {alternatives(self._address)}")
            self._write(name, pose)

    def place_from(self, position_m: NDArray[np.float32], quat_wxyz: NDArray[np.float32]) -> None:
        """Put every object and support where a frame says; columns as in the scene."""
        for name in self._address:
            column = self._scene.index(name)
            self._write(name, matrix_of(position_m[column], quat_wxyz[column]))

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
        self._ignored = frozenset(names)

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

    def _set_masks(self, name: str, contype: int, conaffinity: int) -> None:
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


def _compile(scene: Scene) -> mujoco.MjModel:
    spec = mujoco.MjSpec.from_string(_robot_xml())
    for geom in spec.geoms:
        name = geom.parent.name
        # The base stands on the table and never moves.
        geom.contype = {"link0": _SELF, "link1": _ARM | _SELF}.get(name, _ARM)
        geom.conaffinity = _SELF if name in ("link5", "link6", "link7", "hand", "left_finger", "right_finger") else 0
        geom.margin = 0.0
    for entity in scene.entities:
        if entity.hull is not None and entity.kind != "robot":
            _add_object(spec, entity)
        elif entity.kind == "support":
            _add_support(spec, entity)
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


def _add_support(spec: mujoco.MjSpec, entity: Entity) -> None:
    body = spec.worldbody.add_body(name=entity.name)
    body.add_freejoint(name=f"free:{entity.name}")
    for box in entity.boxes:
        body.add_geom(
            type=mujoco.mjtGeom.mjGEOM_BOX,
            pos=box.center_m,
            quat=box.quat_wxyz,
            size=box.half_size_m,
            contype=0,
            conaffinity=_ARM,
            margin=REACH_M,
        )
