"""How far a trace is from breaking or keeping a formula, in units of each atom's scale."""

from __future__ import annotations

from collections.abc import Collection, Mapping

import numpy as np
import numpy.typing as npt

from maniguard.errors import alternatives
from maniguard.ltlf.compile import DEFAULT_BUDGET, Budget, compile_dfa
from maniguard.ltlf.dfa import Verdict
from maniguard.ltlf.errors import FormulaError, MissingAtomError, TraceError
from maniguard.ltlf.formula import Formula
from maniguard.ltlf.parser import parse
from maniguard.ltlf.positive import positive_form
from maniguard.ltlf.signals import evaluate_signals

Floats = npt.NDArray[np.float64]
_TINY = float(np.nextafter(0.0, 1.0))


def robustness(
    formula: Formula | str,
    margins: Mapping[str, npt.ArrayLike],
    *,
    scales: Mapping[str, float] | None = None,
    zero_is_false: Collection[str] = (),
) -> Floats:
    """Return the robustness of `formula` at every step, shape (…, T); that of the trace is at step 0, `[..., 0]`.

    `margins` maps each atom to its margin per step, positive where it holds, in the atom's own unit; it is divided by
    the atom's scale (default 1) to make different units comparable. Negation is the negative, `&` the minimum, `|` the
    maximum, time windows minimum and maximum over the steps that exist.

    The sign always agrees with the truth: a result is never 0, and it is positive exactly if the formula holds with
    atoms true where their margin is positive or 0 (for atoms in `zero_is_false`, only where positive). A margin of 0
    counts as the smallest number of that sign.

    Raises:
        MissingAtomError: an atom without a margin.
        TraceError: margins with NaN, of unequal shapes or without steps.
        FormulaError: a scale that is not positive and finite, or names no atom.
    """
    formula = parse(formula) if isinstance(formula, str) else formula
    _check_names(formula, scales, zero_is_false)
    signals = {}
    for name, margin in margins.items():
        array = np.asarray(margin, dtype=np.float64)
        if name in formula.atoms():
            array = _signed(array / _scale(name, scales), array, name not in zero_is_false)
        signals[name] = array
    value: Floats = evaluate_signals(formula, signals)
    return value


def _check_names(formula: Formula, scales: Mapping[str, float] | None, zero_is_false: Collection[str]) -> None:
    for name in [*(scales or {}), *zero_is_false]:
        if name not in formula.atoms():
            raise FormulaError(f"{name!r} is no atom of the formula; it has {alternatives(formula.atoms())}")


def _scale(name: str, scales: Mapping[str, float] | None) -> float:
    scale = 1.0 if scales is None else scales.get(name, 1.0)
    if not (scale > 0 and np.isfinite(scale)):
        raise FormulaError(f"the scale of {name!r} must be positive and finite, got {scale!r}")
    return scale


def _signed(value: Floats, margin: Floats, zero_is_true: bool) -> Floats:
    """Replace zeros, also those that division made of tiny margins, by the smallest numbers of the right sign."""
    truth = (margin >= 0) if zero_is_true else (margin > 0)
    return np.where(value == 0, np.where(truth, _TINY, -_TINY), value)


class RobustnessMonitor:
    """Robustness online: exact for the trace so far, with bounds on what any continuation can reach.

    It runs the automaton of the formula once for every threshold that matters: at threshold x an atom holds where its
    margin is at least x. Neighbouring thresholds in one state are one interval, so that few are alive at any time.
    """

    def __init__(
        self,
        formula: Formula | str,
        *,
        scales: Mapping[str, float] | None = None,
        zero_is_false: Collection[str] = (),
        budget: Budget = DEFAULT_BUDGET,
    ) -> None:
        self.formula = parse(formula) if isinstance(formula, str) else formula
        _check_names(self.formula, scales, zero_is_false)
        form = positive_form(self.formula)
        self._dfa = compile_dfa(form.formula, budget=budget)
        self._literals = [form.literals[name] for name in self._dfa.atoms]
        self._names = self.formula.atom_order()
        self._scales = {name: _scale(name, scales) for name in self._names}
        self._zero_is_false = frozenset(zero_is_false)
        self.reset()

    def reset(self) -> None:
        """Start again before the first step."""
        # Interval i holds the thresholds above tops[i-1] and up to tops[i].
        self._tops: list[float] = [np.inf]
        self._states: list[int] = [self._dfa.initial]

    def step(self, margins: Mapping[str, float]) -> float:
        """Take the margins of one step and return the robustness of the trace so far.

        Raises:
            MissingAtomError: an atom without a margin.
            TraceError: a margin that is NaN.
        """
        scaled: dict[str, float] = {}
        for name in self._names:
            if name not in margins:
                raise MissingAtomError(f"the step has no margin for atom {name!r}; it has {alternatives(margins)}")
            margin = float(margins[name])
            value = margin / self._scales[name]
            if value != value:
                raise TraceError(f"the margin of {name!r} is NaN")
            if value == 0:
                holds = margin > 0 or (margin == 0 and name not in self._zero_is_false)
                value = _TINY if holds else -_TINY
            scaled[name] = value
        values = [scaled[x.name] if x.positive else -scaled[x.name] for x in self._literals]
        tops, states = self._tops, self._states
        new_tops: list[float] = []
        new_states: list[int] = []
        i = 0
        for top in sorted({*tops, *values}):
            while tops[i] < top:
                i += 1
            word = 0
            for bit, value in enumerate(values):
                word |= (value >= top) << bit
            state = self._dfa.step_packed(states[i], word)
            if new_states and new_states[-1] == state:
                new_tops[-1] = top
            else:
                new_tops.append(top)
                new_states.append(state)
        self._tops, self._states = new_tops, new_states
        return self.value

    def _highest(self, verdicts: Collection[Verdict]) -> float:
        best = -np.inf
        for top, state in zip(self._tops, self._states, strict=True):
            if self._dfa.verdict(state) in verdicts:
                best = top
        return best

    @property
    def value(self) -> float:
        """The robustness of the trace so far (of the empty trace before the first step: +inf or -inf)."""
        return self._highest((Verdict.PERM_SAT, Verdict.CURR_SAT))

    @property
    def low(self) -> float:
        """The robustness that no continuation can go below."""
        return self._highest((Verdict.PERM_SAT,))

    @property
    def high(self) -> float:
        """The robustness that no continuation can exceed."""
        return self._highest((Verdict.PERM_SAT, Verdict.CURR_SAT, Verdict.CURR_VIOL))
