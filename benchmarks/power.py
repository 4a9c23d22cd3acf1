"""How many tasks and seeds it takes to see a difference, and after how many tasks a run may stop.

    python benchmarks/power.py [--quick] [--docs-only] [--check]

Writes benchmarks/results/power.json and the tables of docs/statistics.md that rest on it. Everything is simulated from
fixed seeds, so that the figures are the same on every machine. `--docs-only` writes the tables from the results that
are there; with `--check` nothing is written, and the exit status is 1 where the page says something else than they do.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

from maniguard.studies import Design, power, stopping_times

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "statistics.md"
RESULT = ROOT / "benchmarks" / "results" / "power.json"
BEGIN, END = "<!-- figures: {} -->", "<!-- end of figures -->"

BASE, LIKENESS = 0.5, 0.5
TASKS = (26, 55, 100, 200, 400, 800)
SEEDS = (1, 3)
CORRELATIONS = (0.2, 0.6)
DIFFERENCES = (0.05, 0.1, 0.15)
WANTED = 0.8
WIDTHS = (0.3, 0.2, 0.1)
SHARES = (0.02, 0.2, 0.5, 0.9)
STOP_TASKS, STOP_SEEDS, STOP_CORRELATION = (55, 200), 3, 0.4


def measure(simulations: int) -> dict[str, Any]:
    rows = []
    for seeds in SEEDS:
        for correlation in CORRELATIONS:
            for difference in (0.0, *DIFFERENCES):
                for tasks in TASKS:
                    design = Design(tasks, seeds, BASE, difference, correlation, LIKENESS)
                    rows.append(asdict(power(design, simulations=simulations)))
                print(rows[-1]["design"], rows[-1]["by_tasks"], flush=True)
    stops = []
    for tasks in STOP_TASKS:
        for share in SHARES:
            found = stopping_times(
                tasks,
                seeds=STOP_SEEDS,
                share=share,
                correlation=STOP_CORRELATION,
                widths=WIDTHS,
                simulations=max(20, simulations // 5),
            )
            stops += [{"tasks": tasks, "share": share, **asdict(item)} for item in found]
            print(stops[-1], flush=True)
    return {"format": "maniguard-benchmark-power/1", "simulations": simulations, "power": rows, "stopping": stops}


def select(result: dict[str, Any], **wanted: float) -> list[dict[str, Any]]:
    return [row for row in result["power"] if all(row["design"][key] == value for key, value in wanted.items())]


def needed(rows: list[dict[str, Any]]) -> str:
    """Return for how many tasks the power reaches what is wanted, between those simulated on a logarithmic scale."""
    before: tuple[float, float] | None = None
    for row in rows:
        tasks, share = row["design"]["tasks"], row["by_tasks"]
        if share >= WANTED:
            if before is None:
                return f"under {tasks}"
            weight = (WANTED - before[1]) / (share - before[1])
            between = math.exp(math.log(before[0]) + weight * (math.log(tasks) - math.log(before[0])))
            return f"{float(f'{between:.2g}'):.0f}"
        before = (tasks, share)
    return f"over {rows[-1]['design']['tasks']}"


def power_table(result: dict[str, Any]) -> str:
    heads = " | ".join(str(tasks) for tasks in TASKS)
    lines = [
        f"| ΔSSR, points | seeds, correlation | tasks for 80 % | {heads} |",
        "| --- | --- | --- |" + " --- |" * len(TASKS),
    ]
    for difference in DIFFERENCES:
        for seeds in SEEDS:
            for correlation in CORRELATIONS:
                rows = select(result, difference=difference, seeds=seeds, correlation=correlation)
                shares = " | ".join(f"{100 * row['by_tasks']:.0f}" for row in rows)
                lines.append(f"| {100 * difference:.0f} | {seeds}, {correlation} | {needed(rows)} | {shares} |")
    return "\n".join(lines)


def alarms_table(result: dict[str, Any]) -> str:
    lines = [
        "| seeds | correlation | exact test, tasks as units | interval leaves out 0 | exact McNemar over all pairs |",
        "| --- | --- | --- | --- | --- |",
    ]
    for seeds in SEEDS:
        for correlation in CORRELATIONS:
            rows = select(result, difference=0.0, seeds=seeds, correlation=correlation)
            cells = []
            for key in ("by_tasks", "by_interval", "by_pairs"):
                shares = [100 * row[key] for row in rows]
                cells.append(f"{min(shares):.1f}–{max(shares):.1f}")
            lines.append(f"| {seeds} | {correlation} | {' | '.join(cells)} |")
    return "\n".join(lines)


def stopping_table(result: dict[str, Any]) -> str:
    lines = [
        "| tasks planned | true rate, % | " + " | ".join(f"width < {width}" for width in WIDTHS) + " |",
        "| --- | --- |" + " --- |" * len(WIDTHS),
    ]
    for tasks in STOP_TASKS:
        for share in SHARES:
            cells = []
            for width in WIDTHS:
                (row,) = (
                    r for r in result["stopping"] if (r["tasks"], r["share"], r["width"]) == (tasks, share, width)
                )
                cells.append(f"{row['median']:.0f} ({row['q25']:.0f}–{row['q75']:.0f})")
            lines.append(f"| {tasks} | {100 * share:.0f} | {' | '.join(cells)} |")
    return "\n".join(lines)


def page_with(result: dict[str, Any]) -> str:
    text = PAGE.read_text(encoding="utf-8")
    for name, table in (
        ("power", power_table(result)),
        ("alarms", alarms_table(result)),
        ("stopping", stopping_table(result)),
    ):
        begin = text.index(BEGIN.format(name)) + len(BEGIN.format(name))
        end = text.index(END, begin)
        text = f"{text[:begin]}\n\n{table}\n\n{text[end:]}"
    return text


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a tenth of the simulations, to see that it runs")
    parser.add_argument("--docs-only", action="store_true")
    parser.add_argument("--check", action="store_true")
    args = parser.parse_args()
    if args.docs_only or args.check:
        result = json.loads(RESULT.read_text())
    else:
        result = measure(60 if args.quick else 600)
        RESULT.write_text(json.dumps(result, indent=1) + "\n")
    text = page_with(result)
    if args.check:
        return int(text != PAGE.read_text(encoding="utf-8"))
    PAGE.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
