from __future__ import annotations

import io

from rich.console import Console

from maniguard.metrics import ConstraintOutcome, RolloutRow, percent, summarize
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
