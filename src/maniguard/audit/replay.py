"""State replay: recorded positions and velocities put back into their model, and read as frames."""

from __future__ import annotations

from collections.abc import Mapping as Map

import mujoco
import numpy as np

from maniguard.audit.errors import AuditError
from maniguard.audit.mapping import Mapping
from maniguard.audit.meaning import Meaning
from maniguard.audit.modelscene import ModelScene, model_scene
from maniguard.audit.samples import F64, Samples, Touches, present
from maniguard.trace import Channel

# The motors' commands are not in a recording of states. The robot is taken to move as recorded whatever pushes back:
# its own acceleration is zero and its joints carry this much more inertia (kg, kg m^2) than anything that they touch.
_FIRM = 1e4


def replay(
    model: mujoco.MjModel, states: F64, mapping: Mapping, meanings: Map[str, Meaning], *, rate_hz: float | None = None
) -> Samples:
    """Read flattened states (S, 1 + nq + nv): time, positions, velocities, as robosuite writes them.

    Nothing is integrated and no action is looked at. Contacts and their forces are those that MuJoCo finds for each
    state, the robot taken to hold its recorded motion: `recomputed` and `instantaneous`. AuditError for states of
    another length than the model's, or with a number that is none.
    """
    nq, nv, na = int(model.nq), int(model.nv), int(model.na)
    wanted = 1 + nq + nv
    if states.ndim != 2 or states.shape[1] not in (wanted, wanted + na):
        found = states.shape[1] if states.ndim == 2 else states.shape
        raise AuditError(f"the states have {found} numbers each, the model needs 1 + {nq} + {nv} = {wanted}")
    if not np.isfinite(states).all():
        raise AuditError(f"state {int(np.argmax(~np.isfinite(states).all(axis=1)))} holds a number that is none (NaN)")
    _make_firm(model)
    data = mujoco.MjData(model)
    data.qpos[:] = states[0, 1 : 1 + nq]
    mujoco.mj_kinematics(model, data)
    found = model_scene(model, data, mapping, meanings)
    _hold_robot(found)
    warnings: list[str] = []
    others_handler = mujoco.get_mju_user_warning()
    mujoco.set_mju_user_warning(warnings.append)
    try:
        columns, touches = _read(found, data, states)
    finally:
        mujoco.set_mju_user_warning(others_handler)
    if warnings:
        # A full contact buffer, for one, would leave contacts out without another word.
        raise AuditError(f"MuJoCo warns while the states are read: {' '.join(warnings[0].split())}")
    return Samples(found.scene, states[:, 0].copy(), columns, _channels(columns), touches, rate_hz=rate_hz)


def _make_firm(model: mujoco.MjModel) -> None:
    model.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_ACTUATION)
    model.opt.enableflags &= ~int(mujoco.mjtEnableBit.mjENBL_SLEEP)


def _hold_robot(found: ModelScene) -> None:
    found.model.dof_armature[found.robot_dofs] = _FIRM


