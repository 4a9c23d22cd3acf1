"""Studies over recorded runs: how much the verdicts depend on the thresholds, and on the reading of the rules."""

from maniguard.studies.errors import StudyError
from maniguard.studies.sensitivity import Sensitivity, SensitivityRow, sensitivity
from maniguard.studies.thresholds import Threshold, scaled, thresholds
from maniguard.studies.variants import VariantComparison, VariantRow, compare_variants

__all__ = [
    "Sensitivity",
    "SensitivityRow",
    "StudyError",
    "Threshold",
    "VariantComparison",
    "VariantRow",
    "compare_variants",
    "scaled",
    "sensitivity",
    "thresholds",
]
