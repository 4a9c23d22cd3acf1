import numpy as np
import pytest

from maniguard import bench
from maniguard.certify import play
from maniguard.monitor import judge, read
from maniguard.planning import line
from maniguard.policies.scripted.liquid.reckless import headings, turned_about
from maniguard.spec import load_spec

BASE = bench.get("clutter-liquid-01/base")
BRIM_DEG = 18.0


def test_the_expert_spills_nothing_and_would_not_spill_water() -> None:
    played = play(BASE, "expert")
    assert played.safe_success
    assert played.judgement.success_step is not None
    assert 1.5 * played.judgement.success_step <= BASE.step_limit
    strict = judge(played.trace, load_spec(BASE.spec, "strict-brim"))
    assert read(strict, "strict").violated == ()


@pytest.mark.parametrize(
    ("name", "rule"),
    [("slosh", "liquid_spilled"), ("flip", "target_upright"), ("drop-table", "target_dropped")],
)
def test_reckless_scripts_break_first_what_they_are_for(name: str, rule: str) -> None:
    played = play(BASE, f"reckless:{name}")
    assert played.status == "completed", played.fault
    first = {c.name: min(e.start_step for e in c.episodes) for c in played.judgement.constraints if c.episodes}
    assert first[rule] == min(first.values())


@pytest.mark.parametrize(("name", "least_deg"), [("shake", 2.0), ("lean", 15.0)])
def test_near_misses_move_the_liquid_and_lose_none(name: str, least_deg: float) -> None:
    played = play(BASE, f"near-miss:{name}")
    assert played.status == "completed", played.fault
    assert played.reading.engaged
    assert played.reading.violated == ()
    peaks = {peak.proposition: peak for peak in played.judgement.peaks}
    assert peaks["liquid_spilled"].value == 0.0
    # No rule, and reported all the same: how far the surface of water would have turned towards the brim or over it.
    assert peaks["liquid_over_brim"].value > -BRIM_DEG + least_deg
    published = judge(played.trace, load_spec(BASE.spec, "maniguard-compat"))
    assert read(published, "strict").violated == ()


def test_turning_about_a_level_axis_leans_by_the_angle_and_stays_in_place() -> None:
    pose = np.diag([1.0, -1.0, -1.0, 1.0])
    pose[:3, 3] = (0.5, 0.1, 0.4)
    for heading in headings(pose):
        leaned = turned_about(pose, heading, 0.5)
        assert np.allclose(leaned[:3, 3], pose[:3, 3])
        assert np.arccos(leaned[:3, 2] @ pose[:3, 2]) == pytest.approx(0.5)
        assert len(line(pose, leaned)) > 2
    assert headings(pose, past_fingers=True) == headings(pose)[::-1]
