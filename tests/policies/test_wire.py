"""Client and server over real sockets, each end in a process of its own."""

import json
import os
import signal
import socket
import subprocess
import sys
import threading
import urllib.request
from dataclasses import replace

import msgpack
import numpy as np
import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import connect

from maniguard.policies import (
    ActionSpec,
    ChunkedActor,
    ContractError,
    GripperRange,
    OpenpiOptions,
    OpenpiPolicy,
    PolicyConnectionError,
    PolicyContract,
    PolicyError,
    RandomPolicy,
    resolve,
)
from maniguard.policies.presets import preset
from maniguard.policies.server import serve
from maniguard.policies.wire import link
from maniguard.policies.wire.codec import decode, encode
from maniguard.rollout import PolicyFault

from . import peers
from .peers import Echo, echo, running
from .processes import free_port

STATE = np.array([0.1, -0.7, 0.2, -2.3, 0.0, 1.5, 0.7, 0.4], np.float32)
SEEN = {"observation/state": STATE, "prompt": "put it down"}


def client(peer, query=""):
    return resolve(peer.url + query)()


def raw(peer, **options):
    return connect(f"ws://{peer.host}:{peer.port}", compression=None, max_size=None, proxy=None, **options)


@pytest.fixture(scope="module")
def echo_server():
    with running("serve", echo()) as peer:
        yield peer


def told(chunk):
    """What Echo wrote into row 1."""
    names = ("seed", "instruction", "asked", "pid", "prompt", "resets")
    return dict(zip(names, (int(value) for value in chunk[1]), strict=False))


# --- both ends ours ---


def test_random_over_the_wire_equals_in_process_to_the_bit():
    def play(policy):
        actor, path = ChunkedActor(policy), []
        for scenario, seed in (("a/base", 0), ("b/base", 0), ("a/base", 0), ("a/base", 1)):
            actor.reset(scenario_id=scenario, seed=seed, instruction="x")
            path += [actor.act({"observation/state": STATE + np.float32(step)}) for step in range(20)]
        actor.close()
        return np.stack(path)

    with running("serve", "random") as peer:
        remote = play(client(peer))
    local = play(RandomPolicy())
    assert remote.tobytes() == local.tobytes()
    assert not np.array_equal(local[:20], local[20:40])


def test_the_contract_crosses_the_wire(echo_server):
    policy = client(echo_server)
    assert policy.contract == Echo.contract
    policy.close()
    assert client(echo_server, "?execute=3").contract == replace(Echo.contract, executed_steps=3)
    with pytest.raises(ContractError, match="executes 9 steps of a chunk of 4"):
        client(echo_server, "?execute=9")


def test_the_server_is_another_process_and_hears_of_every_reset(echo_server):
    policy = client(echo_server)
    for seed in (4, 2**32 - 1):
        policy.reset(seed=seed, instruction="abc")
        chunk = policy.infer(SEEN)
        np.testing.assert_array_equal(chunk[0], STATE.astype(np.float64))
        heard = told(chunk)
        assert heard["pid"] == echo_server.process.pid != os.getpid()
        assert (heard["seed"], heard["instruction"], heard["asked"], heard["prompt"]) == (
            seed,
            3,
            1,
            len("put it down"),
        )
        assert told(policy.infer(SEEN))["asked"] == 2
    policy.close()


def test_two_clients_do_not_share_a_stateful_policy(echo_server):
    one, two = client(echo_server), client(echo_server)
    one.reset(seed=1, instruction="")
    two.reset(seed=2, instruction="")
    assert [told(policy.infer(SEEN))["seed"] for policy in (one, two, one, two)] == [1, 2, 1, 2]
    assert told(one.infer(SEEN))["asked"] == 3
    one.close()
    two.close()


