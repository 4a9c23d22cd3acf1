from __future__ import annotations

import numpy as np
import pytest

from maniguard.sim.assets import AssetError, contact_sheet

NAMES = ("mug-classic", "can-beans", "saucepan")


def test_each_cell_shows_an_object_of_its_own():
    sheet = contact_sheet(NAMES, columns=2, cell_px=96, caption=False)
    assert sheet.shape == (192, 192, 3)
    cells = [sheet[:96, :96], sheet[:96, 96:], sheet[96:, :96]]
    for cell in cells:
        background = cell[2, 2].astype(int)
        share = (np.abs(cell.astype(int) - background).sum(axis=-1) > 60).mean()
        assert 0.05 < share < 0.8
        # Nothing is cut off at the left and right border at the height of the object's middle.
        assert np.abs(cell[40, [0, -1]].astype(int) - cell[2, [0, -1]].astype(int)).max() < 40
    assert not np.array_equal(cells[0], cells[1])
    assert np.ptp(sheet[100:190, 100:190].reshape(-1, 3), axis=0).max() == 0


def test_captions_are_written_and_bad_requests_refused():
    plain = contact_sheet(NAMES[:1], columns=1, cell_px=96, caption=False)
    named = contact_sheet(NAMES[:1], columns=1, cell_px=96)
    assert np.array_equal(plain[:80], named[:80])
    assert not np.array_equal(plain[80:], named[80:])
    with pytest.raises(AssetError, match="no design 'spork'"):
        contact_sheet(["spork"])
    with pytest.raises(AssetError, match="at least one design"):
        contact_sheet([])
