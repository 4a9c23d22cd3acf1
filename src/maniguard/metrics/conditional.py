"""The difference of a rate that is over some rollouts only, such as safe given engaged, between two paired runs."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from maniguard.metrics.intervals import (
    CONFIDENCE,
    MIN_BOOTSTRAP_TASKS,
    MIN_TASKS_PER_SIDE,
    Interval,
    effective_interval,
    percentile_interval,
    resampling_weights,
)
from maniguard.metrics.paired import pair_up
from maniguard.metrics.rates import CONDITIONAL_RATES, RATES, outcome_of
from maniguard.metrics.rows import RolloutRow, RowError

_Count = tuple[int, int, int, int]


@dataclass(frozen=True)
class ConditionalDifference:
    """A conditional rate of b minus that of a, over the pairs that both have.

    `n_a`, `n_b` are how many rollouts of the pairs each side's rate is over; `difference` is None where one side has
    none, and so are the ends of its 95 % interval: whole tasks resampled, or bounded exactly where there are too few.
    """

    rate: str
    pairs: int
    tasks: int
    n_a: int
    n_b: int
    difference: float | None
    low: float | None
    high: float | None


def conditional_difference(
    a: Iterable[RolloutRow], b: Iterable[RolloutRow], *, rate: str = "safe_given_eng"
) -> ConditionalDifference:
    """Compare a conditional rate on the rollouts that `a` and `b` have in common; RowError for another rate."""
    if rate not in CONDITIONAL_RATES:
        raise RowError(f"{rate!r} is no conditional rate; those are {', '.join(CONDITIONAL_RATES)}")
    member, holds = RATES[rate]
    counts: dict[tuple[str, str], _Count] = {}
    pairs = pair_up(a, b)
    for key, left, right in pairs:
        tally: list[int] = []
        for row in (left, right):
            outcome = outcome_of(row)
            inside = member(outcome)
            tally += [int(inside and holds(outcome)), int(inside)]
        w, x, y, z = counts.get(key[:2], (0, 0, 0, 0))
        counts[key[:2]] = (w + tally[0], x + tally[1], y + tally[2], z + tally[3])
    tasks = sorted(counts)
    table = [counts[task] for task in tasks]
    yes_a, n_a, yes_b, n_b = (sum(column) for column in zip(*table, strict=True)) if table else (0, 0, 0, 0)
    if not n_a or not n_b:
        return ConditionalDifference(rate, len(pairs), len(tasks), n_a, n_b, None, None, None)
    low, high = _interval(tasks, table)
    return ConditionalDifference(rate, len(pairs), len(tasks), n_a, n_b, yes_b / n_b - yes_a / n_a, low, high)


def _interval(tasks: Sequence[tuple[str, str]], table: Sequence[_Count]) -> Interval:
    """Resample whole tasks; with few tasks, or few on either side of either rate, bound both rates exactly instead.

    Where all agree the bootstrap has no width. Each rate then gets its interval at 97.5 % from the effective number of
    rollouts, and the difference lies between their extremes with at least 95 % (Bonferroni).
    """
    yes_a, n_a, yes_b, n_b = zip(*table, strict=True)
    rarer = min(
        sum(1 for yes, n in zip(hits, totals, strict=True) if n and (yes > 0 if side else yes < n))
        for hits, totals in ((yes_a, n_a), (yes_b, n_b))
        for side in (True, False)
    )
    if len(tasks) < MIN_BOOTSTRAP_TASKS or rarer < MIN_TASKS_PER_SIDE:
        confidence = 1.0 - (1.0 - CONFIDENCE) / 2.0
        left, right = effective_interval(yes_a, n_a, confidence), effective_interval(yes_b, n_b, confidence)
        assert left is not None
        assert right is not None
        return Interval(right.low - left.high, right.high - left.low)
    # The same resamples whichever side comes first, so that turning the comparison round turns its interval round.
    sides = sorted(((yes_a, n_a), (yes_b, n_b)))
    seed = hashlib.sha256(json.dumps([tasks, sides]).encode()).digest()
    weights = resampling_weights(len(tasks), np.random.default_rng(int.from_bytes(seed[:16], "big")))
    # Sums of small whole numbers are exact, so the order in which they are added cannot show.
    above_a, below_a, above_b, below_b = (
        weights @ np.asarray(column, np.float64) for column in (yes_a, n_a, yes_b, n_b)
    )
    usable = (below_a > 0) & (below_b > 0)
    draws = above_b[usable] / below_b[usable] - above_a[usable] / below_a[usable]
    return percentile_interval(draws, len(tasks))
