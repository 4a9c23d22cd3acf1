from __future__ import annotations

import io

from rich.console import Console

from maniguard.metrics import ConstraintOutcome, RolloutRow, TaskOrder, percent, summarize
from maniguard.report.terminal import RATE_LABELS, describe, print_tables, print_view

from .samples import rollout, run_view


def printed(act) -> str:
    out = io.StringIO()
    act(Console(file=out, width=160, highlight=False))
    return out.getvalue()


def test_every_rate_stands_there_with_interval_and_n():
    view = run_view()
    cell = view.summary()["overall"]
    lines = printed(lambda console: print_tables(console, view.summary())).splitlines()
    for name, label in RATE_LABELS.items():
        if name == "uneng_unsafe":
            continue
        line = next(line for line in lines if line.startswith(f"{label}  "))
        rate = cell[name]
        for wanted in (
            percent(rate["value"]),
            percent(rate["pooled"]),
            f"{percent(rate['low'], 1)}–{percent(rate['high'], 1)}",
        ):
            assert wanted in line
        if name != "post_success_violation":
            assert f" {cell['n']} " in line or name in ("safe_given_eng", "evr")


def test_the_run_is_introduced_with_its_statuses_faults_and_notes():
    text = printed(lambda console: print_view(console, run_view()))
    assert "147 rollouts planned: completed 138 · policy-fault 2 · sim-fault 2 · infra-error 2 · pending 3" in text
    assert "clutter-dry-03.base.s0: the action at step 31 is not finite" in text
    assert "note: 5 of 72 scenarios gave the same trace" in text


def test_an_empty_summary_prints_dashes():
    text = printed(lambda console: print_tables(console, summarize([])))
    assert "safe success (SSR)" in text
    assert "nan" not in text.lower()


def test_a_rate_over_nothing_is_one_dash():
    row = RolloutRow(
        "pick", "mug", "base", 0, "completed", False, True, False, constraints={"kept": ConstraintOutcome(False)}
    )
    text = printed(lambda console: print_tables(console, summarize([row])))
    assert "[–]" not in text
    assert "0.0 [0–98]" in text


def test_one_line_per_rollout():
    assert describe(rollout(0, "base", 0, "drop")) == (
        "clutter-dry-00.base.s0  unsafe, no success; target_dropped violated at 3.00 s"
    )
    assert describe(rollout(0, "base", 1, "idle")) == "clutter-dry-00.base.s1  safe, no success; never engaged"
    assert describe(rollout(0, "base", 0, "after")).endswith("success at 6.90 s; violation after success")
    assert describe(rollout(0, "base", 0, "infra-error")).startswith(
        "clutter-dry-00.base.s0  outside n; infra-error; the worker"
    )


def test_a_stopped_run_prints_its_sequence_in_place_of_a_fixed_interval():
    rows = [RolloutRow("pick", f"t{k}", "base", 0, "completed", k % 3 == 0, True, True) for k in range(12)]
    planned = tuple(("pick", f"t{k}", "base") for k in range(40))
    summary = summarize(rows, order=TaskOrder(planned, 12, "ci_width(ssr) < 0.6"))
    text = printed(lambda console: print_tables(console, summary))
    assert text.startswith("stopped after 12 of 40 tasks (12 of 40 rollouts): ci_width(ssr) < 0.6\n")
    line = next(line for line in text.splitlines() if line.startswith("safe success (SSR)"))
    ssr = summary["overall"]["ssr"]
    for low, high in (("low", "high"), ("beyond_low", "beyond_high")):
        assert f"{percent(ssr[low], 1)}–{percent(ssr[high], 1)}" in line
    assert "95 % interval" not in text
    assert "confidence sequence" in text
    # The table fits a terminal of 80 columns.
    assert max(map(len, text.split("\n\n")[1].splitlines()[:13])) <= 80


def test_a_conditional_rate_over_too_few_engaged_rollouts_is_dashed_and_stays_in_the_json():
    rows = [RolloutRow("pick", f"t{k}", "base", 0, "completed", False, k > 2, k < 9) for k in range(30)]
    summary = summarize(rows)
    assert summary["overall"]["dashed"] == ["evr", "safe_given_eng"]
    assert summary["overall"]["evr"]["pooled"] == 3 / 9
    text = printed(lambda console: print_tables(console, summary))
    line = next(line for line in text.splitlines() if line.startswith("violation, given engaged"))
    assert percent(3 / 9) not in line
    assert line.split()[-1] == "9"
    assert "fewer than 10 engaged" in text
    ten = [*rows, RolloutRow("pick", "t30", "base", 0, "completed", False, True, True)]
    assert "dashed" not in summarize(ten)["overall"]


def test_rules_print_their_worst_and_best_case_where_there_were_errors():
    rows = [
        RolloutRow("pick", "a", "base", 0, "completed", False, False, True, constraints={"r": ConstraintOutcome(True)}),
        RolloutRow("pick", "b", "base", 0, "completed", False, True, True, constraints={"r": ConstraintOutcome(False)}),
        RolloutRow("pick", "c", "base", 0, "infra-error", False, True, False),
    ]
    text = printed(lambda console: print_tables(console, summarize(rows)))
    assert "33.33 … 66.67" in next(line for line in text.splitlines() if line.startswith("r "))
    assert "SVR worst … best" not in printed(lambda console: print_tables(console, summarize(rows[:2])))