def _read(found: ModelScene, data: mujoco.MjData, states: F64) -> tuple[dict[str, F64], Touches]:
    model, scene = found.model, found.scene
    count, nq, nv = len(states), int(model.nq), int(model.nv)
    entities, parts = len(scene.entities), len(found.part_bodies)
    poses, quats = np.empty((count, entities, 3)), np.empty((count, entities, 4))
    twists = np.zeros((count, entities, 6))
    part_poses, part_quats = np.empty((count, parts, 3)), np.empty((count, parts, 4))
    tcp, tcp_quat = np.empty((count, 3)), np.empty((count, 4))
    moves = [(i, int(b)) for i, b in enumerate(found.entity_body) if b > 0 and model.body_dofnum[b] > 0]
    xbody, robot = int(mujoco.mjtObj.mjOBJ_XBODY), found.robot_dofs
    rows: list[tuple[float, ...]] = []
    for step in range(count):
        data.qpos[:] = states[step, 1 : 1 + nq]
        data.qvel[:] = states[step, 1 + nq : 1 + nq + nv]
        data.qacc_warmstart[:] = 0.0
        data.qfrc_applied[:] = 0.0
        mujoco.mj_fwdPosition(model, data)
        mujoco.mj_fwdVelocity(model, data)
        data.qfrc_applied[robot] = data.qfrc_bias[robot] - data.qfrc_passive[robot]
        mujoco.mj_fwdActuation(model, data)
        mujoco.mj_fwdAcceleration(model, data)
        mujoco.mj_fwdConstraint(model, data)
        poses[step], quats[step] = data.xpos[found.entity_body], data.xquat[found.entity_body]
        for column, body in moves:
            mujoco.mj_objectVelocity(model, data, xbody, body, twists[step, column], 0)
        part_poses[step], part_quats[step] = data.xpos[found.part_bodies], data.xquat[found.part_bodies]
        if found.tcp_site >= 0:
            tcp[step] = data.site_xpos[found.tcp_site]
            mujoco.mju_mat2Quat(tcp_quat[step], data.site_xmat[found.tcp_site])
        elif len(found.finger_bodies):
            tcp[step] = data.xpos[found.finger_bodies].mean(axis=0)
            tcp_quat[step] = data.xquat[found.finger_bodies[0]]
        _contacts(found, data, step, rows)
    columns = {
        "position_m": poses,
        "quat_wxyz": quats,
        "linear_m_s": twists[:, :, 3:],
        "angular_rad_s": twists[:, :, :3],
        "part_position_m": part_poses,
        "part_quat_wxyz": part_quats,
        "joint_position": states[:, 1 + found.joint_qpos] * found.joint_sign,
        "joint_velocity": states[:, 1 + nq + found.joint_dof] * found.joint_sign,
    }
    if found.tcp_site >= 0 or len(found.finger_bodies):
        columns["tcp_position_m"], columns["tcp_quat_wxyz"] = tcp, tcp_quat
    if len(found.arm_qpos):
        columns["robot_qpos_rad"] = states[:, 1 + found.arm_qpos]
        columns["robot_qvel_rad_s"] = states[:, 1 + nq + found.arm_dof]
    if len(found.finger_qpos):
        columns["gripper_opening_m"] = (states[:, 1 + found.finger_qpos] * found.finger_sign).sum(axis=1)
    return columns, _touches(rows)


def _contacts(found: ModelScene, data: mujoco.MjData, step: int, rows: list[tuple[float, ...]]) -> None:
    """Add the pairs that touch in this state: one row each, its forces summed, the rest of its strongest contact."""
    contact = data.contact
    if not data.ncon:
        return
    geoms = contact.geom
    entity, part = found.geom_entity[geoms], found.geom_part[geoms]
    force = np.zeros(6)
    pairs: dict[tuple[int, int, int, int], list[float]] = {}
    distances, normals, places = contact.dist, contact.frame[:, :3], contact.pos
    for index in range(data.ncon):
        a, b = (int(entity[index, 0]), int(part[index, 0])), (int(entity[index, 1]), int(part[index, 1]))
        if a[0] < 0 or b[0] < 0 or a == b:
            continue
        mujoco.mj_contactForce(found.model, data, index, force)
        pressing, gap = float(force[0]), float(distances[index])
        if pressing <= 0.0 and gap > 0.0:
            continue
        sign = 1.0
        if a > b:
            a, b, sign = b, a, -1.0
        values = [*(sign * normals[index]).tolist(), *places[index].tolist(), pressing, gap, pressing]
        before = pairs.get((*a, *b))
        if before is None:
            pairs[(*a, *b)] = values
            continue
        total, nearest = before[6] + pressing, min(before[7], gap)
        kept = values if pressing > before[8] else before
        pairs[(*a, *b)] = [*kept[:6], total, nearest, kept[8]]
    rows.extend((step, *key, *values[:8]) for key, values in sorted(pairs.items()))


def _touches(rows: list[tuple[float, ...]]) -> Touches:
    table = np.array(rows, np.float64).reshape(-1, 13)
    whole = table[:, :5].astype(np.int64)
    return Touches(whole[:, 0], whole[:, 1:3], whole[:, 3:5], table[:, 5:8], table[:, 8:11], table[:, 11], table[:, 12])


def _channels(columns: Map[str, F64]) -> dict[str, Channel]:
    channels = present("measured", "instantaneous", "time_s", *columns)
    return channels | present("recomputed", "instantaneous", "peak_descent_m_s", "contacts", "contact_force")
