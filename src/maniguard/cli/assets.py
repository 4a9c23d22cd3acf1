"""`maniguard assets`: bring a mesh of your own into the benchmark's world."""

from __future__ import annotations

import argparse
import json
import os
from pathlib import Path

from maniguard.cli.arguments import Commands, worker_count


def add_parser(commands: Commands) -> None:
    """Add this command to the command line."""
    parser = commands.add_parser("assets", help="objects of your own: import a mesh")
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    importing = actions.add_parser("import", help="turn a closed mesh into an object of a task file")
    importing.add_argument("mesh", type=Path, metavar="MESH", help="an STL or OBJ file")
    importing.add_argument("--category", required=True, help="what it is, for example mug (see bench catalogue)")
    importing.add_argument("--name", metavar="NAME", help="name in the scene (default: from the file's name)")
    importing.add_argument("--scale", type=float, default=1.0, metavar="X", help="the file's unit in metres (1)")
    importing.add_argument("--up", choices=("x", "y", "z"), default="z", help="the file's axis that points up (z)")
    weight = importing.add_mutually_exclusive_group()
    weight.add_argument("--mass", type=float, metavar="KG", help="mass (default: from the volume and --substance)")
    weight.add_argument("--substance", default="plastic", help="what it is made of (plastic)")
    importing.add_argument("--container", action="store_true", help="it is hollow and open upwards")
    importing.add_argument(
        "--method", choices=("auto", "hull", "cuts", "coacd"), default="auto", help="how it is made convex (auto)"
    )
    importing.add_argument("--pieces", type=worker_count, default=32, metavar="N", help="at most N convex pieces (32)")
    importing.add_argument("--color", default="#c8c2b6", metavar="#RRGGBB", help="its colour")
    importing.add_argument("--out", type=Path, required=True, metavar="FILE", help="JSON file to write the object to")
    importing.set_defaults(run=_import)


def _import(args: argparse.Namespace) -> int:
    from maniguard.sim.assets import build
    from maniguard.sim.assets.foreign import ImportOptions, import_mesh

    name = args.name or args.mesh.stem.lower().replace("-", "_").replace(" ", "_")
    options = ImportOptions(
        name=name,
        category=args.category,
        scale=args.scale,
        up=args.up,
        mass_kg=args.mass,
        substance=args.substance,
        method=args.method,
        max_pieces=args.pieces,
        container=args.container,
        color=args.color,
    )
    spec = import_mesh(args.mesh, options)
    partial = args.out.with_name(args.out.name + ".part")
    partial.write_text(json.dumps(spec.to_dict(), indent=1) + "\n", encoding="utf-8")
    os.replace(partial, args.out)
    asset = build(spec.asset, spec.appearance, spec.mass_kg, spec.friction)
    size = " × ".join(f"{1000 * value:.0f}" for value in asset.size_m)
    inside = "" if asset.interior is None else f", inside {1000 * asset.interior.size_m[2]:.0f} mm deep"
    held = f"{len(spec.grasps)} grasps" if spec.grasps else "no grasp: it cannot be carried"
    print(f"{spec.name}: {size} mm, {spec.mass_kg:.3f} kg, {len(asset.pieces)} convex pieces, {held}{inside}")
    print(f"{args.out}: an entry for the list of objects of a task file")
    return 0
