"""OpenVLA's client over real sockets, against a stand-in server in a process of its own; and its codec."""

import json
import pickle
from contextlib import suppress
from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from maniguard.planning import forward
from maniguard.policies import ChunkedActor, ContractError, PolicyConnectionError, PolicyError, resolve
from maniguard.policies.contract import view
from maniguard.policies.wire.codec import CodecError
from maniguard.policies.wire.json_numpy import from_json, to_json
from maniguard.policies.wire.openvla import OpenvlaOptions
from maniguard.rollout import PolicyFault
from maniguard.sim import HOME_QPOS_RAD

from .processes import free_port
from .processes import running as start

STATE = np.array([*HOME_QPOS_RAD, 0.25], np.float32)
PROMPT = "put it down"
BRIDGE = "?preset=openvla-bridge&size_px=32"
LIBERO = "?preset=openvla-libero&size_px=32"


running = partial(start, "openvla_peer.py")


def made(port, query=BRIDGE):
    return resolve(f"openvla://127.0.0.1:{port}{query}")()


def raw(level=7):
    return {"observation/state": STATE, "prompt": PROMPT, "image": np.full((32, 32, 3), level, np.uint8)}


def seen(policy, level=7):
    return view(policy.contract, raw(level))


def tcp(action):
    return forward(np.asarray(action)[:7])[:3, 3]


# --- what goes there and comes back ---


@pytest.mark.parametrize("answer", ["array", "list", "text"])
def test_what_is_asked_arrives_in_another_process_and_what_it_answers_comes_back(answer):
    with running(answer=answer) as (_, port):
        policy = made(port)
        policy.reset(seed=0, instruction=PROMPT)
        for asked in (2, 3):
            row = policy.infer(seen(policy))
            np.testing.assert_allclose(row, [[7e-4, len(PROMPT) / 1e4, 0, 0, 0, asked / 1e4, 1.0]])


@pytest.mark.parametrize("scheme", ["openvla", "http"])
def test_both_forms_of_the_address_reach_it_and_the_contract_says_what_its_numbers_mean(scheme):
    path = "/act" if scheme == "http" else ""
    with running() as (_, port):
        contract = resolve(f"{scheme}://127.0.0.1:{port}{path}{BRIDGE}&camera=front")().contract
    assert contract.cameras == {"image": "front"}
    text = contract.describe()
    for part in ("(1, 7) 'ee_delta'", "rpy, base frame", "gripper 0 closed, 1 open", "5 Hz", "in 4 control steps"):
        assert part in text
    assert "sees instruction: text" in text


def test_a_row_of_bridge_moves_the_tcp_in_four_control_steps_and_a_zero_row_holds_it():
    with running(row=[0.02, 0, 0, 0, 0, 0, 0.0]) as (_, port):
        actor = ChunkedActor(made(port))
        actor.reset(scenario_id="a/base", seed=0, instruction=PROMPT)
        path = [actor.act(raw()) for _ in range(8)]
    moved = np.array([tcp(action) for action in path]) - tcp(STATE.astype(float))
    np.testing.assert_allclose(moved[:, 0], 0.005 * np.arange(1, 9), atol=1e-5)
    np.testing.assert_allclose(moved[:, 1:], 0.0, atol=1e-5)
    assert {action[7] for action in path} == {0.0}
    with running(row=[0, 0, 0, 0, 0, 0, 1.0]) as (_, port):
        actor = ChunkedActor(made(port))
        actor.reset(scenario_id="a/base", seed=0, instruction=PROMPT)
        for _ in range(5):
            np.testing.assert_array_equal(actor.act(raw()), [*STATE[:7].astype(float), 1.0])


def test_a_chunk_of_rows_is_executed_up_to_8_or_as_many_as_asked_for():
    with running(rows=25) as (_, port):
        assert made(port, LIBERO).contract.executed_steps == 8
        contract = made(port, f"{LIBERO}&execute=20").contract
        assert (contract.action.horizon, contract.executed_steps, contract.control_steps) == (25, 20, 20)
        with pytest.raises(ContractError, match="executes 26 steps of a chunk of 25"):
            made(port, f"{LIBERO}&execute=26")


def test_the_presets_unnorm_key_is_sent_and_another_one_replaces_it():
    with running(unnorm_key="bridge_orig") as (_, port):
        made(port)
        with pytest.raises(ContractError, match=r"reported an error.*preset 'openvla-bridge' has .*'ee_delta'"):
            made(port, f"{BRIDGE}&unnorm_key=other")
        with pytest.raises(ContractError, match="reported an error"):
            made(port, LIBERO)


# --- faults ---


@pytest.mark.parametrize(
    ("fault", "text"),
    [
        ("error", "reported an error: 'error'; its log says which"),
        ("status", "answered with HTTP status 500"),
        ("nan", "nan in row 0, column 0"),
        ("columns", r"answered shape \(6,\); expected 7 numbers"),
        ("ragged", "rows of unequal length"),
        ("map", "answered dict"),
    ],
)
def test_an_unusable_answer_is_the_policys_fault_and_the_next_rollout_goes_on(fault, text):
    with running(fault=fault, after=2) as (_, port):
        actor = ChunkedActor(made(port))
        actor.reset(scenario_id="a/base", seed=0, instruction=PROMPT)
        for _ in range(4):
            actor.act(raw())
        with pytest.raises(PolicyFault, match=text):
            actor.act(raw())
        actor.reset(scenario_id="a/base", seed=1, instruction=PROMPT)


