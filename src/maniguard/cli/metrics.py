"""`maniguard metrics`: the rates of a run, or of rollouts that were scored elsewhere."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from maniguard.cli.arguments import ArgumentError, Commands, add_reading


def add_parser(commands: Commands) -> None:
    """Add this command to the command line."""
    parser = commands.add_parser("metrics", help="rates with intervals, from a run or a CSV of scored rollouts")
    parser.add_argument("source", type=Path, metavar="RUN|FILE.csv")
    add_reading(parser)
    parser.add_argument("--json", action="store_true", help="print JSON only")
    parser.set_defaults(run=_run)


def _run(args: argparse.Namespace) -> int:
    from maniguard.metrics import read_csv, summarize, to_json

    order = None
    if args.source.is_dir():
        from maniguard.evaluate import open_run, rows, task_order

        run = open_run(args.source)
        found = rows(run, protocol=args.protocol, spec_variant=args.spec)
        order = task_order(run)
    elif not args.source.exists():
        raise ArgumentError(f"{args.source} does not exist; give a run folder or a CSV file")
    elif args.spec is not None:
        raise ArgumentError(f"--spec needs stored traces; {args.source} is a table of finished verdicts")
    else:
        found = read_csv(args.source, protocol=args.protocol)
    summary = summarize(found, protocol=args.protocol, order=order)
    if args.json:
        sys.stdout.write(to_json(summary))
        return 0
    from maniguard import report
    from maniguard.cli.output import Output

    report.print_tables(Output(), summary)
    return 0
