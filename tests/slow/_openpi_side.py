"""The other side of the group openpi_peer: runs in the peer's environment and knows openpi-client, not maniguard."""

import asyncio
import json
import pathlib
import sys
import time

import numpy as np
from openpi_client import action_chunk_broker, msgpack_numpy, websocket_client_policy
from websockets.asyncio.server import serve


def codec(folder: pathlib.Path) -> None:
    """Re-encode every message of `ours`, and write messages of its own to `theirs`."""
    for path in sorted((folder / "ours").iterdir()):
        decoded = msgpack_numpy.unpackb(path.read_bytes())
        (folder / "back" / path.name).write_bytes(msgpack_numpy.packb(decoded))
    generator = np.random.default_rng(1)
    for index in range(200):
        shape = tuple(int(size) for size in generator.integers(0, 5, generator.integers(0, 4)))
        dtype = ["<f2", "<f4", ">f8", "|b1", "|u1", "<i8", ">i4", "<u2", "<U3"][index % 9]
        array = np.asarray(generator.integers(0, 2, shape)).astype(dtype)
        message = {"a": array, "b": [np.float32(index / 3), np.int16(index), np.bool_(index % 2)], "c": {"d": "text"}}
        (folder / "theirs" / f"{index:04d}").write_bytes(msgpack_numpy.packb(message))


def play(host: str, port: str, folder: pathlib.Path, steps: str) -> None:
    """Drive a server through the client and its chunk broker; keep what came back."""
    policy = websocket_client_policy.WebsocketClientPolicy(host, int(port))
    metadata = policy.get_server_metadata()
    broker = action_chunk_broker.ActionChunkBroker(policy, action_horizon=8)
    actions = [
        broker.infer({"observation/state": np.full(8, step, np.float32) / 100})["actions"] for step in range(int(steps))
    ]
    np.save(folder / "actions.npy", np.stack(actions))
    (folder / "metadata.json").write_text(json.dumps(metadata))


def look(host: str, port: str, folder: pathlib.Path, count: str) -> None:
    """Send images, keep the sums that the other side found."""
    policy = websocket_client_policy.WebsocketClientPolicy(host, int(port))
    generator = np.random.default_rng(2)
    agreed = 0
    for _ in range(int(count)):
        one, two = generator.integers(0, 256, (2, 256, 256, 3)).astype(np.uint8)
        seen = {
            "observation/state": np.zeros(8, np.float32),
            "observation/image": one,
            "observation/wrist_image": two[:, ::-1],
            "prompt": "sum",
        }
        sums = policy.infer(seen)["actions"][0]
        agreed += bool(sums[0] == one.sum() and sums[1] == (two[:, ::-1] * np.arange(256)[None, :, None]).sum())
    (folder / "looked.json").write_text(json.dumps(agreed))


def once(host: str, port: str, folder: pathlib.Path, name: str) -> None:
    """One inference; write down how it ended."""
    policy = websocket_client_policy.WebsocketClientPolicy(host, int(port))
    began = time.monotonic()
    try:
        outcome = str(policy.infer({"observation/state": np.zeros(8, np.float32), "prompt": "x"})["actions"].shape)
    except Exception as error:  # noqa: BLE001 (whatever ends it is the finding)
        outcome = f"{type(error).__name__}: {error}"
    (folder / f"{name}.json").write_text(json.dumps({"outcome": outcome, "after_s": round(time.monotonic() - began)}))


async def blocking_server(block_s: str) -> None:
    """A server in the layout of openpi's: metadata first, inference on the event loop; the first one takes long."""
    blocked: list[float] = []

    async def converse(connection) -> None:
        await connection.send(msgpack_numpy.packb({"reset_pose": [0.0]}))
        async for message in connection:
            observation = msgpack_numpy.unpackb(message)
            if not blocked:
                blocked.append(float(block_s))
                time.sleep(float(block_s))
            actions = np.repeat(observation["observation/state"][None], 10, axis=0)
            await connection.send(msgpack_numpy.packb({"actions": actions, "policy_timing": {"infer_ms": 1.0}}))

    async with serve(converse, "127.0.0.1", 0, compression=None, max_size=None) as server:
        print(*next(iter(server.sockets)).getsockname()[:2], flush=True)
        await asyncio.get_running_loop().create_future()


if __name__ == "__main__":
    command, *rest = sys.argv[1:]
    if command == "serve":
        asyncio.run(blocking_server(*rest))
    elif command == "codec":
        codec(pathlib.Path(rest[0]))
    else:
        {"play": play, "look": look, "once": once}[command](rest[0], rest[1], pathlib.Path(rest[2]), rest[3])
