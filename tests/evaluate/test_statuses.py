"""Every planned rollout ends in exactly one status, whatever the policy does to the process."""

from __future__ import annotations

import textwrap

import numpy as np
import pytest

from maniguard import bench
from maniguard.evaluate import create_run, execute, make_plan, rows
from maniguard.metrics import summarize
from maniguard.rollout import run_rollout
from maniguard.sim import SceneSpec, SimulationFault, World
from maniguard.spec import load_spec

POLICY = """
import os, signal
import numpy as np
from maniguard.policies import STATE, PROMPT, ActionSpec, PolicyContract
from maniguard.rollout import InfraError

class {name}:
    contract = PolicyContract("{name}", (STATE, PROMPT), ActionSpec(1), 1, True)
    def reset(self, *, seed, instruction):
        self.steps, self.instruction = 0, instruction
    def infer(self, observation):
        self.steps += 1
        hold = observation["observation/state"].astype(float)[None]
        if self.steps > 5:
            {behaviour}
        return hold
    def close(self):
        pass
"""


@pytest.fixture
def play(tmp_path):
    def run(behaviour, *, tasks=1, workers=1):
        path = tmp_path / "odd_policy.py"
        path.write_text(textwrap.dedent(POLICY).format(name="Odd", behaviour=behaviour))
        scenarios = bench.load("clutter", tasks=range(tasks), conditions=("base",))
        made = create_run(tmp_path / "run", make_plan(f"{path}:Odd", scenarios, (0,)))
        execute(made, workers=workers, done=lambda item, status: None)
        assert sum(made.ledger().values()) == tasks
        assert made.ledger()["pending"] == 0
        return made

    return run


@pytest.mark.parametrize(
    ("behaviour", "said"),
    [
        ("hold[0, 3] = np.nan", "nan in row 0, column 3"),
        ("return np.zeros((1, 7))", "(1, 7)"),
        ("return None", "gave no actions"),
        ("raise RuntimeError('out of memory')", "RuntimeError in infer: out of memory"),
    ],
)
def test_a_policy_fault_stays_in_n_with_the_verdict_so_far(play, behaviour, said):
    run = play(behaviour)
    (result,) = run.results()
    assert result["status"] == "policy-fault"
    assert said in result["fault"]
    assert len(run.trace(result["rollout_id"])) == 6
    (row,) = rows(run)
    assert row.counted
    assert not row.counted_success
    assert row.safe


def test_a_lost_connection_is_tried_again_and_leaves_n(play):
    run = play("raise InfraError('the server has gone')")
    (result,) = run.results()
    assert result["status"] == "infra-error"
    overall = summarize(rows(run), protocol="maniguard")["overall"]
    assert overall["n"] == 0
    assert overall["excluded"] == {"infra-error": 1}


def test_a_worker_killed_for_good_leaves_the_others_unharmed(play):
    first, second = (s.instruction for s in bench.load("clutter", tasks=range(2), conditions=("base",)))
    assert first != second
    run = play(f"self.instruction == {first!r} and os.kill(os.getpid(), signal.SIGKILL)", tasks=2, workers=2)
    killed, other = run.results()
    assert killed["status"] == "infra-error"
    assert "died" in killed["fault"]
    assert killed["judgement"] is None
    assert other["status"] == "completed"


class _Exploding(World):
    """A world whose physics blows up at a step, as a bad solver step would make it."""

    blow_at = 5

    def step(self, action):
        if self.frame.time_s >= self.blow_at / 20:
            raise SimulationFault("velocity of 'cup' is not finite")
        return super().step(action)


class _Holding:
    needs = type("Needs", (), {"cameras": {}, "image_size_px": 256, "privileged": False})()
    reads_next_observation = True

    def reset(self, *, scenario_id, seed, instruction):
        pass

    def act(self, observation):
        return observation["observation/state"].astype(np.float64)


def test_a_blow_up_before_engagement_is_an_infra_error():
    scenario = bench.get("clutter-dry-00/base")
    with _Exploding(SceneSpec.from_dict(scenario.scene)) as world:
        result = run_rollout(scenario, load_spec(scenario.spec), world, _Holding(), seed=0, policy="hold")
    assert result.status == "infra-error"
    assert "not finite" in str(result.fault)
    assert result.trace.events[-1].kind == "fault"
