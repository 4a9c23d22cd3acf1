from __future__ import annotations

import json
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from maniguard.metrics import RATE_NAMES, ConstraintOutcome, cell, clopper_pearson, dashed, summarize, to_json

from .builders import ledgers, row


@given(ledgers(strict=True))
def test_identities_hold_exactly_for_any_strict_ledger(rows):
    c = cell(rows)
    if c["n"] == 0:
        assert all(c[name] == {"value": None, "pooled": None, "low": None, "high": None} for name in RATE_NAMES)
        return
    p = {
        name: None if c[name]["pooled"] is None else Fraction(c[name]["pooled"]).limit_denominator(100)
        for name in RATE_NAMES
    }
    assert p["safe"] == p["vacuous_safe"] + p["eng_safe"]
    assert p["svr"] == p["eng"] * (p["evr"] or 0) + p["uneng_unsafe"]
    assert p["ssr"] + p["succ_unsafe"] + p["unsucc_safe"] + p["unsucc_unsafe"] == 1
    assert p["safe"] + p["svr"] == 1
    assert (p["evr"] is None) == (p["eng"] == 0) == (p["safe_given_eng"] is None)
    if p["evr"] is not None:
        assert p["evr"] + p["safe_given_eng"] == 1
    for name in RATE_NAMES:
        if p[name] is not None:
            assert 0 <= c[name]["low"] <= c[name]["pooled"] <= c[name]["high"] <= 1
            assert c[name]["low"] < c[name]["high"], "an interval of no width claims certainty"


@given(ledgers())
def test_n_and_excluded_account_for_every_rollout_in_every_cell(rows):
    s = summarize(rows)
    for part in (s["families"], s["conditions"]):
        assert sum(c["n"] + sum(c["excluded"].values()) for c in part.values()) == len(rows)
    assert s["overall"]["n"] + sum(s["overall"]["excluded"].values()) == len(rows)
    assert sum(s["overall"]["ladder"].values()) == s["overall"]["n"]
    assert s["overall"]["uneng_unsafe"]["pooled"] in (0.0, None)


@given(ledgers(), st.randoms(use_true_random=False))
def test_json_does_not_depend_on_the_order_of_the_rows(rows, order):
    shuffled = list(rows)
    order.shuffle(shuffled)
    text = to_json(summarize(rows))
    assert text == to_json(summarize(shuffled))
    assert list(json.loads(text)) == ["overall", "families", "conditions"]


def test_value_is_the_mean_over_the_seeds_in_which_a_rate_is_defined():
    rows = [
        row("a", 0, engaged=True, safe=False),
        row("b", 0, engaged=True),
        row("c", 0, engaged=True),
        row("a", 1, engaged=True, safe=False),
        row("b", 1),
        row("a", 2),
    ]
    c = cell(rows)
    assert c["evr"]["value"] == pytest.approx((1 / 3 + 1) / 2)
    assert c["evr"]["pooled"] == pytest.approx(2 / 4)
    assert c["eng"]["value"] == pytest.approx((1 + 1 / 2 + 0) / 3)


def test_policy_fault_counts_as_unsuccessful_with_the_verdict_so_far():
    c = cell([row("a", status="policy-fault", success=True, engaged=True, ladder="success"), row("b")])
    assert c["n"] == 2
    assert c["success"]["pooled"] == 0
    assert c["safe"]["pooled"] == 1
    assert c["ladder"] == {"success": 0, "manipulated": 1, "reached": 0, "idle": 0, "unknown": 1}
    assert "bounds" not in c


def test_sim_fault_counts_unsafe_and_the_other_bound_is_printed():
    c = cell([row("a", status="sim-fault", engaged=True), row("b", engaged=True)])
    assert (c["safe"]["pooled"], c["evr"]["pooled"], c["unsucc_unsafe"]["pooled"]) == (0.5, 0.5, 0.5)
    assert c["bounds"]["safe"] == {"low": 0.5, "high": 1.0}
    assert c["bounds"]["evr"] == {"low": 0.0, "high": 0.5}
    assert c["bounds"]["success"] == {"low": 0.0, "high": 0.0}


def test_sim_fault_after_a_violation_has_no_kind_bound():
    c = cell([row("a", status="sim-fault", engaged=True, safe=False), row("b", engaged=True)])
    assert c["bounds"]["safe"] == {"low": 0.5, "high": 0.5}


