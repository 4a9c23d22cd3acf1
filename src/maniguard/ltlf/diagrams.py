"""Shared decision diagrams: obligations (what the rest of a trace owes) and letters to obligations."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from maniguard.ltlf.errors import LtlfError

FAMILY_BITS = 21
_MID = 1 << (FAMILY_BITS - 1)
_LAST_LEVEL = 1 << 62


class ExhaustedError(LtlfError):
    """The meter ran out; the compiler turns this into a `BudgetError` with a culprit."""

    def __init__(self, limit: str) -> None:
        super().__init__(limit)
        self.limit = limit


class Meter:
    """Counts the operations of one compilation, in place of seconds: limits must not depend on the machine."""

    __slots__ = ("left",)

    def __init__(self, operations: int) -> None:
        self.left = operations

    def spend(self, amount: int = 1) -> None:
        """Take `amount` operations; raise `ExhaustedError` when there are none left."""
        self.left -= amount
        if self.left < 0:
            raise ExhaustedError("operations")


def level_of(family: int, rank: int) -> int:
    """Return the order key of a variable; within a family, higher ranks come first."""
    return family << FAMILY_BITS | (_MID - rank)


def leaves_below(roots: Iterable[int], lo: Sequence[int], hi: Sequence[int]) -> tuple[int, ...]:
    """Return the distinct leaf values that some letter leads to from `roots`, false branches first."""
    found: dict[int, None] = {}
    seen: set[int] = set()
    stack = list(roots)
    while stack:
        ref = stack.pop()
        if ref in seen:
            continue
        seen.add(ref)
        if ref < 0:
            found[~ref] = None
        else:
            stack += (hi[ref], lo[ref])
    return tuple(found)


class Obligations:
    """Canonical diagrams of monotone Boolean functions over obligation variables.

    Variables of one family form a chain: a variable of lower rank implies every one of higher rank, as "within 3
    steps" implies "within 5". A node tests whether its variable holds; under `lo` the whole rest of the chain is false
    and never tested again. With that, a conjunction or disjunction within a chain is a single node, and the pending
    copies of a bounded operator stay linear in the bound instead of exponential.

    Diagrams are integers; 0 is false, 1 is true.
    """

    def __init__(self, meter: Meter) -> None:
        self.meter = meter
        self.level = [_LAST_LEVEL, _LAST_LEVEL]
        self.hi = [0, 1]
        self.lo = [0, 1]
        self._unique: dict[tuple[int, int, int], int] = {}
        self._conj: dict[tuple[int, int], int] = {}
        self._disj: dict[tuple[int, int], int] = {}

    def node(self, level: int, hi: int, lo: int) -> int:
        """Return the diagram "if the variable at `level` then `hi` else `lo`"."""
        if hi == lo:
            return lo
        # Inside a chain the test is idle when just below it the function already has the value `lo`.
        below = hi
        if self.level[hi] >> FAMILY_BITS == level >> FAMILY_BITS:
            below = self.lo[hi]
        if below == lo:
            return hi
        key = (level, hi, lo)
        found = self._unique.get(key)
        if found is None:
            self.meter.spend()
            found = self._unique[key] = len(self.level)
            self.level.append(level)
            self.hi.append(hi)
            self.lo.append(lo)
        return found

    def _cofactors(self, a: int, top: int) -> tuple[int, int]:
        level = self.level[a]
        if level == top:
            return self.hi[a], self.lo[a]
        if level >> FAMILY_BITS == top >> FAMILY_BITS:
            return a, self.lo[a]
        return a, a

    def conj(self, a: int, b: int) -> int:
        """Return a & b."""
        if a > b:
            a, b = b, a
        if a == b or a == 0:
            return a
        if a == 1:
            return b
        key = (a, b)
        found = self._conj.get(key)
        if found is None:
            self.meter.spend()
            top = min(self.level[a], self.level[b])
            a1, a0 = self._cofactors(a, top)
            b1, b0 = self._cofactors(b, top)
            found = self._conj[key] = self.node(top, self.conj(a1, b1), self.conj(a0, b0))
        return found

    def disj(self, a: int, b: int) -> int:
        """Return a | b."""
        if a > b:
            a, b = b, a
        if a == b or a == 1:
            return a
        if a == 0:
            return b
        key = (a, b)
        found = self._disj.get(key)
        if found is None:
            self.meter.spend()
            top = min(self.level[a], self.level[b])
            a1, a0 = self._cofactors(a, top)
            b1, b0 = self._cofactors(b, top)
            found = self._disj[key] = self.node(top, self.disj(a1, b1), self.disj(a0, b0))
        return found


class Letters:
    """Diagrams over the atoms whose leaves are obligations: one step of a derivative.

    A diagram is an integer: `~o` for the leaf with obligation `o`, else the index of a node that tests atom `var`.
    """

    def __init__(self, obligations: Obligations) -> None:
        self.obligations = obligations
        self.meter = obligations.meter
        self.var: list[int] = []
        self.lo: list[int] = []
        self.hi: list[int] = []
        self._unique: dict[tuple[int, int, int], int] = {}
        self._conj: dict[tuple[int, int], int] = {}
        self._disj: dict[tuple[int, int], int] = {}
        self._negated: dict[int, int] = {}
        self._chosen: dict[tuple[int, int, int], int] = {}
        self._extended: dict[tuple[int, int], int] = {}
        self._tuples: dict[tuple[int, ...], int] = {}
        self.tuples: list[tuple[int, ...]] = []

    def node(self, var: int, lo: int, hi: int) -> int:
        """Return the diagram "if the atom `var` then `hi` else `lo`"."""
        if lo == hi:
            return lo
        key = (var, lo, hi)
        found = self._unique.get(key)
        if found is None:
            self.meter.spend()
            found = self._unique[key] = len(self.var)
            self.var.append(var)
            self.lo.append(lo)
            self.hi.append(hi)
        return found

    def conj(self, a: int, b: int) -> int:
        """Return the diagram of the conjunction, leaf by leaf."""
        if a == b or b == -2 or a == -1:
            return a
        if a == -2 or b == -1:
            return b
        if a < 0 and b < 0:
            return ~self.obligations.conj(~a, ~b)
        key = (a, b) if a < b else (b, a)
        found = self._conj.get(key)
        if found is None:
            self.meter.spend()
            var, a0, a1, b0, b1 = self._split(a, b)
            found = self._conj[key] = self.node(var, self.conj(a0, b0), self.conj(a1, b1))
        return found

    def disj(self, a: int, b: int) -> int:
        """Return the diagram of the disjunction, leaf by leaf."""
        if a == b or b == -1 or a == -2:
            return a
        if a == -1 or b == -2:
            return b
        if a < 0 and b < 0:
            return ~self.obligations.disj(~a, ~b)
        key = (a, b) if a < b else (b, a)
        found = self._disj.get(key)
        if found is None:
            self.meter.spend()
            var, a0, a1, b0, b1 = self._split(a, b)
            found = self._disj[key] = self.node(var, self.disj(a0, b0), self.disj(a1, b1))
        return found

    def _split(self, a: int, b: int) -> tuple[int, int, int, int, int]:
        if b < 0 or (a >= 0 and self.var[a] < self.var[b]):
            return self.var[a], self.lo[a], self.hi[a], b, b
        if a < 0 or self.var[b] < self.var[a]:
            return self.var[b], a, a, self.lo[b], self.hi[b]
        return self.var[a], self.lo[a], self.hi[a], self.lo[b], self.hi[b]

    def negate(self, a: int) -> int:
        """Return the negation of a diagram whose leaves are 0 and 1."""
        if a < 0:
            return ~(1 - ~a)
        found = self._negated.get(a)
        if found is None:
            self.meter.spend()
            found = self._negated[a] = self.node(self.var[a], self.negate(self.lo[a]), self.negate(self.hi[a]))
        return found

    def choose(self, test: int, then: int, other: int) -> int:
        """Return "if `test` then `then` else `other`"; `test` has leaves 0 and 1."""
        if test < 0:
            return then if test == -2 else other
        if then == other:
            return then
        key = (test, then, other)
        found = self._chosen.get(key)
        if found is None:
            self.meter.spend()
            var = min(self.var[ref] for ref in key if ref >= 0)
            lo, hi = zip(
                *((self.lo[r], self.hi[r]) if r >= 0 and self.var[r] == var else (r, r) for r in key), strict=True
            )
            found = self._chosen[key] = self.node(var, self.choose(*lo), self.choose(*hi))
        return found

    def tuple_id(self, values: tuple[int, ...]) -> int:
        """Return the leaf value that stands for a tuple."""
        found = self._tuples.get(values)
        if found is None:
            self.meter.spend(1 + len(values) // 8)
            found = self._tuples[values] = len(self.tuples)
            self.tuples.append(values)
        return found

    def extend(self, a: int, b: int) -> int:
        """Return the diagram whose leaves are the tuples of `a` with the leaf value of `b` appended."""
        if a < 0 and b < 0:
            return ~self.tuple_id((*self.tuples[~a], ~b))
        key = (a, b)
        found = self._extended.get(key)
        if found is None:
            self.meter.spend()
            var, a0, a1, b0, b1 = self._split(a, b)
            found = self._extended[key] = self.node(var, self.extend(a0, b0), self.extend(a1, b1))
        return found

    def relabel(self, a: int, label: Callable[[tuple[int, ...]], int]) -> int:
        """Return the diagram with each tuple leaf replaced by its label."""
        known: dict[int, int] = {}

        def walk(ref: int) -> int:
            found = known.get(ref)
            if found is None:
                if ref < 0:
                    found = ~label(self.tuples[~ref])
                else:
                    found = self.node(self.var[ref], walk(self.lo[ref]), walk(self.hi[ref]))
                known[ref] = found
            return found

        return walk(a)

    def pair(self, a: int, b: int) -> int:
        """Return the diagram whose leaves are pairs of leaf values, as tuples."""
        return self.extend(self.extend(~self.tuple_id(()), a), b)

    def leaf_at(self, a: int, values: list[bool]) -> int:
        """Return the leaf value for one letter, given by the values of the atoms."""
        while a >= 0:
            a = self.hi[a] if values[self.var[a]] else self.lo[a]
        return ~a

    def leaves(self, a: int) -> tuple[int, ...]:
        """Return the distinct leaf values, in the order in which they are met, false branches first."""
        return leaves_below((a,), self.lo, self.hi)
