"""When a rollout ends."""

from __future__ import annotations

import pytest

from maniguard.rollout.session import last_step


@pytest.mark.parametrize(
    ("success_step", "end"),
    [
        (None, 120),
        (0, 20),
        (60, 80),
        (99, 119),
        (100, 120),
        (101, 120),
        (119, 120),
    ],
)
def test_one_second_after_success_or_after_the_limit(success_step, end):
    assert last_step(100, success_step) == end
