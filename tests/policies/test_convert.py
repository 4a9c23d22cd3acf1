"""Conversion of every convention to joint targets: laws of rest, of sums, of signs, of frames and of time."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from maniguard import bench
from maniguard.planning import forward, jacobian
from maniguard.planning.kinematics import LOWER_RAD, UPPER_RAD
from maniguard.policies import ActionConverter, ActionSpec, GripperRange
from maniguard.policies.convert import LEASH_RAD, reach
from maniguard.policies.rotations import matrix_from, roll_pitch_yaw, rotation_vector
from maniguard.sim import HOME_QPOS_RAD, World
from maniguard.sim.robot import VELOCITY_RAD_S

HOME = np.array([*HOME_QPOS_RAD, 0.5], np.float32)
# Joint targets are rounded to single precision, which moves the tcp by less than this.
NEAR_M, NEAR_RAD = 2e-6, 2e-6

DELTA = ActionSpec(8, 7, "ee_delta")
SPECS = [
    ActionSpec(8),
    ActionSpec(8, gripper=GripperRange(1.0, -1.0), rate_hz=15.0),
    ActionSpec(8, convention="joint_delta", unit_rad=0.2, rate_hz=15.0),
    DELTA,
    ActionSpec(8, 7, "ee_delta", rotation="rpy", rate_hz=5.0),
    ActionSpec(8, 7, "ee_delta", frame="tool", unit_m=0.05, unit_rad=0.5),
    ActionSpec(8, 7, "ee_pose", rotation="rpy"),
    ActionSpec(8, 8, "ee_pose", rotation="quat-wxyz", rate_hz=10.0),
]


def tcp(actions):
    return forward(np.asarray(actions)[..., :7])


def turned(before, after):
    """The rotation vector from one pose to another, about the base's axes."""
    return rotation_vector(after[:3, :3] @ before[:3, :3].T)


def rows(*, shift=(0, 0, 0), turn=(0, 0, 0), grip=0.0, count=1):
    return np.tile([*shift, *turn, grip], (count, 1)).astype(float)


def still(spec, state=HOME, count=4):
    """Rows that ask for no motion, in any convention."""
    out = np.zeros((count, spec.dims))
    pose = forward(np.asarray(state[:7], float))
    if spec.convention == "joint_position":
        out[:, :7] = state[:7]
    if spec.convention == "ee_pose":
        out[:, :3] = pose[:3, 3]
        if spec.rotation == "rpy":
            out[:, 3:6] = roll_pitch_yaw(pose[:3, :3])
        else:
            vector = rotation_vector(pose[:3, :3])
            angle = np.linalg.norm(vector)
            out[:, 3:7] = [np.cos(angle / 2), *(np.sin(angle / 2) * vector / angle)]
    return out


# --- rest ---


@pytest.mark.parametrize("spec", SPECS, ids=str)
def test_rows_that_ask_for_no_motion_hold_the_pose_and_last_as_long_as_they_say(spec):
    converter = ActionConverter(spec)
    for _ in range(3):
        out = converter.convert(HOME, still(spec))
        assert out.shape == (round(4 * 20 / spec.rate_hz) if spec.rate_hz != 15.0 else 5, 8)
        exact = 0.0 if "delta" in spec.convention or spec.convention == "joint_position" else 1e-5
        np.testing.assert_allclose(out[:, :7], np.broadcast_to(HOME[:7], (len(out), 7)), atol=exact)


def test_a_zero_delta_holds_what_was_commanded_and_not_the_arm_that_sags():
    converter = ActionConverter(DELTA)
    first = converter.convert(HOME, rows(shift=(0.01, 0, 0)))
    sagging = HOME.copy()
    sagging[1] += 0.02
    for _ in range(5):
        np.testing.assert_array_equal(converter.convert(sagging, rows())[0, :7], first[0, :7])


def test_an_arm_that_is_held_back_is_led_by_no_more_than_the_leash():
    converter = ActionConverter(ActionSpec(8, convention="joint_delta"))
    for _ in range(20):
        out = converter.convert(HOME, np.tile([0.1, *[0.0] * 7], (1, 1)))
    assert out[-1, 0] - HOME[0] == pytest.approx(LEASH_RAD + 0.1, abs=1e-6)
    converter.reset()
    assert converter.convert(HOME, np.zeros((1, 8)))[0, 0] == HOME[0]


# --- sums ---


