"""Replay: a recorded trace played again is the same trace to the bit, and no other scenario is played with it."""

import numpy as np
import pytest

from maniguard import bench
from maniguard.evaluate import create_run, execute, make_plan
from maniguard.policies import STATE, ActionSpec, PolicyContract, PolicyError, resolve
from maniguard.policies.actor import episode_seed
from maniguard.rollout import PolicyFault
from maniguard.trace import read_trace


class Reaching:
    """Moves its hand by shifts and turns drawn from the seed, which go through the conversion."""

    contract = PolicyContract(
        "reaching", (STATE,), ActionSpec(6, 7, "ee_delta", unit_m=0.01, unit_rad=0.05), 6, deterministic=True
    )

    def reset(self, *, seed, instruction):
        self.random = np.random.Generator(np.random.PCG64(seed))

    def infer(self, observation):
        return self.random.uniform(-1.0, 1.0, (6, 7)).astype(np.float32)

    def close(self): ...


def played(folder, policy, scenario):
    run = create_run(folder, make_plan(policy, (scenario,), (3,)))
    execute(run, workers=1, done=lambda item, status: None)
    (result,) = run.results()
    assert result["status"] == "completed"
    return run, result


@pytest.fixture(scope="module")
def scenario():
    return bench.load("clutter", tasks=range(1), conditions=("base",))[0]


@pytest.mark.parametrize("policy", ["random", f"{__file__}:Reaching"])
def test_a_replayed_trace_is_the_same_to_the_bit(tmp_path, scenario, policy):
    first, told = played(tmp_path / "first", policy, scenario)
    (item,) = first.plan.items
    path = first.trace_path(item.rollout_id)
    _, again = played(tmp_path / "again", f"replay:{path}", scenario)
    assert again["trace_digest"] == told["trace_digest"] == read_trace(path).digest()


@pytest.fixture(scope="module")
def recorded(tmp_path_factory, scenario):
    run, _ = played(tmp_path_factory.mktemp("recorded") / "run", "noop", scenario)
    (item,) = run.plan.items
    return run.trace_path(item.rollout_id)


def test_it_plays_in_rollouts_of_its_own_scenario_alone(recorded, scenario):
    policy = resolve(f"replay:{recorded}")()
    assert policy.contract.observations == ()
    policy.reset(seed=episode_seed(scenario.id, 7), instruction=scenario.instruction)
    with pytest.raises(PolicyFault, match=f"is of scenario '{scenario.id}'.*of another, 'dance'"):
        policy.reset(seed=episode_seed(scenario.id, 7), instruction="dance")
    with pytest.raises(PolicyFault, match="of another"):
        policy.reset(seed=episode_seed("clutter-dry-01/base", 7), instruction=scenario.instruction)


def test_it_ends_with_the_trace(recorded, scenario):
    policy = resolve(f"replay:{recorded}")()
    policy.reset(seed=episode_seed(scenario.id, 0), instruction=scenario.instruction)
    count = len(read_trace(recorded)) - 1
    actions = np.concatenate([policy.infer({}) for _ in range(count)])
    np.testing.assert_array_equal(actions, read_trace(recorded).column("action")[1:])
    with pytest.raises(PolicyFault, match=f"ends after {count} actions"):
        policy.infer({})


def test_what_is_no_trace_is_refused_with_its_name(tmp_path):
    with pytest.raises(PolicyError, match="lacks a trace; valid: replay:TRACE"):
        resolve("replay")
    with pytest.raises(PolicyError, match=r"replay:.*absent\.h5"):
        resolve(f"replay:{tmp_path}/absent.h5")()
    (tmp_path / "other.h5").write_bytes(b"no trace")
    with pytest.raises(PolicyError, match=r"other\.h5"):
        resolve(f"replay:{tmp_path}/other.h5")()
