"""The predicate `in_drawer_path`, in simulated scenes."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from grounding.test_world_predicates import at, last, margins, settle
from maniguard.grounding import GroundingError
from maniguard.sim import ObjectSpec
from maniguard.trace import Pose
from sim._jointed import DRAWER, WALL, chest
from sim._scenes import block

# The chest's drawer, handle included, passes from x = 0.31 m to its back at 0.70 m, 9.5 cm to both sides, and between
# heights of 3 and 9 cm.


def post(x: float, y: float, z: float = 0.0, *, tall_m: float = 0.06) -> ObjectSpec:
    return at(block(x=0.04, y=0.04, z=tall_m, mass_kg=0.05), (x, y, z))


def margin(item: ObjectSpec, clearance: float = 0.0, cabinet: ObjectSpec | None = None) -> float:
    trace = settle(chest() if cabinet is None else cabinet, item, steps=1)
    return last(trace, "in_drawer_path", "block", ("clearance", clearance), to="chest")


def test_what_stands_before_the_shut_drawer_is_in_its_path_and_what_stands_beside_is_not() -> None:
    assert margin(post(0.42, 0.0)) == pytest.approx(0.03, abs=1e-3)
    assert margin(post(0.42, 0.12)) == pytest.approx(-0.005, abs=1e-3)
    assert margin(post(0.42, 0.12), clearance=0.01) == pytest.approx(0.005, abs=1e-3)
    assert margin(post(0.28, 0.0)) == pytest.approx(-0.01, abs=1e-3)


def test_a_drawer_passes_over_what_is_low() -> None:
    assert margin(post(0.42, 0.0, tall_m=0.02)) == pytest.approx(-0.01, abs=1e-3)


def test_what_lies_in_the_open_drawer_is_in_its_path() -> None:
    drawer = chest(replace(DRAWER, start=0.15))
    assert margin(post(0.47, 0.0, 0.03 + WALL, tall_m=0.03), cabinet=drawer) > 0


def test_the_path_turns_with_the_cabinet() -> None:
    half = math.sqrt(0.5)
    turned = replace(chest(), world_T_object=Pose((0.6, 0.2, 0.0), (half, 0.0, 0.0, half)))
    assert margin(post(0.6, 0.02), cabinet=turned) > 0
    assert margin(post(0.42, 0.2), cabinet=turned) < 0


def test_what_has_no_drawer_is_refused() -> None:
    with pytest.raises(GroundingError, match=r"needs a drawer.*'block'"):
        margins(settle(block(), steps=1), "in_drawer_path", "block", ("clearance", 0.0), to="block")
