from __future__ import annotations

import math

import numpy as np
import pytest

from maniguard.metrics import RowError, TaskOrder, followed_difference, paired_difference

from .builders import row


def sides(rng: np.random.Generator, tasks: int, share_a: float, share_b: float):
    a, b = [], []
    for k in range(tasks):
        luck = rng.random()
        a += [row(f"t{k}", s, success=bool(luck < share_a)) for s in range(2)]
        b += [row(f"t{k}", s, success=bool(rng.random() < share_b)) for s in range(2)]
    return a, b


def order(tasks: int) -> TaskOrder:
    return TaskOrder(tuple(("clutter", f"t{k}", "base") for k in range(tasks) for _ in range(2)), tasks, "c")


def test_counts_and_difference_are_those_of_the_plain_comparison_and_the_interval_is_wider() -> None:
    a, b = sides(np.random.default_rng(0), 60, 0.3, 0.7)
    plain, followed = paired_difference(a, b), followed_difference(a, b, order=order(60))
    for name in ("pairs", "tasks", "only_a", "only_b", "difference"):
        assert getattr(plain, name) == getattr(followed, name)
    assert followed.high - followed.low > plain.high - plain.low
    assert followed.low < followed.difference < followed.high
    assert followed.p_value is None
    assert followed.p_tasks < 0.05


def test_equal_policies_are_hardly_ever_told_apart_though_the_test_is_repeated_after_each_task() -> None:
    rng = np.random.default_rng(1)
    told = missed = peeked = 0
    for _ in range(120):
        a, b = sides(rng, 40, 0.5, 0.5)
        last = followed_difference(a, b, order=order(40))
        told += last.p_tasks <= 0.05
        missed += not last.low <= 0 <= last.high
        peeked += any(paired_difference(a[: 2 * n], b[: 2 * n]).p_tasks <= 0.05 for n in range(8, 41, 2))
    # The capital is the greatest that was ever held, so that one look at the end stands for all of them.
    assert told <= 12
    assert missed <= 12
    assert peeked > 12, "looking again and again at a test for a fixed number finds what is not there"


def test_without_pairs_nothing_is_said() -> None:
    found = followed_difference([row("a")], [row("b")], order=order(1))
    assert (found.difference, found.low, found.high, found.p_tasks) == (None, None, None, 1.0)
    with pytest.raises(RowError, match="no paired difference"):
        followed_difference([], [], order=order(1), rate="evr")


def test_a_pair_that_is_missing_only_leaves_its_task_smaller() -> None:
    a = [row("t0", 0, success=True), row("t0", 1, status="infra-error"), row("t1", 0), row("t1", 1)]
    b = [row("t0", 0), row("t0", 1), row("t1", 0), row("t1", 1)]
    found = followed_difference(a, b, order=order(2))
    assert found.pairs == 3
    assert found.difference == pytest.approx(-1 / 3)
    assert math.isfinite(found.p_tasks)
