"""From what a policy's rows mean to what the simulator executes: joint targets and a gripper opening, at 20 Hz."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
from numpy.typing import ArrayLike, NDArray

from maniguard.planning.kinematics import LOWER_RAD, UPPER_RAD, forward, jacobian
from maniguard.policies.action import CONTROL_RATE_HZ, ActionSpec
from maniguard.policies.rotations import matrix_from, rotation_vector
from maniguard.sim.robot import VELOCITY_RAD_S

F64 = NDArray[np.float64]

#: How far the commanded joints may lead the measured ones when a chunk begins, so that an arm that is held back does
#: not wind up; rad.
LEASH_RAD = 0.25

_STEP_RAD: F64 = VELOCITY_RAD_S / CONTROL_RATE_HZ
_ITERATIONS = 30
_TOLERANCE = 1e-7
_DAMPING = 1e-3
_LARGEST_CHANGE_RAD = 0.2
# Control steps that end within this share of a row after it are counted to it: 1/15 s has no exact binary form.
_SLACK = 1e-9


class ActionConverter:
    """Turns the rows of one policy into actions, and keeps the commanded joints of one rollout.

    Rows follow each other in time, and targets are read off every 50 ms: linearly between absolute rows, evenly within
    a difference. What is left of a row after the last whole control step of a chunk is dropped.

    Differences start from the commanded pose, not from the measured one, which lags and sags: a row of zeros holds
    still. End-effector rows go through differential inverse kinematics (damped least squares, closed-form model of the
    arm) whose joints stay within their ranges and their speeds; a shift that is cut off there is not made up for later.
    Joint rows are passed on as they are: the simulator limits them and counts it.
    """

    def __init__(self, spec: ActionSpec) -> None:
        self._spec = spec
        self._commanded: F64 | None = None

    def reset(self) -> None:
        """Begin a rollout: the next state is where the arm is."""
        self._commanded = None

    def convert(self, state: ArrayLike, rows: ArrayLike) -> F64:
        """Return actions (N, 8) for finite rows (K, dims) seen from state (8,); N is `control_steps(K)` of the spec.

        Values are rounded to single precision, in which actions are recorded. ValueError where a row is no rotation.
        """
        measured = np.asarray(state, np.float64)[:7]
        given = np.asarray(rows, np.float64)
        start = measured if self._commanded is None else self._commanded
        start = np.clip(np.clip(start, measured - LEASH_RAD, measured + LEASH_RAD), LOWER_RAD, UPPER_RAD)
        arm = given[:, :-1] if self._spec.limit is None else np.clip(given[:, :-1], -self._spec.limit, self._spec.limit)
        out = np.empty((self._spec.control_steps(len(given)), 8))
        targets = {
            "joint_position": self._joint_positions,
            "joint_delta": self._joint_deltas,
            "ee_pose": self._poses,
            "ee_delta": self._shifts,
        }[self._spec.convention](start, arm, len(out))
        openings = self._spec.gripper.opening(given[:, -1])
        for step, q in enumerate(targets):
            out[step, :7] = q
            out[step, 7] = openings[self._row_at(step + 1)]
        out = _stored(out)
        if len(out):
            self._commanded = out[-1, :7].copy()
        return out

    def _place(self, step: int) -> float:
        """Return where in the rows the end of control step `step` (from 1) lies; 1 is the end of the first row."""
        return step * self._spec.rate_hz / CONTROL_RATE_HZ

    def _row_at(self, step: int) -> int:
        return max(math.ceil(self._place(step) - _SLACK) - 1, 0)

    def _pieces(self, step: int) -> Iterator[tuple[int, float]]:
        """Give the rows that control step `step` covers, each with the share of it that is covered."""
        begin, end = self._place(step - 1), self._place(step)
        for row in range(math.floor(begin + _SLACK), self._row_at(step) + 1):
            yield row, min(end, row + 1.0) - max(begin, float(row))

    def _joint_positions(self, start: F64, arm: F64, steps: int) -> Iterator[F64]:
        ends = np.concatenate([start[None], arm * self._spec.unit_rad])
        for step in range(1, steps + 1):
            yield _between(ends, self._place(step), self._row_at(step))

    def _joint_deltas(self, start: F64, arm: F64, steps: int) -> Iterator[F64]:
        q = start
        for step in range(1, steps + 1):
            for row, share in self._pieces(step):
                q = q + share * self._spec.unit_rad * arm[row]
            q = _stored(np.clip(q, LOWER_RAD, UPPER_RAD))
            yield q

    def _poses(self, start: F64, arm: F64, steps: int) -> Iterator[F64]:
        spec, q, before = self._spec, start, forward(start)
        scale = spec.unit_rad if spec.rotation != "quat-wxyz" else 1.0
        row, target = -1, before
        for step in range(1, steps + 1):
            while row < self._row_at(step):
                row += 1
                before, target = target, np.eye(4)
                target[:3, 3] = arm[row, :3] * spec.unit_m
                target[:3, :3] = matrix_from(spec.rotation, arm[row, 3:] * scale)
            share = min(self._place(step) - row, 1.0)
            wanted = target.copy()
            if share < 1.0:
                wanted[:3, 3] = before[:3, 3] + share * (target[:3, 3] - before[:3, 3])
                turn = rotation_vector(target[:3, :3] @ before[:3, :3].T)
                wanted[:3, :3] = matrix_from("axis-angle", share * turn) @ before[:3, :3]
            q = _stored(_limited(q, reach(q, wanted)))
            yield q

    def _shifts(self, start: F64, arm: F64, steps: int) -> Iterator[F64]:
        spec, q = self._spec, start
        shift_m = arm[:, :3] * spec.unit_m
        turn_rad = arm[:, 3:] * spec.unit_rad
        if spec.rotation == "rpy":
            turn_rad = np.array([rotation_vector(matrix_from("rpy", row)) for row in turn_rad])
        for step in range(1, steps + 1):
            pose = jacobian(q)[0]
            for row, share in self._pieces(step):
                turned = matrix_from("axis-angle", share * turn_rad[row])
                if spec.frame == "tool":
                    pose[:3, 3] += pose[:3, :3] @ (share * shift_m[row])
                    pose[:3, :3] = pose[:3, :3] @ turned
                else:
                    pose[:3, 3] += share * shift_m[row]
                    pose[:3, :3] = turned @ pose[:3, :3]
            q = _stored(_limited(q, reach(q, pose)))
            yield q


def reach(q_start: F64, base_T_tcp: F64) -> F64:
    """Return joints (7,) near `q_start` whose tcp is at a pose (4, 4), or as near as least squares and limits bring it.

    A joint that meets the end of its range stays there and the others take over. `q_start` itself, to the bit, where
    its tcp is at the pose already.
    """
    q, free, error = q_start, np.ones(7, bool), np.empty(6)
    for _ in range(_ITERATIONS):
        pose, slopes = jacobian(q)
        error[:3] = base_T_tcp[:3, 3] - pose[:3, 3]
        error[3:] = rotation_vector(base_T_tcp[:3, :3] @ pose[:3, :3].T)
        if float(np.abs(error).max()) < _TOLERANCE:
            break
        slope = slopes[:, free]
        change = np.zeros(7)
        change[free] = slope.T @ np.linalg.solve(slope @ slope.T + _DAMPING**2 * np.eye(6), error)
        change *= min(1.0, _LARGEST_CHANGE_RAD / max(float(np.abs(change).max()), 1e-12))
        moved = q + change
        free &= (moved >= LOWER_RAD) & (moved <= UPPER_RAD)
        q = np.clip(moved, LOWER_RAD, UPPER_RAD)
        if not free.any():
            break
    return q


def _stored(values: F64) -> F64:
    # At every step and not at the end, so that it does not matter how rows are parted into chunks.
    return values.astype(np.float32).astype(np.float64)


def _between(ends: F64, place: float, row: int) -> F64:
    share = min(place - row, 1.0)
    return np.asarray(ends[row + 1] if share == 1.0 else ends[row] + share * (ends[row + 1] - ends[row]))


def _limited(q_from: F64, q_to: F64) -> F64:
    change = q_to - q_from
    excess = float(np.max(np.abs(change) / _STEP_RAD))
    return np.asarray(q_from + change / max(excess, 1.0))
