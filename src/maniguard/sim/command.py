"""From actions to actuator commands: clipping to the joint ranges, speed and acceleration limits, interpolation."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from maniguard.errors import ManiguardError
from maniguard.sim import robot

Array = NDArray[np.float64]

SUBSTEPS = 25
TIMESTEP_S = 0.002
CONTROL_STEP_S = SUBSTEPS * TIMESTEP_S
CONTROL_RATE_HZ = 20.0
ACTION_SIZE = 8

# The speed that is fed forward changes over this many substeps, which keeps the torque free of steps.
_RAMP_SUBSTEPS = 12
_TOLERANCE_RAD = 1e-9


class ActionError(ManiguardError):
    """An action of the wrong shape or with a value that is not finite."""


class CommandState(NamedTuple):
    """What the interpolation remembers between control steps; units rad, rad/s, m (mean finger position)."""

    position_rad: Array
    velocity_rad_s: Array
    target_rad: Array
    finger_m: float


def resting(position_rad: Array, finger_m: float) -> CommandState:
    """Return the command state of a robot that stands still at `position_rad` (7,)."""
    position = np.array(position_rad, dtype=np.float64)
    return CommandState(position, np.zeros(7), position.copy(), finger_m)


def finger_target_m(opening: float) -> float:
    """Return the commanded mean finger position for a gripper opening 0-1; below 0.1 a squeeze is added."""
    opening = min(max(opening, 0.0), 1.0)
    squeeze = robot.SQUEEZE_M * max(0.0, 1.0 - opening / robot.SQUEEZE_BELOW)
    return 0.5 * robot.MAX_OPENING_M * opening - squeeze


def checked_action(action: object) -> Array:
    """Return `action` as (8,) float64; ActionError if its shape is another or a value is not finite."""
    array = np.asarray(action, dtype=np.float64)
    if array.shape != (ACTION_SIZE,):
        raise ActionError(f"an action needs shape ({ACTION_SIZE},): 7 joint targets and the gripper, got {array.shape}")
    if not np.isfinite(array).all():
        raise ActionError(f"the action has a value that is not finite: {array.tolist()}")
    return array


def interpolate(state: CommandState, action: Array, damping_over_stiffness_s: Array) -> tuple[Array, CommandState, int]:
    """Return actuator commands (25, 8), the next state, and how many (joint, substep) pairs were limited.

    Each joint moves to its target in a straight line over the control step, unless that would exceed its range or its
    speed, or change its speed by more than its acceleration allows within one control step. A joint that cannot follow
    approaches its target as a point that moves at the target's own speed, slowly enough to join it without overshoot.

    Position actuators lag behind a moving command by speed × kv / kp; that much is added to the command.
    """
    dt = CONTROL_STEP_S
    target = action[:7].clip(_LOWER_RAD, _UPPER_RAD)
    straight = (target - state.position_rad) / dt
    own_speed = ((target - state.target_rad) / dt).clip(-robot.VELOCITY_RAD_S, robot.VELOCITY_RAD_S)
    low = np.maximum(state.velocity_rad_s - _CHANGE_RAD_S, -robot.VELOCITY_RAD_S)
    high = np.minimum(state.velocity_rad_s + _CHANGE_RAD_S, robot.VELOCITY_RAD_S)
    reachable = (straight >= low) & (straight <= high) & (np.abs(straight - own_speed) <= _CHANGE_RAD_S)
    if reachable.all():
        velocity, end = straight, target
    else:
        joining = own_speed + _braking_speed(straight - own_speed)
        velocity = np.where(reachable, straight, joining.clip(low, high))
        end = (state.position_rad + velocity * dt).clip(_LOWER_RAD, _UPPER_RAD)
        velocity = (end - state.position_rad) / dt
    limited = np.abs(action[:7] - end) > _TOLERANCE_RAD

    finger_end = _finger_step(state.finger_m, finger_target_m(float(action[7])))

    commands = np.empty((SUBSTEPS, 8))
    commands[:, :7] = state.position_rad + _SHARE * (end - state.position_rad)
    fed_forward = state.velocity_rad_s + _RAMP * (velocity - state.velocity_rad_s)
    commands[:, :7] += damping_over_stiffness_s * fed_forward
    commands[:, 7] = state.finger_m + _SHARE[:, 0] * (finger_end - state.finger_m)
    saturated = int(np.count_nonzero(limited)) * SUBSTEPS
    return commands, CommandState(end, velocity, target, finger_end), saturated


def _braking_speed(speed_rad_s: Array) -> Array:
    """Return the speed from which to brake to rest over the way that `speed_rad_s` covers in one control step.

    With c the largest change of speed in a control step, the speeds are (n + f) c, (n - 1 + f) c, … down to f c.
    """
    steps = np.abs(speed_rad_s) / _CHANGE_RAD_S
    whole = np.floor(0.5 * np.sqrt(8.0 * steps + 1.0) - 0.5)
    first = _CHANGE_RAD_S * (whole + (steps - 0.5 * whole * (whole + 1.0)) / (whole + 1.0))
    return np.copysign(first, speed_rad_s)


def _finger_step(start_m: float, target_m: float) -> float:
    """Return how far the finger command comes in one control step; the squeeze beyond closed builds up faster."""
    start, target = _travel(start_m), _travel(target_m)
    reach = robot.FINGER_SPEED_M_S * CONTROL_STEP_S
    end = min(max(target, start - reach), start + reach)
    return end if end >= 0.0 else end / _SQUEEZE_SCALE


def _travel(finger_m: float) -> float:
    return finger_m if finger_m >= 0.0 else finger_m * _SQUEEZE_SCALE


# The whole squeeze is built up in 0.1 s.
_SQUEEZE_SCALE = robot.FINGER_SPEED_M_S * 0.1 / robot.SQUEEZE_M

# By how much a joint's speed may change within one control step.
_CHANGE_RAD_S: Array = robot.ACCELERATION_RAD_S2 * CONTROL_STEP_S
_LOWER_RAD, _UPPER_RAD = robot.JOINT_LIMITS_RAD.T
_SHARE: Array = (np.arange(1, SUBSTEPS + 1) / SUBSTEPS)[:, None]
_RAMP: Array = np.minimum(np.arange(1, SUBSTEPS + 1) / _RAMP_SUBSTEPS, 1.0)[:, None]
