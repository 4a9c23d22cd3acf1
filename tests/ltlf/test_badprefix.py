from __future__ import annotations

import pytest
from hypothesis import given, settings

from maniguard.ltlf import Verdict, bad_prefix_view, compile_bad_prefix, compile_dfa, evaluate, parse

from .helpers import ATOMS, any_formulas, future_formulas, traces


def first_rejection(dfa, trace) -> int | None:
    state = dfa.initial
    for t, letter in enumerate(trace):
        state = dfa.step(state, letter)
        if dfa.verdict(state) is Verdict.PERM_VIOL:
            return t
    return None


@pytest.mark.parametrize(
    ("text", "view"),
    [
        ("a U b", "a W b"),
        ("a M b", "a R b"),
        ("X[!] a", "N a"),
        ("F a", "true"),
        ("G(a -> F b)", "true"),
        ("!(a W b)", "!b W (!a & !b)"),
        ("!G a", "true"),
        ("a W b", "a W b"),
        ("G !a & F b", "G !a"),
        ("last", "false"),
        ("F[0,0] a", "a"),
        ("F[0,2] a", "F[0,2] a | F[0,1] last"),
        ("(on U closed) & G !dropped", "(on W closed) & G !dropped"),
        ("G(a -> O b)", "G(!a | O b)"),
    ],
)
def test_strong_operators_become_weak(text: str, view: str) -> None:
    names = tuple(sorted(parse(text).atoms()))
    shown, expected = bad_prefix_view(parse(text)), parse(view)
    for trace in traces(names, 3)[1:]:
        assert evaluate(shown, trace) == evaluate(expected, trace), (shown, trace)
        assert first_rejection(compile_bad_prefix(text), trace) == first_rejection(compile_bad_prefix(view), trace)


SAFETY = [
    "G !a",
    "(a U b)",
    "a W b",
    "G(a -> N b)",
    "G(a -> (b W !a))",
    "a R b",
    "G(a -> F[0,1] b)",
    "F[0,2] a",
    "G[0,1] a",
    "G(b -> Y a)",
]


@pytest.mark.parametrize("text", SAFETY)
def test_the_first_bad_prefix_is_the_first_without_a_good_ending(text: str) -> None:
    """For these formulas the weak and the strong automaton die at the same step, and never because a trace ends."""
    weak, strong = compile_bad_prefix(text), compile_dfa(text)
    for trace in traces(ATOMS, 4):
        assert first_rejection(weak, trace) == first_rejection(strong, trace), trace


@settings(max_examples=80, deadline=None)
@given(future_formulas())
def test_the_reading_is_monotone_and_its_language_prefix_closed(formula) -> None:
    dfa = compile_bad_prefix(formula)
    assert dfa.atoms == formula.atom_order()
    rejecting = [s for s in range(dfa.num_states) if not dfa.accept[s]]
    assert len(rejecting) <= 1
    assert all(dfa.verdict(s) is Verdict.PERM_VIOL for s in rejecting)


