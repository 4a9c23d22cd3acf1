"""Reports of a run folder: what the command line calls."""

from __future__ import annotations

from pathlib import Path

from rich.console import Console

from maniguard.evaluate import Run
from maniguard.files import write_atomic
from maniguard.metrics import PROTOCOLS
from maniguard.report import parquet
from maniguard.report.collect import Collector
from maniguard.report.html import write_pages
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


def write_parquet(run: Run, path: Path | None = None) -> Path:
    """Write the table of finished rollouts (RUN/rollouts.parquet if `path` is None), verdicts under every protocol."""
    views = {protocol: Collector(run, protocol=protocol).view().rollouts for protocol in PROTOCOLS}
    target = run.path / "rollouts.parquet" if path is None else path
    write_atomic(target, parquet.encode(parquet.table(views)))
    return target


def print_summary(console: Console, run: Run, *, protocol: str = "maniguard", spec_variant: str | None = None) -> None:
    """Print what the run is and its tables of rates."""
    print_view(console, Collector(run, protocol=protocol, spec_variant=spec_variant).view())


def rollout_line(run: Run, rollout_id: str) -> str:
    """Return one line on how a finished rollout came out."""
    return describe(Collector(run).rollout(run.result(rollout_id)))
