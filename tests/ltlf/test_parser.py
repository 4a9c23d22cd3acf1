from __future__ import annotations

import pickle
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from maniguard.errors import ManiguardError
from maniguard.ltlf import FormulaError, LtlfError, ParseError, parse
from maniguard.ltlf.formula import FALSE, MAX_DEPTH, TRUE, Op, atom, conj, disj, make, negate

from .helpers import any_formulas


@given(any_formulas(names=("a", "Grasped", "agent.n.01_1_on_fire", "two words", 'qu"o\\te', "X", "last", "été")))
def test_printing_and_parsing_is_the_identity(formula) -> None:
    assert parse(str(formula)) is formula
    assert pickle.loads(pickle.dumps(formula)) is formula


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("a -> b -> c", "a -> (b -> c)"),
        ("a <-> b <-> c", "a <-> (b <-> c)"),
        ("a -> b <-> c", "(a -> b) <-> c"),
        ("a | b & c", "a | (b & c)"),
        ("a ^ b & c", "a ^ (b & c)"),
        ("a | b ^ c", "a | (b ^ c)"),
        ("a & b U c", "a & (b U c)"),
        ("a U b U c", "a U (b U c)"),
        ("a U b W c", "a U (b W c)"),
        ("!a U b", "(!a) U b"),
        ("G a -> b", "(G a) -> b"),
        ("F a & b", "(F a) & b"),
        ("X[!] a U b", "(X[!] a) U b"),
        ("WX a", "N a"),
        ("G!a", "G(!(a))"),
        ("a && b || ~c", "a & b | !c"),
        ("¬a ∧ b ∨ c → d ↔ e", "((!a & b) | c -> d) <-> e"),
        ("F[0:5] a", "F[0,5] a"),
        ("F[0..5] a", "F[0,5] a"),
        ("F [ 0 , 5 ] a", "F[0,5] a"),
        ("F[2,] a", "F[2,inf] a"),
        ("F[2,$] a", "F[2,inf] a"),
        ("X [!] a", "X[!] a"),
        ("a S b", "(a) S (b)"),
    ],
)
def test_grouping_and_spellings(text: str, same: str) -> None:
    assert parse(text) is parse(same)


@pytest.mark.parametrize(
    ("text", "rate", "same"),
    [
        ("F[0,5s] a", 20, "F[0,100] a"),
        ("F[0s,5s] a", 20, "F[0,100] a"),
        ("F[0,0.1 s] a", 20, "F[0,2] a"),
        ("F[100ms,300ms] a", 10, "F[1,3] a"),
        ("F[0,1min] a", 20, "F[0,1200] a"),
        ("F[0.11s,0.29s] a", 10, "F[2,2] a"),
        ("G[500ms,2s] a", 20, "G[10,40] a"),
        ("O[0,0.5s] a", 20, "O[0,10] a"),
        ("F[1s,inf] a", 20, "F[20,inf] a"),
        ("F[0,0.7s] a", 30, "F[0,21] a"),
        ("F[0,10] a", 20, "F[0,10] a"),
    ],
)
def test_seconds_become_the_steps_inside_the_bound(text: str, rate: float, same: str) -> None:
    assert parse(text, rate_hz=rate) is parse(same)


@pytest.mark.parametrize(
    "name",
    [
        "a",
        "Grasped",
        "Food_touched",
        "Xray_ok",
        "Gp",
        "agent.n.01_1_on_fire",
        "p0",
        "_x",
        "UV",
        "lasting",
        "truely",
        "NOT",
    ],
)
def test_names_are_names(name: str) -> None:
    assert parse(name) is atom(name)
    assert parse(f"G {name}").atoms() == {name}


@pytest.mark.parametrize(
    ("text", "message", "position"),
    [
        ("X a", "ambiguous.*X\\[!\\] p.*N p", 0),
        ("G(a -> X b)", "ambiguous", 7),
        ("", "empty", 0),
        ("   ", "empty", 3),
        ("(a", "not closed", 2),
        ("a)", "without", 1),
        ("a b", "expected an operator", 2),
        ("a and b", "the operator is &", 2),
        ("always a", "the operator is G", 7),
        ("a &", "ends where an operand", 3),
        ("& a", "expected an operand before '&'", 0),
        ("G", "ends where", 1),
        ("a & M", "'M' is an operator, quote it", 4),
        ("a U", "ends where", 3),
        ("()", "expected an operand before '\\)'", 1),
        ("1a", "cannot begin with '1'", 0),
        ("a # b", "unexpected character '#'", 2),
        ('"a', "not closed", 0),
        ('""', "empty", 0),
        ("F[3] a", "two ends", 1),
        ("F[5,3] a", "empty", 1),
        ("F[-1,3] a", "not of the form", 1),
        ("F[0,5s] a", "control rate", 1),
        ("F[0,1.5] a", "whole numbers", 1),
        ("F[0,1000000] a", "exceeds", 1),
        ("N[0,3] a", "must follow one of F G", 1),
        ("![0,3] a", "takes no bound", 1),
        ("a [0,3]", "must follow", 2),
        ("a U[0,3", "not of the form", 3),
    ],
)
def test_errors_say_what_and_where(text: str, message: str, position: int) -> None:
    with pytest.raises(ParseError, match=message) as caught:
        parse(text)
    assert caught.value.position == position
    assert "\n" not in str(caught.value)
    assert isinstance(caught.value, ManiguardError)


