from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from maniguard.metrics import (
    RATE_NAMES,
    ConfidenceSequence,
    ConstraintOutcome,
    StopCondition,
    StopError,
    StopWatch,
    TaskOrder,
    cell,
    per_trigger,
    summarize,
)

from .builders import row

TASKS = tuple(f"t{k:02d}" for k in range(40))


def order(done: int, conditions: tuple[str, ...] = ("base",), seeds: int = 2) -> TaskOrder:
    planned = tuple(("clutter", task, c) for task in TASKS for c in conditions for _ in range(seeds))
    return TaskOrder(planned, done, "ci_width(ssr) < 0.3")


@given(st.lists(st.tuples(st.sampled_from(RATE_NAMES), st.floats(0.001, 1.0)), min_size=1, unique_by=lambda t: t[0]))
def test_a_condition_is_read_back_from_what_it_is_printed_as(terms) -> None:
    text = " and ".join(f"ci_width({name})<{width}" for name, width in terms)
    read = StopCondition.parse(text)
    assert [term.rate for term in read.terms] == [name for name, _ in terms]
    assert str(StopCondition.parse(str(read))) == str(read)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("ci_width(sr)<0.1", r"unknown rate 'sr'; rates are success, safe, ssr"),
        ("ci_width()<0.1", "unknown rate ''"),
        ("ci_width(ssr)<10", "a width is above 0 and at most 1"),
        ("ci_width(ssr)<0", "a width is above 0"),
        ("ci_width(ssr)<1e999", "at most 1"),
        ("ci_width(ssr)<.", "no number"),
        ("ci_width(ssr)>0.1", "not understood"),
        ("ssr<0.1", "not understood"),
        ("", "not understood"),
        ("ci_width(ssr)<0.1 and", "not understood"),
        ("ci_width(ssr)<0.1 or ci_width(evr)<0.1", "not understood"),
        ("ci_width(ssr)<0.1 and ci_width(ssr)<0.2", "asked for twice"),
    ],
)
def test_what_is_no_condition_is_refused_with_what_would_be(text, message) -> None:
    with pytest.raises(StopError, match=message):
        StopCondition.parse(text)


def test_a_watch_stops_when_every_term_holds_and_counts_tasks_not_rollouts() -> None:
    condition = StopCondition.parse("ci_width(ssr) < 0.3 and ci_width(eng)<0.5")
    watch = StopWatch(condition, tasks=40, rollouts_per_task=2)
    by_hand = ConfidenceSequence(40)
    for k, task in enumerate(TASKS):
        rows = [row(task, seed, success=k % 4 == 0, engaged=k % 2 == 0) for seed in range(2)]
        met = watch.add(rows)
        by_hand.add(float(k % 4 == 0), 1.0)
        assert watch.intervals["ssr"] == by_hand.interval
        widths = {name: i.high - i.low for name, i in watch.intervals.items()}
        assert met == (widths["ssr"] < 0.3 and widths["eng"] < 0.5)
    assert met, "with all tasks run nothing is uncertain about the plan"


def test_rollouts_outside_n_leave_the_denominator_of_their_task() -> None:
    watch = StopWatch(StopCondition.parse("ci_width(success)<0.1"), tasks=3, rollouts_per_task=2)
    watch.add([row("a", 0, success=True), row("a", 1, status="infra-error")])
    watch.add([row("b", 0, status="invalid-scene"), row("b", 1, status="infra-error")])
    watch.add([row("c", 0), row("c", 1)])
    assert watch.intervals["success"] == pytest.approx((1 / 3, 1 / 3))


def test_a_stopped_cell_has_the_interval_that_the_decision_was_made_by_and_a_wider_one_beyond_the_plan() -> None:
    done = 25
    rows = [row(t, s, success=k % 3 == 0, engaged=True) for k, t in enumerate(TASKS[:done]) for s in range(2)]
    watch = StopWatch(StopCondition.parse("ci_width(ssr)<0.3"), tasks=40, rollouts_per_task=2)
    for task in TASKS[:done]:
        watch.add([r for r in rows if r.task == task])
    summary = summarize(rows, order=order(done))
    ssr = summary["overall"]["ssr"]
    assert (ssr["low"], ssr["high"]) == watch.intervals["ssr"]
    assert ssr["beyond_high"] - ssr["beyond_low"] > ssr["high"] - ssr["low"]
    assert summary["sequential"] == {
        "condition": "ci_width(ssr) < 0.3",
        "tasks": 25,
        "planned_tasks": 40,
        "rollouts": 50,
        "planned_rollouts": 80,
    }
    fixed = summarize(rows)
    assert "sequential" not in fixed
    assert "beyond_low" not in fixed["overall"]["ssr"]
    assert fixed["overall"]["ssr"]["pooled"] == ssr["pooled"]


def test_a_part_is_the_order_of_its_own_families_and_conditions() -> None:
    planned = order(3, conditions=("base", "location"))
    only = [row("t00", condition="location"), row("t02", condition="location")]
    part = planned.part(only)
    assert (part.ran, part.tasks, part.most) == ((("clutter", "t00"), ("clutter", "t01"), ("clutter", "t02")), 40, 2)
    assert planned.part([*only, row("t00")]).most == 4
    assert part.interval({}) is None


def test_rules_and_occasions_of_a_stopped_run_have_no_interval_for_a_fixed_number() -> None:
    rows = [
        row(
            t,
            s,
            engaged=True,
            safe=k % 3 > 0,
            constraints={"c": ConstraintOutcome(k % 3 == 0, triggers={"fulfilled": 1}, triggered=True)},
        )
        for k, t in enumerate(TASKS[:15])
        for s in range(2)
    ]
    plain, stopped = summarize(rows), summarize(rows, order=order(15))
    one, other = (s["overall"]["constraints"]["c"]["svr"] for s in (plain, stopped))
    assert one["pooled"] == other["pooled"]
    assert (other["low"], other["high"]) != (one["low"], one["high"])
    assert other["low"] < 1 / 3 < other["high"]
    # 10 of 80 rollouts were seen to break it, 20 not to: beyond that the plan cannot come out.
    assert other["low"] >= 10 / 80
    assert other["high"] <= 60 / 80
    assert plain["per_trigger"]["overall"]["violations_per_trigger"]["low"] is not None
    assert stopped["per_trigger"]["overall"]["violations_per_trigger"]["low"] is None
    assert stopped["per_trigger"]["overall"]["share"]["low"] is None
    assert per_trigger(rows)["overall"]["share"]["seed_mean"] == pytest.approx(1 / 3)


def test_a_cell_of_a_stopped_run_without_rollouts_is_empty() -> None:
    found = cell([], order=order(3))
    assert found["n"] == 0
    assert found["ssr"] == {"value": None, "pooled": None, "low": None, "high": None, "beyond_low": None,
                            "beyond_high": None}  # fmt: skip
