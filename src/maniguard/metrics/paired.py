"""Comparisons of the same tasks and seeds: two policies, or one policy in and out of distribution."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import bdtr

from maniguard.errors import alternatives
from maniguard.metrics.intervals import (
    CONFIDENCE,
    MIN_BOOTSTRAP_TASKS,
    MIN_TASKS_PER_SIDE,
    Interval,
    effective_interval,
    percentile_interval,
    resampling_weights,
)
from maniguard.metrics.rates import CONDITIONAL_RATES, RATES, Outcome, outcome_of
from maniguard.metrics.rows import RolloutRow, RowError

Key = tuple[str, str, str, int]


@dataclass(frozen=True)
class PairedDifference:
    """Rate of b minus rate of a over the pairs that both have.

    `pairs` pairs of `tasks` tasks; `only_a`, `only_b` the discordant pairs; `difference` in -1 to 1 with its 95 %
    interval (whole tasks resampled, bounded exactly where there are too few; None when there is no pair). `p_value` is
    that of the exact McNemar test, two-sided, which takes pairs for independent. `p_tasks` is the same for whole tasks,
    `sign_flip_exact`: equal for one pair a task, and the one to quote where a task has several.
    """

    rate: str
    pairs: int
    tasks: int
    only_a: int
    only_b: int
    difference: float | None
    low: float | None
    high: float | None
    p_value: float | None
    p_tasks: float


def mcnemar_exact(only_a: int, only_b: int) -> float:
    """Return the exact two-sided p-value for `only_a` against `only_b` discordant pairs; 1 when there is none."""
    total = only_a + only_b
    if total == 0:
        return 1.0
    return min(1.0, 2.0 * float(bdtr(min(only_a, only_b), total, 0.5)))


def sign_flip_exact(gains: Sequence[int]) -> float:
    """Return the exact two-sided p-value of `gains`, for each task the pairs won less the pairs lost.

    If neither side is better, a task's gain is as likely as its opposite, however alike its pairs are: the p-value is
    the share of all choices of signs whose sum is as far from 0 as the sum found (Fisher, 1935). With one pair a task
    it is `mcnemar_exact`; with several that test counts what one task says as often as it says it, and finds
    differences too easily.
    """
    sizes = sorted(abs(gain) for gain in gains if gain)
    chance = np.ones(1)
    for size in sizes:
        wider = np.zeros(len(chance) + 2 * size)
        wider[: len(chance)] = chance / 2
        wider[2 * size :] += chance / 2
        chance = wider
    found, middle = abs(sum(gains)), sum(sizes)
    sums = np.abs(np.arange(-middle, middle + 1))
    return min(1.0, float(chance[sums >= found].sum()))


def holm(p_values: Sequence[float]) -> tuple[float, ...]:
    """Return p-values adjusted for `len(p_values)` tests by Holm's step-down rule (1979), in the given order."""
    adjusted = [0.0] * len(p_values)
    running = 0.0
    for rank, index in enumerate(sorted(range(len(p_values)), key=lambda i: p_values[i])):
        running = max(running, min(1.0, (len(p_values) - rank) * p_values[index]))
        adjusted[index] = running
    return tuple(adjusted)


def paired_difference(
    a: Iterable[RolloutRow], b: Iterable[RolloutRow], *, rate: str = "ssr", across_conditions: bool = False
) -> PairedDifference:
    """Compare an unconditional rate on the rollouts that `a` and `b` have in common.

    Pairs share family, task, condition and seed; with `across_conditions` the condition is ignored (each side then
    holds one condition). Rollouts outside n on either side pair with nothing. Raises RowError for a rate that is not
    over all rollouts, and for a side that has two rollouts of one key.
    """
    holds = _unconditional(rate)
    pairs = pair_up(a, b, across_conditions=across_conditions)
    keys = [key for key, _, _ in pairs]
    values = [tuple(int(holds(outcome_of(r))) for r in (left, right)) for _, left, right in pairs]
    only_a = sum(1 for x, y in values if x > y)
    only_b = sum(1 for x, y in values if y > x)
    p_value = mcnemar_exact(only_a, only_b)
    gains: dict[tuple[str, str], int] = {}
    for key, (x, y) in zip(keys, values, strict=True):
        gains[key[:2]] = gains.get(key[:2], 0) + y - x
    tasks = sorted(gains)
    if not keys:
        return PairedDifference(rate, 0, 0, 0, 0, None, None, None, p_value, 1.0)
    low, high = _interval(keys, values, tasks)
    return PairedDifference(
        rate=rate,
        pairs=len(keys),
        tasks=len(tasks),
        only_a=only_a,
        only_b=only_b,
        difference=(only_b - only_a) / len(keys),
        low=low,
        high=high,
        p_value=p_value,
        p_tasks=sign_flip_exact(list(gains.values())),
    )


