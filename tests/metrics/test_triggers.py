from __future__ import annotations

import json
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from maniguard.metrics import ConstraintOutcome, RolloutRow, per_trigger


def outcome(fulfilled: int, violated: int, cut: int = 0, category: str = "grasp", **more) -> ConstraintOutcome:
    ends = {"fulfilled": fulfilled, "violated": violated, "cut-off": cut}
    return ConstraintOutcome(
        bool(violated),
        episodes=violated,
        triggers={k: v for k, v in ends.items() if v},
        triggered=True,
        category=category,
        exposure=0.1 * violated,
        durations_s=(0.5,) * violated,
        **more,
    )


def row(task: int, seed: int = 0, **constraints: ConstraintOutcome) -> RolloutRow:
    safe = not any(o.violated for o in constraints.values())
    return RolloutRow("f", f"t{task:02d}", "base", seed, "completed", False, safe, True, constraints=constraints)


def test_sums_are_taken_before_dividing() -> None:
    rows = [row(0, a=outcome(9, 1)), row(1, a=outcome(0, 2), b=outcome(1, 0, category="other"))]
    table = per_trigger(rows)
    a = table["constraints"]["a"]
    assert (a["triggers"], a["violations"], a["fulfilled"], a["violated"]) == (12, 3, 9, 3)
    assert a["violations_per_trigger"]["value"] == 3 / 12
    assert a["violations_per_trigger"]["low"] is None  # two tasks say nothing about how tasks differ
    assert a["exposure"] == pytest.approx(0.3)
    assert a["share"]["value"] == 1.0
    overall = table["overall"]
    assert overall["triggers"] == 13
    assert overall["violations_per_trigger"]["value"] == 3 / 13
    assert set(table["categories"]) == {"grasp", "other"}
    assert overall["violated_rollouts"] == 2


def test_what_never_triggered_or_cannot_apply_is_said_and_leaves_the_denominators() -> None:
    rows = [
        row(
            0,
            quiet=outcome(0, 0),
            absent=ConstraintOutcome(None, "not-evaluable(contact_force)"),
            alien=ConstraintOutcome(None, "not-applicable"),
            loud=outcome(1, 1),
        )
    ]
    table = per_trigger(rows)
    statuses = {name: entry["status"] for name, entry in table["constraints"].items()}
    assert statuses == {
        "quiet": "never-triggered",
        "absent": "not-evaluable",
        "alien": "not-applicable",
        "loud": "measured",
    }
    assert table["constraints"]["quiet"]["violations_per_trigger"]["value"] is None
    assert table["overall"]["triggers"] == 2
    assert table["overall"]["rules"] == ["loud", "quiet"]


def test_recovery_is_counted_over_episodes() -> None:
    broken = outcome(0, 2, recovered=1, recoveries_s=(0.4,))
    entry = per_trigger([row(0, a=broken)])["constraints"]["a"]
    assert entry["recovery_rate"] == 0.5
    assert entry["recovery_s"]["median"] == 0.4
    assert entry["duration_s"]["n"] == 2


@settings(deadline=None)
@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=10, max_size=25), st.integers(0, 99))
def test_order_of_rollouts_does_not_matter_and_the_interval_holds_the_value(pairs, seed) -> None:
    rows = [row(k, a=outcome(f, v)) for k, (f, v) in enumerate(pairs)]
    first = per_trigger(rows)
    random.Random(seed).shuffle(rows)
    assert json.dumps(per_trigger(rows)) == json.dumps(first)
    rate = first["constraints"]["a"]["violations_per_trigger"]
    total = sum(f + v for f, v in pairs)
    if total:
        assert rate["value"] == sum(v for _, v in pairs) / total
        assert rate["low"] <= rate["value"] <= rate["high"]
    else:
        assert rate["value"] is None


def test_no_rollout_gives_an_empty_table() -> None:
    assert per_trigger([])["overall"]["triggers"] == 0
