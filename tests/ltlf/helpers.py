"""Random formulas, all short traces and a corpus that the tests of the logic share."""

from __future__ import annotations

from itertools import product

from hypothesis import strategies as st

from maniguard.ltlf.formula import FALSE, LAST, TRUE, Formula, Op, atom, make

ATOMS = ("a", "b")

FUTURE_CORPUS = """
true
false
a
!a
last
!last
a & b
a | !b
a ^ b
a -> b
a <-> b
X[!] a
N a
X[!] X[!] a
N N a
N X[!] a
X[!] N !a
X[!] true
N false
X[!] last
F a
G a
F !a
G !a
F true
G false
F last
G !last
G(last -> a)
F(last & a)
a U b
a W b
a R b
a M b
!(a U b)
!(a W b)
!(a R b)
!(a M b)
(a U b) U a
a U (b U a)
a R (b R a)
a W (b W a)
a M (b M a)
(a W b) & (b W a)
G F a
F G a
G(a -> F b)
G(a -> X[!] b)
G(a -> N b)
G(a -> (b W !a))
G(a -> (b U !a))
F(a & X[!](b U a))
G a -> F b
(F a) ^ (F b)
(G a) <-> (F b)
F a & F b & G(a -> !b)
F a & G !a
F a | G !a
F[0,0] a
F[0,1] a
F[0,3] a
F[2,2] a
F[1,3] a
F[2,4] a
F[2,inf] a
G[0,0] a
G[0,2] a
G[1,3] a
G[2,2] a
G[2,inf] a
a U[0,2] b
a U[1,3] b
a U[2,inf] b
a W[0,2] b
a W[1,2] b
a R[0,2] b
a R[1,3] b
a M[0,2] b
a M[1,3] b
!(a U[1,2] b)
!(a W[0,2] b)
!(a R[2,3] b)
!(a M[0,2] b)
G(a -> F[0,2] b)
G(a -> F[1,2] b)
G(a -> G[0,2] b)
G(a -> G[1,2] b)
G(a -> (b U[0,2] !a))
F[0,3] G[0,1] a
G[0,3] F[0,1] a
F[0,2] a & F[0,3] a
F[0,2] a | F a
G[0,2] a & G a
N F[0,2] a
X[!] G[0,2] a
a U F[0,2] b
F[0,2](a U b)
(a U[0,1] b) U[0,2] a
F[0,1] last
G[0,2] !last
""".strip().splitlines()

PAST_CORPUS = """
Y a
Z a
O a
H a
a S b
G(b -> O a)
G(b -> Y a)
G(b -> Z a)
G(a -> H !b)
G(b -> (!a S b))
F(a & Y b)
F(last & O a)
F(last & H a)
F(last & (a S b))
F(a & Y Y b)
G(a -> O[0,1] b)
G(a -> O[0,2] b)
G(a -> O[1,2] b)
G(a -> O[1,inf] b)
G(a -> H[0,2] b)
G(a -> H[1,2] b)
F(a & (b S[0,2] a))
F(a & (b S[1,2] a))
F(a & O(b & Y O a))
(O a) U b
G(O a -> F b)
G(!O a | !O b)
X[!](Y a)
N(O b)
!(H a) & F b
""".strip().splitlines()

MIXED_CORPUS = """
Y F a
G(a -> O X[!] b)
G(b -> Y(a U b))
F(a & H F b)
G(a -> (G b S F a))
O G a
(F a) S b
G(last -> O(a & X[!] b))
F(b & Z N a)
G(a -> O[0,2] F[0,1] b)
H(a -> Y F(b & O a))
""".strip().splitlines()

THREE_ATOMS = """
G(a -> (b W c))
G(a -> ((b U c) | G b))
a U (b U c)
G(a -> (!b U c) | (!c U b))
G(a & X[!] b -> F[0,2] c)
(a U b) & G(c -> F a)
G(a -> O b | F[0,1] c)
""".strip().splitlines()


