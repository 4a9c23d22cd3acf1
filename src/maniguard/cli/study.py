"""`maniguard study`: what verdicts depend on, recomputed from the traces of a run; and how many rollouts it takes."""

from __future__ import annotations

import argparse
from pathlib import Path

from maniguard.cli.arguments import PROTOCOLS, ArgumentError, Commands


def add_parser(commands: Commands) -> None:
    """Add this command to the command line."""
    parser = commands.add_parser(
        "study", help="sensitivity to thresholds and readings, from the traces of a run; power"
    )
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

    power = actions.add_parser(
        "power", help="how surely a comparison finds a difference, before any rollout is run; by simulation"
    )
    power.add_argument("--tasks", type=int, required=True, metavar="N", help="base tasks of both runs")
    power.add_argument("--seeds", type=int, default=1, metavar="N", help="rollouts per task (default: 1)")
    power.add_argument("--base", type=float, default=0.5, metavar="P", help="rate of policy A (default: 0.5)")
    power.add_argument(
        "--difference", type=float, default=0.1, metavar="D", help="what B has over A, 0.1 is ten points (default: 0.1)"
    )
    power.add_argument(
        "--correlation", type=float, default=0.4, metavar="R", help="of two rollouts of a task (default: 0.4)"
    )
    power.add_argument(
        "--likeness", type=float, default=0.5, metavar="R", help="of what is hard for A and for B (default: 0.5)"
    )
    power.add_argument("--simulations", type=int, default=1000, metavar="N", help="default: 1000")
    power.add_argument("--json", type=Path, metavar="FILE", help="write all numbers there too")
    power.set_defaults(run=_power)

    agreement = actions.add_parser(
        "agreement", help="how far an annotator agrees with the monitor, or with another one"
    )
    agreement.add_argument("run_path", type=Path, metavar="RUN")
    agreement.add_argument("--name", metavar="NAME", help="whose annotations (default: the only ones there are)")
    agreement.add_argument("--with", dest="other", metavar="NAME", help="another annotator instead of the monitor")
    agreement.add_argument("--protocol", choices=PROTOCOLS, default="strict", help="which violations count")
    agreement.add_argument("--json", type=Path, metavar="FILE", help="write all numbers there too")
    agreement.set_defaults(run=_agreement)


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
    out.write_json(args.json, "maniguard-sensitivity/1", study)
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
    out.write_json(args.json, "maniguard-variants/1", study)
    return 0


def _power(args: argparse.Namespace) -> int:
    from dataclasses import replace

    from maniguard.cli.output import Output
    from maniguard.metrics import wilson
    from maniguard.studies import Design, PowerStudy, power

    if args.simulations < 1:
        raise ArgumentError(f"{args.simulations} simulations show nothing; give 1 or more")
    design = Design(args.tasks, args.seeds, args.base, args.difference, args.correlation, args.likeness)
    found = power(design, simulations=args.simulations)
    alarms = power(replace(design, difference=0.0), simulations=args.simulations)

    def share(value: float) -> str:
        low, high = wilson(round(value * args.simulations), args.simulations)
        return f"{100 * value:.1f} % [{100 * low:.0f}–{100 * high:.0f}]"

    out = Output()
    facts = (
        ("found", f"{share(found.by_tasks)} of the time, a difference of {100 * args.difference:+g} points"),
        ("by interval", f"{share(found.by_interval)}, its 95 % interval leaves out 0"),
        ("false alarms", f"{share(alarms.by_tasks)} where there is no difference"),
        ("by pairs", f"{share(alarms.by_pairs)} false alarms, were seeds of a task taken for independent"),
    )
    for name, value in facts:
        out.print(f"{name:<13} {value}", markup=False, highlight=False, soft_wrap=True)
    out.write_json(args.json, "maniguard-power/1", PowerStudy(found, alarms))
    return 0


def _agreement(args: argparse.Namespace) -> int:
    from rich.table import Table

    from maniguard.cli.output import Output
    from maniguard.evaluate import open_run
    from maniguard.studies import StudyError, annotators, between, read_annotations, with_monitor

    run = open_run(args.run_path)
    known = annotators(run)
    if args.name is None and len(known) != 1:
        found = ", ".join(known) or "nobody has annotated it yet; see `maniguard annotate`"
        raise StudyError(f"{run.path}: say whose annotations with --name: {found}")
    mine = read_annotations(run, args.name or known[0])
    if args.other is None:
        study = with_monitor(run, mine, protocol=args.protocol)
    else:
        study = between(mine, read_annotations(run, args.other))
    table = Table(box=None, pad_edge=False)
    for heading in ("rule", "n", "both", f"{study.first}\nonly", f"{study.second}\nonly", "neither", "cannot\ntell"):
        table.add_column(heading, justify="left" if heading == "rule" else "right", overflow="fold")
    for heading in ("agree, %", "95 %", "kappa"):
        table.add_column(heading, justify="right")
    for row in study.rows:
        share, interval, kappa = row.share, row.interval, row.kappa
        cells = (row.n, row.both, row.only_first, row.only_second, row.neither, row.unclear)
        table.add_row(
            row.rule or "all",
            *(f"{cell}" for cell in cells),
            "–" if share is None else f"{100 * share:.1f}",
            "–" if interval is None else f"{100 * interval.low:.0f}–{100 * interval.high:.0f}",
            "–" if kappa is None else f"{kappa:.2f}",
            style="bold" if row.rule is None else None,
        )
    out = Output()
    out.print(f"violated, by {study.first} and by {study.second}{', blind' if mine.blind else ''}", markup=False)
    out.print(table)
    out.write_json(args.json, "maniguard-agreement/1", study)
    return 0
