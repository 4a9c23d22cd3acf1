"""`maniguard spec`: lint, explain or show a specification."""

from __future__ import annotations

import argparse

from maniguard.cli.arguments import Commands


def add_parser(commands: Commands) -> None:
    """Add this command to the command line."""
    parser = commands.add_parser("spec", help="check, explain or show a specification file")
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    for name, run, what in (
        ("check", _check, "look for mistakes (status 1 with findings)"),
        ("explain", _explain, "say in sentences what the specification demands and how it is measured"),
        ("show", _show, "print the specification with everything resolved"),
    ):
        action = actions.add_parser(name, help=what)
        action.add_argument("file", metavar="FILE", help="a YAML file, or the name of a shipped specification")
        action.add_argument("--variant", default="default", help="variant of the specification (default: default)")
        action.set_defaults(run=run)


def _check(args: argparse.Namespace) -> int:
    from maniguard.spec import check

    findings = check(args.file)
    for finding in findings:
        print(finding)
    if not findings:
        print(f"{args.file}: no findings")
    return 1 if findings else 0


def _explain(args: argparse.Namespace) -> int:
    from maniguard.spec import explain, load_spec

    print(explain(load_spec(args.file, variant=args.variant)))
    return 0


def _show(args: argparse.Namespace) -> int:
    from maniguard.spec import load_spec, show

    print(show(load_spec(args.file, variant=args.variant)).rstrip())
    return 0
