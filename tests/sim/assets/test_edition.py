from __future__ import annotations

from maniguard.sim.assets import CATALOGUE
from maniguard.sim.assets.catalogue.edition import EDITION_1
from maniguard.sim.room import ROOMS, SKINS
from maniguard.sim.room.rooms import EDITION_1_ROOMS
from maniguard.sim.room.table import EDITION_1_SKINS


def test_the_first_edition_is_whole_and_still_in_the_catalogue():
    assert len(set(EDITION_1)) == len(EDITION_1) == 79
    assert set(EDITION_1) <= set(CATALOGUE)
    assert set(EDITION_1_ROOMS) <= set(ROOMS)
    assert set(EDITION_1_SKINS) <= set(SKINS)


def test_the_first_edition_keeps_its_order():
    assert list(EDITION_1_ROOMS) == sorted(EDITION_1_ROOMS)
    assert list(EDITION_1_SKINS) == sorted(EDITION_1_SKINS)
    order = [name for name in CATALOGUE if name in EDITION_1]
    assert order == list(EDITION_1)
