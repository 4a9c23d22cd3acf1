"""Speed of monitors: online, packed, in batches, as a set; beside ltlf2dfa's automaton, RTAMT and reelay.

    python benchmarks/ltlf_stepping.py [--out benchmarks/results/ltlf_stepping.json]

All figures are in steps per second of one formula (or frames per second of the whole set), each the best of seven runs
on one thread. Other tools are measured in the same run where they are installed and can express the formula:

* ltlf2dfa: its DOT automaton, walked as its users do, with the guards evaluated by `eval` on a copy of the letter;
* RTAMT and reelay: the past form of the rule, which is what they can watch online.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import json
import os
import platform
import re
import shutil
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from maniguard.ltlf import Batch, FrameRunner, Monitor, MonitorSet, RobustnessMonitor, compile_dfa

ROOT = Path(__file__).resolve().parents[1]
REFERENCE = json.loads((ROOT / "tests" / "ltlf" / "reference_formulas.json").read_text(encoding="utf-8"))
FORMULAS = {
    "until_released": ("G(a -> (s W r))", "G(a -> ((s U r) | G(s)))", None, None),
    "four_invariants": (
        "G !a & G !s & G !r & G !t",
        "G(!a) & G(!s) & G(!r) & G(!t)",
        "historically((v_a <= 0) and (v_s <= 0) and (v_r <= 0) and (v_t <= 0))",
        "historically(not {a} and not {s} and not {r} and not {t})",
    ),
    "timeout_100": (
        "G(a -> F[0,100] s)",
        None,
        "historically(not(once[100:100](v_a > 0) and historically[0:100](v_s <= 0)))",
        "historically(not ((not {s}) since[100:100] ({a} and not {s})))",
    ),
}
STEPS = 100_000


def rate(work: Callable[[], object], steps: int, repeat: int = 7) -> float:
    best = float("inf")
    for _ in range(repeat):
        started = time.perf_counter()
        work()
        best = min(best, time.perf_counter() - started)
    return steps / best


def letters_for(names, steps: int) -> list[dict[str, bool]]:
    rng = np.random.default_rng(0)
    table = rng.random((steps, len(names))) < 0.02
    return [dict(zip(names, row, strict=True)) for row in table.tolist()]


def ours(text: str) -> dict[str, float]:
    dfa = compile_dfa(text)
    letters = letters_for(dfa.atoms, STEPS)
    words = [dfa.pack(x) for x in letters]

    def by_dict() -> None:
        step, state = dfa.step, dfa.initial
        for letter in letters:
            state = step(state, letter)

    def by_monitor() -> None:
        step = Monitor(text, dfa=dfa).step
        for letter in letters:
            step(letter)

    def by_word() -> None:
        step, state = dfa.step_packed, dfa.initial
        for word in words:
            state = step(state, word)

    result = {
        "dict": rate(by_dict, STEPS),
        "monitor_dict": rate(by_monitor, STEPS),
        "packed_call": rate(by_word, STEPS),
        "packed_stream": rate(lambda: dfa.run_packed(words), STEPS),
    }
    batch = Batch(dfa)
    traces, steps = 2000, 500
    truth = np.random.default_rng(1).random((steps, traces, len(dfa.atoms))) < 0.02
    offsets = batch.offsets(truth)
    out = np.empty(offsets.shape, dtype=np.int64)
    result["batch_2000_classes"] = rate(lambda: batch.offsets(truth), traces * steps)
    result["batch_2000_steps"] = rate(lambda: batch.states(offsets, out), traces * steps)
    result["batch_2000_all"] = rate(lambda: batch.states(batch.offsets(truth), out), traces * steps)
    margins = [{n: 1.0 if v else -1.0 for n, v in x.items()} for x in letters[:20_000]]

    def by_margin() -> None:
        step = RobustnessMonitor(text).step
        for m in margins:
            step(m)

    result["robustness_online"] = rate(by_margin, len(margins), 1)
    return result


def ltlf2dfa_walk(text: str) -> float | None:
    try:
        from ltlf2dfa.parser.ltlf import LTLfParser
    except ImportError:
        return None
    if shutil.which("mona") is None:
        return None
    formula = LTLfParser()(text)
    dot = formula.to_dfa()
    moves: dict[str, list[tuple[str, str]]] = {}
    for source, target, guard in re.findall(r'(\d+) -> (\d+) \[label="([^"]*)"\]', dot):
        python = guard.replace("~", " not ").replace("&", " and ").replace("|", " or ").replace("true", "True")
        moves.setdefault(source, []).append((python.strip(), target))
    names = sorted(set(re.findall(r"[a-z]\w*", text)))
    letters = letters_for(names, 5000)

    def walk() -> None:
        state = "1"
        for letter in letters:
            values = dict(letter)
            for guard, target in moves[state]:
                if eval(guard, {}, values):
                    state = target
                    break

    return rate(walk, len(letters))


def rtamt_online(spec_text: str | None, names) -> float | None:
    try:
        import rtamt
    except ImportError:
        return None
    if spec_text is None:
        return None
    spec = rtamt.StlDiscreteTimeSpecification()
    for name in names:
        spec.declare_var(f"v_{name}", "float")
    spec.declare_var("out", "float")
    spec.spec = f"out = {spec_text}"
    spec.parse()
    rows = [[(f"v_{n}", float(v)) for n, v in x.items()] for x in letters_for(names, 5000)]

    def run() -> None:
        for t, row in enumerate(rows):
            spec.update(t, row)

    return rate(run, len(rows), 1)


def reelay_online(pattern: str | None, names) -> float | None:
    try:
        from reelay import discrete_timed_monitor
    except ImportError:
        return None
    if pattern is None:
        return None
    letters = letters_for(names, STEPS)

    def run() -> None:
        monitor = discrete_timed_monitor(pattern=pattern, semantics="boolean", condense=False)
        for letter in letters:
            monitor.update(letter)

    return rate(run, len(letters))


def monitor_set() -> dict[str, object]:
    formulas = dict(REFERENCE["safemanip"])
    formulas |= {f"timeout_{i}": f"G(trigger_{i} -> F[0,100] answer_{i})" for i in range(6)}
    started = time.perf_counter()
    monitors = MonitorSet(formulas)
    compiled = time.perf_counter() - started
    rng = np.random.default_rng(2)
    bits = rng.random((20_000, len(monitors.channels))) < 0.05
    shifts = np.arange(len(monitors.channels), dtype=np.uint64)
    words = (bits.astype(np.uint64) << shifts).sum(axis=1, dtype=np.uint64)
    as_int = words.tolist()
    letters = [dict(zip(monitors.channels, row, strict=True)) for row in bits.tolist()]

    def packed() -> None:
        for word in as_int:
            monitors.step_packed(word)

    def dicts() -> None:
        for letter in letters:
            monitors.step_packed(monitors.pack(letter))

    result: dict[str, object] = {
        "monitors": len(monitors.names),
        "channels": len(monitors.channels),
        "compile_ms": round(compiled * 1e3, 2),
        "packed_us_per_frame": round(1e6 / rate(packed, len(words)), 3),
        "dict_us_per_frame": round(1e6 / rate(dicts, len(words)), 3),
        "target_us_per_frame": 10.0,
    }
    runner = FrameRunner(monitors)
    if runner.engine == "numba":
        many = np.tile(words, 100)
        runner.run(many[:100])
        result["numba_frames_per_s"] = round(rate(lambda: runner.run(many), len(many)))
        result["target_numba_frames_per_s"] = 10_000_000
    return result


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--out", type=Path, default=ROOT / "benchmarks" / "results" / "ltlf_stepping.json")
    options = arguments.parse_args()
    rows: dict[str, dict[str, int | None]] = {}
    for name, (text, dfa_text, rtamt_text, reelay_text) in FORMULAS.items():
        speeds: dict[str, float | None] = dict(ours(text))
        atoms = compile_dfa(text).atoms
        speeds["ltlf2dfa_walk"] = None if dfa_text is None else ltlf2dfa_walk(dfa_text)
        speeds["rtamt_online"] = rtamt_online(rtamt_text, atoms)
        speeds["reelay_online"] = reelay_online(reelay_text, atoms)
        rows[name] = {k: None if v is None else round(v) for k, v in speeds.items()}
        print(name, rows[name], flush=True)
    together = monitor_set()
    print(together, flush=True)
    versions = {"python": platform.python_version()}
    for package in ("numpy", "numba", "ltlf2dfa", "rtamt", "reelay"):
        try:
            versions[package] = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            versions[package] = "not installed"
    result = {
        "benchmark": "ltlf_stepping",
        "unit": "steps per second",
        "targets": {"dict": 1_000_000, "packed_stream": 8_000_000, "batch_2000_steps": 250_000_000},
        "formulas": rows,
        "set": together,
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
