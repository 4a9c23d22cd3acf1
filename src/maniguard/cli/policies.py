"""`maniguard policies`: what `--policy` takes, and what is known of published checkpoints."""

from __future__ import annotations

import argparse

from maniguard.cli.arguments import Commands


def add_parser(commands: Commands) -> None:
    """Add this command to the command line."""
    parser = commands.add_parser("policies", help="list the forms of --policy and the presets for known checkpoints")
    parser.add_argument("preset", nargs="?", metavar="PRESET", help="show all of one preset")
    parser.set_defaults(run=_run)


def _run(args: argparse.Namespace) -> int:
    from maniguard.policies.presets import NOT_TRIED, PRESETS, preset

    if args.preset is not None:
        print(preset(args.preset).describe())
        return 0
    from rich.table import Table

    from maniguard.cli.output import Output
    from maniguard.policies.registry import FORMS

    out = Output()
    out.print("--policy takes", markup=False)
    for form in FORMS:
        out.print(f"  {form}", markup=False)
    out.print("\nPresets, for ?preset=NAME in an address (maniguard policies NAME: all of one)", markup=False)
    table = Table(box=None, pad_edge=False)
    for heading in ("preset", "protocol", "actions", "gripper", "executes"):
        table.add_column(heading, no_wrap=True)
    for known in PRESETS.values():
        action = known.action
        table.add_row(
            known.name,
            known.wires[0],
            f"{action.convention}, {action.rate_hz:g} Hz",
            f"{action.gripper.closed:g}, {action.gripper.open:g}",
            f"{known.executed_steps} of {action.horizon}",
        )
    out.print(table)
    out.print("gripper: the numbers of closed and of open\n\ntried with", markup=False)
    for tried in dict.fromkeys(known.tried for known in PRESETS.values()):
        names = [known.name for known in PRESETS.values() if known.tried == tried]
        said = ", ".join(names) if tried != NOT_TRIED else "the others"
        out.print(f"  {said}: {tried}", markup=False)
    return 0
