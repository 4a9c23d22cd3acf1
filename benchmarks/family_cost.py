"""What a rollout of each family costs, and where its time goes: processor time of the expert, no pictures, one core.

    python benchmarks/family_cost.py [--each 5] [--spec SPEC ...] [--out FILE]

`--each` tasks of every spec, evenly spread over it, are played once in the base condition, as `maniguard eval` would.
The total for all scenarios is projected: the median cost of a spec times its scenarios, summed, over two cores.
"""

from __future__ import annotations

import argparse
import statistics
import time
from pathlib import Path

from family_parts import Parts
from machine_facts import machine_facts, results_path, write_result

from maniguard import bench
from maniguard.policies import ChunkedActor, resolve
from maniguard.rollout import run_rollout
from maniguard.sim import World
from maniguard.spec import load_spec

CORES = 2
# Two workers take a little more than half the time of one: starting them and unequal shares (benchmarks/workers.py).
EFFICIENCY = 0.93


def measure(scenario: bench.Scenario) -> dict[str, float] | None:
    """Play a scenario with the expert; return processor seconds by part, and simulated seconds; None without a plan."""
    spec = load_spec(scenario.spec)
    started = time.process_time()
    with Parts() as parts, World(scenario.scene_spec) as world:
        actor = ChunkedActor(resolve("expert")())
        result = run_rollout(scenario, spec, world, actor, seed=0, policy="expert")
        actor.close()
    total = time.process_time() - started
    if result.status != "completed":
        print(f"{scenario.id}: {result.status}: {result.fault}", flush=True)
        return None
    known = dict(parts.seconds)
    simulated = (len(result.trace) - 1) / result.trace.control_rate_hz
    return {**known, "rest": total - sum(known.values()), "total": total, "simulated": simulated}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--each", type=int, default=5)
    parser.add_argument("--spec", nargs="*")
    parser.add_argument("--out", type=Path, default=results_path(__file__))
    options = parser.parse_args()
    scenarios = bench.load(conditions=("base",))
    specs = options.spec or list(dict.fromkeys(s.spec for s in scenarios))
    families = {}
    for spec in specs:
        mine = [s for s in scenarios if s.spec == spec]
        places = sorted({round(k * (len(mine) - 1) / max(1, options.each - 1)) for k in range(options.each)})
        rows = [row for row in (measure(mine[place]) for place in places) if row is not None]
        medians = {part: statistics.median(row[part] for row in rows) for part in rows[0]}
        families[spec] = {
            "tasks": len(mine),
            "played": [mine[place].id for place in places],
            "median_cpu_s": {part: round(value, 3) for part, value in medians.items() if part != "simulated"},
            "simulated_s": round(medians["simulated"], 2),
            "real_time_factor": round(medians["simulated"] / medians["total"], 1),
        }
        print(spec, families[spec]["median_cpu_s"], flush=True)
    total_s = sum(f["median_cpu_s"]["total"] * f["tasks"] * len(bench.CONDITIONS) for f in families.values())
    write_result(
        options.out,
        {
            **machine_facts(),
            "families": families,
            "all_scenarios": sum(f["tasks"] for f in families.values()) * len(bench.CONDITIONS),
            "all_scenarios_cpu_s": round(total_s, 1),
            "all_scenarios_two_workers_s": round(total_s / CORES / EFFICIENCY, 1),
        },
    )


if __name__ == "__main__":
    main()
