from __future__ import annotations

import pytest

from maniguard.metrics import ConstraintOutcome, RowError, check_rows, summarize

from .builders import row


def test_unknown_status_and_rung_name_the_alternatives():
    with pytest.raises(RowError, match=r"unknown status 'done'.*completed"):
        row(status="done")
    with pytest.raises(RowError, match=r"unknown ladder rung 'touched'.*manipulated"):
        row(ladder="touched")


def test_a_blow_up_before_engagement_is_not_a_sim_fault():
    with pytest.raises(RowError, match="infra-error"):
        row(status="sim-fault", engaged=False)


def test_a_safe_rollout_has_no_violated_constraint():
    with pytest.raises(RowError, match="'tip' is violated"):
        row(safe=True, engaged=True, constraints={"tip": ConstraintOutcome(True)})


@pytest.mark.parametrize(("violated", "status"), [(None, "evaluated"), (False, "not-applicable")])
def test_exactly_the_evaluated_constraints_have_a_verdict(violated, status):
    with pytest.raises(RowError, match="evaluated"):
        ConstraintOutcome(violated, status)


@pytest.mark.parametrize("protocol", ["maniguard", "paper-literal"])
def test_unsafe_without_engagement_is_refused_where_only_engaged_violations_count(protocol):
    with pytest.raises(RowError, match=r"clutter/t0/base seed 0: unsafe but not engaged"):
        summarize([row(safe=False)], protocol=protocol)


def test_unsafe_without_engagement_is_a_rate_under_strict():
    c = summarize([row(safe=False), row("t1")], protocol="strict")["overall"]
    assert c["uneng_unsafe"]["pooled"] == 0.5
    assert c["evr"]["pooled"] is None


def test_a_rollout_counts_once():
    with pytest.raises(RowError, match="appears twice"):
        check_rows([row(), row("t1"), row()], protocol="strict")


def test_unknown_protocol():
    with pytest.raises(RowError, match=r"unknown protocol 'paper'.*paper-literal"):
        summarize([], protocol="paper")
