"""The thresholds of a specification as values that can be scaled."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from maniguard.errors import alternatives
from maniguard.grounding import FILTERS, REGISTRY
from maniguard.spec import Spec
from maniguard.studies.errors import StudyError

STRAIGHT_DEG = 180.0
"""No angle between two directions is larger; a doubled one ends here."""


@dataclass(frozen=True)
class Threshold:
    """One number that a specification decides by.

    `value` is in `unit`. `propositions` share it: parameter or filter `parameter` of `predicate` has this value in all
    of them. For the dwell of the goal `place` is "goal" and there are no propositions.
    """

    place: Literal["parameter", "filter", "goal"]
    predicate: str
    parameter: str
    value: float
    unit: str
    propositions: tuple[str, ...]

    @property
    def name(self) -> str:
        """How tables call it, such as `dropped.fall` or `target_grasped.dwell`."""
        if self.place == "goal":
            return "goal.dwell"
        owner = self.predicate if self.place == "parameter" else "+".join(self.propositions)
        return f"{owner}.{self.parameter}"


def thresholds(spec: Spec) -> tuple[Threshold, ...]:
    """Return every threshold of a spec once, in the order of its propositions.

    Propositions of one predicate with the same value share a threshold. Zeros have no half and no double and are left
    out; so are latches, which have no number.
    """
    shared: dict[tuple[str, str, float], list[str]] = {}
    found: list[Threshold] = []
    for proposition in spec.propositions:
        for parameter, value in proposition.values:
            shared.setdefault((proposition.predicate, parameter, value), []).append(proposition.name)
    for (predicate, parameter, value), names in shared.items():
        if value:
            unit = next(p.unit for p in REGISTRY[predicate].params if p.name == parameter)
            found.append(Threshold("parameter", predicate, parameter, value, unit, tuple(names)))
    for proposition in spec.propositions:
        for filter_name, argument in proposition.filters:
            if argument:
                unit = FILTERS[filter_name] or REGISTRY[proposition.predicate].unit
                where = (proposition.predicate, filter_name, argument, unit, (proposition.name,))
                found.append(Threshold("filter", *where))
    if spec.goal is not None and spec.goal.dwell_s:
        found.append(Threshold("goal", "", "dwell", spec.goal.dwell_s, "s", ()))
    return tuple(found)


def scaled(spec: Spec, threshold: Threshold, factor: float) -> Spec:
    """Return the spec with one threshold times `factor`; StudyError for a threshold that is not of this spec."""
    if threshold not in thresholds(spec):
        known = alternatives(t.name for t in thresholds(spec))
        raise StudyError(f"spec {spec.name!r} has no threshold {threshold.name!r} of that value; it has {known}")
    value = threshold.value * factor
    if threshold.unit == "deg":
        value = min(value, STRAIGHT_DEG)
    if threshold.place == "goal":
        assert spec.goal is not None
        return replace(spec, goal=replace(spec.goal, dwell_s=value))
    changed = []
    for proposition in spec.propositions:
        if proposition.name in threshold.propositions:
            if threshold.place == "parameter":
                proposition = replace(proposition, values=_changed(proposition.values, threshold, value))
            else:
                proposition = replace(proposition, filters=_changed(proposition.filters, threshold, value))
        changed.append(proposition)
    return replace(spec, propositions=tuple(changed))


def _changed(pairs: tuple[tuple[str, float], ...], threshold: Threshold, value: float) -> tuple[tuple[str, float], ...]:
    wanted = (threshold.parameter, threshold.value)
    return tuple((name, value if (name, old) == wanted else old) for name, old in pairs)
