from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from maniguard.sim.assets import pieces as solid

radii = st.floats(0.02, 0.09)


@settings(max_examples=30, deadline=None)
@given(
    outer=radii,
    wall=st.floats(0.003, 0.012),
    height=st.floats(0.02, 0.2),
    lean=st.floats(-0.008, 0.03),
    n=st.integers(6, 16),
)
def test_a_ring_fills_the_wall_and_leaves_the_inside_free(outer, wall, height, lean, n):
    outline = np.array([(outer, 0.0), (outer + lean, height)])
    inside = outline - (wall, 0.0)
    ring = solid.ring(outline, inside, sectors=n)
    assert len(ring) == n
    volume = solid.mass_properties(ring).volume_m3
    frustum = [
        np.pi * height * (a * a + a * b + b * b) / 3
        for a, b in ((outer, outer + lean), (outer - wall, outer - wall + lean))
    ]
    # Facets bulge over the mean radius by at most the share that the sagitta allows.
    sag = (outer + max(lean, 0.0)) * (1 - np.cos(np.pi / n))
    assert volume == pytest.approx(frustum[0] - frustum[1], rel=sag / wall + 0.02)
    for piece in ring:
        corners, _ = solid.triangulated(piece.points())
        assert len(corners) == len(piece.points())
    points = np.concatenate([piece.points() for piece in ring])
    assert np.hypot(*points[:, :2].T).min() > (outer - wall + min(lean, 0.0)) * np.cos(np.pi / n) - 1e-6


def test_mass_properties_of_known_bodies():
    cube = solid.mass_properties([solid.box((0.1, 0.0, 0.05), (0.02, 0.03, 0.05))])
    assert cube.volume_m3 == pytest.approx(0.04 * 0.06 * 0.1)
    assert cube.center_m == pytest.approx((0.1, 0.0, 0.05))
    mass = cube.volume_m3
    assert np.diag(cube.inertia) == pytest.approx(
        [mass * (0.06**2 + 0.1**2) / 12, mass * (0.04**2 + 0.1**2) / 12, mass * (0.04**2 + 0.06**2) / 12]
    )
    can = solid.mass_properties([solid.cylinder(0.03, 0.0, 0.1)])
    assert can.volume_m3 == pytest.approx(np.pi * 0.03**2 * 0.1, rel=0.015)


def test_two_halves_weigh_and_turn_like_the_whole():
    whole = solid.mass_properties([solid.box((0.0, 0.0, 0.1), (0.03, 0.02, 0.1))])
    halves = solid.mass_properties(
        [solid.box((0.0, 0.0, 0.05), (0.03, 0.02, 0.05)), solid.box((0.0, 0.0, 0.15), (0.03, 0.02, 0.05))]
    )
    assert halves.volume_m3 == pytest.approx(whole.volume_m3)
    assert halves.center_m == pytest.approx(whole.center_m)
    assert np.allclose(halves.inertia, whole.inertia, atol=1e-15)


@settings(max_examples=30, deadline=None)
@given(
    st.lists(st.floats(-0.1, 0.1), min_size=6, max_size=6).filter(
        lambda v: np.linalg.norm(np.subtract(v[:3], v[3:])) > 0.01
    )
)
def test_capsules_run_between_their_ends(ends):
    start, end = np.array(ends[:3]), np.array(ends[3:])
    piece = solid.capsule(start, end, 0.004)
    axis = solid.rotation_of(piece.quat_wxyz)[:, 2] * piece.size_m[1]
    tips = {tuple(np.round(piece.center_m + s * axis, 4)) for s in (-1, 1)}
    expected = np.round([start, end], 4)
    assert all(min(np.abs(np.subtract(t, e)).max() for e in expected) < 2e-4 for t in tips)


def test_stacked_fills_from_foot_to_top_without_gaps():
    outer = np.array([(0.02, 0.0), (0.028, 0.0), (0.03, 0.004), (0.03, 0.09), (0.014, 0.13), (0.014, 0.16)])
    stack = solid.stacked(outer)
    heights = sorted((p.points()[:, 2].min(), p.points()[:, 2].max()) for p in stack)
    assert heights[0][0] == pytest.approx(0.0, abs=1e-6)
    assert heights[-1][1] == pytest.approx(0.16, abs=1e-6)
    for (_, below), (above, _) in itertools.pairwise(heights):
        assert below == pytest.approx(above, abs=2e-6)
    assert np.hypot(*stack[0].points()[stack[0].points()[:, 2] < 1e-6][:, :2].T).max() > 0.027
    assert any(p.shape == "cylinder" for p in stack)


def test_hulls_with_many_corners_are_cut_to_the_limit_and_stay_close():
    parts = [
        solid.cylinder(0.04, 0.0, 0.1),
        solid.frustum(0.04, 0.02, 0.1, 0.15),
        solid.capsule((0.04, 0, 0.02), (0.07, 0, 0.08), 0.006),
    ]
    small = solid.enclosing_hull(parts, limit=64)
    full = np.concatenate([p.points() for p in parts])
    assert len(small.vertices_m) <= 64
    vertices, faces = np.asarray(small.vertices_m), np.asarray(small.faces)
    a, b, c = (vertices[faces[:, k]] for k in range(3))
    normals = np.cross(b - a, c - a)
    normals /= np.linalg.norm(normals, axis=1)[:, None]
    assert ((full[:, None] - a[None]) * normals[None]).sum(axis=-1).max() < 0.0015


def test_covering_boxes_cover():
    outline = np.array([(0.03, 0.0), (0.04, 0.05)])
    for piece in [
        *solid.ring(outline, outline - (0.005, 0.0)),
        solid.cylinder(0.03, 0.0, 0.1),
        solid.capsule((0, 0, 0), (0.05, 0.01, 0.03), 0.005),
        solid.box((0.01, 0, 0.02), (0.01, 0.02, 0.02), yaw_rad=0.4),
    ]:
        cover = piece.covering_box()
        local = (piece.points() - cover.center_m) @ solid.rotation_of(cover.quat_wxyz)
        assert np.all(np.abs(local) <= np.asarray(cover.half_size_m) + 5e-6)
