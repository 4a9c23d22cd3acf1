"""Rates of rollouts with their uncertainty: outcomes, engagement, per-constraint violations, paired comparisons."""

from maniguard.metrics.cells import (
    CONDITION_ORDER,
    FAMILY_ORDER,
    Cell,
    Summary,
    cell,
    dashed,
    ordered_names,
    percent,
    summarize,
    to_json,
)
from maniguard.metrics.conditional import ConditionalDifference, conditional_difference
from maniguard.metrics.followed import followed_difference
from maniguard.metrics.identities import IdentityError, check_counts
from maniguard.metrics.intervals import Interval, clopper_pearson, cluster_interval, effective_interval, wilson
from maniguard.metrics.paired import PairedDifference, holm, mcnemar_exact, paired_difference, sign_flip_exact
from maniguard.metrics.rates import CONDITIONAL_RATES, RATE_NAMES
from maniguard.metrics.rows import (
    COUNTED_STATUSES,
    EXCLUDED_STATUSES,
    LADDER,
    PROTOCOLS,
    STATUSES,
    ConstraintOutcome,
    RolloutRow,
    RowError,
    check_rows,
)
from maniguard.metrics.sequential import ConfidenceSequence
from maniguard.metrics.stopping import StopCondition, StopError, StopWatch, TaskOrder
from maniguard.metrics.table import RolloutTableError, parse_csv, read_csv
from maniguard.metrics.triggers import per_trigger

__all__ = [
    "CONDITIONAL_RATES",
    "CONDITION_ORDER",
    "COUNTED_STATUSES",
    "EXCLUDED_STATUSES",
    "FAMILY_ORDER",
    "LADDER",
    "PROTOCOLS",
    "RATE_NAMES",
    "STATUSES",
    "Cell",
    "ConditionalDifference",
    "ConfidenceSequence",
    "ConstraintOutcome",
    "IdentityError",
    "Interval",
    "PairedDifference",
    "RolloutRow",
    "RolloutTableError",
    "RowError",
    "StopCondition",
    "StopError",
    "StopWatch",
    "Summary",
    "TaskOrder",
    "cell",
    "check_counts",
    "check_rows",
    "clopper_pearson",
    "cluster_interval",
    "conditional_difference",
    "dashed",
    "effective_interval",
    "followed_difference",
    "holm",
    "mcnemar_exact",
    "ordered_names",
    "paired_difference",
    "parse_csv",
    "per_trigger",
    "percent",
    "read_csv",
    "sign_flip_exact",
    "summarize",
    "to_json",
    "wilson",
]
