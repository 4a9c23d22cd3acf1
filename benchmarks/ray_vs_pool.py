"""A Ray cluster of two local nodes against the local pool with two workers: the same plan with both, in turn.

    python benchmarks/ray_vs_pool.py [--venv DIR] [--tasks 29] [--seeds 3] [--steps 300] [--pairs 2] [--out FILE]

Wall time from the call to the last written result. The cluster stands already, as one does; starting the workers on it
is part of the time, as it is for the pool. The ratio means nothing while other work keeps cores busy, so how many
cores others kept busy stands beside each run. Both must give the same results to the byte. The environment with Ray is
built from the package index, or taken from --venv.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
import venv
from pathlib import Path

from machine_facts import Load, machine_facts, results_path, write_result

ROOT = Path(__file__).resolve().parent.parent
RAY = "ray==2.60.0"


def inside(options: argparse.Namespace) -> dict[str, object]:
    """Measure; called with the Python that has Ray."""
    sys.path.insert(0, str(ROOT))
    import ray
    from ray.cluster_utils import Cluster
    from tests.evaluate.short import short_run

    from maniguard.evaluate import PoolExecutor, execute
    from maniguard.evaluate.ray_executor import RayExecutor

    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "object_store_memory": 10**8})
    cluster.add_node(num_cpus=1, object_store_memory=10**8)
    cluster.wait_for_nodes()
    pairs = []
    for number in range(options.pairs):
        pair: dict[str, dict[str, float]] = {}
        content = {}
        for name in ("pool", "ray") if number % 2 == 0 else ("ray", "pool"):
            with tempfile.TemporaryDirectory() as folder:
                run = short_run(
                    Path(folder) / "run", "random", tasks=options.tasks, seeds=range(options.seeds), steps=options.steps
                )
                executor = PoolExecutor(run, 2) if name == "pool" else RayExecutor(run, 2, cluster.address)
                started, load = time.perf_counter(), Load()
                execute(run, executor=executor, done=lambda item, status: None)
                pair[name] = {"s": round(time.perf_counter() - started, 2), "all_busy_cores": load.others()}
                content[name] = [run.result_path(item.rollout_id).read_bytes() for item in run.plan.items]
        if content["pool"] != content["ray"]:
            raise SystemExit("the pool and Ray gave different results")
        pairs.append(pair)
    cluster.shutdown()
    return {"ray": ray.__version__, "pairs": pairs, "same_results": True}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--venv", type=Path)
    parser.add_argument("--tasks", type=int, default=29)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--steps", type=int, default=300)
    parser.add_argument("--pairs", type=int, default=2)
    parser.add_argument("--inside", type=Path, help="be the part that has Ray (used by the script itself)")
    parser.add_argument("--out", type=Path, default=results_path(__file__))
    options = parser.parse_args()
    if options.inside:
        options.inside.write_text(json.dumps(inside(options)))
        return
    with tempfile.TemporaryDirectory() as scratch:
        folder = options.venv
        if folder is None:
            folder = Path(scratch) / "ray"
            venv.create(folder, with_pip=True)
            pins = ROOT / "constraints" / f"py{sys.version_info.major}{sys.version_info.minor}.txt"
            install = [folder / "bin" / "python", "-m", "pip", "install", "-q", "-c", pins, "-e", ROOT, RAY]
            subprocess.run(install, check=True)
        found = Path(scratch) / "found.json"
        environment = {**os.environ, "PYTHONPATH": str(ROOT / "src"), "RAY_USAGE_STATS_ENABLED": "0"}
        before = Load()
        time.sleep(2.0)
        busy = before.others()
        numbers = [f"--{name}={getattr(options, name)}" for name in ("tasks", "seeds", "steps", "pairs")]
        command = [folder / "bin" / "python", Path(__file__).resolve(), "--inside", found, *numbers]
        subprocess.run(command, check=True, env=environment)
        result = json.loads(found.read_text())
    ratios = [pair["ray"]["s"] / pair["pool"]["s"] for pair in result["pairs"]]
    write_result(
        options.out,
        {
            "benchmark": "ray_vs_pool",
            "rollouts": options.tasks * options.seeds,
            "ratio_median": round(statistics.median(ratios), 3),
            "target_ratio": 1.1,
            "others_keep_busy_cores_before": busy,
            **result,
            **machine_facts(),
        },
    )


if __name__ == "__main__":
    main()
