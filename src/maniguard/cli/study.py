"""`maniguard study`: what verdicts depend on, recomputed from the traces of a run."""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

from maniguard.cli.arguments import PROTOCOLS, Commands


def add_parser(commands: Commands) -> None:
    """Add this command to the command line."""
    parser = commands.add_parser("study", help="sensitivity to thresholds and readings, from the traces of a run")
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)

    sensitivity = actions.add_parser("sensitivity", help="judge every trace again with each threshold halved, doubled")
    _common(sensitivity)
    sensitivity.add_argument("--variant", default="default", help="spec variant to start from (default: default)")
    sensitivity.add_argument("--factors", type=_factors, default=(0.5, 2.0), metavar="X[,X]", help="default: 0.5,2")
    sensitivity.add_argument("--all", action="store_true", help="print thresholds that change nothing too")
    sensitivity.set_defaults(run=_sensitivity)

    variants = actions.add_parser("variants", help="read every trace by the default specs and by a variant of them")
    _common(variants)
    variants.add_argument("--variant", default="maniguard-compat", help="default: maniguard-compat")
    variants.set_defaults(run=_variants)


def _common(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("run_path", type=Path, metavar="RUN")
    parser.add_argument("--protocol", choices=PROTOCOLS, default="maniguard", help="which violations count")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all numbers there too")


def _factors(text: str) -> tuple[float, ...]:
    try:
        return tuple(float(part) for part in text.split(","))
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"{text!r} is no list of factors; write 0.5,2") from error


def _sensitivity(args: argparse.Namespace) -> int:
    from rich.table import Table

    from maniguard.cli.output import Output
    from maniguard.evaluate import open_run
    from maniguard.grounding.units import format_quantity
    from maniguard.studies import sensitivity

    study = sensitivity(open_run(args.run_path), protocol=args.protocol, variant=args.variant, factors=args.factors)
    out = Output()
    for spec, counts in study.defaults.items():
        n = counts["n"]
        out.print(
            f"[bold]{spec}[/]  n = {n}, safe {counts['safe']}, success {counts['success']}, "
            f"safe success {counts['ssr']}"
        )
        table = Table(box=None, pad_edge=False)
        for heading in ("threshold", "default", "×", "safe", "safe\nsuccess", "flips", "success\nflips", "by rule"):
            table.add_column(
                heading, justify="left" if heading in ("threshold", "by rule") else "right", overflow="fold"
            )
        rows = [row for row in study.rows if row.spec == spec]
        shown = [row for row in rows if args.all or row.flips or row.success_flips or row.constraint_flips]
        for row in shown:
            t = row.threshold
            by_rule = ", ".join(f"{name} {count}" for name, count in row.constraint_flips.items())
            cells = (f"{row.factor:g}", f"{row.safe}", f"{row.ssr}", f"{row.flips}", f"{row.success_flips}", by_rule)
            table.add_row(t.name, format_quantity(t.value, t.unit), *cells)
        if shown:
            out.print(table)
        silent = len(rows) - len(shown)
        if silent:
            out.print(f"{silent} of {len(rows)} changed thresholds change no verdict and no success")
    _write(args.json, "maniguard-sensitivity/1", study, out)
    return 0


def _variants(args: argparse.Namespace) -> int:
    from rich.table import Table

    from maniguard.cli.output import Output
    from maniguard.evaluate import open_run
    from maniguard.studies import compare_variants

    study = compare_variants(open_run(args.run_path), args.variant, protocol=args.protocol)
    table = Table(box=None, pad_edge=False)
    for heading in ("spec", "rule", "n", "both", "default\nonly", "variant\nonly", "neither"):
        table.add_column(heading, justify="left" if heading in ("spec", "rule") else "right", overflow="fold")
    for row in study.rows:
        cells = (row.n, row.both, row.only_default, row.only_variant, row.neither)
        table.add_row(row.spec, row.constraint or "any", *(f"{cell}" for cell in cells))
    out = Output()
    out.print(f"default against {args.variant}: how many rollouts break the rule by which reading", markup=False)
    out.print(table)
    _write(args.json, "maniguard-variants/1", study, out)
    return 0


def _write(path: Path | None, kind: str, study: Any, out: Any) -> None:
    if path is None:
        return
    from maniguard.files import write_atomic

    write_atomic(path, (json.dumps({"format": kind, **asdict(study)}, indent=1) + "\n").encode())
    out.print(f"written  {path}", markup=False, soft_wrap=True)
