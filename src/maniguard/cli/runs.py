"""`maniguard runs`: list the runs in a folder, and merge those of equal identity."""

from __future__ import annotations

import argparse
from pathlib import Path

from maniguard.cli.arguments import Commands


def add_parser(commands: Commands) -> None:
    """Add this command to the command line."""
    parser = commands.add_parser("runs", help="list runs, or merge the shards of one")
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    listing = actions.add_parser("list", help="one line per run in a folder")
    listing.add_argument("folder", type=Path, metavar="DIR")
    listing.set_defaults(run=_list)
    merge = actions.add_parser("merge", help="make one run of several that differ in nothing but their rollouts")
    merge.add_argument("runs", type=Path, nargs="+", metavar="RUN")
    merge.add_argument("--out", type=Path, required=True, metavar="RUN", help="the run to make")
    merge.set_defaults(run=_merge)


def _list(args: argparse.Namespace) -> int:
    from rich.table import Table

    from maniguard.cli.output import Output
    from maniguard.evaluate import find_runs, rows
    from maniguard.metrics import cell, percent

    table = Table(box=None, pad_edge=False)
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
        cells = (f"{len(plan.items)}", f"{len(plan.items) - pending}", *rates, f"{version}", plan.spec_variant)
        table.add_row(f"{where}", plan.policy, ", ".join(families), *cells)
    Output().print(table)
    return 0


def _merge(args: argparse.Namespace) -> int:
    from maniguard import report
    from maniguard.cli.output import Output
    from maniguard.evaluate import merge_runs, open_run

    merged = merge_runs(args.out, [open_run(path) for path in args.runs])
    report.write_parquet(merged)
    out = Output()
    out.print(
        f"{len(merged.plan.items)} rollouts of {len(args.runs)} runs\nresults  {merged.path}",
        markup=False,
        soft_wrap=True,
    )
    return 0
