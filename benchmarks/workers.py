"""How much faster two workers are than one: the same plan with one and with two, in turn, in one run.

    python benchmarks/workers.py [--tasks 0:16] [--policy expert] [--pairs 3] [--out benchmarks/results/workers.json]

Wall time of everything from the first world to the last written result, the start of the pool's processes included.
Both runs must give the same trace for every rollout. The ratio means little while other work keeps a core busy, so how
many cores others keep busy is watched before each run and written beside it.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from pathlib import Path

from machine_facts import busy_cores, machine_facts, results_path, write_result

from maniguard import bench
from maniguard.evaluate import Plan, create_run, execute, make_plan


def run(plan: Plan, workers: int) -> tuple[float, dict[str, str]]:
    """Return the seconds that a run of the plan takes, and its trace digests."""
    with tempfile.TemporaryDirectory() as folder:
        store = create_run(Path(folder) / "run", plan)
        started = time.perf_counter()
        execute(store, workers=workers, done=lambda item, status: None)
        seconds = time.perf_counter() - started
        return seconds, {result["rollout_id"]: result["trace_digest"] for result in store.results()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tasks", default="0:16", help="half-open range of tasks, as in maniguard eval")
    parser.add_argument("--policy", default="expert")
    parser.add_argument("--pairs", type=int, default=3)
    parser.add_argument("--out", type=Path, default=results_path(__file__))
    options = parser.parse_args()
    first, last = (int(part) for part in options.tasks.split(":"))
    scenarios = bench.load(family="clutter", tasks=range(first, last), conditions=("base",))
    plan = make_plan(options.policy, scenarios, [0])
    pairs = []
    for number in range(options.pairs):
        pair: dict[str, object] = {}
        digests = {}
        for workers in (1, 2) if number % 2 == 0 else (2, 1):
            busy = busy_cores()
            seconds, digests[workers] = run(plan, workers)
            pair[f"workers_{workers}"] = {"s": round(seconds, 2), "others_keep_busy_cores": busy}
        if digests[1] != digests[2]:
            raise SystemExit("one and two workers gave different traces")
        pair["ratio"] = round(pair["workers_1"]["s"] / pair["workers_2"]["s"], 3)
        pairs.append(pair)
    write_result(
        options.out,
        {
            "benchmark": "workers",
            "policy": options.policy,
            "rollouts": len(plan.items),
            "ratio_median": statistics.median(pair["ratio"] for pair in pairs),
            "target_ratio": 1.7,
            "pairs": pairs,
            "same_traces": True,
            **machine_facts(),
        },
    )


if __name__ == "__main__":
    main()
