"""Many recorded traces at once: the same answers as stepping, at array speed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from maniguard.errors import alternatives
from maniguard.ltlf.classes import letter_classes
from maniguard.ltlf.dfa import Dfa, Verdict
from maniguard.ltlf.errors import MissingAtomError, TraceError

Bools = npt.NDArray[np.bool_]
_PORTION = 4096


class BatchResult(NamedTuple):
    """What a batch of N traces came to; every field has shape (N,).

    `states`: the state at the end. `accepted`: whether the trace satisfies the formula. `violated_at` and
    `satisfied_at`: the step from which the verdict is PERM_VIOL or PERM_SAT, -1 if it never is.
    """

    states: npt.NDArray[np.int64]
    accepted: Bools
    violated_at: npt.NDArray[np.int64]
    satisfied_at: npt.NDArray[np.int64]


class Batch:
    """Runs one automaton over many traces in lock-step."""

    def __init__(self, dfa: Dfa) -> None:
        self.dfa = dfa
        count = dfa.num_states
        self._classes = letter_classes(dfa)
        self._dead = _state_with(dfa, Verdict.PERM_VIOL)
        self._done = _state_with(dfa, Verdict.PERM_SAT)
        self._accept = np.array(dfa.accept)
        if self._classes is None:
            self._lo = np.array(dfa.node_lo, dtype=np.int64)
            self._hi = np.array(dfa.node_hi, dtype=np.int64)
            self._var = np.array(dfa.node_atom, dtype=np.int64)
            self._roots = np.array(dfa.roots, dtype=np.int64)
            return
        # One more class, "no letter", keeps the state: traces of unequal length run side by side.
        stay = np.arange(count, dtype=np.int64)
        self._next = np.concatenate([self._classes.successors.ravel(), stay])
        self._stay = self._classes.size * count
        # The last table yields the class times the number of states, so that a step is one addition and one look-up.
        self._tables = [t.ravel() * 256 for t in self._classes.tables]
        if self._tables:
            self._tables[-1] = self._classes.tables[-1].ravel() * count

    def offsets(self, truth: Bools, columns: Sequence[str] | None = None) -> npt.NDArray[np.int64]:
        """Return, for letters of shape (…, A), the offset of each letter's class in the successor table, shape (…)."""
        truth = self._select(truth, columns)
        if not self._tables:
            return np.zeros(truth.shape[:-1], dtype=np.int64)
        letters = np.packbits(truth, axis=-1, bitorder="little")
        found = self._tables[0][letters[..., 0]]
        for byte, table in enumerate(self._tables[1:], start=1):
            found = table[found + letters[..., byte]]
        return found

    def states(self, offsets: npt.NDArray[np.int64], out: npt.NDArray[np.int64] | None = None) -> npt.NDArray[np.int64]:
        """Return the states after each step for class offsets of shape (T, N), steps first."""
        steps, traces = offsets.shape
        if out is None:
            out = np.empty((steps, traces), dtype=np.int64)
        at = np.empty(traces, dtype=np.int64)
        state = np.full(traces, self.dfa.initial, dtype=np.int64)
        table = self._next
        for t in range(steps):
            np.add(offsets[t], state, out=at)
            state = out[t]
            table.take(at, out=state, mode="clip")
        return out

    def run(self, traces: Sequence[Bools], columns: Sequence[str] | None = None) -> BatchResult:
        """Judge traces, each of shape (T, A) with its own T; `columns` names the columns (default: the atoms).

        Raises:
            MissingAtomError: an atom has no column.
            TraceError: a trace that is no Boolean array of that width.
        """
        width = len(self.dfa.atoms if columns is None else columns)
        arrays = [np.asarray(trace) for trace in traces]
        for i, array in enumerate(arrays):
            if array.ndim != 2 or array.shape[1] != width or array.dtype != np.bool_:
                raise TraceError(f"trace {i} must be Boolean (steps, {width}), got {array.dtype} {array.shape}")
        # In portions, so that memory does not grow with the number of traces.
        parts = [self._run(arrays[i : i + _PORTION], columns) for i in range(0, max(len(arrays), 1), _PORTION)]
        return BatchResult(*(np.concatenate(field) for field in zip(*parts, strict=True)))

    def _run(self, traces: list[Bools], columns: Sequence[str] | None) -> BatchResult:
        count = len(traces)
        lengths = np.array([len(t) for t in traces], dtype=np.int64)
        longest = int(lengths.max(initial=0))
        width = len(self.dfa.atoms if columns is None else columns)
        padded = np.zeros((longest, count, width), dtype=bool)
        for i, trace in enumerate(traces):
            padded[: len(trace), i] = trace
        over = np.arange(longest)[:, None] >= lengths[None, :]
        if self._classes is None:
            states = self._walk(self._select(padded, columns), over)
        else:
            offsets = self.offsets(padded, columns)
            offsets[over] = self._stay
            states = self.states(offsets)
        final = states[-1] if longest else np.full(count, self.dfa.initial, dtype=np.int64)
        return BatchResult(
            final.copy(),
            self._accept[final],
            self._first(states, self._dead, over, count),
            self._first(states, self._done, over, count),
        )

    def _first(self, states: npt.NDArray[np.int64], sink: int | None, over: Bools, count: int) -> npt.NDArray[np.int64]:
        if sink is None or not len(states):
            return np.full(count, -1, dtype=np.int64)
        hit = (states == sink) & ~over
        return np.where(hit.any(axis=0), hit.argmax(axis=0), -1).astype(np.int64)

    def _select(self, truth: Bools, columns: Sequence[str] | None) -> Bools:
        atoms = self.dfa.atoms
        columns = atoms if columns is None else columns
        truth = np.asarray(truth)
        if truth.ndim < 1 or truth.shape[-1] != len(columns) or truth.dtype != np.bool_:
            raise TraceError(f"letters must be Boolean (…, {len(columns)}), got {truth.dtype} {truth.shape}")
        if tuple(columns) == atoms:
            return truth
        where = {name: i for i, name in enumerate(columns)}
        for name in atoms:
            if name not in where:
                raise MissingAtomError(f"no column for atom {name!r}; there are {alternatives(columns)}")
        return truth[..., [where[name] for name in atoms]]

    def _walk(self, truth: Bools, over: Bools) -> npt.NDArray[np.int64]:
        """Step without classes, by walking the decision diagram of all traces together."""
        steps, traces, _ = truth.shape
        out = np.empty((steps, traces), dtype=np.int64)
        state = np.full(traces, self.dfa.initial, dtype=np.int64)
        for t in range(steps):
            ref = self._roots[state]
            todo = np.flatnonzero((ref >= 0) & ~over[t])
            while len(todo):
                node = ref[todo]
                ref[todo] = np.where(truth[t, todo, self._var[node]], self._hi[node], self._lo[node])
                todo = todo[ref[todo] >= 0]
            state = out[t] = np.where(over[t], state, ~ref)
        return out


def _state_with(dfa: Dfa, verdict: Verdict) -> int | None:
    return next((s for s in range(dfa.num_states) if dfa.verdict(s) is verdict), None)


def run_batch(dfa: Dfa, traces: Sequence[Bools], columns: Sequence[str] | None = None) -> BatchResult:
    """Judge many traces by one automaton; see `Batch.run`."""
    return Batch(dfa).run(traces, columns)
