"""The bad-prefix reading: what a finite trace has broken whatever comes next."""

from __future__ import annotations

from maniguard.ltlf.compile import DEFAULT_BUDGET, Budget, compile_dfa
from maniguard.ltlf.dfa import Dfa
from maniguard.ltlf.errors import stack_limit
from maniguard.ltlf.formula import FALSE, LAST, PAST, TRUE, Formula, Op, conj, disj, make, negate
from maniguard.ltlf.minimise import minimise
from maniguard.ltlf.nnf import Pushing


def bad_prefix_view(formula: Formula) -> Formula:
    """Return the weak view of `formula`, which a finite trace breaks only by a bad prefix.

    What waits for the future is never broken by a trace that ends: strong until becomes weak, `M` becomes `R`, `X[!]`
    becomes `N`, unbounded `F` becomes `true`, and a bounded operator is broken only once its window has passed. `last`
    becomes `false`, since no step of an endless behaviour is its last. The result is in negation
    normal form, but for past operators over future ones.
    """
    with stack_limit():
        return _View().of(formula, True)


def compile_bad_prefix(formula: Formula | str, *, budget: Budget = DEFAULT_BUDGET) -> Dfa:
    """Return the automaton that rejects exactly once the weak view of `formula` is doomed.

    A state is doomed when every endless continuation breaks the view. The automaton's language is prefix-closed: its
    only rejecting state, if any, is never left.

    This never reports a violation too early. It can be late for formulas whose parts contradict each other only in the
    unbounded future, such as `F a & G !a`.
    """
    from maniguard.ltlf.parser import parse

    if isinstance(formula, str):
        formula = parse(formula)
    view = compile_dfa(bad_prefix_view(formula), budget=budget)
    return close(view, formula)


def close(view: Dfa, formula: Formula) -> Dfa:
    """Return the automaton that accepts while some endless run from the state avoids the dead state."""
    raw = view.raw
    successors = [set(view.successors(s)) for s in range(view.num_states)]
    alive = {s for s in range(view.num_states) if not (view.roots[s] == ~s and not view.accept[s])}
    while True:
        kept = {s for s in alive if not alive.isdisjoint(successors[s])}
        if kept == alive:
            break
        alive = kept
    # The doomed states become one: their guards all lead to themselves.
    roots = [~s if s not in alive else root for s, root in enumerate(raw.roots)]
    closed = minimise(raw._replace(roots=roots, accept=[s in alive for s in range(view.num_states)]))
    atoms = formula.atom_order()
    order = {name: i for i, name in enumerate(atoms)}
    return Dfa(atoms, closed._replace(var=[order[view.atoms[v]] for v in closed.var]), formula)


class _View(Pushing):
    def of(self, f: Formula, positive: bool) -> Formula:
        if not f.is_future:
            return f if positive else negate(f)
        return super().of(f, positive)

    def other(self, f: Formula, positive: bool) -> Formula:
        op = f.op
        if op is Op.LAST:
            return FALSE if positive else TRUE
        if op is Op.NEXT or op is Op.WEAK_NEXT:
            inner = self.of(f.args[0], positive)
            return inner if inner is TRUE else make(Op.WEAK_NEXT, (inner,))
        if op in PAST:
            # The past is there as it was; only its parts wait for the future. Past since has no dual operator.
            parts = tuple(self.of(a, positive) for a in f.args)
            if positive:
                return make(op, parts, lo=f.lo, hi=f.hi)
            return negate(make(op, tuple(negate(a) for a in parts), lo=f.lo, hi=f.hi))
        left, right = (self.of(f.args[0], positive), self.of(f.args[-1], positive))
        if not positive:
            op = {
                Op.EVENTUALLY: Op.ALWAYS,
                Op.ALWAYS: Op.EVENTUALLY,
                Op.UNTIL: Op.RELEASE,
                Op.RELEASE: Op.UNTIL,
                Op.WEAK_UNTIL: Op.STRONG_RELEASE,
                Op.STRONG_RELEASE: Op.WEAK_UNTIL,
            }[op]
        if op is Op.EVENTUALLY:
            op, left = Op.UNTIL, TRUE
        if op is Op.ALWAYS:
            return right if right is TRUE else make(op, (right,), lo=f.lo, hi=f.hi)
        if op is Op.UNTIL:
            return _weak_until(left, right, f.lo, f.hi)
        if op is Op.STRONG_RELEASE:
            # p M q demands p inside the window, p R q does not: q U (p & q) in its weak form.
            released = make(Op.RELEASE, (left, right), lo=f.lo, hi=f.hi)
            if f.hi is None:
                return released
            return conj(released, _weak_until(TRUE, left, 0, f.hi))
        return make(op, (left, right), lo=f.lo, hi=f.hi)


def _weak_until(left: Formula, right: Formula, lo: int, hi: int | None) -> Formula:
    """Return the weak form of `left U[lo,hi] right`: also met by a trace that ends before the window has."""
    if right is TRUE and lo == 0:
        return TRUE
    if hi is None:
        if left is TRUE:
            return TRUE
        if lo == 0:
            return make(Op.WEAK_UNTIL, (left, right))
        return disj(make(Op.UNTIL, (left, right), lo=lo), make(Op.ALWAYS, (left,)))
    if hi == 0:
        return right
    cut = conj(left, LAST)
    return disj(make(Op.UNTIL, (left, right), lo=lo, hi=hi), make(Op.UNTIL, (left, cut), lo=0, hi=hi - 1))
