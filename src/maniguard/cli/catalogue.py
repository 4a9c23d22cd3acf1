"""`maniguard bench catalogue`: the objects that scenes are made of, as a table, as JSON, as a picture."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from maniguard.cli.arguments import names, worker_count


def add_catalogue(actions: Any) -> None:
    """Add this action to those of `maniguard bench`."""
    catalogue = actions.add_parser("catalogue", help="the objects that scenes are made of: a table or a picture")
    catalogue.add_argument("--category", type=names, metavar="A,B", help="only these categories")
    form = catalogue.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="print a JSON list of objects")
    form.add_argument("--out", type=Path, metavar="FILE", help="PNG or WebP file to draw them into")
    catalogue.add_argument("--columns", type=worker_count, default=10, metavar="N", help="pictures in a row (10)")
    catalogue.add_argument("--cell", type=int, default=160, metavar="PX", help="edge of one picture in pixels (160)")
    catalogue.set_defaults(run=_catalogue)


def catalogue_entry(design: Any) -> dict[str, Any]:
    """Return what `catalogue --json` says of one design."""
    asset = design.asset()
    return {
        "name": design.name,
        "category": design.category,
        "noun": design.noun,
        "kind": design.spec.kind,
        "size_m": [round(value, 4) for value in asset.size_m],
        "mass_kg": design.mass_kg,
        "friction": list(design.friction),
        "properties": list(design.properties),
        "grasps": len(asset.grasps),
        "joints": [joint.name for joint in asset.joints],
    }


def _catalogue(args: argparse.Namespace) -> int:
    from maniguard.sim.assets import CATALOGUE, of_category, save_sheet

    chosen = list(CATALOGUE.values())
    if args.category is not None:
        chosen = [design for category in args.category for design in of_category(category)]
    if args.out is not None:
        save_sheet([design.name for design in chosen], args.out, columns=args.columns, cell_px=args.cell)
        print(args.out)
        return 0
    entries = [catalogue_entry(design) for design in chosen]
    if args.json:
        sys.stdout.write(json.dumps(entries, indent=1, ensure_ascii=False) + "\n")
        return 0
    from rich.table import Table

    from maniguard.cli.output import Output

    table = Table(box=None, pad_edge=False)
    for heading in ("design", "category", "size (mm)", "mass (g)", "grasps", "properties"):
        table.add_column(heading, justify="right" if heading in ("mass (g)", "grasps") else "left")
    for entry in entries:
        size = " × ".join(f"{1000 * value:.0f}" for value in entry["size_m"])
        mass, properties = f"{1000 * entry['mass_kg']:.0f}", ", ".join(entry["properties"])
        table.add_row(entry["name"], entry["category"], size, mass, f"{entry['grasps']}", properties)
    console = Output()
    console.print(table)
    console.print(f"{len(entries)} designs in {len({entry['category'] for entry in entries})} categories")
    return 0
