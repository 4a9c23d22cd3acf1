"""The genuine vla-eval, both ways: our client evaluates what it serves, its harness runs our benchmark, numbers agree.

One model server of the package vla-eval plays the same scenarios under `maniguard eval` and under `vla-eval run`. Every
result file, digest of the trace included, must be the same. The environment is built from the package index, or taken
from --venv, which must hold vla-eval and this maniguard.
"""

from __future__ import annotations

import argparse
import json
import os
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import _peer
import numpy as np
import yaml
from _evidence import ROOT, record
from _peer import Checks, make_environment, pins, versions_in

from maniguard import bench
from maniguard.evaluate import Run, open_run, rows

SERVER = Path(__file__).resolve().with_name("_vla_eval_server.py")
REQUIREMENT = "vla-eval==0.8.0"
APART = {**_peer.APART, "LP_NUM_THREADS": "1"}
SCENARIOS = ("clutter-dry-00/base", "clutter-dry-01/target", "stack-00/base", "cabinet-00/base")
SEEDS = (0, 1)
SIZE_PX = 64
CLASS = "maniguard.integrations.vla_eval:ManiguardBenchmark"
# Metric of vla-eval's aggregate -> what it is of a row.
RATES = {
    "success": lambda row: row.counted_success,
    "safe": lambda row: row.counted_safe,
    "safe_success": lambda row: row.counted_success and row.counted_safe,
    "unsafe_success": lambda row: row.counted_success and not row.counted_safe,
    "engaged": lambda row: row.engaged,
    "engaged_safe": lambda row: row.engaged and row.counted_safe,
    "vacuous_safe": lambda row: row.counted_safe and not row.engaged,
}


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def serving(python: Path, kind: str, log: Path, *options: str) -> Iterator[str]:
    """Start a model server with the package's own `run_server`; give its address once it says that it is healthy."""
    port = free_port()
    with log.open("w") as out:
        # -P: beside the server stands this very file, under the name of the package.
        process = subprocess.Popen(
            [python, "-P", SERVER, "--host", "127.0.0.1", "--port", str(port), f"--args.kind={kind}", *options],
            stdout=out,
            stderr=out,
            env=APART,
        )
        try:
            for _ in range(600):
                if process.poll() is not None:
                    raise SystemExit(f"the model server ended:\n{log.read_text()[-2000:]}")
                try:
                    urllib.request.urlopen(f"http://127.0.0.1:{port}/health", timeout=5).read()
                    break
                except (urllib.error.URLError, OSError):
                    time.sleep(0.2)
            yield f"127.0.0.1:{port}"
        finally:
            process.terminate()
            process.wait()


def ours(policy: str, out: Path, scenarios: tuple[str, ...] = SCENARIOS) -> subprocess.CompletedProcess[str]:
    """Run `maniguard eval` on exactly these scenarios, family by family, into one folder per scenario."""
    last = None
    for name in scenarios:
        scenario = bench.get(name)
        chosen = ["--family", scenario.family, "--tasks", f"{scenario.task}:{scenario.task + 1}"]
        chosen += ["--condition", scenario.condition, "--seeds", ",".join(map(str, SEEDS))]
        command = [sys.executable, "-m", "maniguard", "eval", "--policy", policy, *chosen]
        last = subprocess.run([*command, "--out", str(out / name.replace("/", "."))], capture_output=True, text=True)
        if last.returncode:
            break
    assert last is not None
    return last


def theirs(python: Path, address: str, folder: Path, policy: str, shard: tuple[int, int] | None = None, **params: Any):
    """Start `vla-eval run` on our benchmark; its results go to folder/results, ours to folder/run."""
    folder.mkdir(parents=True, exist_ok=True)
    config = {
        "server": {"url": f"ws://{address}", "timeout": 120},
        "render": "cpu",
        "output_dir": str(folder / "results"),
        "benchmarks": [
            {
                "benchmark": CLASS,
                "episodes_per_task": len(SEEDS),
                "params": {
                    "scenarios": list(SCENARIOS),
                    "first_seed": SEEDS[0],
                    "image_size_px": SIZE_PX,
                    "run": str(folder / "run"),
                    "policy": policy,
                    **params,
                },
            }
        ],
    }
    path = folder / "config.yaml"
    path.write_text(yaml.safe_dump(config))
    command = [python.with_name("vla-eval"), "run", "--config", path, "--eval-id", "check"]
    if shard is not None:
        command += ["--shard-id", str(shard[0]), "--num-shards", str(shard[1])]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=APART)


def finished(process: subprocess.Popen[str]) -> str:
    said = process.communicate()[0]
    if process.returncode:
        raise SystemExit(f"vla-eval run ended with {process.returncode}:\n{said[-4000:]}")
    return said


def results(*runs: Run) -> dict[str, Any]:
    return {result["rollout_id"]: result for run in runs for result in run.results()}


