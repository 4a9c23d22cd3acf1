"""noop holds, random moves smoothly within bounds and repeats by seed."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from maniguard.policies import NoopPolicy, RandomPolicy
from maniguard.policies.builtin import PANDA_HIGH_RAD, PANDA_LOW_RAD

HOME = np.array([0.0, -0.785, 0.0, -2.356, 0.0, 1.571, 0.785, 1.0], np.float32)
STATES = hnp.arrays(np.float32, 7, elements=st.floats(0, 1, width=32)).map(
    lambda share: np.append(PANDA_LOW_RAD + share * (PANDA_HIGH_RAD - PANDA_LOW_RAD), 0.5).astype(np.float32)
)


def see(state):
    return {"observation/state": np.asarray(state, np.float32)}


def motion(policy, seed, chunks, state=HOME):
    policy.reset(seed=seed, instruction="x")
    return np.vstack([policy.infer(see(state)) for _ in range(chunks)])


def test_noop_holds_the_first_state_of_each_rollout_to_the_bit():
    policy = NoopPolicy()
    for start in (HOME, HOME / 3):
        policy.reset(seed=0, instruction="")
        for drift in (0.0, 0.01, 0.5):
            np.testing.assert_array_equal(policy.infer(see(start + np.float32(drift))), start[None].astype(np.float64))


def test_noop_asks_for_no_image():
    assert not NoopPolicy.contract.cameras


@settings(deadline=None, max_examples=60)
@given(st.integers(0, 2**32 - 1), STATES)
def test_random_stays_near_its_start_within_limits_and_without_jumps(seed, state):
    reach = 0.35
    path = motion(RandomPolicy(reach), seed, 40, state)
    start = np.clip(state[:7].astype(np.float64), PANDA_LOW_RAD, PANDA_HIGH_RAD)
    joints = np.vstack([start, path[:, :7]])
    assert (np.abs(joints - start) <= reach + 1e-6).all()
    assert (joints >= PANDA_LOW_RAD).all()
    assert (joints <= PANDA_HIGH_RAD).all()
    # the fastest sine plus the ramp, per control step of 50 ms
    per_step = reach * (2 * np.pi * RandomPolicy.MAX_FREQUENCY_HZ + 1 / RandomPolicy.RAMP_S) * 0.05
    assert (np.abs(np.diff(joints, axis=0)) <= per_step + 1e-6).all()
    assert ((path[:, 7] >= 0) & (path[:, 7] <= 1)).all()


@settings(deadline=None, max_examples=30)
@given(st.integers(0, 2**32 - 1))
def test_random_repeats_by_seed_whatever_was_played_before(seed):
    used = RandomPolicy()
    motion(used, seed + 1, 3)
    np.testing.assert_array_equal(motion(used, seed, 5), motion(RandomPolicy(), seed, 5))


def test_random_moves_and_other_seeds_move_otherwise():
    one, other = motion(RandomPolicy(), 1, 20), motion(RandomPolicy(), 2, 20)
    assert np.ptp(one[:, :7], axis=0).min() > 0.02
    assert np.abs(one - other).max() > 0.05


@pytest.mark.parametrize("policy", [NoopPolicy(), RandomPolicy()])
def test_chunks_have_the_declared_shape(policy):
    policy.reset(seed=0, instruction="")
    action = policy.contract.action
    assert policy.infer(see(HOME)).shape == (action.horizon, action.dims)