def test_two_clients_share_a_stateless_policy_which_is_never_reset_by_them():
    with running("serve", echo(stateless=True)) as peer:
        one, two = client(peer), client(peer)
        for policy in (one, two):
            policy.reset(seed=9, instruction="")
        answers = [told(policy.infer(SEEN)) for policy in (one, two)]
    assert [answer["asked"] for answer in answers] == [1, 2]
    assert [answer["resets"] for answer in answers] == [1, 1]


def test_healthz_answers_and_web_pages_are_kept_out(echo_server):
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with opener.open(f"http://{echo_server.host}:{echo_server.port}/healthz", timeout=10) as answer:
        assert (answer.status, answer.read()) == (200, b"OK\n")
    with pytest.raises(InvalidStatus, match="403"):
        raw(echo_server, origin="http://evil.example")


def test_the_server_listens_on_loopback_only(echo_server):
    assert echo_server.host == "127.0.0.1"
    others = {info[4][0] for info in socket.getaddrinfo(socket.gethostname(), None, socket.AF_INET)} - {"127.0.0.1"}
    for address in others:
        if not address.startswith("127."):
            with pytest.raises(OSError, match="refused"):
                socket.create_connection((address, echo_server.port), timeout=5).close()


# --- faults of the policy ---


@pytest.mark.parametrize(
    ("fail", "text"),
    [
        ("raise", "reported an error: ValueError: the weights are gone"),
        ("none", "reported an error: PolicyFault: policy 'echo' gave no actions"),
        ("object", "reported an error: PolicyFault.*cannot be sent.*'|O'"),
        ("nan", "nan in row 0"),
        ("shape", r"actions \(4, 7\).*\(4, 8\)"),
    ],
)
def test_a_failing_policy_is_a_policy_fault_and_the_server_lives_on(fail, text):
    with running("serve", echo(fail=fail)) as peer:
        actor = ChunkedActor(client(peer))
        for _ in range(2):
            actor.reset(scenario_id="s", seed=0, instruction="")
            with pytest.raises(PolicyFault, match=text.replace("|", r"\|")) as caught:
                actor.act(SEEN)
            assert "\n" not in str(caught.value)
        actor.close()


def test_an_observation_may_be_written_to_as_in_process():
    with running("serve", echo(fail="write")) as peer:
        policy = client(peer)
        policy.reset(seed=0, instruction="")
        assert policy.infer(SEEN)[0, 0] == 1.0
        policy.close()


def test_a_server_that_dies_in_mid_rollout_is_an_error_and_not_taken_up_again():
    with running("serve", echo(fail="exit")) as peer:
        policy = client(peer, "?wait_s=0")
        policy.reset(seed=0, instruction="")
        policy.infer(SEEN)
        with pytest.raises(PolicyConnectionError, match=r"hung up before it sent an answer \(no close frame: killed"):
            policy.infer(SEEN)
        with pytest.raises(PolicyConnectionError, match="lost earlier in this rollout"):
            policy.infer(SEEN)
        with pytest.raises(PolicyConnectionError, match=r"no policy server listens on .*wait_s"):
            policy.reset(seed=0, instruction="")


def test_a_server_restarted_between_rollouts_is_found_again():
    port = str(free_port())
    with running("serve", echo(), port) as peer:
        policy = client(peer)
        policy.reset(seed=0, instruction="")
        first = told(policy.infer(SEEN))
        peer.kill()
    with running("serve", echo(), port) as peer:
        policy.reset(seed=5, instruction="")
        again = told(policy.infer(SEEN))
        assert again["seed"] == 5
        assert again["pid"] == peer.process.pid != first["pid"]
        policy.close()


def test_a_server_killed_after_reset_and_restarted_is_asked_again_because_nothing_was_played():
    port = str(free_port())
    with running("serve", echo(), port) as peer:
        policy = client(peer, "?wait_s=30")
        policy.reset(seed=3, instruction="")
        peer.kill()
    with running("serve", echo(), port):
        assert told(policy.infer(SEEN))["seed"] == 3
        policy.close()


