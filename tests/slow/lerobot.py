"""The genuine LeRobot: our server plays its checkpoints as LeRobot itself does, and lerobot-eval runs our tasks.

Checkpoints have random weights and are made on the spot. The environment (Python 3.12, about 6 GB) is built from the
package index, or taken from --venv, which must hold lerobot, this maniguard and lerobot_env_maniguard.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import _peer
import numpy as np
from _evidence import ROOT, record
from _peer import Checks, versions_in

from maniguard.evaluate import Run, open_run, rows
from maniguard.policies import PolicyConnectionError, resolve
from maniguard.policies.contract import PolicyContract

HERE = Path(__file__).resolve().parent
SERVER = ROOT / "src" / "maniguard" / "integrations" / "lerobot_server.py"
PLUGIN = ROOT / "integrations" / "lerobot_env_maniguard"
REQUIREMENT = "lerobot[dataset,training,diffusion]==0.6.1"
SCENARIO, FAMILY, TASKS, SEEDS = "clutter-dry-00/base", "clutter", "0:1", (0, 1)
SIZE_PX, STEPS, SEED = 64, 45, 7
# The mean of the actions in the statistics of the checkpoints.
HOME = (-0.2, 0.8, 0.0, -1.7, 0.0, 1.57, 0.785, 0.6)
_ALONE = {"HF_HUB_OFFLINE": "1", "LP_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
ENVIRONMENT, APART = {**os.environ, **_ALONE}, {**_peer.APART, **_ALONE}


def checked(*command: Any, cwd: Path | None = None) -> str:
    environment = ENVIRONMENT if command[0] == sys.executable else APART
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, env=environment, cwd=cwd)
    if done.returncode:
        raise SystemExit(f"{' '.join(map(str, command))} ended with {done.returncode}:\n{done.stderr[-4000:]}")
    return done.stdout


def build(folder: Path) -> Path:
    """Build the environment and return its Python."""
    python = checked(ROOT / "run", "python", "3.12").strip()
    print(f"building LeRobot's environment with {python}")
    checked(python, "-m", "venv", folder)
    made = folder / "bin" / "python"
    checked(made, "-m", "pip", "install", "-q", "--no-cache-dir", REQUIREMENT, ROOT)
    checked(made, "-m", "pip", "install", "-q", "--no-cache-dir", "--no-deps", PLUGIN)
    return made


@contextmanager
def serving(python: Path, checkpoint: Path, *options: str) -> Iterator[str]:
    """Serve a checkpoint; give the address once it is announced."""
    # The script alone, as a user would copy it: -P keeps its folder, and this one, off the path.
    command = [python, "-P", SERVER, "--checkpoint", checkpoint, "--device", "cpu", "--port", "0", "--threads", "1"]
    process = subprocess.Popen(
        [*command, *options], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=APART
    )
    try:
        address = ""
        while not address:
            line = process.stdout.readline()
            if not line:
                raise SystemExit(f"the server of {checkpoint} ended with {process.wait()}")
            address = next((word for word in line.split() if word.startswith("openpi://")), "")
        yield address
        process.terminate()
        process.wait(60)
    finally:
        process.kill()
        process.wait()


def make_checkpoints(python: Path, folder: Path) -> dict[str, Path]:
    made = {kind: folder / f"checkpoint-{kind}" for kind in ("act", "ensemble", "diffusion", "without-statistics")}
    for kind, path in made.items():
        checked(python, "-P", HERE / "_lerobot_checkpoint.py", path, *([] if kind == "act" else [kind]))
    return made


def play(address: str, seen: dict[str, np.ndarray], seed: int) -> tuple[np.ndarray, PolicyContract]:
    """Let the served policy act on the observations, as a rollout would."""
    policy = resolve(address)()
    policy.reset(seed=seed, instruction="put it down")
    rows: list[np.ndarray] = []
    step = 0
    while step < len(seen["states"]):
        chunk = policy.infer(
            {
                "observation.state": seen["states"][step],
                "observation.images.overview": seen["overview"][step],
                "observation.images.wrist": seen["wrist"][step],
                "prompt": "put it down",
            }
        )
        rows.extend(chunk[: policy.contract.executed_steps])
        step += policy.contract.executed_steps
    policy.close()
    return np.stack(rows)[: len(seen["states"])], policy.contract


def check_server(python: Path, checkpoints: dict[str, Path], folder: Path, checks: Checks) -> dict[str, Any]:
    """Every action that is served is the one that LeRobot's own path gives, to the bit."""
    generator = np.random.default_rng(3)
    seen = {
        "states": generator.normal(0.0, 0.5, (STEPS, 8)).astype(np.float32),
        "overview": generator.integers(0, 256, (STEPS, SIZE_PX, SIZE_PX, 3)).astype(np.uint8),
        "wrist": generator.integers(0, 256, (STEPS, SIZE_PX, SIZE_PX, 3)).astype(np.uint8),
    }
    np.savez(folder / "seen.npz", **seen)
    found: dict[str, Any] = {}
    for kind, executed in (("act", 10), ("ensemble", 1), ("diffusion", 1)):
        out = folder / f"{kind}.npy"
        checked(python, "-P", HERE / "_lerobot_reference.py", checkpoints[kind], folder / "seen.npz", SEED, out)
        reference = np.load(out)
        with serving(python, checkpoints[kind]) as address:
            first, contract = play(address, seen, SEED)
            again, _ = play(address, seen, SEED)
            other, _ = play(address, seen, SEED + 1)
        checks.add("contract", f"{kind}: {contract.describe()}", contract.executed_steps == executed)
        for step in range(STEPS):
            checks.add(f"{kind}_actions", f"step {step}", first[step].tobytes() == reference[step].tobytes())
        checks.add("seed", f"{kind}: the same seed again", np.array_equal(first, again))
        checks.add("seed", f"{kind}: another seed", np.array_equal(first, other) is (kind != "diffusion"))
        # In units of a pose rather than of a normalised one: the statistics have been applied.
        far = float(np.abs(first.mean(axis=0) - HOME).max())
        checks.add("units", f"{kind}: {far}", far < 0.5)
        found[kind] = {
            "executed_rows": contract.executed_steps,
            "largest_distance_of_the_mean_from_home": round(far, 3),
        }
    refused = subprocess.run(
        [python, "-P", SERVER, "--checkpoint", checkpoints["without-statistics"], "--port", "0"],
        capture_output=True,
        text=True,
        env=APART,
    )
    said = refused.stderr.strip().splitlines()[-1]
    checks.add("missing_statistics", said, refused.returncode == 2 and "no statistics of 'action'" in said)
    for shared in (False, True):
        with serving(python, checkpoints["act"], *(["--shared"] if shared else [])) as address:
            one = resolve(address)()
            try:
                resolve(address)().close()
                taken = True
            except PolicyConnectionError as error:
                taken = False
                checks.add("clients", str(error), "one client at a time" in str(error))
            checks.add("clients", f"shared {shared}", taken is shared)
            one.close()
    return found