@settings(max_examples=25, deadline=None)
@given(st.lists(st.tuples(*[st.floats(-0.01, 0.01)] * 6), min_size=1, max_size=6), st.sampled_from(["base", "tool"]))
def test_deltas_move_the_end_effector_by_their_composition(moves, frame):
    converter = ActionConverter(ActionSpec(8, 7, "ee_delta", frame=frame))
    wanted = forward(HOME[:7].astype(float))
    for move in moves:
        turn = matrix_from("axis-angle", move[3:])
        if frame == "base":
            wanted[:3, 3] += move[:3]
            wanted[:3, :3] = turn @ wanted[:3, :3]
        else:
            wanted[:3, 3] += wanted[:3, :3] @ np.array(move[:3])
            wanted[:3, :3] = wanted[:3, :3] @ turn
    out = converter.convert(HOME, [[*move, 0.0] for move in moves])
    reached = tcp(out[-1])
    np.testing.assert_allclose(reached[:3, 3], wanted[:3, 3], atol=len(moves) * NEAR_M)
    assert np.linalg.norm(turned(reached, wanted)) < len(moves) * NEAR_RAD


def test_the_sum_is_the_same_in_one_chunk_or_in_many():
    given_rows = np.random.Generator(np.random.PCG64(0)).uniform(-0.01, 0.01, (6, 7))
    whole = ActionConverter(DELTA).convert(HOME, given_rows)
    parts = ActionConverter(DELTA)
    np.testing.assert_array_equal(whole, np.concatenate([parts.convert(HOME, row[None]) for row in given_rows]))


@pytest.mark.parametrize("axis", range(3))
@pytest.mark.parametrize("sign", [1, -1])
def test_each_axis_moves_and_turns_its_own_way(axis, sign):
    before = forward(HOME[:7].astype(float))
    move = np.zeros(3)
    move[axis] = sign * 0.02
    after = tcp(ActionConverter(DELTA).convert(HOME, rows(shift=move)))[0]
    np.testing.assert_allclose(after[:3, 3] - before[:3, 3], move, atol=NEAR_M)
    np.testing.assert_allclose(turned(before, after), 0.0, atol=NEAR_RAD)
    after = tcp(ActionConverter(DELTA).convert(HOME, rows(turn=move)))[0]
    np.testing.assert_allclose(turned(before, after), move, atol=NEAR_RAD)
    np.testing.assert_allclose(after[:3, 3], before[:3, 3], atol=NEAR_M)


def test_the_base_frame_is_x_forward_y_left_z_up_and_the_hand_points_down():
    pose = forward(HOME[:7].astype(float))
    assert pose[0, 3] > 0.2
    np.testing.assert_allclose(pose[:3, 2], [0, 0, -1], atol=0.1)
    tool = ActionConverter(ActionSpec(1, 7, "ee_delta", frame="tool")).convert(HOME, rows(shift=(0, 0, 0.02)))
    np.testing.assert_allclose(tcp(tool)[0, :3, 3] - pose[:3, 3], 0.02 * pose[:3, 2], atol=NEAR_M)


def test_units_scale_and_the_limit_clips_the_arm_but_not_the_gripper():
    spec = ActionSpec(1, 7, "ee_delta", GripperRange(0, 2), unit_m=0.02, unit_rad=0.5, limit=1.0)
    out = ActionConverter(spec).convert(HOME, rows(shift=(0, 0, 7.0), turn=(0, 0, 0.1), grip=1.5))
    before = forward(HOME[:7].astype(float))
    np.testing.assert_allclose(tcp(out)[0, :3, 3] - before[:3, 3], [0, 0, 0.02], atol=NEAR_M)
    np.testing.assert_allclose(turned(before, tcp(out)[0]), [0, 0, 0.05], atol=NEAR_RAD)
    assert out[0, 7] == 0.75


def test_rpy_turns_about_the_fixed_axes_x_first():
    before = forward(HOME[:7].astype(float))
    spec = ActionSpec(1, 7, "ee_delta", rotation="rpy", rate_hz=5.0)
    out = ActionConverter(spec).convert(HOME, rows(turn=(0.1, 0.2, 0.3)))
    wanted = matrix_from("axis-angle", (0, 0, 0.3)) @ matrix_from("axis-angle", (0, 0.2, 0))
    wanted = wanted @ matrix_from("axis-angle", (0.1, 0, 0)) @ before[:3, :3]
    assert len(out) == 4
    np.testing.assert_allclose(tcp(out)[-1, :3, :3], wanted, atol=1e-5)
    np.testing.assert_allclose(tcp(out)[-1, :3, 3], before[:3, 3], atol=1e-5)


