"""`maniguard runs`: list the runs in a folder, compare two, merge those of equal identity, ask their tables in SQL."""

from __future__ import annotations

import argparse
from pathlib import Path

from maniguard.cli import compare
from maniguard.cli.arguments import ArgumentError, Commands


def add_parser(commands: Commands) -> None:
    """Add this command to the command line."""
    parser = commands.add_parser("runs", help="list runs, compare them, merge the shards of one, query their tables")
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    listing = actions.add_parser("list", help="one line per run in a folder")
    listing.add_argument("folder", type=Path, metavar="DIR")
    listing.set_defaults(run=_list)
    compare.add_parser(actions)
    merge = actions.add_parser("merge", help="make one run of several that differ in nothing but their rollouts")
    merge.add_argument("runs", type=Path, nargs="+", metavar="RUN")
    merge.add_argument("--out", type=Path, required=True, metavar="RUN", help="the run to make")
    merge.set_defaults(run=_merge)
    query = actions.add_parser(
        "query",
        help="answer an SQL query over the tables of one run or several",
        description="Views: rollouts, episodes, ledger, timing, faults; each has a column `run`.",
    )
    query.add_argument("runs", type=Path, nargs="+", metavar="RUN")
    query.add_argument(
        "sql", metavar="SQL", help='for example "SELECT family, avg(success::INT) FROM rollouts GROUP BY 1"'
    )
    query.add_argument("--csv", action="store_true", help="print CSV in place of a table")
    query.set_defaults(run=_query)


def _list(args: argparse.Namespace) -> int:
    from rich.table import Table

    from maniguard.cli.output import Output
    from maniguard.evaluate import NOT_RUN, find_runs, rows
    from maniguard.metrics import cell, percent

    # One blank between columns, so that the names of families are whole on 80 columns.
    table = Table(box=None, pad_edge=False, padding=(0, 1, 0, 0))
    for heading in ("run", "policy", "families"):
        table.add_column(heading, overflow="fold")
    for heading in ("planned", "done", "SSR, %", "safe, %", "protocol", "variant"):
        table.add_column(heading, justify="right", no_wrap=True)
    for run in find_runs(args.folder):
        plan = run.plan
        families = list(dict.fromkeys(item.scenario_id.partition("/")[0].rpartition("-")[0] for item in plan.items))
        pending = len(run.pending())
        rates = ("–", "–")
        if not pending:
            found = cell(rows(run))
            rates = (percent(found["ssr"]["pooled"], 1), percent(found["safe"]["pooled"], 1))
        version = plan.identity.get("protocol_version", "–")
        where = run.path.relative_to(args.folder) if run.path != args.folder else run.path
        done = len(plan.items) - pending - run.ledger().get(NOT_RUN, 0)
        ran = f"{done} (stopped)" if run.stopped else f"{done}"
        cells = (f"{len(plan.items)}", ran, *rates, f"{version}", plan.spec_variant)
        table.add_row(f"{where}", plan.policy, ", ".join(families), *cells)
    Output().print(table)
    return 0


def _merge(args: argparse.Namespace) -> int:
    from maniguard import report
    from maniguard.cli.output import Output
    from maniguard.cli.preview import print_places
    from maniguard.evaluate import merge_runs, open_run

    merged = merge_runs(args.out, [open_run(path) for path in args.runs])
    report.write_parts(merged)
    out = Output()
    out.print(f"{len(merged.plan.items)} rollouts of {len(args.runs)} runs", markup=False, soft_wrap=True)
    print_places(out, merged)
    return 0


def _query(args: argparse.Namespace) -> int:
    import csv
    import sys

    from rich.table import Table
    from rich.text import Text

    from maniguard.cli.output import Output
    from maniguard.evaluate import open_run
    from maniguard.report import query, render_value

    if not args.sql.strip():
        raise ArgumentError("the query is empty; the views are rollouts, episodes, ledger, timing, faults")
    answer = query([open_run(path) for path in args.runs], args.sql)
    if args.csv:
        writer = csv.writer(sys.stdout, lineterminator="\n")
        writer.writerow(answer.columns)
        writer.writerows(answer.rows)
        return 0
    table = Table(box=None, pad_edge=False)
    for column in answer.columns:
        table.add_column(column, overflow="fold")
    for row in answer.rows:
        table.add_row(*(Text(render_value(value)) for value in row))
    Output().print(table)
    return 0
