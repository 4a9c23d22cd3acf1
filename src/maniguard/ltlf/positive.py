"""Formulas without negation, over doubled atoms: what a quantitative reading needs."""

from __future__ import annotations

from typing import NamedTuple

from maniguard.ltlf.errors import stack_limit
from maniguard.ltlf.formula import FALSE, LAST, TRUE, Formula, Op, atom, conj, disj, make
from maniguard.ltlf.nnf import Pushing


class Literal(NamedTuple):
    """An atom or its negation."""

    name: str
    positive: bool


class PositiveForm(NamedTuple):
    """A formula whose atoms stand for literals: `literals[x]` is what atom `x` of `formula` means."""

    formula: Formula
    literals: dict[str, Literal]


_DUAL = {
    Op.EVENTUALLY: Op.ALWAYS,
    Op.ALWAYS: Op.EVENTUALLY,
    Op.UNTIL: Op.RELEASE,
    Op.RELEASE: Op.UNTIL,
    Op.WEAK_UNTIL: Op.STRONG_RELEASE,
    Op.STRONG_RELEASE: Op.WEAK_UNTIL,
    Op.NEXT: Op.WEAK_NEXT,
    Op.WEAK_NEXT: Op.NEXT,
    Op.YESTERDAY: Op.WEAK_YESTERDAY,
    Op.WEAK_YESTERDAY: Op.YESTERDAY,
    Op.ONCE: Op.HISTORICALLY,
    Op.HISTORICALLY: Op.ONCE,
}
_NOT_LAST = make(Op.NEXT, (TRUE,))


def positive_form(formula: Formula) -> PositiveForm:
    """Return the formula with negations pushed into atoms, `p` and `!p` being independent atoms from there on."""
    build = _Positive()
    with stack_limit():
        return PositiveForm(build.of(formula, True), build.literals)


class _Positive(Pushing):
    def __init__(self) -> None:
        super().__init__()
        self.literals: dict[str, Literal] = {}

    def other(self, f: Formula, positive: bool) -> Formula:
        op, args = f.op, f.args
        if op is Op.ATOM:
            name = ("+" if positive else "-") + f.name
            self.literals[name] = Literal(f.name, positive)
            return atom(name)
        if op is Op.TRUE or op is Op.FALSE:
            return TRUE if (op is Op.TRUE) == positive else FALSE
        if op is Op.LAST:
            return LAST if positive else _NOT_LAST
        inner = tuple(self.of(a, positive) for a in args)
        if positive:
            return make(op, inner, lo=f.lo, hi=f.hi)
        if op is Op.SINCE:
            return self.not_since(inner[0], inner[1], f.lo, f.hi)
        return make(_DUAL[op], inner, lo=f.lo, hi=f.hi)

    def not_since(self, left: Formula, right: Formula, lo: int, hi: int | None) -> Formula:
        """Return the negation of `p S[lo,hi] q` in terms of `left` = !p and `right` = !q."""
        # Never q, or a step without p and q after the last q; within the window it is enough that q was not there.
        result = disj(make(Op.HISTORICALLY, (right,)), make(Op.SINCE, (right, conj(left, right))))
        if hi is not None:
            result = disj(make(Op.HISTORICALLY, (right,), lo=0, hi=hi - lo), result)
        if lo:
            result = make(Op.HISTORICALLY, (result,), lo=lo, hi=lo)
            result = disj(make(Op.ONCE, (left,), lo=0, hi=lo - 1), result)
        return result
