"""The vla-eval client over real sockets, the server in a process of its own."""

import numpy as np
import pytest

from maniguard.policies import (
    ChunkedActor,
    ContractError,
    PolicyConnectionError,
    PolicyError,
    check_contract,
    episode_seed,
    resolve,
)
from maniguard.policies.presets import PRESETS
from maniguard.policies.wire.vla_eval import VlaEvalOptions
from maniguard.policies.wire.vla_eval_specs import action_spec
from maniguard.rollout import PolicyFault

from .vla_eval_peer import HELLO, IMAGE, LANGUAGE, running

STATE = np.array([0.5, -0.75, 0.25, -2.25, 0.0, 1.5, 0.75, 0.5], np.float32)
SCENE, WRIST = np.full((256, 256, 3), 10, np.uint8), np.full((256, 256, 3), 20, np.uint8)
SEEN = {
    "observation/state": STATE,
    "state": STATE,
    "images/agentview": SCENE,
    "images/wrist": WRIST,
    "prompt": "put it down",
}


def hello(**changes):
    return {**HELLO, **changes}


def spec(**components):
    return {key: {"name": key, "dims": dims, "format": text} for key, (dims, text) in components.items()}


LIBERO = spec(position=(3, "delta_xyz"), rotation=(3, "axis_angle"), gripper=(1, "binary_close_positive"))


@pytest.fixture(scope="module")
def url():
    with running() as (_, address):
        yield address


def test_the_contract_is_what_the_server_announces(url):
    policy = resolve(url)()
    check_contract(policy.contract)
    assert policy.contract.name == "vla-eval Peer"
    assert {s.key: s.camera for s in policy.contract.observations} == {
        "state": None,
        "images/agentview": "overview",
        "images/wrist": "wrist",
        "prompt": None,
    }
    assert (policy.contract.action.horizon, policy.contract.action.dims, policy.contract.executed_steps) == (1, 8, 1)
    assert not policy.contract.deterministic
    policy.close()
    policy.close()


@pytest.mark.parametrize("query", ["", "?images=raw"])
def test_the_server_sees_what_was_shown_and_hears_of_every_rollout(url, query):
    actor = ChunkedActor(resolve(url + query)())
    told = []
    for number, seed in enumerate((0, 1)):
        actor.reset(scenario_id="some/base", seed=seed, instruction="put it down")
        for step in (1, 2):
            told.append(actor.act(SEEN))
            assert told[-1][:3].tolist() == [episode_seed("some/base", seed) % 1000, step, number + 1]
    actor.close()
    for row in told:
        # Both images in the order announced, the state under both names, the instruction.
        assert row[4:].tolist() == [10 + 2 * 20, float(STATE.sum()), len("put it down"), 1.0]


def test_chunks_of_any_server_are_played_and_lists_are_read():
    with running(rows=10, answer="list") as (_, address):
        policy = resolve(address)()
        assert (policy.contract.action.horizon, policy.contract.executed_steps) == (10, 8)
        assert resolve(address + "?execute=10")().contract.executed_steps == 10
        with pytest.raises(ContractError, match="executes 11 steps"):
            resolve(address + "?execute=11")()


def test_cameras_size_and_state_are_the_users_to_say(url):
    contract = resolve(url + "?cameras=front:left,hand:wrist&size_px=64&state=no")().contract
    assert [(s.key, s.camera, s.shape) for s in contract.observations] == [
        ("images/front", "left", (64, 64, 3)),
        ("images/hand", "wrist", (64, 64, 3)),
        ("prompt", None, ()),
    ]


def test_a_server_that_announces_nothing_is_shown_liberos_two_views_and_the_state():
    with running(hello={"protocol_version": 1}) as (_, address):
        contract = resolve(address)().contract
        assert contract.name == "vla-eval"
        assert [s.key for s in contract.observations] == [
            "state",
            "images/agentview",
            "images/wrist",
            "prompt",
        ]


def test_what_a_server_asks_of_the_benchmark_is_heeded():
    asks = hello(
        observation_spec={"image": IMAGE, "language": LANGUAGE},
        observation_params={"send_wrist_image": True, "send_state": True, "env_seed": 0},
        action_spec=spec(actions=(0, "raw")),
    )
    with running(hello=asks) as (_, address):
        assert [s.key for s in resolve(address)().contract.observations] == [
            "state",
            "images/image",
            "images/wrist",
            "prompt",
        ]