def test_a_server_that_comes_back_as_another_policy_is_refused():
    port = str(free_port())
    with running("serve", echo(), port) as peer:
        policy = client(peer)
        peer.kill()
    with running("serve", "random", port), pytest.raises(ContractError, match=r"name='random'.*began with name='echo'"):
        policy.reset(seed=0, instruction="")


def test_a_stopped_server_is_given_up_even_when_the_message_does_not_fit_into_the_socket():
    with running("serve", f"{peers.HERE}:Looker") as peer:
        policy = client(peer, "?timeout_s=1")
        image = np.zeros((256, 256, 3), np.uint8)
        seen = SEEN | {"observation/image": image, "observation/wrist_image": image}
        policy.reset(seed=0, instruction="")
        assert policy.infer(seen).shape == (10, 8)
        peer.process.send_signal(signal.SIGSTOP)
        with pytest.raises(PolicyConnectionError, match="did not send an answer within 1 s"):
            policy.infer(seen)
        peer.process.send_signal(signal.SIGCONT)
        policy.reset(seed=0, instruction="")
        peer.process.send_signal(signal.SIGSTOP)
        with pytest.raises(PolicyConnectionError, match="hung up"):
            policy._link.send(bytes(32 * 1024 * 1024))


# --- the server as any openpi client sees it ---


def test_metadata_comes_first_and_a_client_without_resets_is_served(echo_server):
    with raw(echo_server) as connection:
        metadata = msgpack.unpackb(connection.recv(timeout=10))
        assert PolicyContract.from_dict(metadata["maniguard"]["contract"]) == Echo.contract
        for asked in (1, 2):
            connection.send(encode(SEEN | {"unasked": np.zeros(3)}))
            answer = decode(connection.recv(timeout=10))
            assert set(answer) == {"actions", "server_timing"}
            assert answer["server_timing"]["infer_ms"] > 0
            heard = told(answer["actions"])
            assert (heard["seed"], heard["instruction"], heard["asked"]) == (0, len("put it down"), asked)


@pytest.mark.parametrize(
    ("message", "text"),
    [
        (b"\xc1", "CodecError: not a msgpack message"),
        ("text", "ProtocolError: a request is a binary msgpack frame, not text"),
        (encode([1]), "ProtocolError: a request is a map of observation keys, not list"),
        (encode({"prompt": "x"}), "ContractError: policy 'echo' expects 'observation/state'"),
        (
            encode(SEEN | {"observation/state": STATE[:7]}),
            r"expects 'observation/state' as \(8,\) float32 of joints\+opening, got \(7,\)",
        ),
        (encode(SEEN | {"maniguard/reset": {"seed": -1, "instruction": ""}}), "ProtocolError: 'maniguard/reset'"),
        (encode(SEEN | {"maniguard/reset": 1}), "ProtocolError: 'maniguard/reset'"),
        (
            msgpack.packb(
                {"observation/state": {b"__ndarray__": True, b"data": b"\x80\x04N.", b"dtype": "|O", b"shape": [1]}}
            ),
            r"CodecError: arrays of dtype '\|O'",
        ),
    ],
)
def test_a_bad_request_gets_a_text_frame_and_a_close(echo_server, message, text):
    with raw(echo_server) as connection:
        connection.recv(timeout=10)
        connection.send(message)
        frame = connection.recv(timeout=10)
        assert isinstance(frame, str)
        with pytest.raises(AssertionError, match=text):
            raise AssertionError(frame)
        with pytest.raises(ConnectionClosed) as closed:
            connection.recv(timeout=10)
        assert closed.value.rcvd.code == 1011


def test_oversized_messages_are_refused_by_both_ends():
    limits = json.dumps({"max_message_bytes": 1000})
    with running("serve", echo(), "0", limits) as peer:
        with raw(peer) as connection:
            connection.recv(timeout=10)
            connection.send(encode(SEEN | {"more": bytes(2000)}))
            with pytest.raises(ConnectionClosed) as closed:
                connection.recv(timeout=10)
            assert closed.value.rcvd.code == 1009
        policy = client(peer)
        policy.reset(seed=0, instruction="")
        assert policy.infer(SEEN).shape == (4, 8)
        with pytest.raises(ContractError, match="takes 1000"):
            policy.infer(SEEN | {"prompt": "long " * 300})
        policy.close()


