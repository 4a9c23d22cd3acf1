from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from maniguard.sim.assets import AppearanceError, AssetError, build, default_appearance, nominal_mass_kg
from maniguard.sim.assets.kinds import KINDS
from maniguard.sim.scene import AssetSpec

FRICTION = (0.5, 0.003, 0.0003)


@pytest.mark.parametrize("kind", list(KINDS))
def test_every_kind_builds_from_its_defaults(kind):
    spec = AssetSpec(kind)
    asset = build(spec, {}, nominal_mass_kg(spec), FRICTION)
    assert asset.kind == kind
    assert asset.mass_kg > 0.005
    assert {mesh.slot for mesh in asset.visuals} == set(asset.materials)
    assert len(asset.hull.vertices_m) <= 64
    assert asset.parts[0].name == "body"
    assert {piece.part for piece in asset.pieces} == {part.name for part in asset.parts}
    assert sum(len(part.boxes) for part in asset.parts) == len(asset.boxes) == len(asset.pieces)
    assert set(default_appearance(kind)) == set(KINDS[kind].looks)


@pytest.mark.parametrize("kind", list(KINDS))
def test_hull_faces_look_outwards_and_contain_the_pieces(kind):
    asset = build(AssetSpec(kind), {}, 0.3, FRICTION)
    vertices, faces = np.asarray(asset.hull.vertices_m), np.asarray(asset.hull.faces)
    a, b, c = (vertices[faces[:, k]] for k in range(3))
    normals = np.cross(b - a, c - a)
    normals /= np.linalg.norm(normals, axis=1)[:, None]
    middle = vertices.mean(axis=0)
    assert np.all(np.einsum("ij,ij->i", normals, a - middle) > 0)
    points = np.concatenate([piece.points() for piece in asset.pieces])
    assert ((points[:, None] - a[None]) * normals[None]).sum(axis=-1).max() < 0.0025


def test_mass_scales_inertia_and_nothing_else():
    spec = AssetSpec("can")
    light, heavy = build(spec, {}, 0.2, FRICTION), build(spec, {}, 0.4, FRICTION)
    assert np.allclose(2 * light.inertia, heavy.inertia)
    assert light.center_of_mass_m == heavy.center_of_mass_m
    radius, height = 0.0326, 0.1
    assert np.allclose(light.inertia[2, 2], 0.5 * 0.2 * radius**2, rtol=0.02)
    assert np.allclose(light.inertia[0, 0], 0.2 * (3 * radius**2 + height**2) / 12, rtol=0.02)


def test_digest_sees_geometry_mass_and_friction_but_no_looks():
    spec = AssetSpec("vessel", {"height": 0.09})
    base = build(spec, {}, 0.3, FRICTION)
    assert build(spec, {"color": "#102030"}, 0.3, FRICTION).geometry_digest() == base.geometry_digest()
    others = [
        build(AssetSpec("vessel", {"height": 0.091}), {}, 0.3, FRICTION),
        build(spec, {}, 0.301, FRICTION),
        build(spec, {}, 0.3, (0.51, 0.003, 0.0003)),
        dataclasses.replace(base, rim=None),
    ]
    assert len({a.geometry_digest() for a in [base, *others]}) == 5


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        (AssetSpec("spoon"), "kind 'spoon' is not known; valid are board"),
        (AssetSpec("vessel", {"hight": 0.1}), "no parameter 'hight'; it has .*height"),
        (AssetSpec("vessel", {"height": "tall"}), "'height' must be a number"),
        (AssetSpec("vessel", {"height": 0.0}), "'height' must be positive"),
        (AssetSpec("vessel", {"height": -0.1}), "'height' must be 0 or more"),
        (AssetSpec("vessel", {"height": float("nan")}), "'height' must be 0 or more"),
        (AssetSpec("vessel", {"shape": "knotted"}), "'shape' is 'knotted'; valid are bowl, round, straight"),
        (AssetSpec("vessel", {"wall": 0.05}), "no room inside"),
        (AssetSpec("vessel", {"floor": 0.09}), "no room inside"),
        (AssetSpec("vessel", {"substance": "unobtainium"}), "substance 'unobtainium' is not known"),
    ],
)
def test_impossible_descriptions_are_refused_by_name(spec, message):
    with pytest.raises(AssetError, match=message):
        nominal_mass_kg(spec)


@pytest.mark.parametrize(
    ("looks", "message"),
    [
        ({"colour": "#ffffff"}, "no appearance key 'colour'; it has .*color"),
        ({"color": "red"}, "colour 'red' is not of the form #rrggbb"),
        ({"color": "#12345g"}, "is not of the form"),
        ({"finish": "velvet"}, "finish 'velvet' is not known; valid are .*glaze"),
        ({"pattern": "tartan"}, "pattern 'tartan' is not known"),
    ],
)
def test_impossible_looks_are_refused_by_name(looks, message):
    with pytest.raises(AppearanceError, match=message):
        build(AssetSpec("vessel"), looks, 0.3, FRICTION)


@pytest.mark.parametrize("mass", [0.0, -1.0, float("nan"), float("inf")])
def test_masses_that_nothing_has_are_refused(mass):
    with pytest.raises(AssetError, match="mass_kg must be positive"):
        build(AssetSpec("can"), {}, mass, FRICTION)


def test_negative_friction_is_refused():
    with pytest.raises(AssetError, match="friction"):
        build(AssetSpec("can"), {}, 0.3, (-0.1, 0.0, 0.0))
