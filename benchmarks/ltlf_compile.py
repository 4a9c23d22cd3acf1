"""Time from formula to minimal automaton, beside ltlf2dfa with MONA where both are installed.

    python benchmarks/ltlf_compile.py [--out benchmarks/results/ltlf_compile.json]

Each formula is compiled once to warm up and then many times; the best time is the one to compare, the median shows how
busy the machine was. Parsing is not in the time. ltlf2dfa is timed as its users call it, `to_dfa()` on a parsed
formula, for the formulas that it can finish, and its best time is given too.
"""

from __future__ import annotations

import argparse
import gc
import importlib.metadata
import json
import os
import platform
import re
import shutil
import statistics
import time
from pathlib import Path

from maniguard.ltlf import BudgetError, compile_dfa, parse

ROOT = Path(__file__).resolve().parents[1]
REFERENCE = json.loads((ROOT / "tests" / "ltlf" / "reference_formulas.json").read_text(encoding="utf-8"))


def together(n: int, shape: str) -> str:
    return " & ".join(shape.format(i=i) for i in range(n))


# name, formula, target in ms, formula for ltlf2dfa (None: it does not finish, or has no such operator)
CASES: list[tuple[str, str, float | None, str | None]] = [
    ("timeout of 10 steps", "G(a -> F[0,10] b)", None, "G(a -> (b" + " | X(b" * 10 + ")" * 10 + "))"),
    ("timeout of 100 steps", "G(a -> F[0,100] b)", 20.0, None),
    ("timeout of 600 steps", "G(a -> F[0,600] b)", None, None),
    ("stillness for 100 steps", "G(a -> G[0,100] b)", None, None),
    ("twenty invariants", together(20, "G !p{i}"), 5.0, None),
    ("eight invariants", together(8, "G !p{i}"), None, together(8, "G(!p{i})")),
    ("ten G(a -> (s W r))", together(10, "G(a{i} -> (s{i} W r{i}))"), 300.0, None),
    ("twelve G(a -> (s W r))", together(12, "G(a{i} -> (s{i} W r{i}))"), None, None),
    ("ten G(a -> F b)", together(10, "G(a{i} -> F b{i})"), None, None),
    ("three G(a -> F b)", together(3, "G(a{i} -> F b{i})"), None, together(3, "(G(a{i} -> (F b{i})))")),
    ("two timeouts of 80 steps", "G(a -> F[0,80] b) & G(c -> F[0,80] d)", None, None),
    ("window of 8 to 16 steps", "G(a -> F[8,16] b)", None, None),
    ("window of 12 to 24 steps", "G(a -> F[12,24] b)", None, None),
    ("chain of 16 until", " U (".join(f"p{i}" for i in range(17)) + ")" * 16, None, None),
    ("twelve F p", together(12, "F p{i}"), None, None),
]


def best_and_median_ms(formula, seconds: float = 0.4) -> tuple[float, float, int, int]:
    dfa = compile_dfa(formula)
    times = []
    stop = time.perf_counter() + seconds
    gc.disable()
    while len(times) < 3 or (time.perf_counter() < stop and len(times) < 500):
        started = time.perf_counter()
        compile_dfa(formula)
        times.append(time.perf_counter() - started)
    gc.enable()
    return min(times) * 1e3, statistics.median(times) * 1e3, dfa.num_states, len(dfa.node_atom)


def ltlf2dfa_ms(text: str) -> float | None:
    try:
        from ltlf2dfa.parser.ltlf import LTLfParser
    except ImportError:
        return None
    if shutil.which("mona") is None:
        return None
    times = []
    for _ in range(3):
        formula = LTLfParser()(text)
        started = time.perf_counter()
        formula.to_dfa()
        times.append(time.perf_counter() - started)
    return min(times) * 1e3


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--out", type=Path, default=ROOT / "benchmarks" / "results" / "ltlf_compile.json")
    options = arguments.parse_args()
    rows = []
    for name, text, target, other in CASES:
        ours, middle, states, nodes = best_and_median_ms(parse(text))
        theirs = None if other is None else ltlf2dfa_ms(other)
        row = {"name": name, "states": states, "nodes": nodes, "ms": round(ours, 4), "target_ms": target}
        row["median_ms"] = round(middle, 4)
        row["ltlf2dfa_ms"] = None if theirs is None else round(theirs, 2)
        rows.append(row)
        print(f"{name:30s} {ours:10.3f} ms {states:7d} states  ltlf2dfa {row['ltlf2dfa_ms']}", flush=True)
    groups = {}
    for group, formulas in REFERENCE.items():
        times = {n: best_and_median_ms(parse(t), 0.05)[0] for n, t in formulas.items()}
        worst = max(times, key=lambda n: times[n])
        groups[group] = {
            "formulas": len(times),
            "slowest": worst,
            "slowest_ms": round(times[worst], 4),
            "sum_ms": round(sum(times.values()), 4),
            "target_slowest_ms": 1.0,
        }
        if group == "safemanip":
            groups[group]["target_sum_ms"] = 50.0
            short = {a: f"p{i}" for i, a in enumerate(parse(formulas[worst]).atom_order())}
            other = ltlf2dfa_ms(re.sub(r"[a-z]\w+", lambda m, s=short: s[m.group()], formulas[worst]))
            groups[group]["ltlf2dfa_slowest_ms"] = None if other is None else round(other, 2)
        print(f"{group:30s} slowest {groups[group]['slowest_ms']} ms, all {groups[group]['sum_ms']} ms", flush=True)
    whole = parse(" & ".join(f"({t})" for t in REFERENCE["safemanip"].values()))
    ms, _, states, nodes = best_and_median_ms(whole, 2.0)
    groups["safemanip_as_one_conjunction"] = {"ms": round(ms, 2), "states": states, "nodes": nodes}
    explosive = "G(a -> F[40,80] b)"
    started = time.perf_counter()
    try:
        compile_dfa(explosive)
    except BudgetError as error:
        refused = {"formula": explosive, "s": round(time.perf_counter() - started, 3), "error": str(error)}
    versions = {"python": platform.python_version(), "numpy": importlib.metadata.version("numpy")}
    for package in ("ltlf2dfa",):
        try:
            versions[package] = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            versions[package] = "not installed"
    result = {
        "benchmark": "ltlf_compile",
        "cases": rows,
        "groups": groups,
        "refused": refused,
        "versions": versions,
        "cores": os.cpu_count(),
        "load_average_1min": round(os.getloadavg()[0], 2),
        "machine": platform.machine(),
    }
    options.out.parent.mkdir(parents=True, exist_ok=True)
    options.out.write_text(json.dumps(result, indent=2) + "\n", encoding="utf-8")
    print(options.out)


if __name__ == "__main__":
    main()
