"""Negation normal form over few operators, shared: what the derivative construction works on."""

from __future__ import annotations

from enum import IntEnum
from typing import NamedTuple

from maniguard.ltlf.errors import FormulaError
from maniguard.ltlf.formula import PAST, Formula, Op


class Kind(IntEnum):
    """The operators of the core."""

    FALSE = 0
    TRUE = 1
    LITERAL = 2
    AND = 3
    OR = 4
    STRONG_NEXT = 5
    WEAK_NEXT = 6
    UNTIL = 7
    RELEASE = 8
    LAST = 9
    NOT_LAST = 10
    PAST = 11


UNBOUNDED = -1


class Core(NamedTuple):
    """One core formula. `left` and `right` are indices of operands.

    For a literal, `left` is the atom's index and `right` its sign (0 or 1); for a past literal `left` is the index of a
    pure-past formula. A bound is `lo`, `hi` in steps with `hi` -1 for unbounded.
    """

    kind: Kind
    left: int = 0
    right: int = 0
    lo: int = 0
    hi: int = UNBOUNDED
    parts: tuple[int, ...] = ()


class CoreTable:
    """Core formulas by index; equal ones have one index. Index 0 is false and 1 is true."""

    def __init__(self, atom_index: dict[str, int]) -> None:
        self.atom_index = atom_index
        self.items: list[Core] = []
        self.on_nothing: list[bool] = []
        self.origin: list[Formula | None] = []
        self.past: list[Formula] = []
        self._index: dict[Core, int] = {}
        self._past_index: dict[Formula, int] = {}
        self._of: dict[tuple[Formula, bool], int] = {}
        self.bounded: set[tuple[Kind, int, int]] = set()
        self.add(Core(Kind.FALSE), None)
        self.add(Core(Kind.TRUE), None)

    def add(self, core: Core, origin: Formula | None) -> int:
        """Return the index of `core`; `origin` is the formula that it came from, for error messages."""
        found = self._index.get(core)
        if found is None:
            found = self._index[core] = len(self.items)
            self.items.append(core)
            self.on_nothing.append(self._on_nothing(core))
            self.origin.append(origin)
            if core.hi != UNBOUNDED:
                self.bounded.add((core.kind, core.left, core.right))
        return found

    def _on_nothing(self, core: Core) -> bool:
        """Say whether the empty trace satisfies a core formula whose parts are known."""
        kind = core.kind
        if kind is Kind.AND or kind is Kind.OR:
            return (all if kind is Kind.AND else any)(self.on_nothing[part] for part in core.parts)
        if kind is Kind.LITERAL:
            return not core.right
        if kind is Kind.PAST:
            return (self.past[core.left].op in (Op.WEAK_YESTERDAY, Op.HISTORICALLY)) == bool(core.right)
        return kind in (Kind.TRUE, Kind.WEAK_NEXT, Kind.RELEASE, Kind.NOT_LAST)

    def join(self, kind: Kind, parts: list[int], origin: Formula | None) -> int:
        """Return the conjunction or disjunction of `parts`."""
        unit, zero = (1, 0) if kind is Kind.AND else (0, 1)
        flat: dict[int, None] = {}
        for part in parts:
            item = self.items[part]
            for p in item.parts if item.kind is kind else (part,):
                if p != unit:
                    flat[p] = None
        if zero in flat:
            return zero
        if len(flat) < 2:
            return next(iter(flat), unit)
        return self.add(Core(kind, parts=tuple(flat)), origin)

    def until(self, left: int, right: int, lo: int, hi: int, origin: Formula | None) -> int:
        """Return `left U[lo,hi] right`."""
        if right == 0:
            return right
        if right == 1 and lo == 0:
            # Reaching `true` needs a position, which every letter provides; only the empty trace tells them apart.
            return self.add(Core(Kind.UNTIL, 1, 1), origin)
        return self.add(Core(Kind.UNTIL, left, right, lo, hi), origin)

    def release(self, left: int, right: int, lo: int, hi: int, origin: Formula | None) -> int:
        """Return `left R[lo,hi] right`."""
        if right == 1:
            return right
        if right == 0 and lo == 0:
            return self.add(Core(Kind.RELEASE, 0, 0), origin)
        return self.add(Core(Kind.RELEASE, left, right, lo, hi), origin)

    def of(self, f: Formula, positive: bool = True) -> int:
        """Return the index of `f`, or of its negation."""
        key = (f, positive)
        found = self._of.get(key)
        if found is None:
            found = self._of[key] = self._convert(f, positive)
        return found

    def _convert(self, f: Formula, positive: bool) -> int:
        op, args = f.op, f.args
        if f.is_past and not f.is_future and op not in (Op.AND, Op.OR, Op.NOT, Op.IMPLIES, Op.XOR, Op.IFF):
            return self.add(Core(Kind.PAST, self._past(f), int(positive)), f)
        if op is Op.TRUE or op is Op.FALSE:
            return int((op is Op.TRUE) == positive)
        if op is Op.ATOM:
            return self.add(Core(Kind.LITERAL, self.atom_index[f.name], int(positive)), f)
        if op is Op.LAST:
            return self.add(Core(Kind.LAST if positive else Kind.NOT_LAST), f)
        if op is Op.NOT:
            return self.of(args[0], not positive)
        if op is Op.AND or op is Op.OR:
            kind = Kind.AND if (op is Op.AND) == positive else Kind.OR
            return self.join(kind, [self.of(a, positive) for a in args], f)
        if op is Op.IMPLIES:
            kind = Kind.OR if positive else Kind.AND
            return self.join(kind, [self.of(args[0], not positive), self.of(args[1], positive)], f)
        if op is Op.IFF or op is Op.XOR:
            same = (op is Op.IFF) == positive
            a, b = args
            both = self.join(Kind.AND, [self.of(a), self.of(b, same)], f)
            none = self.join(Kind.AND, [self.of(a, False), self.of(b, not same)], f)
            return self.join(Kind.OR, [both, none], f)
        if op is Op.NEXT or op is Op.WEAK_NEXT:
            kind = Kind.STRONG_NEXT if (op is Op.NEXT) == positive else Kind.WEAK_NEXT
            return self.add(Core(kind, self.of(args[0], positive)), f)
        return self._temporal(f, positive)

    def _temporal(self, f: Formula, positive: bool) -> int:
        op, lo, hi = f.op, f.lo, UNBOUNDED if f.hi is None else f.hi
        if op in PAST:
            raise FormulaError(f"{f}: a past operator over a future one must be separated before it is compiled")
        if op is Op.EVENTUALLY or op is Op.ALWAYS:
            inner = self.of(f.args[0], positive)
            if (op is Op.EVENTUALLY) == positive:
                return self.until(1, inner, lo, hi, f)
            return self.release(0, inner, lo, hi, f)
        left, right = f.args
        if op is Op.UNTIL or op is Op.RELEASE:
            build = self.until if (op is Op.UNTIL) == positive else self.release
            return build(self.of(left, positive), self.of(right, positive), lo, hi, f)
        # What is left is W and M, each the dual of the other.
        a, b = self.of(left, positive), self.of(right, positive)
        if (op is Op.WEAK_UNTIL) == positive:
            if lo == 0:
                # p W q is q R (p | q), bounded alike.
                return self.release(b, self.join(Kind.OR, [a, b], f), 0, hi, f)
            return self.join(Kind.OR, [self.until(a, b, lo, hi, f), self.release(0, a, 0, hi, f)], f)
        if lo == 0:
            # p M q is q U (p & q), bounded alike.
            return self.until(b, self.join(Kind.AND, [a, b], f), 0, hi, f)
        return self.join(Kind.AND, [self.release(a, b, lo, hi, f), self.until(1, a, 0, hi, f)], f)

    def _past(self, f: Formula) -> int:
        found = self._past_index.get(f)
        if found is None:
            found = self._past_index[f] = len(self.past)
            self.past.append(f)
        return found
