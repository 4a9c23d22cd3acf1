"""Round trip of one inference with two 256 x 256 images over loopback: client and server in separate processes.

    python benchmarks/websocket_roundtrip.py [--requests 500] [--out benchmarks/results/websocket_roundtrip.json]

The served policy does nothing, so the whole time is the protocol's: encode, send, decode, check, answer, decode. A
bare echo of the same number of bytes over a plain socket is measured in the same run, for scale.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

import msgpack
import numpy as np
import websockets

from maniguard.policies import DEFAULT_OBSERVATIONS, ActionSpec, PolicyContract, resolve
from maniguard.policies.server import serve
from maniguard.policies.wire.codec import encode

HERE = Path(__file__).resolve()


class Still:
    contract = PolicyContract("still", DEFAULT_OBSERVATIONS, ActionSpec(horizon=10), 10, True)

    def reset(self, *, seed: int, instruction: str) -> None:
        self.chunk = np.zeros((10, 8), np.float32)

    def infer(self, observation):
        return self.chunk

    def close(self) -> None: ...


def observation() -> dict[str, object]:
    pixels = np.random.Generator(np.random.PCG64(0)).integers(0, 256, (2, 256, 256, 3), np.uint8)
    return {
        "observation/state": np.zeros(8, np.float32),
        "observation/image": pixels[0],
        "observation/wrist_image": pixels[1],
        "prompt": "put the mug on the board",
    }


def milliseconds(call, count: int) -> np.ndarray:
    taken = np.empty(count)
    for index in range(count):
        started = time.perf_counter()
        call()
        taken[index] = time.perf_counter() - started
    return taken * 1e3


def summary(taken_ms: np.ndarray) -> dict[str, float]:
    low, middle, high = np.percentile(taken_ms, [5, 50, 95])
    return {"median_ms": round(middle, 3), "p5_ms": round(low, 3), "p95_ms": round(high, 3)}


def websocket(count: int) -> np.ndarray:
    server = subprocess.Popen([sys.executable, str(HERE), "--serve"], stdout=subprocess.PIPE, text=True)
    try:
        assert server.stdout is not None
        host, port = server.stdout.readline().split()
        policy, seen = resolve(f"openpi://{host}:{port}")(), observation()
        policy.reset(seed=0, instruction="")
        milliseconds(lambda: policy.infer(seen), 20)
        taken = milliseconds(lambda: policy.infer(seen), count)
        policy.close()
        return taken
    finally:
        server.terminate()
        server.wait()


def bare_socket(count: int, size: int) -> np.ndarray:
    def answer(listener: socket.socket) -> None:
        connection, _ = listener.accept()
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        with connection:
            while True:
                got = 0
                while got < size:
                    part = connection.recv(1 << 20)
                    if not part:
                        return
                    got += len(part)
                connection.sendall(bytes(512))

    with socket.create_server(("127.0.0.1", 0)) as listener:
        threading.Thread(target=answer, args=(listener,), daemon=True).start()
        with socket.create_connection(listener.getsockname()) as connection:
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

            def call() -> None:
                connection.sendall(bytes(size))
                got = 0
                while got < 512:
                    got += len(connection.recv(512))

            milliseconds(call, 20)
            return milliseconds(call, count)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--requests", type=int, default=500)
    parser.add_argument("--out", type=Path, default=HERE.parent / "results" / "websocket_roundtrip.json")
    parser.add_argument("--serve", action="store_true", help="be the server (used by the benchmark itself)")
    arguments = parser.parse_args()
    if arguments.serve:
        serve(Still, port=0, ready=lambda host, port: print(host, port, flush=True))
        return
    seen = observation()
    size = len(encode(seen))
    result = {
        "benchmark": "websocket_roundtrip",
        "requests": arguments.requests,
        "message_bytes": size,
        "websocket": summary(websocket(arguments.requests)),
        "encode_only": summary(milliseconds(lambda: encode(seen), arguments.requests)),
        "bare_socket_same_bytes": summary(bare_socket(arguments.requests, size)),
        "target_median_ms": 3.0,
        "load_average_1min": round(os.getloadavg()[0], 2),
        "cores": os.cpu_count(),
        "machine": platform.machine(),
        "python": platform.python_version(),
        "versions": {
            "websockets": websockets.__version__,
            "msgpack": ".".join(map(str, msgpack.version)),
            "numpy": np.__version__,
        },
    }
    arguments.out.parent.mkdir(parents=True, exist_ok=True)
    arguments.out.write_text(json.dumps(result, indent=2) + "\n")
    print(json.dumps(result, indent=2))


if __name__ == "__main__":
    main()
