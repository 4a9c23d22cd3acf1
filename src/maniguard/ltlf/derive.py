"""The derivative construction: from a formula to a raw automaton whose guards are shared decision diagrams."""

from __future__ import annotations

from collections import Counter
from functools import reduce
from typing import NamedTuple

from maniguard.ltlf.core import UNBOUNDED, Core, CoreTable, Kind
from maniguard.ltlf.diagrams import ExhaustedError, Letters, Meter, Obligations, level_of
from maniguard.ltlf.formula import Formula
from maniguard.ltlf.past import Memory

_RANK_UNBOUNDED = 400_000


class Raw(NamedTuple):
    """An automaton before minimisation.

    A guard is an integer: `~s` for state `s`, else the index of a node that tests atom `var[i]` and goes to guard
    `lo[i]` (false) or `hi[i]` (true); children come before parents. State 0 is initial.
    """

    var: list[int]
    lo: list[int]
    hi: list[int]
    roots: list[int]
    accept: list[bool]


class Derivation:
    """Derives one formula over a fixed order of atoms, given as the place of each."""

    def __init__(self, formula: Formula, atom_index: dict[str, int], meter: Meter, max_states: int) -> None:
        self.formula = formula
        self.meter = meter
        self.max_states = max_states
        self.cores = CoreTable(atom_index)
        self.root = self.cores.of(formula)
        self.obligations = Obligations(meter)
        self.letters = Letters(self.obligations)
        self.memory = Memory(self.cores.past, self.cores.atom_index, self.letters)
        self._place: dict[tuple[int, bool], tuple[int, int]] = {}
        self._family: dict[tuple[Kind, int, int, bool], int] = {}
        self._ends: list[tuple[int, int]] = []
        self._core_at: dict[int, int] = {}
        self._strong_at: dict[int, bool] = {}
        self._begun: dict[int, int] = {}
        self._owed: dict[tuple[int, bool], int] = {}
        self._core_steps: dict[int, dict[int, int]] = {}
        self._steps: dict[int, dict[int, int]] = {}
        self._accepts: dict[int, bool] = {0: False, 1: True}

    def run(self) -> Raw:
        """Explore all states.

        Raises:
            ExhaustedError: more states than allowed, or the meter ran out.
        """
        start = self.start()
        states = [start]
        index = {start: 0}
        roots: list[int] = []
        mapped: dict[int, int] = {}
        letters = self.letters
        stateless = not self.memory.cells
        for owed, memory in states:
            root = self._step(owed, memory)
            if not stateless:
                root = letters.pair(root, self.memory.step(memory))
            roots.append(root)
            for leaf in letters.leaves(root):
                if leaf in mapped:
                    continue
                owes, remembers = (leaf, 0) if stateless else letters.tuples[leaf]
                # What is decided needs no memory.
                key = (owes, remembers if owes > 1 else self.memory.initial)
                found = index.get(key)
                if found is None:
                    found = index[key] = len(states)
                    if found >= self.max_states:
                        raise ExhaustedError("states")
                    states.append(key)
                mapped[leaf] = found
        accept = [self._accepted(owed) for owed, _ in states]
        return _collect(letters, roots, mapped, accept)

    def start(self) -> tuple[int, int]:
        """Return what is owed before the first letter, and the memory."""
        return self._initial(self.root), self.memory.initial

    def follow(self, owed: int, memory: int, values: list[bool]) -> tuple[int, int]:
        """Return what is owed after one letter, given by the values of the atoms, and the memory."""
        after = self.letters.leaf_at(self._step(owed, memory), values)
        if after < 2 or not self.memory.cells:
            return after, self.memory.initial
        return after, self.letters.leaf_at(self.memory.step(memory), values)

    def accepts(self, owed: int) -> bool:
        """Say whether the trace may end while this is owed."""
        return self._accepted(owed)

    @property
    def kept_nodes(self) -> int:
        """The number of diagram nodes in memory."""
        return len(self.letters.var) + len(self.obligations.level)

    def adopt(self, other: Derivation, owed: int, memory: int) -> tuple[int, int]:
        """Return a state of another derivation of the same formula as one of this."""
        new = {0: 0, 1: 1}

        def copy(node: int) -> int:
            found = new.get(node)
            if found is None:
                o = other.obligations
                hi, lo = copy(o.hi[node]), copy(o.lo[node])
                level = o.level[node]
                core = self._copied(other.cores, other._core_at[level])
                # The variable may sit elsewhere in this derivation's order.
                here = self._variable(core, other._strong_at[level])
                ours = self.obligations
                found = new[node] = ours.disj(ours.conj(here, hi), lo)
            return found

        return copy(owed), self.memory.adopt(other.memory, memory)

    def _copied(self, cores: CoreTable, index: int) -> int:
        item = cores.items[index]
        if item.kind in (Kind.LITERAL, Kind.PAST, Kind.LAST, Kind.NOT_LAST, Kind.TRUE, Kind.FALSE):
            return self.cores.add(item, cores.origin[index])
        if item.parts:
            return self.cores.add(
                item._replace(parts=tuple(self._copied(cores, p) for p in item.parts)), cores.origin[index]
            )
        left = self._copied(cores, item.left)
        right = self._copied(cores, item.right) if item.kind in (Kind.UNTIL, Kind.RELEASE) else 0
        return self.cores.add(item._replace(left=left, right=right), cores.origin[index])

    def culprit(self) -> Formula:
        """Return the subformula that has the most distinct pending copies, the whole formula if none stands out."""
        count: Counter[Formula] = Counter()
        for core in self._core_at.values():
            origin = self.cores.origin[core]
            if origin is not None:
                count[origin] += 1
        if not count:
            return self.formula
        formula, copies = max(count.items(), key=lambda item: (item[1], item[0].depth))
        return formula if copies > 3 else self.formula

    def _initial(self, core: int) -> int:
        """Owe `core` from the first position on; the empty trace decides between the strong and the weak form."""
        found = self._begun.get(core)
        if found is None:
            found = self._begun[core] = core if core < 2 else self._variable(core, not self.cores.on_nothing[core])
        return found

    def _owe(self, core: int, strong: bool) -> int:
        """Owe `core` at the next position; `strong` demands that there is one."""
        key = (core, strong)
        found = self._owed.get(key)
        if found is None:
            item = self.cores.items[core]
            if core == int(not strong):
                found = core
            elif item.kind is Kind.AND or item.kind is Kind.OR:
                o = self.obligations
                found = int(item.kind is Kind.AND)
                # From the bottom up, so that each one goes on top of what is there.
                parts = sorted((self._owe(part, strong) for part in item.parts), key=lambda a: -o.level[a])
                for part in parts:
                    found = o.conj(found, part) if item.kind is Kind.AND else o.disj(found, part)
            else:
                found = self._variable(core, strong)
            self._owed[key] = found
        return found

    def _variable(self, core: int, strong: bool) -> int:
        family, rank = self._placed(core, strong)
        level = level_of(family, rank)
        self._core_at[level] = core
        self._strong_at[level] = strong
        return self.obligations.node(level, 1, 0)

    def _placed(self, core: int, strong: bool) -> tuple[int, int]:
        found = self._place.get((core, strong))
        if found is None:
            found = self._place[core, strong] = self._new_place(core, strong)
        return found

    def _new_place(self, core: int, strong: bool) -> tuple[int, int]:
        item = self.cores.items[core]
        kind = item.kind
        if (kind is Kind.UNTIL or kind is Kind.RELEASE) and item.lo == 0:
            upwards = kind is Kind.UNTIL
            if (kind, item.left, item.right) in self.cores.bounded:
                # "Within 3" implies "within 5" implies "some time"; "for 5" implies "for 3".
                key = (kind, item.left, item.right, strong)
                family = self._family.get(key)
                if family is None:
                    family = self._family[key] = self._new_family()
                    self._ends[family] = (-2 * _RANK_UNBOUNDED, 2 * _RANK_UNBOUNDED)
                steps = _RANK_UNBOUNDED if item.hi == UNBOUNDED else item.hi
                return family, steps if upwards else -steps
            if self.cores.items[item.right].kind in (Kind.UNTIL, Kind.RELEASE, Kind.STRONG_NEXT, Kind.WEAK_NEXT):
                # b implies a U b, and a R b implies b: nested ones form a chain as long as each is at an end of it.
                family, rank = self._placed(item.right, strong)
                low, high = self._ends[family]
                if upwards and rank == high < _RANK_UNBOUNDED:
                    self._ends[family] = (low, high + 1)
                    return family, high + 1
                if not upwards and rank == low > -_RANK_UNBOUNDED:
                    self._ends[family] = (low - 1, high)
                    return family, low - 1
        return self._new_family(), 0

    def _new_family(self) -> int:
        self._ends.append((0, 0))
        return len(self._ends) - 1

    def _accepted(self, owed: int) -> bool:
        """Say whether the trace may end with these obligations: strong ones are broken, weak ones are met."""
        found = self._accepts.get(owed)
        if found is None:
            o = self.obligations
            branch = o.lo[owed] if self._strong_at[o.level[owed]] else o.hi[owed]
            found = self._accepts[owed] = self._accepted(branch)
        return found

    def _step(self, owed: int, memory: int) -> int:
        """Return the diagram from the next letter to what is owed after it."""
        if owed < 2:
            return ~owed
        known = self._steps.setdefault(memory, {})
        found = known.get(owed)
        if found is None:
            o, letters = self.obligations, self.letters
            here = self._core_step(self._core_at[o.level[owed]], memory)
            found = letters.conj(here, self._step(o.hi[owed], memory))
            found = known[owed] = letters.disj(found, self._step(o.lo[owed], memory))
        return found

    def _core_step(self, core: int, memory: int) -> int:
        known = self._core_steps.setdefault(memory, {})
        found = known.get(core)
        if found is None:
            self.meter.spend()
            found = known[core] = self._derive(core, memory)
        return found

    def _derive(self, core: int, memory: int) -> int:
        item, letters = self.cores.items[core], self.letters
        kind = item.kind
        if core < 2:
            return ~core
        if kind is Kind.LITERAL:
            return letters.node(item.left, ~(1 - item.right), ~item.right)
        if kind is Kind.AND or kind is Kind.OR:
            join = letters.conj if kind is Kind.AND else letters.disj
            parts = []
            # A loop, since every frame counts on the way down a deep formula.
            for part in item.parts:
                parts.append(self._core_step(part, memory))
            # From the bottom up, so that each one goes on top of what is there.
            parts.sort(key=lambda a: letters.var[a] if a >= 0 else -1, reverse=True)
            return reduce(join, parts, ~int(kind is Kind.AND))
        if kind is Kind.STRONG_NEXT or kind is Kind.WEAK_NEXT:
            return ~self._owe(item.left, kind is Kind.STRONG_NEXT)
        if kind is Kind.LAST:
            return ~self._owe(0, False)
        if kind is Kind.NOT_LAST:
            return ~self._owe(1, True)
        if kind is Kind.PAST:
            value = self.memory.value(item.left, memory)
            return value if item.right else letters.negate(value)
        return self._derive_temporal(core, item, memory)

    def _derive_temporal(self, core: int, item: Core, memory: int) -> int:
        letters = self.letters
        strong = item.kind is Kind.UNTIL
        if item.hi == 0:
            later = ~int(not strong)
        else:
            rest = core
            if item.hi != UNBOUNDED or item.lo:
                hi = item.hi if item.hi == UNBOUNDED else item.hi - 1
                rest = self.cores.add(item._replace(lo=max(item.lo - 1, 0), hi=hi), self.cores.origin[core])
            later = ~self._owe(rest, strong)
        left = self._core_step(item.left, memory)
        keep = letters.conj(left, later) if strong else letters.disj(left, later)
        if item.lo:
            return keep
        right = self._core_step(item.right, memory)
        return letters.disj(right, keep) if strong else letters.conj(right, keep)


def _collect(letters: Letters, roots: list[int], mapped: dict[int, int], accept: list[bool]) -> Raw:
    """Copy what the roots reach into a compact automaton, with leaves turned into states."""
    raw = Raw([], [], [], [], accept)
    new: dict[int, int] = {}
    for root in roots:
        stack = [root]
        while stack:
            ref = stack[-1]
            if ref in new:
                stack.pop()
            elif ref < 0:
                new[ref] = ~mapped[~ref]
                stack.pop()
            else:
                lo, hi = letters.lo[ref], letters.hi[ref]
                if lo in new and hi in new:
                    new[ref] = len(raw.var)
                    raw.var.append(letters.var[ref])
                    raw.lo.append(new[lo])
                    raw.hi.append(new[hi])
                    stack.pop()
                else:
                    stack += (hi, lo)
        raw.roots.append(new[root])
    return raw
