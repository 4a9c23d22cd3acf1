from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from maniguard.ltlf import FormulaError, MissingAtomError, TraceError, evaluate, parse
from maniguard.ltlf.positive import positive_form
from maniguard.ltlf.robustness import RobustnessMonitor, robustness

from .helpers import any_formulas, future_formulas, mixed_formulas

MARGINS = st.integers(1, 8).flatmap(
    lambda n: st.lists(
        st.tuples(*[st.sampled_from([-2.0, -1.0, -0.5, -0.0, 0.0, 0.25, 1.0, 3.0, 1e-320])] * 2), min_size=n, max_size=n
    )
)
SETTINGS = settings(deadline=None, max_examples=150)


@SETTINGS
@given(any_formulas(), MARGINS, st.sampled_from([(), ("a",)]), st.sampled_from([1.0, 1e10]))
def test_the_sign_is_the_truth(formula, rows, strict, scale: float) -> None:
    strict = tuple(n for n in strict if n in formula.atoms())
    scales = {n: scale for n in formula.atoms()}
    margins = {"a": [r[0] for r in rows], "b": [r[1] for r in rows]}
    values = robustness(formula, margins, scales=scales, zero_is_false=strict)
    trace = [{"a": a > 0 or (a == 0 and "a" not in strict), "b": b >= 0} for a, b in rows]
    assert (values != 0).all()
    assert (values > 0).tolist() == [evaluate(formula, trace, i) for i in range(len(rows))]


@SETTINGS
@given(st.one_of(future_formulas(size=5), mixed_formulas()), MARGINS)
def test_online_is_offline_of_every_prefix(formula, rows) -> None:
    monitor = RobustnessMonitor(formula)
    bounds = []
    for t, (a, b) in enumerate(rows):
        value = monitor.step({"a": a, "b": b})
        prefix = {"a": [r[0] for r in rows[: t + 1]], "b": [r[1] for r in rows[: t + 1]]}
        assert value == robustness(formula, prefix)[0]
        bounds.append((monitor.low, monitor.high))
        assert monitor.low <= value <= monitor.high
    # Bounds only ever tighten, and hold for what comes later.
    lows, highs = zip(*bounds, strict=True)
    assert list(lows) == sorted(lows)
    assert list(highs) == sorted(highs, reverse=True)
    assert lows[0] <= monitor.value <= highs[0]


@SETTINGS
@given(any_formulas(), st.floats(0.01, 3), st.integers(0, 2**32 - 1))
def test_a_change_smaller_than_the_robustness_keeps_the_verdict(formula, change: float, seed: int) -> None:
    rng = np.random.default_rng(seed)
    margins = {n: rng.normal(size=5) for n in "ab"}
    moved = {n: m + rng.uniform(-change, change, size=5) for n, m in margins.items()}
    before, after = robustness(formula, margins)[0], robustness(formula, moved)[0]
    if abs(before) > change:
        assert (before > 0) == (after > 0)
    if np.isfinite(before):
        assert abs(before - after) <= change + 1e-12


@given(any_formulas())
def test_the_positive_form_means_the_same_when_its_atoms_mean_their_literals(formula) -> None:
    form = positive_form(formula)
    rng = np.random.default_rng(0)
    for _ in range(5):
        trace = [{n: bool(rng.random() < 0.5) for n in "ab"} for _ in range(4)]
        doubled = [{x: letter[lit.name] == lit.positive for x, lit in form.literals.items()} for letter in trace]
        assert evaluate(form.formula, doubled) == evaluate(formula, trace)


def test_scales_make_units_comparable() -> None:
    margins = {"clearance": [0.02, 0.005], "angle": [20.0, 30.0]}
    value = robustness("G(clearance & angle)", margins, scales={"clearance": 0.01, "angle": 10.0})
    assert value.tolist() == [0.5, 0.5]
    batch = robustness("F a", {"a": np.array([[1.0, 2.0], [-3.0, -1.0]])})
    assert batch[:, 0].tolist() == [2.0, -1.0]


def test_a_deadline_is_counted_in_margins() -> None:
    monitor = RobustnessMonitor("G(hit -> F[0,2] back)")
    seen = [(monitor.step({"hit": h, "back": b}), monitor.high) for h, b in [(-1, -5), (2, -3), (-1, -4), (-1, -0.5)]]
    # While the window is open a good margin could still come; when it closes, the best margin in it was -0.5.
    inf = float("inf")
    assert seen == [(1.0, inf), (-2.0, inf), (-2.0, 1.0), (-0.5, -0.5)]


def test_mistakes_are_errors() -> None:
    with pytest.raises(MissingAtomError, match="no margin for atom 'b'"):
        RobustnessMonitor("a U b").step({"a": 1.0})
    with pytest.raises(TraceError, match="NaN"):
        RobustnessMonitor("a").step({"a": float("nan")})
    with pytest.raises(TraceError, match="NaN"):
        robustness("a", {"a": [0.0, float("nan")]})
    with pytest.raises(FormulaError, match="'c' is no atom"):
        RobustnessMonitor("a", scales={"c": 1.0})
    with pytest.raises(FormulaError, match="positive and finite"):
        robustness(parse("a"), {"a": [1.0]}, scales={"a": 0.0})
    with pytest.raises(MissingAtomError):
        robustness("a & b", {"a": [1.0]})