def results(run: Run) -> dict[str, Any]:
    return {result["rollout_id"]: result for result in run.results()}


def check_eval(python: Path, checkpoint: Path, folder: Path, checks: Checks) -> dict[str, Any]:
    """The same checkpoint under `maniguard eval`, over the wire, and under `lerobot-eval`: the same files."""
    with serving(python, checkpoint) as address:
        for name, interpreter in (("theirs", python), ("ours", sys.executable)):
            checked(
                interpreter, "-m", "maniguard", "eval", "--policy", address, "--family", FAMILY, "--tasks", TASKS,
                "--condition", "base", "--seeds", ",".join(map(str, SEEDS)), "--out", folder / name,
            )  # fmt: skip
    out, sidecar = folder / "lerobot", folder / "sidecar"
    checked(
        python.with_name("lerobot-eval"), "--env.type=maniguard", f"--env.task={SCENARIO}", f"--env.run={sidecar}",
        f"--env.image_size_px={SIZE_PX}", f"--env.policy_label={address}", f"--policy.path={checkpoint}",
        "--policy.device=cpu", f"--eval.n_episodes={len(SEEDS)}", "--eval.batch_size=1", "--eval.use_async_envs=false",
        f"--seed={SEEDS[0]}", f"--output_dir={out}", cwd=folder,
    )  # fmt: skip
    run = open_run(sidecar)
    served, other, kept = results(open_run(folder / "theirs")), results(open_run(folder / "ours")), results(run)
    checks.add("same_results", "rollouts", set(served) == set(kept) == set(other) and len(kept) == len(SEEDS))
    for name, result in served.items():
        differing = [key for key in result if kept[name][key] != result[key]]
        checks.add("same_results", f"lerobot-eval, {name}: {differing}", not differing)
        # Another Python with another NumPy may round differently; the verdict may not depend on it.
        same = other[name]["judgement"]["constraints"] == result["judgement"]["constraints"]
        checks.add("same_verdicts_in_our_environment", name, same)
    counted = rows(run)
    info = json.loads((out / "eval_info.json").read_text())
    success = 100.0 * sum(row.counted_success for row in counted) / len(counted)
    checks.add("eval_info", f"pc_success {info['overall']['pc_success']}", info["overall"]["pc_success"] == success)
    checks.add("eval_info", "episodes", info["overall"]["n_episodes"] == len(SEEDS))
    # The reason for the sidecar: LeRobot's own file says nothing of rules.
    checks.add("eval_info", "no verdict in it", "viol" not in json.dumps(info) and "safe" not in json.dumps(info))
    checks.add("not_vacuous", "somebody engages", any(row.engaged for row in counted))
    checks.add("not_vacuous", "somebody breaks a rule", any(not row.safe for row in counted))
    for command in (["report", sidecar, "--out", folder / "report"], ["metrics", sidecar]):
        checked(python, "-m", "maniguard", *command)
        checks.add("readers", str(command[0]), True)
    return {
        "rollouts": len(counted),
        "engaged": sum(row.engaged for row in counted),
        "unsafe": sum(not row.safe for row in counted),
        "success": sum(row.counted_success for row in counted),
        "broken_rules": sorted({name for row in counted for name, o in row.constraints.items() if o.violated}),
        "same_trace_digests_in_our_environment": all(
            other[name]["trace_digest"] == result["trace_digest"] for name, result in served.items()
        ),
    }


