"""The server for LeRobot's checkpoints: its wire with our own client, and its contract.

`./run slow lerobot` runs it on LeRobot itself.
"""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from enum import Enum
from pathlib import Path
from types import SimpleNamespace

import msgpack
import numpy as np
import pytest
from websockets.sync.client import connect

from maniguard.integrations import lerobot_server as module
from maniguard.policies import PolicyConnectionError, PolicyContract, check_contract, resolve
from maniguard.policies.contract import CAMERAS
from maniguard.policies.wire.codec import CodecError, decode, encode
from maniguard.rollout import PolicyFault

from .lerobot_peer import INPUTS, FakeCheckpoint, running

SEEN = {
    "observation.state": np.arange(8, dtype=np.float32),
    "observation.images.top": np.full((32, 32, 3), 9, np.uint8),
    "observation.images.wrist": np.zeros((32, 32, 3), np.uint8),
    "prompt": "put it down",
}


@pytest.fixture(scope="module")
def shared_server():
    with running("shared") as address:
        yield address


def test_the_contract_is_one_that_our_client_accepts_and_executes_whole():
    with running() as address:
        policy = resolve(address)()
        assert policy.contract == PolicyContract.from_dict(FakeCheckpoint.contract)
        check_contract(policy.contract)
        assert dict(policy.contract.cameras) == {
            "observation.images.top": "overview",
            "observation.images.wrist": "wrist",
        }
        assert policy.contract.executed_steps == policy.contract.action.horizon == 4
        policy.close()


def test_every_rollout_begins_with_empty_queues_and_its_seed():
    with running() as address:
        policy = resolve(address)()
        for rollout, seed in ((1, 70), (2, 71)):
            policy.reset(seed=seed, instruction="put it down")
            for request in (1, 2):
                rows = policy.infer(SEEN)
                assert rows.shape == (4, 8)
                assert rows.dtype == np.float32
                assert rows[0, :5].tolist() == [28.0, 9.0, seed, request, rollout]
        policy.close()


def test_one_client_at_a_time_unless_the_policy_is_shared():
    with running() as address:
        one = resolve(address)()
        with pytest.raises(PolicyConnectionError, match="one client at a time; --shared"):
            resolve(address)()
        one.close()
        resolve(address)().close()
    with running("shared") as address:
        one, two = resolve(address)(), resolve(address)()
        one.reset(seed=1, instruction="")
        two.reset(seed=2, instruction="")
        # Each goes on with its own generator, whoever asks in between.
        told = [policy.infer(SEEN)[0, 2:4].tolist() for policy in (one, two, one, two)]
        assert told == [[1.0, 1.0], [2.0, 1.0], [1.0, 2.0], [2.0, 2.0]]
        one.close()
        two.close()


def test_an_error_of_the_policy_is_said_in_one_line_and_the_next_rollout_goes_on():
    with running() as address:
        policy = resolve(address)()
        policy.reset(seed=1, instruction="fail")
        with pytest.raises(PolicyFault, match="ValueError: the weights are gone"):
            policy.infer(SEEN | {"prompt": "fail"})
        policy.reset(seed=1, instruction="x")
        assert policy.infer(SEEN).shape == (4, 8)
        policy.close()


@pytest.mark.parametrize(
    ("message", "said"),
    [
        ("text", "binary"),
        (b"\xc1", "not a msgpack message"),
        (encode([1]), "not list"),
        (encode({key: value for key, value in SEEN.items() if key != "prompt"}), "'prompt' must be"),
        (encode(SEEN | {"observation.state": np.zeros(7, np.float32)}), r"must be \[8\] float32, got \(7,\)"),
        (encode(SEEN | {"observation.state": np.zeros(8)}), "got .8,. float64"),
        (encode(SEEN | {"maniguard/reset": {"seed": -1, "instruction": ""}}), "must hold a seed"),
        (encode(SEEN | {"a": np.array(["text"])}), "is not taken"),
    ],
)
def test_requests_that_are_none_are_refused_in_one_line(shared_server, message, said):
    with connect(shared_server.replace("openpi", "ws"), proxy=None) as connection:
        connection.recv(timeout=10)
        connection.send(message)
        refused = connection.recv(timeout=10)
        assert isinstance(refused, str)
        assert "\n" not in refused
        assert re.search(said, refused)


def test_its_codec_is_ours():
    value = {"a": np.arange(6, dtype="<i4").reshape(2, 3), "b": [1, "two", None], "c": np.zeros((0, 3), ">f8")}
    for back in (decode(module.encode(value)), module.decode(encode(value))):
        assert back["b"] == value["b"]
        for key in "ac":
            assert (back[key].dtype, back[key].shape, back[key].tobytes()) == (
                value[key].dtype,
                value[key].shape,
                value[key].tobytes(),
            )
    with pytest.raises(module.ServerError, match="came with 4 bytes"):
        module.decode(msgpack.packb({b"__ndarray__": True, b"data": b"1234", b"dtype": "<f4", b"shape": [2]}))
    with pytest.raises(CodecError):
        decode(b"\xc1")


