"""Runs the LeRobot server on a checkpoint that needs neither LeRobot nor torch: `python lerobot_peer.py [shared]`.

Prints the server's own line when it listens.
"""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from maniguard.integrations import lerobot_server

INPUTS = {
    "observation.state": ("STATE", (8,)),
    "observation.images.top": ("VISUAL", (3, 32, 32)),
    "observation.images.wrist": ("VISUAL", (3, 32, 32)),
}


class Randomness:
    """A generator of its own for each client, in the place of torch's."""

    log: list[str] = []  # noqa: RUF012

    def __init__(self, seed: int) -> None:
        self.seed, self.taken = seed, 0

    def take(self) -> None:
        self.taken += 1
        FakeCheckpoint.present = self

    def keep(self) -> None:
        FakeCheckpoint.present = None


class FakeCheckpoint:
    every_step = False
    present: Any = None
    resets = 0
    contract = lerobot_server.contract_of(
        "lerobot fake", INPUTS, 8, 4, {"observation.images.top": "overview", "observation.images.wrist": "wrist"}
    )

    def reset(self) -> None:
        self.resets += 1

    def infer(self, observation: dict[str, Any]) -> np.ndarray:
        if observation["prompt"] == "fail":
            raise ValueError("the weights\nare gone")
        rows = np.zeros((4, 8), np.float32)
        rows[:, 0] = observation["observation.state"].sum()
        rows[:, 1] = observation["observation.images.top"].mean()
        rows[:, 2:5] = self.present.seed % 1000, self.present.taken, self.resets
        return rows


@contextmanager
def running(*options: str) -> Iterator[str]:
    """Start a peer in a process of its own; give its address."""
    command = [sys.executable, str(Path(__file__).resolve()), *options]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        yield next(word for word in process.stdout.readline().split() if word.startswith("openpi://"))
    finally:
        process.terminate()
        status = process.wait(30)
        process.stdout.close()
    assert status == 0


if __name__ == "__main__":
    server = lerobot_server.Server(FakeCheckpoint(), shared="shared" in sys.argv, randomness=Randomness)
    asyncio.run(lerobot_server.run(server, "127.0.0.1", 0))
