"""Formulas over whole recordings: truth or robustness at every step, by arrays."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from maniguard.errors import alternatives
from maniguard.ltlf.errors import MissingAtomError, TraceError, stack_limit
from maniguard.ltlf.formula import PAST, Formula, Op

Signal = npt.NDArray[Any]

_FUTURE_OF = {
    Op.YESTERDAY: Op.NEXT,
    Op.WEAK_YESTERDAY: Op.WEAK_NEXT,
    Op.ONCE: Op.EVENTUALLY,
    Op.HISTORICALLY: Op.ALWAYS,
    Op.SINCE: Op.UNTIL,
}


def evaluate_signals(formula: Formula, signals: Mapping[str, Signal]) -> Signal:
    """Return the value of `formula` at every step.

    `signals` maps each atom to an array of shape (…, T), all alike. Boolean arrays give truth; float arrays give
    robustness: `&` is the minimum, `|` the maximum, `!` the negative, `true` is +inf, and an operator that finds no
    step is false, -inf. Both follow the meaning of `evaluate`; T must be at least 1.

    Raises:
        MissingAtomError: an atom without a signal.
        TraceError: signals of unequal shapes, of mixed or other types, with NaN, or without steps.
    """
    with stack_limit():
        return _Values(formula, signals).of(formula)


class _Values:
    def __init__(self, formula: Formula, signals: Mapping[str, Signal]) -> None:
        arrays: dict[str, Signal] = {}
        for name in formula.atom_order():
            if name not in signals:
                raise MissingAtomError(f"no signal for atom {name!r}; there are {alternatives(signals)}")
            arrays[name] = np.asarray(signals[name])
        probe = list(arrays.values()) or [np.asarray(s) for s in signals.values()]
        if not probe:
            raise TraceError("a formula without atoms needs at least one signal, to know the number of steps")
        self.shape = probe[0].shape
        if not self.shape or self.shape[-1] == 0:
            raise TraceError(f"signals must have at least one step, got shape {self.shape}")
        kinds = {a.dtype.kind for a in probe}
        if kinds not in ({"b"}, {"f"}):
            raise TraceError("signals must be all Boolean (truth) or all floating (margins)")
        for name, array in arrays.items():
            if array.shape != self.shape:
                raise TraceError(f"signal {name!r} has shape {array.shape}, others {self.shape}")
            if array.dtype.kind == "f" and bool(np.isnan(array).any()):
                raise TraceError(f"signal {name!r} holds NaN")
        self.boolean = kinds == {"b"}
        self.top: Any = True if self.boolean else np.inf
        self.bottom: Any = False if self.boolean else -np.inf
        self.dtype = np.bool_ if self.boolean else np.float64
        self.arrays = arrays
        self.known: dict[Formula, Signal] = {}

    def of(self, f: Formula) -> Signal:
        found = self.known.get(f)
        if found is None:
            found = self.known[f] = self.define(f)
        return found

    def full(self, value: Any) -> Signal:
        return np.full(self.shape, value, dtype=self.dtype)

    def neg(self, x: Signal) -> Signal:
        return ~x if self.boolean else -x

    def define(self, f: Formula) -> Signal:
        op = f.op
        if op is Op.ATOM:
            return self.arrays[f.name].astype(self.dtype)
        if op is Op.TRUE or op is Op.FALSE:
            return self.full(self.top if op is Op.TRUE else self.bottom)
        if op is Op.LAST:
            last = self.full(self.bottom)
            last[..., -1] = self.top
            return last
        args = [self.of(a) for a in f.args]
        if op is Op.NOT:
            return self.neg(args[0])
        if op is Op.AND:
            return self.fold(np.minimum, args)
        if op is Op.OR:
            return self.fold(np.maximum, args)
        if op is Op.IMPLIES:
            return np.maximum(self.neg(args[0]), args[1])
        if op is Op.IFF or op is Op.XOR:
            a, b = args
            c = b if op is Op.IFF else self.neg(b)
            return np.maximum(np.minimum(a, c), np.minimum(self.neg(a), self.neg(c)))
        if op in PAST:
            # The past is the future of the reversed recording.
            return self.temporal(_FUTURE_OF[op], [a[..., ::-1] for a in args], f.lo, f.hi)[..., ::-1]
        return self.temporal(op, args, f.lo, f.hi)

    def fold(self, join: Any, args: list[Signal]) -> Signal:
        result = args[0]
        for a in args[1:]:
            result = join(result, a)
        return result

    def temporal(self, op: Op, args: list[Signal], lo: int, hi: int | None) -> Signal:
        neg = self.neg
        if op is Op.NEXT:
            return self.later(args[0], 1, self.bottom)
        if op is Op.WEAK_NEXT:
            return self.later(args[0], 1, self.top)
        if op is Op.EVENTUALLY:
            return self.some(args[0], lo, hi)
        if op is Op.ALWAYS:
            return neg(self.some(neg(args[0]), lo, hi))
        left, right = args
        if op is Op.UNTIL:
            return self.until(left, right, lo, hi)
        if op is Op.RELEASE:
            return neg(self.until(neg(left), neg(right), lo, hi))
        if op is Op.WEAK_UNTIL:
            return np.maximum(self.until(left, right, lo, hi), neg(self.some(neg(left), 0, hi)))
        released = neg(self.until(neg(left), neg(right), lo, hi))
        return np.minimum(released, self.some(left, 0, hi))

    def later(self, x: Signal, steps: int, fill: Any) -> Signal:
        if steps == 0:
            return x
        moved = np.full_like(x, fill)
        if steps < x.shape[-1]:
            moved[..., :-steps] = x[..., steps:]
        return moved

    def some(self, x: Signal, lo: int, hi: int | None) -> Signal:
        """Return the maximum over the window [i+lo, i+hi]."""
        if hi is None:
            best = np.maximum.accumulate(x[..., ::-1], axis=-1)[..., ::-1]
        else:
            width = min(hi - lo + 1, x.shape[-1])
            best, have = x, 1
            # Windows of doubled width, until one more doubling would pass the wanted width.
            while have * 2 <= width:
                best = np.maximum(best, self.later(best, have, self.bottom))
                have *= 2
            best = np.maximum(best, self.later(best, width - have, self.bottom))
        return self.later(best, lo, self.bottom)

    def until(self, left: Signal, right: Signal, lo: int, hi: int | None) -> Signal:
        # p U[a,b] q: p for a steps, and from there on p U q with q within b-a steps.
        result = right.copy()
        for i in range(result.shape[-1] - 2, -1, -1):
            result[..., i] = np.maximum(right[..., i], np.minimum(left[..., i], result[..., i + 1]))
        if hi is not None:
            result = np.minimum(result, self.some(right, 0, hi - lo))
        if lo:
            kept = self.neg(self.some(self.neg(left), 0, lo - 1))
            result = np.minimum(self.later(result, lo, self.bottom), kept)
        return result
