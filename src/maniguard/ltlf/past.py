"""Memory for past operators: what a monitor must remember of the steps it has seen."""

from __future__ import annotations

from typing import NamedTuple

from maniguard.ltlf.diagrams import Letters
from maniguard.ltlf.formula import MAX_BOUND, TRUE, Formula, Op, conj, make, negate


class _Cell(NamedTuple):
    """One remembered value.

    With `left` None it is a queue: the truth of `right` on the last `limit` steps, the latest in the lowest bit. Else
    it is the age of the latest `right` since which `left` has held, capped at `limit` + 1, which means "none".
    """

    left: Formula | None
    right: Formula
    limit: int
    start: int


class Memory:
    """The cells of a set of pure-past formulas, and how a letter changes them.

    A memory is an integer that stands for one assignment of the cells.
    """

    def __init__(self, formulas: list[Formula], atom_index: dict[str, int], letters: Letters) -> None:
        self._letters = letters
        self._atom_index = atom_index
        self._cell_of: dict[_Cell, int] = {}
        self.cells: list[_Cell] = []
        self._plain_of: dict[Formula, Formula] = {}
        self._plain = [self._plainly(f) for f in formulas]
        for f in self._plain:
            self._register(f)
        start = tuple(cell.start for cell in self.cells)
        self._assignments = [start]
        self._index = {start: 0}
        self.initial = 0
        self._values: dict[tuple[Formula, int], int] = {}
        self._steps: dict[int, int] = {}

    def value(self, index: int, memory: int) -> int:
        """Return the diagram of past formula `index` at a step that is reached with `memory`; leaves are 0 and 1."""
        return self._value(self._plain[index], memory)

    def step(self, memory: int) -> int:
        """Return the diagram from a letter to the memory after it."""
        found = self._steps.get(memory)
        if found is None:
            letters = self._letters
            cells = self._assignments[memory]
            joint = ~letters.tuple_id(())
            for cell, now in zip(self.cells, cells, strict=True):
                joint = letters.extend(joint, self._next_cell(cell, now, memory))
            found = self._steps[memory] = letters.relabel(joint, self._memory_of)
        return found

    def adopt(self, other: Memory, memory: int) -> int:
        """Return a memory of another set of the same cells as one of this."""
        return self._memory_of(other._assignments[memory])

    def _memory_of(self, cells: tuple[int, ...]) -> int:
        found = self._index.get(cells)
        if found is None:
            found = self._index[cells] = len(self._assignments)
            self._assignments.append(cells)
        return found

    def _next_cell(self, cell: _Cell, now: int, memory: int) -> int:
        right = self._value(cell.right, memory)
        if cell.left is None:
            older = now << 1 & (1 << cell.limit) - 1
            # A long queue is more than a number to store.
            self._letters.meter.spend(cell.limit >> 9)
            return self._letters.choose(right, ~(older | 1), ~older)
        none = cell.limit + 1
        older = now if cell.limit == 0 else min(now + 1, none)
        keep = self._letters.choose(self._value(cell.left, memory), ~older, ~none)
        return self._letters.choose(right, ~0, keep)

    def _value(self, f: Formula, memory: int) -> int:
        key = (f, memory)
        found = self._values.get(key)
        if found is None:
            self._letters.meter.spend()
            found = self._values[key] = self._define(f, memory)
        return found

    def _define(self, f: Formula, memory: int) -> int:
        letters, op = self._letters, f.op
        if op is Op.TRUE or op is Op.FALSE:
            return ~int(op is Op.TRUE)
        if op is Op.ATOM:
            return letters.node(self._atom_index[f.name], ~0, ~1)
        if op is Op.NOT:
            return letters.negate(self._value(f.args[0], memory))
        if op is Op.AND or op is Op.OR:
            join = letters.conj if op is Op.AND else letters.disj
            result = ~int(op is Op.AND)
            for a in f.args:
                result = join(result, self._value(a, memory))
            return result
        cell = self._cell(f)
        now = self._assignments[memory][self._cell_of[cell]]
        if cell.left is None:
            return ~(now >> cell.limit - 1 & 1)
        # An unbounded cell is 0 (holding) or 1 (not); a bounded one counts, and must not outgrow its limit.
        alive = now == 0 if cell.limit == 0 else now + 1 <= cell.limit
        keep = letters.conj(self._value(cell.left, memory), ~int(alive))
        return letters.disj(self._value(cell.right, memory), keep)

    def _cell(self, f: Formula) -> _Cell:
        if f.op is Op.YESTERDAY or f.op is Op.WEAK_YESTERDAY:
            return _Cell(None, f.args[0], 1, int(f.op is Op.WEAK_YESTERDAY))
        if f.op is Op.ONCE:
            return _Cell(None, f.args[0], f.lo, 0)
        limit = f.hi or 0
        return _Cell(f.args[0], f.args[1], limit, limit + 1)

    def _register(self, f: Formula) -> None:
        for part in f.walk():
            if part.op in (Op.YESTERDAY, Op.WEAK_YESTERDAY, Op.ONCE, Op.SINCE):
                cell = self._cell(part)
                if cell not in self._cell_of:
                    self._cell_of[cell] = len(self.cells)
                    self.cells.append(cell)

    def _plainly(self, f: Formula) -> Formula:
        """Rewrite to constants, atoms, `! & |`, `Y`, `Z`, `S[0,k]` with k unbounded or at least 1, and `O[k,k]`."""
        found = self._plain_of.get(f)
        if found is None:
            found = self._plain_of[f] = self._rewrite(f)
        return found

    def _rewrite(self, f: Formula) -> Formula:
        op = f.op
        if not f.args:
            return f
        args = tuple(self._plainly(a) for a in f.args)
        if op is Op.NOT:
            return negate(args[0])
        if op is Op.AND or op is Op.OR:
            return make(op, args)
        if op is Op.IMPLIES:
            return make(Op.OR, (negate(args[0]), args[1]))
        if op is Op.IFF or op is Op.XOR:
            a, b = args
            other = b if op is Op.IFF else negate(b)
            return make(Op.OR, (make(Op.AND, (a, other)), make(Op.AND, (negate(a), negate(other)))))
        if op is Op.YESTERDAY:
            return _ago(args[0], 1)
        if op is Op.WEAK_YESTERDAY:
            return make(op, args)
        if op is Op.ONCE:
            return self._since(TRUE, args[0], f)
        if op is Op.HISTORICALLY:
            return negate(self._since(TRUE, negate(args[0]), f))
        return self._since(args[0], args[1], f)

    def _since(self, left: Formula, right: Formula, f: Formula) -> Formula:
        rest = None if f.hi is None else f.hi - f.lo
        latest = right if rest == 0 else make(Op.SINCE, (left, right), lo=0, hi=rest)
        if f.lo == 0:
            return latest
        # left S[a,b] right, a > 0: left on the last a steps, and left S[0,b-a] right a steps ago.
        kept = left
        if f.lo > 1 and left is not TRUE:
            kept = negate(make(Op.SINCE, (TRUE, negate(left)), lo=0, hi=f.lo - 1))
        return conj(kept, _ago(latest, f.lo))


def _ago(f: Formula, steps: int) -> Formula:
    """Return the plain form of `f` that many steps ago, false before there was such a step."""
    if f.op is Op.YESTERDAY:
        return _ago(f.args[0], steps + 1)
    if f.op is Op.ONCE and f.hi is not None and f.hi + steps <= MAX_BOUND:
        return _ago(f.args[0], steps + f.hi)
    return make(Op.YESTERDAY, (f,)) if steps == 1 else make(Op.ONCE, (f,), lo=steps, hi=steps)
