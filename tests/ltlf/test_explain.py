from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from maniguard.ltlf import Verdict, compile_bad_prefix, compile_dfa, evaluate
from maniguard.ltlf.explain import Explanation, Fact, explain

from .helpers import future_formulas, mixed_formulas


def rows(*given: str) -> list[dict[str, bool]]:
    return [{n: n in row for n in "ab"} for row in given]


def completions(facts, length: int):
    """Every trace of a length over a and b that agrees with the facts."""
    fixed = {(f.step, f.atom): f.value for f in facts}
    cells = [(t, n) for t in range(length) for n in "ab"]
    free = [c for c in cells if c not in fixed]
    for values in product((False, True), repeat=len(free)):
        truth = {**fixed, **dict(zip(free, values, strict=True))}
        yield [{n: truth[t, n] for n in "ab"} for t in range(length)]


@settings(deadline=None, max_examples=250)
@given(
    st.one_of(future_formulas(), mixed_formulas()),
    st.lists(st.sampled_from(["", "a", "b", "ab"]), min_size=1, max_size=4),
)
def test_an_explanation_suffices_and_none_of_its_facts_is_idle(formula, given_rows) -> None:
    trace = rows(*given_rows)
    explanation = explain(formula, trace)
    if evaluate(formula, trace):
        assert explanation is None
        return
    assert explanation is not None
    dfa = compile_dfa(formula)
    length = len(trace) if explanation.step is None else explanation.step + 1

    def violated(t: list[dict[str, bool]]) -> bool:
        state = dfa.initial
        for letter in t:
            state = dfa.step(state, letter)
        return dfa.verdict(state) is Verdict.PERM_VIOL if explanation.step is not None else not dfa.accept[state]

    assert all(trace[f.step][f.atom] == f.value for f in explanation.facts)
    # Every change that averts the violation touches a fact: whatever agrees with the facts is violated.
    assert all(violated(t) for t in completions(explanation.facts, length))
    # None is idle: without it, some agreeing trace is not violated.
    for fact in explanation.facts:
        others = [f for f in explanation.facts if f != fact]
        assert not all(violated(t) for t in completions(others, length))


@pytest.mark.parametrize(
    ("formula", "trace", "facts", "step"),
    [
        ("G !a", rows("b", "ab", "a"), [Fact(1, "a", True)], 1),
        ("G(a -> F[0,1] b)", rows("a", "", "b"), [Fact(0, "a", True), Fact(0, "b", False), Fact(1, "b", False)], 1),
        (
            "a U b",
            rows("a", "a", ""),
            [*(Fact(t, "b", False) for t in range(2)), Fact(2, "a", False), Fact(2, "b", False)],
            2,
        ),
        ("F a", rows("", "b"), [Fact(0, "a", False), Fact(1, "a", False)], None),
        ("G(b -> O a)", rows("", "b"), [Fact(0, "a", False), Fact(1, "a", False), Fact(1, "b", True)], 1),
        ("false", rows("a"), [], -1),
    ],
)
def test_examples(formula: str, trace, facts, step) -> None:
    explanation = explain(formula, trace)
    assert explanation is not None
    assert sorted(explanation.facts) == sorted(facts)
    assert explanation.step == step


def test_a_bad_prefix_is_explained_by_its_own_automaton() -> None:
    assert explain(compile_bad_prefix("a U b"), rows("a", "a")) is None
    explanation = explain(compile_bad_prefix("a U b"), rows("a", ""))
    assert explanation is not None
    assert explanation.step == 1


def test_the_text_takes_steps_together() -> None:
    explanation = explain("G(a -> F[0,3] b)", rows("b", "a", "", "", "", "a"))
    assert explanation is not None
    assert explanation.text() == "a was true at step 1; b was false at steps 1–4"
    assert explanation.text(rate_hz=20) == "a was true at 0.05 s; b was false from 0.05 s to 0.2 s"
    assert Explanation((), -1).text() == "violated whatever happens"
