from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from maniguard.sim.assets.profile import (
    filleted,
    lowered,
    offset,
    radius_at,
    revolved_volume,
    simplified,
    smooth,
    vessel,
)


def test_smooth_passes_through_its_ends_and_never_overshoots():
    points = [(0.03, 0.0), (0.05, 0.06), (0.02, 0.13), (0.025, 0.16)]
    curve = smooth(points)
    assert curve[0] == pytest.approx(points[0])
    assert curve[-1] == pytest.approx(points[-1])
    assert curve[:, 0].min() >= 0.02 - 1e-9
    assert curve[:, 0].max() <= 0.05 + 1e-9
    assert np.all(np.diff(curve[:, 1]) > 0)


def test_fillets_touch_both_sides_and_keep_their_radius():
    rounded = filleted([(0.0, 0.0), (0.05, 0.0), (0.05, 0.1)], 0.01, steps=8)
    assert np.allclose(np.hypot(*(rounded[1:-1] - (0.04, 0.01)).T), 0.01)


@settings(max_examples=40, deadline=None)
@given(wall=st.floats(0.001, 0.008), lean=st.floats(-0.01, 0.03))
def test_an_offset_wall_has_its_thickness_everywhere(wall, lean):
    outer = np.array([(0.04, 0.0), (0.04 + lean, 0.1)])
    inner = offset(outer, wall)
    direction = (outer[1] - outer[0]) / np.linalg.norm(outer[1] - outer[0])
    for point in inner:
        away = point - outer[0]
        assert abs(away[0] * direction[1] - away[1] * direction[0]) == pytest.approx(wall)
        assert point[0] < 0.04 + max(lean, 0)


def test_a_vessels_matter_is_wall_and_floor():
    outer = np.array([(0.04, 0.0), (0.04, 0.1)])
    outside, edge, inside = vessel(outer, 0.004, 0.006)
    assert outside[-1] == pytest.approx(edge[0])
    assert edge[-1] == pytest.approx(inside[0])
    assert edge[:, 1].max() == pytest.approx(0.1, abs=1e-4)
    expected = np.pi * (0.04**2 * 0.006 + (0.04**2 - 0.036**2) * 0.094)
    assert revolved_volume(outside, edge, inside) == pytest.approx(expected, rel=0.05)


def test_volumes_of_cylinder_and_cone():
    cylinder = np.array([(0.0, 0.0), (0.03, 0.0), (0.03, 0.1), (0.0, 0.1)])
    assert revolved_volume(cylinder) == pytest.approx(np.pi * 0.03**2 * 0.1)
    cone = np.array([(0.0, 0.0), (0.03, 0.0), (0.0, 0.1)])
    assert revolved_volume(cone) == pytest.approx(np.pi * 0.03**2 * 0.1 / 3)


def test_simplified_stays_close_keeps_its_ends_and_obeys_the_limit():
    t = np.linspace(0, np.pi, 60)
    curve = np.stack([0.03 + 0.02 * np.sin(t), 0.05 * t], axis=1)
    for limit in (3, 4, 6):
        few = simplified(curve, 0.0005, limit=limit)
        assert len(few) <= limit
        assert few[0] == pytest.approx(curve[0])
        assert few[-1] == pytest.approx(curve[-1])
    error = curve[:, 0] - np.interp(curve[:, 1], few[:, 1], few[:, 0])
    assert np.abs(error).max() < 0.0025
    assert len(simplified(np.array([(0.03, z) for z in np.linspace(0, 0.1, 20)]), 0.0005)) == 2


def test_lowered_cuts_the_top():
    outer = np.array([(0.03, 0.0), (0.05, 0.1)])
    short = lowered(outer, 0.02)
    assert short[-1] == pytest.approx((radius_at(outer, 0.08), 0.08))
