from __future__ import annotations

import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

from maniguard.rollout import EnvUsageError, ManiguardEnv


def test_gymnasiums_own_checker_passes():
    env = ManiguardEnv("clutter-dry-00/base", cameras=("overview",), image_size_px=64, render_mode="rgb_array")
    check_env(env)
    env.close()


def test_the_seed_changes_nothing_in_the_locked_scene():
    env = ManiguardEnv("clutter-dry-00/base")
    first, _ = env.reset(seed=1)
    again, _ = env.reset(seed=2)
    np.testing.assert_array_equal(first["state"], again["state"])
    env.close()


def test_holding_still_ends_truncated_and_safe():
    env = ManiguardEnv("clutter-dry-00/base")
    observation, info = env.reset(seed=0)
    hold, total, steps = observation["state"].copy(), 0.0, 0
    while True:
        _, reward, terminated, truncated, info = env.step(hold)
        total, steps = total + reward, steps + 1
        if terminated or truncated:
            break
    assert truncated
    assert not terminated
    assert info["safe"]
    assert not info["engaged"]
    assert total == 0.0
    assert steps == info["step"]
    with pytest.raises(EnvUsageError, match="ended"):
        env.step(hold)
    env.close()


def test_wrong_use_is_named():
    with pytest.raises(EnvUsageError, match="overview"):
        ManiguardEnv(cameras=("ceiling",))
    with pytest.raises(EnvUsageError, match="reset"):
        ManiguardEnv().step(np.zeros(8, np.float32))
