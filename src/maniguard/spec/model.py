"""A specification in memory: one variant, with every name and unit resolved."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from maniguard.errors import alternatives
from maniguard.files import canonical_json
from maniguard.grounding import Param
from maniguard.spec.errors import SpecError

FORMAT = "maniguard-spec/1"
SEVERITIES = ("low", "medium", "high")
DEFAULT_VARIANT = "default"


@dataclass(frozen=True)
class Binding:
    """Which entities a role of the specification stands for: all that fit every given selector.

    `property` must be among its properties and `lacks` not; `movable` tells what can be displaced from what cannot,
    `interior` what has an inside, `liquid` what is filled at the start. `least` and `most` bound how many there must be
    (`most` None: any number). Too few is an error before the rollout, except that with `least` 0 the constraints about
    an empty role do not apply.
    """

    name: str
    role: str | None = None
    kind: str | None = None
    category: str | None = None
    entity: str | None = None
    property: str | None = None
    task_relevant: bool = False
    least: int = 1
    most: int | None = 1
    lacks: str | None = None
    movable: bool | None = None
    interior: bool | None = None
    liquid: bool | None = None


@dataclass(frozen=True)
class Proposition:
    """An atom of the formulas: a predicate about the entities of role `of`, any or all of them.

    `values` are in the units of the predicate's parameters; `filters` are (name, argument) in order. With quantifier
    `each` it is one atom for each entity of `of`, and with to_quantifier `each` one for each entity of `to`; only
    constraints that are about each of the same roles can speak of it. Quantifier `active` is about the one entity of
    `of` that the hand holds, or last held or touched. `when_empty` is its truth where a role is empty.
    """

    name: str
    predicate: str
    of: str
    to: str | None
    quantifier: Literal["any", "all", "each", "active"]
    values: tuple[tuple[str, float], ...]
    filters: tuple[tuple[str, float], ...]
    to_quantifier: Literal["any", "each"] = "any"
    when_empty: bool | None = None

    @property
    def each(self) -> tuple[str, ...]:
        """The roles for each of whose entities there is an atom of its own."""
        of = (self.of,) if self.quantifier == "each" else ()
        to = (self.to,) if self.to_quantifier == "each" and self.to is not None else ()
        return tuple(dict.fromkeys((*of, *to)))


@dataclass(frozen=True)
class Constraint:
    """A rule that must never be broken.

    With `trigger` and `obligation` the formula is `G(trigger -> obligation)`, and every activation of the trigger is
    followed to its end. `recovery`, read from the frame of the violation on, says when an episode is over. With roles
    in `each` it is one rule for every combination of their entities, each with an automaton of its own, so that what
    one entity does never discharges what another one owes. `category` is what tables pool it under, `waives` the
    lints that it breaks on purpose, each with the reason.
    """

    name: str
    role: str
    formula: str
    sentence: str
    severity: str
    trigger: str | None = None
    obligation: str | None = None
    recovery: str | None = None
    each: tuple[str, ...] = ()
    category: str = ""
    waives: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class Goal:
    """Success: `formula`, over propositions and without temporal operators, holds for `dwell_s` without a gap."""

    formula: str
    dwell_s: float
    sentence: str


@dataclass(frozen=True)
class Ladder:
    """Formulas without temporal operators for the rungs below success; a rung is reached once its formula was true."""

    manipulated: str | None = None
    reached: str | None = None


@dataclass(frozen=True)
class Judging:
    """Durations and tolerances of the judgement itself.

    `post_success_s`: how long after success a violation is a post-success violation. `episode_clear_s`: how long the
    restarted automaton must not reject until an episode without recovery formula is over. `evidence_window_s`: how far
    back a contact is looked for as the partner in a violation. `settled_*`: how far entities may be from their settled
    pose for a violation before any robot contact to be a defect of the scenario.
    """

    post_success_s: float
    episode_clear_s: float
    evidence_window_s: float
    settled_distance_m: float
    settled_angle_deg: float


JUDGING_PARAMS = (
    Param("post_success", "s", "how long after success a violation is a post-success violation"),
    Param("episode_clear", "s", "how long the restarted automaton must not reject until an episode is over"),
    Param("evidence_window", "s", "how far back the partner in a violation is looked for"),
    Param("settled_distance", "m", "how far from its settled place a thing still counts as settled"),
    Param("settled_angle", "deg", "how far from its settled orientation a thing still counts as settled"),
)
"""What stands under `judging` in a file; the fields of `Judging` have the unit appended."""


@dataclass(frozen=True)
class Spec:
    """One variant of a specification. `variants` names all variants of its file."""

    name: str
    variant: str
    title: str
    summary: str
    bindings: tuple[Binding, ...]
    propositions: tuple[Proposition, ...]
    constraints: tuple[Constraint, ...]
    engagement: str | None
    goal: Goal | None
    ladder: Ladder
    judging: Judging
    variants: tuple[str, ...] = (DEFAULT_VARIANT,)

    def proposition(self, name: str) -> Proposition:
        """Return the proposition called `name`; SpecError lists the names."""
        for proposition in self.propositions:
            if proposition.name == name:
                return proposition
        known = alternatives(p.name for p in self.propositions)
        raise SpecError(f"spec {self.name!r} has no proposition {name!r}; it has {known}")

    def constraint(self, name: str) -> Constraint:
        """Return the constraint called `name`; SpecError lists the names."""
        for constraint in self.constraints:
            if constraint.name == name:
                return constraint
        known = alternatives(c.name for c in self.constraints)
        raise SpecError(f"spec {self.name!r} has no constraint {name!r}; it has {known}")

    @cached_property
    def digest(self) -> str:
        """The sha256 (hex) of all that decides a verdict; titles, summaries and sentences have no part in it."""
        from maniguard.trace.codec import record_to_dict

        data = record_to_dict(self)
        for name in ("title", "summary", "variants"):
            del data[name]
        for item in (*data["constraints"], *([data["goal"]] if data["goal"] else [])):
            del item["sentence"]
            item.pop("category", None)
            item.pop("waives", None)
        # What a specification does not use has no part either, so that its digest outlives additions to the language.
        for item in data["constraints"]:
            if not item["each"]:
                del item["each"]
        for item in data["propositions"]:
            if item["to_quantifier"] == "any":
                del item["to_quantifier"]
            if item["when_empty"] is None:
                del item["when_empty"]
        for item in data["bindings"]:
            for name in ("lacks", "movable", "interior", "liquid"):
                if item[name] is None:
                    del item[name]
        return hashlib.sha256(b"maniguard-spec-digest/1\n" + canonical_json(data)).hexdigest()
