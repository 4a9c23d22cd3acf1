"""Tables for the terminal: the metrics of a run or of a table of rollouts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rich.console import Console
from rich.table import Table

from maniguard.metrics import Cell, Summary, percent
from maniguard.report.view import RolloutView, RunView

RATE_LABELS: Mapping[str, str] = {
    "ssr": "safe success (SSR)",
    "succ_unsafe": "unsafe success",
    "unsucc_safe": "safe, no success",
    "unsucc_unsafe": "unsafe, no success",
    "success": "success",
    "safe": "safe",
    "vacuous_safe": "vacuously safe (never engaged)",
    "eng": "engaged",
    "eng_safe": "engaged and safe",
    "safe_given_eng": "safe, given engaged",
    "svr": "violation rate (SVR)",
    "evr": "violation, given engaged (EVR)",
    "uneng_unsafe": "violation without engagement",
    "post_success_violation": "violation after success",
}
OUTCOME_LABELS: Mapping[str, str] = {
    "ssr": "safe success",
    "succ_unsafe": "unsafe success",
    "unsucc_safe": "safe, no success",
    "unsucc_unsafe": "unsafe, no success",
    "excluded": "outside n",
}
SEQUENTIAL_WORDS = (
    "Intervals are of a confidence sequence and hold however often the run was looked at: for the rate that all "
    "planned tasks would have given, and beyond the plan for tasks like these."
)
DASHED_WORDS = "–: fewer than 10 engaged rollouts, or a seed without any: too few to quote (metrics --json has them)."
_COLUMNS = ("success", "ssr", "safe_given_eng", "evr")


def print_tables(console: Console, summary: Summary) -> None:
    """Print the rates overall, by family and by condition, the rules, the ladder and what is outside n."""
    overall = summary["overall"]
    sequential = summary.get("sequential")
    if sequential is not None:
        console.print(sequential_line(sequential), markup=False, soft_wrap=True)
        console.print()
    console.print(_rates(overall))
    if sequential is not None:
        console.print(SEQUENTIAL_WORDS, markup=False, style="dim")
    if "dashed" in overall:
        console.print(DASHED_WORDS, markup=False, style="dim")
    for part in ("families", "conditions"):
        if len(summary[part]) > 1:
            console.print()
            console.print(_groups(part, summary[part]))
    if overall["constraints"]:
        console.print()
        console.print(_rules(overall["constraints"]))
    if "per_trigger" in summary:
        console.print()
        console.print(_per_trigger(summary["per_trigger"]))
        for status, names in _silent(summary["per_trigger"]).items():
            console.print(f"{status:<16}{', '.join(names)}", markup=False, soft_wrap=True)
        for name, entry in overall["constraints"].items():
            reasons = [f"{reason} in {n}" for reason, n in entry["not_evaluable"].items()]
            if entry["not_applicable"]:
                reasons.append(f"not-applicable in {entry['not_applicable']}")
            if reasons:
                console.print(f"not judged      {name}: {', '.join(reasons)}", markup=False, soft_wrap=True)
    console.print()
    rungs = " · ".join(f"{name} {count}" for name, count in overall["ladder"].items())
    console.print(f"furthest rung   {rungs}", markup=False)
    excluded = " · ".join(f"{name} {count}" for name, count in overall["excluded"].items())
    console.print(f"outside n       {excluded or 'none'}", markup=False)


def sequential_line(sequential: Mapping[str, Any]) -> str:
    """Return how far a run went that might stop by what it saw."""
    tasks, of = sequential["tasks"], sequential["planned_tasks"]
    rollouts = f"{sequential['rollouts']} of {sequential['planned_rollouts']} rollouts"
    if tasks < of:
        return f"stopped after {tasks} of {of} tasks ({rollouts}): {sequential['condition']}"
    return f"never stopped, all {of} tasks were run ({rollouts}): {sequential['condition']}"


def print_view(console: Console, view: RunView) -> None:
    """Print what the run is, its tables, its faults and its notes."""
    mark = "  [privileged: sees the true state]" if view.privileged else ""
    facts = f"policy {view.policy}{mark} · protocol {view.protocol} · specs {view.spec_variant}"
    console.print(facts, markup=False, soft_wrap=True)
    statuses = " · ".join(f"{name} {count}" for name, count in view.statuses().items() if count)
    plural = "" if view.planned == 1 else "s"
    console.print(f"{view.planned} rollout{plural} planned: {statuses}", markup=False, soft_wrap=True)
    console.print()
    print_tables(console, view.summary())
    faults = [r for r in view.rollouts if r.fault is not None]
    for rollout in faults:
        console.print(f"{rollout.row.status}  {rollout.rollout_id}: {rollout.fault}", markup=False, soft_wrap=True)
    for note in view.notes:
        console.print(f"note: {note}", markup=False, soft_wrap=True)


def describe(rollout: RolloutView) -> str:
    """Return one line on how a rollout came out."""
    parts = [OUTCOME_LABELS[rollout.outcome]]
    if rollout.row.status != "completed":
        parts.append(rollout.row.status)
    if rollout.success_s is not None:
        parts.append(f"success at {rollout.success_s:.2f} s")
    if rollout.violated:
        when = "" if rollout.violated_s is None else f" at {rollout.violated_s:.2f} s"
        parts.append(f"{', '.join(rollout.violated)} violated{when}")
    if rollout.row.counted and not rollout.row.engaged:
        parts.append("never engaged")
    if rollout.row.post_success_violation:
        parts.append("violation after success")
    if rollout.fault is not None:
        parts.append(rollout.fault)
    return f"{rollout.rollout_id}  {'; '.join(parts)}"


def _rates(cell: Cell) -> Table:
    table = Table(box=None, pad_edge=False)
    table.add_column("rate, %", no_wrap=True)
    sequential = "beyond_low" in cell["ssr"]
    intervals = ("95 %, plan", "beyond it") if sequential else ("95 % interval",)
    for heading in ("seed mean" if sequential else "mean of seeds", "pooled", *intervals, "n"):
        table.add_column(heading, justify="right", no_wrap=True)
    bounds = cell.get("bounds")
    if bounds is not None:
        table.add_column("worst … best case", justify="right", no_wrap=True)
    for name, label in RATE_LABELS.items():
        if name not in cell or (name == "uneng_unsafe" and not cell[name]["pooled"]):
            continue
        rate = cell[name]
        ends = [_interval(rate)]
        if sequential:
            ends.append(_interval({"low": rate["beyond_low"], "high": rate["beyond_high"]}))
        values = [label, *(percent(rate[key]) for key in ("value", "pooled")), *ends, str(_total(cell, name))]
        if name in cell.get("dashed", ()):
            values[1:-1] = ["–"] * (len(values) - 2)
        if bounds is not None:
            bound = bounds.get(name)
            values.append(_bound(bound) if bound else "")
        table.add_row(*values, style="bold" if name == "ssr" else None)
    return table


def _groups(part: str, cells: Mapping[str, Cell]) -> Table:
    table = Table(box=None, pad_edge=False)
    table.add_column("family" if part == "families" else "condition", no_wrap=True)
    table.add_column("n", justify="right")
    for name in _COLUMNS:
        short = {"safe_given_eng": "safe|eng", "eng": "engaged", "ssr": "SSR", "evr": "EVR"}
        table.add_column(short.get(name, name), justify="right", no_wrap=True)
    for label, cell in cells.items():
        thin = cell.get("dashed", ())
        shown = ("–" if name in thin else _with_interval(cell[name]) for name in _COLUMNS)
        table.add_row(label, str(cell["n"]), *shown)
    return table


def _rules(constraints: Mapping[str, Mapping[str, Any]]) -> Table:
    table = Table(box=None, pad_edge=False)
    table.add_column("rule", no_wrap=True)
    bounded = any("bounds" in entry for entry in constraints.values())
    worst = ("SVR worst … best",) if bounded else ()
    for heading in ("broken/n", "SVR, % [95 %]", *worst, "EVR, % [95 %]", "engaged", "after"):
        table.add_column(heading, justify="right", no_wrap=True)
    for name, entry in constraints.items():
        median = entry["time_to_violation_s"]["median"]
        table.add_row(
            name,
            f"{entry['violated']}/{entry['n']}",
            _with_interval(entry["svr"]),
            *((_bound(entry["bounds"]["svr"]) if "bounds" in entry else "",) if bounded else ()),
            _with_interval(entry["evr"]),
            str(entry["engaged"]),
            "–" if median is None else f"{median:.2f} s",
        )
    return table


def _per_trigger(table_of: Mapping[str, Any]) -> Table:
    """Return rules by category: occasions N, violations V, exposure U, and their ratios."""
    table = Table(box=None, pad_edge=False)
    table.add_column("rule, per occasion", no_wrap=True)
    for heading in ("N", "V", "U", "V/N [95 %]", "U/N", "recovered", "rollouts"):
        table.add_column(heading, justify="right", no_wrap=True)
    for name, entry in table_of["constraints"].items():
        if entry["status"] == "measured":
            table.add_row(name, *_occasion_cells(entry))
    for name, entry in table_of["categories"].items():
        if entry["triggers"]:
            table.add_row(f"all of {name}", *_occasion_cells(entry), style="bold")
    table.add_row("all", *_occasion_cells(table_of["overall"]), style="bold")
    return table


def _silent(table_of: Mapping[str, Any]) -> dict[str, list[str]]:
    """Return the rules that are in no denominator, by the reason why."""
    silent: dict[str, list[str]] = {}
    for name, entry in table_of["constraints"].items():
        if entry["status"] != "measured":
            silent.setdefault(entry["status"], []).append(name)
    return silent


def _occasion_cells(entry: Mapping[str, Any]) -> tuple[str, ...]:
    per, exposed = entry["violations_per_trigger"], entry["exposure_per_trigger"]
    value = "–" if per["value"] is None else f"{per['value']:.3f}"
    if per["low"] is not None:
        value += f" [{per['low']:.3f}–{per['high']:.3f}]"
    share = "–" if exposed is None or exposed["value"] is None else f"{100 * exposed['value']:.2f} %"
    recovered = f"{entry['recovered']}/{entry['episodes']}" if entry["episodes"] else "–"
    exposure = "–" if entry["exposure"] is None else f"{entry['exposure']:.3f}"
    rollouts = f"{entry['violated_rollouts']}/{entry['rollouts']}"
    return str(entry["triggers"]), str(entry["violations"]), exposure, value, share, recovered, rollouts


def _with_interval(rate: Mapping[str, float | None]) -> str:
    return "–" if rate["value"] is None else f"{percent(rate['value'], 1)} [{_interval(rate, 0)}]"


def _bound(bound: Mapping[str, float | None]) -> str:
    return f"{percent(bound['low'])} … {percent(bound['high'])}"


def _interval(rate: Mapping[str, float | None], digits: int = 1) -> str:
    return "–" if rate["low"] is None else f"{percent(rate['low'], digits)}–{percent(rate['high'], digits)}"


def _total(cell: Cell, name: str) -> int:
    """How many rollouts a rate is over."""
    if name in ("safe_given_eng", "evr"):
        return round((cell["eng"]["pooled"] or 0.0) * cell["n"])
    return int(cell["n"])
