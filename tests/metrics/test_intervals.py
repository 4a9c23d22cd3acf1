from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom, binomtest, norm, t

from maniguard.metrics.intervals import (
    clopper_pearson,
    cluster_interval,
    effective_interval,
    percentile_interval,
    resampling_weights,
    wilson,
)


@given(st.integers(1, 300).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_exact_and_score_intervals_agree_with_an_independent_implementation(case):
    count, total = case
    for ours, method in ((clopper_pearson, "exact"), (wilson, "wilson")):
        theirs = binomtest(count, total).proportion_ci(0.95, method=method)
        assert ours(count, total) == pytest.approx((theirs.low, theirs.high), abs=1e-9)


@pytest.mark.parametrize(("total", "share"), [(5, 0.1), (20, 0.95), (50, 0.995), (50, 0.5)])
def test_clopper_pearson_covers_at_least_as_often_as_it_says(total, share):
    counts = np.arange(total + 1)
    covered = [low <= share <= high for low, high in (clopper_pearson(int(k), total) for k in counts)]
    assert binom.pmf(counts, total, share)[covered].sum() >= 0.95


@pytest.mark.parametrize("bad", [(1, 0), (-1, 3), (4, 3)])
def test_impossible_counts_have_no_interval(bad):
    with pytest.raises(ValueError, match="no interval"):
        clopper_pearson(*bad)
    with pytest.raises(ValueError, match="no interval"):
        wilson(*bad)


def test_no_rollout_no_interval():
    assert effective_interval([], []) is None
    assert effective_interval([0, 0], [0, 0]) is None


def test_effective_number_lies_between_tasks_and_rollouts():
    alike = effective_interval([3, 3, 3, 0, 0, 0], [3] * 6)
    mixed = effective_interval([2, 1, 2, 1, 2, 1], [3] * 6)
    assert alike == pytest.approx(clopper_pearson(3, 6))
    assert mixed == pytest.approx(clopper_pearson(9, 18))


def test_weights_draw_as_many_tasks_as_there_are():
    weights = resampling_weights(7, np.random.default_rng(1), 50)
    assert weights.shape == (50, 7)
    assert (weights.sum(axis=1) == 7).all()


def test_bootstrap_equals_resampling_by_hand():
    rng = np.random.default_rng(3)
    counts, totals = rng.binomial(3, 0.5, 40).tolist(), [3] * 40
    weights = resampling_weights(40, np.random.default_rng(9))
    shares = sorted(sum(w * c for w, c in zip(row, counts, strict=True)) / 120 for row in weights)
    interval = cluster_interval(counts, totals, weights)
    # 2.5 % on either side would be shares 99 and 3900; for 40 tasks the tails are 2.03 %.
    assert interval == (shares[81], shares[3918])


def test_tails_are_those_of_students_t_where_few_were_resampled():
    draws = np.linspace(0, 1, 100_001)
    for units in (5, 20, 200, 100_000):
        tail = norm.cdf(t.ppf(0.025, units - 1) * np.sqrt(units / (units - 1)))
        assert percentile_interval(draws, units) == pytest.approx((tail, 1 - tail), abs=2e-5)
    assert percentile_interval(draws, 100_000).low == pytest.approx(0.025, abs=1e-4)


@pytest.mark.parametrize(("tasks", "share"), [(5, 0.5), (20, 0.8), (29, 0.95), (55, 0.95), (55, 0.5)])
@pytest.mark.parametrize("correlation", [0.1, 0.6])
def test_intervals_of_repeated_tasks_cover(tasks, share, correlation):
    """Beta-binomial tasks of three rollouts each; nominal 95 %, allowed down to 92 % with 400 draws."""
    rng = np.random.default_rng(11)
    weights = resampling_weights(tasks, rng, 1000)
    a, b = share * (1 / correlation - 1), (1 - share) * (1 / correlation - 1)
    covered = 0
    for _ in range(400):
        counts = rng.binomial(3, rng.beta(a, b, tasks)).tolist()
        interval = cluster_interval(counts, [3] * tasks, weights)
        assert interval is not None
        covered += interval.low <= share <= interval.high
    assert covered / 400 >= 0.92
