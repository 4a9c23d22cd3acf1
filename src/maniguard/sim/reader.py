"""Reads frames out of the simulation's state."""

from __future__ import annotations

import mujoco
import numpy as np
from numpy.typing import NDArray

from maniguard.sim import robot
from maniguard.sim.build import Stage, entity_pose
from maniguard.sim.grains import GrainCounts
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
        self._free = _run(stage.free_entity)
        self._still = np.zeros((len(scene.entities), _COLUMNS), dtype=np.float32)
        for column, entity in enumerate(scene.entities):
            pose = entity_pose(spec, entity.name)
            self._still[column, _POSITION], self._still[column, _QUAT] = pose.position_m, pose.quat_wxyz
        # Where free objects follow each other in the state, as they do unless some have joints, blocks are viewed.
        self._qpos, self._qvel, self._speeds = data.qpos, data.qvel, speeds
        self._pose_places = _run(stage.free_qpos, 7)
        self._twist_places = _run(stage.free_qvel, 6)
        self._descent_places = _run(stage.free_qvel + 2, 1, 6)
        self._rotations = data.xmat
        names = [scene.entities[int(column)].name for column in stage.free_entity]
        self._bodies = np.array([int(model.body(name).id) for name in names], dtype=np.int64)
        self._part_bodies = _run([int(model.body(f"{owner}/{part}").id) for owner, part in scene.moving_parts])
        self._xpos, self._xquat = data.xpos, data.xquat
        joints = [model.joint(f"{owner}/{joint}") for owner, joint in scene.joint_columns]
        self._joint_qpos = _run([int(joint.qposadr[0]) for joint in joints])
        self._joint_qvel = _run([int(joint.dofadr[0]) for joint in joints])
        arm = [model.joint(robot.PREFIX + name) for name in robot.ARM_JOINTS]
        fingers = [model.joint(robot.PREFIX + name) for name in robot.FINGER_JOINTS]
        self.arm_qpos = _run([int(joint.qposadr[0]) for joint in arm])
        self.arm_qvel = _run([int(joint.dofadr[0]) for joint in arm])
        self.finger_qpos = _run([int(joint.qposadr[0]) for joint in fingers])
        self._arm_position, self._arm_speed = data.qpos[self.arm_qpos], data.qvel[self.arm_qvel]
        self._fingers = data.qpos[self.finger_qpos]
        tcp = int(model.site(robot.PREFIX + "tcp").id)
        self._tcp_position, self._tcp_rotation = data.site_xpos[tcp], data.site_xmat[tcp]
        self._tcp_quat = np.empty(4)
        self._no_count = _frozen(np.zeros(0, dtype=np.int32))
        self._no_wrench = _frozen(np.full(6, np.nan, dtype=np.float32))

    def read(
        self,
        time_s: float,
        contacts: Contacts,
        action: NDArray[np.float32],
        saturated: int,
        grains: GrainCounts | None = None,
        dust: NDArray[np.int32] | None = None,
    ) -> Frame:
        """Return the present state as a frame; `grains` and `dust` where the scene has them."""
        single = np.float32
        entities = self._still.copy()
        if len(self._bodies):
            twists = self._qvel[self._twist_places].reshape(-1, 6)
            free = np.empty((len(twists), _COLUMNS), dtype=single)
            free[:, :7] = self._qpos[self._pose_places].reshape(-1, 7)
            free[:, _LINEAR] = twists[:, :3]
            # A free joint's angular velocity is in the axes of the body.
            turned = self._rotations[self._bodies].reshape(-1, 3, 3) * twists[:, None, 3:]
            free[:, _ANGULAR] = turned[:, :, 0] + turned[:, :, 1] + turned[:, :, 2]
            free[:, _DESCENT] = 0.0 - np.minimum(self._speeds[:, self._descent_places].min(axis=0), 0.0)
            entities[self._free] = free
        mujoco.mju_mat2Quat(self._tcp_quat, self._tcp_rotation)
        return Frame(
            time_s=round(time_s, 6),
            position_m=entities[:, _POSITION],
            quat_wxyz=entities[:, _QUAT],
            linear_m_s=entities[:, _LINEAR],
            angular_rad_s=entities[:, _ANGULAR],
            peak_descent_m_s=entities[:, _DESCENT],
            part_position_m=self._xpos[self._part_bodies].astype(single),
            part_quat_wxyz=self._xquat[self._part_bodies].astype(single),
            joint_position=self._qpos[self._joint_qpos].astype(single),
            joint_velocity=self._qvel[self._joint_qvel].astype(single),
            contacts=contacts,
            robot_qpos_rad=self._arm_position.astype(single),
            robot_qvel_rad_s=self._arm_speed.astype(single),
            gripper_opening_m=single(self._fingers.sum()),
            tcp_position_m=self._tcp_position.astype(single),
            tcp_quat_wxyz=self._tcp_quat.astype(single),
            wrench=self._no_wrench,
            action=action,
            action_saturated=saturated,
            grains_inside=self._no_count if grains is None else grains.inside,
            grains_air=self._no_count if grains is None else grains.air,
            grains_lost=self._no_count if grains is None else grains.lost,
            dust_left=self._no_count if dust is None else dust,
        )


def _run(starts: NDArray[np.int64] | list[int], width: int = 1, stride: int = 0) -> slice | NDArray[np.int64]:
    """Return an index of the pieces of `width` at `starts`: a slice where they lie `stride` apart (`width` if 0)."""
    first, step = int(starts[0]) if len(starts) else 0, stride or width
    if list(starts) == list(range(first, first + step * len(starts), step)):
        return slice(first, first + step * len(starts), stride or 1)
    return (np.asarray(starts, dtype=np.int64)[:, None] + np.arange(width)).ravel()


def _frozen(array: NDArray[np.generic]) -> NDArray:
    array.flags.writeable = False
    return array
