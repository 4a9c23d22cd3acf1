"""Dust in the model: flakes that are only looked at, and what a wiper takes away.

A wiper takes a particle away when the particle lies in one of the wiper's boxes (or within a hair of it) and the wiper
presses on the surface: the mean normal force in a control step, shared out over the area of all the particles
under the wiper, must exceed the scene's pressure. The area of contact so is that of the patch that it really lies on.
"""

from __future__ import annotations

from collections.abc import Sequence

import mujoco
import numpy as np
from numpy.typing import NDArray

from maniguard.sim.assets.elements import VISUAL_GROUP
from maniguard.sim.bodies import BuildError
from maniguard.sim.command import CONTROL_STEP_S
from maniguard.sim.particles import DustSpec
from maniguard.trace.frame import Contacts
from maniguard.trace.scene import Box, Scene

Array = NDArray[np.float64]
Bool = NDArray[np.bool_]

DEFAULT_COLOUR = (0.33, 0.27, 0.2)
# A particle is wiped within this distance of the wiper's boxes: about the thickness of a layer of crumbs.
REACH_M = 0.002
_LIFT_M = 0.0004
_SIDES = 6


def add_dust(description: mujoco.MjSpec, groups: Sequence[DustSpec]) -> None:
    """Add the flakes of dust, called SURFACE/dustN, to what they lie on."""
    for dust in groups:
        mesh = f"flake:{dust.surface}"
        points, faces = _flake(dust.radius_m)
        stored = description.add_mesh(name=mesh)
        stored.uservert, stored.userface = points.ravel(), faces.ravel()
        stored.inertia = mujoco.mjtMeshInertia.mjMESH_INERTIA_SHELL
        body = description.body(dust.surface).add_body(name=f"{dust.surface}/dust")
        rgb = _colour(dust)
        for index, (position, normal) in enumerate(zip(dust.positions_m, dust.normals, strict=True)):
            quat = np.empty(4)
            mujoco.mju_quatZ2Vec(quat, np.array(normal))
            # Turned about the normal, each by another angle (the golden one), or the flakes would look stamped.
            turn = np.array([np.cos(1.2 * index), 0.0, 0.0, np.sin(1.2 * index)])
            turned = np.empty(4)
            mujoco.mju_mulQuat(turned, quat, turn)
            shade = 1.0 + 0.25 * np.sin(2.4 * index)
            body.add_geom(
                name=f"{dust.surface}/dust{index}",
                type=mujoco.mjtGeom.mjGEOM_MESH,
                meshname=mesh,
                pos=np.array(position) + _LIFT_M * np.array(normal),
                quat=turned,
                rgba=(*np.minimum(shade * np.array(rgb), 1.0), 1.0),
                contype=0,
                conaffinity=0,
                group=VISUAL_GROUP,
                mass=0.0,
            )


def _flake(radius_m: float) -> tuple[Array, NDArray[np.int32]]:
    """Return a flat, uneven crumb: a low pyramid on a hexagon."""
    angle = 2.0 * np.pi * np.arange(_SIDES) / _SIDES
    uneven = radius_m * (1.0 + 0.35 * np.sin(2.0 * angle + 1.0) * np.cos(angle))
    ring = np.stack([uneven * np.cos(angle), uneven * np.sin(angle), np.zeros(_SIDES)], axis=1)
    points = np.concatenate([ring, [[0.0, 0.0, 0.3 * radius_m], [0.0, 0.0, -0.05 * radius_m]]])
    top = [(i, (i + 1) % _SIDES, _SIDES) for i in range(_SIDES)]
    bottom = [((i + 1) % _SIDES, i, _SIDES + 1) for i in range(_SIDES)]
    return points, np.array(top + bottom, dtype=np.int32)


def _colour(dust: DustSpec) -> tuple[float, float, float]:
    text = dust.appearance.get("color")
    if text is None:
        return DEFAULT_COLOUR
    digits = str(text).removeprefix("#")
    if len(digits) != 6 or any(c not in "0123456789abcdefABCDEF" for c in digits):
        raise BuildError(f"dust on {dust.surface!r}: color {text!r} is not of the form '#rrggbb'")
    red, green, blue = (int(digits[i : i + 2], 16) / 255.0 for i in (0, 2, 4))
    return red, green, blue