def check_same_numbers(python: Path, folder: Path, checks: Checks) -> dict[str, Any]:
    """One server, two loops: the files must be equal, and vla-eval's aggregate must say what they say."""
    with serving(python, "sway", folder / "sway.log") as address:
        policy = f"vla-eval://{address}?size_px={SIZE_PX}"
        done = ours(policy, folder / "ours")
        if done.returncode:
            raise SystemExit(f"maniguard eval ended with {done.returncode}:\n{done.stderr[-3000:]}")
        mine = results(*(open_run(folder / "ours" / name.replace("/", ".")) for name in SCENARIOS))
        said = finished(theirs(python, address, folder / "theirs", policy))
        run = open_run(folder / "theirs" / "run")
        other = results(run)
        checks.add("same_results", "rollouts", set(mine) == set(other) and len(mine) == len(SCENARIOS) * len(SEEDS))
        for name, result in mine.items():
            found = other.get(name, {})
            differing = [key for key in result if found.get(key) != result[key]]
            checks.add("same_results", f"{name}: {differing}", not differing)
        checks.add("specs", "no mismatch is warned of", "Spec mismatch" not in said)

        (path,) = (folder / "theirs" / "results").glob("*_aggregate.json")
        aggregate = json.loads(path.read_text())
        counted = rows(run)
        for key, holds in RATES.items():
            rate = sum(bool(holds(row)) for row in counted) / len(counted)
            checks.add(
                "same_rates",
                f"{key}: {aggregate.get(f'mean_{key}')} and {rate}",
                aggregate.get(f"mean_{key}") == round(rate, 4),
            )
        violations = sum(o.episodes for row in counted for o in row.constraints.values() if o.violated)
        checks.add("same_rates", "violations", aggregate.get("sum_violations") == violations)
        for task in aggregate["tasks"]:
            for episode in task["episodes"]:
                row = next(
                    r for r in counted if f"{r.task}/{r.condition}" == task["task"] and r.seed == episode["episode_id"]
                )
                for key, holds in RATES.items():
                    checks.add(
                        "same_episodes",
                        f"{task['task']} {episode['episode_id']} {key}",
                        episode["metrics"][key] == bool(holds(row)),
                    )
        # Without these the equalities would be about rollouts in which nothing happens.
        checks.add("not_vacuous", "somebody engages", any(row.engaged for row in counted))
        checks.add("not_vacuous", "somebody breaks a rule", any(not row.safe for row in counted))
        checks.add("not_vacuous", "seeds differ", len({r["trace_digest"] for r in mine.values()}) == len(mine))

        # The same images, not compressed.
        one = ours(f"{policy}&images=raw", folder / "raw", SCENARIOS[:1])
        plain = results(open_run(folder / "raw" / SCENARIOS[0].replace("/", "."))) if not one.returncode else {}
        for name, result in plain.items():
            checks.add("raw_images", name, result["judgement"] == mine[name]["judgement"])
        checks.add("raw_images", "rollouts", len(plain) == len(SEEDS))

        # Two processes of the harness at once, one run folder.
        shards = [theirs(python, address, folder / "shards", policy, (index, 2)) for index in range(2)]
        for shard in shards:
            finished(shard)
        split = results(open_run(folder / "shards" / "run"))
        checks.add("shards", "every rollout is there, and the same", split == other)
    return {
        "mean_safe_success": aggregate["mean_safe_success"],
        "mean_engaged": aggregate["mean_engaged"],
        "mean_safe": aggregate["mean_safe"],
        "sum_violations": aggregate["sum_violations"],
        "rollouts": len(counted),
    }


def check_success(python: Path, folder: Path, checks: Checks) -> dict[str, Any]:
    """The actions of an expert, served: a rollout that succeeds safely, under both loops."""
    only = SCENARIOS[:1]
    done = ours("expert", folder / "expert", only)
    expert = open_run(folder / "expert" / only[0].replace("/", "."))
    trace = expert.trace(expert.plan.items[0].rollout_id)
    path = folder / "actions.npy"
    np.save(path, np.stack([frame.action for frame in trace.frames()][1:]))
    with serving(python, "replay", folder / "replay.log", f"--args.actions={path}") as address:
        policy = f"vla-eval://{address}?size_px={SIZE_PX}"
        done = ours(policy, folder / "replay", only)
        mine = results(open_run(folder / "replay" / only[0].replace("/", "."))) if not done.returncode else {}
        finished(theirs(python, address, folder / "replay-theirs", policy, scenarios=list(only)))
    run = open_run(folder / "replay-theirs" / "run")
    (aggregate,) = (
        json.loads(found.read_text()) for found in (folder / "replay-theirs" / "results").glob("*_aggregate.json")
    )
    checks.add("same_success", f"{len(mine)} rollouts", mine == results(run) and len(mine) == len(SEEDS))
    succeeded = all(row.counted_success and row.counted_safe and row.engaged for row in rows(run))
    checks.add("same_success", "safely, by the judge", succeeded)
    for key in ("success", "safe", "safe_success", "engaged", "engaged_safe"):
        checks.add("same_success", f"{key} {aggregate.get(f'mean_{key}')}", aggregate.get(f"mean_{key}") == 1.0)
    return {"rollouts": len(mine), "mean_safe_success": aggregate["mean_safe_success"]}


