"""A whole set of monitors over recorded packed frames; with Numba, where it is installed, at compiled speed."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

from maniguard.ltlf.errors import FormulaError, TraceError
from maniguard.ltlf.monitor_set import MonitorSet

_MAX_TABLE = 1 << 20


class FrameRunner:
    """Runs a `MonitorSet` over arrays of packed frames, with the states that stepping gives.

    `engine` is `numba`, `python`, or None for the faster one that is available: Numba needs at most 64 channels and
    formulas whose tables are small.
    """

    def __init__(self, monitors: MonitorSet, *, engine: str | None = None) -> None:
        if engine not in (None, "numba", "python"):
            raise FormulaError(f"no engine {engine!r}; there are numba, python")
        self._monitors = monitors
        able = len(monitors.channels) <= 64 and all(d.num_states << len(d.atoms) <= _MAX_TABLE for d in monitors.dfas)
        have = importlib.util.find_spec("numba") is not None
        if engine == "numba" and not (able and have):
            raise FormulaError("the numba engine needs numba, at most 64 channels and small tables")
        self.engine = engine or ("numba" if able and have else "python")
        self._kernel: Callable[..., None] | None = None
        if self.engine == "numba":
            self._kernel = _kernel()
            self._lay_out()

    def _lay_out(self) -> None:
        bit = {name: i for i, name in enumerate(self._monitors.channels)}
        tables: list[npt.NDArray[np.int32]] = []
        runs: list[tuple[int, int, int]] = []
        first_run, base, width = [0], [], []
        size = 0
        for dfa in self._monitors.dfas:
            places = [bit[a] for a in dfa.atoms]
            # Neighbouring channels are taken out of the frame together: shift, mask, shift into place.
            start = 0
            while start < len(places):
                stop = start + 1
                while stop < len(places) and places[stop] == places[stop - 1] + 1:
                    stop += 1
                runs.append((places[start], (1 << (stop - start)) - 1, start))
                start = stop
            first_run.append(len(runs))
            letters = 1 << len(dfa.atoms)
            table = [dfa.step_packed(s, w) for s in range(dfa.num_states) for w in range(letters)]
            tables.append(np.array(table, dtype=np.int32))
            base.append(size)
            width.append(len(dfa.atoms))
            size += len(table)
        self._tables = np.concatenate(tables)
        self._runs = np.array(runs, dtype=np.uint64).reshape(-1, 3)
        self._first_run = np.array(first_run, dtype=np.int64)
        self._base = np.array(base, dtype=np.int64)
        self._width = np.array(width, dtype=np.int64)

    def run(self, words: npt.NDArray[np.uint64]) -> npt.NDArray[np.int32]:
        """Return the states after each frame, shape (T, monitors), from the initial states; `words` has shape (T,).

        Raises:
            TraceError: `words` is not a one-dimensional array of unsigned 64-bit integers.
        """
        if words.ndim != 1 or words.dtype != np.uint64:
            raise TraceError(f"frames must be uint64 of shape (T,), got {words.dtype} {words.shape}")
        out = np.empty((len(words), len(self._monitors.names)), dtype=np.int32)
        if self._kernel is not None:
            start = np.array([d.initial for d in self._monitors.dfas], dtype=np.int64)
            self._kernel(words, self._tables, self._runs, self._first_run, self._base, self._width, start, out)
            return out
        for i, (rows, mask, dfa) in enumerate(self._monitors.tables()):
            state = dfa.initial
            column = []
            for word in words.tolist():
                state = rows[state][word & mask]
                column.append(state)
            out[:, i] = column
        return out


@cache
def _kernel() -> Callable[..., None]:
    from numba import njit  # type: ignore[import-not-found]

    def kernel(words: Any, tables: Any, runs: Any, first_run: Any, base: Any, width: Any, state: Any, out: Any) -> None:
        for t in range(words.shape[0]):
            word = words[t]
            for m in range(base.shape[0]):
                letter = np.uint64(0)
                for r in range(first_run[m], first_run[m + 1]):
                    letter |= ((word >> runs[r, 0]) & runs[r, 1]) << runs[r, 2]
                state[m] = tables[base[m] + (state[m] << width[m]) + np.int64(letter)]
                out[t, m] = state[m]

    compiled: Callable[..., None] = njit(cache=False)(kernel)
    return compiled
