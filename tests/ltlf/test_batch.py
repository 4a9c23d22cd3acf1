from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from maniguard.ltlf import Batch, MissingAtomError, TraceError, Verdict, compile_dfa, run_batch
from maniguard.ltlf import batch as batch_module

from .helpers import future_formulas, mixed_formulas


def step_by_step(dfa, truth, columns):
    """What stepping says about one trace: final state, acceptance, first permanent verdicts."""
    state, violated, satisfied = dfa.initial, -1, -1
    for t, row in enumerate(truth):
        state = dfa.step(state, dict(zip(columns, row.tolist(), strict=True)))
        if dfa.verdict(state) is Verdict.PERM_VIOL and violated < 0:
            violated = t
        if dfa.verdict(state) is Verdict.PERM_SAT and satisfied < 0:
            satisfied = t
    return state, dfa.accept[state], violated, satisfied


def check(dfa, seed: int, *, engine=None) -> None:
    rng = np.random.default_rng(seed)
    columns = ["spare", *sorted(dfa.atoms)]
    traces = [rng.random((int(rng.integers(0, 9)), len(columns))) < rng.random() for _ in range(12)]
    result = (engine or Batch(dfa)).run(traces, columns)
    expected = [step_by_step(dfa, t, columns) for t in traces]
    for field, values in zip(result, zip(*expected, strict=True), strict=True):
        assert field.tolist() == list(values)


@settings(deadline=None, max_examples=80)
@given(st.one_of(future_formulas(names=("a", "b", "c")), mixed_formulas()), st.integers(0, 2**32 - 1))
def test_a_batch_gives_the_answers_of_stepping(formula, seed: int) -> None:
    check(compile_dfa(formula), seed)


WIDE = "G(" + " | ".join(f"p{i}" for i in range(19)) + ") & F(p3 & X[!] p17) & (p18 W p0)"


@pytest.mark.parametrize("seed", range(4))
def test_a_batch_with_letters_of_several_bytes(seed: int) -> None:
    check(compile_dfa(WIDE), seed)


def test_without_letter_classes_the_answers_are_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batch_module, "letter_classes", lambda dfa: None)
    for seed, text in enumerate([WIDE, "G(a -> F[0,3] b)", "true", "a U (b U c)", "G(b -> O a)"]):
        dfa = compile_dfa(text)
        check(dfa, seed, engine=Batch(dfa))


def test_letter_classes_are_few_where_letters_are_many() -> None:
    from maniguard.ltlf.classes import letter_classes

    invariants = letter_classes(compile_dfa("G(" + " & ".join(f"p{i}" for i in range(20)) + ")"))
    assert invariants is not None
    assert invariants.size == 2
    responses = letter_classes(compile_dfa(" & ".join(f"G(a{i} -> F b{i})" for i in range(8))))
    assert responses is not None
    assert responses.size == 3**8


def test_too_many_classes_fall_back() -> None:
    dfa = compile_dfa(" & ".join(f"G(a{i} -> F b{i})" for i in range(10)))
    from maniguard.ltlf.classes import letter_classes

    assert letter_classes(dfa) is None
    check(dfa, 5)


def test_empty_batches_and_empty_traces() -> None:
    dfa = compile_dfa("a U b")
    assert run_batch(dfa, []).states.shape == (0,)
    empty = run_batch(dfa, [np.zeros((0, 2), dtype=bool)] * 3)
    assert empty.accepted.tolist() == [False] * 3
    assert empty.violated_at.tolist() == [-1] * 3


def test_wrong_tables_are_errors() -> None:
    dfa = compile_dfa("a U b")
    with pytest.raises(MissingAtomError, match="no column for atom 'b'"):
        run_batch(dfa, [np.zeros((2, 1), dtype=bool)], ["a"])
    with pytest.raises(TraceError, match="trace 1 must be Boolean"):
        run_batch(dfa, [np.zeros((2, 2), dtype=bool), np.zeros((2, 2))])


def test_many_traces_are_judged_in_portions(monkeypatch: pytest.MonkeyPatch) -> None:
    dfa = compile_dfa("G(a -> F[0,2] b)")
    rng = np.random.default_rng(1)
    traces = [rng.random((int(rng.integers(0, 6)), 2)) < 0.5 for _ in range(23)]
    whole = run_batch(dfa, traces)
    monkeypatch.setattr(batch_module, "_PORTION", 5)
    for one, other in zip(whole, run_batch(dfa, traces), strict=True):
        assert one.tolist() == other.tolist()
