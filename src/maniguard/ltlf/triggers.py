"""Activations of a rule: when its antecedent came true, and how the obligation of that occasion ended."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import Enum
from typing import NamedTuple

from maniguard.ltlf.compile import DEFAULT_BUDGET, Budget, compile_dfa
from maniguard.ltlf.dfa import Dfa, Verdict
from maniguard.ltlf.errors import FormulaError
from maniguard.ltlf.formula import LAST, Formula, Op, conj, disj, make, negate
from maniguard.ltlf.parser import parse


class Outcome(Enum):
    """How an activation ended.

    FULFILLED: what was owed was done, or still held when the trace ended. VIOLATED: it was broken for good. CUT_OFF:
    the trace ended while it was owed.
    """

    FULFILLED = "fulfilled"
    VIOLATED = "violated"
    CUT_OFF = "cut_off"

    __hash__ = object.__hash__


class Rule(NamedTuple):
    """A conjunct `G(antecedent -> consequent)` of a formula."""

    antecedent: Formula
    consequent: Formula


class Activation(NamedTuple):
    """One occasion of a rule.

    It begins at step `start`, where the antecedent comes true after a step at which it was false, and lasts to `last`,
    the last step of that run of truth; the consequent is owed from every step of the run. `end` is the step at which
    the outcome was settled: of the violation, or of the last fulfilment; None where the trace ended first.
    """

    start: int
    last: int
    outcome: Outcome
    end: int | None


def rules(formula: Formula | str) -> list[Rule]:
    """Return the rules of a formula: its conjuncts `G(a -> b)`, `G(!a | b)` with a decided by the present and past.

    Conjuncts of other shapes, such as plain invariants `G p` and `p W q`, have no antecedent and give no rule.
    """
    if isinstance(formula, str):
        formula = parse(formula)
    found: list[Rule] = []
    todo = [formula]
    while todo:
        f = todo.pop(0)
        if f.op is Op.AND:
            todo = [*f.args, *todo]
        elif f.op is Op.ALWAYS and f.lo == 0 and f.hi is None:
            inner = f.args[0]
            if inner.op is Op.AND:
                todo = [make(Op.ALWAYS, (a,)) for a in inner.args] + todo
            elif inner.op is Op.IMPLIES and not inner.args[0].is_future:
                found.append(Rule(*inner.args))
            elif inner.op is Op.OR:
                rule = _from_disjunction(inner)
                found += [rule] if rule is not None else []
    return found


def _from_disjunction(f: Formula) -> Rule | None:
    guards = [a for a in f.args if a.op is Op.NOT and not a.is_future]
    rest = [a for a in f.args if a not in guards]
    if not guards or not rest:
        return None
    return Rule(conj(*(negate(a) for a in guards)), disj(*rest))


class TriggerMonitor:
    """Watches the activations of one rule."""

    def __init__(self, rule: Rule, *, budget: Budget = DEFAULT_BUDGET) -> None:
        if rule.antecedent.is_future:
            raise FormulaError(
                f"the antecedent {rule.antecedent} looks into the future; a trigger must be decided at once"
            )
        if rule.consequent.is_past and rule.consequent.is_future:
            raise FormulaError(
                f"the consequent {rule.consequent} mixes past and future; its occasions cannot be told apart"
            )
        self.rule = rule
        # "It holds now" is the language of traces at whose last step it holds.
        self._antecedent = compile_dfa(_now(rule.antecedent), budget=budget)
        self._looks_back = rule.consequent.is_past
        consequent = _now(rule.consequent) if self._looks_back else rule.consequent
        self._consequent = compile_dfa(consequent, budget=budget)
        self.reset()

    def reset(self) -> None:
        """Start again before the first step."""
        self.steps = 0
        self._at = self._antecedent.initial
        self._back = self._consequent.initial
        self._active = False
        self._open: list[_Occasion] = []
        self._closed: list[Activation] = []

    def step(self, letter: Mapping[str, bool]) -> bool:
        """Take one letter; return whether the antecedent holds now.

        Raises:
            MissingAtomError: the letter lacks an atom of the rule.
        """
        t, dfa = self.steps, self._consequent
        self._at = self._antecedent.step(self._at, letter)
        holds = self._antecedent.accept[self._at]
        # Stepped even while nothing is owed, so that a missing atom is noticed at the first step.
        begun = dfa.step(self._back if self._looks_back else dfa.initial, letter)
        if self._looks_back:
            self._back = begun
        for occasion in self._open:
            if not self._looks_back:
                occasion.owed = {dfa.step(s, letter) for s in occasion.owed}
        if holds:
            if not self._active:
                self._open.append(_Occasion(t))
            occasion = self._open[-1]
            occasion.last = t
            if not self._looks_back:
                occasion.owed.add(begun)
            elif not dfa.accept[begun] and occasion.broken is None:
                occasion.broken = t
        elif self._active:
            self._open[-1].running = False
        self._active = holds
        for occasion in self._open:
            self._settle(occasion, dfa, t)
        # An occasion stays open while its antecedent runs on, so that each run is one activation, however it went.
        self._closed += [o.activation() for o in self._open if o.is_settled and not o.running]
        self._open = [o for o in self._open if not o.is_settled or o.running]
        self.steps += 1
        return holds

    def _settle(self, occasion: _Occasion, dfa: Dfa, t: int) -> None:
        if self._looks_back:
            return
        kept = set()
        for state in occasion.owed:
            verdict = dfa.verdict(state)
            if verdict is Verdict.PERM_VIOL and occasion.broken is None:
                occasion.broken = t
            if verdict is Verdict.PERM_SAT:
                occasion.met = t
            if not verdict.is_final:
                kept.add(state)
        occasion.owed = kept

    def activations(self) -> list[Activation]:
        """Return all activations, judged as if the trace ended here, in the order of their starts."""
        dfa = self._consequent
        pending = []
        for occasion in self._open:
            owing = any(not dfa.accept[s] for s in occasion.owed)
            pending.append(occasion.activation(cut_off=owing))
        return sorted([*self._closed, *pending], key=lambda a: a.start)


class _Occasion:
    __slots__ = ("broken", "last", "met", "owed", "running", "start")

    def __init__(self, start: int) -> None:
        self.start = self.last = start
        self.owed: set[int] = set()
        self.broken: int | None = None
        self.met: int | None = None
        self.running = True

    @property
    def is_settled(self) -> bool:
        return self.broken is not None or not self.owed

    def activation(self, *, cut_off: bool = False) -> Activation:
        if self.broken is not None:
            return Activation(self.start, self.last, Outcome.VIOLATED, self.broken)
        if cut_off:
            return Activation(self.start, self.last, Outcome.CUT_OFF, None)
        end = None if self.owed else self.last if self.met is None else self.met
        return Activation(self.start, self.last, Outcome.FULFILLED, end)


def _now(f: Formula) -> Formula:
    return make(Op.EVENTUALLY, (conj(LAST, f),))


def extract_activations(
    rule: Rule, trace: Iterable[Mapping[str, bool]], *, budget: Budget = DEFAULT_BUDGET
) -> list[Activation]:
    """Return the activations of `rule` on a finished trace."""
    monitor = TriggerMonitor(rule, budget=budget)
    for letter in trace:
        monitor.step(letter)
    return monitor.activations()