@pytest.mark.parametrize(
    ("settings", "error", "said"),
    [
        ({"hello": hello(protocol_version=2)}, ContractError, "speaks version 2 .* this client speaks 1"),
        ({"hello": hello(action_spec=spec(torque=(8, "newton_metres")))}, ContractError, "torque: newton_metres"),
        (
            {"hello": hello(action_spec=LIBERO)},
            ContractError,
            r"position does not fit: without a preset.*\?preset=NAME",
        ),
        ({"hello": hello(action_spec=[1])}, ContractError, "action_spec as list"),
        ({"hello": hello(observation_spec={"a": {"format": 3}})}, ContractError, "malformed observation_spec"),
        (
            {"hello": hello(observation_spec=spec(thermal=(0, "rgb_hwc_uint8")))},
            ContractError,
            r"image 'thermal'.*\?cameras=thermal:CAMERA",
        ),
        ({"hello": hello(observation_spec=spec(odour=(3, "ppm")))}, ContractError, "expects 'odour' as ppm"),
        ({"columns": 9}, ContractError, "9 columns"),
        ({"answer": "no-actions"}, ContractError, "without an array 'actions'.* chunk"),
        ({"answer": "refuses-the-episode"}, ContractError, "episode_start_failed: KeyError"),
    ],
)
def test_a_server_that_does_not_fit_is_refused_before_the_first_rollout(settings, error, said):
    with running(**settings) as (_, address), pytest.raises(error, match=said) as refused:
        resolve(address)()
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    ("answer", "error", "said"),
    [
        ("error-later", PolicyFault, "observation_failed: ValueError: no weights"),
        ("garbage", PolicyConnectionError, "does not speak the vla-eval protocol"),
        ("text", PolicyConnectionError, "a text frame"),
        ("late", PolicyConnectionError, "message 7 .observation. with 'action' to message 6; the vla-eval"),
        ("hang", PolicyConnectionError, "did not send an answer within 1 s"),
        ("exit", PolicyConnectionError, "no close frame|hung up"),
    ],
)
def test_what_goes_wrong_within_a_rollout_ends_it_and_the_connection(answer, error, said):
    with running(answer=answer) as (_, address):
        policy = resolve(address + "?timeout_s=1")()
        policy.reset(seed=1, instruction="x")
        policy.infer(SEEN)
        if answer == "exit":  # at the third
            policy.infer(SEEN)
        with pytest.raises(error, match=said) as refused:
            policy.infer(SEEN)
        assert "\n" not in str(refused.value)
        with pytest.raises(PolicyConnectionError, match="lost earlier in this rollout"):
            policy.infer(SEEN)


def test_between_rollouts_a_lost_connection_is_taken_up_again():
    with running(answer="error-later") as (_, address):
        policy = resolve(address)()
        for rollout in range(2):
            policy.reset(seed=1, instruction="x")
            # The peer counts the connections that it has had.
            assert policy.infer(SEEN)[0, 3] == rollout + 1
            with pytest.raises(PolicyFault):
                policy.infer(SEEN)


def test_a_server_that_comes_back_as_another_one_stops_the_run():
    with running(answer="changes-its-mind") as (_, address):
        policy = resolve(address)()
        policy._link.close()
        with pytest.raises(ContractError, match=r"another model_server: 'Peer2'.*'Peer1'"):
            policy.reset(seed=1, instruction="x")


def test_a_server_that_blocks_its_loop_at_first_is_waited_for():
    with running(first_s=2.0) as (_, address):
        policy = resolve(address)()
        policy.reset(seed=1, instruction="x")
        assert policy.infer(SEEN).shape == (1, 8)


def test_nobody_listening_is_said():
    with pytest.raises(PolicyConnectionError, match=r"no policy server listens.*wait_s"):
        resolve("vla-eval://127.0.0.1:9?wait_s=0")()


def test_addresses_are_read():
    options = VlaEvalOptions.parse("vla-eval://host:80?images=raw&execute=3&wait_s=0&timeout_s=2.5&cameras=a:left")
    assert (options.host, options.port, options.images, options.execute) == ("host", 80, "raw", 3)
    assert (options.wait_s, options.timeout_s, options.wishes.cameras) == (0.0, 2.5, {"a": "left"})


