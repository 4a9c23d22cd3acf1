"""The meaning of formulas on finite traces, straight from the definition: slow, and the judge of everything else."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from maniguard.errors import alternatives
from maniguard.ltlf.errors import MissingAtomError, TraceError, stack_limit
from maniguard.ltlf.formula import Formula, Op

Letter = Mapping[str, bool]


def evaluate(formula: Formula, trace: Sequence[Letter], position: int = 0) -> bool:
    """Say whether `formula` holds at `position` of `trace` (one mapping of atom to truth per step).

    A trace has positions 0 … n-1. `X[!] p` wants a next position where p holds; `N p` holds at the last position. On
    the empty trace there is no position: atoms, `last`, and all that demand a position (`X[!] F U M Y O S`) are false,
    what only constrains positions (`N G W R Z H`) is true, and the Boolean operators mean what they always mean.

    Raises:
        MissingAtomError: a letter without an atom of the formula.
        TraceError: a position outside the trace.
    """
    if position < 0 or position >= max(len(trace), 1):
        raise TraceError(f"position {position} is outside a trace of {len(trace)} steps")
    for step, letter in enumerate(trace):
        for name in formula.atom_order():
            if name not in letter:
                raise MissingAtomError(f"step {step} has no atom {name!r}; it has {alternatives(letter)}")
    with stack_limit():
        return _Evaluation(trace).holds(formula, position)


class _Evaluation:
    def __init__(self, trace: Sequence[Letter]) -> None:
        self.trace = trace
        self.length = len(trace)
        self.known: dict[tuple[Formula, int], bool] = {}

    def holds(self, f: Formula, i: int) -> bool:
        key = (f, i)
        value = self.known.get(key)
        if value is None:
            value = self.known[key] = self.define(f, i)
        return value

    def define(self, f: Formula, i: int) -> bool:
        holds, n, op, args = self.holds, self.length, f.op, f.args
        if op is Op.TRUE:
            return True
        if op is Op.FALSE:
            return False
        if op is Op.ATOM:
            return i < n and bool(self.trace[i][f.name])
        if op is Op.LAST:
            return i == n - 1
        if op is Op.NOT:
            return not holds(args[0], i)
        if op is Op.AND:
            return all(holds(a, i) for a in args)
        if op is Op.OR:
            return any(holds(a, i) for a in args)
        if op is Op.XOR:
            return holds(args[0], i) != holds(args[1], i)
        if op is Op.IMPLIES:
            return not holds(args[0], i) or holds(args[1], i)
        if op is Op.IFF:
            return holds(args[0], i) == holds(args[1], i)
        if op is Op.NEXT:
            return i + 1 < n and holds(args[0], i + 1)
        if op is Op.WEAK_NEXT:
            return i + 1 >= n or holds(args[0], i + 1)
        if op is Op.YESTERDAY:
            return 0 < i < n and holds(args[0], i - 1)
        if op is Op.WEAK_YESTERDAY:
            return i == 0 or holds(args[0], i - 1)
        return self.temporal(f, i)

    def temporal(self, f: Formula, i: int) -> bool:
        holds, op = self.holds, f.op
        first, last = args = f.args[0], f.args[-1]
        if op in (Op.ONCE, Op.HISTORICALLY, Op.SINCE):
            earliest = 0 if f.hi is None else max(0, i - f.hi)
            window = range(i - f.lo, earliest - 1, -1) if self.length else range(0)
            if op is Op.ONCE:
                return any(holds(first, j) for j in window)
            if op is Op.HISTORICALLY:
                return all(holds(first, j) for j in window)
            return any(holds(last, j) and all(holds(first, k) for k in range(j + 1, i + 1)) for j in window)
        end = self.length if f.hi is None else min(self.length, i + f.hi + 1)
        window = range(i + f.lo, end)
        if op is Op.EVENTUALLY:
            return any(holds(first, j) for j in window)
        if op is Op.ALWAYS:
            return all(holds(first, j) for j in window)
        left, right = args
        if op is Op.UNTIL:
            return any(holds(right, j) and all(holds(left, k) for k in range(i, j)) for j in window)
        if op is Op.RELEASE:
            return all(holds(right, j) or any(holds(left, k) for k in range(i, j)) for j in window)
        if op is Op.WEAK_UNTIL:
            reached = any(holds(right, j) and all(holds(left, k) for k in range(i, j)) for j in window)
            return reached or all(holds(left, k) for k in range(i, end))
        # Strong release is the dual of weak until.
        kept = all(holds(right, j) or any(holds(left, k) for k in range(i, j)) for j in window)
        return kept and any(holds(left, k) for k in range(i, end))
