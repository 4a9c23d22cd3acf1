"""`maniguard serve`: put a policy behind a websocket in openpi's wire format."""

from __future__ import annotations

import argparse

from maniguard.cli.arguments import Commands

DEFAULT_PORT = 8000


def add_parser(commands: Commands) -> None:
    """Add this command to the command line."""
    parser = commands.add_parser("serve", help="serve a policy to evaluators over a websocket (openpi's wire format)")
    parser.add_argument("--policy", required=True, metavar="P", help="noop, random, module:Class …")
    parser.add_argument("--port", type=int, default=DEFAULT_PORT, metavar="N")
    parser.add_argument(
        "--host", default="127.0.0.1", help="address to bind; the default is reachable from this machine only"
    )
    parser.add_argument(
        "--batch",
        type=int,
        default=1,
        metavar="N",
        help="answer up to N requests together, for a stateless policy with infer_batch (default: one at a time)",
    )
    parser.set_defaults(run=_run)


def _run(args: argparse.Namespace) -> int:
    from maniguard.policies.server import serve

    def announce(host: str, port: int) -> None:
        print(f"serving {args.policy} at openpi://{host}:{port} (Ctrl-C ends it)", flush=True)

    serve(args.policy, host=args.host, port=args.port, batch=args.batch, ready=announce)
    return 0
