"""Workers on a Ray cluster of several nodes give the results of the local pool; a node that is killed loses nothing.

The nodes are simulated on one machine: each has a raylet and workers of its own, as on several. The environment with
Ray is built from the package index, or taken from --venv; it uses this checkout.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

from _evidence import ROOT, record
from _peer import make_environment, pins

RAY = "ray==2.60.0"
TASKS, SEEDS, STEPS, NODES = 6, 4, 60, 3


def inside(folder: Path) -> dict:
    """Run the checks; called with the Python that has Ray."""
    sys.path.insert(0, str(ROOT))
    import ray
    from ray.cluster_utils import Cluster
    from tests.evaluate.short import short_run

    from maniguard.evaluate import PoolExecutor, RunError, execute, fault_groups
    from maniguard.evaluate.ray_executor import RayExecutor

    def fresh(name: str, steps: int = STEPS):
        return short_run(folder / name, "random", tasks=TASKS, seeds=range(SEEDS), steps=steps)

    def content(run) -> list[bytes]:
        return [run.result_path(item.rollout_id).read_bytes() for item in run.plan.items]

    def play(run, executor, done=lambda item, status: None) -> float:
        started = time.monotonic()
        execute(run, executor=executor, done=done)
        return time.monotonic() - started

    checks: dict[str, bool] = {}
    walls: dict[str, float] = {}
    pool = fresh("pool")
    walls["pool, 2 workers"] = play(pool, PoolExecutor(pool, 2))
    print("pool done", flush=True)

    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "object_store_memory": 10**8})
    others = [cluster.add_node(num_cpus=1, object_store_memory=10**8) for _ in range(NODES - 1)]
    cluster.wait_for_nodes()
    print(f"{NODES} nodes at {cluster.address}", flush=True)
    run = fresh("ray")
    walls[f"ray, {NODES} nodes"] = play(run, RayExecutor(run, None, cluster.address))
    checks["results equal to the pool's to the byte"] = content(run) == content(pool)
    checks["no file but the run's is left"] = not list(run.path.rglob("*.part"))
    checks["no fault in the journal"] = fault_groups(run) == ()
    print("ray done", flush=True)

    # A node is killed as a power cut would: raylet and workers at once, in the middle of rollouts.
    killed = threading.Event()
    count = 0

    def done(item, status) -> None:
        nonlocal count
        count += 1
        if count == TASKS * SEEDS // 3:
            victim = others[-1]
            workers = workers_of(victim)
            os.kill(victim.all_processes["raylet"][0].process.pid, signal.SIGKILL)
            for pid in workers:
                kill_quietly(pid)
            killed.set()

    run = fresh("node-killed")
    walls[f"ray, {NODES} nodes, one killed"] = play(run, RayExecutor(run, NODES, cluster.address), done)
    checks["a node was killed"] = killed.is_set()
    checks["nothing was lost with the node"] = content(run) == content(pool)
    groups = fault_groups(run)
    checks["its worker is named in the journal"] = {group.kind for group in groups} == {"worker-lost"}
    named = [{"kind": g.kind, "count": g.count, "said": g.first.detail, "ended": dict(g.ended)} for g in groups]
    print(f"node killed: {named}", flush=True)

    # One worker alone is killed, its node lives.
    count_before = threading.Event()

    def kill_worker(item, status) -> None:
        if not count_before.is_set():
            count_before.set()
            pids = [p for p in ray_workers() if b"_RayWorker" in Path(f"/proc/{p}/cmdline").read_bytes()]
            if pids:
                os.kill(pids[0], signal.SIGKILL)

    run = fresh("worker-killed")
    play(run, RayExecutor(run, 2, cluster.address), kill_worker)
    checks["nothing was lost with a worker"] = content(run) == content(pool)
    checks["the worker is named in the journal"] = [g.kind for g in fault_groups(run)] == ["worker-lost"]

    run = fresh("gone")
    (run.path / "plan.json").rename(folder / "hidden.json")
    try:
        play(run, RayExecutor(run, 1, cluster.address))
        checks["a run folder that a node does not see is refused"] = False
    except (RunError, OSError) as error:
        checks["a run folder that a node does not see is refused"] = "plan.json" in str(error) or "share" in str(error)
    cluster.shutdown()
    try:
        run = fresh("nobody")
        play(run, RayExecutor(run, 1, "127.0.0.1:1"))
        checks["a cluster that is not there is named"] = False
    except RunError as error:
        checks["a cluster that is not there is named"] = "127.0.0.1:1" in str(error)
    return {
        "ray": ray.__version__,
        "checks": checks,
        "wall_s": {name: round(wall, 1) for name, wall in walls.items()},
        "faults_named_after_the_node": named,
    }


def ray_workers() -> list[int]:
    listing = subprocess.run(["ps", "-eo", "pid=,args="], capture_output=True, text=True).stdout
    return [int(line.split()[0]) for line in listing.splitlines() if "ray::" in line]


def workers_of(node) -> list[int]:
    """Return the worker processes of a node: children of its raylet."""
    raylet = node.all_processes["raylet"][0].process.pid
    listing = subprocess.run(["ps", "--ppid", str(raylet), "-o", "pid="], capture_output=True, text=True).stdout
    return [int(pid) for pid in listing.split()]


def kill_quietly(pid: int) -> None:
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        return


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--venv", type=Path, help="an environment that has maniguard's dependencies and Ray already")
    parser.add_argument("--inside", type=Path, help="be the part that has Ray (used by the check itself)")
    options = parser.parse_args()
    if options.inside:
        (options.inside / "found.json").write_text(json.dumps(inside(options.inside)))
        return 0
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        python = (
            make_environment(folder / "environment", "-c", pins(), "-e", ROOT, RAY)
            if options.venv is None
            else options.venv / "bin" / "python"
        )
        environment = {**os.environ, "PYTHONPATH": str(ROOT / "src"), "RAY_USAGE_STATS_ENABLED": "0"}
        runs = folder / "runs"
        runs.mkdir()
        subprocess.run([python, Path(__file__).resolve(), "--inside", runs], check=True, env=environment)
        found = json.loads((runs / "found.json").read_text())
    failed = [name for name, held in found["checks"].items() if not held]
    counts = {"rollouts": TASKS * SEEDS, "nodes": NODES, "checked": len(found["checks"]), "failed": len(failed)}
    path = record("ray_cluster", counts=counts, details={**found, "failed": failed})
    for name, held in found["checks"].items():
        print(f"{'ok    ' if held else 'FAILED'}  {name}")
    print(f"{counts}; {path}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