# --- time ---


@pytest.mark.parametrize(("rate_hz", "count", "steps"), [(5, 1, 4), (15, 3, 4), (15, 8, 10), (30, 3, 2), (40, 8, 4)])
def test_rows_of_another_rate_are_spread_over_whole_control_steps(rate_hz, count, steps):
    spec = ActionSpec(count, 7, "ee_delta", rate_hz=rate_hz)
    out = ActionConverter(spec).convert(HOME, rows(shift=(0.003, 0, 0), count=count))
    assert len(out) == steps == spec.control_steps(count)
    moved = tcp(out)[:, 0, 3] - forward(HOME[:7].astype(float))[0, 3]
    np.testing.assert_allclose(moved, 0.003 * rate_hz / 20 * np.arange(1, steps + 1), atol=1e-5)


def test_absolute_rows_are_joined_by_straight_lines():
    ends = np.tile(HOME[:7].astype(float), (3, 1))
    ends[:, 3] += [0.03, 0.0, 0.06]
    spec = ActionSpec(3, rate_hz=15.0)
    out = ActionConverter(spec).convert(HOME, np.column_stack([ends, [0.0, 1.0, 0.5]]))
    # control steps end at 3/4, 3/2, 9/4 and 3 rows
    np.testing.assert_allclose(out[:, 3] - HOME[3], [0.0225, 0.015, 0.015, 0.06], atol=1e-6)
    np.testing.assert_array_equal(out[:, 7], [0.0, 1.0, 0.5, 0.5])


def test_native_rows_are_not_touched():
    assert ActionSpec(5).native
    assert not any(spec.native for spec in SPECS[1:])
    values = np.random.Generator(np.random.PCG64(1)).uniform(-0.1, 0.1, (5, 8)).astype(np.float32)
    values[:, :7] += HOME[:7]
    out = ActionConverter(ActionSpec(5)).convert(HOME, values)
    np.testing.assert_array_equal(out[:, :7], values[:, :7])


# --- absolute poses ---


@settings(max_examples=20, deadline=None)
@given(st.tuples(*[st.floats(-0.03, 0.03)] * 3), st.tuples(*[st.floats(-0.1, 0.1)] * 3))
def test_absolute_poses_are_reached_in_every_notation(shift, turn):
    start = forward(HOME[:7].astype(float))
    target = start.copy()
    target[:3, 3] += shift
    target[:3, :3] = matrix_from("axis-angle", turn) @ start[:3, :3]
    vector = rotation_vector(target[:3, :3])
    angle = float(np.linalg.norm(vector))
    notations = {
        "axis-angle": vector,
        "rpy": roll_pitch_yaw(target[:3, :3]),
        "quat-wxyz": [np.cos(angle / 2), *(np.sin(angle / 2) * vector / angle)],
    }
    for rotation, numbers in notations.items():
        spec = ActionSpec(1, 4 + len(numbers), "ee_pose", rotation=rotation, rate_hz=2.0)
        out = ActionConverter(spec).convert(HOME, [[*target[:3, 3], *numbers, 1.0]])
        np.testing.assert_allclose(tcp(out)[-1], target, atol=1e-5)


def test_a_quaternion_of_zeros_is_refused():
    with pytest.raises(ValueError, match="no rotation"):
        ActionConverter(ActionSpec(1, 8, "ee_pose", rotation="quat-wxyz")).convert(HOME, np.zeros((1, 8)))


# --- the gripper ---


@pytest.mark.parametrize(("closed", "opened"), [(0, 1), (1, 0), (1, -1), (-1, 1)])
@pytest.mark.parametrize("spec", SPECS, ids=str)
def test_the_gripper_opens_and_closes_by_the_declared_sign(spec, closed, opened):
    spec = ActionSpec(**{**vars(spec), "gripper": GripperRange(closed, opened)})
    for number, opening in ((closed, 0.0), (opened, 1.0), ((closed + opened) / 2, 0.5), (9 * opened - 8 * closed, 1.0)):
        given_rows = still(spec)
        given_rows[:, -1] = number
        np.testing.assert_array_equal(ActionConverter(spec).convert(HOME, given_rows)[:, 7], opening)


