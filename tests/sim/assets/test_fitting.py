from __future__ import annotations

import dataclasses

import pytest

from maniguard.sim.assets import AssetError, design, of_category
from maniguard.sim.assets.catalogue.lids import MOUTHS, OWNERS
from maniguard.sim.assets.fitting import fitting, lid_measures, misfit, mouth_radius_m, require_fit
from maniguard.trace.scene import Region


def test_every_lid_fits_the_container_that_it_was_made_for():
    assert set(OWNERS) == {d.name for d in of_category("lid")}
    for lid, container in OWNERS.items():
        assert misfit(design(lid).asset(), design(container).asset()) is None, lid
        skirt = design(lid).asset().plug.size_m[2]
        assert 0.004 <= skirt <= 0.008


def test_a_mouth_is_measured_as_it_is_touched():
    asset = design("canister-steel").asset()
    # Drawn 1.8 mm thick, touched 5 mm thick, and a polygon inside.
    assert 0.026 < mouth_radius_m(asset) < 0.0281
    assert mouth_radius_m(asset) < asset.rim.size_m[0] - 0.003


def test_lids_that_are_too_large_too_small_or_too_narrow_are_told_so():
    lid, container = design("lid-stone").asset(), design("canister-stone").asset()

    def with_plug(radius, skirt=0.006):
        return dataclasses.replace(lid, plug=Region("cylinder", (radius, radius, skirt)))

    assert "too large" in misfit(with_plug(0.031), container)
    assert "too small" in misfit(with_plug(0.02), container)
    assert "as deep as the inside" in misfit(with_plug(lid.plug.size_m[0], 0.2), container)
    assert "no round mouth" in misfit(lid, design("container-lunch").asset())


def test_a_lid_that_fits_nothing_is_refused_by_name():
    lid = design("lid-pot").asset()
    containers = {name: design(name).asset() for name in ("canister-stone", "container-lunch")}
    with pytest.raises(AssetError, match=r"fits no container .*canister-stone: the plug.*too large.*container-lunch"):
        fitting(lid, containers)
    assert fitting(lid, {**containers, "pot-steel": design("pot-steel").asset()}) == ("pot-steel",)
    with pytest.raises(AssetError, match=r"does not fit 'canister-stone': .*; it fits pot-steel"):
        require_fit(lid, "canister-stone", containers["canister-stone"], ["pot-steel"])


def test_what_has_no_plug_or_no_mouth_is_no_lid_and_no_container():
    with pytest.raises(AssetError, match="no lid"):
        misfit(design("mug-classic").asset(), design("canister-stone").asset())
    with pytest.raises(AssetError, match="no round mouth"):
        lid_measures(design("book-novel").asset())


def test_the_written_measures_are_those_that_are_measured():
    for container, written in MOUTHS.items():
        assert lid_measures(design(container).asset()) == {**written, "skirt": 0.006}
