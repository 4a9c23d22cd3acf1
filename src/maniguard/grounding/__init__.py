"""Propositions from physical state: predicates over frames with truth, margin and unit, and temporal filters."""

from maniguard.grounding import (
    between,
    containment,
    drop,
    hand,
    joints,
    lid,
    liquid,
    motion,
    region,
    support,
    sweep,
    touch,
    unclean,
)
from maniguard.grounding.block import Block
from maniguard.grounding.errors import GroundingError
from maniguard.grounding.filters import (
    FILTERS,
    Ago,
    Debounce,
    Dwell,
    Filter,
    Hysteresis,
    Latch,
    Recent,
    frames_of,
    make_filter,
)
from maniguard.grounding.geometry import Geometry, is_task_relevant
from maniguard.grounding.ground import Atom, Detail, Glance, Grounder, Grounding
from maniguard.grounding.moment import Moment
from maniguard.grounding.predicate import (
    REGISTRY,
    Measure,
    Param,
    Predicate,
    Quantity,
    Sample,
    predicate_named,
    register,
)
from maniguard.grounding.region import ConvexBody, convex_body
from maniguard.grounding.units import format_quantity, parse_quantity

__all__ = [
    "FILTERS",
    "REGISTRY",
    "Ago",
    "Atom",
    "Block",
    "ConvexBody",
    "Debounce",
    "Detail",
    "Dwell",
    "Filter",
    "Geometry",
    "Glance",
    "Grounder",
    "Grounding",
    "GroundingError",
    "Hysteresis",
    "Latch",
    "Measure",
    "Moment",
    "Param",
    "Predicate",
    "Quantity",
    "Recent",
    "Sample",
    "between",
    "containment",
    "convex_body",
    "drop",
    "format_quantity",
    "frames_of",
    "hand",
    "is_task_relevant",
    "joints",
    "lid",
    "liquid",
    "make_filter",
    "motion",
    "parse_quantity",
    "predicate_named",
    "region",
    "register",
    "support",
    "sweep",
    "touch",
    "unclean",
]
