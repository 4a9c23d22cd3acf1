"""From the content of a specification file to a `Spec`, noting every mistake on the way."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from maniguard.errors import alternatives
from maniguard.grounding import REGISTRY
from maniguard.ltlf import Formula, LtlfError, parse
from maniguard.ltlf.formula import FUTURE, PAST
from maniguard.spec.errors import Finding, SpecError
from maniguard.spec.model import (
    DEFAULT_VARIANT,
    FORMAT,
    JUDGING_PARAMS,
    SEVERITIES,
    Constraint,
    Goal,
    Judging,
    Ladder,
    Spec,
)
from maniguard.spec.propositions import PropositionReader
from maniguard.spec.source import read_source

# Bounds in seconds become steps when a monitor knows its rate; here any rate will do.
_SOME_RATE_HZ = 20.0

_TOP = (
    "format", "name", "title", "summary", "bindings", "defaults", "propositions", "engagement", "goal", "ladder",
    "judging", "constraints", "variants",
)  # fmt: skip
_OVERRIDABLE = ("bindings", "defaults", "propositions", "goal", "constraints", "judging")


def load_spec(name_or_path: str | Path, variant: str = DEFAULT_VARIANT) -> Spec:
    """Load one variant of a shipped specification (by name) or of a file (by path).

    Raises SpecError for a file that cannot be read, an unknown variant, or the first of the mistakes that make a
    specification unusable.
    """
    where, data = read_source(name_or_path)
    spec, findings = build_spec(where, data, variant)
    if spec is None:
        raise SpecError(str(findings[0]))
    return spec


def variant_names(data: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the names of a file's variants, the default one first."""
    variants = data.get("variants")
    others = [str(name) for name in variants if name != DEFAULT_VARIANT] if isinstance(variants, dict) else []
    return (DEFAULT_VARIANT, *others)


def build_spec(where: str, data: Mapping[str, Any], variant: str) -> tuple[Spec | None, list[Finding]]:
    """Return the variant, or None where mistakes leave nothing usable, and the mistakes."""
    names = variant_names(data)
    if variant not in names:
        raise SpecError(f"{where} has no variant {variant!r}; it has {alternatives(names)}")
    reader = _Reader(where if variant == DEFAULT_VARIANT else f"{where} ({variant})")
    spec = reader.spec(data, variant, names)
    return (None if reader.findings else spec), reader.findings


