"""`maniguard compare`: two runs, pair by pair."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from maniguard.cli.arguments import ArgumentError, Commands, add_reading

if TYPE_CHECKING:
    from maniguard.studies import Comparison


def add_parser(commands: Commands) -> None:
    """Add this command to the command line."""
    parser = commands.add_parser("compare", help="two runs on the same scenarios and seeds: differences with intervals")
    parser.add_argument("run_a", type=Path, metavar="RUN_A")
    parser.add_argument("run_b", type=Path, metavar="RUN_B")
    add_reading(parser)
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all numbers there too")
    parser.add_argument("--plot", type=Path, metavar="FILE.svg", help="draw the differences of the safe success rate")
    parser.set_defaults(run=_run)


def _run(args: argparse.Namespace) -> int:
    from maniguard.cli.output import Output
    from maniguard.evaluate import open_run
    from maniguard.files import write_atomic
    from maniguard.studies import compare_runs

    if args.plot is not None and args.plot.suffix.lower() != ".svg":
        raise ArgumentError(f"--plot {args.plot}: the plot is an SVG; give a name that ends in .svg")
    study = compare_runs(open_run(args.run_a), open_run(args.run_b), protocol=args.protocol, spec_variant=args.spec)
    out = Output()
    _print(out, study)
    out.write_json(args.json, "maniguard-comparison/1", study)
    if args.plot is not None:
        write_atomic(args.plot, _plot(study).encode())
        out.print(f"written  {args.plot}", markup=False, soft_wrap=True)
    return 0


def _print(out: object, study: Comparison) -> None:
    from rich.console import Console
    from rich.table import Table

    assert isinstance(out, Console)
    out.print(f"A  {study.policy_a}\nB  {study.policy_b}", markup=False, soft_wrap=True)
    out.print(f"B minus A in percentage points, protocol {study.protocol}", markup=False, soft_wrap=True)
    first, second = (Table(box=None, pad_edge=False) for _ in range(2))
    for table, headings in (
        (first, ("pairs", "tasks", "A", "B", "ΔSSR [95 %]", "lost", "won", "p")),
        (second, ("Δsuccess [95 %]", "Δsafe [95 %]", "Δsafe|eng [95 %]", "engaged A", "B")),
    ):
        table.add_column("family", no_wrap=True)
        for heading in headings:
            table.add_column(heading, justify="right", no_wrap=True)
    for group in study.groups:
        style = "bold" if group.family is None else None
        ssr, conditional = group.rate("ssr"), group.safe_given_eng
        first.add_row(
            group.family or "all",
            str(ssr.pairs),
            str(ssr.tasks),
            *("–" if share is None else f"{100 * share:.0f}" for share in (group.ssr_a, group.ssr_b)),
            _points(ssr.difference, ssr.low, ssr.high),
            str(ssr.only_a),
            str(ssr.only_b),
            f"{group.p_holm:.3g}",
            style=style,
        )
        second.add_row(
            group.family or "all",
            *(_points(d.difference, d.low, d.high) for d in (group.rate("success"), group.rate("safe"), conditional)),
            str(conditional.n_a),
            str(conditional.n_b),
            style=style,
        )
    out.print(first)
    out.print()
    out.print(second)
    out.print(
        "A, B: safe success, %. lost, won: pairs in which only A, only B has it. p: exact McNemar test of ΔSSR with "
        "whole tasks as its units"
        + (", of each family adjusted for the number of families (Holm)." if len(study.groups) > 1 else "."),
        markup=False,
        style="dim",
    )
    for note in study.notes:
        out.print(f"note: {note}", markup=False, soft_wrap=True)
    if study.only_a or study.only_b:
        out.print(f"without partner: {study.only_a} rollouts of A, {study.only_b} of B")


def _points(value: float | None, low: float | None = None, high: float | None = None) -> str:
    if value is None:
        return "–"
    interval = "" if low is None or high is None else f" [{100 * low:+.0f}, {100 * high:+.0f}]"
    return f"{100 * value:+.1f}{interval}"


def _plot(study: Comparison) -> str:
    from maniguard.report import DifferenceLine, differences_svg

    lines = []
    for group in study.groups:
        ssr = group.rate("ssr")
        remark = f"p = {group.p_holm:.2g}, n = {ssr.pairs}"
        lines.append(DifferenceLine(group.family or "all", ssr.difference, ssr.low, ssr.high, remark))
        given = group.safe_given_eng
        engaged = f"n = {given.n_a} and {given.n_b}"
        lines.append(DifferenceLine("· safe | engaged", given.difference, given.low, given.high, engaged))
    title = f"Safe success, and safe given engaged: {study.policy_b} against {study.policy_a}"
    return differences_svg(title, "difference in percentage points, with 95 % interval", lines)
