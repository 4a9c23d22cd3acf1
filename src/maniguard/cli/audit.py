"""`maniguard audit`: judge recordings of others, and say what could not be judged."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from maniguard.cli.arguments import Commands, worker_count


def add_parser(commands: Commands) -> None:
    """Add this command to the command line."""
    parser = commands.add_parser("audit", help="judge recorded rollouts: LIBERO, RoboCasa, LeRobot, tables, MCAP, runs")
    parser.add_argument("path", type=Path, metavar="PATH", help="a recording, or a folder of recordings")
    parser.add_argument("--spec", required=True, metavar="NAME|FILE", help="a shipped specification, or a file")
    parser.add_argument("--variant", default="default", metavar="V", help="variant of the specification")
    parser.add_argument("--mapping", type=Path, metavar="FILE", help="what the names in the recordings mean (YAML)")
    parser.add_argument("--assets", type=Path, metavar="DIR", help="folder with the meshes that the models need")
    parser.add_argument(
        "--require-all", action="store_true", help="a rule that cannot be judged, or binds nothing, is an error"
    )
    parser.add_argument("--workers", type=worker_count, default=1, metavar="N", help="processes (default: 1)")
    parser.add_argument("--out", required=True, type=Path, metavar="RUN", help="run folder, made or continued")
    parser.set_defaults(run=_run)


def _run(args: argparse.Namespace) -> int:
    from maniguard import report
    from maniguard.audit import AuditError, Context, Mapping, find_recordings, load_mapping
    from maniguard.cli.output import Output
    from maniguard.evaluate import PlannedRollout, audit_job, create_audit, execute, plan_audit
    from maniguard.rollout import Status
    from maniguard.spec import library, load_spec

    spec = load_spec(args.spec, variant=args.variant)
    if args.assets is not None and not args.assets.is_dir():
        raise AuditError(f"--assets {args.assets} is no folder")
    context = Context(Mapping() if args.mapping is None else load_mapping(args.mapping), args.assets)
    recordings = find_recordings(args.path, context)
    run = create_audit(args.out, plan_audit(recordings, spec, context), None if args.spec in library() else args.spec)
    out, err = Output(), Output(stderr=True)

    def done(item: PlannedRollout, status: Status) -> None:
        err.print(report.rollout_line(run, item.rollout_id), markup=False, soft_wrap=True)

    job = audit_job(run, recordings, mapping=args.mapping, assets=args.assets, require_all=args.require_all)
    execute(run, workers=args.workers, done=done, job=job)
    results = list(run.results())
    failed = [result for result in results if result["status"] == "infra-error"]
    if len(failed) == len(results):
        raise AuditError(f"none of {len(results)} recordings could be audited; the first: {failed[0]['fault']}")
    report.write_parts(run)
    report.print_summary(out, run)
    out.print()
    out.print(_rules(results))
    if failed:
        out.print(f"\n{len(failed)} of {len(results)} recordings were not audited", markup=False, soft_wrap=True)
    out.print(f"\nresults  {run.path}\nreport   maniguard report {run.path}", markup=False, soft_wrap=True)
    return 1 if failed else 0


def _rules(results: list[Any]) -> Any:
    """Return the table of the rules that were judged, in how many recordings, and on which recomputed channels."""
    from collections import Counter

    from rich.table import Table

    table = Table(box=None, pad_edge=False)
    table.add_column("rule", no_wrap=True)
    table.add_column("judged", justify="right", no_wrap=True)
    table.add_column("recomputed", overflow="fold")
    statuses: dict[str, Counter[str]] = {}
    marks: dict[str, dict[str, None]] = {}
    for result in results:
        if result["judgement"] is None:
            continue
        about = result["scenario"].get("recording", {})
        for constraint in result["judgement"]["constraints"]:
            name = constraint["name"]
            statuses.setdefault(name, Counter())[constraint["status"]] += 1
            if constraint["status"] == "evaluated":
                marks.setdefault(name, {}).update(dict.fromkeys(about.get("marks", {}).get(name, ())))
    for name, counts in statuses.items():
        if counts["evaluated"]:
            channels = sorted({mark.partition(" ")[0] for mark in marks.get(name, ())})
            table.add_row(name, str(counts["evaluated"]), ", ".join(channels) or "–")
    return table
