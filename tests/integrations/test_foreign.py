"""A foreign loop over our rollouts: the same numbers as our own loop, and a ledger that hides nothing."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pytest

from maniguard.bench import TaskFileError
from maniguard.evaluate import create_run, execute, make_plan, open_run, row_of
from maniguard.integrations import ForeignRun, ForeignRunError, choose
from maniguard.integrations import foreign as module
from maniguard.policies import STATE, ActionSpec, ChunkedActor, PolicyContract, image, numbers, resolve
from maniguard.rollout import run_rollout
from maniguard.sim import SceneSpec, World
from maniguard.spec import load_spec

JOINTS = PolicyContract("joints", (STATE,), ActionSpec(1), 1, deterministic=False)
SCENARIO = "clutter-dry-00/base"


@pytest.fixture(scope="module")
def ours(tmp_path_factory):
    """Two rollouts of our own loop: at random, and reckless."""
    runs = {}
    for policy in ("random", "reckless"):
        run = create_run(tmp_path_factory.mktemp("ours") / policy, make_plan(policy, choose([SCENARIO]), (3,)))
        execute(run, done=lambda item, status: None)
        runs[policy] = open_run(run.path)
    return runs


def shortened(steps):
    return [replace(scenario, step_limit=steps) for scenario in choose([SCENARIO])]


def play(foreign, seed, actions, scenario=SCENARIO):
    foreign.begin(scenario, seed)
    for action in actions:
        foreign.act(action)
    return foreign.finish()


def test_a_policy_driven_from_outside_gets_the_same_result_file_as_in_eval(ours, tmp_path):
    foreign = ForeignRun(tmp_path / "run", choose([SCENARIO]), policy="random", contract=JOINTS)
    actor = ChunkedActor(resolve("random")())
    foreign.begin(SCENARIO, 3)
    actor.reset(scenario_id=SCENARIO, seed=3, instruction=foreign.session.scenario.instruction)
    while not foreign.done:
        foreign.act(actor.act(foreign.observe()))
    outcome = foreign.finish()
    foreign.close()
    (theirs,), (own,) = open_run(tmp_path / "run").results(), ours["random"].results()
    assert json.dumps(theirs, sort_keys=True) == json.dumps(own, sort_keys=True)
    assert outcome.path == open_run(tmp_path / "run").result_path(theirs["rollout_id"])


def test_recorded_reckless_actions_are_judged_as_when_they_were_recorded(ours, tmp_path):
    (own,) = ours["reckless"].results()
    trace = ours["reckless"].trace(own["rollout_id"])
    actions = [frame.action for frame in trace.frames()][1:]
    foreign = ForeignRun(tmp_path / "run", choose([SCENARIO]), policy="reckless", contract=JOINTS)
    outcome = play(foreign, 3, actions)
    foreign.close()
    assert outcome.violated
    row = row_of(own, outcome.judgement, "maniguard")
    assert outcome.row == row
    assert outcome.metrics["violations"] >= 1
    assert outcome.metrics["engaged"]
    assert not outcome.metrics["safe"]
    assert not outcome.metrics["safe_success"]


def test_a_bad_action_ends_the_rollout_as_a_counted_failure(tmp_path):
    foreign = ForeignRun(tmp_path / "run", shortened(5), policy="x", contract=JOINTS)
    for seed, bad in enumerate((np.zeros(7), np.full(8, np.nan), [], "left", np.zeros((2, 8)), [[1], [2, 3]])):
        foreign.begin(SCENARIO, seed)
        foreign.act(np.zeros(8))
        foreign.act(bad)
        assert foreign.done
        with pytest.raises(ForeignRunError, match="has ended"):
            foreign.act(np.zeros(8))
        outcome = foreign.finish()
        assert outcome.status == "policy-fault"
        assert outcome.judgement.frames == 2
        assert "policy 'joints' gave" in outcome.fault
        assert outcome.metrics["success"] is False
    foreign.close()
    assert open_run(tmp_path / "run").ledger()["policy-fault"] == 6


def test_rows_of_another_convention_are_converted_as_in_eval(tmp_path):
    """Shifts of the tcp at half the control rate, seen through the tcp's own pose."""
    action = ActionSpec(1, 7, "ee_delta", unit_m=0.05, unit_rad=0.5, limit=1.0, rate_hz=10.0)
    contract = PolicyContract("shifts", (numbers("pose", "x+y+z"),), action, 1, deterministic=True)
    row = np.array([0.2, 0.1, -0.4, 0.0, 0.0, 0.1, 1.0], np.float32)

    class Shifts:
        def __init__(self):
            self.contract, self.seen = contract, []

        def reset(self, *, seed, instruction): ...

        def infer(self, observation):
            self.seen.append(observation["pose"].copy())
            return row[None]

        def close(self): ...

    (scenario,), policy = shortened(5), Shifts()
    world = World(SceneSpec.from_dict(scenario.scene))
    result = run_rollout(scenario, load_spec(scenario.spec), world, ChunkedActor(policy), seed=2, policy="x")
    world.close()
    foreign = ForeignRun(None, [scenario], policy="x", contract=contract)
    foreign.begin(scenario.id, 2)
    seen, steps = [], []
    while not foreign.done:
        seen.append(foreign.observe()["pose"])
        foreign.act(row)
        steps.append(foreign.session.step_index)
    assert steps[:3] == [2, 4, 6]
    np.testing.assert_array_equal(seen, policy.seen)
    trace, _ = foreign.session.finish()
    foreign.close()
    assert trace.digest() == result.trace.digest()
    with pytest.raises(ForeignRunError, match="one row at a time"):
        ForeignRun(None, [scenario], policy="x", contract=replace(contract, action=replace(action, horizon=2)))