def gains_by_task(
    a: Iterable[RolloutRow], b: Iterable[RolloutRow], *, rate: str
) -> dict[tuple[str, str], tuple[int, ...]]:
    """Return for each task what b has over a in each pair: 1, 0 or -1."""
    holds = _unconditional(rate)
    gains: dict[tuple[str, str], tuple[int, ...]] = {}
    for key, left, right in pair_up(a, b):
        gain = int(holds(outcome_of(right))) - int(holds(outcome_of(left)))
        gains[key[:2]] = (*gains.get(key[:2], ()), gain)
    return gains


def _unconditional(rate: str) -> Callable[[Outcome], bool]:
    names = [name for name in RATES if name not in CONDITIONAL_RATES]
    if rate not in names:
        raise RowError(f"no paired difference of {rate!r}; rates over all rollouts are {alternatives(names)}")
    return RATES[rate][1]


def pair_up(
    a: Iterable[RolloutRow], b: Iterable[RolloutRow], *, across_conditions: bool = False
) -> list[tuple[Key, RolloutRow, RolloutRow]]:
    """Return what two sides have in common, by family, task, condition and seed, in that order; see above."""
    left, right = (_by_key(side, across_conditions) for side in (a, b))
    return [(key, left[key], right[key]) for key in sorted(left.keys() & right.keys())]


def _interval(keys: Sequence[Key], values: Sequence[tuple[int, ...]], tasks: Sequence[tuple[str, str]]) -> Interval:
    column = {task: k for k, task in enumerate(tasks)}
    only_a, only_b, sizes = ([0] * len(tasks) for _ in range(3))
    for key, (x, y) in zip(keys, values, strict=True):
        k = column[(key[0], key[1])]
        only_a[k] += x > y
        only_b[k] += y > x
        sizes[k] += 1
    # The same resamples whichever side comes first, so that turning the comparison round turns its interval round.
    sides = sorted(([x for x, _ in values], [y for _, y in values]))
    digest = hashlib.sha256(json.dumps([keys, sides]).encode()).digest()
    rng = np.random.default_rng(int.from_bytes(digest[:16], "big"))
    return difference_interval(only_a, only_b, sizes, resampling_weights(len(tasks), rng))


def difference_interval(
    only_a: Sequence[int], only_b: Sequence[int], sizes: Sequence[int], weights: NDArray[np.float64]
) -> Interval:
    """Return the interval of a paired difference, given for each task its discordant pairs and all of its pairs.

    Whole tasks are resampled, by `weights` of `resampling_weights`. The bootstrap of pairs that all agree has no width:
    with few tasks, or few that differ, each discordant share gets its interval at 97.5 % from the effective number of
    pairs instead, and the difference lies between their extremes with at least 95 % (Bonferroni).
    """
    differing = sum(1 for a, b in zip(only_a, only_b, strict=True) if a or b)
    if len(sizes) < MIN_BOOTSTRAP_TASKS or differing < MIN_TASKS_PER_SIDE:
        confidence = 1.0 - (1.0 - CONFIDENCE) / 2.0
        lost, gained = (effective_interval(counts, sizes, confidence) for counts in (only_a, only_b))
        assert lost is not None
        assert gained is not None
        return Interval(gained.low - lost.high, gained.high - lost.low)
    gains = np.asarray(only_b, np.float64) - np.asarray(only_a, np.float64)
    return percentile_interval((weights @ gains) / (weights @ np.asarray(sizes, np.float64)), len(sizes))


def _by_key(rows: Iterable[RolloutRow], across_conditions: bool) -> dict[Key, RolloutRow]:
    result: dict[Key, RolloutRow] = {}
    for row in rows:
        if not row.counted:
            continue
        key = (row.family, row.task, "" if across_conditions else row.condition, row.seed)
        if key in result:
            raise RowError(f"two rollouts of {row.name} on one side of a paired comparison")
        result[key] = row
    return result
