"""Our openpi client, server and codec agree with openpi-client from PyPI, and outlast a first inference of 60 s.

Both directions: its client drives our server, and our client drives a server built on its codec and a newer
websockets. The peer is a client package; a genuine openpi server with weights is not run. The environment is built
from the package index, or taken from --venv.
"""

import argparse
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from _evidence import record
from _peer import Checks, make_environment, versions_in

from maniguard.policies import (
    DEFAULT_OBSERVATIONS,
    PROMPT,
    STATE,
    ActionSpec,
    ChunkedActor,
    PolicyContract,
    RandomPolicy,
    resolve,
)
from maniguard.policies.server import serve
from maniguard.policies.wire.codec import decode, encode

HERE = Path(__file__).resolve()
SIDE = HERE.with_name("_openpi_side.py")
# The peer forgets to require typing_extensions.
REQUIREMENTS = ("openpi-client==0.1.2", "typing_extensions")
SLOW_S = 60.0
STEPS = 200


class Sums:
    """Answers sums over both images, one of them weighted by column, so that any mix-up of pixels shows."""

    contract = PolicyContract("sums", DEFAULT_OBSERVATIONS, ActionSpec(1), 1, True, stateless=True)

    def reset(self, *, seed, instruction): ...

    def infer(self, observation):
        plain, weighted = observation["observation/image"], observation["observation/wrist_image"]
        chunk = np.zeros((1, 8))
        chunk[0, :2] = plain.sum(), (weighted * np.arange(256)[None, :, None]).sum()
        return chunk

    def close(self): ...


class Slow(Sums):
    """Takes a minute for its first chunk."""

    contract = PolicyContract("slow", (STATE, PROMPT), ActionSpec(10), 8, True)
    waits = True

    def infer(self, observation):
        if self.waits:
            self.waits = False
            time.sleep(SLOW_S)
        return np.zeros((10, 8))


class Failing(Slow):
    def infer(self, observation):
        raise ValueError("no weights")


def start(*command: str) -> tuple[subprocess.Popen, str, str]:
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    host, port = process.stdout.readline().split()
    return process, host, port


def ours(policy: str) -> tuple[subprocess.Popen, str, str]:
    return start(sys.executable, str(HERE), "--serve", policy)


def random_value(generator: np.random.Generator, index: int):
    shape = tuple(int(size) for size in generator.integers(0, 5, generator.integers(0, 4)))
    dtype = ("<f2", "<f4", ">f8", "|b1", "|u1", "<i8", ">i4", "<u2", "<U3", "|S2")[index % 10]
    array = np.asarray(generator.integers(0, 2, shape)).astype(dtype)
    return {
        "array": array,
        "view": array.T,
        "scalars": [np.float16(0.5), np.int32(index), np.bool_(True)],
        "n": [index, None],
    }


def equal(a, b) -> bool:
    if isinstance(a, dict):
        return list(a) == list(b) and all(equal(a[key], b[key]) for key in a)
    if isinstance(a, list):
        return len(a) == len(b) and all(equal(x, y) for x, y in zip(a, b, strict=True))
    if isinstance(a, np.ndarray):
        return a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()
    return type(a) is type(b) and a == b


def check_codec(python: Path, checks: Checks) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for part in ("ours", "back", "theirs"):
            (folder / part).mkdir()
        generator = np.random.default_rng(0)
        values = [random_value(generator, index) for index in range(500)]
        for index, value in enumerate(values):
            (folder / "ours" / f"{index:04d}").write_bytes(encode(value))
        subprocess.run([python, SIDE, "codec", folder], check=True)
        for index, value in enumerate(values):
            back = (folder / "back" / f"{index:04d}").read_bytes()
            checks.add("codec_ours_to_theirs", str(index), back == encode(value) and equal(decode(back), value))
        for path in sorted((folder / "theirs").iterdir()):
            message = path.read_bytes()
            checks.add("codec_theirs_to_ours", path.name, encode(decode(message)) == message)


