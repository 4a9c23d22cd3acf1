"""Filled containers for the tests, and a way to tilt them."""

from __future__ import annotations

from functools import cache

import mujoco
import numpy as np

from maniguard.sim import LiquidSpec, ObjectSpec, SceneSpec, World, fill
from maniguard.sim.assets import design
from maniguard.trace.scene import Pose

LIFT_M = 0.15
STATE = int(mujoco.mjtState.mjSTATE_INTEGRATION)


def container(name: str = "mug-classic", at=(0.5, 0.0)) -> ObjectSpec:
    return design(name).object_spec("cup", "container", Pose((*at, 0.0)))


@cache
def liquid(name: str = "mug-classic") -> LiquidSpec:
    return fill(container(name), rng=np.random.default_rng(1))


def filled(name: str = "mug-classic", *others: ObjectSpec, at=(0.5, 0.0)) -> SceneSpec:
    return SceneSpec((container(name, at), *others), liquids=(liquid(name),))


def place_container(world: World, pose: Pose) -> None:
    """Put the cup and its grains somewhere at once, as they are."""
    local = world.grain_positions_m("cup")
    address = int(world.model.joint("cup").qposadr[0])
    world.data.qpos[address : address + 3] = pose.position_m
    world.data.qpos[address + 3 : address + 7] = pose.quat_wxyz
    world.data.qvel[:] = 0.0
    turn = np.empty(9)
    mujoco.mju_quat2Mat(turn, np.array(pose.quat_wxyz))
    first = int(world.model.joint("cup/grain0/x").qposadr[0])
    moved = local @ turn.reshape(3, 3).T + np.array(pose.position_m)
    world.data.qpos[first : first + 3 * len(local)] = moved.ravel()
    mujoco.mj_step1(world.model, world.data)


class Holder:
    """Holds the cup in the air and tilts it at 20 degrees per second, as a hand would that never slips."""

    def __init__(self, world: World) -> None:
        self.world, self.angle_deg = world, 0.0
        world.reset()
        x, y, z = world.spec.object("cup").world_T_object.position_m
        self.at = (x, y, z + LIFT_M)
        place_container(world, Pose(self.at))
        joint = world.model.joint("cup")
        self._place, self._speed = int(joint.qposadr[0]), int(joint.dofadr[0])

    def _hold(self) -> None:
        half = np.deg2rad(self.angle_deg) / 2
        data = self.world.data
        data.qpos[self._place : self._place + 3] = self.at
        data.qpos[self._place + 3 : self._place + 7] = (np.cos(half), np.sin(half), 0.0, 0.0)
        data.qvel[self._speed : self._speed + 6] = 0.0

    def tilt(self, angle_deg: float, wait_s: float = 1.0):
        """Tilt further, wait, and return the frame."""
        model, data = self.world.model, self.world.data
        start = self.angle_deg
        for i in range(int(abs(angle_deg - start) / 20.0 / 0.002) + int(wait_s / 0.002)):
            self.angle_deg = min(start + 20.0 * 0.002 * i, angle_deg)
            self._hold()
            mujoco.mj_step(model, data)
        self._hold()
        mujoco.mj_step1(model, data)
        # For the frame the world makes a step in which cup and grains fall together; then it is taken back.
        state = np.empty(mujoco.mj_stateSize(model, STATE))
        mujoco.mj_getState(model, data, state, STATE)
        frame = self.world.step([*self.world.spec.robot_qpos_rad, 1.0])
        mujoco.mj_setState(model, data, state, STATE)
        mujoco.mj_step1(model, data)
        return frame
