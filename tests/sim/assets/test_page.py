from __future__ import annotations

import re
from pathlib import Path

from maniguard.sim.assets import CATALOGUE
from maniguard.sim.room import ROOMS, SKINS

PAGE = (Path(__file__).parents[3] / "docs" / "catalogue.md").read_text(encoding="utf-8")
NUMBERS = {7: "seven", 8: "eight", 9: "nine", 10: "ten"}


def test_the_page_counts_what_there_is():
    designs, categories, held = map(
        int, re.search(r"has (\d+) designs in (\d+) categories, of which (\d+) have a stored", PAGE).groups()
    )
    assert designs == len(CATALOGUE)
    assert categories == len({d.category for d in CATALOGUE.values()})
    assert held == sum(d.asset().carriable for d in CATALOGUE.values())


def test_the_page_counts_the_rooms():
    told = f"{NUMBERS[len(ROOMS)]} rooms and {NUMBERS[len(SKINS)]} table tops"
    assert told in PAGE.lower()
