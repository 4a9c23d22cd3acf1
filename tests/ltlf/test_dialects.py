from __future__ import annotations

import warnings

import pytest

from maniguard.ltlf import DialectWarning, ParseError, parse

READINGS = [
    ("spot", "X a", "N a"),
    ("spot", "X[!] a", "X[!] a"),
    ("spot", "X[3] a", "N N N a"),
    ("spot", "X[!2] a", "X[!] X[!] a"),
    ("spot", "a -> b -> c", "a -> (b -> c)"),
    ("spot", "a <-> b <-> c", "a <-> (b <-> c)"),
    ("spot", "a -> b <-> c", "a -> (b <-> c)"),
    ("spot", "a xor b", "a ^ b"),
    ("spot", "[]a && <>b", "G a & F b"),
    ("spot", "GFa", "G F a"),
    ("spot", "G!a", "G !a"),
    ("spot", "XXa", "N N a"),
    ("spot", "a V b", "a R b"),
    ("spot", "1 U 0", "true U false"),
    ("spot", "a /\\ b \\/ c", "(a & b) | c"),
    ("spot", "a => b", "a -> b"),
    ("spot", "G[1:2] a", "N(a & N a)"),
    ("spot", "G (! p_bad)", "G !p_bad"),
    ("spot", "(jar_on_support) U (jar_closed)", "jar_on_support U jar_closed"),
    ("spot", "agent.n.01_1_on_fire", "agent.n.01_1_on_fire"),
    ("spot", 'F "Grasped"', "F Grasped"),
    ("spot", "F1 & X_2", "F1 & X_2"),
    ("ltlf2dfa", "X a", "X[!] a"),
    ("ltlf2dfa", "WX a", "N a"),
    ("ltlf2dfa", "a -> b -> c", "(a -> b) -> c"),
    ("ltlf2dfa", "a <-> b <-> c", "(a & b & c) | (!a & !b & !c)"),
    ("ltlf2dfa", "a <-> b", "a <-> b"),
    ("ltlf2dfa", "a U b R c", "a U (b R c)"),
    ("ltlf2dfa", "a R b U c", "(a R b) U c"),
    ("ltlf2dfa", "F(last & a)", "F(last & a)"),
    ("ltlf2dfa", "TRUE & False", "true & false"),
    ("ltlf2dfa", "G(object_dropped -> (!t U s) | (!l U g))", "G(object_dropped -> (!t U s) | (!l U g))"),
    ("pylogics", "X(a)", "N a"),
    ("pylogics", "X[!](a)", "X[!] a"),
    ("pylogics", "a -> b -> c", "(a -> b) -> c"),
    ("pylogics", "a >> b", "a -> b"),
    ("pylogics", "a W b U c", "a W (b U c)"),
    ("pylogics", "tt & ff", "true & false"),
    ("pylogics", '"Big Name" & fooBar', '"Big Name" & fooBar'),
]


@pytest.mark.parametrize(("dialect", "text", "native"), READINGS)
def test_each_dialect_has_its_own_meaning(dialect: str, text: str, native: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert parse(text, dialect=dialect) is parse(native)


@pytest.mark.parametrize(
    ("dialect", "text", "message"),
    [
        ("ltlf2dfa", "a W b", "no operator of the ltlf2dfa dialect"),
        ("ltlf2dfa", "Grasped", "unexpected|no operator|cannot begin"),
        ("ltlf2dfa", "a ^ b", "unexpected character"),
        ("ltlf2dfa", "F[0,3] a", "no bounded operators"),
        ("ltlf2dfa", "agent.on", "goes on with '.'"),
        ("ltlf2dfa", "aB", "goes on with 'B'"),
        ("ltlf2dfa", "X[!] a", "unexpected|must follow"),
        ("pylogics", "Grasped", "unexpected|no operator|cannot begin"),
        ("pylogics", "G[0,3] (a)", "no bounded operators"),
        ("spot", "a U[0:3] b", "no bound"),
        ("spot", "F[0:1000] a", "at most"),
        ("spot", "Y a", "expected an operator"),
    ],
)
def test_what_a_dialect_does_not_have_is_an_error(dialect: str, text: str, message: str) -> None:
    with pytest.raises(ParseError, match=message):
        parse(text, dialect=dialect)


@pytest.mark.parametrize(
    ("text", "native", "message"),
    [
        ("Grasped", "G rasped", r"'Grasped' as G\(rasped\)"),
        ("! Food_touched", "!F ood_touched", r"'Food_touched' as F\(ood_touched\)"),
        ("Xray_ok", "N ray_ok", r"'Xray_ok' as X\(ray_ok\)"),
        ("F last", 'F "last"', "ordinary atom"),
        ("F[0:2] a", "a | N(a | N a)", "weak on finite traces"),
        ("F[2:$] a", "N N F a", "weak on finite traces"),
    ],
)
def test_spot_readings_that_surprise_come_with_a_warning(text: str, native: str, message: str) -> None:
    with pytest.warns(DialectWarning, match=message):
        assert parse(text, dialect="spot") is parse(native)


def test_a_warning_points_at_the_caller() -> None:
    with pytest.warns(DialectWarning) as caught:
        parse("Grasped", dialect="spot")
    assert caught[0].filename == __file__


def test_last_of_pylogics_is_the_last_step_with_a_warning() -> None:
    with pytest.warns(DialectWarning, match="last step"):
        assert parse("F(last)", dialect="pylogics") is parse("F last")
