"""`maniguard lerobot-server`: the file that serves LeRobot checkpoints, to be run in LeRobot's own environment."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from maniguard.cli.arguments import Commands


def add_parser(commands: Commands) -> None:
    """Add this command to the command line."""
    parser = commands.add_parser(
        "lerobot-server", help="write out the server for LeRobot checkpoints, which runs in LeRobot's own Python"
    )
    parser.add_argument("--out", type=Path, metavar="FILE", help="where to (default: standard output)")
    parser.set_defaults(run=_run)


def _run(args: argparse.Namespace) -> int:
    from maniguard import integrations

    source = (Path(integrations.__file__).parent / "lerobot_server.py").read_text(encoding="utf-8")
    if args.out is None:
        sys.stdout.write(source)
        return 0
    args.out.write_text(source, encoding="utf-8")
    print(f"{args.out} runs in LeRobot's environment: pip install msgpack websockets; python {args.out} --help")
    return 0
