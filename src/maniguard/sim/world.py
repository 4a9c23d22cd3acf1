"""The world: one scene in motion, one control step at a time; it makes frames and pictures and judges nothing."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NoReturn

import mujoco
import numpy as np
from numpy.typing import ArrayLike, NDArray

from maniguard.sim import robot
from maniguard.sim.build import AssetMaker, Stage, build_stage, catalogued
from maniguard.sim.cameras import Quality
from maniguard.sim.command import (
    CONTROL_STEP_S,
    SUBSTEPS,
    CommandState,
    checked_action,
    finger_target_m,
    interpolate,
    resting,
)
from maniguard.sim.contacts import ContactLatch
from maniguard.sim.dust import Dust
from maniguard.sim.faults import SimulationFault
from maniguard.sim.grains import Grains
from maniguard.sim.reader import FrameReader
from maniguard.sim.render import RendererPool
from maniguard.sim.scene import SceneSpec
from maniguard.sim.sieve import SievingLatch
from maniguard.trace.frame import Channel, Contacts, Frame, simulation_channels
from maniguard.trace.scene import Scene

SETTLE_STEPS = 20
# A thing that falls off the table lands at 4 m/s; ten times that is not motion but a blow-up.
MAX_SPEED_M_S = 40.0
MAX_ARM_SPEED_RAD_S = 40.0
# A light lid that a finger flicks turns at some tens of radians per second.
MAX_HINGE_SPEED_RAD_S = 200.0
_STATE = int(mujoco.mjtState.mjSTATE_INTEGRATION)


@dataclass(frozen=True, eq=False)
class Snapshot:
    """Everything that decides how a world goes on, and the frame it is at; valid for worlds of an equal scene."""

    physics: NDArray[np.float64]
    command: CommandState
    step_index: int
    frame: Frame
    dust: NDArray[np.bool_]


class World:
    """One scene in motion.

    Frame 0 is the settled start; `step` takes 7 joint targets (rad) and the gripper opening 0-1. Openings from 0.1 to 1
    command the distance of the pads as a share of 0.08 m; below that a squeeze builds up, until at 0 the fingers are
    commanded 25 mm beyond closed (20 N on a rim of 4 mm, 35 N on a body of 45 mm or more, each finger). A finger is
    commanded to move at 0.1 m/s at most, and then takes 0.1 s to build the squeeze up or to let it go.
    """

    def __init__(self, spec: SceneSpec, *, make_asset: AssetMaker | None = None) -> None:
        self.spec = spec
        self._stage: Stage = build_stage(spec, make_asset or catalogued)
        self.model: mujoco.MjModel = self._stage.model
        self.data = mujoco.MjData(self.model)
        self.scene: Scene = self._stage.scene
        self.channels: Mapping[str, Channel] = simulation_channels()
        self._grains = Grains(self.model, self.data, spec.liquids, self._stage.objects)
        self._dust = Dust(self.model, self.data, self.scene, spec.dust)
        latch = SievingLatch if self._grains.count else ContactLatch
        self._latch: ContactLatch = latch(self._stage, self.data)
        self._speeds = np.zeros((SUBSTEPS, self.model.nv))
        self._reader = FrameReader(spec, self._stage, self.data, self._speeds)
        self._renderers = RendererPool(self.model, self.data)
        model = self.model
        arm = [int(model.actuator(robot.PREFIX + name).id) for name in robot.ARM_JOINTS]
        self._damping_over_stiffness_s = -model.actuator_biasprm[arm, 2] / model.actuator_gainprm[arm, 0]
        self._speed_limit = _speed_limits(self._stage, self._reader)
        self._warnings: list[str] = []
        self._settled: Snapshot | None = None
        self._command = resting(np.array(spec.robot_qpos_rad), robot.MAX_OPENING_M / 2)
        self._step_index = 0
        self._frame: Frame | None = None

    @property
    def frame(self) -> Frame:
        """The present frame; the world is reset first where that has not happened."""
        return self.reset() if self._frame is None else self._frame

    def reset(self) -> Frame:
        """Return to the settled start and give its frame; SimulationFault if the scene blows up while settling."""
        if self._settled is None:
            self._settle()
            self._settled = self.snapshot()
        self.restore(self._settled)
        return self.frame

    def step(self, action: ArrayLike) -> Frame:
        """Realise one action (8,) over one control step and return the frame at its end.

        ActionError if it is not (8,) finite numbers; SimulationFault on a blow-up, after which the world must be reset.
        """
        if self._frame is None:
            self.reset()
        wanted = checked_action(action)
        commands, self._command, saturated = interpolate(self._command, wanted, self._damping_over_stiffness_s)
        contacts = self._advance(commands)
        self._step_index += 1
        if len(self._dust.left):
            self._dust.wipe(contacts)
        self._frame = self._read(contacts, wanted.astype(np.float32), saturated)
        return self._frame

    def snapshot(self) -> Snapshot:
        """Return the present state; a world restored to it goes on equal to the bit."""
        frame = self.frame
        physics = np.empty(mujoco.mj_stateSize(self.model, _STATE))
        mujoco.mj_getState(self.model, self.data, physics, _STATE)
        return Snapshot(physics, self._command, self._step_index, frame, self._dust.left)

    def restore(self, snapshot: Snapshot) -> Frame:
        """Return to a snapshot and give its frame."""
        mujoco.mj_setState(self.model, self.data, snapshot.physics, _STATE)
        mujoco.mj_step1(self.model, self.data)
        self._command = snapshot.command
        self._step_index = snapshot.step_index
        self._frame = snapshot.frame
        self._dust.left = snapshot.dust
        return snapshot.frame

    def render(self, camera: str, quality: Quality = "fast", size: int = 256) -> NDArray[np.uint8]:
        """Return a picture (size, size, 3) of the present state from one of `CAMERAS`; quality "fast" or "studio"."""
        if self._frame is None:
            self.reset()
        self._dust.paint()
        return self._renderers.render(camera, quality, size, size)

    def owner(self, geom: int) -> tuple[str, str] | None:
        """Return the (entity, part) that a geom of the model belongs to, None for what is only looked at."""
        entity = int(self._stage.geom_entity[geom])
        if entity < 0:
            return None
        owner = self.scene.entities[entity]
        return owner.name, owner.parts[int(self._stage.geom_part[geom])].name

    def grain_positions_m(self, container: str) -> NDArray[np.float64]:
        """Return where the grains of the liquid in `container` are (N, 3), in the container's frame."""
        return self._grains.in_container(container)

    def close(self) -> None:
        """Free what rendering holds; the world can still be stepped, and rendering starts anew when asked for."""
        self._renderers.close()

    def __enter__(self) -> World:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _settle(self) -> None:
        model, data = self.model, self.data
        mujoco.mj_resetData(model, data)
        reader, start = self._reader, np.array(self.spec.robot_qpos_rad)
        data.qpos[reader.arm_qpos] = start
        data.qpos[reader.finger_qpos] = robot.MAX_OPENING_M / 2
        for item, asset in self._stage.objects:
            for joint in asset.joints:
                data.joint(f"{item.name}/{joint.name}").qpos[0] = joint.start
        self._command = resting(start, finger_target_m(1.0))
        if self._grains.count:
            mujoco.mj_kinematics(model, data)
            self._grains.place()
        self._dust.reset()
        mujoco.mj_step1(model, data)
        hold = np.tile([*start, self._command.finger_m], (SUBSTEPS, 1))
        contacts = Contacts.empty()
        for _ in range(SETTLE_STEPS):
            contacts = self._advance(hold)
        data.time = 0.0
        self._step_index = 0
        self._speeds[:] = self._speeds[-1]
        nothing = np.full(8, np.nan, dtype=np.float32)
        self._frame = self._read(contacts, nothing, 0)

    def _read(self, contacts: Contacts, action: NDArray[np.float32], saturated: int) -> Frame:
        grains = self._grains.counts() if self._grains.count else None
        dust = self._dust.counts() if len(self._dust.left) else None
        return self._reader.read(self._step_index * CONTROL_STEP_S, contacts, action, saturated, grains, dust)

    def _advance(self, commands: NDArray[np.float64]) -> Contacts:
        """Integrate one control step. The loop enters and leaves with positions and velocities evaluated (mj_step1)."""
        model, data, latch, speeds = self.model, self.data, self._latch, self._speeds
        control, velocity = data.ctrl, data.qvel
        first_half, second_half, record = mujoco.mj_step1, mujoco.mj_step2, latch.record
        others_handler = mujoco.get_mju_user_warning()
        mujoco.set_mju_user_warning(self._warnings.append)
        try:
            for substep in range(SUBSTEPS):
                control[:] = commands[substep]
                second_half(model, data)
                record(substep)
                first_half(model, data)
                speeds[substep] = velocity
        finally:
            mujoco.set_mju_user_warning(others_handler)
        self._check()
        return latch.reduce()

    def _check(self) -> None:
        if self._warnings:
            text = self._warnings[0].strip()
            degree = re.search(r"DOF (\d+)", text)
            where = f" at {self._body_of(int(degree[1]))!r}" if degree else ""
            self._fail(f"{text.splitlines()[0]}{where}")
        fast = ~(np.abs(self._speeds) <= self._speed_limit)
        if fast.any():
            substep, column = np.argwhere(fast)[0]
            speed = float(self._speeds[substep, column])
            self._fail(f"{self._body_of(int(column))!r} has a speed of {speed:.4g} (m/s or rad/s)")

    def _body_of(self, degree: int) -> str:
        return str(self.model.body(int(self.model.dof_bodyid[degree])).name)

    def _fail(self, reason: str) -> NoReturn:
        self._warnings.clear()
        self._frame = None
        raise SimulationFault(f"the physics blew up in control step {self._step_index + 1}: {reason}")


def _speed_limits(stage: Stage, reader: FrameReader) -> NDArray[np.float64]:
    """Return for each degree of freedom (nv,) the speed beyond which the physics has blown up."""
    model = stage.model
    limits = np.full(model.nv, np.inf)
    for joint in range(model.njnt):
        address, kind = int(model.jnt_dofadr[joint]), int(model.jnt_type[joint])
        if kind == mujoco.mjtJoint.mjJNT_FREE.value:
            limits[address : address + 3] = MAX_SPEED_M_S
        elif kind == mujoco.mjtJoint.mjJNT_SLIDE.value and not _is_robots(model, joint):
            limits[address] = MAX_SPEED_M_S
        elif kind == mujoco.mjtJoint.mjJNT_HINGE.value:
            limits[address] = MAX_HINGE_SPEED_RAD_S
    limits[reader.arm_qvel] = MAX_ARM_SPEED_RAD_S
    return limits


def _is_robots(model: mujoco.MjModel, joint: int) -> bool:
    return bool(str(model.joint(joint).name).startswith(robot.PREFIX))