def traces(atoms: tuple[str, ...], longest: int) -> list[list[dict[str, bool]]]:
    """Return every trace over `atoms` up to a length, the empty one first."""
    letters = [dict(zip(atoms, values, strict=True)) for values in product((False, True), repeat=len(atoms))]
    return [list(t) for n in range(longest + 1) for t in product(letters, repeat=n)]


_UNARY = (Op.NOT, Op.NEXT, Op.WEAK_NEXT, Op.EVENTUALLY, Op.ALWAYS)
_BINARY = (Op.AND, Op.OR, Op.XOR, Op.IMPLIES, Op.IFF, Op.UNTIL, Op.WEAK_UNTIL, Op.RELEASE, Op.STRONG_RELEASE)
_PAST_UNARY = (Op.YESTERDAY, Op.WEAK_YESTERDAY, Op.ONCE, Op.HISTORICALLY)
_CAN_BOUND = frozenset(
    {
        Op.EVENTUALLY,
        Op.ALWAYS,
        Op.UNTIL,
        Op.WEAK_UNTIL,
        Op.RELEASE,
        Op.STRONG_RELEASE,
        Op.ONCE,
        Op.HISTORICALLY,
        Op.SINCE,
    }
)


@st.composite
def bounds(draw: st.DrawFn) -> tuple[int, int | None]:
    kind = draw(st.integers(0, 5))
    if kind < 3:
        return 0, None
    lo = draw(st.integers(0, 2))
    return lo, None if kind == 3 else lo + draw(st.integers(0, 3))


def _grow(ops1: tuple[Op, ...], ops2: tuple[Op, ...], inner: st.SearchStrategy[Formula]) -> st.SearchStrategy[Formula]:
    def one(op: Op, f: Formula, bound: tuple[int, int | None]) -> Formula:
        lo, hi = bound if op in _CAN_BOUND else (0, None)
        return make(op, (f,), lo=lo, hi=hi)

    def two(op: Op, f: Formula, g: Formula, bound: tuple[int, int | None]) -> Formula:
        lo, hi = bound if op in _CAN_BOUND else (0, None)
        return make(op, (f, g), lo=lo, hi=hi)

    return st.one_of(
        st.builds(one, st.sampled_from(ops1), inner, bounds()),
        st.builds(two, st.sampled_from(ops2), inner, inner, bounds()),
    )


def _leaves(names: tuple[str, ...], last: bool) -> st.SearchStrategy[Formula]:
    constants = [TRUE, FALSE, *([LAST] if last else [])]
    return st.one_of(st.sampled_from([atom(n) for n in names]), st.sampled_from([atom(n) for n in names] + constants))


def future_formulas(names: tuple[str, ...] = ATOMS, size: int = 7) -> st.SearchStrategy[Formula]:
    return st.recursive(_leaves(names, True), lambda inner: _grow(_UNARY, _BINARY, inner), max_leaves=size)


def past_formulas(names: tuple[str, ...] = ATOMS, size: int = 3) -> st.SearchStrategy[Formula]:
    return st.recursive(
        _leaves(names, False),
        lambda inner: _grow((Op.NOT, *_PAST_UNARY), (Op.AND, Op.OR, Op.IFF, Op.SINCE), inner),
        max_leaves=size,
    )


def mixed_formulas(names: tuple[str, ...] = ATOMS) -> st.SearchStrategy[Formula]:
    """Future operators over pure-past formulas."""
    return st.recursive(past_formulas(names), lambda inner: _grow(_UNARY, _BINARY, inner), max_leaves=4)


def any_formulas(names: tuple[str, ...] = ATOMS, size: int = 8) -> st.SearchStrategy[Formula]:
    """Any nesting of past and future, for everything that does not compile."""
    return st.recursive(
        _leaves(names, True),
        lambda inner: _grow(_UNARY + _PAST_UNARY, (*_BINARY, Op.SINCE), inner),
        max_leaves=size,
    )
