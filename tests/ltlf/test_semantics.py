from __future__ import annotations

import pytest
from hypothesis import given

from maniguard.ltlf import MissingAtomError, TraceError, evaluate, parse
from maniguard.ltlf.formula import Op, make, negate

from .helpers import ATOMS, any_formulas, traces

SHORT = traces(ATOMS, 3)


def step(**truth: bool) -> dict[str, bool]:
    return {"a": False, "b": False, **truth}


A, B, AB, NONE = step(a=True), step(b=True), step(a=True, b=True), step()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("true", True),
        ("false", False),
        ("a", False),
        ("!a", True),
        ("last", False),
        ("X[!] true", False),
        ("N false", True),
        ("F true", False),
        ("G false", True),
        ("a U true", False),
        ("false W false", True),
        ("true R false", True),
        ("true M true", False),
        ("Y true", False),
        ("Z false", True),
        ("O true", False),
        ("H false", True),
        ("true S true", False),
        ("F[0,3] true", False),
        ("G[1,3] false", True),
    ],
)
def test_the_empty_trace_has_a_meaning(text: str, expected: bool) -> None:
    assert evaluate(parse(text), []) is expected


@pytest.mark.parametrize(
    ("text", "trace", "expected"),
    [
        ("X[!] a", [NONE, A], True),
        ("X[!] a", [A], False),
        ("N a", [A], True),
        ("N a", [A, NONE], False),
        ("a U b", [A, A, B], True),
        ("a U b", [A, A], False),
        ("a W b", [A, A], True),
        ("a W b", [A, NONE, B], False),
        ("a R b", [B, B], True),
        ("a R b", [B, AB, NONE], True),
        ("a R b", [B, A], False),
        ("a M b", [B, B], False),
        ("a M b", [B, AB, NONE], True),
        ("F[2,3] a", [A, A, NONE, A], True),
        ("F[2,3] a", [A, A, NONE, NONE, A], False),
        ("G[1,2] a", [NONE, A, A, NONE], True),
        ("G[1,2] a", [NONE, A], True),
        ("G[1,2] a", [NONE, A, NONE], False),
        ("a U[2,2] b", [A, AB, B], True),
        ("a U[2,2] b", [A, B, B], False),
        ("last", [A], True),
        ("last", [A, A], False),
        ("F(last & a)", [NONE, A], True),
        ("F(b & Y a)", [A, B], True),
        ("F(b & Y a)", [A, NONE, B], False),
        ("G(b -> O a)", [A, NONE, B], True),
        ("G(b -> O a)", [B, A], False),
        ("G(b -> O[0,1] a)", [A, NONE, B], False),
        ("F(last & (a S b))", [NONE, B, A, A], True),
        ("F(last & (a S b))", [B, NONE, A], False),
        ("G(a -> H b)", [B, AB], True),
    ],
)
def test_what_the_operators_mean(text: str, trace: list[dict[str, bool]], expected: bool) -> None:
    assert evaluate(parse(text), trace) is expected


LAWS = [
    ("F a", "true U a"),
    ("G a", "false R a"),
    ("a W b", "(a U b) | G a"),
    ("a R b", "!(!a U !b)"),
    ("a M b", "!(!a W !b)"),
    ("N a", "!X[!] !a"),
    ("a U b", "b | (a & X[!](a U b))"),
    ("a W b", "b | (a & N(a W b))"),
    ("a R b", "b & (a | N(a R b))"),
    ("a M b", "b & (a | X[!](a M b))"),
    ("G a", "a & N G a"),
    ("F[1,3] a", "X[!] F[0,2] a"),
    ("G[1,3] a", "N G[0,2] a"),
    ("F[0,2] a", "a | X[!](a | X[!] a)"),
    ("G[0,2] a", "a & N(a & N a)"),
    ("a U[1,2] b", "a & X[!](b | (a & X[!] b))"),
    ("a W[0,2] b", "(a U[0,2] b) | G[0,2] a"),
    ("a R[1,2] b", "!(!a U[1,2] !b)"),
    ("a M[0,2] b", "!(!a W[0,2] !b)"),
    ("O a", "true S a"),
    ("H a", "!O !a"),
    ("a S b", "b | (a & Y(a S b))"),
    ("Z a", "!Y !a"),
    ("O[1,2] a", "Y O[0,1] a"),
    ("H[1,2] a", "Z H[0,1] a"),
]


@pytest.mark.parametrize(("left", "right"), LAWS)
def test_laws_hold_at_every_position_of_every_short_trace(left: str, right: str) -> None:
    f, g = parse(left), parse(right)
    for trace in SHORT:
        for i in range(len(trace)):
            assert evaluate(f, trace, i) == evaluate(g, trace, i), (trace, i)


@given(any_formulas())
def test_negation_is_complement_and_printing_keeps_the_meaning(formula) -> None:
    again = parse(str(formula))
    assert again is formula
    for trace in SHORT[:30]:
        value = evaluate(formula, trace)
        assert evaluate(make(Op.NOT, (formula,)), trace) != value
        assert evaluate(negate(formula), trace) != value


def test_a_missing_atom_is_an_error_even_where_its_value_would_not_matter() -> None:
    with pytest.raises(MissingAtomError, match="step 1 has no atom 'b'"):
        evaluate(parse("a | b"), [AB, {"a": True}])


@pytest.mark.parametrize(("position", "length"), [(-1, 2), (2, 2), (1, 0)])
def test_a_position_outside_the_trace_is_an_error(position: int, length: int) -> None:
    with pytest.raises(TraceError, match="outside"):
        evaluate(parse("a"), [A] * length, position)
