"""ChunkedActor: rows in order, fresh chunks at the right steps, faults for every kind of bad chunk."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from maniguard.policies import (
    STATE,
    ActionSpec,
    ChunkedActor,
    ContractError,
    GripperRange,
    PolicyContract,
    episode_seed,
    image,
)
from maniguard.rollout import PolicyFault

SEEN = {"observation/state": np.zeros(8, np.float32)}


class Counting:
    """Chunk number c has rows c * 100 + row; remembers what it was told."""

    def __init__(self, horizon=4, executed=2, answer=None):
        self.contract = PolicyContract("counting", (STATE,), ActionSpec(horizon), executed, True)
        self.answer, self.chunks, self.resets, self.closed = answer, 0, [], 0

    def reset(self, *, seed, instruction):
        self.resets.append((seed, instruction))

    def infer(self, observation):
        self.chunks += 1
        if self.answer is not None:
            return self.answer()
        rows = np.arange(self.contract.action.horizon, dtype=np.float32)
        return np.repeat((self.chunks * 100 + rows)[:, None], 8, axis=1)

    def close(self):
        self.closed += 1


def begun(policy):
    actor = ChunkedActor(policy)
    actor.reset(scenario_id="s", seed=0, instruction="i")
    return actor


@given(st.integers(1, 20).flatmap(lambda h: st.tuples(st.just(h), st.integers(1, h))), st.integers(1, 60))
def test_step_t_is_row_t_mod_executed_of_chunk_t_div_executed(sizes, steps):
    horizon, executed = sizes
    actor = begun(Counting(horizon, executed))
    for t in range(steps):
        assert actor.reads_next_observation == (t % executed == 0)
        action = actor.act(SEEN if actor.reads_next_observation else {})
        assert action.shape == (8,)
        assert action.dtype == np.float64
        assert set(action) == {(t // executed + 1) * 100 + t % executed}


def test_actions_are_executed_in_the_precision_in_which_they_are_recorded_but_for_privileged_scripts():
    fine = np.full((1, 8), 0.1)
    assert set(begun(Counting(1, 1, lambda: fine)).act(SEEN)) == {float(np.float32(0.1))}
    script = Counting(1, 1, lambda: fine)
    script.contract = replace(script.contract, privileged=True)
    assert set(begun(script).act(SEEN | {"privileged": None})) == {0.1}


def test_rows_of_another_meaning_are_converted_and_one_chunk_lasts_as_many_steps_as_its_rows_say():
    policy = Counting(4, 2, lambda: np.zeros((4, 8), np.float32))
    policy.contract = replace(
        policy.contract, action=ActionSpec(4, convention="joint_delta", gripper=GripperRange(1, 0), rate_hz=5.0)
    )
    state = np.array([0.1, -0.7, 0.2, -2.3, 0.0, 1.5, 0.7, 0.25], np.float32)
    actor = begun(policy)
    for step in range(16):
        assert actor.reads_next_observation == (step % 8 == 0)
        action = actor.act({"observation/state": state} if step % 8 == 0 else {})
        np.testing.assert_array_equal(action, [*state[:7].astype(float), 1.0])
    assert policy.chunks == 2


def test_a_row_that_is_no_rotation_is_a_policy_fault():
    policy = Counting(1, 1, lambda: np.zeros((1, 8), np.float32))
    policy.contract = replace(policy.contract, action=ActionSpec(1, 8, "ee_pose", rotation="quat-wxyz"))
    with pytest.raises(PolicyFault, match="gave a row that is no action: a quaternion of zeros is no rotation"):
        begun(policy).act({"observation/state": np.array([0, -0.7, 0, -2.3, 0, 1.5, 0.7, 1], np.float32)})


def test_a_reset_drops_the_rest_of_the_chunk_and_seeds_by_scenario():
    policy = Counting(4, 4)
    actor = begun(policy)
    actor.act(SEEN)
    actor.reset(scenario_id="other", seed=3, instruction="again")
    assert actor.act(SEEN)[0] == 200
    assert policy.resets == [(episode_seed("s", 0), "i"), (episode_seed("other", 3), "again")]


def test_the_caller_may_change_what_it_gets():
    policy = Counting(2, 2, answer=None)
    actor = begun(policy)
    actor.act(SEEN)[:] = np.nan
    assert np.isfinite(actor.act({})).all()


@given(st.text(), st.integers(0, 2**31))
def test_an_episode_seed_fits_32_bits_and_repeats(scenario, seed):
    value = episode_seed(scenario, seed)
    assert 0 <= value < 2**32
    assert value == episode_seed(scenario, seed)


def test_episode_seeds_differ_between_scenarios_and_repetitions():
    values = {episode_seed(f"clutter-dry-{i:02d}/base", seed) for i in range(29) for seed in range(10)}
    assert len(values) == 290


@pytest.mark.parametrize(
    ("answer", "text"),
    [
        (lambda: np.zeros((4, 7)), r"actions \(4, 7\).*\(4, 8\)"),
        (lambda: np.zeros((3, 8)), r"actions \(3, 8\).*\(4, 8\)"),
        (lambda: np.zeros(8), r"actions \(8,\)"),
        (lambda: [[0.0] * 8] * 4, "list instead of an array"),
        (lambda: np.full((4, 8), "a"), "instead of an array of numbers"),
        (lambda: np.zeros((4, 8), bool), "bool instead of an array of numbers"),
        (lambda: np.zeros((4, 8), complex), "complex128 instead"),
        (lambda: np.full((4, 8), np.inf), "inf in row 0, column 0"),
        (lambda: np.where(np.eye(4, 8, 2) * np.arange(4)[:, None] == 1, np.nan, 0.0), "nan in row 1, column 3"),
    ],
)
def test_a_bad_chunk_is_a_policy_fault_that_shows_both_sides(answer, text):
    with pytest.raises(PolicyFault, match=text):
        begun(Counting(answer=answer)).act(SEEN)


def test_no_chunk_is_a_policy_fault():
    class Silent(Counting):
        def infer(self, observation):
            return None

    with pytest.raises(PolicyFault, match="gave no actions"):
        begun(Silent()).act(SEEN)


def test_rows_that_are_not_executed_may_be_anything():
    actor = begun(Counting(answer=lambda: np.vstack([np.zeros((2, 8)), np.full((2, 8), np.nan)])))
    assert [actor.act(SEEN).sum() for _ in range(4)] == [0.0] * 4


def test_a_contract_that_cannot_be_honoured_is_refused_before_any_rollout():
    policy = Counting()
    policy.contract = replace(policy.contract, action=ActionSpec(4, 7))
    with pytest.raises(ContractError, match="7 columns"):
        ChunkedActor(policy)


def test_a_wrong_observation_is_refused():
    with pytest.raises(ContractError, match="observation/state"):
        begun(Counting()).act({})


def test_needs_are_the_contracts():
    policy = Counting()
    policy.contract = replace(
        policy.contract, observations=(image("a", "left", 64), image("b", "wrist", 64)), privileged=True
    )
    needs = ChunkedActor(policy).needs
    assert needs.cameras == {"a": "left", "b": "wrist"}
    assert needs.image_size_px == 64
    assert needs.privileged


def test_acting_before_a_reset_is_a_mistake_of_the_caller():
    with pytest.raises(RuntimeError, match="reset"):
        ChunkedActor(Counting()).act(SEEN)


def test_closing_closes_the_policy():
    policy = Counting()
    ChunkedActor(policy).close()
    assert policy.closed == 1


@pytest.mark.parametrize("method", ["infer", "reset"])
def test_what_a_policy_raises_is_its_fault_and_says_where(method):
    policy = Counting()

    def broken(*args, **kwargs):
        raise KeyError("no such joint")

    actor = begun(policy) if method == "infer" else ChunkedActor(policy)
    setattr(policy, method, broken)
    call = (lambda: actor.act(SEEN)) if method == "infer" else (lambda: begun_again(actor))
    with pytest.raises(PolicyFault, match=rf"KeyError in {method}: 'no such joint' \(test_actor.py line \d+\)"):
        call()


def begun_again(actor):
    actor.reset(scenario_id="s", seed=0, instruction="i")


def test_an_interrupt_is_not_the_policys_fault():
    def interrupted():
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        begun(Counting(answer=interrupted)).act(SEEN)


def test_a_number_that_no_record_can_hold_is_a_fault():
    with pytest.raises(PolicyFault, match="finite"):
        begun(Counting(answer=lambda: np.full((4, 8), 1e300))).act(SEEN)


def test_a_policy_that_wants_to_exit_has_failed():
    def leave():
        raise SystemExit(3)

    with pytest.raises(PolicyFault, match="SystemExit in infer: 3"):
        begun(Counting(answer=leave)).act(SEEN)


def test_an_interrupt_is_not_the_policys():
    def interrupt():
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        begun(Counting(answer=interrupt)).act(SEEN)


def test_a_policy_that_cannot_close_is_a_warning():
    class Clinging(Counting):
        def close(self):
            raise OSError("device busy")

    with pytest.warns(RuntimeWarning, match="OSError in close: device busy"):
        ChunkedActor(Clinging()).close()
