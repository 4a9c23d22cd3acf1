"""95 % intervals for shares: exact ones for independent rollouts, clustered ones where tasks are repeated."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import betaincinv, ndtr, ndtri, stdtrit

CONFIDENCE = 0.95
RESAMPLES = 4000
# With fewer tasks, or fewer of them on either side, the percentile bootstrap covers too rarely: at a true share of
# 0.95 and 55 tasks of three rollouts, 89 % instead of 95 % (tests/metrics/test_intervals.py measures these limits).
MIN_BOOTSTRAP_TASKS = 20
MIN_TASKS_PER_SIDE = 10


class Interval(NamedTuple):
    """A two-sided interval: for a share both ends are in 0 to 1, for a difference of shares in -1 to 1."""

    low: float
    high: float


def clopper_pearson(count: float, total: float, confidence: float = CONFIDENCE) -> Interval:
    """Return the exact binomial interval for `count` of `total`, total > 0.

    Quantiles of Beta(count, total - count + 1) and Beta(count + 1, total - count) (Clopper and Pearson, 1934).
    Fractional arguments are taken too, for effective sample sizes (Korn and Graubard, 1998).
    """
    if not 0 <= count <= total or total <= 0:
        raise ValueError(f"no interval for {count} of {total}")
    tail = (1.0 - confidence) / 2.0
    low = 0.0 if count == 0 else float(betaincinv(count, total - count + 1.0, tail))
    high = 1.0 if count == total else float(betaincinv(count + 1.0, total - count, 1.0 - tail))
    return Interval(low, high)


def wilson(count: int, total: int, confidence: float = CONFIDENCE) -> Interval:
    """Return Wilson's score interval (1927) for `count` of `total` independent trials, total > 0; for display."""
    if not 0 <= count <= total or total <= 0:
        raise ValueError(f"no interval for {count} of {total}")
    z = float(ndtri((1.0 + confidence) / 2.0))
    share = count / total
    centre = share + z * z / (2 * total)
    spread = z * math.sqrt(share * (1 - share) / total + z * z / (4 * total * total))
    scale = 1 + z * z / total
    return Interval(max(0.0, (centre - spread) / scale), min(1.0, (centre + spread) / scale))


def effective_interval(counts: Sequence[int], totals: Sequence[int], confidence: float = CONFIDENCE) -> Interval | None:
    """Return the exact interval at the effective number of rollouts, one entry per task; None when no rollout counts.

    `counts[k]` of the `totals[k]` rollouts of task k have the property. With one rollout per task this is
    Clopper-Pearson. Otherwise repeats of a task may all tell the same: the number of rollouts is divided by the design
    effect, the linearised variance of the ratio between tasks over the binomial variance, kept between the number of
    tasks and the number of rollouts (Korn and Graubard, 1998). Where all rollouts agree nothing can be estimated, and
    the number of tasks is taken.
    """
    pairs = [(c, t) for c, t in zip(counts, totals, strict=True) if t > 0]
    if not pairs:
        return None
    count, total, tasks = sum(c for c, _ in pairs), sum(t for _, t in pairs), len(pairs)
    share = count / total
    effective = float(tasks)
    if tasks == total:
        return clopper_pearson(count, total, confidence)
    if 0 < count < total and tasks > 1:
        between = math.fsum((c - share * t) ** 2 for c, t in pairs) * tasks / (tasks - 1) / total**2
        effective = min(max(share * (1 - share) / between, tasks), total) if between > 0 else float(total)
    return clopper_pearson(share * effective, effective, confidence)


def resampling_weights(tasks: int, rng: np.random.Generator, resamples: int = RESAMPLES) -> NDArray[np.float64]:
    """Return (resamples, tasks) multiplicities: row b says how often each task was drawn with replacement."""
    drawn = rng.integers(0, tasks, size=(resamples, tasks))
    flat = (drawn + tasks * np.arange(resamples)[:, None]).ravel()
    return np.bincount(flat, minlength=resamples * tasks).reshape(resamples, tasks).astype(np.float64)


def percentile_interval(draws: NDArray[np.float64], units: int) -> Interval:
    """Return the order statistics of `draws` (B,), B > 0, between which `CONFIDENCE` of them lie, rounded outwards.

    `units` is how many things were resampled. Resamples of few vary less than samples do, so the tails are taken
    further out, as Student's t and n / (n - 1) ask for: the expanded percentile interval (Hesterberg, 2015).
    """
    ordered = np.sort(draws)
    tail = (1.0 - CONFIDENCE) / 2.0
    if units > 1:
        tail = float(ndtr(math.sqrt(units / (units - 1)) * stdtrit(units - 1, tail)))
    return Interval(
        float(ordered[math.floor(tail * (ordered.size - 1))]),
        float(ordered[math.ceil((1.0 - tail) * (ordered.size - 1))]),
    )


def cluster_interval(counts: Sequence[int], totals: Sequence[int], weights: NDArray[np.float64]) -> Interval | None:
    """Return the percentile interval of the ratio sum(counts) / sum(totals) when whole tasks are resampled.

    `weights` (B, K) come from `resampling_weights`. Resamples in which no rollout counts are left out. Where the
    bootstrap cannot speak (one rollout per task, fewer than 20 tasks, fewer than 10 tasks that ever have the property
    or ever lack it) this is `effective_interval`.
    """
    usable = [(c, t) for c, t in zip(counts, totals, strict=True) if t > 0]
    count, total = sum(counts), sum(totals)
    rarer_side = min(sum(1 for c, _ in usable if c > 0), sum(1 for c, t in usable if c < t))
    repeated = any(t > 1 for _, t in usable)
    if not repeated or len(usable) < MIN_BOOTSTRAP_TASKS or rarer_side < MIN_TASKS_PER_SIDE:
        return effective_interval(counts, totals)
    # Sums of small integers are exact in float64, so the order in which BLAS adds them cannot show.
    above = weights @ np.asarray(counts, np.float64)
    below = weights @ np.asarray(totals, np.float64)
    low, high = percentile_interval(above[below > 0] / below[below > 0], len(usable))
    return Interval(min(low, count / total), max(high, count / total))
