"""The locked numbers of the catalogue are those that the code builds."""

from __future__ import annotations

from dataclasses import replace

from maniguard.sim.assets import CATALOGUE
from maniguard.sim.assets.catalogue.lock import changes, locked_numbers
from maniguard.sim.assets.categories import CATEGORIES
from maniguard.sim.scene import AssetSpec


def test_every_design_is_locked_and_built_as_locked():
    locked = locked_numbers()
    assert set(locked) == set(CATALOGUE), "run python tools/lock_catalogue.py for designs that are new"
    assert {name: changes(one, locked[name]) for name, one in CATALOGUE.items() if changes(one, locked[name])} == {}


def test_a_change_of_shape_mass_or_friction_shows():
    can = CATALOGUE["can-beans"]
    locked = locked_numbers()["can-beans"]
    assert changes(can, locked) == ()
    taller = {**can.spec.params, "height": locked["size_m"][2] + 0.001}
    assert {"size_m", "mass_kg", "volume_cm3"} <= set(changes(replace(can, spec=AssetSpec("can", taller)), locked))
    rougher = next(name for name, entry in CATEGORIES.items() if entry.friction != can.friction)
    assert changes(replace(can, category=rougher), locked) == ("friction",)
    assert changes(can, {k: v for k, v in locked.items() if k != "rim"}) == ("rim",)
