"""How much faster two workers are than one: the same plan with one and with two, in turn, in one run.

    python benchmarks/workers.py [--tasks 0:29] [--conditions base,location] [--policy expert] [--pairs 3] [--out FILE]

Wall time of everything from the start of the pool's processes to the last written result. One worker is a pool of one,
as it is in `maniguard eval`: a run in this process would find the caches of the run before.
Both runs must give the same trace for every rollout. The ratio means nothing while other work keeps a core busy, so how
many cores others kept busy during each run stands beside it. The processor time of both is less touched by other work;
the ratio that it allows for, twice that of one worker over that of two, leaves out only what two workers share in the
machine, and shows what starting the workers costs.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from pathlib import Path

from machine_facts import Load, machine_facts, results_path, write_result

from maniguard import bench
from maniguard.evaluate import Plan, PoolExecutor, create_run, execute, make_plan


def run(plan: Plan, workers: int) -> tuple[dict[str, float], dict[str, str]]:
    """Return what a run of the plan takes, and its trace digests."""
    with tempfile.TemporaryDirectory() as folder:
        store = create_run(Path(folder) / "run", plan)
        started, load = time.perf_counter(), Load()
        execute(store, executor=PoolExecutor(store, workers), done=lambda item, status: None)
        taken = {
            "s": round(time.perf_counter() - started, 2),
            "cpu_s": round(load.own_s(), 2),
            "others_keep_busy_cores": load.others(),
        }
        return taken, {result["rollout_id"]: result["trace_digest"] for result in store.results()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tasks", default="0:29", help="half-open range of tasks, as in maniguard eval")
    parser.add_argument("--conditions", default="base,location", help="as --condition of maniguard eval")
    parser.add_argument("--policy", default="expert")
    parser.add_argument("--pairs", type=int, default=3)
    parser.add_argument("--out", type=Path, default=results_path(__file__))
    options = parser.parse_args()
    first, last = (int(part) for part in options.tasks.split(":"))
    scenarios = bench.load(family="clutter", tasks=range(first, last), conditions=tuple(options.conditions.split(",")))
    plan = make_plan(options.policy, scenarios, [0])
    pairs = []
    for number in range(options.pairs):
        pair: dict[str, object] = {}
        digests = {}
        for workers in (1, 2) if number % 2 == 0 else (2, 1):
            pair[f"workers_{workers}"], digests[workers] = run(plan, workers)
        if digests[1] != digests[2]:
            raise SystemExit("one and two workers gave different traces")
        one, two = pair["workers_1"], pair["workers_2"]
        pair["ratio"] = round(one["s"] / two["s"], 3)
        pair["ratio_by_cpu"] = round(2 * one["cpu_s"] / two["cpu_s"], 3)
        pairs.append(pair)
    write_result(
        options.out,
        {
            "benchmark": "workers",
            "policy": options.policy,
            "rollouts": len(plan.items),
            "ratio_median": statistics.median(pair["ratio"] for pair in pairs),
            "ratio_by_cpu_median": statistics.median(pair["ratio_by_cpu"] for pair in pairs),
            "target_ratio": 1.8,
            "pairs": pairs,
            "same_traces": True,
            **machine_facts(),
        },
    )


if __name__ == "__main__":
    main()