def test_cameras_are_given_or_have_our_names():
    images = ["observation.images.wrist", "observation.images.top"]
    given = {"observation.images.top": "front"}
    assert module.cameras_of(images, given) == {
        "observation.images.wrist": "wrist",
        "observation.images.top": "front",
    }
    with pytest.raises(module.ServerError, match=r"--camera observation\.images\.top=CAMERA"):
        module.cameras_of(images, {})
    with pytest.raises(module.ServerError, match="no image 'x'"):
        module.cameras_of(images[:1], {"x": "wrist"})
    assert module.CAMERAS == CAMERAS


def test_what_maniguard_cannot_offer_is_refused_and_what_it_converts_is_declared():
    cameras = {key: "wrist" for key in INPUTS}
    with pytest.raises(module.ServerError, match=r"observation\.environment_state"):
        module.contract_of("x", {"observation.environment_state": ("ENV", (4,))}, 8, 1, cameras)
    wide = {"observation.images.top": ("VISUAL", (3, 48, 64))}
    with pytest.raises(module.ServerError, match="square"):
        module.contract_of("x", wide, 8, 1, {"observation.images.top": "wrist"})
    sized = module.contract_of("x", wide, 8, 1, {"observation.images.top": "wrist"}, image_size_px=64)
    assert sized["observations"][0]["shape"] == [64, 64, 3]
    libero = module.contract_of(
        "x",
        {"observation.state": ("STATE", (8,))},
        7,
        5,
        {},
        state="x+y+z+rx+ry+rz+fingers",
        action={"convention": "ee_delta", "unit_m": 0.05, "unit_rad": 0.5, "gripper": {"closed": 1.0, "open": -1.0}},
    )
    contract = PolicyContract.from_dict(libero)
    check_contract(contract)
    assert not contract.action.native


class Type(Enum):
    STATE = 1
    ACTION = 2
    VISUAL = 3


class Mode(Enum):
    IDENTITY = 1
    MEAN_STD = 2


def step(name, statistics, modes):
    features = {
        "observation.state": SimpleNamespace(type=Type.STATE),
        "image": SimpleNamespace(type=Type.VISUAL),
        "action": SimpleNamespace(type=Type.ACTION),
    }
    return type(name, (), {"features": features, "norm_map": modes, "_tensor_stats": dict.fromkeys(statistics, 1)})()


def test_a_feature_that_would_silently_stay_unnormalised_is_refused():
    modes = {Type.STATE: Mode.MEAN_STD, Type.ACTION: Mode.MEAN_STD, Type.VISUAL: Mode.IDENTITY}
    whole = ["observation.state", "action"]
    normaliser, back = "NormalizerProcessorStep", "UnnormalizerProcessorStep"
    module.refuse_missing_statistics([object(), step(normaliser, whole, modes), step(back, whole, modes)])
    module.refuse_missing_statistics([step(normaliser, whole[:1], modes), step(back, whole[1:], modes)])
    with pytest.raises(module.ServerError, match=r"NormalizerProcessorStep has no statistics of 'observation\.state'"):
        module.refuse_missing_statistics([step(normaliser, ["action"], modes)])
    with pytest.raises(module.ServerError, match=r"UnnormalizerProcessorStep has no statistics of 'action'"):
        module.refuse_missing_statistics([step(back, ["observation.state"], modes)])


def test_the_file_stands_alone():
    tree = ast.parse(Path(module.__file__).read_text(encoding="utf-8"))
    imported = {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    imported |= {node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    assert not [name for name in imported if name.startswith("maniguard")]
    done = subprocess.run([sys.executable, "-P", module.__file__, "--help"], capture_output=True, text=True)
    assert done.returncode == 0
    assert "--checkpoint" in done.stdout


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--host", ""], "--host is empty"),
        (["--host", "127.0.0.1", "--port", "99999"], "cannot listen on 127.0.0.1:99999"),
    ],
)
def test_an_address_that_it_cannot_or_should_not_listen_on_is_refused_in_words(options, said, monkeypatch, capsys):
    monkeypatch.setattr("sys.argv", ["lerobot_server", "--checkpoint", "none", *options])
    monkeypatch.setattr(module, "Checkpoint", lambda *_: FakeCheckpoint())
    try:
        status = module.main()
    except SystemExit as left:
        status = left.code
    assert status == 2
    assert said in capsys.readouterr().err