def test_a_bound_that_mixes_seconds_and_steps_is_refused() -> None:
    with pytest.raises(ParseError, match="no unit"):
        parse("F[3,5s] a", rate_hz=20)


def test_a_bound_with_no_step_inside_is_refused() -> None:
    with pytest.raises(ParseError, match="no step falls inside"):
        parse("F[0.11s,0.19s] a", rate_hz=10)


@pytest.mark.parametrize("rate", [0, -1, float("nan"), float("inf")])
def test_the_rate_must_be_positive(rate: float) -> None:
    with pytest.raises(FormulaError, match="rate_hz"):
        parse("a", rate_hz=rate)


@pytest.mark.parametrize(
    "text", ["(" * 500 + "a" + ")" * 500, "!" * 500 + "a", "a U (" * 400 + "b" + ")" * 400, "a -> " * 300 + "b"]
)
def test_deep_nesting_is_an_error_and_no_crash(text: str) -> None:
    with pytest.raises(LtlfError, match="nested deeper"):
        parse(text)


def test_nesting_up_to_the_limit_works() -> None:
    formula = atom("a")
    for _ in range(MAX_DEPTH - 1):
        formula = make(Op.UNTIL, (atom("b"), formula))
    assert parse(str(formula)) is formula


@given(st.text(alphabet='abGFXUWRMNYOHSlast[]!,0123456789()&|^<->" .s', max_size=40))
def test_any_text_gives_a_formula_or_a_parse_error(text: str) -> None:
    position = 0
    try:
        formula = parse(text, rate_hz=20)
    except ParseError as error:
        position = error.position
    else:
        assert parse(str(formula)) is formula
    assert 0 <= position <= len(text)


def test_formulas_are_shared_and_cannot_be_changed() -> None:
    assert parse("G(a -> b)") is parse(" G ( a->b ) ")
    with pytest.raises(AttributeError, match="cannot be changed"):
        parse("a").name = "b"


def test_atoms_are_a_set_and_an_order() -> None:
    formula = parse("z & (a U z) | m")
    assert formula.atoms() == frozenset("zam")
    assert formula.atom_order() == ("z", "a", "m")


def test_builders_fold_constants() -> None:
    a, b = atom("a"), atom("b")
    assert conj() is TRUE
    assert disj() is FALSE
    assert conj(a, TRUE, a) is a
    assert conj(a, FALSE) is FALSE
    assert disj(a, disj(b, a)) is parse("a | b")
    assert negate(negate(a)) is a
    assert negate(TRUE) is FALSE


@pytest.mark.parametrize(
    "build",
    [
        lambda: atom(""),
        lambda: atom("a\nb"),
        lambda: make(Op.NOT, ()),
        lambda: make(Op.AND, (TRUE,)),
        lambda: make(Op.NOT, (TRUE,), hi=3),
        lambda: make(Op.EVENTUALLY, (TRUE,), lo=3, hi=2),
        lambda: make(Op.EVENTUALLY, (TRUE,), lo=-1),
        lambda: parse(3),
        lambda: parse("a", dialect="tla"),
    ],
)
def test_ill_formed_formulas_are_refused(build) -> None:
    with pytest.raises(FormulaError):
        build()


@pytest.mark.parametrize("rate", [True, "20", 1j, [20]])
def test_the_rate_must_be_a_number(rate: object) -> None:
    with pytest.raises(FormulaError, match="rate_hz"):
        parse("F[0,1s] a", rate_hz=rate)


def test_the_rate_may_be_any_kind_of_number() -> None:
    rates = (10, 10.0, np.float32(10), np.int64(10), Fraction(10))
    assert {parse("F[0,0.5s] a", rate_hz=rate) for rate in rates} == {parse("F[0,5] a")}


@pytest.mark.parametrize(
    ("text", "dialect"),
    [
        ("F[0," + "9" * 5000 + "] a", "maniguard"),
        ("F[" + "9" * 5000 + ",inf] a", "maniguard"),
        ("F[0." + "1" * 5000 + ",5] a", "maniguard"),
        ("F[0,1000000000] a", "maniguard"),
        ("X[" + "9" * 5000 + "] a", "spot"),
        ("(" * 100_000 + "a" + ")" * 100_000, "maniguard"),
        ("a" * 200_001, "maniguard"),
    ],
)
def test_absurd_sizes_are_errors_at_once(text: str, dialect: str) -> None:
    with pytest.raises(ParseError):
        parse(text, dialect=dialect)
