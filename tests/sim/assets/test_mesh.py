from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from maniguard.sim.assets.mesh import lathe, merged, prism, rotation_between, rotation_z, rounded_rectangle, slab, sweep

ARC = np.stack([np.linspace(0.05, 0.11, 9), np.zeros(9), 0.03 + 0.02 * np.sin(np.linspace(0, np.pi, 9))], axis=1)
SHAPES = {
    "cylinder": lathe("body", np.array([(0.0, 0.0), (0.03, 0.0), (0.03, 0.1), (0.0, 0.1)])),
    "cup": lathe("body", np.array([(0, 0), (0.03, 0), (0.03, 0.1), (0.026, 0.1), (0.026, 0.005), (0, 0.005)])),
    "handle": sweep("body", ARC, 0.006, 0.004),
    "box": slab("body", (0.03, 0.02, 0.05), 0.003),
    "board": prism("body", rounded_rectangle(0.1, 0.06, 0.015), 0.0, 0.016),
}


@pytest.mark.parametrize("name", list(SHAPES))
def test_surfaces_are_closed_and_wound_outwards(name):
    mesh = SHAPES[name]
    _, index = np.unique(np.round(mesh.vertices, 7), axis=0, return_inverse=True)
    faces = index.ravel()[mesh.faces]
    faces = faces[(faces[:, 0] != faces[:, 1]) & (faces[:, 1] != faces[:, 2]) & (faces[:, 2] != faces[:, 0])]
    edges = Counter((int(a), int(b)) for f in faces for a, b in zip(f, np.roll(f, -1), strict=True))
    assert all(count == 1 and edges[(b, a)] == 1 for (a, b), count in edges.items())
    assert mesh.volume_m3 > 0


@pytest.mark.parametrize("name", list(SHAPES))
def test_normals_are_units_and_agree_with_the_faces(name):
    mesh = SHAPES[name]
    assert np.allclose(np.linalg.norm(mesh.normals, axis=1), 1)
    a, b, c = (mesh.vertices[mesh.faces[:, k]] for k in range(3))
    flat = np.cross(b - a, c - a)
    real = np.linalg.norm(flat, axis=1) > 1e-10
    mean = mesh.normals[mesh.faces].mean(axis=1)
    agreement = np.einsum("ij,ij->i", flat[real], mean[real]) / np.linalg.norm(flat[real], axis=1)
    assert agreement.min() > 0.3
    assert mesh.uv.shape == (len(mesh.vertices), 2)


def test_volumes_are_those_of_the_ideal_bodies():
    polygon = np.sin(2 * np.pi / 32) / (2 * np.pi / 32)
    assert SHAPES["cylinder"].volume_m3 == pytest.approx(np.pi * 0.03**2 * 0.1 * polygon, rel=1e-6)
    hollow = np.pi * (0.03**2 * 0.1 - 0.026**2 * 0.095) * polygon
    assert SHAPES["cup"].volume_m3 == pytest.approx(hollow, rel=1e-6)
    assert SHAPES["box"].volume_m3 == pytest.approx(8 * 0.03 * 0.02 * 0.05, rel=0.01)
    assert SHAPES["board"].volume_m3 == pytest.approx((0.2 * 0.12 - (4 - np.pi) * 0.015**2) * 0.016, rel=0.03)


def test_moving_keeps_volume_and_turns_normals():
    mesh = SHAPES["handle"]
    turn = rotation_z(0.7) @ rotation_between((0.3, -0.5, 0.8))
    moved = mesh.moved(turn, (0.1, 0.2, 0.3))
    assert moved.volume_m3 == pytest.approx(mesh.volume_m3)
    assert np.allclose(moved.normals @ turn, mesh.normals)


@pytest.mark.parametrize("target", [(0, 0, 1), (0, 0, -1), (1, 0, 0), (0, 1, 0), (0, -1, 0), (1, 2, 3)])
def test_rotation_between_takes_z_there(target):
    turn = rotation_between(target)
    assert np.allclose(turn @ (0, 0, 1), np.asarray(target) / np.linalg.norm(target))
    assert np.linalg.det(turn) == pytest.approx(1)


def test_merging_adds_up():
    both = merged("all", [SHAPES["box"], SHAPES["board"].moved(None, (0, 0, 0.2))])
    assert both.slot == "all"
    assert both.volume_m3 == pytest.approx(SHAPES["box"].volume_m3 + SHAPES["board"].volume_m3)


def test_sharp_corners_crease_and_shallow_ones_do_not():
    sharp = SHAPES["cylinder"]
    top = np.isclose(sharp.vertices[:, 2], 0.1) & (np.hypot(*sharp.vertices[:, :2].T) > 0.02)
    assert set(np.round(sharp.normals[top][:, 2], 6)) == {0.0, 1.0}
    shallow = lathe("body", np.array([(0.03, 0.0), (0.031, 0.05), (0.03, 0.1)]))
    middle = np.isclose(shallow.vertices[:, 2], 0.05)
    assert middle.sum() == 33
    assert np.allclose(shallow.normals[middle][:, 2], 0)
