"""A monitor without an automaton, for formulas whose automaton is too large to be built."""

from __future__ import annotations

from collections.abc import Mapping

from maniguard.errors import alternatives
from maniguard.ltlf.badprefix import bad_prefix_view
from maniguard.ltlf.derive import Derivation
from maniguard.ltlf.dfa import Verdict
from maniguard.ltlf.diagrams import ExhaustedError, Meter
from maniguard.ltlf.errors import FormulaError, MissingAtomError, TraceError, over_budget, stack_limit
from maniguard.ltlf.formula import Formula
from maniguard.ltlf.monitor import Final, Reading
from maniguard.ltlf.parser import parse
from maniguard.ltlf.project import is_mixed

_OPERATIONS_PER_STEP = 500_000
_NODES_KEPT = 200_000


class ProgressionMonitor:
    """Watches a formula by deriving it step by step: only the states that the trace visits are ever made.

    `G(hit -> F[40,80] back)` has more than 2**40 states, but what is owed at any one time is a small diagram. Whether
    the trace so far satisfies the formula is exact. The permanent verdicts are never wrong, but can come late, or not
    at all, where parts of the formula contradict each other (`F a & G !a`): knowing better needs the automaton. Prefer
    `Monitor` where it compiles; a step here takes tenths of a millisecond, not of a microsecond.

    Raises:
        FormulaError: a past operator over a future one; only the automaton can decide it. Or nesting too deep for what
            the caller left of the stack.
    """

    def __init__(self, formula: Formula | str, *, reading: Reading = "ltlf") -> None:
        self.formula = parse(formula) if isinstance(formula, str) else formula
        if reading not in ("ltlf", "badprefix"):
            raise FormulaError(f"no reading {reading!r}; there are badprefix, ltlf")
        if is_mixed(self.formula):
            raise FormulaError("a past operator over a future one cannot be watched without an automaton")
        self.reading = reading
        self._atoms = self.formula.atom_order()
        self._watched = self.formula if reading == "ltlf" else bad_prefix_view(self.formula)
        self.reset()

    def reset(self) -> None:
        """Start again before the first step."""
        try:
            self._derivation = self._fresh()
            self._owed, self._memory = self._derivation.start()
        except (ExhaustedError, RecursionError) as error:
            limit = "depth" if isinstance(error, RecursionError) else error.limit
            raise over_budget("this formula is too large to be watched:", str(self.formula), limit) from None

    def _fresh(self) -> Derivation:
        with stack_limit():
            index = {name: i for i, name in enumerate(self._atoms)}
            return Derivation(self._watched, index, Meter(_OPERATIONS_PER_STEP), 1)

    def step(self, letter: Mapping[str, bool]) -> Verdict:
        """Take one letter and return the verdict after it.

        Raises:
            MissingAtomError: the letter lacks an atom of the formula.
            TraceError: a value that is neither true nor false.
            BudgetError: what is owed has become too large to be derived in one step.
        """
        values = []
        for name in self._atoms:
            if name not in letter:
                raise MissingAtomError(f"the letter has no atom {name!r}; it has {alternatives(map(str, letter))}")
            value = letter[name]
            if value not in (0, 1):
                raise TraceError(f"atom {name!r} must be true or false, got {value!r}")
            values.append(bool(value))
        derivation = self._derivation
        derivation.meter.left = _OPERATIONS_PER_STEP
        try:
            self._owed, self._memory = derivation.follow(self._owed, self._memory, values)
        except (ExhaustedError, RecursionError):
            culprit = str(derivation.culprit())
            message = "what is owed is too large to be derived in one step; the part that makes it grow is"
            raise over_budget(message, culprit, "operations") from None
        if derivation.kept_nodes > _NODES_KEPT:
            # Everything but the current state is only a cache.
            fresh = self._fresh()
            self._owed, self._memory = fresh.adopt(derivation, self._owed, self._memory)
            self._derivation = fresh
        return self.verdict

    @property
    def verdict(self) -> Verdict:
        """The verdict on the steps so far."""
        if self._owed < 2:
            return Verdict.PERM_SAT if self._owed else Verdict.PERM_VIOL
        if self.reading == "badprefix" or self._derivation.accepts(self._owed):
            return Verdict.CURR_SAT
        return Verdict.CURR_VIOL

    @property
    def is_rejecting(self) -> bool:
        """Whether the formula is known to be violated for good."""
        return self._owed == 0

    def finish(self) -> Final:
        """Judge the trace as ended here; see `Monitor.finish`."""
        return Final.of(self.verdict)
