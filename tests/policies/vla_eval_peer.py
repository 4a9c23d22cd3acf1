"""A vla-eval model server written from the layout of the protocol alone, with nothing of maniguard in it.

`python vla_eval_peer.py '{"answer": "echo", …}'` prints `ready HOST PORT` when it listens.
"""

from __future__ import annotations

import asyncio
import io
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgpack
import numpy as np
from PIL import Image
from websockets.asyncio.server import serve

HERE = Path(__file__).resolve()

IMAGE = {"name": "image", "dims": 0, "format": "rgb_hwc_uint8"}
LANGUAGE = {"name": "language", "dims": 0, "format": "language"}
STATE = {"name": "state", "dims": 0, "format": "joint_positions"}
JOINTS = {"name": "joints", "dims": 7, "format": "joint_position_absolute_rad"}
OPENING = {"name": "gripper", "dims": 1, "format": "opening_01", "range": [0.0, 1.0]}

HELLO: dict[str, Any] = {
    "harness_version": "0.8.0",
    "protocol_version": 1,
    "model_server": "Peer",
    "capabilities": {},
    "action_spec": {"joints": JOINTS, "gripper": OPENING},
    "observation_spec": {"agentview": IMAGE, "wrist": IMAGE, "state": STATE, "language": LANGUAGE},
}


def pack(value: Any) -> Any:
    return {"__ndarray__": True, "data": value.tobytes(), "dtype": value.dtype.str, "shape": list(value.shape)}


def unpack(fields: dict[str, Any]) -> Any:
    if "__image__" in fields:
        return np.array(Image.open(io.BytesIO(fields["data"])))
    if "__ndarray__" in fields:
        return np.frombuffer(fields["data"], fields["dtype"]).reshape(fields["shape"])
    return fields


async def main(settings: dict[str, Any]) -> None:
    answer, rows, seen_log = settings["answer"], settings["rows"], []
    connections = [0]

    async def converse(connection: Any) -> None:
        connections[0] += 1
        task: dict[str, Any] = {}
        step, ends = 0, 0
        async for frame in connection:
            message = msgpack.unpackb(frame, object_hook=unpack)
            assert set(message) == {"type", "payload", "seq", "timestamp"}

            async def reply(kind: str, payload: Any, seq: int = message["seq"]) -> None:
                raw = {"type": kind, "payload": payload, "seq": seq, "timestamp": time.time()}
                await connection.send(msgpack.packb(raw, default=pack))

            kind, payload = message["type"], message["payload"]
            if kind == "hello":
                hello = dict(settings["hello"])
                if answer == "changes-its-mind":
                    hello["model_server"] = f"Peer{connections[0]}"
                await reply("hello", hello)
            elif kind == "episode_start":
                task, step = payload["task"], 0
                seen_log.append("start")
                if answer == "refuses-the-episode":
                    await reply("error", {"error": "episode_start_failed: KeyError: 'suite'"})
            elif kind == "episode_end":
                ends += 1
            elif kind == "observation":
                step += 1
                seen_log.append("observation")
                if settings["first_s"]:
                    time.sleep(settings["first_s"])  # on the event loop: no ping is answered meanwhile
                    settings["first_s"] = 0.0
                if answer == "error-later" and step > 1:
                    await reply("error", {"error": "observation_failed: ValueError: no\nweights"})
                    continue
                if answer == "exit" and step == 3:
                    os._exit(7)
                if answer == "hang" and step == 2:
                    await asyncio.sleep(3600)
                if answer == "garbage" and step == 2:
                    await connection.send(b"\xc1\xc1")
                    continue
                if answer == "text" and step == 2:
                    await connection.send("hello?")
                    continue
                if answer == "no-actions":
                    await reply("action", {"chunk": 3})
                    continue
                if answer == "late" and step == 2:
                    await reply("action", {"actions": np.zeros(8, np.float32)}, message["seq"] - 1)
                    continue
                images = payload.get("images", {})
                row = np.zeros(settings["columns"], np.float32)
                told = [
                    task.get("seed", -1) % 1000,
                    step,
                    ends,
                    connections[0],
                    sum(float(image.mean()) * (index + 1) for index, image in enumerate(images.values())),
                    float(np.sum(payload["state"])) if "state" in payload else -1.0,
                    len(payload["task_description"]),
                    float("state" in payload and bool(np.array_equal(payload["state"], payload["states"]))),
                ]
                row[: len(told)] = told[: len(row)]
                chunk = row if rows == 0 else np.tile(row, (rows, 1))
                await reply("action", {"actions": chunk.tolist() if answer == "list" else chunk})

    async with serve(converse, "127.0.0.1", 0, compression=None, max_size=None, ping_interval=None) as server:
        print("ready", *next(iter(server.sockets)).getsockname()[:2], flush=True)
        await asyncio.get_running_loop().create_future()


@contextmanager
def running(**settings: Any) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """Start a peer, wait until it listens, end it at the end; gives the process and the policy's url."""
    process = subprocess.Popen([sys.executable, str(HERE), json.dumps(settings)], stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        words = process.stdout.readline().split()
        assert words[:1] == ["ready"], f"the peer said {words}"
        yield process, f"vla-eval://{words[1]}:{words[2]}"
    finally:
        process.kill()
        process.wait()
        assert process.stdout is not None
        process.stdout.close()


if __name__ == "__main__":
    defaults: dict[str, Any] = {"answer": "echo", "rows": 0, "columns": 8, "first_s": 0.0, "hello": HELLO}
    asyncio.run(main(defaults | json.loads(sys.argv[1])))
