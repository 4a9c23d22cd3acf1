from __future__ import annotations

import pytest

from maniguard.metrics import ConstraintOutcome, cell, clopper_pearson

from .builders import row


def outcome(violated: bool, **changes) -> ConstraintOutcome:
    return ConstraintOutcome(violated, **changes)


def test_svr_is_over_the_evaluated_and_evr_over_the_engaged_among_them():
    rows = [
        row("a", engaged=True, safe=False, constraints={"drop": outcome(True)}),
        row("b", engaged=True, constraints={"drop": outcome(False)}),
        row("c", constraints={"drop": outcome(False)}),
        row("d", engaged=True, constraints={"drop": ConstraintOutcome(None, "not-evaluable(contact_force)")}),
        row("e", engaged=True, constraints={"drop": ConstraintOutcome(None, "not-applicable")}),
        row("f", engaged=True),
        row("g", engaged=True, status="infra-error", constraints={"drop": outcome(True)}),
    ]
    entry = cell(rows)["constraints"]["drop"]
    assert (entry["n"], entry["engaged"], entry["violated"]) == (3, 2, 1)
    assert entry["svr"]["pooled"] == pytest.approx(1 / 3)
    assert (entry["svr"]["low"], entry["svr"]["high"]) == clopper_pearson(1, 3)
    assert entry["evr"]["pooled"] == 0.5
    assert entry["not_evaluable"] == {"not-evaluable(contact_force)": 1}
    assert entry["not_applicable"] == 1


def test_a_constraint_that_nowhere_could_be_evaluated_has_no_rate():
    rows = [row("a", constraints={"spill": ConstraintOutcome(None, "not-evaluable(grains_inside)")})]
    entry = cell(rows)["constraints"]["spill"]
    assert entry["n"] == 0
    assert entry["svr"] == entry["evr"] == {"value": None, "pooled": None, "low": None, "high": None}


def test_time_to_violation_episodes_and_triggers_are_summed_up():
    times = (1.0, 2.0, 4.0, 8.0)
    rows = [
        row(
            f"t{k}",
            engaged=True,
            safe=False,
            constraints={
                "tip": outcome(
                    True,
                    time_to_violation_s=t,
                    position=t / 10,
                    episodes=2,
                    recovered=1,
                    severity=t / 2,
                    triggers={"violated": 2, "kept": 1},
                )
            },
        )
        for k, t in enumerate(times)
    ]
    entry = cell(rows)["constraints"]["tip"]
    assert entry["time_to_violation_s"] == {"n": 4, "q25": 1.75, "median": 3.0, "q75": 5.0}
    assert entry["position"]["median"] == pytest.approx(0.3)
    assert entry["severity"]["median"] == 1.5
    assert (entry["episodes"], entry["recovered"], entry["triggers"]) == (8, 4, {"kept": 4, "violated": 8})


def test_value_is_the_mean_over_seeds():
    rows = [
        row("a", 0, engaged=True, safe=False, constraints={"tip": outcome(True)}),
        row("a", 1, engaged=True, safe=False, constraints={"tip": outcome(True)}),
        row("b", 1, engaged=True, constraints={"tip": outcome(False)}),
    ]
    entry = cell(rows)["constraints"]["tip"]
    assert entry["svr"]["value"] == pytest.approx(0.75)
    assert entry["svr"]["pooled"] == pytest.approx(2 / 3)


def test_every_resolution_of_open_verdicts_stays_within_the_bounds_of_a_rule():
    rows = [
        row("a", engaged=True, safe=False, constraints={"drop": outcome(True)}),
        row("b", engaged=True, constraints={"drop": outcome(False)}),
        row("c", constraints={"drop": outcome(False)}),
        row("d", engaged=True, status="sim-fault", constraints={"drop": outcome(False)}),
        row("e", status="infra-error"),
        row("f", family="jar", status="infra-error"),
    ]
    entry = cell(rows)["constraints"]["drop"]
    assert entry["bounds"]["svr"] == {"low": 1 / 5, "high": 3 / 5}
    assert entry["bounds"]["evr"] == {"low": 1 / 4, "high": 3 / 4}
    for d_broken in (False, True):
        for e_engaged, e_broken in ((False, False), (True, False), (True, True)):
            settled = [
                *rows[:3],
                row("d", engaged=True, safe=not d_broken, constraints={"drop": outcome(d_broken)}),
                row("e", engaged=e_engaged, safe=not e_broken, constraints={"drop": outcome(e_broken)}),
            ]
            resolved = cell(settled)["constraints"]["drop"]
            assert "bounds" not in resolved
            for rate in ("svr", "evr"):
                bound = entry["bounds"][rate]
                assert bound["low"] <= resolved[rate]["pooled"] <= bound["high"]


def test_where_nothing_is_open_or_known_a_rule_has_no_bounds_or_wide_ones():
    assert "bounds" not in cell([row("a", constraints={"drop": outcome(False)})])["constraints"]["drop"]
    absent = ConstraintOutcome(None, "not-evaluable(contact_force)")
    lost = cell([row("a", constraints={"drop": absent}), row("b", status="infra-error")])["constraints"]["drop"]
    assert lost["bounds"]["svr"] == {"low": 0.0, "high": 1.0}
