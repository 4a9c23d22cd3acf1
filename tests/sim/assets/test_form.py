from __future__ import annotations

import numpy as np
import pytest
from tests.sim.assets._geometry import outside_pieces

from maniguard.sim.assets import AssetError, build, nominal_mass_kg
from maniguard.sim.assets.form import Form
from maniguard.sim.assets.pieces import mass_properties
from maniguard.sim.scene import AssetSpec


def test_what_is_added_is_seen_touched_and_weighed():
    form = Form()
    form.block("main", (0.0, 0.0, 0.01), (0.02, 0.01, 0.01), 0.001, "wood")
    form.turned("main", [(0.01, 0.0), (0.01, 0.03)], "steel", at=(0.05, 0.0, 0.0))
    form.rod("other", (0.0, 0.0, 0.02), (0.0, 0.0, 0.05), 0.004, "wood")
    plan = form.blueprint()
    assert sorted(mesh.slot for mesh in plan.visuals) == ["main", "other"]
    assert len(plan.pieces) == 3
    volumes = [volume for volume, _ in plan.matter]
    assert volumes == pytest.approx([1.6e-5, np.pi * 1e-4 * 0.03, np.pi * 1.6e-5 * 0.03], rel=0.05)
    assert mass_properties(plan.pieces).volume_m3 == pytest.approx(sum(volumes), rel=0.05)


def test_a_moving_part_keeps_its_own_meshes_and_matter():
    form = Form()
    form.block("main", (0.0, 0.0, 0.01), (0.02, 0.01, 0.01), 0.001, "wood")
    form.block("main", (0.0, 0.0, 0.03), (0.02, 0.01, 0.005), 0.001, "wood", part="lid")
    plan = form.blueprint()
    assert [(mesh.slot, mesh.part) for mesh in plan.visuals] == [("main", "body"), ("main", "lid")]
    assert [piece.part for piece in plan.pieces] == ["body", "lid"]
    assert plan.part_matter == {"lid": ((pytest.approx(8e-6), "wood"),)}


@pytest.mark.parametrize("axis", [(1.0, 0.0, 0.0), (0.0, -1.0, 0.0), (0.0, 0.6, 0.8)])
def test_turned_shapes_are_touched_where_they_are_seen(axis):
    form = Form()
    form.turned("main", [(0.012, 0.0), (0.02, 0.01), (0.008, 0.05)], None, at=(0.01, 0.02, 0.03), axis=axis, exact=True)

    class Shown:
        pieces = form.blueprint().pieces

    drawn = form.blueprint().visuals[0].vertices
    assert outside_pieces(Shown(), drawn).max() < 0.0012


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        (AssetSpec("spindle", {"profile": "1,2 three"}), "'profile' must be points"),
        (AssetSpec("spindle", {"profile": ""}), "'profile' must not be empty"),
        (AssetSpec("spindle", {"profile": "10,20 10,5"}), "'profile' must run upwards"),
        (AssetSpec("tub", {"wall": 0.06}), "no room inside"),
        (AssetSpec("cabinet", {"drawers": 4.0}), "4 drawers leave"),
        (AssetSpec("toy", {"style": "bomb"}), "'style' is 'bomb'; valid are arch, ball"),
        (AssetSpec("hinged_jar", {"wall": 0.04}), "no room inside"),
    ],
)
def test_impossible_measures_are_refused_by_name(spec, message):
    with pytest.raises(AssetError, match=message):
        build(spec, {}, nominal_mass_kg(spec), (0.5, 0.003, 0.0003))
