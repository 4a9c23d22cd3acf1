"""The other end of the wire, run as a process of its own: `python peers.py KIND …`; also the policies that tests serve.

Prints one line `ready HOST PORT` when it listens.
"""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgpack
import numpy as np
from websockets.asyncio.server import serve as listen

from maniguard.policies import PROMPT, STATE, ActionSpec, PolicyContract, image
from maniguard.policies.server import serve

HERE = Path(__file__).resolve()


class Echo:
    """Returns what it saw in its actions, so that both ends can be compared; misbehaves when told to."""

    contract = PolicyContract("echo", (STATE, PROMPT), ActionSpec(horizon=4), executed_steps=2, deterministic=True)

    def __init__(self, first_s: float = 0.0, fail: str = "", privileged: bool = False, stateless: bool = False) -> None:
        self.first_s, self.fail = first_s, fail
        if privileged or stateless:
            self.contract = PolicyContract(
                "echo", (STATE, PROMPT), ActionSpec(4), 2, True, privileged=privileged, stateless=stateless
            )
        self.seed, self.instruction, self.asked, self.resets = -1, "", 0, 0

    def reset(self, *, seed: int, instruction: str) -> None:
        self.seed, self.instruction, self.asked = seed, instruction, 0
        self.resets += 1

    def infer(self, observation: Mapping[str, Any]) -> Any:
        """Row 0 the state; row 1: seed, length of instruction, requests since reset, pid, length of prompt, resets."""
        self.asked += 1
        if self.first_s:
            print("inferring", flush=True)
            time.sleep(self.first_s)
            self.first_s = 0.0
        if self.fail == "raise":
            raise ValueError("the weights are gone")
        if self.fail == "none":
            return None
        if self.fail == "object":
            return np.array([object()])
        if self.fail == "nan":
            return np.full((4, 8), np.nan)
        if self.fail == "shape":
            return np.zeros((4, 7))
        if self.fail == "exit" and self.asked == 2:
            os._exit(7)
        if self.fail == "exit-at-first":
            os._exit(7)
        if self.fail == "write":
            observation["observation/state"][0] = 1.0
        chunk = np.zeros((4, 8))
        chunk[0] = observation["observation/state"]
        told = [self.seed, len(self.instruction), self.asked, os.getpid(), len(observation["prompt"]), self.resets]
        chunk[1, :6] = told
        return chunk

    def close(self) -> None:
        pass


class SlowToLoad(Echo):
    """Takes a while to construct, and says that it has begun."""

    def __init__(self) -> None:
        super().__init__()
        print("loading", flush=True)
        time.sleep(1.5)


class Looker(Echo):
    """Wants two images."""

    contract = PolicyContract(
        "looker",
        (STATE, image("observation/image", "overview"), image("observation/wrist_image", "wrist"), PROMPT),
        ActionSpec(horizon=10),
        executed_steps=5,
        deterministic=True,
        stateless=True,
    )

    def infer(self, observation: Mapping[str, Any]) -> Any:
        return np.full((10, 8), float(observation["observation/image"].mean()))


class Gate(Echo):
    """Stateless; its first inference waits until there is a file `path`, and says that it waits.

    Answers how many inferences there were before, the batch's size, and what the state's first number was.
    """

    def __init__(self, path: str = "", fail: str = "") -> None:
        super().__init__(fail=fail, stateless=True)
        self.path, self.answered = path, 0

    def infer_batch(self, observations: Any) -> Any:
        if self.path and not self.answered:
            print("inferring", flush=True)
            while not Path(self.path).exists():
                time.sleep(0.01)
        if self.fail == "few":
            return []
        if self.fail == "raise" and len(observations) > 1:
            raise ValueError("the weights are gone")
        chunks = np.zeros((len(observations), 4, 8))
        for index, seen in enumerate(observations):
            chunks[index, 0, :3] = self.answered + index, len(observations), seen["observation/state"][0]
        self.answered += len(observations)
        return list(chunks)

    def infer(self, observation: Mapping[str, Any]) -> Any:
        return self.infer_batch([observation])[0]


