import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from maniguard.sim import HOME_QPOS_RAD, JOINT_LIMITS_RAD, robot
from maniguard.sim.command import (
    CONTROL_STEP_S,
    SUBSTEPS,
    ActionError,
    checked_action,
    finger_target_m,
    interpolate,
    resting,
)

HOME = np.array(HOME_QPOS_RAD)
NO_LAG = np.zeros(7)


def play(targets, state=None):
    """Follow targets (T, 7); return positions (T, 7), speeds (T, 7), limited counts (T,)."""
    state = state or resting(HOME, 0.04)
    positions, speeds, limited = [], [], []
    for target in targets:
        commands, state, saturated = interpolate(state, np.append(target, 1.0), NO_LAG)
        np.testing.assert_allclose(commands[-1, :7], state.position_rad, atol=1e-12)
        positions.append(state.position_rad)
        speeds.append(state.velocity_rad_s)
        limited.append(saturated)
    return np.array(positions), np.array(speeds), np.array(limited)


def test_a_target_within_the_limits_is_reached_in_a_straight_line():
    target = HOME + 0.01
    commands, state, saturated = interpolate(resting(HOME, 0.04), np.append(target, 1.0), NO_LAG)
    assert saturated == 0
    share = np.arange(1, SUBSTEPS + 1)[:, None] / SUBSTEPS
    np.testing.assert_allclose(commands[:, :7], HOME + share * 0.01, atol=1e-12)
    np.testing.assert_allclose(state.position_rad, target, atol=1e-12)


def test_a_smooth_stream_within_the_limits_is_followed_exactly():
    time = np.arange(1, 61) * CONTROL_STEP_S
    targets = HOME + 0.25 * (1 - np.cos(1.5 * time))[:, None] * np.array([1, 0.5, 1, -1, 1, 1, 1])
    positions, _, limited = play(targets)
    np.testing.assert_allclose(positions, targets, atol=1e-12)
    assert not limited.any()


def test_a_jump_is_approached_at_the_limits_without_overshoot():
    jump = np.array([0.8, 0.5, -0.8, 0.6, 0.9, 0.7, -0.9])
    positions, speeds, limited = play([HOME + jump] * 40)
    np.testing.assert_allclose(positions[-1], HOME + jump, atol=1e-9)
    assert ((positions - HOME) * np.sign(jump) <= np.abs(jump) + 1e-9).all()
    assert limited[0] == 7 * SUBSTEPS
    assert limited[-1] == 0
    assert (np.diff(np.abs(speeds[:2]), axis=0) > 0).all()


@settings(max_examples=60, deadline=None)
@given(st.lists(st.lists(st.floats(-4, 4), min_size=7, max_size=7), min_size=1, max_size=15))
def test_speed_acceleration_and_range_hold_for_any_targets(targets):
    positions, speeds, _ = play(np.array(targets))
    assert (np.abs(speeds) <= robot.VELOCITY_RAD_S + 1e-9).all()
    assert (positions >= JOINT_LIMITS_RAD[:, 0] - 1e-12).all()
    assert (positions <= JOINT_LIMITS_RAD[:, 1] + 1e-12).all()
    changes = np.abs(np.diff(np.vstack([np.zeros(7), speeds]), axis=0))
    allowed = robot.ACCELERATION_RAD_S2 * CONTROL_STEP_S
    at_the_stop = np.isclose(positions, JOINT_LIMITS_RAD[:, 0]) | np.isclose(positions, JOINT_LIMITS_RAD[:, 1])
    stopped_before = np.vstack([np.zeros((1, 7), bool), at_the_stop[:-1]])
    assert ((changes <= allowed + 1e-9) | at_the_stop | stopped_before).all()


def test_a_target_outside_the_joint_range_is_clipped_and_counted():
    positions, _, limited = play([np.append(HOME[:6], 5.0)] * 60)
    assert positions[-1, 6] == JOINT_LIMITS_RAD[6, 1]
    assert limited[-1] == SUBSTEPS


def test_the_speed_fed_forward_cancels_the_lag_of_the_actuators():
    lag = np.full(7, 0.05)
    state = resting(HOME, 0.04)
    for i in range(1, 20):
        commands, state, _ = interpolate(state, np.append(HOME + 0.01 * i, 1.0), lag)
    np.testing.assert_allclose(commands[-1, :7] - state.position_rad, lag * 0.01 / CONTROL_STEP_S, atol=1e-12)


def test_gripper_openings_are_shares_of_the_full_opening_until_the_squeeze_begins():
    for opening in (0.1, 0.5, 1.0):
        assert 2 * finger_target_m(opening) == pytest.approx(0.08 * opening)
    assert finger_target_m(0.0) == pytest.approx(-robot.SQUEEZE_M)
    assert finger_target_m(-3.0) == finger_target_m(0.0)
    assert finger_target_m(7.0) == finger_target_m(1.0)
    openings = np.linspace(0, 1, 50)
    assert (np.diff([finger_target_m(o) for o in openings]) > 0).all()


def test_fingers_close_no_faster_than_their_speed():
    state = resting(HOME, 0.04)
    commands, state, saturated = interpolate(state, np.append(HOME, 0.0), NO_LAG)
    assert state.finger_m == pytest.approx(0.04 - robot.FINGER_SPEED_M_S * CONTROL_STEP_S)
    assert commands[-1, 7] == pytest.approx(state.finger_m)
    assert saturated == 0


def test_a_squeeze_is_built_up_and_let_go_within_a_tenth_of_a_second():
    state = resting(HOME, 0.0)
    for _ in range(2):
        _, state, _ = interpolate(state, np.append(HOME, 0.0), NO_LAG)
    assert state.finger_m == pytest.approx(-robot.SQUEEZE_M)
    for _ in range(3):
        _, state, _ = interpolate(state, np.append(HOME, 1.0), NO_LAG)
    assert state.finger_m == pytest.approx(robot.FINGER_SPEED_M_S * CONTROL_STEP_S)


@pytest.mark.parametrize("bad", [np.zeros(7), np.zeros((1, 8)), [0.0] * 7 + [np.nan], [np.inf] + [0.0] * 7])
def test_a_bad_action_is_refused(bad):
    with pytest.raises(ActionError):
        checked_action(bad)
