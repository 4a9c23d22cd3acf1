"""An openpi policy server that fails on purpose: `python faulty_server.py PORT FAULT [AT ...]`.

Its policy swings the joints by the observation alone, so that any two servers answer alike. Requests are counted from
1 over all clients; at those numbered AT the fault happens: `hang` (never answers), `late` (answers after 3 s), `slow`
(answers after 0.3 s), `nan`, `shape`, `nothing`, `drop` (the socket is reset), `die` (SIGKILL). With `drop-every N`
every N-th request is dropped; with `random SEED` one in about 300 fails in one way or another, drawn by seed and
number. Prints `HOST PORT` when it listens.
"""

from __future__ import annotations

import logging
import os
import signal
import socket
import struct
import sys
import threading
import time

import numpy as np
from websockets.sync.server import ServerConnection, serve

from maniguard.policies import PROMPT, STATE, ActionSpec, PolicyContract
from maniguard.policies.wire.codec import decode, encode

CONTRACT = PolicyContract("swing", (STATE, PROMPT), ActionSpec(4), 4, True, stateless=True)
LATE_S, SLOW_S = 3.0, 0.3
# Cumulative shares of the requests that fail.
RANDOM = (("drop", 0.002), ("late", 0.0024), ("hang", 0.0026), ("nan", 0.0028), ("shape", 0.003), ("slow", 0.0035))


class Faulty:
    """Counts requests and answers them, well or ill."""

    def __init__(self, fault: str, at: list[int]) -> None:
        self.fault, self.at = fault, at
        self.count, self.lock = 0, threading.Lock()

    def converse(self, connection: ServerConnection) -> None:
        connection.send(encode({"maniguard": {"contract": CONTRACT.to_dict()}}))
        for message in connection:
            observation = decode(message)
            with self.lock:
                self.count += 1
                number = self.count
            fault = self.fault_of(number)
            if not self.strike(connection, fault):
                return
            connection.send(encode({"actions": answer(swing(observation), fault)}))

    def fault_of(self, number: int) -> str:
        """Return what goes wrong with a request, nothing for most."""
        if self.fault == "random":
            draw = np.random.default_rng([self.at[0], number]).random()
            return next((name for name, limit in RANDOM if draw < limit), "")
        if self.fault == "drop-every":
            return "drop" if number % self.at[0] == 0 else ""
        return self.fault if number in self.at else ""

    def strike(self, connection: ServerConnection, fault: str) -> bool:
        """Do what has to be done before answering; False where there is nobody left to answer."""
        if fault == "hang":
            time.sleep(3600)
        elif fault == "late":
            time.sleep(LATE_S)
        elif fault == "slow":
            time.sleep(SLOW_S)
        elif fault == "die":
            os.kill(os.getpid(), signal.SIGKILL)
        elif fault == "drop":
            # A reset and not a goodbye, as from a router that has forgotten the connection.
            connection.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            connection.socket.shutdown(socket.SHUT_RDWR)
            return False
        return True


def swing(observation: dict) -> np.ndarray:
    state = observation["observation/state"].astype(np.float64)
    rows = state + 0.02 * np.sin(7.0 * state + 0.5 * np.arange(1, 5)[:, None])
    rows[:, 7] = np.clip(rows[:, 7], 0.0, 1.0)
    return rows


def answer(chunk: np.ndarray, fault: str) -> np.ndarray | None:
    if fault == "nan":
        chunk[0, 3] = np.nan
    elif fault == "shape":
        return chunk[:, :7]
    elif fault == "nothing":
        return None
    return chunk


def main() -> None:
    port, fault, *at = sys.argv[1:]
    # Clients that hang up are what this server is about.
    logging.getLogger("websockets").setLevel(logging.CRITICAL)
    faulty = Faulty(fault, [int(number) for number in at])
    with serve(faulty.converse, "127.0.0.1", int(port), compression=None, ping_interval=None) as server:
        print(*server.socket.getsockname()[:2], flush=True)
        server.serve_forever()


if __name__ == "__main__":
    main()
