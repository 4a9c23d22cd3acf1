"""Reads frames out of the simulation's state."""

from __future__ import annotations

import mujoco
import numpy as np
from numpy.typing import NDArray

from maniguard.sim import robot
from maniguard.sim.build import Stage, entity_pose
from maniguard.sim.scene import SceneSpec
from maniguard.trace.frame import Contacts, Frame

# Columns of the block that holds the channels of all entities.
_POSITION, _QUAT, _LINEAR, _ANGULAR, _DESCENT = slice(0, 3), slice(3, 7), slice(7, 10), slice(10, 13), 13
_COLUMNS = 14


class FrameReader:
    """Knows where in the state each channel is; `read` needs positions and velocities that are evaluated (mj_step1).

    `speeds` (25, nv) is where the world keeps the velocities after each substep of the control step.
    """

    def __init__(self, spec: SceneSpec, stage: Stage, data: mujoco.MjData, speeds: NDArray[np.float64]) -> None:
        model, scene = stage.model, stage.scene
        count, free = len(scene.entities), len(stage.free_entity)
        self._still = np.zeros((count, _COLUMNS), dtype=np.float32)
        for column in range(count - free):
            pose = entity_pose(spec, scene.entities[column].name)
            self._still[column, _POSITION], self._still[column, _QUAT] = pose.position_m, pose.quat_wxyz
        # Objects come last, in one order everywhere, so that whole blocks of the state can be viewed and copied.
        self._first_free = count - free
        self._poses = data.qpos[_block(stage.free_qpos, 7)].reshape(free, 7)
        self._twists = data.qvel[_block(stage.free_qvel, 6)].reshape(free, 6)
        self._descents = speeds[:, _block(stage.free_qvel, 6)][:, 2::6]
        self._rotations = data.xmat
        self._bodies = np.array([int(model.body(item.name).id) for item in spec.objects], dtype=np.int64)
        links = [int(model.body(robot.PREFIX + part).id) for owner, part in scene.moving_parts if owner == "panda"]
        self._part_position, self._part_quat = data.xpos[_block(links, 1)], data.xquat[_block(links, 1)]
        arm = [model.joint(robot.PREFIX + name) for name in robot.ARM_JOINTS]
        fingers = [model.joint(robot.PREFIX + name) for name in robot.FINGER_JOINTS]
        self.arm_qpos = _block([int(joint.qposadr[0]) for joint in arm], 1)
        self.arm_qvel = _block([int(joint.dofadr[0]) for joint in arm], 1)
        self.finger_qpos = _block([int(joint.qposadr[0]) for joint in fingers], 1)
        self._arm_position, self._arm_speed = data.qpos[self.arm_qpos], data.qvel[self.arm_qvel]
        self._fingers = data.qpos[self.finger_qpos]
        tcp = int(model.site(robot.PREFIX + "tcp").id)
        self._tcp_position, self._tcp_rotation = data.site_xpos[tcp], data.site_xmat[tcp]
        self._tcp_quat = np.empty(4)
        self._no_number = _frozen(np.zeros(0, dtype=np.float32))
        self._no_count = _frozen(np.zeros(0, dtype=np.int32))
        self._no_wrench = _frozen(np.full(6, np.nan, dtype=np.float32))

    def read(self, time_s: float, contacts: Contacts, action: NDArray[np.float32], saturated: int) -> Frame:
        """Return the present state as a frame."""
        single = np.float32
        entities = self._still.copy()
        if len(self._bodies):
            free = entities[self._first_free :]
            free[:, :7] = self._poses
            free[:, _LINEAR] = self._twists[:, :3]
            # A free joint's angular velocity is in the axes of the body.
            turned = self._rotations[self._bodies].reshape(-1, 3, 3) * self._twists[:, None, 3:]
            free[:, _ANGULAR] = turned[:, :, 0] + turned[:, :, 1] + turned[:, :, 2]
            free[:, _DESCENT] = 0.0 - np.minimum(self._descents.min(axis=0), 0.0)
        mujoco.mju_mat2Quat(self._tcp_quat, self._tcp_rotation)
        return Frame(
            time_s=round(time_s, 6),
            position_m=entities[:, _POSITION],
            quat_wxyz=entities[:, _QUAT],
            linear_m_s=entities[:, _LINEAR],
            angular_rad_s=entities[:, _ANGULAR],
            peak_descent_m_s=entities[:, _DESCENT],
            part_position_m=self._part_position.astype(single),
            part_quat_wxyz=self._part_quat.astype(single),
            joint_position=self._no_number,
            joint_velocity=self._no_number,
            contacts=contacts,
            robot_qpos_rad=self._arm_position.astype(single),
            robot_qvel_rad_s=self._arm_speed.astype(single),
            gripper_opening_m=single(self._fingers.sum()),
            tcp_position_m=self._tcp_position.astype(single),
            tcp_quat_wxyz=self._tcp_quat.astype(single),
            wrench=self._no_wrench,
            action=action,
            action_saturated=saturated,
            grains_inside=self._no_count,
            grains_air=self._no_count,
            grains_lost=self._no_count,
            dust_left=self._no_count,
        )


def _block(starts: NDArray[np.int64] | list[int], width: int) -> slice:
    """Return the slice that pieces of `width` at `starts` fill without a gap; the builder lays them out so."""
    first = int(starts[0]) if len(starts) else 0
    if list(starts) != list(range(first, first + width * len(starts), width)):
        raise RuntimeError(f"the state is not laid out in one block: {list(starts)}")
    return slice(first, first + width * len(starts))


def _frozen(array: NDArray[np.generic]) -> NDArray:
    array.flags.writeable = False
    return array
