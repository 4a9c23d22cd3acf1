import numpy as np

from maniguard.planning.rrt import connect, shorten
from maniguard.planning.timing import densify

START = np.array([-1.0, 0.0, 0.0, -2.0, 0.0, 1.5, 0.0])
GOAL = np.array([1.0, 0.0, 0.0, -2.0, 0.0, 1.5, 0.0])


def wall(q: np.ndarray, inset: float = 0.0) -> bool:
    """A wall at joint 1 = 0 with a window where joint 2 is above 0.8."""
    return not np.any((np.abs(q[:, 0]) < 0.3 - inset) & (q[:, 1] < 0.8 - inset))


def test_path_goes_round_and_every_point_of_it_is_free() -> None:
    path = connect(START, GOAL, wall, np.random.default_rng(3), iterations=3000)
    assert path is not None
    np.testing.assert_array_equal(path[0], START)
    np.testing.assert_array_equal(path[-1], GOAL)
    assert wall(densify(path, step_rad=0.005), inset=0.03)
    short = shorten(path, wall, np.random.default_rng(4))
    assert wall(densify(short, step_rad=0.005), inset=0.03)
    np.testing.assert_array_equal(short[[0, -1]], path[[0, -1]])

    def length(p: np.ndarray) -> float:
        return float(np.linalg.norm(np.diff(p, axis=0), axis=1).sum())

    assert length(short) < length(path)


def test_same_generator_same_path() -> None:
    paths = [connect(START, GOAL, wall, np.random.default_rng(7), iterations=3000) for _ in range(2)]
    np.testing.assert_array_equal(paths[0], paths[1])


def test_budget_ends_the_search_and_blocked_ends_are_refused() -> None:
    closed = lambda q: not np.any(np.abs(q[:, 0]) < 0.3)  # noqa: E731
    assert connect(START, GOAL, closed, np.random.default_rng(0), iterations=50) is None
    assert connect(START, GOAL * 0.1, closed, np.random.default_rng(0), iterations=50) is None


def test_open_space_gives_the_straight_line() -> None:
    path = connect(START, GOAL, lambda q: True, np.random.default_rng(0))
    np.testing.assert_array_equal(path, np.stack([START, GOAL]))
