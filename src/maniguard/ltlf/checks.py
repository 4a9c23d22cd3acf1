"""What is wrong with a specification before any robot moves."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from itertools import combinations
from typing import NamedTuple

from maniguard.ltlf.analysis import Trace, find_trace, hidden_doom, over_atoms, shortest_trace
from maniguard.ltlf.compile import DEFAULT_BUDGET, Budget, compile_dfa
from maniguard.ltlf.dfa import Dfa, Verdict
from maniguard.ltlf.diagrams import ExhaustedError, Meter
from maniguard.ltlf.errors import BudgetError
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
    * hidden-doom, contradiction: two formulas that share an atom can be lost together before either monitor says so,
      or exclude each other from the start.
    * unchecked: a check that would have outgrown the budget.
    """
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
        if name in dfas:
            findings += _check_recovery(name, dfas[name], recovery, budget)
    for one, two in combinations(sound, 2):
        if not set(dfas[one].atoms).isdisjoint(dfas[two].atoms):
            findings += _check_pair(one, two, dfas, budget)
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
    joint = Product(Op.XOR, over_atoms(dfa, atoms), over_atoms(rho, atoms), Meter(budget.operations), budget.states)
    first: set[int] = set()
    try:
        for state in range(dfa.num_states):
            if dfa.verdict(state) is not Verdict.PERM_VIOL:
                pairs = joint.joint(state, rho.initial)
                first |= {after for broken, after in pairs if dfa.verdict(broken) is Verdict.PERM_VIOL}
    except ExhaustedError as error:
        message = f"the recovery {recovery} of {name} needs more than the {error.limit} budget"
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


def _check_pair(one: str, two: str, dfas: Mapping[str, Dfa], budget: Budget) -> list[Finding]:
    try:
        doom = hidden_doom(dfas[one], dfas[two], budget=budget)
    except BudgetError as error:
        return [
            Finding(
                FindingKind.UNCHECKED, (one, two), f"{one} and {two} together need more than the {error.limit} budget"
            )
        ]
    if doom is None:
        return []
    if not doom.trace:
        return [Finding(FindingKind.CONTRADICTION, (one, two), f"no trace satisfies both {one} and {two}")]
    steps = len(doom.trace)
    message = f"{one} and {two} can be lost together after {steps} step(s) without either being violated yet"
    return [Finding(FindingKind.HIDDEN_DOOM, (one, two), message, doom.trace)]
