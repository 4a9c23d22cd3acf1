import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from maniguard.planning import kinematics as kin

unit = st.lists(st.floats(0.001, 0.999), min_size=7, max_size=7)


def joints(shares: list[float]) -> np.ndarray:
    return kin.LOWER_RAD + np.array(shares) * (kin.UPPER_RAD - kin.LOWER_RAD)


@settings(max_examples=150, deadline=None)
@given(unit)
def test_inverse_finds_the_joints_and_only_solutions(shares: list[float]) -> None:
    q = joints(shares)
    pose = kin.forward(q)
    found = kin.inverse(pose[None], q[6:7])
    assert np.abs(kin.forward(found.q) - pose).max(initial=0.0) < 1e-6
    assert np.all((found.q >= kin.LOWER_RAD) & (found.q <= kin.UPPER_RAD))
    # With a straight shoulder joints 1 and 3 are one axis and share the turn as they like.
    if abs(q[1]) > 0.02:
        assert np.abs(found.q - q).max(axis=1).min() < 1e-5


def test_pose_out_of_reach_has_no_solution() -> None:
    pose = np.eye(4)
    pose[:3, 3] = (1.5, 0.0, 0.3)
    assert len(kin.solutions(pose)) == 0


def test_forward_is_a_rotation_and_matches_the_home_pose() -> None:
    home = kin.forward(np.array([0.0, -np.pi / 4, 0.0, -3 * np.pi / 4, 0.0, np.pi / 2, np.pi / 4]))
    np.testing.assert_allclose(home[:3, :3] @ home[:3, :3].T, np.eye(3), atol=1e-12)
    np.testing.assert_allclose(home[:3, 2], (0.0, 0.0, -1.0), atol=1e-12)
    np.testing.assert_allclose(np.abs(home[:3, 1]), (0.0, 1.0, 0.0), atol=1e-12)
    assert 0.30 < home[0, 3] < 0.32
    assert abs(home[1, 3]) < 1e-12


def test_solutions_keep_away_from_limits_and_are_repeatable() -> None:
    pose = kin.forward(np.array([0.2, 0.1, -0.1, -2.2, 0.1, 2.2, 0.9]))
    found = kin.solutions(pose, margin_rad=0.1)
    assert len(found) > 8
    assert np.all(found >= kin.LOWER_RAD + 0.1)
    assert np.all(found <= kin.UPPER_RAD - 0.1)
    np.testing.assert_array_equal(found, kin.solutions(pose, margin_rad=0.1))


def test_follow_passes_through_the_poses_without_jumps() -> None:
    start = np.array([0.2, 0.5, -0.1, -1.9, 0.1, 2.4, 0.9])
    poses = np.repeat(kin.forward(start)[None], 21, axis=0)
    poses[:, 2, 3] += np.linspace(0.0, 0.1, 21)
    path = kin.follow(start, poses)
    assert path is not None
    assert np.abs(kin.forward(path) - poses).max() < 1e-9
    assert np.abs(np.diff(path, axis=0)).max() < 0.05
    np.testing.assert_allclose(path[0], start, atol=1e-9)


def test_follow_gives_up_beyond_reach() -> None:
    start = np.array([0.2, 0.5, -0.1, -1.9, 0.1, 2.4, 0.9])
    poses = np.repeat(kin.forward(start)[None], 30, axis=0)
    poses[:, 0, 3] += np.linspace(0.0, 0.9, 30)
    assert kin.follow(start, poses) is None
