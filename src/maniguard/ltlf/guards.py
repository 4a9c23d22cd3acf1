"""Guards as formulas: what a letter must look like to go from one state to another."""

from __future__ import annotations

from maniguard.ltlf.dfa import Dfa
from maniguard.ltlf.diagrams import ExhaustedError, Letters, Meter, Obligations
from maniguard.ltlf.errors import BudgetError
from maniguard.ltlf.formula import show_name

Cube = tuple[tuple[int, bool], ...]
"""A conjunction of literals, as (index of the atom, sign), by index."""

MAX_CUBES = 20_000


def guards(dfa: Dfa, state: int) -> dict[int, list[Cube]]:
    """Return, for each successor of `state`, an irredundant disjunction of conjunctions that is its guard.

    The empty conjunction is `true`. Conjunctions of one guard may overlap; guards of different successors never do.

    Raises:
        BudgetError: the guards need more than `MAX_CUBES` conjunctions.
    """
    covers = _Covers(dfa)
    return {target: covers.of(state, target) for target in sorted(dfa.successors(state))}


def guard_text(dfa: Dfa, cubes: list[Cube], *, limit: int | None = None) -> str:
    """Return a guard in the syntax of formulas; with a limit, further conjunctions are shown as `…`."""
    shown = cubes if limit is None else cubes[:limit]
    terms = [
        " & ".join(("" if sign else "!") + show_name(dfa.atoms[i]) for i, sign in cube) or "true" for cube in shown
    ]
    if len(shown) < len(cubes):
        terms.append("…")
    return " | ".join(terms)


class _Covers:
    """Irredundant sums of products by the recursion of Minato and Morreale."""

    def __init__(self, dfa: Dfa) -> None:
        self.dfa = dfa
        self.letters = Letters(Obligations(Meter(50 * MAX_CUBES + 1000 * len(dfa.node_atom))))
        self.cubes_left = MAX_CUBES

    def of(self, state: int, target: int) -> list[Cube]:
        known: dict[int, int] = {}

        def convert(ref: int) -> int:
            if ref < 0:
                return ~int(~ref == target)
            found = known.get(ref)
            if found is None:
                dfa = self.dfa
                lo, hi = convert(dfa.node_lo[ref]), convert(dfa.node_hi[ref])
                found = known[ref] = self.letters.node(dfa.node_atom[ref], lo, hi)
            return found

        try:
            function = convert(self.dfa.roots[state])
            cubes, _ = self.cover(function, function)
        except (ExhaustedError, RecursionError) as error:
            limit = "depth" if isinstance(error, RecursionError) else error.limit
            message = f"the guard from state {state} to {target} is too large to be written out as conjunctions"
            raise BudgetError(message, str(self.dfa.formula), limit) from None
        return sorted(cubes, key=lambda c: (len(c), c))

    def cover(self, low: int, high: int) -> tuple[list[Cube], int]:
        """Return cubes whose disjunction lies between two functions, and that disjunction."""
        letters = self.letters
        if low == ~0:
            return [], ~0
        if high == ~1:
            self.cubes_left -= 1
            if self.cubes_left < 0:
                raise BudgetError(f"the guards need more than {MAX_CUBES} conjunctions", str(self.dfa.formula), "cubes")
            return [()], ~1
        var = min(letters.var[r] for r in (low, high) if r >= 0)
        low0, low1 = self.branches(low, var)
        high0, high1 = self.branches(high, var)
        cubes0, got0 = self.cover(letters.conj(low0, letters.negate(high1)), high0)
        cubes1, got1 = self.cover(letters.conj(low1, letters.negate(high0)), high1)
        rest0 = letters.conj(low0, letters.negate(got0))
        rest1 = letters.conj(low1, letters.negate(got1))
        both, got = self.cover(letters.disj(rest0, rest1), letters.conj(high0, high1))
        cubes = [((var, False), *c) for c in cubes0] + [((var, True), *c) for c in cubes1] + both
        return cubes, letters.node(var, letters.disj(got0, got), letters.disj(got1, got))

    def branches(self, ref: int, var: int) -> tuple[int, int]:
        if ref >= 0 and self.letters.var[ref] == var:
            return self.letters.lo[ref], self.letters.hi[ref]
        return ref, ref