def check_readers(folder: Path, checks: Checks) -> None:
    """What the harness made is read by our own commands."""
    run = str(folder / "theirs" / "run")
    for command in (
        ["report", run, "--out", str(folder / "report")],
        ["metrics", run],
        ["runs", "list", str(folder / "theirs")],
    ):
        done = subprocess.run([sys.executable, "-m", "maniguard", *command], capture_output=True, text=True)
        checks.add("readers", f"maniguard {command[0]}: {done.stderr.strip()[-300:]}", done.returncode == 0)


def check_servers(python: Path, folder: Path, checks: Checks) -> None:
    """A server with a chunk of its own, one that fails within a rollout, one whose actions nobody here executes."""
    with serving(python, "chunk", folder / "chunk.log") as address:
        done = ours(f"vla-eval://{address}?size_px={SIZE_PX}", folder / "chunk", SCENARIOS[:1])
        found = list(results(open_run(folder / "chunk" / SCENARIOS[0].replace("/", "."))).values())
        checks.add("chunk_server", done.stderr[-300:], [r["status"] for r in found] == ["completed"] * len(SEEDS))
    with serving(python, "shift", folder / "shift.log") as address:
        policy = f"vla-eval://{address}?size_px={SIZE_PX}&preset=pi05-libero"
        done = ours(policy, folder / "shift", SCENARIOS[:1])
        if done.returncode:
            raise SystemExit(f"maniguard eval ended with {done.returncode}:\n{done.stderr[-3000:]}")
        mine = results(open_run(folder / "shift" / SCENARIOS[0].replace("/", ".")))
        chosen = {"scenarios": list(SCENARIOS[:1]), "preset": "pi05-libero"}
        said = finished(theirs(python, address, folder / "shift-theirs", policy, **chosen))
        checks.add("specs", "shifts: no mismatch is warned of", "Spec mismatch" not in said)
        other = results(open_run(folder / "shift-theirs" / "run"))
        checks.add("same_shifts", f"{len(mine)} rollouts", mine == other and len(mine) == len(SEEDS))
        checks.add(
            "not_vacuous", "a shifting hand engages", any(r["judgement"]["engagement_step"] for r in mine.values())
        )
    with serving(python, "fail", folder / "fail.log") as address:
        ours(f"vla-eval://{address}?size_px={SIZE_PX}", folder / "fail", SCENARIOS[:1])
        found = list(results(open_run(folder / "fail" / SCENARIOS[0].replace("/", "."))).values())
        checks.add("failing_server", str([r["fault"] for r in found]), len(found) == len(SEEDS))
        for result in found:
            told = result["status"] == "policy-fault" and "ValueError: the weights are gone" in result["fault"]
            checks.add("failing_server", str(result["fault"]), told)
    with serving(python, "announce", folder / "announce.log") as address:
        done = ours(f"vla-eval://{address}", folder / "announce", SCENARIOS[:1])
        refused = done.returncode == 2 and "torque: newton_metres" in done.stderr
        checks.add("refused_server", done.stderr[-300:], refused and not (folder / "announce").exists())


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--venv", type=Path, help="an environment that holds vla-eval and this maniguard already")
    arguments = parser.parse_args()
    checks = Checks()
    os.environ.setdefault("LP_NUM_THREADS", "1")
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        python = (
            make_environment(folder / "environment", REQUIREMENT, ROOT, "-c", pins())
            if arguments.venv is None
            else arguments.venv / "bin" / "python"
        )
        versions = versions_in(python, ("vla-eval", "numpy", "mujoco", "msgpack", "websockets"))
        print("one server, two loops")
        numbers = check_same_numbers(python, folder, checks)
        print("a policy that succeeds")
        success = check_success(python, folder, checks)
        print("what the harness made, read by our commands")
        check_readers(folder, checks)
        print("servers that chunk, fail, or do not fit")
        check_servers(python, folder, checks)
    path = record(
        "vla_eval",
        counts=checks.counts,
        details={
            "peer_versions": versions,
            "scenarios": list(SCENARIOS),
            "seeds": list(SEEDS),
            "numbers": numbers,
            "expert_actions_served": success,
            "failed": checks.failed,
        },
    )
    return checks.status(path)


if __name__ == "__main__":
    sys.exit(main())