@pytest.mark.parametrize(
    ("address", "said"),
    [
        ("vla-eval://host", "not of the form"),
        ("vla-eval://host:0", "not of the form"),
        ("vla-eval://host:80/path", "not of the form"),
        ("vla-eval://host:99999", "[Pp]ort"),
        ("vla-eval://host:80?speed=3", "unknown option 'speed'"),
        ("vla-eval://host:80?execute=0", "execute"),
        ("vla-eval://host:80?execute=1&execute=2", "twice"),
        ("vla-eval://host:80?preset=pi9", "no preset 'pi9'"),
        ("vla-eval://host:80?images=jpeg", "png, raw"),
        ("vla-eval://host:80?state=maybe", "no quantity 'maybe'"),
        ("vla-eval://host:80?cameras=front", "NAME:CAMERA"),
        ("vla-eval://host:80?timeout_s=0", "positive"),
        ("vla-eval://host:80?timeout_s=soon", "number"),
    ],
)
def test_addresses_that_are_none_are_refused(address, said):
    with pytest.raises(PolicyError, match=said):
        resolve(address)


def test_a_camera_that_does_not_exist_is_named(url):
    with pytest.raises(ContractError, match=r"no camera 'ceiling'.*overview"):
        resolve(url + "?cameras=front:ceiling")()


def test_end_effector_rows_are_executed_with_the_units_of_a_preset():
    seen = {"image": IMAGE, "state": {"format": "eef_pos3_axisangle3_gripper2"}, "language": LANGUAGE}
    asks = hello(action_spec=LIBERO, observation_spec=seen, observation_params={"send_wrist_image": True})
    with running(hello=asks, columns=7) as (_, address):
        contract = resolve(address + "?preset=pi05-libero")().contract
        check_contract(contract)
        assert (contract.action.convention, contract.action.horizon, contract.action.dims) == ("ee_delta", 1, 7)
        assert (contract.action.unit_m, contract.action.gripper.closed) == (0.05, 1.0)
        assert [(s.key, s.content, s.camera, s.shape) for s in contract.observations] == [
            ("state", "x+y+z+rx+ry+rz+fingers", None, (8,)),
            ("images/image", None, "overview", (224, 224, 3)),
            ("images/wrist", None, "wrist", (224, 224, 3)),
            ("prompt", None, None, ()),
        ]
        actor = ChunkedActor(resolve(address + "?preset=pi05-libero&size_px=64")())
        actor.reset(scenario_id="some/base", seed=0, instruction="put it down")
        picture = np.zeros((64, 64, 3), np.uint8)
        raw = {"observation/state": STATE, "images/image": picture, "images/wrist": picture, "prompt": "put it down"}
        assert actor.act(raw).shape == (8,)
        actor.close()
        # What the server says of its rotation and of its gripper is held against the preset.
        with pytest.raises(ContractError, match="gripper does not fit"):
            resolve(address + "?preset=openvla-libero")()
        with pytest.raises(ContractError, match="rotation does not fit"):
            resolve(address + "?preset=openvla-bridge")()


@pytest.mark.parametrize(
    ("told", "preset", "fits"),
    [
        ("binary_close_positive", "pi05-libero", True),
        ("binary_close_negative", "pi05-libero", False),
        # The right sign in the wrong range would hold the gripper half open.
        ("binary_close_01", "pi05-libero", False),
        ("continuous_01", "pi05-libero", False),
        ("raw", "pi05-libero", True),
        ("continuous_01", "openvla-libero", True),
        ("opening_01", "openvla-libero", True),
        ("binary_close_01", "openvla-libero", False),
        # What is cut in the middle takes any range with the middle inside.
        ("binary_close_negative", "openvla-libero", True),
    ],
)
def test_a_gripper_fits_where_both_of_its_ends_come_out_as_ends(told, preset, fits):
    announced = {**LIBERO, **spec(gripper=(1, told))}
    if fits:
        assert action_spec("server", announced, 1, 7, PRESETS[preset]).gripper == PRESETS[preset].action.gripper
    else:
        with pytest.raises(ContractError, match="gripper does not fit"):
            action_spec("server", announced, 1, 7, PRESETS[preset])


def test_a_state_of_unsaid_content_is_the_users_to_say():
    asks = hello(observation_spec={"state": {"format": "raw"}, "language": LANGUAGE})
    with running(hello=asks) as (_, address):
        for query, content in (("", "joints+opening"), ("?state=x+y+z+opening", "x+y+z+opening")):
            (state, _) = resolve(address + query)().contract.observations
            assert (state.key, state.content) == ("state", content)