def serve_ours(spec: str, port: str, **options: Any) -> None:
    serve(spec, port=int(port), ready=lambda host, port: print("ready", host, port, flush=True), **options)


# --- a server written from the layout of the openpi protocol alone, with nothing of maniguard in it ---


def _pack(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return {
            b"__ndarray__": True,
            b"data": value.tobytes(),
            b"dtype": value.dtype.str,
            b"shape": value.shape,
        }
    raise TypeError(type(value))


def _unpack(fields: dict[Any, Any]) -> Any:
    if b"__ndarray__" in fields:
        return np.ndarray(buffer=fields[b"data"], dtype=np.dtype(fields[b"dtype"]), shape=fields[b"shape"])
    return fields


async def _plain_server(port: int, block_s: float, columns: int, answer: str, metadata: Any) -> None:
    state = {"block_s": block_s, "asked": 0}

    async def converse(connection: Any) -> None:
        await connection.send(metadata if isinstance(metadata, str) else msgpack.packb(metadata, default=_pack))
        async for message in connection:
            state["asked"] += 1
            observation = msgpack.unpackb(message, object_hook=_unpack)
            time.sleep(
                state["block_s"]
            )  # on the event loop, as servers in the field do it: no ping is answered meanwhile
            state["block_s"] = 0.0
            if answer == "traceback":
                await connection.send("Traceback (most recent call last):\n  File x\nRuntimeError: out of memory\n")
                await connection.close(1011, "Internal server error")
                return
            if answer == "no-actions":
                await connection.send(msgpack.packb({"state": 1}))
                continue
            if answer == "garbage":
                await connection.send(b"\xc1\xc1")
                continue
            if answer == "hang-after-probe" and state["asked"] > 1:
                await asyncio.sleep(3600)
            actions = np.zeros((10, columns), np.float32)
            actions[:, 0] = len(observation)
            actions[:, 1] = state["asked"]
            await connection.send(
                msgpack.packb({"actions": actions, "server_timing": {"infer_ms": 1.0}}, default=_pack)
            )

    async with listen(converse, "127.0.0.1", port, compression=None, max_size=None, ping_interval=None) as server:
        print("ready", *next(iter(server.sockets)).getsockname()[:2], flush=True)
        await asyncio.get_running_loop().create_future()


# --- starting one ---


class Peer:
    def __init__(self, process: subprocess.Popen[str], host: str, port: int) -> None:
        self.process, self.host, self.port = process, host, port

    @property
    def url(self) -> str:
        return f"openpi://{self.host}:{self.port}"

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()


@contextmanager
def running(*arguments: str) -> Iterator[Peer]:
    """Start `python peers.py ARGUMENTS`, wait until it listens, end it at the end."""
    process = subprocess.Popen([sys.executable, str(HERE), *arguments], stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        words = process.stdout.readline().split()
        assert words[:1] == ["ready"], f"the peer said {words}"
        yield Peer(process, words[1], int(words[2]))
    finally:
        process.kill()
        process.wait()
        assert process.stdout is not None
        process.stdout.close()


def echo(**arguments: Any) -> str:
    """Return the policy spec of an Echo with these arguments."""
    query = "&".join(f"{key}={json.dumps(value)}" for key, value in arguments.items())
    return f"{HERE}:Echo" + (f"?{query}" if query else "")


if __name__ == "__main__":
    if sys.argv[1] == "serve":
        serve_ours(sys.argv[2], sys.argv[3] if len(sys.argv) > 3 else "0", **json.loads((sys.argv[4:] or ["{}"])[0]))
    else:
        settings = {"block_s": 0.0, "columns": 8, "answer": "", "metadata": {"reset_pose": [0.0]}, "port": 0}
        asyncio.run(_plain_server(**(settings | json.loads((sys.argv[2:] or ["{}"])[0]))))