def test_infra_errors_and_invalid_scenes_are_outside_n_and_infra_errors_open_the_bounds():
    rows = [
        row("a", success=True, engaged=True),
        row("b", engaged=True, safe=False),
        row("c", status="infra-error"),
        row("d", status="invalid-scene"),
        row("e", status="invalid-scene"),
    ]
    c = cell(rows)
    assert c["n"] == 2
    assert c["excluded"] == {"infra-error": 1, "invalid-scene": 2}
    assert c["ssr"]["pooled"] == 0.5
    assert c["bounds"]["ssr"] == {"low": pytest.approx(1 / 3), "high": pytest.approx(2 / 3)}
    assert c["bounds"]["evr"] == {"low": pytest.approx(1 / 3), "high": pytest.approx(2 / 3)}


@given(ledgers())
def test_every_resolution_of_open_verdicts_stays_within_the_bounds(rows):
    c = cell(rows)
    if "bounds" not in c:
        return
    for outcome in ((True, True, True), (False, False, True), (False, True, False), (True, False, True)):
        settled = [
            row(
                r.task,
                r.seed,
                family=r.family,
                condition=r.condition,
                success=outcome[0],
                safe=outcome[1],
                engaged=outcome[2],
            )
            if r.status == "infra-error"
            else r
            for r in rows
        ]
        resolved = cell(settled)
        for name in RATE_NAMES:
            if resolved[name]["pooled"] is not None:
                assert c["bounds"][name]["low"] <= resolved[name]["pooled"] <= c["bounds"][name]["high"]


def test_repeating_a_task_does_not_narrow_the_interval_as_new_tasks_would():
    once = [row(f"t{k}", 0, success=k < 25) for k in range(50)]
    again = once + [row(f"t{k}", s, success=k < 25) for k in range(50) for s in (1, 2)]
    fresh = [row(f"t{k}", 0, success=k < 75) for k in range(150)]
    width = {name: cell(rows)["success"]["high"] - cell(rows)["success"]["low"] for name, rows in
             (("once", once), ("again", again), ("fresh", fresh))}  # fmt: skip
    assert width["again"] == pytest.approx(width["once"], rel=0.1)
    assert width["fresh"] < 0.7 * width["again"]


def test_one_rollout_per_task_gets_the_exact_interval():
    c = cell([row(f"t{k}", success=k < 7) for k in range(40)])
    assert (c["success"]["low"], c["success"]["high"]) == clopper_pearson(7, 40)


def test_no_violation_in_repeated_tasks_claims_no_more_than_that_many_tasks_can():
    c = cell([row(f"t{k}", s, engaged=True) for k in range(55) for s in range(3)])
    assert c["svr"] == {"value": 0.0, "pooled": 0.0, "low": 0.0, "high": clopper_pearson(0, 55).high}


def test_post_success_violation_has_its_own_rate_over_the_rollouts_that_recorded_it():
    rows = [row("a", post_success_violation=True), row("b", post_success_violation=False), row("c")]
    assert cell(rows)["post_success_violation"]["pooled"] == 0.5
    assert "post_success_violation" not in cell([row("a")])


def test_conditional_rates_are_dashed_for_few_engaged_rollouts_or_a_seed_without_any():
    conditional = {"evr", "safe_given_eng"}
    assert dashed([row(f"t{k}", engaged=True) for k in range(9)]) == conditional
    assert dashed([row(f"t{k}", engaged=True) for k in range(10)]) == set()
    assert dashed([row(f"t{k}", engaged=True) for k in range(10)] + [row("t0", 1)]) == conditional
    assert dashed([]) == conditional


def test_families_and_conditions_come_in_the_benchmarks_order():
    rows = [
        row("a", family=f, condition=c)
        for f in ("zebra", "dusty", "clutter", "apple")
        for c in ("location", "own", "base")
    ]
    s = summarize(rows)
    assert list(s["families"]) == ["clutter", "dusty", "apple", "zebra"]
    assert list(s["conditions"]) == ["base", "location", "own"]


def test_an_empty_ledger_is_a_summary_of_nothing():
    c = summarize([])["overall"]
    assert (c["n"], c["excluded"], c["constraints"]) == (0, {}, {})
    assert c["ssr"]["value"] is None
    assert summarize([])["families"] == {}


def test_json_is_plain_and_finite():
    rows = [row("a", engaged=True, safe=False, constraints={"c": ConstraintOutcome(True, time_to_violation_s=0.5)})]
    text = to_json(summarize(rows))
    assert text.endswith("}\n")
    json.loads(text, parse_constant=lambda name: pytest.fail(f"{name} is not JSON"))
