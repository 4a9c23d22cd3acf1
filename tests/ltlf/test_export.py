from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from maniguard.ltlf import BudgetError, Dfa, LtlfError, ParseError, TraceError, compile_dfa
from maniguard.ltlf.export_svg import to_svg
from maniguard.ltlf.guards import guard_text, guards
from maniguard.ltlf.hoa import from_hoa

from .helpers import future_formulas, mixed_formulas

FORMULAS = st.one_of(future_formulas(names=("a", "b", "two words", 'q"\\')), mixed_formulas())
SETTINGS = settings(deadline=None, max_examples=80)


@SETTINGS
@given(FORMULAS)
def test_hoa_comes_back_as_the_same_automaton(formula) -> None:
    dfa = compile_dfa(formula)
    again = from_hoa(dfa.to_hoa())
    assert again.raw == dfa.raw
    assert again.atoms == dfa.atoms
    assert again.formula is formula


@SETTINGS
@given(FORMULAS)
def test_json_comes_back_as_the_same_automaton(formula) -> None:
    dfa = compile_dfa(formula)
    again = Dfa.from_dict(json.loads(json.dumps(dfa.to_dict())))
    assert again.raw == dfa.raw
    assert again.formula is formula


@SETTINGS
@given(FORMULAS)
def test_guards_are_exact_and_irredundant(formula) -> None:
    dfa = compile_dfa(formula)
    for state in range(dfa.num_states):
        for target, cubes in guards(dfa, state).items():
            letters = list(product((False, True), repeat=len(dfa.atoms)))
            wanted = {x for x in letters if dfa.step(state, dict(zip(dfa.atoms, x, strict=True))) == target}
            covered = [{x for x in letters if all(x[i] == sign for i, sign in cube)} for cube in cubes]
            assert set().union(*covered) == wanted
            for i in range(len(cubes)):
                assert set().union(*covered[:i], *covered[i + 1 :]) != wanted


def test_guards_read_as_formulas() -> None:
    dfa = compile_dfa('"on table" W closed')
    texts = [guard_text(dfa, cubes) for cubes in guards(dfa, 0).values()]
    assert sorted(texts) == ['!"on table" & !closed', '"on table" & !closed', "closed"]
    assert guard_text(dfa, [((0, True),), ((1, True),)], limit=1) == '"on table" | …'


HOA = """HOA: v1 /* a comment */
States: 2
Start: 1
AP: 2 "a" "b"
Acceptance: 1 Inf(0)
--BODY--
State: 0 "all well" {0}
[0&!1 | 1] 0
[!(0 | 1)] 1
State: 1
[t] 0
--END--
"""


def test_other_tools_automata_can_be_read() -> None:
    dfa = from_hoa(HOA)
    assert dfa.num_states == 2
    letter = {"a": False, "b": False}
    assert [dfa.accepts([letter] * n) for n in range(4)] == [False, True, False, True]


@pytest.mark.parametrize(
    ("old", "new", "error", "message"),
    [
        ("HOA: v1", "HOA: v2", ParseError, "expected v1"),
        ("States: 2\n", "", ParseError, "'States:' is missing"),
        ("Start: 1", "Start: 2", ParseError, "start state 2"),
        ("Inf(0)", "Fin(0)", ParseError, "acceptance must be"),
        ("1 Inf(0)", "2 Inf(0)&Inf(1)", ParseError, "acceptance must be"),
        ('AP: 2 "a" "b"', 'AP: 3 "a" "b"', ParseError, "number of atoms"),
        ("[t] 0", "[t] 7", ParseError, "no state 7"),
        ("[t] 0", "[5] 0", ParseError, "no label over 2 atoms"),
        ("[t] 0", "[0] 0", LtlfError, "not complete: a letter has no edge from state 1"),
        ("[t] 0", "[t] 0 [0] 1", LtlfError, "not deterministic: two edges of state 1"),
        ("State: 1\n[t] 0\n", "", LtlfError, "state 1 is not described"),
        ("State: 1\n", "State: 0\n", ParseError, "described twice"),
        ("[t] 0", "[t] 0 {0}", ParseError, "on edges"),
        ("--END--", "", ParseError, "ends too soon"),
        ("[t] 0", "[t] § 0", ParseError, "not a token"),
        ("State: 1", "State: [0] 1", ParseError, "labels on states"),
    ],
)
def test_what_is_no_finite_automaton_is_refused(old: str, new: str, error, message: str) -> None:
    assert old in HOA
    with pytest.raises(error, match=message):
        from_hoa(HOA.replace(old, new))


@pytest.mark.parametrize(
    "change",
    [{"format": "x"}, {"version": 2}, {"guards": []}, {"guards": [5]}, {"accepting": [9]}, {"nodes": [[0, 5, -1]]}],
)
def test_inconsistent_json_is_refused(change) -> None:
    with pytest.raises(TraceError):
        Dfa.from_dict({**compile_dfa("a U b").to_dict(), **change})


@SETTINGS
@given(FORMULAS)
def test_pictures_are_well_formed_and_show_every_state(formula) -> None:
    dfa = compile_dfa(formula)
    if dfa.num_states > 40:
        return
    root = ET.fromstring(dfa.to_svg())
    ns = "{http://www.w3.org/2000/svg}"
    shown = [t.text for t in root.iter(f"{ns}text") if t.get("class") == "n"]
    assert sorted(map(int, filter(None, shown))) == list(range(dfa.num_states))
    edges = sum(len(dfa.successors(s)) for s in range(dfa.num_states))
    assert len([t for t in root.iter(f"{ns}text") if t.get("class") == "l"]) == edges


def test_what_cannot_be_drawn_or_written_is_refused() -> None:
    with pytest.raises(LtlfError, match="too many to draw"):
        to_svg(compile_dfa("G(a -> F[0,100] b)"))
    parity = "p0" + "".join(f" ^ p{i}" for i in range(1, 18))
    with pytest.raises(BudgetError, match="conjunctions"):
        compile_dfa(f"G({parity})").to_hoa()


@pytest.mark.parametrize("number", ["9" * 5000, "²", "9" * 12])
def test_absurd_numbers_in_a_text_are_refused(number: str) -> None:
    good = compile_dfa("a").to_hoa()
    for old, new in [("States: 3", "States: {}"), ("Start: 0", "Start: {}"), ("] 1", "] {}"), ("[0]", "[{}]")]:
        assert old in good
        with pytest.raises(LtlfError):
            from_hoa(good.replace(old, new.format(number), 1))


def test_guards_that_are_too_large_say_so() -> None:
    dfa = compile_dfa(" & ".join(f"p{i}" for i in range(3000)))
    with pytest.raises(BudgetError, match="guard from state 0"):
        dfa.to_hoa()
