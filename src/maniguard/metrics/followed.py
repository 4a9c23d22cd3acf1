"""Paired differences of runs of which one might stop by what it saw: intervals and tests that allow for it."""

from __future__ import annotations

import math
from collections.abc import Iterable

from maniguard.metrics.paired import PairedDifference, gains_by_task, paired_difference
from maniguard.metrics.rows import RolloutRow
from maniguard.metrics.sequential import ConfidenceSequence
from maniguard.metrics.stopping import TaskOrder


def followed_difference(
    a: Iterable[RolloutRow], b: Iterable[RolloutRow], *, order: TaskOrder, rate: str = "ssr"
) -> PairedDifference:
    """Compare an unconditional rate as `paired_difference` does, with the tasks in the drawn order of a run.

    A pair scores 1 where only b has the property, 0 where only a has it, and 1/2 otherwise; the mean score is (1 +
    difference) / 2, and its confidence sequence over tasks gives the interval. `p_tasks` is one over the greatest
    capital ever held against no difference, a p-value at any time of stopping (Ville, 1939); `p_value` is None.
    """
    left, right = list(a), list(b)
    plain = paired_difference(left, right, rate=rate)
    by_task = gains_by_task(left, right, rate=rate)
    found = [by_task[cluster] for cluster in order.tasks if cluster in by_task]
    most = max((len(gains) for gains in found), default=1)
    sequence, even = ConfidenceSequence(), ConfidenceSequence()
    for gains in found:
        score, size = (len(gains) + sum(gains)) / 2 / most, len(gains) / most
        sequence.add(score, size)
        even.extend([score], [size])
    interval = sequence.interval
    capital = max(0.0, float(even.log_capital(0.5).max())) if found else 0.0
    return PairedDifference(
        rate=plain.rate,
        pairs=plain.pairs,
        tasks=plain.tasks,
        only_a=plain.only_a,
        only_b=plain.only_b,
        difference=plain.difference,
        low=2 * interval.low - 1 if found else None,
        high=2 * interval.high - 1 if found else None,
        p_value=None,
        p_tasks=math.exp(-capital),
    )