class Dust:
    """The dust of a world: which particles are left. Positions must be evaluated when it is wiped."""

    def __init__(self, model: mujoco.MjModel, data: mujoco.MjData, scene: Scene, groups: Sequence[DustSpec]) -> None:
        self._model, self._data, self._groups = model, data, tuple(groups)
        self._sizes = [len(dust.positions_m) for dust in groups]
        self._positions = [np.array(dust.positions_m) for dust in groups]
        self._surface = [(scene.index(dust.surface), int(model.body(dust.surface).id)) for dust in groups]
        self._wipers = [
            [(scene.index(name), int(model.body(name).id), _Boxes(scene.entity(name).boxes)) for name in dust.wipers]
            for dust in groups
        ]
        names = [f"{dust.surface}/dust{i}" for dust in groups for i in range(len(dust.positions_m))]
        self._geoms = np.array([int(model.geom(name).id) for name in names], dtype=np.int64)
        self.left: Bool = np.ones(len(names), dtype=np.bool_)

    def reset(self) -> None:
        """Put all dust back."""
        self.left = np.ones(len(self._geoms), dtype=np.bool_)

    def counts(self) -> NDArray[np.int32]:
        """Return how many particles are left of each group (D,)."""
        ends = np.cumsum(self._sizes)
        parts = [self.left[end - size : end].sum() for end, size in zip(ends, self._sizes, strict=True)]
        return np.array(parts, dtype=np.int32)

    def wipe(self, contacts: Contacts) -> None:
        """Take away what the wipers have wiped, given the contacts of the control step that has just ended."""
        first = 0
        for number, dust in enumerate(self._groups):
            size, (surface, body) = self._sizes[number], self._surface[number]
            for wiper, wiper_body, boxes in self._wipers[number]:
                force = _mean_force_n(contacts, surface, wiper)
                if force <= 0.0:
                    continue
                under = boxes.hold(self._in_frame_of(wiper_body, body, self._positions[number]))
                share_m2 = under.sum() * dust.area_m2 / size
                if force > dust.min_pressure_pa * share_m2:
                    # A new array: what a snapshot holds stays as it was.
                    self.left = self.left.copy()
                    self.left[first : first + size] &= ~under
            first += size

    def paint(self) -> None:
        """Show in the model what is left; only pictures depend on it."""
        self._model.geom_rgba[self._geoms, 3] = self.left

    def _in_frame_of(self, target: int, source: int, points: Array) -> Array:
        """Return points (N, 3) of one body in the frame of another."""
        data = self._data
        away = points @ data.xmat[source].reshape(3, 3).T + (data.xpos[source] - data.xpos[target])
        return np.asarray(away @ data.xmat[target].reshape(3, 3))


class _Boxes:
    """A wiper's boxes in its own frame."""

    def __init__(self, boxes: Sequence[Box]) -> None:
        self._center = np.array([box.center_m for box in boxes])
        self._half = np.array([box.half_size_m for box in boxes]) + REACH_M
        turns = np.empty((len(boxes), 9))
        for turn, box in zip(turns, boxes, strict=True):
            mujoco.mju_quat2Mat(turn, np.array(box.quat_wxyz))
        self._turn = turns.reshape(-1, 3, 3)

    def hold(self, points: Array) -> Bool:
        """Return which points (N, 3) lie in one of them."""
        away = points[:, None] - self._center
        local = np.einsum("nbi,bij->nbj", away, self._turn)
        return np.asarray((np.abs(local) <= self._half).all(axis=2).any(axis=1))


def _mean_force_n(contacts: Contacts, one: int, other: int) -> float:
    low, high = min(one, other), max(one, other)
    between = (contacts.entity_a == low) & (contacts.entity_b == high)
    return float(contacts.impulse_n_s[between].sum()) / CONTROL_STEP_S
