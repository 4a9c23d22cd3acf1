import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from maniguard.planning import kinematics as kin
from maniguard.planning.timing import CARRY, FREE, NEAR, Pace, densify, retime
from maniguard.sim import robot

HOME = np.array([0.0, -0.785398, 0.0, -2.356194, 0.0, 1.570796, 0.785398])
offsets = st.lists(st.lists(st.floats(-0.5, 0.5), min_size=7, max_size=7), min_size=1, max_size=4)


@settings(max_examples=60, deadline=None)
@given(offsets, st.sampled_from([FREE, CARRY, NEAR]), st.sampled_from([0, 5]))
def test_targets_end_at_the_end_and_respect_the_limits(steps: list[list[float]], pace: Pace, smooth: int) -> None:
    path = HOME + np.concatenate([np.zeros((1, 7)), np.cumsum(np.array(steps) * 0.5, axis=0)])
    targets = retime(path, pace, smooth_steps=smooth)
    np.testing.assert_array_equal(targets[-1], path[-1])
    chain = np.concatenate([path[:1], path[:1], targets, targets[-1:]])
    velocity = np.diff(chain, axis=0) * 20
    assert np.all(np.abs(velocity) <= robot.VELOCITY_RAD_S * pace.velocity_share * 1.06)
    acceleration = np.diff(velocity, axis=0) * 20
    # Corners of an unrounded path may ask for more; rounded ones may not.
    if smooth:
        assert np.all(np.abs(acceleration) <= robot.ACCELERATION_RAD_S2)


def test_a_straight_line_starts_and_ends_at_rest_and_keeps_the_tcp_speed() -> None:
    path = np.stack([HOME, HOME + np.array([0.4, 0.2, 0.0, 0.3, 0.0, 0.1, 0.0])])
    targets = retime(path, NEAR)
    speed = np.linalg.norm(np.diff(kin.forward(np.concatenate([path[:1], targets]))[:, :3, 3], axis=0), axis=1) * 20
    assert speed.max() < NEAR.tcp_m_s * 1.1
    assert speed[0] < 0.3 * speed.max()
    assert speed[-1] < 0.3 * speed.max()
    shares = (targets - path[0])[:, 0] / 0.4
    np.testing.assert_allclose(targets, path[0] + shares[:, None] * (path[1] - path[0]), atol=1e-9)


def test_no_motion_is_one_target() -> None:
    np.testing.assert_array_equal(retime(np.stack([HOME, HOME]), FREE), HOME[None])


def test_densify_keeps_corners_and_bounds_steps() -> None:
    path = np.stack([HOME, HOME + 0.31, HOME - 0.2])
    dense = densify(path, step_rad=0.02)
    assert np.abs(np.diff(dense, axis=0)).max() <= 0.02 + 1e-12
    assert any(np.allclose(row, path[1]) for row in dense)
    np.testing.assert_allclose(dense[-1], path[-1], atol=1e-12)