class _Reader(PropositionReader):
    # What propositions are about each of, and which roles there are; known once the propositions have been read.
    each_of: Mapping[str, tuple[str, ...]] = {}
    roles: frozenset[str] = frozenset()

    # The file from the top.

    def spec(self, data: Mapping[str, Any], variant: str, variants: tuple[str, ...]) -> Spec:
        self.keys(data, _TOP, "top level")
        if data.get("format") != FORMAT:
            self.note("format", "format", f"found {data.get('format')!r}, this version reads {FORMAT!r}")
        merged = self.merged(data, variant)
        bindings = self.each(merged, "bindings", self.binding)
        by_name = {binding.name: binding for binding in bindings}
        defaults = self.mapping(merged.get("defaults"), "defaults")
        for name in defaults:
            if name not in REGISTRY:
                self.unknown_predicate(name, f"defaults.{name}")
        propositions = self.each(
            merged, "propositions", lambda name, item, place: self.proposition(name, item, place, by_name, defaults)
        )
        known = frozenset(proposition.name for proposition in propositions)
        self.each_of = {proposition.name: proposition.each for proposition in propositions}
        self.roles = frozenset(by_name)
        constraints = self.each(
            merged, "constraints", lambda name, item, place: self.constraint(name, item, place, known)
        )
        if not constraints:
            self.note("constraints", "missing-key", "a specification needs at least one constraint")
        return Spec(
            name=self.text(data, "name", "top level"),
            variant=variant,
            title=self.text(data, "title", "top level"),
            summary=self.text(merged, "summary", "top level"),
            bindings=bindings,
            propositions=propositions,
            constraints=constraints,
            engagement=self.engagement(merged, known),
            goal=self.goal(merged.get("goal"), known),
            ladder=self.ladder(merged.get("ladder"), known),
            judging=self.judging(merged.get("judging")),
            variants=variants,
        )

    def merged(self, data: Mapping[str, Any], variant: str) -> dict[str, Any]:
        """Lay a variant over the file: named entries replace or, if null, remove the file's."""
        merged = dict(data)
        everything = self.mapping(data.get("variants"), "variants")
        change = self.mapping(everything.get(variant), f"variants.{variant}")
        self.keys(change, ("summary", *_OVERRIDABLE), f"variants.{variant}")
        if "summary" in change:
            merged["summary"] = change["summary"]
        for section in _OVERRIDABLE:
            entries = dict(self.mapping(data.get(section), section))
            for name, entry in self.mapping(change.get(section), f"variants.{variant}.{section}").items():
                if entry is None:
                    if name not in entries:
                        self.note(f"variants.{variant}.{section}", "unknown-key", f"there is no {name!r} to remove")
                    entries.pop(name, None)
                else:
                    entries[name] = entry
            if entries or section != "goal":
                merged[section] = entries
        return merged

    def formula(
        self,
        text: str,
        place: str,
        known: frozenset[str],
        *,
        plain: bool = False,
        past: bool = False,
        each: tuple[str, ...] = (),
    ) -> Formula | None:
        """Parse `text`, whose atoms must be `known`; `plain` forbids temporal operators, all but those of the `past`.

        Propositions with an atom for each entity of a role need that role in `each`.
        """
        if not text:
            return None
        try:
            formula = parse(text, rate_hz=_SOME_RATE_HZ)
        except LtlfError as error:
            self.note(place, "formula", " ".join(str(error).split()))
            return None
        for name in formula.atom_order():
            if name not in known:
                self.note(
                    place, "unknown-proposition", f"unknown proposition {name!r}; there are {alternatives(known)}"
                )
            unbound = [role for role in self.each_of.get(name, ()) if role not in each]
            if unbound:
                self.note(
                    place,
                    "each",
                    f"{name!r} is about each of {unbound[0]!r}; only a constraint with 'each: {unbound[0]}' can use it",
                )
        forbidden = FUTURE if past else FUTURE | PAST
        if plain and any(part.op in forbidden for part in formula.walk()):
            allowed = "! & | ^ -> <-> and Y O H S" if past else "! & | ^ -> <->"
            self.note(place, "formula", f"{text!r} has a temporal operator; here only {allowed} are allowed")
        return formula

    def constraint(self, name: str, item: Mapping[str, Any], place: str, known: frozenset[str]) -> Constraint:
        self.keys(item, _CONSTRAINT_KEYS, place)
        each = self.each_roles(item.get("each"), f"{place}.each")
        severity = self.text(item, "severity", place)
        if severity and severity not in SEVERITIES:
            self.note(f"{place}.severity", "type", f"found {severity!r}, valid are {alternatives(SEVERITIES)}")
        trigger, obligation = self.optional(item, "trigger", place), self.optional(item, "obligation", place)
        if (trigger is None) != (obligation is None):
            self.note(place, "missing-key", "'trigger' and 'obligation' belong together")
        if trigger is not None and obligation is not None:
            if "formula" in item:
                self.note(place, "unknown-key", "'formula' follows from 'trigger' and 'obligation'; leave it out")
            self.formula(trigger, f"{place}.trigger", known, plain=True, past=True, each=each)
            self.formula(obligation, f"{place}.obligation", known, each=each)
            formula = f"G(({trigger}) -> ({obligation}))"
        else:
            formula = self.text(item, "formula", place)
            self.formula(formula, f"{place}.formula", known, each=each)
        recovery = self.optional(item, "recovery", place)
        if recovery is not None:
            self.formula(recovery, f"{place}.recovery", known, each=each)
        sentence = self.text(item, "sentence", place)
        role, category = self.text(item, "role", place), self.optional(item, "category", place) or ""
        waives = tuple((str(k), str(v)) for k, v in self.mapping(item.get("waives"), f"{place}.waives").items())
        return Constraint(
            name, role, formula, sentence, severity, trigger, obligation, recovery, each, category, waives
        )

    def each_roles(self, value: object, place: str) -> tuple[str, ...]:
        """Read the role or roles that a constraint is instantiated over."""
        if value is None:
            return ()
        roles = [value] if isinstance(value, str) else value
        if not isinstance(roles, list) or not roles or not all(isinstance(role, str) for role in roles):
            self.note(place, "type", f"expected a role or a list of roles, found {value!r}")
            return ()
        for role in roles:
            if role not in self.roles:
                self.note(place, "unknown-binding", f"unknown role {role!r}; bound are {alternatives(self.roles)}")
        if len(set(roles)) < len(roles):
            self.note(place, "type", "names a role twice")
        return tuple(roles)

    def engagement(self, data: Mapping[str, Any], known: frozenset[str]) -> str | None:
        name = self.optional(data, "engagement", "top level")
        if name is not None and self.each_of.get(name):
            self.note("engagement", "each", f"{name!r} is one atom for each entity; engagement needs a single one")
        if name is not None and name not in known:
            self.note(
                "engagement", "unknown-proposition", f"unknown proposition {name!r}; there are {alternatives(known)}"
            )
        return name

    def goal(self, value: object, known: frozenset[str]) -> Goal | None:
        if value is None:
            return None
        item = self.mapping(value, "goal")
        self.keys(item, ("formula", "dwell", "sentence"), "goal")
        formula = self.text(item, "formula", "goal")
        self.formula(formula, "goal.formula", known, plain=True)
        dwell = self.quantity(item.get("dwell"), "s", "goal.dwell", 0.0)
        return Goal(formula, dwell, self.text(item, "sentence", "goal"))

    def ladder(self, value: object, known: frozenset[str]) -> Ladder:
        item = self.mapping(value, "ladder")
        self.keys(item, ("manipulated", "reached"), "ladder")
        rungs = {key: self.optional(item, key, "ladder") for key in ("manipulated", "reached")}
        for key, formula in rungs.items():
            self.formula(formula or "", f"ladder.{key}", known, plain=True)
        return Ladder(**rungs)

    def judging(self, value: object) -> Judging:
        item = self.mapping(value, "judging")
        self.keys(item, tuple(param.name for param in JUDGING_PARAMS), "judging")
        values = []
        for param in JUDGING_PARAMS:
            if param.name not in item:
                self.note("judging", "missing-key", f"{param.name!r} is missing, in {param.unit}")
                values.append(0.0)
            else:
                values.append(self.quantity(item[param.name], param.unit, f"judging.{param.name}", param.minimum))
        return Judging(*values)


_CONSTRAINT_KEYS = (
    "role", "category", "each", "waives", "formula", "sentence", "severity", "trigger", "obligation", "recovery",
)  # fmt: skip
