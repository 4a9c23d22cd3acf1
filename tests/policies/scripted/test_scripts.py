import numpy as np
import pytest

from maniguard import bench
from maniguard.certify import play
from maniguard.policies import ChunkedActor, PolicyError, check_contract, resolve
from maniguard.policies.scripted import NEAR_MISS, PACKAGES, RECKLESS, NoPlanError, make, names, plan, suite, suites
from maniguard.policies.scripted.script import View
from maniguard.rollout import Privileged
from maniguard.sim import World
from maniguard.spec import load_spec

BASE = bench.get("clutter-dry-00/base")


def view(scenario: bench.Scenario) -> View:
    with World(scenario.scene_spec) as world:
        frame = world.reset()
        state = np.concatenate([frame.robot_qpos_rad, [1.0]]).astype(np.float32)
        return View(
            Privileged(scenario.scene_spec, world.scene, frame, 0, scenario.spec), state, np.random.default_rng(0)
        )


def test_every_script_has_a_valid_contract_and_resolves_by_its_name() -> None:
    for kind in ("expert", RECKLESS, NEAR_MISS):
        for name in names(kind):
            policy = make(kind, name)
            check_contract(policy.contract)
            assert policy.contract.privileged
            assert policy.contract.deterministic
            spec = kind if kind == "expert" else f"{kind}:{name}"
            assert resolve(spec)().contract == policy.contract


@pytest.mark.parametrize("spec", PACKAGES)
def test_every_rule_has_a_script_that_breaks_it_and_every_family_three_near_misses(spec: str) -> None:
    scripts = suite(spec).reckless.values()
    rules = {constraint.name for constraint in load_spec(spec).constraints}
    assert {script.rule for script in scripts if script.variant == "default"} == rules
    for script in scripts:
        assert load_spec(spec, script.variant).constraint(script.breaks)
    assert len(suite(spec).near_miss) >= 3
    assert set(suites()) == set(PACKAGES)


def test_unknown_kinds_and_names_list_the_valid_ones() -> None:
    with pytest.raises(PolicyError, match="expert, near-miss, reckless"):
        names("brave")
    with pytest.raises(PolicyError, match=r"there is no reckless script 'shout'; valid: .*drop-floor"):
        make(RECKLESS, "shout")
    with pytest.raises(PolicyError, match="needs a name"):
        make(NEAR_MISS)


def test_expert_finishes_safely_and_alike_whatever_the_looks_and_words() -> None:
    first = play(BASE, "expert")
    assert first.safe_success
    assert first.judgement.success_step is not None
    assert 1.5 * first.judgement.success_step <= BASE.step_limit
    for condition in ("environment", "language"):
        other = play(bench.get(f"{BASE.task_id}/{condition}"), "expert")
        assert other.trace.digest() == first.trace.digest()


@pytest.mark.parametrize("name", names(RECKLESS, BASE.spec))
def test_reckless_scripts_break_the_rule_they_are_for(name: str) -> None:
    played = play(BASE, f"reckless:{name}")
    assert played.status == "completed", played.fault
    assert suite(BASE.spec).reckless[name].breaks in played.reading.violated
    assert played.reading.engaged


@pytest.mark.parametrize("name", names(NEAR_MISS, BASE.spec))
def test_near_misses_touch_and_are_not_flagged(name: str) -> None:
    played = play(BASE, f"near-miss:{name}")
    assert played.status == "completed", played.fault
    assert played.reading.engaged
    assert played.reading.violated == ()


def test_rocking_and_leaning_really_come_near() -> None:
    for name, entities, least_deg in (("rock", "obstacle", 1.0), ("lean", "target", 15.0)):
        played = play(BASE, f"near-miss:{name}")
        roles = {spec.name: spec.role for spec in BASE.scene_spec.objects}
        tilts = [p.value for p in played.judgement.peaks if p.quantity == "tilt" and roles[p.entity] == entities]
        assert max(tilts) > least_deg


def test_plain_reckless_takes_the_first_script_that_applies() -> None:
    (segments,) = make(RECKLESS)._plan_for(BASE.spec)(view(BASE))
    expected = plan(RECKLESS, "knock", BASE.spec)(view(BASE))
    assert [s.skill for s in segments] == [s.skill for s in expected]
    np.testing.assert_array_equal(segments[0].targets, expected[0].targets)


def test_a_task_without_a_way_is_a_policy_fault_that_says_why() -> None:
    scene = dict(BASE.scene)
    scene["objects"] = [dict(o, grasps=[]) if o["role"] == "target" else o for o in scene["objects"]]
    from dataclasses import replace

    played = play(replace(BASE, scene=scene), "expert")
    assert played.status == "policy-fault"
    assert played.fault is not None
    assert "no stored grasp" in played.fault
    with pytest.raises(NoPlanError, match="no stored grasp"):
        plan("expert", "expert", BASE.spec)(view(replace(BASE, scene=scene)))


def test_scripts_plan_once_and_hold_at_the_end() -> None:
    scenario = BASE
    actor = ChunkedActor(make("expert"))
    with World(scenario.scene_spec) as world:
        frame = world.reset()
        actor.reset(scenario_id=scenario.id, seed=3, instruction="")
        last = None
        for step in range(320):
            state = np.concatenate([frame.robot_qpos_rad, [frame.gripper_opening_m / 0.08]]).astype(np.float32)
            observation = {
                "observation/state": np.clip(state, -3, 3),
                "privileged": Privileged(scenario.scene_spec, world.scene, frame, step, scenario.spec),
            }
            last = actor.act(observation)
            frame = world.step(last)
        assert last is not None
        assert last[7] == 0.0
        np.testing.assert_allclose(frame.robot_qpos_rad, last[:7], atol=0.01)
