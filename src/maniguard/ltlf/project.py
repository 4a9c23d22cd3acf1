"""Past operators over future ones: named parts, compiled as atoms and then guessed away."""

from __future__ import annotations

from maniguard.ltlf.derive import Raw
from maniguard.ltlf.diagrams import ExhaustedError, Meter, leaves_below
from maniguard.ltlf.formula import PAST, Formula, Op, atom, make
from maniguard.ltlf.minimise import minimise


def is_mixed(formula: Formula) -> bool:
    """Say whether some past operator has a future one below it."""
    return formula.is_past and formula.is_future and any(f.op in PAST and f.is_future for f in formula.walk())


def separate(formula: Formula) -> tuple[Formula, list[str]]:
    """Return a formula in which no past operator has a future one below it, and the atoms that it has in addition.

    Each future part below a past operator is replaced by a new atom that is defined, by a conjunct, to be true at
    exactly the steps where the part is. A trace satisfies `formula` if and only if some values of the new atoms, which
    are then the only ones, satisfy the result.
    """
    return _Separation(formula).run()


class _Separation:
    def __init__(self, formula: Formula) -> None:
        self.formula = formula
        self.used = formula.atoms()
        self.names: dict[Formula, str] = {}
        self.definitions: list[Formula] = []
        self.known: dict[tuple[Formula, bool], Formula] = {}

    def run(self) -> tuple[Formula, list[str]]:
        main = self.lift(self.formula, False)
        if not self.definitions:
            return main, []
        return make(Op.AND, (main, *self.definitions)), list(self.names.values())

    def lift(self, f: Formula, below_past: bool) -> Formula:
        key = (f, below_past)
        found = self.known.get(key)
        if found is None:
            found = self.known[key] = self._lift(f, below_past)
        return found

    def _lift(self, f: Formula, below_past: bool) -> Formula:
        if not f.is_future or not f.args:
            return self.named(f) if below_past and f.is_future else f
        if below_past and f.op not in PAST:
            return self.named(f)
        args = tuple(self.lift(a, f.op in PAST) for a in f.args)
        return make(f.op, args, lo=f.lo, hi=f.hi)

    def named(self, f: Formula) -> Formula:
        name = self.names.get(f)
        if name is None:
            inner = self.lift(f, False)
            number = len(self.names)
            while f"#{number}" in self.used:
                number += 1
            name = self.names[f] = f"#{number}"
            self.used |= {name}
            self.definitions.append(make(Op.ALWAYS, (make(Op.IFF, (atom(name), inner)),)))
        return atom(name)


def project(raw: Raw, keep: int, meter: Meter, max_states: int) -> Raw:
    """Return the minimal automaton that accepts a trace if some values of the atoms `keep`, `keep`+1, … do.

    Raises:
        ExhaustedError: more states than allowed, or the meter ran out.
    """
    return minimise(_Projection(raw, keep, meter, max_states).run())


class _Projection:
    """The subset construction on shared diagrams; a leaf is the number of a set of states."""

    def __init__(self, raw: Raw, keep: int, meter: Meter, max_states: int) -> None:
        self.raw, self.keep, self.meter, self.max_states = raw, keep, meter, max_states
        self.result = Raw([], [], [], [], [])
        self.sets: list[frozenset[int]] = []
        self.index: dict[frozenset[int], int] = {}
        self.unique: dict[tuple[int, int, int], int] = {}
        self.projected: dict[int, int] = {}
        self.joined: dict[tuple[int, int], int] = {}

    def run(self) -> Raw:
        queue = [self.number(frozenset([0]))]
        seen = {0: 0}
        roots = []
        # Numbers are given to every union on the way; states are only the sets that some guard leads to.
        for number in queue:
            root: int | None = None
            for state in sorted(self.sets[number]):
                one = self.without(self.raw.roots[state])
                root = one if root is None else self.union(root, one)
            assert root is not None
            roots.append(root)
            for leaf in leaves_below((root,), self.result.lo, self.result.hi):
                if leaf not in seen:
                    seen[leaf] = len(queue)
                    queue.append(leaf)
                    if len(queue) > self.max_states:
                        raise ExhaustedError("states")

        def final(ref: int) -> int:
            # Nodes that no guard uses may have leaves that are no states.
            return ref if ref >= 0 else ~seen.get(~ref, 0)

        accept = self.raw.accept
        return Raw(
            self.result.var,
            [final(r) for r in self.result.lo],
            [final(r) for r in self.result.hi],
            [final(r) for r in roots],
            [any(accept[s] for s in self.sets[number]) for number in queue],
        )

    def number(self, states: frozenset[int]) -> int:
        found = self.index.get(states)
        if found is None:
            self.meter.spend(len(states) // 8)
            found = self.index[states] = len(self.sets)
            self.sets.append(states)
        return found

    def without(self, ref: int) -> int:
        """Return the diagram with the atoms that go replaced by both their values."""
        found = self.projected.get(ref)
        if found is None:
            self.meter.spend()
            if ref < 0:
                found = ~self.number(frozenset([~ref]))
            else:
                lo, hi = self.without(self.raw.lo[ref]), self.without(self.raw.hi[ref])
                var = self.raw.var[ref]
                found = self.union(lo, hi) if var >= self.keep else self.node(var, lo, hi)
            self.projected[ref] = found
        return found

    def union(self, a: int, b: int) -> int:
        if a == b:
            return a
        key = (a, b) if a < b else (b, a)
        found = self.joined.get(key)
        if found is None:
            self.meter.spend()
            if a < 0 and b < 0:
                found = ~self.number(self.sets[~a] | self.sets[~b])
            else:
                var = min(self.result.var[r] for r in key if r >= 0)
                (a0, a1), (b0, b1) = self.branches(a, var), self.branches(b, var)
                found = self.node(var, self.union(a0, b0), self.union(a1, b1))
            self.joined[key] = found
        return found

    def branches(self, ref: int, var: int) -> tuple[int, int]:
        if ref >= 0 and self.result.var[ref] == var:
            return self.result.lo[ref], self.result.hi[ref]
        return ref, ref

    def node(self, var: int, lo: int, hi: int) -> int:
        if lo == hi:
            return lo
        key = (var, lo, hi)
        found = self.unique.get(key)
        if found is None:
            found = self.unique[key] = len(self.result.var)
            self.result.var.append(var)
            self.result.lo.append(lo)
            self.result.hi.append(hi)
        return found
