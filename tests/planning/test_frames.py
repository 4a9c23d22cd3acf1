"""Laws of rotations."""

from __future__ import annotations

import numpy as np
import pytest

from maniguard.planning import turn, turn_about_z

ANGLES_RAD = (-3.0, -0.4, 0.0, 1.2, 2.9)


@pytest.mark.parametrize("angle", ANGLES_RAD)
def test_a_turn_leaves_its_axis_and_turns_the_rest_by_the_angle(angle: float) -> None:
    axis = np.array([1.0, -2.0, 2.0]) / 3.0
    rotation = turn(axis, angle)
    assert rotation @ rotation.T == pytest.approx(np.eye(3), abs=1e-12)
    assert np.linalg.det(rotation) == pytest.approx(1.0)
    assert rotation @ axis == pytest.approx(axis)
    across = np.array([0.0, 1.0, 1.0]) / np.sqrt(2.0)
    assert rotation @ across == pytest.approx(np.cos(angle) * across + np.sin(angle) * np.cross(axis, across))


@pytest.mark.parametrize("angle", ANGLES_RAD)
def test_about_z_it_is_the_same_turn(angle: float) -> None:
    assert turn_about_z(angle) == pytest.approx(turn((0.0, 0.0, 1.0), angle), abs=1e-12)
