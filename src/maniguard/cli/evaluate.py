"""`maniguard eval`: plan rollouts, run them, say how they ended."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from maniguard.cli.arguments import (
    MAX_SEED,
    ArgumentError,
    Commands,
    add_selection,
    own_tasks,
    seeds,
    select,
    worker_count,
)

if TYPE_CHECKING:
    from maniguard.evaluate import Executor, Run, StopPlan

EXECUTORS = ("pool", "ray", "inline")


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
    parser.add_argument(
        "--workers", type=worker_count, metavar="N", help="rollouts at a time (default: 1; with ray all cores)"
    )
    parser.add_argument(
        "--executor",
        choices=EXECUTORS,
        default="pool",
        help="pool: processes of this machine; ray: a Ray cluster; inline: this process, for a debugger",
    )
    parser.add_argument("--ray-address", metavar="HOST:PORT", help="the cluster (default: RAY_ADDRESS, or a local one)")
    parser.add_argument(
        "--stall-s",
        type=_seconds,
        metavar="S",
        help="end a worker in which no control step ends for S seconds, and run its rollout again (default: 1800)",
    )
    parser.add_argument(
        "--retry-infra", action="store_true", help="run those again that ended as infra-error in an earlier call"
    )
    parser.add_argument("--video", action="store_true", help="film every rollout")
    parser.add_argument("--quality", choices=("fast", "studio"), default="fast", help="render quality of every picture")
    parser.add_argument("--spec", default="default", metavar="VARIANT", help="spec variant that the live monitor uses")
    parser.add_argument(
        "--shard", type=_shard, metavar="I/N", help="only part I of N, for a cluster; `maniguard runs merge` joins them"
    )
    parser.add_argument(
        "--stop-when",
        metavar="CONDITION",
        help="tasks in drawn order, until for example 'ci_width(ssr) < 0.1'; by a confidence sequence",
    )
    parser.add_argument(
        "--order-seed", type=_order_seed, metavar="S", help="another drawn order for --stop-when (default: 0)"
    )
    parser.add_argument("--out", required=True, type=Path, metavar="RUN", help="run folder, made or continued")
    parser.set_defaults(run=_run)


def _shard(text: str) -> tuple[int, int]:
    part, slash, parts = text.partition("/")
    if not (slash and part.isdecimal() and parts.isdecimal() and 1 <= int(part) <= int(parts)):
        raise argparse.ArgumentTypeError(f"{text!r} is no shard; write I/N with 1 <= I <= N, for example 3/8")
    return int(part), int(parts)


def _order_seed(text: str) -> int:
    if not text.isdecimal() or int(text) > MAX_SEED:
        raise argparse.ArgumentTypeError(f"{text!r} is no seed; seeds are 0 to 2**63 - 1")
    return int(text)


def _stop(args: argparse.Namespace) -> StopPlan | None:
    """Return when the run may stop, if it may."""
    from maniguard.evaluate import StopPlan

    if args.stop_when is None:
        if args.order_seed is not None:
            raise ArgumentError("--order-seed is for --stop-when: without it the order of tasks decides nothing")
        return None
    if args.shard is not None:
        raise ArgumentError(
            "--stop-when needs the whole order of tasks and does not go with --shard, which cuts shards"
        )
    return StopPlan(args.stop_when, order_seed=args.order_seed or 0)


def _seconds(text: str) -> float:
    try:
        value = float(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"{text!r} is no number of seconds") from error
    if not 1.0 <= value <= 604800.0:
        raise argparse.ArgumentTypeError(
            f"{text} seconds is no time to wait for a control step; give 1 or more, a week (604800) at most"
        )
    return value


def _check_executor(args: argparse.Namespace) -> None:
    """Refuse options that do not go together, before a policy is asked or a folder is made."""
    if args.ray_address is not None and args.executor != "ray":
        raise ArgumentError(f"--ray-address is for --executor ray, not {args.executor}")
    if args.executor == "inline" and (args.workers or 1) > 1:
        raise ArgumentError(f"--executor inline has one worker, not {args.workers}; use pool")
    if args.executor == "inline" and args.stall_s is not None:
        raise ArgumentError("--stall-s is for workers that are processes of their own, not for --executor inline")
    if args.executor == "ray":
        from maniguard.evaluate.ray_executor import import_ray

        import_ray()


def _executor(args: argparse.Namespace, run: Run) -> tuple[Executor, int, str]:
    """Return the executor that is asked for, how many workers it is thought to have, and it in words."""
    from maniguard.evaluate import InlineExecutor, PoolExecutor

    if args.executor == "inline":
        return InlineExecutor(), 1, "this process"
    if args.executor == "ray":
        from maniguard.evaluate.ray_executor import RayExecutor

        where = f"Ray at {args.ray_address}" if args.ray_address else "Ray"
        count = args.workers or 1
        words = f"{count} worker{'s' if count > 1 else ''}" if args.workers else "all cores"
        return RayExecutor(run, args.workers, args.ray_address), count, f"{words} of {where}"
    count = args.workers or 1
    return PoolExecutor(run, count), count, f"{count} worker{'s' if count > 1 else ''} of this machine"


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
    from maniguard.cli.preview import preview, print_faults, print_places
    from maniguard.evaluate import STALL_S, PlannedRollout, create_run, execute, make_plan, retry_infra, shard
    from maniguard.rollout import Status

    _check_executor(args)
    scenarios = select(args)
    plan = make_plan(
        args.policy,
        scenarios,
        args.seeds,
        spec_variant=args.spec,
        render_quality=args.quality,
        video=args.video,
        stop=_stop(args),
    )
    if args.shard is not None:
        plan = shard(plan, *args.shard)
        scenarios = [s for s in scenarios if s.id in {item.scenario_id for item in plan.items}]
    chosen = {scenario.task_id for scenario in scenarios}
    run = create_run(args.out, plan, [task for task in own_tasks(args) if task.id in chosen])
    out = Output()
    err = Output(stderr=True)
    executor, workers, where = _executor(args, run)
    if args.retry_infra and retry_infra(run):
        # Or their old rows would stand beside the new ones until the run is over.
        report.write_parts(run)
    part = "" if args.shard is None else f"; shard {args.shard[0]} of {args.shard[1]}"
    preview(out, run, scenarios, workers=workers, where=f"{where}{part}")
    pending = len(run.pending())
    parts = report.PartWriter(run)
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
            parts.add(item.rollout_id)
            progress.advance(bar)
            if not err.is_terminal:
                err.print(report.rollout_line(run, item.rollout_id), markup=False, soft_wrap=True)

        execute(run, executor=executor, done=done, stall_s=args.stall_s or STALL_S)
    report.write_parts(run)
    report.print_summary(out, run)
    print_faults(out, run)
    out.print()
    print_places(out, run)
    return 1 if run.ledger()["invalid-scene"] else 0
