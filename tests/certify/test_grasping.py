"""Stored grasps hold in real physics, and what the catalogue says of that is what was measured."""

from __future__ import annotations

import importlib.util
import json
import math
import sys
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from maniguard.certify.grasping import HOLD_S, GraspError, filling, hold, ranked, validate_grasp
from maniguard.sim import BuildError
from maniguard.sim.assets import CATALOGUE, design
from maniguard.sim.assets.catalogue.carriable import BEST_GRASP, NOT_CARRIABLE
from maniguard.trace.scene import Pose

ROOT = Path(__file__).parents[2]
RESULTS: dict[str, Any] = json.loads((ROOT / "benchmarks" / "results" / "grasp_hold.json").read_text())
ROWS = {row["design"]: row for row in RESULTS["instances"]}
FILLED = {row["design"]: row for row in RESULTS["filled_instances"]}
NOT_FILLED = {row["design"] for row in RESULTS["not_filled_instances"]}


@pytest.mark.parametrize("name", ["mug-classic", "can-beans", "hinged-glass", "saucepan"])
def test_a_design_is_held_as_was_measured(name: str) -> None:
    report = validate_grasp(design(name))
    assert report.passed
    assert report.held_s == HOLD_S
    assert report.grasp == ROWS[name]["grasp"] == design(name).best_grasp.name
    assert 1e3 * report.slip_m == pytest.approx(ROWS[name]["slip_mm"], abs=0.5)
    assert math.degrees(report.tilt_rad) == pytest.approx(ROWS[name]["tilt_deg"], abs=0.5)


def test_a_full_beaker_is_carried_level_and_loses_nothing() -> None:
    report = validate_grasp(design("tea-beaker"), filled=True)
    assert report.passed
    assert report.filled
    assert report.grains_lost == 0
    assert math.degrees(report.tilt_rad) < 5.0


def test_what_slides_does_not_pass() -> None:
    report = validate_grasp(design("wine-glass-port"), tries=1)
    assert report.slips
    assert not report.tilts
    assert not report.passed


def test_a_grasp_beside_the_object_holds_nothing() -> None:
    can = design("can-beans")
    grasp = can.grasps[0]
    x, y, z = grasp.object_T_tcp.position_m
    report = hold(can, replace(grasp, object_T_tcp=Pose((x, y, z + 0.05), grasp.object_T_tcp.quat_wxyz)))
    assert report.held_s < HOLD_S
    assert report.slips
    assert report.tilts


def test_what_cannot_be_tried_is_an_error() -> None:
    with pytest.raises(GraspError, match=r"plate-dinner.*no grasp"):
        validate_grasp(design("plate-dinner"))
    with pytest.raises(GraspError, match=r"bowl-cereal.*no body grasp"):
        validate_grasp(design("bowl-cereal"), filled=True)
    can = design("can-beans")
    grasp = can.grasps[0]
    with pytest.raises(GraspError, match="does not reach grasp 'far' of design 'can-beans'"):
        hold(can, replace(grasp, name="far", object_T_tcp=Pose((0.0, 0.0, 2.0), grasp.object_T_tcp.quat_wxyz)))
    with pytest.raises(BuildError, match="too shallow"):
        filling(design("stacking-red"))


def test_grasps_are_tried_one_of_each_kind_first() -> None:
    mug = design("mug-classic")
    order = ranked(mug)
    assert sorted(g.name for g in order) == sorted(g.name for g in mug.grasps)
    kinds = {g.kind for g in mug.grasps}
    assert {g.kind for g in order[: len(kinds)]} == kinds
    assert ranked(design("cabinet-oak")) == ()
    assert [g.name for g in ranked(design("wine-glass-port"))] == ["top-0", "top-30"]


def test_every_design_with_a_grasp_was_measured() -> None:
    assert set(ROWS) == {name for name, d in CATALOGUE.items() if ranked(d)}
    assert set(FILLED) | NOT_FILLED == {name for name, d in CATALOGUE.items() if ranked(d, filled=True)}


def test_the_catalogue_says_what_was_measured() -> None:
    assert {name for name, row in ROWS.items() if not row["passed"]} == NOT_CARRIABLE
    others = {n: r["grasp"] for n, r in ROWS.items() if r["passed"] and r["grasp"] != CATALOGUE[n].grasps[0].name}
    assert dict(BEST_GRASP) == others
    for name, one in CATALOGUE.items():
        assert one.carriable == (name in ROWS and ROWS[name]["passed"])


def test_enough_are_held_well() -> None:
    slip = [row["held_s"] >= HOLD_S and row["slip_mm"] < 5.0 for row in ROWS.values()]
    tilt = [row["held_s"] >= HOLD_S and row["tilt_deg"] < 15.0 for row in ROWS.values()]
    assert len(ROWS) >= 300
    assert sum(slip) >= 0.95 * len(slip)
    assert sum(tilt) >= 0.90 * len(tilt)
    assert len(FILLED) >= 20
    assert all(row["tilt_deg"] < 5.0 and row["grains_lost"] == 0 for row in FILLED.values())


def test_the_page_quotes_the_results() -> None:
    page = (ROOT / "docs" / "world.md").read_text(encoding="utf-8")
    assert _benchmark().updated(page, RESULTS) == page


def _benchmark() -> ModuleType:
    folder = ROOT / "benchmarks"
    spec = importlib.util.spec_from_file_location("grasp_hold", folder / "grasp_hold.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.path.insert(0, str(folder))
    try:
        spec.loader.exec_module(module)
    finally:
        sys.path.remove(str(folder))
    return module
