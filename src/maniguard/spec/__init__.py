"""Specifications: which rules hold, how success is told, on which measured propositions; files, lints, the library."""

from maniguard.spec.bind import Bound, bind
from maniguard.spec.errors import Finding, SpecError
from maniguard.spec.lint import check
from maniguard.spec.model import Binding, Constraint, Goal, Judging, Ladder, Proposition, Spec
from maniguard.spec.read import load_spec
from maniguard.spec.source import library
from maniguard.spec.text import explain, show

__all__ = [
    "Binding",
    "Bound",
    "Constraint",
    "Finding",
    "Goal",
    "Judging",
    "Ladder",
    "Proposition",
    "Spec",
    "SpecError",
    "bind",
    "check",
    "explain",
    "library",
    "load_spec",
    "show",
]
