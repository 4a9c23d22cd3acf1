"""Contracts: what they refuse to be, how they travel, and that an error shows both sides."""

import json
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from maniguard import sim
from maniguard.policies import (
    DEFAULT_OBSERVATIONS,
    PROMPT,
    STATE,
    ActionSpec,
    ContractError,
    NoopPolicy,
    ObservationSpec,
    PolicyContract,
    RandomPolicy,
    check_contract,
    check_observation,
    image,
)
from maniguard.policies.builtin import PANDA_HIGH_RAD, PANDA_LOW_RAD
from maniguard.policies.contract import CAMERAS

GOOD = PolicyContract("p", DEFAULT_OBSERVATIONS, ActionSpec(10), executed_steps=8, deterministic=True)


def test_cameras_and_joint_limits_are_those_of_the_simulator():
    assert tuple(sim.CAMERAS) == CAMERAS
    np.testing.assert_allclose(np.asarray(sim.JOINT_LIMITS_RAD), np.column_stack([PANDA_LOW_RAD, PANDA_HIGH_RAD]))


@given(
    st.text(max_size=20),
    st.integers(1, 60).flatmap(lambda horizon: st.tuples(st.just(horizon), st.integers(1, horizon))),
    st.booleans(),
    st.booleans(),
    st.sampled_from([(STATE,), (), DEFAULT_OBSERVATIONS, (image("x", "left", 64), PROMPT)]),
)
def test_a_contract_survives_json(name, steps, deterministic, stateless, observations):
    horizon, executed = steps
    contract = PolicyContract(name, observations, ActionSpec(horizon), executed, deterministic, stateless=stateless)
    assert PolicyContract.from_dict(json.loads(json.dumps(contract.to_dict()))) == contract


@pytest.mark.parametrize("executed", [0, 11, -1])
def test_executed_steps_lie_within_the_chunk(executed):
    with pytest.raises(ContractError, match=rf"executes {executed} steps of a chunk of 10"):
        replace(GOOD, executed_steps=executed)


def test_a_key_twice_is_refused():
    with pytest.raises(ContractError, match="twice"):
        replace(GOOD, observations=(STATE, STATE))


@pytest.mark.parametrize("contract", [GOOD, NoopPolicy.contract, RandomPolicy.contract])
def test_good_contracts_pass(contract):
    check_contract(contract)


@pytest.mark.parametrize(
    ("contract", "theirs", "ours"),
    [
        (replace(GOOD, observations=(replace(STATE, shape=(7,)),)), r"\(7,\) float32", r"\(8,\) float32"),
        (replace(GOOD, observations=(replace(STATE, dtype="float64"),)), "float64", "float32"),
        (replace(GOOD, observations=(replace(PROMPT, dtype="uint8"),)), "uint8", "text"),
        (replace(GOOD, observations=(image("a", "ceiling"),)), "'ceiling'", "front, left, overview, right, wrist"),
        (
            replace(GOOD, observations=(ObservationSpec("a", (64, 48, 3), "uint8", "left"),)),
            r"\(64, 48, 3\)",
            r"\(S, S, 3\)",
        ),
        (
            replace(GOOD, observations=(ObservationSpec("a", (3, 64, 64), "uint8", "left"),)),
            r"\(3, 64, 64\)",
            r"\(S, S, 3\)",
        ),
        (replace(GOOD, observations=(ObservationSpec("a", (64, 64, 3), "float32", "left"),)), "float32", "uint8"),
        (replace(GOOD, observations=(image("a", "left", 4096),)), "4096", "16 to 1024"),
        (replace(GOOD, observations=(image("a", "left", 64), image("b", "left", 128))), "64 and 128 px", "one size"),
        (replace(GOOD, observations=(ObservationSpec("tactile", (4,), "float32"),)), "'tactile'", "observation/state"),
        (replace(GOOD, action=ActionSpec(10, dims=7)), "7 columns", "has 8"),
        (
            replace(GOOD, action=ActionSpec(10, 8, "torque")),
            "'torque'",
            "ee_delta, ee_pose, joint_delta, joint_position",
        ),
    ],
)
def test_errors_show_both_sides_in_one_line(contract, theirs, ours):
    with pytest.raises(ContractError, match=theirs) as caught:
        check_contract(contract)
    assert caught.match(ours)
    assert "\n" not in str(caught.value)


def observation():
    return {
        "observation/state": np.zeros(8, np.float32),
        "observation/image": np.zeros((256, 256, 3), np.uint8),
        "observation/wrist_image": np.zeros((256, 256, 3), np.uint8),
        "prompt": "x",
    }


def test_a_good_observation_passes_and_extra_keys_are_nobodys_business():
    check_observation(GOOD, observation() | {"extra": 1})


@pytest.mark.parametrize(
    ("key", "value", "text"),
    [
        ("observation/state", np.zeros(7, np.float32), r"\(8,\) float32 of joints\+opening, got \(7,\) float32"),
        ("observation/state", np.zeros(8), r"\(8,\) float32 of joints\+opening, got \(8,\) float64"),
        ("observation/state", [0.0] * 8, r"got list"),
        ("observation/image", np.zeros((224, 224, 3), np.uint8), r"\(256, 256, 3\) uint8.*got \(224, 224, 3\) uint8"),
        ("prompt", 3, "as text, got int"),
    ],
)
def test_a_wrong_observation_is_refused(key, value, text):
    with pytest.raises(ContractError, match=text):
        check_observation(GOOD, observation() | {key: value})


@pytest.mark.parametrize("key", sorted(observation()))
def test_a_missing_key_is_named_with_what_is_there(key):
    given = observation()
    del given[key]
    with pytest.raises(ContractError, match=rf"expects '{key}'.*the observation has "):
        check_observation(GOOD, given)


def test_a_privileged_policy_needs_its_key():
    with pytest.raises(ContractError, match="privileged"):
        check_observation(replace(GOOD, privileged=True), observation())


@pytest.mark.parametrize(
    "change",
    [
        {"format": "maniguard-policy/2"},
        {"name": 3},
        {"observations": {}},
        {"observations": [3]},
        {"observations": [{"key": "a", "shape": [-1], "dtype": "uint8", "camera": None}]},
        {"observations": [{"key": "a", "shape": [1], "dtype": "O", "camera": None}]},
        {"observations": [{"key": "a", "shape": [1], "dtype": "uint8", "camera": 4}]},
        {"action": None},
        {"action": {"horizon": True, "dims": 8, "convention": "joint_position"}},
        {"executed_steps": "8"},
        {"deterministic": 1},
    ],
    ids=str,
)
def test_a_malformed_contract_is_refused(change):
    with pytest.raises(ContractError):
        PolicyContract.from_dict(GOOD.to_dict() | change)
    with pytest.raises(ContractError):
        PolicyContract.from_dict([])


def test_the_description_names_everything():
    text = replace(GOOD, privileged=True).describe()
    for word in ("privileged", "deterministic", "observation/wrist_image", "'wrist'", "joint_position", "8 of each 10"):
        assert word in text
