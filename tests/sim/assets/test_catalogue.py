from __future__ import annotations

import json
import re

import numpy as np
import pytest
from scipy.spatial import cKDTree
from tests.sim.assets._geometry import SAMPLE, outside_pieces, surface_samples

from maniguard.sim.assets import (
    CATALOGUE,
    CATEGORIES,
    PALETTES,
    AssetError,
    build,
    design,
    nominal_mass_kg,
    of_category,
)
from maniguard.sim.assets.build import _geometry
from maniguard.sim.scene import ObjectSpec
from maniguard.trace.scene import Pose

# Stems and leaves, hinges and clasps, wires: seen, too slight to be touched.
ORNAMENTS_M = {"fruit": 0.014, "stick": 0.036, "hinged_jar": 0.01, "tool": 0.006, "toy": 0.006}
# The whisk is touched as the body that its wires make, a spout to its middle inside the pot.
AWAY_M = {"tool": 0.0075, "pourer": 0.0065}


def test_at_least_fourteen_categories_with_several_designs():
    counts = {c: len(of_category(c)) for c in {d.category for d in CATALOGUE.values()}}
    assert len(counts) >= 14
    assert sum(n >= 2 for n in counts.values()) >= 14
    assert set(counts) <= set(CATEGORIES)


def test_the_catalogue_is_wide():
    assert len(CATALOGUE) >= 250
    assert len({d.category for d in CATALOGUE.values()}) >= 40
    assert len({json.dumps([d.spec.kind, dict(d.spec.params)], sort_keys=True) for d in CATALOGUE.values()}) >= 250
    assert len(of_category("cabinet")) >= 4
    assert len(of_category("hinged_jar")) >= 4
    assert {d.spec.params.get("style", "knob") for d in of_category("lid")} == {"knob", "tall-knob", "handle", "cap"}


@pytest.mark.parametrize("name", SAMPLE)
def test_stands_on_its_base_with_its_middle_over_it(name):
    asset = CATALOGUE[name].asset()
    points = np.concatenate([p.points() for p in asset.pieces])
    assert abs(points[:, 2].min()) < 2e-6
    base = points[points[:, 2] < 1e-5]
    middle = np.asarray(asset.center_of_mass_m)[:2]
    assert np.all(base[:, :2].min(axis=0) < middle - 0.003)
    assert np.all(base[:, :2].max(axis=0) > middle + 0.003)
    # The origin is in the middle of the base, or of what is wide about it.
    assert np.all(np.abs(points[:, :2].max(axis=0) + points[:, :2].min(axis=0)) < 0.62 * np.ptp(points[:, :2], axis=0))


@pytest.mark.parametrize("name", SAMPLE)
def test_drawn_and_touched_shapes_agree(name):
    asset = CATALOGUE[name].asset()
    drawn = np.concatenate([mesh.vertices for mesh in asset.visuals])
    assert outside_pieces(asset, drawn).max() < ORNAMENTS_M.get(asset.kind, 0.004)
    tree = cKDTree(surface_samples(asset))
    away, _ = tree.query(np.concatenate([piece.points() for piece in asset.pieces]))
    # Walls are touched thicker than drawn, the lip under a spout is not cut out of them, and leaves are touched
    # as the whole that they make.
    spouted = float(CATALOGUE[name].spec.params.get("spout", 0.0)) > 0.0
    leafy = CATALOGUE[name].spec.params.get("plant") == "rosette"
    assert away.max() < (0.012 if leafy else 0.0075 if spouted else AWAY_M.get(asset.kind, 0.0055))


@pytest.mark.parametrize("name", SAMPLE)
def test_mass_is_plausible_and_matter_is_light_enough_to_carry(name):
    d = CATALOGUE[name]
    low, high = CATEGORIES[d.category].mass_range_kg
    assert low <= d.mass_kg <= high
    assert d.mass_kg == nominal_mass_kg(d.spec)


@pytest.mark.parametrize("name", SAMPLE)
def test_inertia_is_that_of_a_body_of_this_mass_and_size(name):
    asset = CATALOGUE[name].asset()
    moments = np.linalg.eigvalsh(asset.inertia)
    assert moments[0] > 0
    assert moments[0] + moments[1] > moments[2]
    points = np.asarray(asset.hull.vertices_m) - np.asarray(asset.center_of_mass_m)
    assert moments[2] < asset.mass_kg * (np.linalg.norm(points, axis=1).max() ** 2)


@pytest.mark.parametrize("name", SAMPLE)
def test_faces_are_few_enough_to_draw_quickly(name):
    faces = sum(len(mesh.faces) for mesh in CATALOGUE[name].asset().visuals)
    assert 30 <= faces <= 3400


@pytest.mark.parametrize("name", SAMPLE)
def test_building_again_gives_the_same(name):
    d = CATALOGUE[name]
    first = d.asset()
    _geometry.cache_clear()
    again = build(d.spec, d.appearance, d.mass_kg, d.friction)
    assert again is not first
    assert again.geometry_digest() == first.geometry_digest()
    assert again.grasps == first.grasps
    for a, b in zip(first.visuals, again.visuals, strict=True):
        assert np.array_equal(a.vertices, b.vertices)
        assert np.array_equal(a.faces, b.faces)
    for slot, material in first.materials.items():
        other = again.materials[slot]
        assert material == other
        if material.texture is not None:
            assert other.texture is not None
            assert np.array_equal(material.texture.pixels(), other.texture.pixels())


@pytest.mark.parametrize("name", SAMPLE)
def test_recolouring_changes_looks_only(name):
    d = CATALOGUE[name]
    assert len(d.palette) >= 3
    own = d.asset()
    for colour in d.palette:
        other = d.asset(d.recoloured(colour))
        assert other.geometry_digest() == own.geometry_digest()
        assert other.grasps == own.grasps
        assert other.materials != own.materials


def test_nouns_name_no_colour_and_one_design_each():
    colours = {"white", "black", "grey", "gray", "red", "green", "blue", "yellow", "orange", "brown", "pink", "purple"}
    colours |= {"golden", "silver", "beige"}
    nouns = [d.noun for d in CATALOGUE.values()]
    assert len(set(nouns)) == len(nouns)
    for noun in nouns:
        assert not set(re.findall(r"[a-z]+", noun.lower())) & colours


def test_object_spec_holds_every_number_and_survives_json():
    spec = design("teacup-round").object_spec("cup", "target", Pose((0.5, 0.1, 0.0)))
    again = ObjectSpec.from_dict(json.loads(json.dumps(spec.to_dict())))
    assert again == spec
    asset = build(again.asset, again.appearance, again.mass_kg, again.friction)
    assert asset.geometry_digest() == design("teacup-round").asset().geometry_digest()


def test_unknown_names_list_the_valid_ones():
    with pytest.raises(AssetError, match=r"no design 'cup-of-doom'.*apple-green"):
        design("cup-of-doom")
    with pytest.raises(AssetError, match=r"category 'spaceship'.*apple"):
        of_category("spaceship")


def test_palettes_hold_visibly_different_colours():
    for colours in PALETTES.values():
        values = np.array([[int(c[i : i + 2], 16) for i in (1, 3, 5)] for c in colours], dtype=float)
        gaps = np.linalg.norm(values[:, None] - values[None], axis=-1) + 1e3 * np.eye(len(values))
        assert gaps.min() > 20
