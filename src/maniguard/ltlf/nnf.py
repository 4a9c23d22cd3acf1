"""The Boolean half of negation normal form, shared by those who read the temporal half in their own ways."""

from __future__ import annotations

from abc import ABC, abstractmethod

from maniguard.ltlf.formula import Formula, Op, conj, disj

_BOOLEAN = frozenset({Op.NOT, Op.AND, Op.OR, Op.IMPLIES, Op.IFF, Op.XOR})


class Pushing(ABC):
    """Pushes negations inwards through Boolean operators, each subformula once per sign."""

    def __init__(self) -> None:
        self._known: dict[tuple[Formula, bool], Formula] = {}

    def of(self, f: Formula, positive: bool) -> Formula:
        """Return the form of `f`, or of its negation."""
        key = (f, positive)
        found = self._known.get(key)
        if found is None:
            found = self.boolean(f, positive) if f.op in _BOOLEAN else self.other(f, positive)
            self._known[key] = found
        return found

    def boolean(self, f: Formula, positive: bool) -> Formula:
        """Return the form of a formula with a Boolean operator at its root."""
        op, args = f.op, f.args
        if op is Op.NOT:
            return self.of(args[0], not positive)
        if op is Op.AND or op is Op.OR:
            join = conj if (op is Op.AND) == positive else disj
            return join(*(self.of(a, positive) for a in args))
        if op is Op.IMPLIES:
            join = disj if positive else conj
            return join(self.of(args[0], not positive), self.of(args[1], positive))
        same = (op is Op.IFF) == positive
        both = conj(self.of(args[0], True), self.of(args[1], same))
        return disj(both, conj(self.of(args[0], False), self.of(args[1], not same)))

    @abstractmethod
    def other(self, f: Formula, positive: bool) -> Formula:
        """Return the form of a constant, an atom or a temporal operator."""
