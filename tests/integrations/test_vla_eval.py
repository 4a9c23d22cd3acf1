"""The benchmark as vla-eval's harness drives it, on a stand-in for the two names of that package which it builds on.

`./run slow vla_eval` runs the genuine harness.
"""

from __future__ import annotations

import importlib
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from maniguard.evaluate import open_run
from maniguard.policies import PolicyError, episode_seed
from maniguard.policies.presets import preset
from maniguard.policies.wire.vla_eval_specs import Wishes, action_spec, observation_specs
from maniguard.rollout import InfraError

SCENARIO = "clutter-dry-00/base"


@pytest.fixture
def module(monkeypatch):
    monkeypatch.syspath_prepend(str(Path(__file__).parent / "stand_in"))
    loaded = importlib.import_module("maniguard.integrations.vla_eval")
    real = loaded.choose
    monkeypatch.setattr(loaded, "choose", lambda names: [replace(s, step_limit=4) for s in real(names)])
    yield loaded
    for name in [name for name in sys.modules if name == "vla_eval" or name.startswith("vla_eval.")]:
        del sys.modules[name]
    del sys.modules["maniguard.integrations.vla_eval"]


def episode(benchmark, index, choose_action):
    """Do what the harness's synchronous runner does; return what the server was told and the result."""
    task = {**benchmark.get_tasks()[0], "episode_idx": index}
    raw = benchmark.reset(task)
    seen = benchmark.make_obs(raw, task)
    for _ in range(benchmark.get_metadata()["max_steps"]):
        result = benchmark.step(choose_action(seen))
        if benchmark.check_done(result):
            break
        seen = benchmark.make_obs(result.obs, task)
    assert benchmark.check_done(result)
    return task, benchmark.get_step_result(result)


def test_episodes_are_seeds_and_end_by_themselves(module, tmp_path):
    benchmark = module.ManiguardBenchmark([SCENARIO], first_seed=5, image_size_px=32, run=str(tmp_path / "run"))
    for index in (0, 1):
        task, result = episode(benchmark, index, lambda seen: {"actions": seen["state"]})
        assert task["seed"] == episode_seed(SCENARIO, 5 + index)
        assert set(benchmark.get_metric_keys()) <= set(result)
        assert (result["status"], result["safe"], result["success"]) == ("completed", True, False)
    benchmark.cleanup()
    run = open_run(tmp_path / "run")
    assert [item.seed for item in run.plan.items] == [5, 6]
    assert run.ledger()["completed"] == 2
    assert run.plan.policy == "vla-eval"


def test_the_observation_is_as_documented(module):
    benchmark = module.ManiguardBenchmark([SCENARIO], image_size_px=32)
    shown = []
    episode(benchmark, 0, lambda seen: shown.append(seen) or {"actions": seen["states"]})
    assert list(shown[0]["images"]) == ["agentview", "wrist"]
    assert all(picture.shape == (32, 32, 3) and picture.dtype == np.uint8 for picture in shown[0]["images"].values())
    assert shown[0]["state"].shape == (8,)
    assert shown[0]["state"] is shown[0]["states"]
    assert shown[0]["task_description"] == benchmark.get_tasks()[0]["instruction"]
    bare = module.ManiguardBenchmark([SCENARIO], send_state=False, send_wrist_image=False, image_size_px=32)
    episode(bare, 0, lambda seen: shown.append(seen) or {"actions": np.zeros(8)})
    assert list(shown[-1]["images"]) == ["agentview"]
    assert "state" not in shown[-1]
    assert "states" not in shown[-1]


@pytest.mark.parametrize("answer", [{}, {"actions": np.zeros((3, 8))}, {"action": [np.nan] * 8}])
def test_an_answer_that_is_no_action_is_a_counted_failure(module, answer):
    benchmark = module.ManiguardBenchmark([SCENARIO], cameras={})
    _, result = episode(benchmark, 0, lambda seen: answer)
    assert result["status"] == "policy-fault"
    assert result["success"] is False


def test_our_client_understands_what_our_benchmark_declares(module):
    benchmark = module.ManiguardBenchmark([SCENARIO])
    actions, seen = (
        {key: {"name": spec.name, "dims": spec.dims, "format": spec.format} for key, spec in declared.items()}
        for declared in (benchmark.get_action_spec(), benchmark.get_observation_spec())
    )
    assert action_spec("ours", actions, 1, 8).convention == "joint_position"
    assert [s.key for s in observation_specs("ours", {"observation_spec": seen}, Wishes())] == [
        "state",
        "images/agentview",
        "images/wrist",
        "prompt",
    ]


def test_a_rollout_that_is_not_in_n_is_an_error_of_the_episode(module, monkeypatch):
    benchmark = module.ManiguardBenchmark([SCENARIO], cameras={})

    def fail():
        raise InfraError("gone")

    monkeypatch.setattr(benchmark._run, "finish", fail)
    with pytest.raises(InfraError, match="gone"):
        episode(benchmark, 0, lambda seen: {"actions": seen["state"]})


def test_a_preset_says_what_state_and_rows_are_and_our_client_reads_it_back(module):
    benchmark = module.ManiguardBenchmark([SCENARIO], cameras={}, preset="pi05-libero")
    shown = []
    _, result = episode(benchmark, 0, lambda seen: shown.append(seen) or {"actions": np.zeros(7, np.float32)})
    assert result["status"] == "completed"
    assert shown[0]["state"].shape == (8,)
    words = {
        key: {"name": spec.name, "dims": spec.dims, "format": spec.format}
        for key, spec in benchmark.get_action_spec().items()
    }
    assert {key: (entry["dims"], entry["format"]) for key, entry in words.items()} == {
        "position": (3, "delta_xyz"),
        "rotation": (3, "axis_angle"),
        "gripper": (1, "binary_close_positive"),
    }
    assert benchmark.get_observation_spec()["state"].format == "eef_pos3_axisangle3_gripper2"
    known = preset("pi05-libero")
    assert action_spec("ours", words, 1, 7, known).same_meaning(known.action)
    with pytest.raises(PolicyError, match="no preset 'pi9'"):
        module.ManiguardBenchmark([SCENARIO], preset="pi9")
