from __future__ import annotations

import pytest

from maniguard.ltlf import Final, FormulaError, Monitor, Verdict, compile_dfa

A, B, NONE = {"a": True, "b": False}, {"a": False, "b": True}, {"a": False, "b": False}


def test_the_four_verdicts() -> None:
    monitor = Monitor("(a U b) & N true")
    assert monitor.verdict is Verdict.CURR_VIOL
    assert monitor.step(A) is Verdict.CURR_VIOL
    assert monitor.step(B) is Verdict.PERM_SAT
    monitor.reset()
    assert monitor.step(NONE) is Verdict.PERM_VIOL
    assert monitor.is_rejecting
    assert monitor.step(B) is Verdict.PERM_VIOL
    assert Monitor("G(a -> F b)").step(B) is Verdict.CURR_SAT


@pytest.mark.parametrize(
    ("formula", "letters", "final"),
    [
        ("G(a -> F b)", [A, B], Final.SATISFIED),
        ("G(a -> F b)", [B, A], Final.INCONCLUSIVE),
        ("G !a", [B, A], Final.VIOLATED),
        ("a U b", [], Final.INCONCLUSIVE),
        ("G(a -> F[0,2] b)", [A, NONE], Final.INCONCLUSIVE),
        ("G(a -> F[0,2] b)", [A, NONE, NONE], Final.VIOLATED),
    ],
)
def test_the_end_tells_violated_from_cut_off(formula: str, letters: list[dict[str, bool]], final: Final) -> None:
    monitor = Monitor(formula)
    for letter in letters:
        monitor.step(letter)
    assert monitor.finish() is final


def test_the_bad_prefix_reading_has_no_pending_violation() -> None:
    strong, weak = Monitor("a U b"), Monitor("a U b", reading="badprefix")
    assert strong.step(A) is Verdict.CURR_VIOL
    assert weak.step(A) is Verdict.CURR_SAT
    assert weak.finish() is Final.SATISFIED
    assert weak.step(NONE) is Verdict.PERM_VIOL
    assert weak.finish() is Final.VIOLATED


def test_an_automaton_can_be_shared() -> None:
    dfa = compile_dfa("G !a")
    one, two = Monitor("G !a", dfa=dfa), Monitor("G !a", dfa=dfa)
    one.step(A)
    assert one.is_rejecting
    assert not two.is_rejecting


def test_an_unknown_reading_is_an_error() -> None:
    with pytest.raises(FormulaError, match="there are badprefix, ltlf"):
        Monitor("a", reading="strong")  # type: ignore[arg-type]
