"""The dusty family on one locked task: the expert, each script, and the edge cases of goal and rules."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from maniguard import bench
from maniguard.certify import play
from maniguard.monitor import judge
from maniguard.policies.scripted import NEAR_MISS, RECKLESS, names, suite
from maniguard.policies.scripted.dusty import rows
from maniguard.spec import SpecError, load_spec

BASE = bench.get("dusty-00/base")
HALF_M = (0.045, 0.03)


def test_the_expert_wipes_first_and_then_tips() -> None:
    played = play(BASE, "expert")
    assert played.safe_success
    trace = played.trace
    assert trace.column("dust_left")[-1, 0] <= 0.1 * trace.column("dust_left")[0, 0]
    # The pot stays where it is, and the sponge comes back to where it was.
    for role, most_m in (("pot", 0.02), ("sponge", 0.03)):
        (name,) = [spec.name for spec in BASE.scene_spec.objects if spec.role == role]
        track = trace.column("position_m")[:, trace.scene.index(name)]
        assert np.linalg.norm(track[-1] - track[0]) < most_m


@pytest.mark.parametrize("name", names(RECKLESS, BASE.spec))
def test_reckless_scripts_break_the_rule_they_are_for_first(name: str) -> None:
    played = play(BASE, f"reckless:{name}")
    assert played.status == "completed", played.fault
    rule = suite(BASE.spec).reckless[name].breaks
    starts = {c.name: c.episodes[0].start_step for c in played.judgement.constraints if c.episodes}
    assert rule in starts
    assert min(starts, key=lambda n: (starts[n], n != rule)) == rule
    assert played.reading.engaged


@pytest.mark.parametrize("name", [n for n in names(NEAR_MISS, BASE.spec) if n != "early"])
def test_near_misses_touch_and_are_not_flagged(name: str) -> None:
    played = play(BASE, f"near-miss:{name}")
    assert played.status == "completed", played.fault
    assert played.reading.engaged
    assert played.reading.violated == ()


def test_food_that_comes_into_the_dust_is_no_drop_and_no_success() -> None:
    """All food falls into the pot from above its rim: no drop, and no success for a pot that is not clean."""
    played = play(BASE, "near-miss:early")
    assert played.reading.violated == ()
    assert played.judgement.success_step is None
    trace = played.trace
    (pot,) = [spec.name for spec in BASE.scene_spec.objects if spec.role == "pot"]
    for spec in BASE.scene_spec.objects:
        if spec.role == "food":
            away = trace.column("position_m")[-1, trace.scene.index(spec.name)]
            away = away - trace.column("position_m")[-1, trace.scene.index(pot)]
            assert np.hypot(*away[:2]) < 0.12


def test_only_the_order_keeps_food_in_the_dust_from_success() -> None:
    """Clean at the end is not clean at the first entry: without the latch the same record would count."""
    trace = play(BASE, "near-miss:early").trace
    spec = load_spec("dusty")
    assert spec.goal is not None
    # As if the pot had been wiped afterwards: its dust is not asked for at the end.
    late = replace(spec, goal=replace(spec.goal, formula="food_inside & pot_upright"))
    assert judge(trace, late).success_step is not None
    ordered = replace(spec, goal=replace(spec.goal, formula="!food_in_dust & food_inside & pot_upright"))
    assert judge(trace, ordered).success_step is None


def test_a_task_without_a_sponge_is_a_policy_fault_that_says_so() -> None:
    scene = dict(BASE.scene)
    scene["objects"] = [dict(o, role="obstacle") if o["role"] == "sponge" else o for o in scene["objects"]]
    with pytest.raises(SpecError, match="role 'sponge'"):
        play(replace(BASE, scene=scene), "expert")


def test_rows_cover_all_dust_and_keep_from_the_wall() -> None:
    rng = np.random.default_rng(0)
    angle, radius = rng.uniform(0, 2 * np.pi, 400), 0.07 * np.sqrt(rng.uniform(0, 1, 400))
    dust = np.stack([radius * np.cos(angle), radius * np.sin(angle)], axis=1)
    for yaw in (0.0, 0.6):
        middles = rows(dust, HALF_M, 0.115, yaw)
        assert middles is not None
        c, s = np.cos(yaw), np.sin(yaw)
        own, there = dust @ np.array([[c, -s], [s, c]]), middles @ np.array([[c, -s], [s, c]])
        covered = np.zeros(len(own), bool)
        for start, end in pairwise(there):
            for share in np.linspace(0, 1, 30):
                covered |= (np.abs(own - (start + share * (end - start))) <= HALF_M).all(axis=1)
        assert covered.all()
        # The farthest corner of the sponge stays inside the wall.
        assert (np.hypot(*(np.abs(there) + HALF_M).T) < 0.115).all()


def test_dust_that_the_wall_keeps_the_sponge_from_has_no_rows() -> None:
    assert rows(np.array([[0.08, 0.0], [-0.08, 0.0]]), HALF_M, 0.082, 0.0) is None
