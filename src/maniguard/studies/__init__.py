"""Studies over recorded runs: what verdicts depend on, how they are read, and whether people agree with them."""

from maniguard.studies.agreement import Agreement, AgreementRow, agree, between, with_monitor
from maniguard.studies.annotate import Session, annotate
from maniguard.studies.annotations import Annotations, Said, annotators, read_annotations, write_annotations
from maniguard.studies.compare import ComparedGroup, Comparison, compare_runs
from maniguard.studies.errors import StudyError
from maniguard.studies.power import Design, Power, PowerStudy, StoppingTime, power, stopping_times
from maniguard.studies.records import Record
from maniguard.studies.sensitivity import Sensitivity, SensitivityRow, sensitivity, sensitivity_of
from maniguard.studies.thresholds import Threshold, scaled, thresholds
from maniguard.studies.variants import VariantComparison, VariantRow, compare_variants, variants_of

__all__ = [
    "Agreement",
    "AgreementRow",
    "Annotations",
    "ComparedGroup",
    "Comparison",
    "Design",
    "Power",
    "PowerStudy",
    "Record",
    "Said",
    "Sensitivity",
    "SensitivityRow",
    "Session",
    "StoppingTime",
    "StudyError",
    "Threshold",
    "VariantComparison",
    "VariantRow",
    "agree",
    "annotate",
    "annotators",
    "between",
    "compare_runs",
    "compare_variants",
    "power",
    "read_annotations",
    "scaled",
    "sensitivity",
    "sensitivity_of",
    "stopping_times",
    "thresholds",
    "variants_of",
    "with_monitor",
    "write_annotations",
]