def test_more_clients_than_allowed_are_turned_away_with_a_reason():
    with running("serve", echo(), "0", json.dumps({"max_clients": 1})) as peer:
        first = client(peer)
        with pytest.raises(PolicyConnectionError, match="takes 1 clients at once"):
            client(peer)
        first.close()


def test_the_server_answers_pings_and_health_checks_while_it_infers():
    """A client with impatient pings outlives an inference that takes ten times as long."""
    with running("serve", echo(first_s=3.0)) as peer, raw(peer, ping_interval=0.3, ping_timeout=0.3) as connection:
        connection.recv(timeout=10)
        connection.send(encode(SEEN))
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        opener.open(f"http://{peer.host}:{peer.port}/healthz", timeout=10).close()
        assert decode(connection.recv(timeout=30))["actions"].shape == (4, 8)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_the_server_cleanly(number):
    with running("serve", echo()) as peer, raw(peer) as connection:
        connection.recv(timeout=10)
        peer.process.send_signal(number)
        with pytest.raises(ConnectionClosed) as closed:
            connection.recv(timeout=10)
        assert closed.value.rcvd.code == 1001
        assert peer.process.wait(timeout=20) == 0


def test_a_running_inference_is_finished_before_the_end():
    with running("serve", echo(first_s=2.0)) as peer, raw(peer) as connection:
        connection.recv(timeout=10)
        connection.send(encode(SEEN))
        wait_until_busy(peer)
        peer.process.send_signal(signal.SIGTERM)
        assert peer.process.wait(timeout=30) == 0


def test_a_second_signal_does_not_wait_for_the_inference():
    with running("serve", echo(first_s=3600.0)) as peer, raw(peer) as connection:
        connection.recv(timeout=10)
        connection.send(encode(SEEN))
        wait_until_busy(peer)
        peer.process.send_signal(signal.SIGTERM)
        with pytest.raises(ConnectionClosed):
            connection.recv(timeout=10)
        peer.process.send_signal(signal.SIGTERM)
        assert peer.process.wait(timeout=30) == -signal.SIGTERM


