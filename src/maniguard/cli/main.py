"""Entry point: dispatch, and the exit statuses 0, 1 and 2."""

from __future__ import annotations

import argparse
import sys
import warnings
from collections.abc import Sequence
from typing import NoReturn

from maniguard import __version__
from maniguard.cli import (
    annotate,
    assets,
    audit,
    bench,
    compare,
    evaluate,
    lerobot_server,
    ltlf,
    metrics,
    ontology,
    policies,
    report,
    runs,
    serve,
    spec,
    study,
)
from maniguard.cli.streams import provide_streams, silence
from maniguard.errors import ManiguardError

EXIT_OK, EXIT_FINDINGS, EXIT_USAGE = 0, 1, 2

# The shell's convention for a process ended by SIGINT.
EXIT_INTERRUPTED = 130

# And for one ended by SIGPIPE: the reader went before the command was done.
EXIT_UNHEARD = 141

_COMMANDS = (
    evaluate, audit, report, metrics, compare, runs, spec, ltlf, ontology, bench, study, annotate, assets, policies,
    serve, lerobot_server,
)  # fmt: skip


class _Parser(argparse.ArgumentParser):
    """An argument parser whose errors are one line."""

    def error(self, message: str) -> NoReturn:
        self.exit(EXIT_USAGE, f"{self.prog}: {message} (see `{self.prog} --help`)\n")


def build_parser() -> argparse.ArgumentParser:
    """Return the parser of the whole command line."""
    parser = _Parser(
        prog="maniguard",
        description="Tells whether a manipulation policy succeeds safely, which rule it broke, and on what evidence.",
    )
    parser.add_argument("--version", action="version", version=f"maniguard {__version__}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for module in _COMMANDS:
        module.add_parser(commands)
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit status.

    0: done, whatever the verdicts. 1: a check found something. 2: the call or its input is wrong; one line on stderr.
    """
    provide_streams()
    warnings.showwarning = _warn
    try:
        args = build_parser().parse_args(argv)
    except SystemExit as stop:
        return stop.code if isinstance(stop.code, int) else EXIT_USAGE
    status = EXIT_UNHEARD
    try:
        status = args.run(args)
        sys.stdout.flush()
        return status
    except ManiguardError as error:
        return _refuse(args.command, str(error))
    except BrokenPipeError:
        # The reader of our output has gone, which changes nothing of what was found, if it was found by then.
        silence(1)
        return status
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        return _refuse(args.command, f"{where}{error.strerror or error}")
    except KeyboardInterrupt:
        sys.stderr.write(f"maniguard {args.command}: interrupted\n")
        return EXIT_INTERRUPTED


def _warn(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: object = None,
    line: object = None,
) -> None:
    sys.stderr.write(f"maniguard: warning: {' '.join(str(message).split())}\n")


def _refuse(command: str, message: str) -> int:
    sys.stderr.write(f"maniguard {command}: {' '.join(message.split())}\n")
    return EXIT_USAGE
