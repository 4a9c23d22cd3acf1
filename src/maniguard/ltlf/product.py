"""Boolean combinations of automata over one order of atoms."""

from __future__ import annotations

from heapq import heapify, heappop, heappush
from itertools import combinations

from maniguard.ltlf.derive import Raw
from maniguard.ltlf.diagrams import ExhaustedError, Meter, leaves_below
from maniguard.ltlf.formula import Op
from maniguard.ltlf.minimise import minimise

_Part = tuple[int, int, Raw, frozenset[int]]


def complement(raw: Raw) -> Raw:
    """Return the automaton of the complement."""
    return raw._replace(accept=[not a for a in raw.accept])


# How many of the smallest automata are considered for the next product.
_CANDIDATES = 12


def combine(op: Op, parts: list[Raw], meter: Meter, max_states: int) -> Raw:
    """Return the minimal automaton of `&` or `|` of any number of minimal ones.

    The pair whose product promises to be smallest goes first: few states, and atoms in common, which make many pairs of
    states unreachable.
    """
    heap = [(len(p.roots), i, p, frozenset(p.var)) for i, p in enumerate(parts)]
    heapify(heap)
    serial = len(parts)
    while len(heap) > 1:
        near = [heappop(heap) for _ in range(min(_CANDIDATES, len(heap)))]
        one, two = min(combinations(near, 2), key=_promise) if len(near) > 2 else near
        for item in near:
            if item is not one and item is not two:
                heappush(heap, item)
        raw = product(op, one[2], two[2], meter, max_states)
        # Minimising is not counted node by node; it is in proportion to what was built.
        meter.spend(len(raw.var))
        both = minimise(raw)
        heappush(heap, (len(both.roots), serial, both, frozenset(both.var)))
        serial += 1
    return heap[0][2]


def _promise(pair: tuple[_Part, _Part]) -> float:
    (states, _, _, atoms), (other_states, _, _, other_atoms) = pair
    return states * other_states / 4.0 ** len(atoms & other_atoms)


def sink(raw: Raw, accepting: bool) -> int | None:
    """Return the state of a minimal automaton that is never left and accepts (or rejects), None if there is none."""
    for state, root in enumerate(raw.roots):
        if root == ~state and raw.accept[state] == accepting:
            return state
    return None


def product(op: Op, left: Raw, right: Raw, meter: Meter, max_states: int) -> Raw:
    """Return the product automaton for `& | ^ <->`; its inputs must be minimal.

    Raises:
        ExhaustedError: more states than allowed, or the meter ran out.
    """
    return Product(op, left, right, meter, max_states).run()


class Product:
    """One product; after `run`, `states` tells the pair of states behind each state."""

    def __init__(self, op: Op, left: Raw, right: Raw, meter: Meter, max_states: int) -> None:
        self.op, self.left, self.right, self.meter, self.max_states = op, left, right, meter, max_states
        self.raw = Raw([], [], [], [], [])
        self.states: list[tuple[int, int]] = []
        self.index: dict[tuple[int, int], int] = {}
        self.known: dict[tuple[int, int], int] = {}
        self.unique: dict[tuple[int, int, int], int] = {}
        # A state that decides the result alone stands for all its pairs.
        decisive = {Op.AND: False, Op.OR: True}.get(op)
        self.left_sink = None if decisive is None else sink(left, decisive)
        self.right_sink = None if decisive is None else sink(right, decisive)

    def run(self) -> Raw:
        """Explore all pairs and return the automaton, not minimised."""
        self._state(0, 0)
        for i, j in self.states:
            self.raw.roots.append(self._pair(self.left.roots[i], self.right.roots[j]))
            a, b = self.left.accept[i], self.right.accept[j]
            self.raw.accept.append(
                (a and b) if self.op is Op.AND else (a or b) if self.op is Op.OR else (a == b) == (self.op is Op.IFF)
            )
        return self.raw

    def joint(self, i: int, j: int) -> list[tuple[int, int]]:
        """Return the pairs of states that one letter can lead to from the pair (i, j)."""
        root = self._pair(self.left.roots[i], self.right.roots[j])
        return [self.states[s] for s in leaves_below((root,), self.raw.lo, self.raw.hi)]

    def _state(self, i: int, j: int) -> int:
        if i == self.left_sink:
            j = 0 if self.right_sink is None else self.right_sink
        elif j == self.right_sink:
            # Both sinks mean the same; one name for them keeps the product small.
            i = 0 if self.left_sink is None else self.left_sink
        key = (i, j)
        found = self.index.get(key)
        if found is None:
            found = self.index[key] = len(self.states)
            if found >= self.max_states:
                raise ExhaustedError("states")
            self.states.append(key)
        return found

    def _pair(self, x: int, y: int) -> int:
        if x < 0 and (y < 0 or ~x == self.left_sink):
            return ~self._state(~x, ~y if y < 0 else 0)
        if y < 0 and ~y == self.right_sink:
            return ~self._state(0, ~y)
        key = (x, y)
        found = self.known.get(key)
        if found is not None:
            return found
        self.meter.spend()
        left, right = self.left, self.right
        if y < 0 or (x >= 0 and left.var[x] < right.var[y]):
            var, lo, hi = left.var[x], self._pair(left.lo[x], y), self._pair(left.hi[x], y)
        elif x < 0 or right.var[y] < left.var[x]:
            var, lo, hi = right.var[y], self._pair(x, right.lo[y]), self._pair(x, right.hi[y])
        else:
            var, lo, hi = left.var[x], self._pair(left.lo[x], right.lo[y]), self._pair(left.hi[x], right.hi[y])
        self.known[key] = found = self._node(var, lo, hi)
        return found

    def _node(self, var: int, lo: int, hi: int) -> int:
        if lo == hi:
            return lo
        key = (var, lo, hi)
        found = self.unique.get(key)
        if found is None:
            found = self.unique[key] = len(self.raw.var)
            self.raw.var.append(var)
            self.raw.lo.append(lo)
            self.raw.hi.append(hi)
        return found
