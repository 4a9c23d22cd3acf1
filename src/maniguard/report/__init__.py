"""Reports: tables for the terminal, Parquet, and HTML pages that need no network."""

from maniguard.report.annotation import annotation_index, annotation_page
from maniguard.report.collect import Collector
from maniguard.report.detail import PropositionTrack, RolloutDetail, RuleTrack
from maniguard.report.differences import DifferenceLine, differences_svg
from maniguard.report.html import ReportError, write_pages
from maniguard.report.parts import PartWriter, write_parts
from maniguard.report.query import Answer, QueryError, query, render_value
from maniguard.report.run import SAMPLE_RUN, print_summary, rollout_line, write_html, write_parquet
from maniguard.report.terminal import print_tables, print_view
from maniguard.report.view import EpisodeView, RolloutView, Rule, RunView

__all__ = [
    "SAMPLE_RUN",
    "Answer",
    "Collector",
    "DifferenceLine",
    "EpisodeView",
    "PartWriter",
    "PropositionTrack",
    "QueryError",
    "ReportError",
    "RolloutDetail",
    "RolloutView",
    "Rule",
    "RuleTrack",
    "RunView",
    "annotation_index",
    "annotation_page",
    "differences_svg",
    "print_summary",
    "print_tables",
    "print_view",
    "query",
    "render_value",
    "rollout_line",
    "write_html",
    "write_pages",
    "write_parquet",
    "write_parts",
]
