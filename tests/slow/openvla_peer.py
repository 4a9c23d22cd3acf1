"""Our OpenVLA client agrees with json-numpy from PyPI, and with a FastAPI server that uses it as the published one.

Both are the libraries of OpenVLA's own server; its weights are not run. The environment is built from the package
index, or taken from --venv.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
from _evidence import record
from _peer import Checks, make_environment, versions_in

from maniguard.policies import resolve
from maniguard.policies.contract import view
from maniguard.policies.wire.json_numpy import from_json, to_json
from maniguard.rollout import PolicyFault

SIDE = Path(__file__).with_name("_openvla_side.py")
REQUIREMENTS = ("json-numpy==2.1.1", "fastapi", "uvicorn")
DTYPES = ("<f2", "<f4", ">f8", "|b1", "|u1", "<i8", ">i4", "<u2")


def same(a: np.ndarray, b: np.ndarray) -> bool:
    return a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()


def check_codec(python: Path, checks: Checks) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for part in ("ours", "back", "theirs"):
            (folder / part).mkdir()
        generator = np.random.default_rng(0)
        arrays = []
        for index in range(200):
            # From one dimension on: json-numpy gives back a number for an array without any.
            shape = tuple(int(size) for size in generator.integers(0, 5, generator.integers(1, 4)))
            arrays.append(np.asarray(generator.integers(0, 2, shape)).astype(DTYPES[index % 8]))
            (folder / "ours" / f"{index:04d}").write_text(json.dumps({"a": to_json(arrays[-1])}))
        subprocess.run([python, SIDE, "codec", folder], check=True)
        for index, array in enumerate(arrays):
            back = (folder / "back" / f"{index:04d}").read_text()
            held = json.loads(back) == {"a": to_json(array)} and same(from_json(back.encode())["a"], array)
            checks.add("codec_ours_to_theirs", str(index), held)
        for path in sorted((folder / "theirs").iterdir()):
            message = path.read_text()
            read = from_json(message.encode())
            again = {"a": to_json(read["a"]), "b": [to_json(read["b"][0]), *read["b"][1:]]}
            checks.add("codec_theirs_to_ours", path.name, again == json.loads(message))


def check_server(python: Path, checks: Checks) -> None:
    server = subprocess.Popen([python, SIDE, "serve"], stdout=subprocess.PIPE, text=True)
    try:
        host, port = server.stdout.readline().split()
        policy = resolve(f"http://{host}:{port}/act?preset=openvla-bridge")()
        action = policy.contract.action
        checks.add("contract", str(action), (action.horizon, action.dims) == (1, 7))
        state = np.zeros(8, np.float32)
        generator = np.random.default_rng(2)
        weights = np.arange(256)[None, :, None]
        for index in range(50):
            image = generator.integers(0, 256, (256, 256, 3)).astype(np.uint8)
            prompt = "x" * index
            seen = view(policy.contract, {"image": image, "prompt": prompt, "observation/state": state})
            told = [image.sum() / 1e9, (image * weights).sum() / 1e12, index / 1e3, len("bridge_orig") / 1e3]
            checks.add("served_images", str(index), policy.infer(seen).tolist() == [[*told, 0.0, 0.0, 1.0]])
        try:
            policy.infer(seen | {"instruction": "fail"})
            outcome = "no error"
        except PolicyFault as error:
            outcome = str(error)
        checks.add("error_text", outcome, "reported an error: 'error'" in outcome)
    finally:
        server.terminate()
        server.wait()
        server.stdout.close()


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--venv", type=Path, help="an environment that holds the peer already")
    arguments = parser.parse_args()
    checks = Checks()
    with tempfile.TemporaryDirectory() as scratch:
        python = (
            make_environment(Path(scratch) / "peer", *REQUIREMENTS)
            if arguments.venv is None
            else arguments.venv / "bin" / "python"
        )
        versions = versions_in(python, ("json-numpy", "numpy", "fastapi", "starlette", "uvicorn"))
        print("codec")
        check_codec(python, checks)
        print("our client, their server")
        check_server(python, checks)
    path = record("openvla_peer", counts=checks.counts, details={"peer_versions": versions, "failed": checks.failed})
    return checks.status(path)


if __name__ == "__main__":
    sys.exit(main())
