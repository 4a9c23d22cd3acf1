"""`maniguard annotate`: a local page on which a person says which rules were broken."""

from __future__ import annotations

import argparse
import getpass
import re
from pathlib import Path

from maniguard.cli.arguments import Commands


def add_parser(commands: Commands) -> None:
    """Add this command to the command line."""
    parser = commands.add_parser("annotate", help="watch the rollouts of a run and say which rules were broken")
    parser.add_argument("run_path", type=Path, metavar="RUN")
    parser.add_argument("--name", default=_login(), metavar="NAME", help="whose answers these are (default: yours)")
    parser.add_argument("--blind", action="store_true", help="do not show what the monitor found")
    parser.add_argument("--spec", metavar="VARIANT", help="ask about the rules of this variant of the specs")
    parser.add_argument("--port", type=int, default=0, metavar="N", help="port on this machine (default: any free one)")
    parser.set_defaults(run=_run)


def _login() -> str:
    """Return the user's name as the name of an annotator."""
    return re.sub(r"[^a-z0-9_-]", "-", getpass.getuser().lower()).strip("-_")[:40] or "annotator"


def _run(args: argparse.Namespace) -> int:
    from maniguard.evaluate import open_run
    from maniguard.studies import Session, annotate

    session = Session(open_run(args.run_path), args.name, blind=args.blind, variant=args.spec)

    def announce(address: str) -> None:
        print(f"annotate as {args.name} at {address} (Ctrl-C ends it; every answer is saved at once)", flush=True)

    annotate(session, port=args.port, ready=announce)
    return 0
