"""One server and many workers: everybody's turn comes, and batches are part of the contract."""

import json
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pytest
from websockets.sync.client import connect

from maniguard import bench
from maniguard.evaluate.plan import difference, make_plan
from maniguard.policies import PolicyError, RandomPolicy, resolve
from maniguard.policies.batching import Batcher
from maniguard.policies.server import serve
from maniguard.policies.wire.codec import decode, encode
from maniguard.rollout import PolicyFault

from . import peers
from .peers import echo, running


def gate(path, **arguments):
    given = "&".join(f"{key}={json.dumps(value)}" for key, value in {"path": str(path), **arguments}.items())
    return f"{peers.HERE}:Gate?{given}"


def seen(number):
    return {"observation/state": np.full(8, number, np.float32), "prompt": "go"}


def raw(peer):
    return connect(f"ws://{peer.host}:{peer.port}", compression=None, max_size=None, proxy=None)


def asked(connection, number):
    """Send a request and return once the server has read it: what it reads after it is answered after it."""
    connection.send(encode(seen(number)))
    assert connection.ping().wait(20)


def answer(connection):
    message = connection.recv(timeout=20)
    assert isinstance(message, bytes), message
    return tuple(decode(message)["actions"][0, :3])


@pytest.mark.parametrize("batch", [1, 2, 8])
def test_who_floods_the_server_has_one_place_in_the_queue_like_everybody_else(tmp_path, batch):
    go = tmp_path / "go"
    with running("serve", gate(go), "0", json.dumps({"batch": batch})) as peer:
        flood = raw(peer)
        polite = [raw(peer) for _ in range(4)]
        for connection in (flood, *polite):
            connection.recv()
        for number in range(50):
            flood.send(encode(seen(100 + number)))
        assert peer.process.stdout.readline().split() == ["inferring"]
        for number, connection in enumerate(polite):
            asked(connection, number)
        go.touch()
        turns = [answer(connection) for connection in polite]
        # The flood's first request was under way; its second is read when that is answered, behind all four.
        assert [turn[0] for turn in turns] == [1, 2, 3, 4]
        assert [turn[2] for turn in turns] == [0, 1, 2, 3]
        # In a large batch the flood's second may be the fifth, if it came in time.
        assert {turn[1] for turn in turns} in {1: [{1}], 2: [{2}], 8: [{4}, {5}]}[batch]
        assert [answer(flood)[2] for _ in range(50)] == [100 + number for number in range(50)]
        for connection in (flood, *polite):
            connection.close()


def test_with_one_place_each_every_client_is_served_in_turn():
    answers = {name: [] for name in range(6)}

    def play(name, url):
        policy = resolve(url)()
        policy.reset(seed=0, instruction="go")
        for _ in range(20):
            answers[name].append(tuple(policy.infer(seen(name))[0, :3]))
        policy.close()

    with running("serve", gate("")) as peer:
        threads = [threading.Thread(target=play, args=(name, peer.url)) for name in answers]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(60)
    # Everybody hears the answer to their own question, and every question is answered once.
    assert all([turn[2] for turn in turns] == [name] * 20 for name, turns in answers.items())
    assert sorted(turn[0] for turns in answers.values() for turn in turns) == list(range(120))


# --- batches are announced, recorded and refused where they make no sense ---


def test_a_batch_is_part_of_the_contract_which_is_then_not_deterministic():
    with running("serve", gate(""), "0", '{"batch": 3}') as peer:
        contract = resolve(peer.url)().contract
    assert (contract.batch, contract.deterministic, contract.stateless) == (3, False, True)
    assert "served in batches of up to 3" in contract.describe()
    with running("serve", gate("")) as peer:
        plain = resolve(peer.url)().contract
    assert (plain.batch, plain.deterministic) == (1, True)
    scenarios = bench.load("clutter", tasks=range(1), conditions=("base",))
    plans = [make_plan("noop", scenarios, (0,), contract=each) for each in (contract, plain)]
    assert difference(*plans) == "its contract has deterministic True, this call's False"
    same = [make_plan("noop", scenarios, (0,), contract=replace(plain, batch=size)) for size in (1, 3)]
    assert difference(*same) == "its contract has batch 3, this call's 1"


def test_a_policy_that_remembers_or_has_no_infer_batch_is_not_served_in_batches():
    with pytest.raises(PolicyError, match="it has no stateless contract and no infer_batch"):
        serve(RandomPolicy, port=0, batch=2)
    with pytest.raises(PolicyError, match="it has a stateless contract and no infer_batch"):
        serve(echo(stateless=True), port=0, batch=2)
    with pytest.raises(PolicyError, match="cannot answer 0 requests together"):
        serve(RandomPolicy, port=0, batch=0)


def test_a_bad_request_fails_alone_and_the_others_of_its_batch_are_answered(tmp_path):
    go = tmp_path / "go"
    with running("serve", gate(go), "0", '{"batch": 8}') as peer:
        connections = [raw(peer) for _ in range(4)]
        for connection in connections:
            connection.recv()
        connections[0].send(encode(seen(0)))
        assert peer.process.stdout.readline().split() == ["inferring"]
        asked(connections[1], 1)
        connections[2].send(encode({"observation/state": np.zeros(7, np.float32), "prompt": "go"}))
        assert connections[2].ping().wait(20)
        asked(connections[3], 3)
        go.touch()
        assert [answer(connections[index]) for index in (0, 1, 3)] == [(0, 1, 0), (1, 2, 1), (2, 2, 3)]
        assert "expects 'observation/state'" in connections[2].recv(timeout=20)


def test_too_few_chunks_are_the_policys_fault():
    with running("serve", gate("", fail="few"), "0", '{"batch": 2}') as peer:
        policy = resolve(peer.url)()
        policy.reset(seed=0, instruction="go")
        with pytest.raises(PolicyFault, match="gave 0 chunks for 1 observations"):
            policy.infer(seen(1))


def test_everybody_in_a_batch_hears_that_it_failed_and_the_server_goes_on(tmp_path):
    go = tmp_path / "go"
    with running("serve", gate(go, fail="raise"), "0", '{"batch": 2}') as peer:
        connections = [raw(peer) for _ in range(3)]
        for connection in connections:
            connection.recv()
        connections[0].send(encode(seen(0)))
        assert peer.process.stdout.readline().split() == ["inferring"]
        for connection in connections[1:]:
            asked(connection, 1)
        go.touch()
        assert answer(connections[0])[0] == 0
        for connection in connections[1:]:
            assert "raised ValueError in infer_batch: the weights are gone" in connection.recv(timeout=20)
        again = raw(peer)
        again.recv()
        asked(again, 9)
        assert answer(again) == (1, 1, 9)


def test_nobody_waits_for_ever_when_the_server_itself_fails():
    class Echo:
        contract = RandomPolicy().contract

        def infer_batch(self, observations):
            return [1] * len(observations)

    def no_memory(_):
        raise MemoryError

    for part in ("read", "write"):
        parts = {"read": lambda _: {}, "write": lambda _: b"", part: no_memory}
        with ThreadPoolExecutor(max_workers=1) as thread:
            answers = [Batcher(Echo(), 4, thread, **parts).submit(b"") for _ in range(3)]
            for answer in answers:
                with pytest.raises(MemoryError):
                    answer.result(timeout=20)
