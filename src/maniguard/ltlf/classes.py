"""Letter classes: which letters an automaton cannot tell apart, and tables that find the class of a letter fast."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from maniguard.ltlf.dfa import Dfa

MAX_CLASSES = 20_000
MAX_CELLS = 2_000_000


class LetterClasses(NamedTuple):
    """Tables from packed letters to classes, and from classes to successors.

    A letter is its bytes, bit i of the whole being `atoms[i]`; its class is found byte by byte:
    `c = 0; for b, table in zip(letter, tables): c = table[c, b]`. Letters of one class have the same successor from
    every state: `successors[c, state]`.
    """

    tables: tuple[npt.NDArray[np.int64], ...]
    successors: npt.NDArray[np.int64]

    @property
    def size(self) -> int:
        """The number of classes."""
        return len(self.successors)


def letter_classes(dfa: Dfa) -> LetterClasses | None:
    """Return the letter classes of an automaton, None where they are too many to list."""
    vectors: dict[tuple[int, ...], int] = {dfa.roots: 0}
    tables: list[npt.NDArray[np.int64]] = []
    atoms = len(dfa.atoms)
    lo, hi, var = dfa.node_lo, dfa.node_hi, dfa.node_atom
    for start in range(0, atoms, 8):
        # From each class of the letters' first bytes to the classes after one more atom, then all eight composed.
        width = min(8, atoms - start)
        table = np.arange(len(vectors), dtype=np.int64).reshape(-1, 1)
        for atom in range(start, start + width):
            fresh: dict[tuple[int, ...], int] = {}
            below = np.empty((len(vectors), 2), dtype=np.int64)
            for vector, number in vectors.items():
                no = tuple([lo[r] if r >= 0 and var[r] == atom else r for r in vector])
                yes = tuple([hi[r] if r >= 0 and var[r] == atom else r for r in vector])
                below[number, 0] = fresh.setdefault(no, len(fresh))
                below[number, 1] = fresh.setdefault(yes, len(fresh))
            if len(fresh) > MAX_CLASSES or len(fresh) * dfa.num_states > MAX_CELLS:
                return None
            vectors = fresh
            # Bit k of the byte is the k-th atom of this chunk, so the new bit is the high one so far.
            table = np.concatenate([below[table, 0], below[table, 1]], axis=1)
        full = np.empty((len(table), 256), dtype=np.int64)
        full[:] = np.tile(table, (1, 256 // table.shape[1]))
        tables.append(full)
    successors = np.array([[~r for r in vector] for vector in vectors], dtype=np.int64).reshape(-1, dfa.num_states)
    return LetterClasses(tuple(tables), successors)