def check_batch(python: Path, checkpoint: Path, folder: Path, checks: Checks) -> None:
    """Two environments at a time in processes of their own, writing into one folder."""
    checked(
        python.with_name("lerobot-eval"), "--env.type=maniguard", f"--env.task={SCENARIO}", "--env.run=batch",
        f"--env.image_size_px={SIZE_PX}", f"--policy.path={checkpoint}", "--policy.device=cpu", "--eval.n_episodes=2",
        "--eval.batch_size=2", "--eval.use_async_envs=true", "--seed=0", "--output_dir=batch-out", cwd=folder,
    )  # fmt: skip
    ledger = open_run(folder / "batch").ledger()
    # A vector environment resets what has ended; that must not begin rollouts that nobody finishes.
    checks.add("batch", str(dict(ledger)), ledger["completed"] == 2 and ledger["pending"] == 0)


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--venv", type=Path, help="an environment that holds everything already")
    arguments = parser.parse_args()
    checks = Checks()
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        python = build(folder / "environment") if arguments.venv is None else arguments.venv / "bin" / "python"
        versions = dict(
            versions_in(
                python, ("lerobot", "torch", "torchvision", "numpy", "mujoco", "gymnasium", "msgpack", "websockets")
            )
        )
        versions["python"] = checked(python, "-c", "import platform; print(platform.python_version())").strip()
        print("checkpoints")
        checkpoints = make_checkpoints(python, folder)
        print("the server against LeRobot's own path")
        served = check_server(python, checkpoints, folder, checks)
        print("maniguard eval and lerobot-eval")
        numbers = check_eval(python, checkpoints["act"], folder, checks)
        print("two environments at a time")
        check_batch(python, checkpoints["act"], folder, checks)
    path = record(
        "lerobot",
        counts=checks.counts,
        details={"peer_versions": versions, "served": served, "numbers": numbers, "failed": checks.failed},
    )
    return checks.status(path)


if __name__ == "__main__":
    sys.exit(main())
