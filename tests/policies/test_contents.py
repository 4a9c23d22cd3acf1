"""Quantities of an observation: each computed from the state, and shown under the key that a policy asks for."""

import numpy as np
import pytest

from maniguard.planning import forward
from maniguard.policies import (
    PROMPT,
    STATE,
    ActionSpec,
    ChunkedActor,
    ContractError,
    ObservationSpec,
    PolicyContract,
    check_contract,
    image,
    numbers,
    text,
)
from maniguard.policies.contents import FINGER_TRAVEL_M, QUANTITIES, size_of, values_of
from maniguard.policies.rotations import matrix_from, standing_vector
from maniguard.sim import MAX_OPENING_M

RAW = np.array([0.1, -0.7, 0.2, -2.3, 0.0, 1.5, 0.7, 0.25], np.float32)


def test_each_quantity_has_the_size_it_says_and_joined_ones_stand_side_by_side():
    for name, (size, _) in QUANTITIES.items():
        assert values_of(name, RAW).shape == (size,) == (size_of(name),)
    np.testing.assert_array_equal(values_of("joints+opening", RAW), RAW)
    np.testing.assert_array_equal(values_of("closing+joints", RAW), [0.75, *RAW[:7]])


def test_the_grippers_three_ways_agree():
    assert values_of("opening", RAW)[0] + values_of("closing", RAW)[0] == 1.0
    one, other = values_of("fingers", RAW)
    assert one == -other == pytest.approx(0.25 * FINGER_TRAVEL_M)
    assert 2 * FINGER_TRAVEL_M == MAX_OPENING_M


def test_the_tcp_is_that_of_the_kinematics_in_both_notations():
    pose = forward(RAW[:7].astype(float))
    np.testing.assert_allclose(values_of("x+y+z", RAW), pose[:3, 3], atol=1e-6)
    np.testing.assert_allclose(matrix_from("axis-angle", values_of("rx+ry+rz", RAW)), pose[:3, :3], atol=1e-6)
    np.testing.assert_allclose(matrix_from("rpy", values_of("roll+pitch+yaw", RAW)), pose[:3, :3], atol=1e-6)


def test_the_rotation_vector_of_a_hand_that_points_down_does_not_jump_with_its_tremor():
    down = matrix_from("axis-angle", (np.pi, 0, 0))
    for tremor in np.random.Generator(np.random.PCG64(0)).normal(0.0, 0.02, (200, 3)):
        turned = matrix_from("axis-angle", tremor) @ down
        vector = standing_vector(turned)
        np.testing.assert_allclose(vector, [np.pi, 0, 0], atol=0.2)
        np.testing.assert_allclose(matrix_from("axis-angle", vector), turned, atol=1e-9)
    np.testing.assert_array_equal(standing_vector(np.eye(3)), 0.0)


def test_an_unknown_quantity_is_named_with_the_known_ones():
    with pytest.raises(ContractError, match=r"no quantity 'torque' to observe; valid.*joints"):
        numbers("k", "joints+torque")


class Seer:
    """Keeps what it was shown."""

    def __init__(self, *observations):
        self.contract = PolicyContract("seer", observations, ActionSpec(1), 1, True)
        self.seen = []

    def reset(self, *, seed, instruction): ...

    def infer(self, observation):
        self.seen.append(observation)
        return np.zeros((1, 8))

    def close(self): ...


def test_a_policy_is_shown_what_its_contract_names_under_its_own_keys():
    seer = Seer(
        numbers("observation/joint_position", "joints"),
        numbers("observation/state", "x+y+z+rx+ry+rz+fingers"),
        text("task"),
        image("front", "front", 16),
    )
    actor = ChunkedActor(seer)
    actor.reset(scenario_id="a/base", seed=0, instruction="go")
    actor.act({"observation/state": RAW, "prompt": "go", "front": np.zeros((16, 16, 3), np.uint8)})
    (seen,) = seer.seen
    np.testing.assert_array_equal(seen["observation/joint_position"], RAW[:7])
    np.testing.assert_array_equal(seen["observation/state"], values_of("x+y+z+rx+ry+rz+fingers", RAW))
    assert seen["observation/state"].dtype == np.float32
    assert seen["task"] == "go"


@pytest.mark.parametrize(
    ("spec", "theirs", "ours"),
    [
        (ObservationSpec("q", (6,), "float32", content="joints"), r"\(6,\)", r"\(7,\) float32 of joints"),
        (ObservationSpec("q", (7,), "uint8", content="joints"), "uint8", "float32 of joints"),
        (ObservationSpec("q", (7,), "float32", content="speeds"), "speeds", "joints"),
        (ObservationSpec("q", (1,), "str", content="prompt"), "text", "text"),
        (ObservationSpec("q", (16, 16, 3), "uint8", camera="front", content="joints"), "front", "images"),
    ],
)
def test_a_content_that_does_not_fit_is_refused_with_both_sides(spec, theirs, ours):
    with pytest.raises(ContractError, match=theirs) as caught:
        check_contract(PolicyContract("p", (spec,), ActionSpec(1), 1, True))
    assert caught.match(ours)


def test_contents_survive_json_and_are_printed():
    contract = PolicyContract("p", (STATE, PROMPT, numbers("g", "closing"), text("task")), ActionSpec(1), 1, True)
    assert PolicyContract.from_dict(contract.to_dict()) == contract
    assert "sees g: (1,) float32 of closing" in contract.describe()
    assert "observation/state: (8,) float32 of joints+opening" in contract.describe()
