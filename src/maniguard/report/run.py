"""Reports of a run folder: what the command line calls."""

from __future__ import annotations

from pathlib import Path

from rich.console import Console

from maniguard.evaluate import Run
from maniguard.files import write_atomic
from maniguard.report import parquet
from maniguard.report.collect import Collector
from maniguard.report.html import write_pages
from maniguard.report.parts import rows_of
from maniguard.report.terminal import describe, print_view

SAMPLE_RUN = Path(__file__).parent / "sample"


def write_html(
    run: Run,
    out: Path | None = None,
    *,
    protocol: str = "maniguard",
    spec_variant: str | None = None,
    single_file: bool = False,
) -> Path:
    """Write the HTML report of `run` into the folder `out` (RUN/report if None); return the path of its index.html.

    With `spec_variant` the stored traces are judged anew. Rollouts that are still to be run appear as pending.
    """
    collector = Collector(run, protocol=protocol, spec_variant=spec_variant)
    target = run.path / "report" if out is None else out
    return write_pages(collector.view(), target, collector.detail, single_file=single_file)


def write_parquet(run: Run, path: Path) -> Path:
    """Write the table of finished rollouts into one file, verdicts under every protocol, in the order of the plan."""
    finished = [item.rollout_id for item in run.plan.items if run.result_path(item.rollout_id).exists()]
    write_atomic(path, parquet.encode(rows_of(run, finished)))
    return path


def print_summary(console: Console, run: Run, *, protocol: str = "maniguard", spec_variant: str | None = None) -> None:
    """Print what the run is and its tables of rates."""
    print_view(console, Collector(run, protocol=protocol, spec_variant=spec_variant).view())


def rollout_line(run: Run, rollout_id: str) -> str:
    """Return one line on how a finished rollout came out."""
    return describe(Collector(run).rollout(run.result(rollout_id)))
