"""Lints: what is wrong with a specification although it can be read."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from maniguard.grounding import predicate_named
from maniguard.ltlf import Dfa, LtlfError, Verdict, compile_bad_prefix, compile_dfa, parse
from maniguard.spec.errors import Finding
from maniguard.spec.model import DEFAULT_VARIANT, Constraint, Spec
from maniguard.spec.read import build_spec, variant_names
from maniguard.spec.source import read_source

# Bounds in seconds are compiled at the benchmark's control rate.
_RATE_HZ = 20.0

# The recovery lint tries every letter, so it looks at constraints with at most this many propositions.
_MOST_ATOMS = 12


def check(name_or_path: str | Path) -> tuple[Finding, ...]:
    """Look for mistakes in every variant of a specification; SpecError where there is no YAML mapping to look at."""
    where, data = read_source(name_or_path)
    findings: dict[str, Finding] = {}
    specs: list[Spec] = []
    for variant in variant_names(data):
        spec, mistakes = build_spec(where, data, variant)
        place = where if variant == DEFAULT_VARIANT else f"{where} ({variant})"
        if spec is not None:
            specs.append(spec)
            mistakes = [Finding(f"{place}: {f.where}", f.rule, f.message) for f in lint(spec)]
        for finding in mistakes:
            # A mistake of the whole file shows in each variant; say it once, where it came first.
            key = f"{finding.where.replace(place, '', 1)} {finding.rule} {finding.message}"
            findings.setdefault(key, finding)
    return tuple(findings.values())


def lint(spec: Spec) -> Iterator[Finding]:
    """Yield what is suspicious about one variant."""
    about = {item.name: item.each for item in spec.propositions}
    for constraint in spec.constraints:
        waived = {rule for rule, _ in constraint.waives}
        found = list(_lint_constraint(constraint))
        yield from (finding for finding in found if finding.rule not in waived)
        for rule in sorted(waived - {finding.rule for finding in found}):
            message = f"waives {rule!r}, which nothing of it breaks"
            yield Finding(f"constraints.{constraint.name}.waives", "unused", message)
        texts = [constraint.formula, constraint.recovery]
        names = {name for text in texts if text for name in parse(text, rate_hz=_RATE_HZ).atom_order()}
        for role in constraint.each:
            if not any(role in about.get(name, ()) for name in names):
                message = f"no proposition of the rule is about each of {role!r}"
                yield Finding(f"constraints.{constraint.name}.each", "unused", message)
    if spec.goal is not None:
        yield from _lint_formula(spec.goal.formula, "goal.formula", safety=False)
    used = used_propositions(spec)
    for proposition in spec.propositions:
        if proposition.name not in used and not predicate_named(proposition.predicate).reported:
            message = f"proposition {proposition.name!r} is used by no formula"
            yield Finding(f"propositions.{proposition.name}", "unused", message)
    roles = {role for item in spec.propositions for role in (item.of, item.to)}
    for binding in spec.bindings:
        if binding.name not in roles:
            yield Finding(f"bindings.{binding.name}", "unused", f"role {binding.name!r} is used by no proposition")


def used_propositions(spec: Spec) -> frozenset[str]:
    """Return the propositions that some formula of the specification mentions."""
    texts = [spec.ladder.manipulated, spec.ladder.reached, spec.goal.formula if spec.goal else None, spec.engagement]
    for constraint in spec.constraints:
        texts += [constraint.formula, constraint.trigger, constraint.recovery]
    return frozenset(name for text in texts if text for name in parse(text, rate_hz=_RATE_HZ).atom_order())


def _lint_constraint(constraint: Constraint) -> Iterator[Finding]:
    place = f"constraints.{constraint.name}"
    yield from _lint_formula(constraint.formula, f"{place}.formula", safety=True)
    if constraint.trigger is not None:
        # A trigger is looked at in every frame, not in the first: it may speak of the past.
        yield from _lint_formula(f"F(last & ({constraint.trigger}))", f"{place}.trigger", safety=False)
    if constraint.recovery is not None:
        yield from _lint_formula(constraint.recovery, f"{place}.recovery", safety=False)
        yield from _lint_recovery(constraint, f"{place}.recovery")


def _compile(text: str) -> Dfa:
    return compile_dfa(parse(text, rate_hz=_RATE_HZ))


def _lint_formula(text: str, place: str, *, safety: bool) -> Iterator[Finding]:
    try:
        dfa = _compile(text)
        violable = any(
            verdict is Verdict.PERM_VIOL for verdict in _verdicts(compile_bad_prefix(parse(text, rate_hz=_RATE_HZ)))
        )
    except LtlfError as error:
        yield Finding(place, "formula", " ".join(str(error).split()))
        return
    verdicts = _verdicts(dfa)
    if not any(verdict.is_satisfied for verdict in verdicts):
        yield Finding(place, "unsatisfiable", f"no rollout can satisfy {text!r}")
        return
    if all(verdict.is_satisfied for verdict in verdicts):
        yield Finding(place, "valid", f"{text!r} is true of every rollout")
        return
    if safety and not violable:
        yield Finding(place, "never-violated", f"nothing that happens can break {text!r}; give it a time bound")
    decided = {dfa.atoms[index] for index in dfa.node_atom}
    for name in dfa.atoms:
        if name not in decided:
            yield Finding(place, "vacuous", f"proposition {name!r} makes no difference to {text!r}")


def _verdicts(dfa: Dfa) -> list[Verdict]:
    return [dfa.verdict(state) for state in range(dfa.num_states)]


def _lint_recovery(constraint: Constraint, place: str) -> Iterator[Finding]:
    """A recovery that holds in the very frame of the violation says nothing about the violation being over."""
    assert constraint.recovery is not None
    main = compile_bad_prefix(parse(constraint.formula, rate_hz=_RATE_HZ))
    recovery = _compile(constraint.recovery)
    atoms = tuple(dict.fromkeys((*main.atoms, *recovery.atoms)))
    if len(atoms) > _MOST_ATOMS:
        yield Finding(place, "too-many-propositions", f"more than {_MOST_ATOMS} propositions; split the constraint")
        return
    for word in range(1 << len(atoms)):
        letter = {name: bool(word >> index & 1) for index, name in enumerate(atoms)}
        breaks = any(
            main.verdict(state) is not Verdict.PERM_VIOL and main.verdict(main.step(state, letter)) is Verdict.PERM_VIOL
            for state in range(main.num_states)
        )
        if breaks and recovery.accepts([letter]):
            said = ", ".join(name if value else f"!{name}" for name, value in letter.items())
            message = f"{constraint.recovery!r} is already true in a frame that breaks the constraint ({said})"
            yield Finding(place, "empty-recovery", message)
            return
