"""Time to compile each formula of each shipped specification, as the monitor compiles it.

    python benchmarks/compile_specs.py [--repeats 30] [--out benchmarks/results/compile_specs.json]

`first_ms` is the first time in a new process, `median_ms` the median of all repeats; both are processor times and
hold parsing, the bad-prefix automaton, and the full automaton that tells whether a rule waits for something.
"""

from __future__ import annotations

import argparse
import multiprocessing
import statistics
import time
from pathlib import Path

from machine_facts import machine_facts, results_path, write_result

from maniguard.monitor.automata import Rule
from maniguard.spec import library, load_spec

RATE_HZ = 20.0


def formulas(name: str) -> dict[str, str]:
    """Return the formulas of a specification by what they are."""
    spec = load_spec(name)
    out = {constraint.name: constraint.formula for constraint in spec.constraints}
    if spec.goal is not None:
        out["goal"] = spec.goal.formula
    return out


def times_ms(formula: str, repeats: int) -> list[float]:
    taken = []
    for _ in range(repeats):
        started = time.process_time_ns()
        Rule(formula, RATE_HZ)
        taken.append((time.process_time_ns() - started) / 1e6)
    return taken


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeats", type=int, default=30)
    parser.add_argument("--out", type=Path, default=results_path(__file__))
    options = parser.parse_args()
    specs: dict[str, dict[str, object]] = {}
    slowest_first = slowest_median = 0.0
    # A new process for each formula, so that none finds what another has compiled already.
    with multiprocessing.get_context("spawn").Pool(1, maxtasksperchild=1) as pool:
        for name in library():
            rows = {}
            for what, formula in formulas(name).items():
                taken = pool.apply(times_ms, (formula, options.repeats))
                first, median = taken[0], statistics.median(taken)
                slowest_first, slowest_median = max(slowest_first, first), max(slowest_median, median)
                rows[what] = {
                    "formula": formula,
                    "states": Rule(formula, RATE_HZ).dfa.num_states,
                    "first_ms": round(first, 3),
                    "median_ms": round(median, 3),
                }
            specs[name] = rows
    write_result(
        options.out,
        {
            "benchmark": "compile_specs",
            "repeats": options.repeats,
            "slowest_first_ms": round(slowest_first, 3),
            "slowest_median_ms": round(slowest_median, 3),
            "target_ms": 5.0,
            "specs": specs,
            **machine_facts(),
        },
    )


if __name__ == "__main__":
    main()