def test_a_signal_while_the_policy_loads_is_heeded():
    command = [sys.executable, str(peers.HERE), "serve", f"{peers.HERE}:SlowToLoad"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    with process:
        assert process.stdout.readline() == "loading\n"
        process.send_signal(signal.SIGTERM)
        assert process.wait(timeout=30) == 0
        assert process.stdout.read() == ""


def wait_until_busy(peer):
    """Echo says so when it begins to infer."""
    assert peer.process.stdout.readline() == "inferring\n"


def test_a_privileged_policy_is_not_served():
    with pytest.raises(PolicyError, match="privileged"):
        serve(echo(privileged=True), port=0)


def test_an_address_in_use_is_an_error(echo_server):
    with pytest.raises(PolicyError, match=f"cannot listen on 127.0.0.1:{echo_server.port}"):
        serve("noop", port=echo_server.port)


@pytest.mark.parametrize("port", [-1, 65536])
def test_an_impossible_port_is_an_error(port):
    with pytest.raises(PolicyError, match=rf"port {port}; valid: 1 to 65535"):
        serve("noop", port=port)


def test_an_address_of_another_machine_is_an_error():
    with pytest.raises(PolicyError, match=r"cannot listen on 192.0.2.1:0"):
        serve("noop", host="192.0.2.1", port=0)


def test_an_unknown_policy_is_not_served():
    with pytest.raises(PolicyError, match="unknown policy"):
        serve("nope")


def test_serving_imports_no_framework():
    code = "import sys; from maniguard.policies.server import serve; print(*(m in sys.modules for m in sys.argv))"
    out = subprocess.run([sys.executable, "-c", code, "torch", "ray"], capture_output=True, text=True, check=True)
    assert out.stdout.split() == ["False"] * 3


# --- a server that is not ours ---


def plain(**settings):
    return running("plain", json.dumps(settings))


def test_a_server_without_a_contract_is_probed_and_gets_the_documented_defaults():
    with plain() as peer:
        policy = client(peer)
        contract = policy.contract
        assert (contract.action.horizon, contract.action.dims, contract.executed_steps) == (10, 8, 8)
        assert [spec.key for spec in contract.observations] == [
            "observation/state",
            "observation/image",
            "observation/wrist_image",
            "prompt",
        ]
        assert not contract.deterministic
        policy.reset(seed=1, instruction="go")
        image = np.zeros((256, 256, 3), np.uint8)
        chunk = policy.infer(SEEN | {"observation/image": image, "observation/wrist_image": image})
        assert chunk[0, 0] == 4  # keys that the server saw: no reset key for a server that announces none
        assert chunk[0, 1] == 2  # the probe was the first request
        policy.close()
        assert client(peer, "?execute=5").contract.executed_steps == 5
        with pytest.raises(ContractError, match="executes 11 steps of a chunk of 10"):
            client(peer, "?execute=11")


@pytest.mark.parametrize(
    ("settings", "kind", "text"),
    [
        ({"columns": 7}, ContractError, r"\(10, 7\); preset 'maniguard' has \(rows, 8\) 'joint_position'"),
        ({"answer": "traceback"}, ContractError, "RuntimeError: out of memory.*announces no contract and was sent obs"),
        ({"answer": "no-actions"}, ContractError, "without 'actions'; the answer has state"),
        ({"answer": "garbage"}, PolicyConnectionError, "does not speak the openpi protocol"),
        ({"answer": "hang-after-probe", "metadata": "busy"}, PolicyConnectionError, "reported an error: busy"),
        ({"metadata": [1]}, PolicyConnectionError, "sent list as metadata"),
        ({"metadata": {"maniguard": 3}}, ContractError, "announces 'maniguard' as 3"),
        (
            {"metadata": {"maniguard": {"contract": {"format": "maniguard-policy/9"}}}},
            ContractError,
            "maniguard-policy/9",
        ),
        (
            {"metadata": {"maniguard": {"contract": replace(Echo.contract, privileged=True).to_dict()}}},
            ContractError,
            "privileged",
        ),
    ],
    ids=lambda value: str(value)[:40],
)
def test_a_server_that_does_not_fit_is_refused_before_the_first_rollout(settings, kind, text):
    with plain(**settings) as peer, pytest.raises(kind, match=text):
        client(peer)


def test_a_preset_says_what_is_sent_and_what_comes_back_and_the_first_chunk_shows_how_much():
    with plain(columns=8) as peer:
        policy = client(peer, "?preset=pi05-droid")
        contract = policy.contract
        assert (contract.name, contract.action.horizon, contract.executed_steps) == ("pi05-droid", 10, 8)
        assert contract.action.same_meaning(preset("pi05-droid").action)
        assert contract.cameras == {
            "observation/exterior_image_1_left": "overview",
            "observation/wrist_image_left": "wrist",
        }
        actor = ChunkedActor(policy)
        actor.reset(scenario_id="a/base", seed=0, instruction="go")
        seen = {"observation/state": STATE, "prompt": "go"}
        seen |= {key: np.zeros((224, 224, 3), np.uint8) for key in contract.cameras}
        first = actor.act(seen)
        # The peer says in the first two columns that it saw five keys and how often it was asked; 1 is as far as a
        # velocity goes, 0.2 rad in 1/15 s. Its last column, 0, is an open gripper.
        np.testing.assert_allclose(first[:7] - STATE[:7], [0.15, 0.15, 0, 0, 0, 0, 0], atol=1e-6)
        assert first[7] == 1.0
        actor.close()


@pytest.mark.parametrize(
    ("answered", "query", "text"),
    [
        (8, "?preset=pi05-libero", r"actions of shape \(10, 8\); preset 'pi05-libero' has \(rows, 7\) 'ee_delta'"),
        (7, "?preset=pi0-droid", r"actions of shape \(10, 7\); preset 'pi0-droid' has \(rows, 8\) 'joint_delta'"),
    ],
)
def test_a_server_that_answers_other_columns_than_its_preset_is_refused(answered, query, text):
    with plain(columns=answered) as peer, pytest.raises(ContractError, match=text):
        client(peer, query)


@pytest.mark.parametrize(
    ("change", "text"),
    [
        ({}, None),
        ({"observations": preset("pi0-droid").observations[:3]}, "announces observation/exterior_image_1_left.*has"),
        ({"action": ActionSpec(10, gripper=GripperRange(1, 0))}, r"announces actions \(10, 8\) 'joint_position'.*has"),
    ],
)
def test_an_announced_contract_must_be_the_presets_in_any_order(change, text):
    known = preset("pi0-droid").contract
    announced = replace(known, **{"observations": known.observations[::-1], **change})
    with plain(metadata={"maniguard": {"contract": announced.to_dict()}}) as peer:
        if text is None:
            assert client(peer, "?preset=pi0-droid").contract == announced
            return
        with pytest.raises(ContractError, match=text):
            client(peer, "?preset=pi0-droid")


def test_a_server_that_blocks_its_loop_for_long_is_waited_for(monkeypatch):
    """The control: with pings of its own, a client gives the same server up."""
    with plain(block_s=3.0) as peer, raw(peer, ping_interval=0.3, ping_timeout=0.3) as connection:
        connection.recv(timeout=10)
        connection.send(encode(SEEN))
        with pytest.raises(ConnectionClosed, match="keepalive ping timeout"):
            connection.recv(timeout=30)

    # The library's default pings, shortened: were the client to use them, it would give up here as well.
    def hasty(*arguments, ping_interval=0.3, **options):
        return connect(*arguments, ping_interval=ping_interval, ping_timeout=0.3, **options)

    monkeypatch.setattr(link, "connect", hasty)
    with plain(block_s=3.0) as peer:
        assert client(peer).contract.action.horizon == 10


def test_an_answer_that_never_comes_is_given_up_after_the_timeout():
    with plain(answer="hang-after-probe") as peer:
        policy = client(peer, "?timeout_s=0.5")
        policy.reset(seed=0, instruction="")
        image = np.zeros((256, 256, 3), np.uint8)
        with pytest.raises(PolicyConnectionError, match=r"did not send an answer within 0.5 s; .*timeout_s"):
            policy.infer(SEEN | {"observation/image": image, "observation/wrist_image": image})


def test_a_server_that_starts_late_is_waited_for():
    port, made = free_port(), []

    def make():
        made.append(OpenpiPolicy(OpenpiOptions("127.0.0.1", port, wait_s=60.0)))

    waiting = threading.Thread(target=make)
    waiting.start()
    with running("serve", echo(), str(port)):
        waiting.join(60)
        assert [policy.contract for policy in made] == [Echo.contract]
        made[0].close()


def test_nobody_there_nobody_of_that_name_and_somebody_else():
    with pytest.raises(PolicyConnectionError, match=r"no policy server listens on ws://127.0.0.1:\d+ \(waited 0 s"):
        resolve(f"openpi://127.0.0.1:{free_port()}?wait_s=0")()
    with pytest.raises(PolicyConnectionError, match=r"no host 'nobody.invalid'"):
        resolve("openpi://nobody.invalid:8000")()
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def answer():
            connection, _ = listener.accept()
            connection.recv(1000)
            connection.sendall(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n")
            connection.close()

        threading.Thread(target=answer, daemon=True).start()
        with pytest.raises(PolicyConnectionError, match="is no openpi policy server"):
            resolve(f"openpi://127.0.0.1:{listener.getsockname()[1]}")()
