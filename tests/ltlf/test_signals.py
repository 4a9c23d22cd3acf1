from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from maniguard.ltlf import MissingAtomError, TraceError, evaluate, parse
from maniguard.ltlf.signals import evaluate_signals

from .helpers import ATOMS, FUTURE_CORPUS, PAST_CORPUS, any_formulas


def all_traces(length: int) -> np.ndarray:
    """Every trace of a length over two atoms, shape (4**length, length, 2)."""
    bits = np.arange(4**length)[:, None] >> np.arange(2 * length)
    return (bits & 1).astype(bool).reshape(-1, length, 2)


@pytest.mark.parametrize("text", FUTURE_CORPUS + PAST_CORPUS)
def test_truth_is_the_reference_meaning_at_every_step_of_every_short_trace(text: str) -> None:
    formula = parse(text)
    truth = all_traces(3)
    value = evaluate_signals(formula, {"a": truth[..., 0], "b": truth[..., 1]})
    for row, got in zip(truth.tolist(), value.tolist(), strict=True):
        trace = [dict(zip(ATOMS, letter, strict=True)) for letter in row]
        assert got == [evaluate(formula, trace, i) for i in range(3)]


@settings(deadline=None, max_examples=150)
@given(any_formulas(), st.integers(1, 9), st.integers(0, 2**32 - 1))
def test_random_formulas_past_and_future_nested_at_will(formula, length: int, seed: int) -> None:
    truth = np.random.default_rng(seed).random((length, 2)) < 0.5
    value = evaluate_signals(formula, {"a": truth[:, 0], "b": truth[:, 1]})
    trace = [dict(zip(ATOMS, row, strict=True)) for row in truth.tolist()]
    assert value.tolist() == [evaluate(formula, trace, i) for i in range(length)]


def test_wrong_signals_are_errors() -> None:
    formula = parse("a U b")
    with pytest.raises(MissingAtomError, match="no signal for atom 'b'"):
        evaluate_signals(formula, {"a": np.zeros(3)})
    with pytest.raises(TraceError, match="shape"):
        evaluate_signals(formula, {"a": np.zeros(3), "b": np.zeros(4)})
    with pytest.raises(TraceError, match="NaN"):
        evaluate_signals(formula, {"a": np.zeros(3), "b": np.array([0, np.nan, 1])})
    with pytest.raises(TraceError, match="all Boolean"):
        evaluate_signals(formula, {"a": np.zeros(3), "b": np.zeros(3, dtype=bool)})
    with pytest.raises(TraceError, match="all Boolean"):
        evaluate_signals(formula, {"a": np.zeros(3, dtype=int), "b": np.zeros(3, dtype=int)})
    with pytest.raises(TraceError, match="at least one step"):
        evaluate_signals(formula, {"a": np.zeros(0), "b": np.zeros(0)})
    with pytest.raises(TraceError, match="without atoms"):
        evaluate_signals(parse("true"), {})