def check_their_client(python: Path, checks: Checks) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        server, host, port = ours("random")
        subprocess.run([python, SIDE, "play", host, port, folder, str(STEPS)], check=True)
        server.terminate()
        theirs = np.load(folder / "actions.npy")
        announced = json.loads((folder / "metadata.json").read_text())["maniguard"]["contract"]
        checks.add("metadata", "contract", PolicyContract.from_dict(announced) == RandomPolicy.contract)
        policy = RandomPolicy()
        policy.reset(seed=0, instruction="")
        seen = [{"observation/state": np.full(8, step, np.float32) / 100} for step in range(0, STEPS, 8)]
        local = np.concatenate([policy.infer(observation) for observation in seen])[:STEPS]
        for step in range(STEPS):
            checks.add("their_client_actions", str(step), theirs[step].tobytes() == local[step].tobytes())
        checks.add("server_end", "exit status after SIGTERM", server.wait(60) == 0)

        server, host, port = ours("Sums")
        subprocess.run([python, SIDE, "look", host, port, folder, "50"], check=True)
        server.terminate()
        server.wait()
        for index in range(50):
            checks.add("their_client_images", str(index), index < json.loads((folder / "looked.json").read_text()))

        server, host, port = ours("Failing")
        subprocess.run([python, SIDE, "once", host, port, folder, "failing"], check=True)
        server.terminate()
        server.wait()
        outcome = json.loads((folder / "failing.json").read_text())["outcome"]
        checks.add("error_frame", outcome, outcome.startswith("RuntimeError") and "ValueError: no weights" in outcome)


def check_slow(python: Path, checks: Checks) -> dict:
    """Wait a minute three times at once: their client on our server, ours on theirs, and the control."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        our_server, *our_address = ours("Slow")
        their_server, *their_address = start(str(python), str(SIDE), "serve", str(SLOW_S))
        control_server, *control_address = start(str(python), str(SIDE), "serve", str(SLOW_S))
        clients = [
            subprocess.Popen([python, SIDE, "once", *our_address, folder, "their_client_our_server"]),
            subprocess.Popen([python, SIDE, "once", *control_address, folder, "their_client_their_server"]),
        ]
        actor = ChunkedActor(resolve(f"openpi://{their_address[0]}:{their_address[1]}")())
        actor.reset(scenario_id="any", seed=0, instruction="wait")
        image = np.zeros((256, 256, 3), np.uint8)
        state = np.arange(8, dtype=np.float32)
        seen = {"observation/state": state, "observation/image": image, "observation/wrist_image": image, "prompt": "x"}
        checks.add("slow_first_inference", "our client, their server", np.array_equal(actor.act(seen), state))
        actor.close()
        for client in clients:
            client.wait()
        for server in (our_server, their_server, control_server):
            server.terminate()
            server.wait()
        outcomes = {path.stem: json.loads(path.read_text()) for path in folder.iterdir()}
    checks.add("slow_first_inference", str(outcomes), outcomes["their_client_our_server"]["outcome"] == "(10, 8)")
    # Without the control the check would pass on a library whose pings are off.
    control = outcomes["their_client_their_server"]["outcome"]
    checks.add("slow_control_fails", control, "keepalive ping timeout" in control)
    return outcomes


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--venv", type=Path, help="an environment that holds the peer already")
    parser.add_argument("--serve", help="be the server of this policy (used by the check itself)")
    arguments = parser.parse_args()
    if arguments.serve:
        policy = {"Sums": Sums, "Slow": Slow, "Failing": Failing}.get(arguments.serve, arguments.serve)
        serve(policy, port=0, ready=lambda host, port: print(host, port, flush=True))
        return 0
    checks = Checks()
    with tempfile.TemporaryDirectory() as scratch:
        python = (
            make_environment(Path(scratch) / "peer", *REQUIREMENTS)
            if arguments.venv is None
            else arguments.venv / "bin" / "python"
        )
        versions = versions_in(python, ("openpi-client", "numpy", "msgpack", "websockets"))
        print("codec")
        check_codec(python, checks)
        print("their client, our server")
        check_their_client(python, checks)
        print(f"first inference of {SLOW_S:g} s")
        outcomes = check_slow(python, checks)
    path = record(
        "openpi_peer",
        counts=checks.counts,
        details={"peer_versions": versions, "slow_first_inference": outcomes, "failed": checks.failed},
    )
    return checks.status(path)


if __name__ == "__main__":
    sys.exit(main())
