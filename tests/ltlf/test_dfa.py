from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from maniguard.ltlf import MissingAtomError, TraceError, Verdict, compile_dfa, evaluate

from .helpers import ATOMS, future_formulas, traces

SHORT = traces(ATOMS, 3)


@settings(deadline=None)
@given(future_formulas())
def test_the_ways_of_stepping_agree(formula) -> None:
    dfa = compile_dfa(formula)
    for trace in SHORT:
        state = packed = dfa.initial
        seen = []
        for letter in trace:
            state = dfa.step(state, letter)
            packed = dfa.step_packed(packed, dfa.pack(letter))
            seen.append(state)
        assert state == packed
        truth = np.array([[x["extra"], x["b"], x["a"]] for x in ({**x, "extra": True} for x in trace)], dtype=bool)
        assert dfa.run(truth.reshape(len(trace), 3), ["extra", "b", "a"]).tolist() == seen


@settings(deadline=None, max_examples=60)
@given(future_formulas())
def test_verdicts_are_what_continuations_say(formula) -> None:
    dfa = compile_dfa(formula)
    endings = traces(ATOMS, 2)
    for prefix in SHORT[:21]:
        state = dfa.initial
        for letter in prefix:
            state = dfa.step(state, letter)
        verdict = dfa.verdict(state)
        assert verdict.is_satisfied == evaluate(formula, prefix)
        outcomes = {evaluate(formula, prefix + end) for end in endings}
        if verdict is Verdict.PERM_SAT:
            assert outcomes == {True}
        if verdict is Verdict.PERM_VIOL:
            assert outcomes == {False}


def test_a_letter_may_hold_more_names_but_not_fewer() -> None:
    dfa = compile_dfa("a | b")
    assert dfa.accepts([{"a": True, "b": False, "c": True}])
    with pytest.raises(MissingAtomError, match="no atom 'b'; it has a, c"):
        dfa.step(dfa.initial, {"a": True, "c": False})
    with pytest.raises(MissingAtomError):
        compile_dfa("a | !a").step(0, {})


@pytest.mark.parametrize("value", [None, "yes", 0.5, float("nan"), 2, []])
def test_a_value_that_is_no_truth_value_is_an_error(value: object) -> None:
    dfa = compile_dfa("a | b")
    with pytest.raises(TraceError):
        dfa.step(dfa.initial, {"a": value, "b": True})


def test_numpy_and_integer_truth_values_are_taken() -> None:
    dfa = compile_dfa("a & b")
    assert dfa.accepts([{"a": np.bool_(True), "b": 1}])
    assert not dfa.accepts([{"a": np.True_, "b": 0}])


def test_a_formula_without_atoms_takes_any_letter() -> None:
    assert compile_dfa("X[!] true").accepts([{}, {"x": True}])
    assert compile_dfa("X[!] true").run(np.zeros((3, 0), dtype=bool)).shape == (3,)


def test_run_checks_its_table() -> None:
    dfa = compile_dfa("a & b")
    with pytest.raises(MissingAtomError, match="no column for atom 'b'"):
        dfa.run(np.zeros((2, 1), dtype=bool), ["a"])
    with pytest.raises(TraceError, match="Boolean array"):
        dfa.run(np.zeros((2, 3), dtype=bool))
    with pytest.raises(TraceError, match="Boolean array"):
        dfa.run(np.zeros((2, 2)))


@given(st.integers(0, 2**70 - 1))
def test_packing_works_beyond_a_machine_word(word: int) -> None:
    names = [f"p{i}" for i in range(70)]
    dfa = compile_dfa("G(" + " | ".join(names) + ")")
    truth = np.array([[word >> i & 1 for i in range(70)]], dtype=bool)
    assert (dfa.verdict(int(dfa.run(truth)[0])) is Verdict.PERM_VIOL) == (word == 0)
    assert dfa.step_packed(0, word) == int(dfa.run(truth)[0])


def test_json_is_plain_and_complete() -> None:
    dfa = compile_dfa("G(a -> F b)")
    plain = json.loads(json.dumps(dfa.to_dict()))
    assert plain["num_states"] == 2
    assert plain["formula"] == "G(a -> F b)"
    # Walking the plain form accepts what the automaton accepts.
    for trace in SHORT:
        state = plain["initial"]
        for letter in trace:
            ref = plain["guards"][state]
            while ref >= 0:
                atom, lo, hi = plain["nodes"][ref]
                ref = hi if letter[plain["atoms"][atom]] else lo
            state = ~ref
        assert (state in plain["accepting"]) == dfa.accepts(trace)


def test_dot_has_every_state_and_edge() -> None:
    text = compile_dfa('"on table" U closed').to_dot()
    assert text.startswith("digraph")
    assert text.count("doublecircle") == 1
    assert r"\"on table\" & !closed" in text or r"!closed & \"on table\"" in text
    assert text.count("->") == 1 + 5


def test_automata_and_monitors_can_be_sent_to_other_processes() -> None:
    import pickle

    from maniguard.ltlf import Monitor, MonitorSet

    monitor = Monitor("G(a -> F[0,3] b)")
    monitor.step({"a": True, "b": False})
    again = pickle.loads(pickle.dumps(monitor))
    assert again.dfa.raw == monitor.dfa.raw
    assert again.state == monitor.state
    assert again.step({"a": False, "b": True}) is monitor.step({"a": False, "b": True})
    together = MonitorSet({"x": "G(a -> F b)", "y": "G !b"}, reading="badprefix")
    together.step({"a": True, "b": True})
    assert pickle.loads(pickle.dumps(together)).verdicts() == together.verdicts()
