import numpy as np
from tests.planning.scenes import HOME, model_of

from maniguard.planning import Arm, Clearance, densify, forward, solutions, top_down

WALL = ((0.15, 0.02, 0.2), (0.45, 0.0))


def goal_over(y: float, z: float) -> np.ndarray:
    q = solutions(top_down((0.45, y, z), 0.0))
    return q[np.argmin(np.abs(q - HOME).max(axis=1))]


def test_move_goes_round_a_wall_and_ends_where_asked() -> None:
    model = model_of(wall=WALL)
    start, end = goal_over(-0.25, 0.15), goal_over(0.25, 0.15)
    arm = Arm(model, start, 1.0, np.random.default_rng(2))
    segment = arm.move_to(end, opening=0.5)
    assert segment is not None
    np.testing.assert_array_equal(segment.targets[-1], end)
    np.testing.assert_array_equal(arm.q, end)
    assert arm.opening == segment.openings[-1] == 0.5
    way = densify(np.concatenate([start[None], segment.targets]), step_rad=0.005)
    assert model.free(way, Clearance(0.005, 0.002))
    again = Arm(model, start, 1.0, np.random.default_rng(2)).move_to(end, opening=0.5)
    assert again is not None
    np.testing.assert_array_equal(again.targets, segment.targets)


def test_no_move_into_a_wall_leaves_the_arm_where_it_was() -> None:
    model = model_of(wall=WALL)
    arm = Arm(model, goal_over(-0.25, 0.15), 1.0, np.random.default_rng(2))
    before = arm.q.copy()
    assert arm.move_to(goal_over(0.0, 0.2)) is None
    np.testing.assert_array_equal(arm.q, before)


def test_line_is_straight_and_refused_where_it_is_not_clear() -> None:
    model = model_of(wall=WALL)
    arm = Arm(model, goal_over(-0.25, 0.25), 1.0, np.random.default_rng(0))
    start = arm.tcp
    down = start.copy()
    down[2, 3] -= 0.1
    segment = arm.line_to(down, "approach", Clearance())
    assert segment is not None
    tcp = forward(segment.targets)
    np.testing.assert_allclose(tcp[:, :2, 3], np.broadcast_to(start[:2, 3], (len(tcp), 2)), atol=2e-4)
    into_wall = arm.tcp.copy()
    into_wall[1, 3] = 0.0
    assert arm.line_to(into_wall, "approach", Clearance()) is None
    assert arm.line_to(into_wall, "approach", None) is not None


def test_grip_and_hold_keep_the_arm_still() -> None:
    arm = Arm(model_of(), HOME, 1.0, np.random.default_rng(0))
    close = arm.grip(0.0, duration_s=0.5, wait_s=0.2)
    assert close.skill == "close"
    assert len(close.openings) == 14
    assert np.all(np.diff(close.openings) <= 0)
    assert arm.grip(0.7).skill == "open"
    hold = arm.hold(1.0)
    assert len(hold.targets) == 20
    assert np.all(hold.openings == 0.7)
    assert np.all(hold.targets == HOME)
