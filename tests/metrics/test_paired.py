from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest

from maniguard.metrics import RowError, holm, mcnemar_exact, paired_difference, sign_flip_exact

from .builders import row


@given(st.integers(0, 60), st.integers(0, 60))
def test_mcnemar_is_the_binomial_test_on_discordant_pairs(b, c):
    expected = 1.0 if b + c == 0 else binomtest(b, b + c).pvalue
    assert mcnemar_exact(b, c) == pytest.approx(expected, abs=1e-12)


def test_holm_steps_down_and_never_reorders():
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx((0.03, 0.06, 0.06, 0.02))
    assert holm([0.9, 0.8]) == (1.0, 1.0)
    assert holm([]) == ()


def test_difference_counts_discordant_pairs_of_common_rollouts():
    a = [row(f"t{k}", s, success=k < 10) for k in range(30) for s in range(2)]
    b = [row(f"t{k}", s, success=k < 20) for k in range(30) for s in range(2)] + [row("only-b")]
    d = paired_difference(a, b)
    assert (d.pairs, d.tasks, d.only_a, d.only_b) == (60, 30, 0, 20)
    assert d.difference == pytest.approx(1 / 3)
    assert 0.15 < d.low < d.difference < d.high < 0.55
    assert d.p_value == pytest.approx(2 * 0.5**20)
    # Ten tasks won both of their pairs, and say what ten tasks can say.
    assert d.p_tasks == pytest.approx(2 * 0.5**10)
    assert paired_difference(b, a).difference == pytest.approx(-1 / 3)


@pytest.mark.parametrize("tasks", [6, 40])
def test_turning_a_comparison_round_turns_its_interval_round(tasks):
    rng = np.random.default_rng(2)
    a = [row(f"t{k}", s, success=bool(rng.random() < 0.4)) for k in range(tasks) for s in range(2)]
    b = [row(f"t{k}", s, success=bool(rng.random() < 0.6)) for k in range(tasks) for s in range(2)]
    forth, back = paired_difference(a, b), paired_difference(b, a)
    assert (back.low, back.high) == pytest.approx((-forth.high, -forth.low))
    assert (back.p_tasks, back.p_value) == (forth.p_tasks, forth.p_value)


def test_conditions_pair_by_task_and_seed_and_excluded_rollouts_with_nothing():
    base = [row("a", success=True), row("b", success=True), row("c", status="infra-error")]
    moved = [row(t, condition="location") for t in "abc"]
    d = paired_difference(base, moved, rate="success", across_conditions=True)
    assert (d.pairs, d.only_a, d.difference) == (2, 2, -1.0)
    assert paired_difference(base, moved).difference is None


def test_conditional_rates_and_doubled_rollouts_are_refused():
    with pytest.raises(RowError, match="no paired difference of 'evr'"):
        paired_difference([], [], rate="evr")
    with pytest.raises(RowError, match="two rollouts"):
        paired_difference([row(), row(condition="location")], [], across_conditions=True)


def test_agreement_in_a_few_tasks_is_no_proof_of_equality():
    few = [row(f"t{k}") for k in range(3)]
    d = paired_difference(few, few)
    assert d.difference == 0
    assert d.low < -0.5
    assert d.high > 0.5
    many = [row(f"t{k}") for k in range(200)]
    assert -0.03 < paired_difference(many, many).low < 0 < paired_difference(many, many).high < 0.03


@pytest.mark.parametrize("tasks", [5, 30])
def test_intervals_of_the_difference_cover(tasks):
    rng = np.random.default_rng(5)
    covered = 0
    for _ in range(200):
        before, after = rng.random(tasks) < 0.6, rng.random(tasks) < 0.4
        a = [row(f"t{k}", success=bool(x)) for k, x in enumerate(before)]
        b = [row(f"t{k}", success=bool(x)) for k, x in enumerate(after)]
        d = paired_difference(a, b)
        covered += d.low <= -0.2 <= d.high
    assert covered / 200 >= 0.91


@given(st.lists(st.sampled_from([-1, 0, 1]), max_size=60))
def test_with_one_pair_a_task_the_test_of_tasks_is_mcnemars(gains):
    expected = mcnemar_exact(gains.count(-1), gains.count(1))
    assert sign_flip_exact(gains) == pytest.approx(expected, rel=1e-9)


@given(st.lists(st.integers(-3, 3), max_size=9))
def test_the_test_of_tasks_counts_all_choices_of_signs(gains):
    sums = [0]
    for gain in gains:
        sums = [s + sign * gain for s in sums for sign in (-1, 1)]
    expected = sum(abs(s) >= abs(sum(gains)) for s in sums) / len(sums)
    assert sign_flip_exact(gains) == pytest.approx(expected, rel=1e-9)
    assert sign_flip_exact([-gain for gain in gains]) == sign_flip_exact(gains)


def test_three_copies_of_every_rollout_prove_nothing_new_to_the_test_of_tasks():
    once = [-1] * 4 + [1] * 12
    assert sign_flip_exact([3 * gain for gain in once]) == pytest.approx(mcnemar_exact(4, 12))
    assert mcnemar_exact(12, 36) < 0.001 < 0.05 < mcnemar_exact(4, 12)


def test_equal_policies_are_told_apart_too_often_only_where_repeats_count_as_new():
    """Tasks of three seeds with correlated outcomes and no difference: 400 comparisons at a level of 5 %."""
    rng = np.random.default_rng(4)
    false_by_pairs = false_by_tasks = 0
    for _ in range(400):
        # Each policy has its own tasks that it can do; all three seeds tell the same.
        a, b = (np.repeat(rng.random(40) < 0.5, 3).reshape(40, 3) for _ in range(2))
        gains = (b.astype(int) - a).sum(axis=1)
        lost, won = int((a & ~b).sum()), int((b & ~a).sum())
        false_by_pairs += mcnemar_exact(lost, won) <= 0.05
        false_by_tasks += sign_flip_exact(gains.tolist()) <= 0.05
    assert false_by_tasks / 400 <= 0.07
    assert false_by_pairs / 400 > 0.2


def test_large_comparisons_stay_exact():
    assert sign_flip_exact([3] * 1000) == pytest.approx(2 * 0.5**1000, rel=1e-9, abs=0)
    assert sign_flip_exact([]) == 1.0
    assert sign_flip_exact([0, 0]) == 1.0
