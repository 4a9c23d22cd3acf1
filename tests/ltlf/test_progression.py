from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from maniguard.ltlf import (
    Final,
    FormulaError,
    MissingAtomError,
    Monitor,
    ProgressionMonitor,
    TraceError,
    Verdict,
    evaluate_signals,
    parse,
)
from maniguard.ltlf import progression as progression_module

from .helpers import future_formulas, mixed_formulas

ROWS = st.lists(st.sampled_from(["", "a", "b", "ab"]), min_size=1, max_size=8)


@settings(deadline=None, max_examples=150)
@given(st.one_of(future_formulas(), mixed_formulas()), ROWS, st.booleans())
def test_it_agrees_with_the_automaton(formula, rows: list[str], forget: bool) -> None:
    exact, lazy = Monitor(formula), ProgressionMonitor(formula)
    with pytest.MonkeyPatch.context() as patch:
        if forget:
            # Start a fresh derivation after every step.
            patch.setattr(progression_module, "_NODES_KEPT", 0)
        for row in rows:
            letter = {n: n in row for n in "ab"}
            one, other = exact.step(letter), lazy.step(letter)
            assert one.is_satisfied == other.is_satisfied
            assert other is one or not other.is_final


@pytest.mark.parametrize(
    "text", ["G !a", "a U b", "G(a -> F[0,2] b)", "G(a -> (b W !a))", "G(b -> Y a)", "F[1,3] a", "a R b"]
)
@pytest.mark.parametrize("reading", ["ltlf", "badprefix"])
def test_on_usual_rules_all_verdicts_are_the_same(text: str, reading) -> None:
    rng = np.random.default_rng(0)
    for _ in range(20):
        exact, lazy = Monitor(text, reading=reading), ProgressionMonitor(text, reading=reading)
        for _ in range(8):
            letter = {n: bool(rng.integers(2)) for n in "ab"}
            assert exact.step(letter) is lazy.step(letter)
        assert exact.finish() is lazy.finish()


@pytest.mark.parametrize("forget", [False, True])
def test_a_window_that_cannot_be_compiled_can_be_watched(monkeypatch: pytest.MonkeyPatch, forget: bool) -> None:
    if forget:
        monkeypatch.setattr(progression_module, "_NODES_KEPT", 2000)
    formula = parse("G(hit -> F[40,80] back)")
    rng = np.random.default_rng(3)
    hit, back = rng.random(300) < 0.3, rng.random(300) < 0.15
    monitor = ProgressionMonitor(formula)
    verdicts = [monitor.step({"hit": h, "back": b}) for h, b in zip(hit.tolist(), back.tolist(), strict=True)]
    for n in (1, 50, 120, 300):
        meant = evaluate_signals(formula, {"hit": hit[:n], "back": back[:n]})[0]
        assert verdicts[n - 1].is_satisfied == meant
    # A hit that is not answered in its window is a violation exactly when the window has passed.
    monitor.reset()
    quiet = {"hit": False, "back": False}
    monitor.step({"hit": True, "back": False})
    assert [monitor.step(quiet) for _ in range(80)][-2:] == [Verdict.CURR_VIOL, Verdict.PERM_VIOL]
    assert monitor.is_rejecting
    assert monitor.finish() is Final.VIOLATED


def test_mistakes_are_errors() -> None:
    with pytest.raises(MissingAtomError, match="'b'"):
        ProgressionMonitor("a U b").step({"a": True})
    with pytest.raises(TraceError, match="true or false"):
        ProgressionMonitor("a").step({"a": 2})  # type: ignore[dict-item]
    with pytest.raises(FormulaError, match="without an automaton"):
        ProgressionMonitor("O F a")
    with pytest.raises(FormulaError, match="no reading"):
        ProgressionMonitor("a", reading="x")  # type: ignore[arg-type]


def test_a_formula_of_hundreds_of_atoms_is_watched() -> None:
    names = [f"p{i}" for i in range(600)]
    monitor = ProgressionMonitor("G !(" + " | ".join(names) + ")")
    assert monitor.step(dict.fromkeys(names, False)) is Verdict.CURR_SAT
    assert monitor.step({**dict.fromkeys(names, False), "p599": True}) is Verdict.PERM_VIOL
