"""Where the Panda's hand is, and every way to bring it somewhere: closed-form forward and inverse kinematics."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from maniguard.sim import robot

F64 = NDArray[np.float64]

# Franka Emika, "Denavit-Hartenberg parameters" (Craig's convention), metres.
BASE_TO_SHOULDER_M = 0.333
SHOULDER_TO_ELBOW_M = 0.316
ELBOW_OFFSET_M = 0.0825
ELBOW_TO_WRIST_M = 0.384
WRIST_OFFSET_M = 0.088
FLANGE_M = 0.107
FLANGE_TO_TCP_M = 0.1034
HAND_ROTATION_RAD = -np.pi / 4

LOWER_RAD: F64 = robot.JOINT_LIMITS_RAD[:, 0]
UPPER_RAD: F64 = robot.JOINT_LIMITS_RAD[:, 1]

_TWISTS = (0.0, -np.pi / 2, np.pi / 2, np.pi / 2, -np.pi / 2, np.pi / 2, np.pi / 2)
_OFFSETS = (0.0, 0.0, 0.0, ELBOW_OFFSET_M, -ELBOW_OFFSET_M, 0.0, WRIST_OFFSET_M)
_LENGTHS = (BASE_TO_SHOULDER_M, 0.0, SHOULDER_TO_ELBOW_M, 0.0, ELBOW_TO_WRIST_M, 0.0, 0.0)


class JointSolutions(NamedTuple):
    """Joint vectors `q` (K, 7) in rad, and the index `pose` (K,) of the pose that each one reaches."""

    q: F64
    pose: NDArray[np.int64]


def _rot_x(angle: float) -> F64:
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[1.0, 0.0, 0.0], [0.0, c, -s], [0.0, s, c]])


def _rot_z(angle: F64) -> F64:
    """Return rotations about z, shape (..., 3, 3), for angles (...)."""
    angle = np.asarray(angle, dtype=np.float64)
    out = np.zeros((*angle.shape, 3, 3))
    out[..., 0, 0] = out[..., 1, 1] = np.cos(angle)
    out[..., 1, 0] = np.sin(angle)
    out[..., 0, 1] = -out[..., 1, 0]
    out[..., 2, 2] = 1.0
    return out


_RX = tuple(_rot_x(twist) for twist in _TWISTS)
_HAND = _rot_z(np.asarray(HAND_ROTATION_RAD))


def _placed(rotation: F64, x_m: float, z_m: float) -> F64:
    """Return the transform that shifts along x, then turns by `rotation`, then shifts along the new z."""
    out = np.eye(4)
    out[:3, :3] = rotation
    out[:3, 3] = rotation[:, 2] * z_m
    out[0, 3] += x_m
    return out


_LINKS = np.stack([_placed(*link) for link in zip(_RX, _OFFSETS, _LENGTHS, strict=True)])
_TOOL = _placed(_HAND, 0.0, FLANGE_M + FLANGE_TO_TCP_M)


def forward(q: F64) -> F64:
    """Return `base_T_tcp` as homogeneous matrices (..., 4, 4) for joint vectors `q` (..., 7) in rad.

    The tcp lies between the finger pads: z points out of the hand, y is the direction in which the fingers close.
    """
    q = np.asarray(q, dtype=np.float64)
    rotation = np.broadcast_to(np.eye(3), (*q.shape[:-1], 3, 3))
    position = np.zeros((*q.shape[:-1], 3))
    for joint in range(7):
        position = position + rotation[..., :, 0] * _OFFSETS[joint]
        rotation = rotation @ _RX[joint]
        position = position + rotation[..., :, 2] * _LENGTHS[joint]
        rotation = rotation @ _rot_z(q[..., joint])
    out = np.zeros((*q.shape[:-1], 4, 4))
    out[..., :3, :3] = rotation @ _HAND
    out[..., :3, 3] = position + rotation[..., :, 2] * (FLANGE_M + FLANGE_TO_TCP_M)
    out[..., 3, 3] = 1.0
    return out


def jacobian(q: F64) -> tuple[F64, F64]:
    """Return `base_T_tcp` (4, 4) of `q` (7,), and how it moves with each joint: (6, 7), m/rad, in the base's axes.

    The geometric Jacobian: joint i turns about its axis z_i through its origin, so its columns are z_i × (tcp - origin)
    above z_i. One pass for both, for loops that take one step after the other.
    """
    turned = np.zeros((7, 4, 4))
    turned[:, 0, 0] = turned[:, 1, 1] = np.cos(q)
    turned[:, 1, 0] = np.sin(q)
    turned[:, 0, 1] = -turned[:, 1, 0]
    turned[:, 2, 2] = turned[:, 3, 3] = 1.0
    links = _LINKS @ turned
    frames = np.empty((7, 4, 4))
    frames[0] = links[0]
    for joint in range(1, 7):
        np.matmul(frames[joint - 1], links[joint], out=frames[joint])
    pose = frames[6] @ _TOOL
    axes, arms = frames[:, :3, 2], pose[:3, 3] - frames[:, :3, 3]
    out = np.empty((6, 7))
    out[0] = axes[:, 1] * arms[:, 2] - axes[:, 2] * arms[:, 1]
    out[1] = axes[:, 2] * arms[:, 0] - axes[:, 0] * arms[:, 2]
    out[2] = axes[:, 0] * arms[:, 1] - axes[:, 1] * arms[:, 0]
    out[3:] = axes.T
    return pose, out


def inverse(base_T_tcp: F64, wrist_rad: F64) -> JointSolutions:
    """Return every joint vector within limits that reaches a pose with the last joint at a given angle.

    `base_T_tcp` (P, 4, 4) and `wrist_rad` (P,) go together row by row. The arm has seven joints, so that fixing the
    last leaves finitely many solutions: two each at elbow, wrist and shoulder, most of them outside the limits. Rows
    without a solution yield none. The construction is the triangle shoulder-elbow-wrist, whose corners are known once
    the last joint is.
    """
    target = np.asarray(base_T_tcp, dtype=np.float64)
    wrist = np.asarray(wrist_rad, dtype=np.float64)
    flange = target[:, :3, :3] @ _HAND.T
    origin7 = target[:, :3, 3] - flange[:, :, 2] * (FLANGE_M + FLANGE_TO_TCP_M)
    frame6 = flange @ np.swapaxes(_RX[6] @ _rot_z(wrist), -1, -2)
    origin6 = origin7 - frame6[:, :, 0] * WRIST_OFFSET_M
    to_shoulder = np.array([0.0, 0.0, BASE_TO_SHOULDER_M]) - origin6

    upper = np.hypot(ELBOW_OFFSET_M, SHOULDER_TO_ELBOW_M)
    lower = np.hypot(ELBOW_OFFSET_M, ELBOW_TO_WRIST_M)
    reach2 = np.einsum("pi,pi->p", to_shoulder, to_shoulder)
    cos_elbow = (upper**2 + lower**2 - reach2) / (2 * upper * lower)
    rest = np.arctan2(ELBOW_TO_WRIST_M, -ELBOW_OFFSET_M) - np.arctan2(-SHOULDER_TO_ELBOW_M, -ELBOW_OFFSET_M)
    reachable = np.abs(cos_elbow) <= 1.0
    bend = np.arccos(np.clip(cos_elbow, -1.0, 1.0))
    w = np.einsum("pji,pj->pi", frame6, to_shoulder)
    planar = np.hypot(w[:, 0], w[:, 1])
    phase = np.arctan2(w[:, 0], w[:, 1])

    rows = np.arange(len(target))
    found_q: list[F64] = []
    found_pose: list[NDArray[np.int64]] = []
    for q4, side in (
        (bend - rest, 1.0),
        (bend - rest, -1.0),
        (2 * np.pi - bend - rest, 1.0),
        (2 * np.pi - bend - rest, -1.0),
    ):
        # The shoulder as the wrist sees it before joints 5 and 6 turn: `along` the forearm and `across` it; `w` is it
        # after.
        across = ELBOW_OFFSET_M * (1.0 - np.cos(q4)) - SHOULDER_TO_ELBOW_M * np.sin(q4)
        along = ELBOW_OFFSET_M * np.sin(q4) - SHOULDER_TO_ELBOW_M * np.cos(q4) - ELBOW_TO_WRIST_M
        cos6 = along / np.maximum(planar, 1e-12)
        q6 = phase + side * np.arccos(np.clip(cos6, -1.0, 1.0))
        q6 = np.where(q6 < LOWER_RAD[5], q6 + 2 * np.pi, q6)
        q6 = np.where(q6 > UPPER_RAD[5], q6 - 2 * np.pi, q6)
        sign = np.where(across < 0, -1.0, 1.0)
        q5 = np.arctan2(sign * w[:, 2], sign * (w[:, 0] * np.cos(q6) - w[:, 1] * np.sin(q6)))
        forearm = (_RX[3] @ _rot_z(q4)) @ (_RX[4] @ _rot_z(q5)) @ (_RX[5] @ _rot_z(q6))
        shoulder = frame6 @ np.swapaxes(forearm, -1, -2)
        sine = np.hypot(shoulder[:, 0, 2], shoulder[:, 1, 2])
        tilt = np.arctan2(sine, shoulder[:, 2, 2])
        # A straight shoulder makes joints 1 and 3 one axis: let them share the turning.
        straight = sine < 1e-7
        half_turn = np.arctan2(shoulder[:, 1, 0], shoulder[:, 0, 0]) / 2.0
        for flip in (1.0, -1.0):
            q2 = flip * tilt
            q1 = np.where(straight, half_turn, np.arctan2(flip * shoulder[:, 1, 2], flip * shoulder[:, 0, 2]))
            q3 = np.where(straight, half_turn, np.arctan2(flip * shoulder[:, 2, 1], -flip * shoulder[:, 2, 0]))
            q = np.stack([q1, q2, q3, q4, q5, q6, wrist], axis=-1)
            good = reachable & (np.abs(cos6) <= 1.0) & np.all((q >= LOWER_RAD) & (q <= UPPER_RAD), axis=-1)
            found_q.append(q[good])
            found_pose.append(rows[good])
    q_all, pose_all = np.concatenate(found_q), np.concatenate(found_pose)
    order = np.argsort(pose_all, kind="stable")
    return JointSolutions(q_all[order], pose_all[order])


def solutions(base_T_tcp: F64, *, samples: int = 36, margin_rad: float = 0.05) -> F64:
    """Return joint vectors (K, 7) that reach one pose (4, 4), over `samples` angles of the last joint.

    `margin_rad` keeps that far from every joint limit. The order depends on the arguments alone.
    """
    wrist = np.linspace(LOWER_RAD[6] + margin_rad, UPPER_RAD[6] - margin_rad, samples)
    q = inverse(np.broadcast_to(base_T_tcp, (samples, 4, 4)), wrist).q
    return q[np.all((q >= LOWER_RAD + margin_rad) & (q <= UPPER_RAD - margin_rad), axis=-1)]


def follow(
    q_start: F64, poses: F64, *, wrist_rad: F64 | None = None, jump_rad: float = 0.3, partly: bool = False
) -> F64 | None:
    """Return joint vectors (P, 7) through `poses` (P, 4, 4) one after the other, starting next to `q_start` (7,).

    The last joint keeps its angle, or takes those of `wrist_rad` (P,). Of the remaining solutions the nearest to the
    one before is taken. None when a pose
    has no solution or the nearest one is more than `jump_rad` away in some joint; with `partly`, the rows before that.
    """
    found = inverse(poses, np.full(len(poses), q_start[6]) if wrist_rad is None else wrist_rad)
    out = np.empty((len(poses), 7))
    last = np.asarray(q_start, dtype=np.float64)
    for row in range(len(poses)):
        options = found.q[found.pose == row]
        if not len(options):
            return out[:row] if partly and row else None
        distance = np.max(np.abs(options - last), axis=-1)
        best = int(np.argmin(distance))
        if distance[best] > jump_rad:
            return out[:row] if partly and row else None
        last = out[row] = options[best]
    return out


def manipulability(q: F64) -> F64:
    """Return a distance from trouble for joint vectors (..., 7): the smallest share of joint range left, 0 to 1."""
    centre, half = (UPPER_RAD + LOWER_RAD) / 2, (UPPER_RAD - LOWER_RAD) / 2
    return 1.0 - np.max(np.abs(q - centre) / half, axis=-1)
