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
    from maniguard.policies.presets import PRESETS, preset

    if args.preset is not None:
        print(preset(args.preset).describe())
        return 0
    from rich import box
    from rich.table import Table

    from maniguard.cli.output import Output
    from maniguard.policies.registry import FORMS

    out = Output()
    out.print(f"--policy takes: {', '.join(FORMS)}", markup=False, soft_wrap=True)
    out.print("Presets, for ?preset=NAME behind an address; `maniguard policies NAME` shows all of one:", markup=False)
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for heading in ("preset", "protocol", "actions", "gripper closed / open", "executes", "tried with"):
        table.add_column(heading, overflow="fold")
    for known in PRESETS.values():
        action = known.action
        table.add_row(
            known.name,
            ", ".join(f"{wire}://" for wire in known.wires),
            f"{action.convention}, {action.rate_hz:g} Hz",
            f"{action.gripper.closed:g} / {action.gripper.open:g}",
            f"{known.executed_steps} of {action.horizon}",
            known.tried,
        )
    out.print(table)
    return 0
