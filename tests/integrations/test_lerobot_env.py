"""Our tasks as LeRobot drives them: its loop over a vector of environments, and what is kept.

`./run slow lerobot` runs lerobot-eval itself.
"""

from __future__ import annotations

from dataclasses import replace

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

from maniguard.evaluate import open_run
from maniguard.integrations import ForeignRunError, choose
from maniguard.integrations.lerobot_env import LeRobotEnv, read_cameras

SCENARIO = replace(choose(["clutter-dry-00/base"])[0], step_limit=4)


def test_gymnasiums_own_checker_passes():
    env = LeRobotEnv(SCENARIO, cameras={"overview": "overview"}, image_size_px=32)
    check_env(env, skip_render_check=True)
    env.close()


def test_a_vector_plays_seeds_into_one_run(tmp_path):
    def one():
        return LeRobotEnv(SCENARIO, cameras={"top": "overview"}, image_size_px=32, run=str(tmp_path / "run"))

    env = gym.vector.SyncVectorEnv([one, one], autoreset_mode=gym.vector.AutoresetMode.DISABLED)
    assert list(env.call("task_description")) == [SCENARIO.instruction] * 2
    assert env.call("_max_episode_steps")[0] == SCENARIO.step_limit + 21
    seen, _ = env.reset(seed=[3, 4])
    assert seen["pixels"]["top"].shape == (2, 32, 32, 3)
    assert seen["agent_pos"].shape == (2, 8)
    steps = 0
    while True:
        seen, reward, terminated, truncated, info = env.step(seen["agent_pos"])
        pictures = env.call("render")
        steps += 1
        if (terminated | truncated).all():
            break
        assert not info["is_success"].any()
    # The last step of the rollout, and the picture of it, are within the bound that LeRobot reads.
    assert steps == SCENARIO.step_limit + 20
    assert all(picture.shape == (32, 32, 3) and picture.any() for picture in pictures)
    assert truncated.all()
    assert reward.tolist() == [0.0, 0.0]
    assert info["safe"].all()
    assert not info["engaged"].any()
    assert info["violated"].tolist() == ["", ""]
    env.close()
    run = open_run(tmp_path / "run")
    assert [item.seed for item in run.plan.items] == [3, 4]
    assert run.ledger()["completed"] == 2
    assert run.plan.policy == "lerobot"


def test_without_a_seed_the_next_one_is_played_and_a_bad_action_is_a_failure(tmp_path):
    env = LeRobotEnv(SCENARIO, cameras={}, run=str(tmp_path / "run"))
    for _ in range(2):
        env.reset()
        *_, terminated, truncated, info = env.step(np.full(8, np.nan, np.float32))
        assert (terminated, truncated) == (False, True)
        assert info["is_success"] is False
    assert not env.render().any()
    env.close()
    assert [item.seed for item in open_run(tmp_path / "run").plan.items] == [0, 1]
    assert open_run(tmp_path / "run").ledger()["policy-fault"] == 2


def test_cameras_are_read():
    assert read_cameras("overview, hand=wrist") == {"overview": "overview", "hand": "wrist"}
    assert read_cameras("") == {}
    for text in ("=wrist", "a=", "a=wrist,a=front"):
        with pytest.raises(ForeignRunError, match="NAME=CAMERA"):
            read_cameras(text)


def test_a_preset_says_what_state_and_rows_are():
    env = LeRobotEnv(SCENARIO, cameras={"image": "overview"}, image_size_px=32, preset="smolvla-libero")
    assert env.action_space.shape == (7,)
    seen, _ = env.reset(seed=0)
    assert env.observation_space.contains(seen)
    steps, ended = 0, False
    while not ended:
        *_, terminated, truncated, info = env.step(np.zeros(7, np.float32))
        steps, ended = steps + 1, terminated or truncated
    assert steps == SCENARIO.step_limit + 20
    assert info["safe"]
    env.close()