@pytest.mark.parametrize(
    ("fault", "timeout_s", "text"),
    [
        ("hang", 1, "did not answer within 1 s"),
        ("trickle", 1, "did not answer within 1 s"),
        ("exit", 60, "gave no answer"),
        ("gateway", 60, "answered with HTTP status 503: .*no healthy upstream"),
        ("large", 60, "answered with over 1048576 bytes"),
        ("object", 60, r"does not speak OpenVLA's protocol.*dtype '\|O'"),
        ("short", 60, "does not speak OpenVLA's protocol.*came with 8 bytes"),
        ("no-json", 60, "does not speak OpenVLA's protocol: not JSON"),
    ],
)
def test_a_lost_or_foreign_server_is_no_fault_of_the_policy(fault, timeout_s, text):
    with running(fault=fault, after=2) as (_, port):
        policy = made(port, f"{BRIDGE}&timeout_s={timeout_s}")
        policy.reset(seed=0, instruction=PROMPT)
        policy.infer(seen(policy))
        with pytest.raises(PolicyConnectionError, match=text):
            policy.infer(seen(policy))


@pytest.mark.parametrize(
    ("settings", "text"),
    [
        ({"fault": "error", "after": 0}, "reported an error: 'error'.*blank observation: image"),
        ({"fault": "columns", "after": 0}, r"answered shape \(6,\); expected 7 numbers.*'ee_delta'"),
    ],
)
def test_a_server_of_another_kind_is_refused_before_anything_runs_with_both_sides(settings, text):
    with running(**settings) as (_, port), pytest.raises(ContractError, match=text):
        made(port)


def test_nobody_listening_and_no_such_host_are_named():
    with pytest.raises(PolicyConnectionError, match=r"no policy server listens on .*waited 0.2 s"):
        resolve(f"openvla://127.0.0.1:{free_port()}{BRIDGE}&wait_s=0.2")()
    with pytest.raises(PolicyConnectionError, match=r"no host 'nobody.invalid'"):
        resolve(f"openvla://nobody.invalid:1{BRIDGE}&wait_s=0.2")()


# --- addresses ---


def test_an_address_is_parsed_and_pickled_and_not_connected():
    options = OpenvlaOptions.parse("openvla://robot:8000?preset=openvla-bridge&execute=1&wait_s=0&timeout_s=2.5")
    assert (options.host, options.port, options.execute) == ("robot", 8000, 1)
    assert (options.wait_s, options.timeout_s) == (0.0, 2.5)
    assert options.unnorm_key == "bridge_orig"
    assert OpenvlaOptions.parse("http://[::1]:9/act?preset=openvla-libero").address == "http://[::1]:9/act"
    spec = "openvla://nobody.invalid:1?preset=openvla-libero"
    assert pickle.loads(pickle.dumps(resolve(spec))).spec == spec


@pytest.mark.parametrize(
    ("spec", "text"),
    [
        ("openvla://host:80", r"does not say what its numbers mean; valid: openvla://HOST:PORT\?preset=NAME"),
        ("http://host:80/act", "does not say what its numbers mean"),
        ("http://host:80/other?preset=openvla-bridge", "not of the form"),
        ("http://host:80?preset=openvla-bridge", "not of the form"),
        ("openvla://host?preset=openvla-bridge", "not of the form"),
        (
            "openvla://host:80?preset=pi0-droid",
            "no preset 'pi0-droid' for openvla://; valid: openvla-bridge",
        ),
        ("openvla://host:80?preset=openvla-bridge&camera=ceiling", "no camera 'ceiling'; valid: front"),
        ("openvla://host:80?preset=openvla-bridge&size_px=8", "outside 16 to 1024"),
        ("openvla://host:80?preset=openvla-bridge&execute=0", "positive"),
        ("openvla://host:80?preset=openvla-bridge&speed=1", "unknown option 'speed'"),
    ],
)
def test_a_wrong_address_is_refused_with_what_is_valid(spec, text):
    with pytest.raises(PolicyError, match=text) as caught:
        resolve(spec)
    assert "\n" not in str(caught.value)


# --- the codec ---


@given(
    hnp.arrays(
        st.sampled_from(["<f4", "<f8", "<f2", ">i4", "|u1", "|b1", "<i8"]), hnp.array_shapes(min_dims=0, min_side=0)
    )
)
def test_arrays_go_there_and_back(array):
    back = from_json(json.dumps({"x": [to_json(array)]}).encode())["x"][0]
    assert (back.dtype, back.shape, back.tobytes()) == (array.dtype, array.shape, array.tobytes())
    assert back.flags.writeable


@pytest.mark.parametrize(
    "fields",
    [
        {"dtype": "|O", "shape": [0]},
        {"dtype": "<c8", "shape": [0]},
        {"dtype": "<M8[s]", "shape": [0]},
        {"dtype": "f4,i4", "shape": [0]},
        {"dtype": "no", "shape": [0]},
        {"dtype": "<f4", "shape": [1]},
        {"dtype": "<f4", "shape": [-1]},
        {"dtype": "<f4", "shape": [True]},
        {"dtype": "<f4", "shape": 0},
        {"dtype": "<f4", "shape": [10**12]},
        {"dtype": "<f4"},
        {"__numpy__": "!", "dtype": "<f4", "shape": [0]},
        {"__numpy__": 3, "dtype": "<f4", "shape": [0]},
    ],
    ids=str,
)
def test_what_is_no_plain_array_is_refused(fields):
    with pytest.raises(CodecError):
        from_json(json.dumps({"__numpy__": "", **fields}).encode())


def test_pickles_are_neither_sent_nor_taken():
    with pytest.raises(CodecError, match="not sent"):
        to_json(np.array([{}], object))


@given(st.binary(max_size=64))
def test_any_bytes_are_decoded_or_refused(data):
    with suppress(CodecError):
        from_json(data)
