"""`maniguard report`: the HTML report of a run."""

from __future__ import annotations

import argparse
from pathlib import Path

from maniguard.cli.arguments import ArgumentError, Commands, add_reading


def add_parser(commands: Commands) -> None:
    """Add this command to the command line."""
    parser = commands.add_parser("report", help="write the HTML report of a run")
    parser.add_argument("run_path", nargs="?", type=Path, metavar="RUN")
    parser.add_argument("--sample", action="store_true", help="report the sample run that ships with the package")
    add_reading(parser)
    parser.add_argument("--single-file", action="store_true", help="put everything into one HTML file (small runs)")
    parser.add_argument("--out", type=Path, metavar="DIR", help="folder of the report (default: RUN/report)")
    parser.set_defaults(run=_run)


def _run(args: argparse.Namespace) -> int:
    from maniguard import report
    from maniguard.cli.output import Output
    from maniguard.evaluate import open_run

    if args.sample == (args.run_path is not None):
        raise ArgumentError("name one run folder, or --sample for the run that ships with the package")
    run = open_run(report.SAMPLE_RUN if args.sample else args.run_path)
    out = args.out or (Path("maniguard-sample-report") if args.sample else run.path / "report")
    index = report.write_html(run, out, protocol=args.protocol, spec_variant=args.spec, single_file=args.single_file)
    console = Output()
    report.print_summary(console, run, protocol=args.protocol, spec_variant=args.spec)
    console.print(f"\nreport   {index}", markup=False, soft_wrap=True)
    return 0