@given(st.floats(-3, 3), st.floats(-3, 3), st.floats(0, 1))
def test_a_gripper_range_goes_there_and_back(closed, opened, opening):
    if abs(closed - opened) > 1e-3:
        gripper = GripperRange(closed, opened)
        assert gripper.opening(gripper.value(opening)) == pytest.approx(opening, abs=1e-9)
        assert (gripper.opening(closed), gripper.opening(opened)) == (0.0, 1.0)
        assert np.isnan(gripper.opening(np.nan))
        binary = GripperRange(closed, opened, binary=True)
        assert (binary.opening(closed), binary.opening(opened)) == (0.0, 1.0)
        assert binary.opening(binary.value(opening)) == (opening > 0.5) or opening == pytest.approx(0.5, abs=1e-6)
        assert np.isnan(binary.opening(np.nan))


# --- inverse kinematics ---


@settings(max_examples=40, deadline=None)
@given(st.lists(st.floats(0.1, 0.9), min_size=7, max_size=7), st.lists(st.floats(-0.3, 0.3), min_size=6, max_size=6))
def test_commanded_joints_keep_their_ranges_and_speeds_whatever_is_asked(shares, move):
    state = np.array([*(LOWER_RAD + np.array(shares) * (UPPER_RAD - LOWER_RAD)), 0.5], np.float32)
    out = ActionConverter(ActionSpec(4, 7, "ee_delta")).convert(state, np.tile([*move, 0.0], (4, 1)))
    assert (out[:, :7] >= LOWER_RAD - 1e-6).all()
    assert (out[:, :7] <= UPPER_RAD + 1e-6).all()
    steps = np.diff(np.concatenate([state[None, :7], out[:, :7]]), axis=0)
    assert (np.abs(steps) <= VELOCITY_RAD_S / 20 + 1e-5).all()


@given(st.lists(st.floats(0.05, 0.95), min_size=7, max_size=7))
def test_the_jacobian_is_the_slope_of_the_kinematics(shares):
    q = LOWER_RAD + np.array(shares) * (UPPER_RAD - LOWER_RAD)
    (pose, slope), h = jacobian(q), 1e-6
    np.testing.assert_allclose(pose, forward(q), atol=1e-14)
    for joint in range(7):
        step = h * np.eye(7)[joint]
        ahead, behind = forward(q + step), forward(q - step)
        np.testing.assert_allclose(slope[:3, joint], (ahead[:3, 3] - behind[:3, 3]) / (2 * h), atol=1e-7)
        np.testing.assert_allclose(slope[3:, joint], turned(behind, ahead) / (2 * h), atol=1e-7)


def test_a_pose_that_is_reached_already_gives_the_joints_to_the_bit():
    q = HOME[:7].astype(float)
    np.testing.assert_array_equal(reach(q, forward(q)), q)


# --- rotations ---


@given(st.tuples(*[st.floats(-1.7, 1.7)] * 3))
def test_rotation_vectors_and_turns_go_there_and_back(vector):
    matrix = matrix_from("axis-angle", vector)
    np.testing.assert_allclose(matrix @ matrix.T, np.eye(3), atol=1e-12)
    np.testing.assert_allclose(rotation_vector(matrix), vector, atol=1e-7)
    np.testing.assert_allclose(matrix_from("rpy", roll_pitch_yaw(matrix)), matrix, atol=1e-7)


def test_a_pitch_of_a_quarter_turn_is_read_all_the_same():
    matrix = matrix_from("rpy", (0.3, np.pi / 2, 0.2))
    np.testing.assert_allclose(matrix_from("rpy", roll_pitch_yaw(matrix)), matrix, atol=1e-8)


# --- in the world ---


def test_the_simulated_arm_goes_where_the_deltas_say_and_stays_there():
    scenario = bench.load("clutter", tasks=range(1), conditions=("base",))[0]
    with World(scenario.scene_spec) as world:
        frame = world.reset()
        start = frame.tcp_position_m.astype(float)
        converter = ActionConverter(DELTA)
        for chunk in (rows(shift=(0, 0, 0.005), count=20), rows(count=20)):
            state = np.array([*frame.robot_qpos_rad, 1.0], np.float32)
            for action in converter.convert(state, chunk):
                frame = world.step(action)
        moved = frame.tcp_position_m - start
        np.testing.assert_allclose(moved, [0, 0, 0.1], atol=0.004)
        for number, wide in ((0.0, False), (1.0, True)):
            for action in converter.convert(np.array([*frame.robot_qpos_rad, 1.0]), rows(grip=number, count=20)):
                frame = world.step(action)
            assert (frame.gripper_opening_m > 0.07) == wide
