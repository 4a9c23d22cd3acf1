"""What is wrong with a specification before any robot moves."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from enum import Enum
from functools import partial, reduce
from itertools import combinations
from typing import NamedTuple

from maniguard.errors import alternatives
from maniguard.ltlf.analysis import Trace, conjoin, find_trace, hidden_doom, over_atoms, shortest_trace
from maniguard.ltlf.compile import DEFAULT_BUDGET, Budget, compile_dfa
from maniguard.ltlf.dfa import Dfa, Verdict
from maniguard.ltlf.diagrams import ExhaustedError, Meter
from maniguard.ltlf.errors import BudgetError, FormulaError
from maniguard.ltlf.formula import Formula, Op, conj, make
from maniguard.ltlf.parser import parse
from maniguard.ltlf.product import Product
from maniguard.ltlf.triggers import rules


class FindingKind(Enum):
    """What a check can find."""

    UNSATISFIABLE = "unsatisfiable"
    VALID = "valid"
    VACUOUS_ANTECEDENT = "vacuous-antecedent"
    RECOVERY_ALREADY_TRUE = "recovery-already-true"
    RECOVERY_IMPOSSIBLE = "recovery-impossible"
    HIDDEN_DOOM = "hidden-doom"
    CONTRADICTION = "contradiction"
    UNCHECKED = "unchecked"

    __hash__ = object.__hash__


class Finding(NamedTuple):
    """One finding: about which formulas, in a sentence, with a trace that shows it where there is one."""

    kind: FindingKind
    names: tuple[str, ...]
    message: str
    witness: Trace | None = None


def check_spec(
    formulas: Mapping[str, Formula | str],
    recoveries: Mapping[str, Formula | str] | None = None,
    *,
    budget: Budget = DEFAULT_BUDGET,
) -> list[Finding]:
    """Check a named set of formulas that are meant to hold together, and their recovery formulas by the same names.

    * unsatisfiable, valid: no trace, or every trace, satisfies a formula.
    * vacuous-antecedent: a rule `G(a -> b)` whose a never holds on a trace that satisfies the formula.
    * recovery-already-true: on every step that violates the rule its recovery formula holds at once, so that every
      violation looks recovered; recovery-impossible: it can never hold from such a step on.
    * hidden-doom, contradiction: formulas that share atoms can be lost together before the monitor of any of them says
      so, or exclude each other from the start. Every pair is looked at, and larger sets of those without such a pair.
    * unchecked: a check that would have outgrown the budget.

    Raises:
        BudgetError: a formula or a recovery formula outgrows the budget by itself.
        FormulaError: a recovery of no formula.
    """
    for name in recoveries or {}:
        if name not in formulas:
            raise FormulaError(
                f"a recovery is given for {name!r}, which is no formula; there are {alternatives(formulas)}"
            )
    parsed = {name: parse(f) if isinstance(f, str) else f for name, f in formulas.items()}
    dfas = {name: compile_dfa(f, budget=budget) for name, f in parsed.items()}
    findings: list[Finding] = []
    sound: list[str] = []
    for name, formula in parsed.items():
        single = _check_one(name, formula, dfas[name], budget)
        findings += single
        if not any(f.kind in (FindingKind.UNSATISFIABLE, FindingKind.VALID) for f in single):
            sound.append(name)
    for name, recovery in (recoveries or {}).items():
        findings += _check_recovery(name, dfas[name], recovery, budget)
    known = set()
    for one, two in combinations(sound, 2):
        if not set(dfas[one].atoms).isdisjoint(dfas[two].atoms):
            pair = _check_together((one,), two, dfas, budget)
            findings += pair
            if pair:
                known.add((one, two))
    for group in _groups({name: set(dfas[name].atoms) for name in sound}):
        findings += _check_group(group, dfas, known, budget)
    return findings


def _check_one(name: str, formula: Formula, dfa: Dfa, budget: Budget) -> list[Finding]:
    if shortest_trace(dfa, lambda s: dfa.accept[s]) is None:
        return [Finding(FindingKind.UNSATISFIABLE, (name,), f"no trace satisfies {formula}")]
    if shortest_trace(dfa, lambda s: not dfa.accept[s]) is None:
        return [Finding(FindingKind.VALID, (name,), f"every trace satisfies {formula}; it can never be violated")]
    found = []
    for rule in rules(formula):
        try:
            witness = find_trace(conj(formula, make(Op.EVENTUALLY, (rule.antecedent,))), budget=budget)
        except BudgetError as error:
            found.append(Finding(FindingKind.UNCHECKED, (name,), f"whether {rule.antecedent} can hold: {error}"))
            continue
        if witness is None:
            message = f"no trace that satisfies {name} ever makes the antecedent {rule.antecedent} true"
            found.append(Finding(FindingKind.VACUOUS_ANTECEDENT, (name,), message))
    return found


def _check_recovery(name: str, dfa: Dfa, recovery: Formula | str, budget: Budget) -> list[Finding]:
    recovery = parse(recovery) if isinstance(recovery, str) else recovery
    rho = compile_dfa(recovery, budget=budget)
    atoms = tuple(dict.fromkeys(dfa.atoms + rho.atoms))
    first: set[int] = set()
    try:
        joint = Product(Op.XOR, over_atoms(dfa, atoms), over_atoms(rho, atoms), Meter(budget.operations), budget.states)
        for state in range(dfa.num_states):
            if dfa.verdict(state) is not Verdict.PERM_VIOL:
                pairs = joint.joint(state, rho.initial)
                first |= {after for broken, after in pairs if dfa.verdict(broken) is Verdict.PERM_VIOL}
    except (ExhaustedError, RecursionError) as error:
        limit = "depth" if isinstance(error, RecursionError) else error.limit
        message = f"the recovery {recovery} of {name} needs more than the {limit} budget"
        return [Finding(FindingKind.UNCHECKED, (name,), message)]
    if not first:
        return []
    if all(rho.accept[s] for s in first):
        message = f"the recovery {recovery} of {name} already holds on every step that violates it"
        return [Finding(FindingKind.RECOVERY_ALREADY_TRUE, (name,), message)]
    if all(rho.verdict(s) is Verdict.PERM_VIOL for s in first):
        message = f"the recovery {recovery} of {name} cannot hold after any violation of it"
        return [Finding(FindingKind.RECOVERY_IMPOSSIBLE, (name,), message)]
    return []


def _check_together(
    several: tuple[str, ...], one: str, dfas: Mapping[str, Dfa], budget: Budget, joint: Dfa | None = None
) -> list[Finding]:
    """Look for doom of a conjunction that neither the conjunction of `several`, `joint` if known, nor `one` sees."""
    names = (*several, one)
    said = " and ".join(names)
    try:
        if joint is None:
            joint = reduce(partial(conjoin, budget=budget), [dfas[name] for name in several])
        doom = hidden_doom(joint, dfas[one], budget=budget)
    except BudgetError as error:
        return [Finding(FindingKind.UNCHECKED, names, f"{said} together need more than the {error.limit} budget")]
    if doom is None:
        return []
    if not doom.trace:
        return [Finding(FindingKind.CONTRADICTION, names, f"no trace satisfies all of {said}")]
    message = f"{said} can be lost together after {len(doom.trace)} step(s) without any being violated yet"
    return [Finding(FindingKind.HIDDEN_DOOM, names, message, doom.trace)]


def _check_group(
    group: list[str], dfas: Mapping[str, Dfa], known: Collection[tuple[str, str]], budget: Budget
) -> list[Finding]:
    """Look for doom of three formulas or more; none is added to the set that is known to exclude one of it."""
    together, joint = group[:1], dfas[group[0]]
    for position, name in enumerate(group[1:], start=1):
        if any((other, name) in known or (name, other) in known for other in together):
            continue
        if len(together) > 1:
            found = _check_together(tuple(together), name, dfas, budget, joint)
            if found:
                unchecked = found[0].kind is FindingKind.UNCHECKED
                return found if unchecked else _smallest(found, together, name, dfas, budget)
        together.append(name)
        if position + 1 < len(group):
            joint = conjoin(joint, dfas[name], budget=budget)
    return []


def _smallest(
    found: list[Finding], together: list[str], name: str, dfas: Mapping[str, Dfa], budget: Budget
) -> list[Finding]:
    """Leave out what the finding does not need."""
    needed = list(together)
    for other in together:
        fewer = tuple(n for n in needed if n != other)
        if len(fewer) > 1:
            again = _check_together(fewer, name, dfas, budget)
            if again and again[0].kind is not FindingKind.UNCHECKED:
                needed.remove(other)
                found = again
    return found


def _groups(atoms: Mapping[str, set[str]]) -> list[list[str]]:
    """Return the names in sets that are connected by common atoms, each after one that it is connected to."""
    left = list(atoms)
    groups = []
    while left:
        group = [left.pop(0)]
        seen = set(atoms[group[0]])
        while (near := next((name for name in left if not seen.isdisjoint(atoms[name])), None)) is not None:
            left.remove(near)
            group.append(near)
            seen |= atoms[near]
        groups.append(group)
    return groups
