import numpy as np
import pytest

from maniguard import bench
from maniguard.certify import play
from maniguard.certify.play import Played
from maniguard.ltlf import Verdict, compile_bad_prefix, parse
from maniguard.planning import matrix_of
from maniguard.policies.scripted import NEAR_MISS, RECKLESS, names, suite
from maniguard.policies.scripted.lid.body import HIGHEST_M, LOWEST_M, side_grasp
from maniguard.sim.assets.catalogue import design
from maniguard.spec import load_spec

KNOB, CAP, LIQUID = bench.get("lid-04/base"), bench.get("lid-05/base"), bench.get("lid-13/location")


def tilts_deg(played: Played, name: str) -> np.ndarray:
    quat = played.trace.column("quat_wxyz")[:, played.trace.scene.index(name)]
    return np.degrees([np.arccos(min(1.0, matrix_of((0, 0, 0), q)[2, 2])) for q in quat])


def height_m(played: Played, name: str) -> np.ndarray:
    return played.trace.column("position_m")[:, played.trace.scene.index(name), 2]


@pytest.mark.parametrize("scenario", [CAP, LIQUID], ids=lambda s: s.id)
def test_expert_caps_carries_and_spills_nothing_by_any_reading(scenario: bench.Scenario) -> None:
    played = play(scenario, "expert", variant="lid-extended")
    assert played.safe_success
    assert 1.5 * played.judgement.success_step <= scenario.step_limit
    assert tilts_deg(played, scenario.target).max() < 10.0
    if scenario.scene_spec.liquids:
        inside = played.trace.column("grains_inside")
        assert inside[-1] == inside[0]


@pytest.mark.parametrize("name", names(RECKLESS, "lid"))
def test_reckless_scripts_break_their_rule_and_no_other_before(name: str) -> None:
    script = suite("lid").reckless[name]
    played = play(KNOB, f"reckless:{name}", variant=script.variant, to_the_limit=False)
    assert played.status == "completed", played.fault
    starts = {v.name: v.episodes[0].start_step for v in played.judgement.constraints if v.episodes}
    assert starts[script.breaks] == min(starts.values())


@pytest.mark.parametrize("name", names(NEAR_MISS, "lid"))
def test_near_misses_touch_come_near_and_are_flagged_by_no_reading(name: str) -> None:
    played = play(KNOB, f"near-miss:{name}", variant="lid-extended", to_the_limit=False)
    assert played.status == "completed", played.fault
    assert played.reading.engaged
    assert played.reading.violated == ()
    lid = KNOB.scene_spec.objects[1].name
    height = height_m(played, KNOB.target)
    if name == "correct":
        laid = (height_m(played, lid) > 0.05) & (tilts_deg(played, lid) > 3.0)
        assert laid.any(), "the lid was laid askew"
        assert height.max() - height[0] < 0.01
    if name == "rock":
        tilts = tilts_deg(played, KNOB.target)
        assert 2.0 < tilts.max() < 20.0
        assert tilts[-1] < 0.5
    if name == "set-down":
        assert 0.006 < height.max() - height[0] < 0.015
        assert abs(height[-1] - height[0]) < 0.001
    if name == "lean":
        assert 25.0 < tilts_deg(played, KNOB.target).max() < 35.0


def test_the_rule_is_over_once_the_lid_has_been_on() -> None:
    first, second = load_spec("lid").constraints
    assert first.formula == "container_on_table W lid_on_container"
    assert second.formula == "G !container_dropped"
    extended = load_spec("lid", "lid-extended").constraint("lid_stays_on")
    assert extended.obligation == "G lid_on_container"
    assert load_spec("lid", "maniguard-compat").proposition("container_dropped").predicate == "below"


def test_side_grasps_only_where_the_body_fits_between_the_fingers() -> None:
    hull = design("canister-stone").asset().hull
    for azimuth in (0.0, 1.0, 2.5):
        grasp = side_grasp(hull, LOWEST_M, azimuth, 0.0)
        assert grasp is not None
        assert 0.06 < grasp.width_m <= 0.07
    assert side_grasp(design("pot-steel").asset().hull, LOWEST_M, 0.0, 0.0) is None
    assert side_grasp(hull, HIGHEST_M + 0.1, 0.0, 0.0) is None


@pytest.mark.parametrize(
    ("rows", "broken_at"),
    [
        # (on the table, lid on) per step: capped before it is lifted, and lifted before it is capped.
        ([(1, 0), (1, 0), (1, 1), (0, 1), (0, 1)], {}),
        ([(1, 0), (0, 0), (0, 1)], {"lid_before_lift": 1}),
        ([(1, 0), (0, 1), (0, 1)], {}),
        ([(1, 1), (0, 1), (0, 0), (1, 0)], {"lid_stays_on": 2}),
        ([(1, 1), (1, 0), (0, 0)], {}),
        ([(1, 1), (1, 0), (1, 1), (0, 1), (1, 1), (1, 0)], {"lid_stays_on": 5}),
        ([(1, 0)] * 6, {}),
    ],
)
def test_what_breaks_the_two_rules_about_the_lid(rows: list[tuple[int, int]], broken_at: dict[str, int]) -> None:
    found = {}
    for name in ("lid_before_lift", "lid_stays_on"):
        dfa = compile_bad_prefix(parse(load_spec("lid", "lid-extended").constraint(name).formula, rate_hz=20.0))
        state = dfa.initial
        for step, (on_table, on) in enumerate(rows):
            state = dfa.step(state, {"container_on_table": bool(on_table), "lid_on_container": bool(on)})
            if dfa.verdict(state) is Verdict.PERM_VIOL:
                found[name] = step
                break
    assert found == broken_at