def test_what_never_ends_is_pending_and_can_be_done_again(tmp_path):
    foreign = ForeignRun(tmp_path / "run", shortened(5), policy="x", contract=JOINTS)
    foreign.begin(SCENARIO, 1)
    foreign.act(np.zeros(8))
    with pytest.raises(ForeignRunError, match="at step 1 and not over"):
        foreign.finish()
    foreign.begin(SCENARIO, 0)
    assert open_run(tmp_path / "run").ledger()["pending"] == 2
    while not foreign.done:
        foreign.act(np.zeros(8))
    foreign.finish()
    foreign.begin(SCENARIO, 1)
    while not foreign.done:
        foreign.act(np.zeros(8))
    foreign.finish()
    run = open_run(tmp_path / "run")
    assert [item.seed for item in run.plan.items] == [0, 1]
    assert run.ledger()["completed"] == 2
    with pytest.raises(ForeignRunError, match=r"has the result of clutter-dry-00\.base\.s1 already"):
        foreign.begin(SCENARIO, 1)
    foreign.close()


def test_another_kind_of_run_does_not_go_into_the_same_folder(tmp_path):
    ForeignRun(tmp_path / "run", shortened(5), policy="x", contract=JOINTS).begin(SCENARIO, 0)
    other = ForeignRun(tmp_path / "run", shortened(5), policy="y", contract=JOINTS)
    with pytest.raises(ForeignRunError, match="its policy is 'x', this call's 'y'"):
        other.begin(SCENARIO, 1)


def test_writers_do_not_lose_each_others_rollouts(tmp_path):
    (scenario,) = shortened(5)
    plan = make_plan("x", [scenario], range(12), contract=JOINTS)

    def enter(item):
        module._enter(tmp_path / "run", replace(plan, items=(item,)), plan)

    with ThreadPoolExecutor(6) as pool:
        list(pool.map(enter, plan.items))
    assert [item.seed for item in open_run(tmp_path / "run").plan.items] == list(range(12))


def test_images_are_made_when_asked_for_and_nothing_is_kept_without_a_folder():
    contract = replace(JOINTS, observations=(STATE, image("images/a", "wrist", 64)))
    foreign = ForeignRun(None, shortened(3), policy="x", contract=contract)
    foreign.begin(SCENARIO, 0)
    seen = foreign.observe()
    assert seen["images/a"].shape == (64, 64, 3)
    assert seen["observation/state"].dtype == np.float32
    assert seen["prompt"] == foreign.session.scenario.instruction
    while not foreign.done:
        foreign.act(seen["observation/state"])
    assert foreign.finish().path is None
    foreign.close()


def test_wrong_use_is_named():
    foreign = ForeignRun(None, shortened(3), policy="x", contract=JOINTS)
    with pytest.raises(ForeignRunError, match="begin one first"):
        foreign.observe()
    with pytest.raises(ForeignRunError, match="'jar-00/base' is none of the 1"):
        foreign.begin("jar-00/base", 0)


def test_scenarios_are_chosen_by_task_family_and_condition():
    assert [s.id for s in choose(["clutter-dry-01", "clutter-dry-00/target", "clutter-dry-01/base"])] == [
        "clutter-dry-01/base",
        "clutter-dry-00/target",
    ]
    assert {s.condition for s in choose(["jar"])} == {"base"}
    assert len(choose(["jar/target"])) == len(choose(["jar"]))
    with pytest.raises(ForeignRunError, match="no scenario is given"):
        choose([])
    with pytest.raises(TaskFileError, match="cluttr"):
        choose(["cluttr"])
