"""One formula watched step by step."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import Literal

from maniguard.ltlf.badprefix import compile_bad_prefix
from maniguard.ltlf.compile import DEFAULT_BUDGET, Budget, compile_dfa
from maniguard.ltlf.dfa import Dfa, Verdict
from maniguard.ltlf.errors import FormulaError
from maniguard.ltlf.formula import Formula
from maniguard.ltlf.parser import parse

Reading = Literal["ltlf", "badprefix"]


class Final(Enum):
    """How a finished trace is judged: an obligation that was cut off is inconclusive, not violated."""

    SATISFIED = "satisfied"
    VIOLATED = "violated"
    INCONCLUSIVE = "inconclusive"

    __hash__ = object.__hash__

    @classmethod
    def of(cls, verdict: Verdict) -> Final:
        """Return what a trace is that ends with `verdict`."""
        if verdict.is_satisfied:
            return cls.SATISFIED
        return cls.VIOLATED if verdict is Verdict.PERM_VIOL else cls.INCONCLUSIVE


class Monitor:
    """Watches one formula.

    With reading `ltlf` the four verdicts are those of the formula on the finite trace. With `badprefix` the formula is
    read over endless behaviour: only what no continuation can mend is a violation, so the verdict is PERM_VIOL from the
    first bad prefix on and never CURR_VIOL.
    """

    def __init__(
        self,
        formula: Formula | str,
        *,
        reading: Reading = "ltlf",
        budget: Budget = DEFAULT_BUDGET,
        dfa: Dfa | None = None,
    ) -> None:
        self.formula = parse(formula) if isinstance(formula, str) else formula
        if reading not in ("ltlf", "badprefix"):
            raise FormulaError(f"no reading {reading!r}; there are badprefix, ltlf")
        self.reading = reading
        if dfa is None:
            build = compile_dfa if reading == "ltlf" else compile_bad_prefix
            dfa = build(self.formula, budget=budget)
        self.dfa = dfa
        self.state = dfa.initial
        self._step = dfa.step

    def step(self, letter: Mapping[str, bool]) -> Verdict:
        """Take one letter and return the verdict after it.

        Raises:
            MissingAtomError: the letter lacks an atom of the formula.
        """
        self.state = state = self._step(self.state, letter)
        return self.dfa.verdict(state)

    @property
    def verdict(self) -> Verdict:
        """The verdict on the steps so far (on the empty trace before the first)."""
        return self.dfa.verdict(self.state)

    @property
    def is_rejecting(self) -> bool:
        """Whether the formula is violated for good."""
        return self.verdict is Verdict.PERM_VIOL

    @property
    def distance_to_doom(self) -> int | None:
        """The least number of further letters after which the verdict can be PERM_VIOL, None if it never can."""
        return self.dfa.distance_to_doom[self.state]

    def finish(self) -> Final:
        """Judge the trace as ended here; the monitor may still be stepped on.

        SATISFIED: the trace satisfies the formula. VIOLATED: no continuation could have. INCONCLUSIVE: something was
        still owed that a longer trace could have delivered.
        """
        return Final.of(self.verdict)

    def reset(self) -> None:
        """Start again before the first step."""
        self.state = self.dfa.initial
