"""Every interval and every test of the metrics keeps its promise: coverage and false alarms, computed or simulated."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
from _evidence import record
from scipy.stats import binom

from maniguard.metrics import ConfidenceSequence, RolloutRow, clopper_pearson, conditional_difference, wilson
from maniguard.metrics.intervals import cluster_interval, resampling_weights
from maniguard.metrics.paired import difference_interval
from maniguard.studies import Design, power
from maniguard.studies.power import chances, comparisons

SIMULATIONS = 1000
NOMINAL = 0.95
# Three standard errors of a share of 0.95 seen in so many simulations.
CHANCE = 3 * math.sqrt(NOMINAL * (1 - NOMINAL) / SIMULATIONS)
# What the bootstrap is allowed to fall short by: it is approximate, and the figures are there to be read.
SHORT = 0.005

failed: list[str] = []
checked = 0


def check(name: str, covered: float, least: float) -> dict[str, Any]:
    global checked
    checked += 1
    if covered < least:
        failed.append(f"{name}: {covered:.4f} instead of at least {least:.4f}")
    print(f"{'ok  ' if covered >= least else 'FAIL'} {name:<70} {covered:.4f}", flush=True)
    return {"what": name, "covered": round(covered, 4), "least": round(least, 4)}


def exact(interval: Callable[[int, int], Any], total: int, shares: np.ndarray) -> float:
    """Return the least coverage over the shares: no simulation, all counts with their probabilities."""
    counts = np.arange(total + 1)
    ends = np.array([interval(int(k), total) for k in counts])
    inside = (ends[:, :1] <= shares) & (shares <= ends[:, 1:])
    return float((binom.pmf(counts[:, None], total, shares[None, :]) * inside).sum(axis=0).min())


def independent() -> list[dict[str, Any]]:
    rows = []
    shares = np.concatenate([np.arange(0.005, 0.1, 0.0005), np.arange(0.1, 0.9, 0.005), np.arange(0.9, 0.996, 0.0005)])
    for total in (5, 10, 20, 50, 100, 200, 600):
        rows.append(
            check(f"Clopper-Pearson, n = {total}, least over rates", exact(clopper_pearson, total, shares), 0.95)
        )
        # Wilson's is for display, and promises its 95 % on average only: recorded, not required.
        rows.append(check(f"Wilson, n = {total}, least over rates", exact(wilson, total, shares), 0.0))
    return rows


def clustered() -> list[dict[str, Any]]:
    rows = []
    for tasks in (5, 20, 29, 55, 200):
        for share in (0.05, 0.2, 0.5, 0.95):
            for correlation in (0.1, 0.4, 0.8):
                rng = np.random.default_rng([1, tasks, round(1000 * share), round(1000 * correlation)])
                weights = resampling_weights(tasks, rng)
                covered = 0
                for _ in range(SIMULATIONS):
                    counts = rng.binomial(3, chances(rng.random(tasks), share, correlation)).tolist()
                    interval = cluster_interval(counts, [3] * tasks, weights)
                    assert interval is not None
                    covered += interval.low <= share <= interval.high
                name = f"rate {share} of {tasks} tasks x 3 seeds, correlation {correlation}"
                rows.append(check(name, covered / SIMULATIONS, NOMINAL - CHANCE - SHORT))
    return rows


def differences() -> list[dict[str, Any]]:
    rows = []
    for tasks in (10, 26, 55, 200):
        for seeds in (1, 3):
            for difference in (0.0, 0.1, 0.3):
                design = Design(tasks, seeds, 0.3, difference, 0.4)
                rng = np.random.default_rng([2, tasks, seeds, round(1000 * difference)])
                weights = resampling_weights(tasks, rng)
                covered = 0
                for won, lost in comparisons(design, SIMULATIONS, rng):
                    low, high = difference_interval(lost.tolist(), won.tolist(), [seeds] * tasks, weights)
                    covered += low <= difference <= high
                name = f"difference of {difference} over {tasks} tasks x {seeds} seeds"
                rows.append(check(name, covered / SIMULATIONS, NOMINAL - CHANCE - SHORT))
    return rows


def conditional_differences() -> list[dict[str, Any]]:
    """Safe given engaged, of two policies that engage in different tasks and break rules more often in hard ones."""
    rows = []
    for tasks in (26, 55, 200):
        for shift in (0.0, 0.2):
            rng = np.random.default_rng([5, tasks, round(1000 * shift)])
            covered = 0
            for _ in range(SIMULATIONS // 4):
                sides = []
                for more in (0.0, shift):
                    hard = rng.random(tasks) < 0.5
                    engaged = rng.random((tasks, 3)) < np.where(hard, 0.3, 0.9)[:, None]
                    safe = ~engaged | (rng.random((tasks, 3)) < (np.where(hard, 0.4, 0.7) + more)[:, None])
                    sides.append(
                        [
                            RolloutRow(
                                "f", f"t{k}", "base", s, "completed", False, bool(safe[k, s]), bool(engaged[k, s])
                            )
                            for k in range(tasks)
                            for s in range(3)
                        ]
                    )
                found = conditional_difference(*sides)
                assert found.low is not None
                assert found.high is not None
                covered += found.low <= shift <= found.high
            name = f"difference of {shift} of safe given engaged over {tasks} tasks x 3 seeds"
            least = NOMINAL - 2 * CHANCE - SHORT
            rows.append(check(name, covered / (SIMULATIONS // 4), least))
    return rows


def sequences() -> list[dict[str, Any]]:
    """The truth lies in all intervals of the sequence, from the first task to the last."""
    rows = []
    for population in (None, 200):
        for share in (0.02, 0.2, 0.5, 0.9):
            for correlation in (0.0, 0.4, 0.8):
                rng = np.random.default_rng([3, population or 0, round(1000 * share), round(1000 * correlation)])
                fixed = rng.binomial(3, chances(rng.random(200), share, correlation)) / 3
                covered = 0
                for _ in range(SIMULATIONS):
                    if population is None:
                        hits, truth = rng.binomial(3, chances(rng.random(200), share, correlation)) / 3, share
                    else:
                        hits, truth = rng.permutation(fixed), fixed.mean()
                    sequence = ConfidenceSequence(population)
                    sequence.extend(hits, np.ones(200))
                    covered += sequence.log_capital(truth).max() < math.log(20)
                of = "a plan of 200 tasks" if population else "independent tasks"
                name = f"sequence over {of}, rate {share}, correlation {correlation}, at all times"
                rows.append(check(name, covered / SIMULATIONS, NOMINAL - CHANCE))
    return rows


def alarms() -> list[dict[str, Any]]:
    rows = []
    for tasks in (10, 55, 200):
        for seeds in (1, 3):
            for correlation in (0.1, 0.8):
                found = power(Design(tasks, seeds, 0.4, 0.0, correlation), simulations=SIMULATIONS, seed=4)
                name = f"no false alarm by tasks, {tasks} tasks x {seeds} seeds, correlation {correlation}"
                rows.append(check(name, 1 - found.by_tasks, NOMINAL - CHANCE))
                name = f"no false alarm over all pairs, {tasks} tasks x {seeds} seeds, correlation {correlation}"
                rows.append(check(name, 1 - found.by_pairs, 0.0))
    return rows


details = {
    "simulations": SIMULATIONS,
    "independent": independent(),
    "clustered": clustered(),
    "differences": differences(),
    "conditional_differences": conditional_differences(),
    "sequences": sequences(),
    "alarms": alarms(),
}
record("coverage", counts={"checked": checked, "failed": len(failed)}, details={**details, "failed": failed})
print(f"{checked} checked, {len(failed)} failed")
sys.exit(1 if failed else 0)
