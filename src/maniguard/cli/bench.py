"""`maniguard bench`: list, show, render, verify and certify the scenarios."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from maniguard.cli.arguments import ArgumentError, Commands, add_selection, select, worker_count
from maniguard.cli.catalogue import add_catalogue


def add_parser(commands: Commands) -> None:
    """Add this command to the command line."""
    parser = commands.add_parser("bench", help="the benchmark: list, show, render, verify, certify, resample …")
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)

    listing = actions.add_parser("list", help="one line per scenario")
    add_selection(listing)
    listing.add_argument("--json", action="store_true", help="print a JSON list of objects")
    listing.set_defaults(run=_list)

    show = actions.add_parser("show", help="everything that one scenario locks")
    show.add_argument("scenario", metavar="ID", help="for example clutter-dry-00/base")
    show.add_argument("--json", action="store_true", help="print the scenario as JSON")
    show.set_defaults(run=_show)

    render = actions.add_parser("render", help="a picture of a scenario's start")
    render.add_argument("scenario", metavar="ID")
    render.add_argument("--camera", default="overview", help="overview, front, left, right, wrist")
    render.add_argument("--quality", choices=("fast", "studio"), default="studio")
    render.add_argument("--size", type=int, default=512, metavar="PX")
    render.add_argument("--out", required=True, type=Path, metavar="FILE", help="PNG or WebP file to write")
    render.set_defaults(run=_render)

    verify = actions.add_parser("verify", help="prove the locked scenarios sound (status 1 with findings)")
    add_selection(verify)
    verify.add_argument("--workers", type=worker_count, default=1, metavar="N")
    verify.set_defaults(run=_verify)

    certify = actions.add_parser("certify", help="run expert, reckless and near-miss scripts; write the evidence table")
    add_selection(certify)
    certify.add_argument("--workers", type=worker_count, default=1, metavar="N")
    certify.add_argument("--out", type=Path, metavar="FILE", help="where to write (default: the shipped certificates)")
    certify.set_defaults(run=_certify)

    resample = actions.add_parser("resample", help="draw new, verified instances of a family")
    resample.add_argument("--family", required=True, metavar="F")
    resample.add_argument("--n", type=int, default=20, metavar="N", help="how many base tasks (default: 20)")
    resample.add_argument("--seed", type=int, default=0, metavar="S", help="another seed, other tasks (default: 0)")
    resample.add_argument("--out", type=Path, metavar="DIR", help="where to write (default: resampled-F-sS)")
    resample.set_defaults(run=_resample)
    add_catalogue(actions)


def listing_entry(scenario: Any) -> dict[str, Any]:
    """Return what `list --json` says of one scenario."""
    from maniguard.spec import load_spec

    return {
        "id": scenario.id,
        "family": scenario.family,
        "variant": scenario.variant,
        "task": scenario.task,
        "condition": scenario.condition,
        "hash": scenario.hash,
        "constraints": [constraint.name for constraint in load_spec(scenario.spec).constraints],
    }


def _list(args: argparse.Namespace) -> int:
    scenarios = select(args)
    if args.json:
        sys.stdout.write(json.dumps([listing_entry(s) for s in scenarios], indent=1, ensure_ascii=False) + "\n")
        return 0
    from rich.table import Table

    from maniguard.cli.output import Output

    table = Table(box=None, pad_edge=False)
    for heading in ("scenario", "hash", "limit", "instruction"):
        table.add_column(heading, no_wrap=heading != "instruction")
    for scenario in scenarios:
        table.add_row(scenario.id, scenario.hash[:12], f"{scenario.step_limit}", scenario.instruction)
    console = Output()
    console.print(table)
    console.print(f"{len(scenarios)} scenarios")
    return 0


def _show(args: argparse.Namespace) -> int:
    from maniguard import bench

    scenario = bench.get(args.scenario)
    if args.json:
        value = {**listing_entry(scenario), "instruction": scenario.instruction, "step_limit": scenario.step_limit}
        value |= {"prompt_forms": dict(scenario.prompt_forms), "physics_hash": scenario.physics_hash}
        value["scene"] = scenario.scene
        sys.stdout.write(json.dumps(value, indent=1, ensure_ascii=False) + "\n")
        return 0
    from rich.table import Table

    from maniguard.cli.output import Output

    console = Output()
    console.print(f"[bold]{scenario.id}[/]  {scenario.instruction}", soft_wrap=True)
    console.print(f"spec {scenario.spec} · step limit {scenario.step_limit} · hash {scenario.hash}", soft_wrap=True)
    table = Table(box=None, pad_edge=False)
    for heading in ("object", "category", "role", "mass (kg)", "x, y, z (m)", "properties"):
        table.add_column(heading, justify="right" if heading.endswith(")") else "left")
    for item in scenario.scene["objects"]:
        position = item["world_T_object"]["position_m"]
        table.add_row(
            item["name"],
            item["category"],
            item["role"],
            f"{item['mass_kg']:.3f}",
            ", ".join(f"{value:.3f}" for value in position),
            ", ".join(item["properties"]),
        )
    console.print(table)
    return 0


_PICTURE_SUFFIXES = (".png", ".webp")


def _check_picture_path(path: Path) -> None:
    """Refuse a path that no picture can have, before the scene is built for it."""
    if path.suffix.lower() not in _PICTURE_SUFFIXES or path.is_dir():
        raise ArgumentError(f"--out {path} is no picture file; give a name that ends in .png or .webp")
    if not path.parent.is_dir():
        raise ArgumentError(f"--out {path}: there is no folder {path.parent}")


def _render(args: argparse.Namespace) -> int:
    from PIL import Image

    from maniguard import bench
    from maniguard.sim import SceneSpec, World

    _check_picture_path(args.out)
    scenario = bench.get(args.scenario)
    world = World(SceneSpec.from_dict(scenario.scene))
    try:
        world.reset()
        image = world.render(args.camera, quality=args.quality, size=args.size)
    finally:
        world.close()
    Image.fromarray(image).save(args.out)
    print(args.out)
    return 0


def _verify(args: argparse.Namespace) -> int:
    from maniguard.certify import verify

    scenarios = select(args)
    report = verify(scenarios, workers=args.workers)
    for finding in report.findings:
        print(finding)
    print(report.summary)
    return 1 if report.findings else 0


def _resample(args: argparse.Namespace) -> int:
    from maniguard.certify import resample, write_resampled

    folder = args.out or Path(f"resampled-{args.family}-s{args.seed}")
    for path in write_resampled(folder, resample(args.family, args.n, args.seed)):
        print(path, flush=True)
    print(f"{args.n} base tasks in five conditions each; run them with `maniguard eval --suite {folder} …`")
    return 0


def _certify(args: argparse.Namespace) -> int:
    from maniguard.certify import certify

    report = certify(select(args), workers=args.workers, out=args.out)
    print(report.summary)
    return 1 if report.findings else 0
