from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from maniguard.ltlf import (
    FormulaError,
    MissingAtomError,
    Outcome,
    Rule,
    TriggerMonitor,
    compile_dfa,
    evaluate,
    extract_activations,
    parse,
    rules,
)
from maniguard.ltlf.formula import Op, make

from .helpers import future_formulas, past_formulas


def run(rule: str, *rows: str):
    """Activations of a rule on rows such as "a", "ab", "-": the atoms that hold at each step."""
    (found,) = rules(rule)
    names = parse(rule).atoms()
    return [tuple(x) for x in extract_activations(found, [{n: n in row for n in names} for row in rows])]


F, V, C = Outcome.FULFILLED, Outcome.VIOLATED, Outcome.CUT_OFF


def test_an_activation_is_a_run_of_the_antecedent() -> None:
    assert run("G(a -> b)", "ab", "ab", "-", "ab") == [(0, 1, F, 1), (3, 3, F, 3)]


def test_each_activation_ends_in_its_own_way() -> None:
    assert run("G(a -> F[0,2] b)", "a", "b", "a", "-", "-", "-", "a", "-") == [
        (0, 0, F, 1),
        (2, 2, V, 4),
        (6, 6, C, None),
    ]


def test_a_run_is_violated_when_any_step_of_it_is() -> None:
    assert run("G(a -> b)", "ab", "a", "ab", "-") == [(0, 2, V, 1)]


def test_what_still_holds_at_the_end_is_fulfilled_without_an_end() -> None:
    assert run("G(a -> (s W r))", "as", "s", "s") == [(0, 0, F, None)]
    assert run("G(a -> (s W r))", "as", "r", "-") == [(0, 0, F, 1)]
    assert run("G(a -> (s W r))", "as", "-", "-") == [(0, 0, V, 1)]


def test_open_occasions_overlap() -> None:
    assert run("G(a -> F[1,3] b)", "a", "-", "a", "b", "-", "-") == [(0, 0, F, 3), (2, 2, F, 3)]


def test_a_rule_about_the_past_is_settled_at_once() -> None:
    assert run("G(a -> O b)", "a", "b", "a", "-") == [(0, 0, V, 0), (2, 2, F, 2)]


def test_an_antecedent_may_look_back() -> None:
    assert run("G((b & Y a) -> X[!] c)", "a", "b", "c", "b", "a", "b") == [(1, 1, F, 2), (5, 5, C, None)]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("G(a -> F b)", ["a | F b"]),
        ("G(!a | F b)", ["a | F b"]),
        ("G(!a | !b | F c)", ["a & b | F c"]),
        ("G((a -> b) & (c -> d)) & G !e", ["a | b", "c | d"]),
        ("G !e", []),
        ("a W b", []),
        ("G(F a -> b)", []),
        ("G[0,5](a -> b)", []),
        ("G(a -> b) | G c", []),
    ],
)
def test_rules_are_found_where_there_are_some(text: str, found: list[str]) -> None:
    assert [f"{r.antecedent} | {r.consequent}" for r in rules(text)] == found


SETTINGS = settings(deadline=None, max_examples=120)
ROWS = st.lists(st.sampled_from(["", "a", "b", "ab"]), min_size=1, max_size=7)


@SETTINGS
@given(past_formulas(size=2), future_formulas(size=4), ROWS)
def test_the_rule_holds_exactly_when_every_activation_is_fulfilled(antecedent, consequent, rows: list[str]) -> None:
    if consequent.is_past:
        return
    trace = [{n: n in row for n in "ab"} for row in rows]
    activations = extract_activations(Rule(antecedent, consequent), trace)
    whole = make(Op.ALWAYS, (make(Op.IMPLIES, (antecedent, consequent)),))
    assert evaluate(whole, trace) == all(a.outcome is Outcome.FULFILLED for a in activations)
    holds = [evaluate(antecedent, trace, i) for i in range(len(trace))]
    starts = [i for i, h in enumerate(holds) if h and not (i and holds[i - 1])]
    assert [a.start for a in activations] == starts
    for a in activations:
        assert all(holds[a.start : a.last + 1])
        assert a.last + 1 == len(trace) or not holds[a.last + 1]
        if a.outcome is Outcome.VIOLATED:
            # Some step of the run owes what the steps up to `end` have made impossible.
            dfa = compile_dfa(consequent)
            assert a.end is not None
            assert any(is_doomed(dfa, trace[i : a.end + 1]) for i in range(a.start, min(a.last, a.end) + 1))


def is_doomed(dfa, trace) -> bool:
    state = dfa.initial
    for letter in trace:
        state = dfa.step(state, letter)
    return dfa.distance_to_doom[state] == 0


def test_what_cannot_be_told_apart_is_refused() -> None:
    with pytest.raises(FormulaError, match="looks into the future"):
        TriggerMonitor(Rule(parse("F a"), parse("b")))
    with pytest.raises(FormulaError, match="mixes past and future"):
        TriggerMonitor(Rule(parse("a"), parse("F(b & O c)")))


def test_a_missing_atom_is_an_error_before_anything_is_triggered() -> None:
    (rule,) = rules("G(a -> F b)")
    with pytest.raises(MissingAtomError, match="'b'"):
        TriggerMonitor(rule).step({"a": False})
