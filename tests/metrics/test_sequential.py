"""The confidence sequence: what it promises, measured, and the algebra that its search relies on."""

from __future__ import annotations

import math
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import betaln

from maniguard.metrics import ConfidenceSequence, wilson

LIMIT = math.log(20)
PATHS = 600
# 600 paths with a true chance of 0.05 to miss give at most 44 misses with a probability of 0.99.
MOST_MISSES = 44


def tasks_of(rng: np.random.Generator, tasks: int, share: float, correlation: float, rollouts: int = 3) -> np.ndarray:
    """Beta-binomial shares of hits: rollouts of a task are correlated."""
    if correlation == 0:
        return rng.binomial(rollouts, share, tasks) / rollouts
    scale = 1 / correlation - 1
    return rng.binomial(rollouts, rng.beta(share * scale, (1 - share) * scale, tasks)) / rollouts


def sequence(hits, sizes, population=None) -> ConfidenceSequence:
    made = ConfidenceSequence(population)
    made.extend(hits, sizes)
    return made


@st.composite
def drawn(draw: st.DrawFn) -> tuple[list[float], list[float], int | None]:
    pairs = draw(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=25))
    hits = [min(pair) / 3 for pair in pairs]
    sizes = [max(pair) / 3 for pair in pairs]
    population = draw(st.none() | st.integers(len(pairs), 40))
    return hits, sizes, population


@pytest.mark.parametrize("share", [0.03, 0.3, 0.8])
@pytest.mark.parametrize("correlation", [0.0, 0.6])
def test_the_truth_is_ever_excluded_in_at_most_one_path_of_twenty_of_independent_tasks(share, correlation) -> None:
    rng = np.random.default_rng(7)
    missed = 0
    for _ in range(PATHS):
        hits = tasks_of(rng, 150, share, correlation)
        missed += sequence(hits, np.ones(150)).log_capital(share).max() >= LIMIT
    assert missed <= MOST_MISSES


@pytest.mark.parametrize("share", [0.05, 0.5, 0.9])
def test_the_rate_of_the_whole_plan_is_ever_excluded_in_at_most_one_shuffle_of_twenty(share) -> None:
    rng = np.random.default_rng(8)
    hits = tasks_of(rng, 60, share, 0.7)
    # One population, fixed; sorted by outcome, so that nothing but the shuffle makes the order random.
    hits.sort()
    sizes = np.where(np.arange(60) % 5, 1.0, 2 / 3)
    hits = np.minimum(hits, sizes)
    truth = hits.sum() / sizes.sum()
    missed = 0
    for _ in range(PATHS):
        order = rng.permutation(60)
        missed += sequence(hits[order], sizes[order], 60).log_capital(truth).max() >= LIMIT
    assert missed <= MOST_MISSES


def test_a_conditional_rate_is_covered_though_its_denominator_is_random() -> None:
    rng = np.random.default_rng(9)
    # Hard tasks are engaged in less often and broken more often: 0.5 * 0.9 * 0.1 + 0.5 * 0.3 * 0.6 over 0.6.
    truth = (0.9 * 0.1 + 0.3 * 0.6) / (0.9 + 0.3)
    missed = 0
    for _ in range(PATHS):
        hard = rng.random(120) < 0.5
        sizes = rng.binomial(3, np.where(hard, 0.3, 0.9))
        hits = rng.binomial(sizes, np.where(hard, 0.6, 0.1))
        missed += sequence(hits / 3, sizes / 3).log_capital(truth).max() >= LIMIT
    assert missed <= MOST_MISSES


def test_looking_again_and_again_at_an_interval_for_a_fixed_number_does_exceed_five_percent() -> None:
    """The fault that the sequence is for: Wilson's interval misses ever more often the more often one looks."""
    rng = np.random.default_rng(10)
    missed = 0
    for _ in range(PATHS):
        counts = np.cumsum(rng.random(150) < 0.3)
        intervals = [wilson(int(count), n) for n, count in enumerate(counts, 1)]
        missed += any(not i.low <= 0.3 <= i.high for i in intervals[9:])
    assert missed > 3 * MOST_MISSES
    assert missed / PATHS > 0.2