def lasso_satisfies(formula, stem, loop) -> bool:
    """Evaluate on stem + loop repeated for ever by fixpoints over the lasso's positions (no past, no `last`)."""
    from maniguard.ltlf.formula import Op

    word = stem + loop
    n = len(word)
    after = [i + 1 for i in range(n - 1)] + [len(stem)]
    known: dict[object, list[bool]] = {}

    def fix(start: bool, rule) -> list[bool]:
        value = [start] * n
        for _ in range(n + 1):
            value = [rule(i, value[after[i]]) for i in range(n)]
        return value

    def shift(value, steps):
        for _ in range(steps):
            value = [value[after[i]] for i in range(n)]
        return value

    def bounded(f, left, right, lo, hi, until):
        if hi is None:
            base = fix(
                not until,
                (lambda i, v: right[i] or (left[i] and v)) if until else (lambda i, v: right[i] and (left[i] or v)),
            )
        else:
            base = right
            for _ in range(hi - lo):
                later = shift(base, 1)
                base = [
                    (r or (x and v)) if until else (r and (x or v)) for r, x, v in zip(right, left, later, strict=True)
                ]
        for _ in range(lo):
            later = shift(base, 1)
            base = [(x and v) if until else (x or v) for x, v in zip(left, later, strict=True)]
        return base

    def value(f) -> list[bool]:
        if f in known:
            return known[f]
        op, args = f.op, [value(a) for a in f.args]
        yes, no = [True] * n, [False] * n
        if op is Op.ATOM:
            got = [x[f.name] for x in word]
        elif op is Op.TRUE or op is Op.FALSE or op is Op.LAST:
            got = [op is Op.TRUE] * n
        elif op is Op.NOT:
            got = [not v for v in args[0]]
        elif op is Op.AND:
            got = [all(v) for v in zip(*args, strict=True)]
        elif op is Op.OR:
            got = [any(v) for v in zip(*args, strict=True)]
        elif op in (Op.IMPLIES, Op.IFF, Op.XOR):
            x, y = args
            got = [(not p or q) if op is Op.IMPLIES else (p == q) == (op is Op.IFF) for p, q in zip(x, y, strict=True)]
        elif op in (Op.NEXT, Op.WEAK_NEXT):
            got = shift(args[0], 1)
        elif op is Op.EVENTUALLY:
            got = bounded(f, yes, args[0], f.lo, f.hi, True)
        elif op is Op.ALWAYS:
            got = bounded(f, no, args[0], f.lo, f.hi, False)
        elif op is Op.UNTIL:
            got = bounded(f, args[0], args[1], f.lo, f.hi, True)
        elif op is Op.RELEASE:
            got = bounded(f, args[0], args[1], f.lo, f.hi, False)
        elif op is Op.WEAK_UNTIL:
            reached = bounded(f, args[0], args[1], f.lo, f.hi, True)
            kept = bounded(f, no, args[0], 0, f.hi, False)
            got = [p or q for p, q in zip(reached, kept, strict=True)]
        else:
            released = bounded(f, args[0], args[1], f.lo, f.hi, False)
            some = bounded(f, yes, args[0], 0, f.hi, True)
            got = [p and q for p, q in zip(released, some, strict=True)]
        known[f] = got
        return got

    return value(formula)[0]


@settings(max_examples=120, deadline=None)
@given(future_formulas(size=5))
def test_no_prefix_is_called_bad_that_an_endless_behaviour_mends(formula) -> None:
    dfa = compile_bad_prefix(formula)
    loops = traces(ATOMS, 2)[1:]
    for prefix in traces(ATOMS, 2):
        if first_rejection(dfa, prefix) is not None:
            for loop in loops:
                assert not lasso_satisfies(formula, prefix, loop), (prefix, loop)


@pytest.mark.parametrize(
    ("text", "view"),
    [
        ("G(b -> O(a U b))", "G(b -> O(a W b))"),
        ("G !Y F a", "G !Y F a"),
        ("!O(a U b)", "H(!a R !b)"),
        ("!(a S X[!] b)", "!(a S X[!] b)"),
        ("G(b -> Y F a)", "G(b -> Y true)"),
    ],
)
def test_past_over_future_is_read_as_its_parts_are(text: str, view: str) -> None:
    names = tuple(sorted(parse(text).atoms()))
    for trace in traces(names, 4)[1:]:
        doomed = first_rejection(compile_bad_prefix(text), trace)
        assert doomed == first_rejection(compile_bad_prefix(view), trace), trace


@settings(deadline=None, max_examples=60)
@given(any_formulas(size=5))
def test_a_bad_prefix_is_never_mended_by_more_steps(formula) -> None:
    dfa = compile_bad_prefix(formula)
    view = bad_prefix_view(formula)
    for trace in traces(ATOMS, 2)[1:]:
        extended = [[*trace, letter] for letter in (t[0] for t in traces(ATOMS, 1)[1:])]
        if first_rejection(dfa, trace) is not None:
            assert all(first_rejection(dfa, longer) is not None for longer in extended)
        if not evaluate(view, trace):
            assert first_rejection(dfa, trace) is not None
