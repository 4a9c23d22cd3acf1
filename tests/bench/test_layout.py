import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from maniguard.bench.layout import gap, inside, is_clear, smallest_gap


def square(x: float, y: float, half: float = 0.05, yaw: float = 0.0) -> np.ndarray:
    c, s = np.cos(yaw), np.sin(yaw)
    corners = half * np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]])
    return corners @ np.array([[c, s], [-s, c]]) + (x, y)


def test_gap_is_the_distance_between_edges_and_corners() -> None:
    assert abs(gap(square(0, 0), square(0.13, 0)) - 0.03) < 1e-12
    assert abs(gap(square(0, 0), square(0.13, 0.14)) - 0.05) < 1e-12
    assert gap(square(0, 0), square(0.09, 0)) < 0
    assert gap(square(0, 0), square(0, 0, 0.01)) < 0


@given(st.floats(-0.3, 0.3), st.floats(-0.3, 0.3), st.floats(-3, 3))
def test_gap_is_symmetric_and_clear_agrees_with_it(x: float, y: float, yaw: float) -> None:
    a, b = square(0, 0), square(x, y, 0.03, yaw)
    assert abs(gap(a, b) - gap(b, a)) < 1e-9
    for wanted in (0.0, 0.02, 0.1):
        if abs(gap(a, b) - wanted) > 1e-9:
            assert is_clear(a, [b], wanted) == (gap(a, b) >= wanted)


def test_smallest_gap_and_table() -> None:
    assert smallest_gap(square(0, 0), []) == float("inf")
    assert abs(smallest_gap(square(0, 0), [square(0.2, 0), square(0.12, 0)]) - 0.02) < 1e-12
    assert inside(square(0.3, 0), (0.3, 0.0), (1.1, 1.1), 0.1)
    assert not inside(square(0.3, 0.49), (0.3, 0.0), (1.1, 1.1), 0.02)
