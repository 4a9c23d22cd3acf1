"""`maniguard eval`: plan rollouts, run them, say how they ended."""

from __future__ import annotations

import argparse
from pathlib import Path

from maniguard.cli.arguments import Commands, add_selection, own_tasks, seeds, select, worker_count


def add_parser(commands: Commands) -> None:
    """Add this command to the command line."""
    parser = commands.add_parser("eval", help="evaluate a policy on the benchmark; run it again to resume")
    parser.add_argument(
        "--policy",
        required=True,
        metavar="P",
        help="noop, random, expert, reckless[:NAME], module:Class, openpi://HOST:PORT",
    )
    add_selection(parser)
    parser.add_argument("--seeds", type=seeds, default=(0,), metavar="S[,S]", help="seeds (default: 0)")
    parser.add_argument("--workers", type=worker_count, default=1, metavar="N", help="processes (default: 1)")
    parser.add_argument("--video", action="store_true", help="film every rollout")
    parser.add_argument("--quality", choices=("fast", "studio"), default="fast", help="render quality of every picture")
    parser.add_argument("--spec", default="default", metavar="VARIANT", help="spec variant that the live monitor uses")
    parser.add_argument(
        "--shard", type=_shard, metavar="I/N", help="only part I of N, for a cluster; `maniguard runs merge` joins them"
    )
    parser.add_argument("--out", required=True, type=Path, metavar="RUN", help="run folder, made or continued")
    parser.set_defaults(run=_run)


def _shard(text: str) -> tuple[int, int]:
    part, slash, parts = text.partition("/")
    if not (slash and part.isdigit() and parts.isdigit() and 1 <= int(part) <= int(parts)):
        raise argparse.ArgumentTypeError(f"{text!r} is no shard; write I/N with 1 <= I <= N, for example 3/8")
    return int(part), int(parts)


def _run(args: argparse.Namespace) -> int:
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    from maniguard import report
    from maniguard.cli.output import Output
    from maniguard.cli.preview import preview
    from maniguard.evaluate import PlannedRollout, create_run, execute, make_plan, shard
    from maniguard.rollout import Status

    scenarios = select(args)
    plan = make_plan(
        args.policy,
        scenarios,
        args.seeds,
        spec_variant=args.spec,
        render_quality=args.quality,
        video=args.video,
    )
    if args.shard is not None:
        plan = shard(plan, *args.shard)
        scenarios = [s for s in scenarios if s.id in {item.scenario_id for item in plan.items}]
    chosen = {scenario.task_id for scenario in scenarios}
    run = create_run(args.out, plan, [task for task in own_tasks(args) if task.id in chosen])
    out = Output()
    err = Output(stderr=True)
    preview(out, run, scenarios, workers=args.workers)
    pending = len(run.pending())
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("ETA"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=err, transient=True, disable=not err.is_terminal) as progress:
        bar = progress.add_task("rollouts", total=pending)

        def done(item: PlannedRollout, status: Status) -> None:
            progress.advance(bar)
            if not err.is_terminal:
                err.print(report.rollout_line(run, item.rollout_id), markup=False, soft_wrap=True)

        execute(run, workers=args.workers, done=done)
    report.write_parquet(run)
    report.print_summary(out, run)
    out.print(f"\nresults  {run.path}\nreport   maniguard report {run.path}", markup=False, soft_wrap=True)
    return 1 if run.ledger()["invalid-scene"] else 0