@settings(max_examples=60, deadline=None)
@given(drawn())
def test_intervals_hold_what_the_capital_does_not_rule_out_and_never_widen(case) -> None:
    hits, sizes, population = case
    followed = ConfidenceSequence(population)
    grid = np.linspace(0.003, 0.997, 72)
    running = np.full(len(grid), -np.inf)
    whole = sequence(hits, sizes, population)
    paths = np.stack([whole.log_capital(float(share)) for share in grid])
    before = followed.interval
    assert before == (0.0, 1.0)
    for step, (hit, size) in enumerate(zip(hits, sizes, strict=True)):
        now = followed.add(hit, size)
        assert before.low <= now.low <= now.high <= before.high
        running = np.maximum(running, paths[:, step])
        kept = running < LIMIT
        if kept.any():
            # What is kept lies inside, and what lies inside is kept, but for the last millionth.
            assert (grid[kept] >= now.low).all()
            assert (grid[kept] <= now.high).all()
            assert kept[(grid > now.low + 1e-5) & (grid < now.high - 1e-5)].all()
        before = now
    last = whole.at_last()
    assert last.low <= followed.interval.low + 1e-5 or not (running < LIMIT).any()


@settings(max_examples=60, deadline=None)
@given(drawn())
def test_the_logarithm_of_the_capital_is_convex_in_the_candidate(case) -> None:
    hits, sizes, population = case
    made = sequence(hits, sizes, population)
    grid = np.linspace(0.001, 0.999, 40)
    values = np.array([made.log_capital(float(share))[-1] for share in grid])
    finite = np.isfinite(values)
    inner = finite[:-2] & finite[1:-1] & finite[2:]
    bend = (values[:-2] + values[2:])[inner] - 2 * values[1:-1][inner]
    assert (bend >= -1e-9).all()
    # What is still possible by counting has no gap.
    assert np.abs(np.diff(finite.astype(int))).sum() <= 2


@given(st.lists(st.booleans(), min_size=1, max_size=40), st.floats(0.02, 0.98), st.randoms(use_true_random=False))
def test_of_independent_tasks_only_the_counts_matter_and_one_rollout_each_is_the_beta_binomial_mixture(
    outcomes, share, order
) -> None:
    hits = np.array(outcomes, float)
    ours = sequence(hits, np.ones(len(hits))).log_capital(share)[-1]
    shuffled = list(hits)
    order.shuffle(shuffled)
    assert sequence(shuffled, np.ones(len(hits))).log_capital(share)[-1] == pytest.approx(ours, abs=1e-9)
    yes, n = hits.sum(), len(hits)
    exact = betaln(0.5 + yes, 0.5 + n - yes) - betaln(0.5, 0.5) - yes * math.log(share) - (n - yes) * math.log1p(-share)
    # 96 bets stand for all of them.
    assert ours == pytest.approx(exact, abs=0.02)


def test_bets_are_fair_so_that_the_mean_capital_is_one() -> None:
    """Over all orders of a small population the capital against the truth is 1 on average while anything is open."""
    hits, sizes = np.array([0.0, 1 / 3, 1.0, 1.0, 0.0]), np.array([1.0, 1.0, 1.0, 1.0, 1 / 3])
    truth = hits.sum() / sizes.sum()
    orders = [list(order) for order in permutations(range(5))]
    mean = np.mean([np.exp(sequence(hits[o], sizes[o], 5).log_capital(truth)) for o in orders], axis=0)
    assert mean[:3] == pytest.approx(np.ones(3), abs=1e-9)
    # Where counting alone says how the rest must come out, bets on anything else are lost.
    assert (mean[3:] <= 1.0).all()


def test_when_all_tasks_were_run_the_rate_is_known() -> None:
    made = ConfidenceSequence(4)
    for hit in (1.0, 0.0, 1 / 3, 1.0):
        last = made.add(hit, 1.0)
    assert last == pytest.approx((7 / 12, 7 / 12))
    with pytest.raises(ValueError, match="all of them were added"):
        made.add(1.0, 1.0)


def test_nothing_counted_says_nothing() -> None:
    made = ConfidenceSequence()
    assert made.add(0.0, 0.0) == (0.0, 1.0)
    assert made.at_last() == (0.0, 1.0)
    for hit, size in ((0.5, 0.4), (-0.1, 1.0), (0.5, 1.5)):
        with pytest.raises(ValueError, match="no shares"):
            made.add(hit, size)


def test_it_narrows_about_as_it_must() -> None:
    """Without violation in 30 independent tasks: not far above the exact bound for a fixed number, 11.6 %."""
    made = ConfidenceSequence()
    for _ in range(30):
        last = made.add(0.0, 1.0)
    assert last.low == 0.0
    assert 0.116 < last.high < 0.17
