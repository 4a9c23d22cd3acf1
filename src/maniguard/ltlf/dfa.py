"""Minimal deterministic automata with decision diagrams as guards."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import Enum
from functools import cached_property
from operator import itemgetter
from typing import Any

import numpy as np
import numpy.typing as npt

from maniguard.errors import alternatives
from maniguard.ltlf.derive import Raw
from maniguard.ltlf.diagrams import leaves_below
from maniguard.ltlf.errors import MissingAtomError, TraceError
from maniguard.ltlf.formula import Formula

_ROW_LIMIT = 1 << 16
_TABLE_LIMIT = 1 << 16


class Verdict(Enum):
    """What the steps so far say: satisfied or violated, for good (PERM) or as things stand (CURR)."""

    PERM_SAT = "PERM_SAT"
    CURR_SAT = "CURR_SAT"
    CURR_VIOL = "CURR_VIOL"
    PERM_VIOL = "PERM_VIOL"

    @property
    def is_satisfied(self) -> bool:
        """Whether a trace that ended here would satisfy the formula."""
        return self in (Verdict.PERM_SAT, Verdict.CURR_SAT)

    @property
    def is_final(self) -> bool:
        """Whether no further step can change the verdict."""
        return self in (Verdict.PERM_SAT, Verdict.PERM_VIOL)

    __hash__ = object.__hash__


class _Row(dict[Any, int]):
    """Successors of one state by letter, filled as letters occur."""

    __slots__ = ("find",)

    def __init__(self, find: Callable[[Any], int]) -> None:
        super().__init__()
        self.find = find

    def __missing__(self, letter: Any) -> int:
        target = self.find(letter)
        if len(self) < _ROW_LIMIT:
            self[letter] = target
        return target


def make_row(find: Callable[[Any], int]) -> dict[Any, int]:
    """Return a table that asks `find` once for every key."""
    return _Row(find)


class Dfa:
    """The minimal complete DFA of a formula.

    States are 0 … `num_states`-1 and 0 is `initial`; the rejecting state that is never left, if there is one, counts.
    A guard is an integer: `~s` for state `s`, else the index of a decision node. Bit i of a packed letter is
    `atoms[i]`.
    """

    initial = 0

    def __init__(self, atoms: tuple[str, ...], raw: Raw, formula: Formula | None = None) -> None:
        self.atoms = atoms
        self.formula = formula
        self.node_atom = tuple(raw.var)
        self.node_lo = tuple(raw.lo)
        self.node_hi = tuple(raw.hi)
        self.roots = tuple(raw.roots)
        self.accept = tuple(raw.accept)
        self.num_states = len(self.roots)
        self._mask = (1 << len(atoms)) - 1
        self._get = _getter(atoms)
        self._rows = [_Row(self._finder(root)) for root in self.roots]
        self._verdicts = tuple(self._verdict_of(state) for state in range(self.num_states))

    def __reduce__(self) -> tuple[object, ...]:
        return Dfa, (self.atoms, self.raw, self.formula)

    def __repr__(self) -> str:
        return f"<Dfa of {self.formula!r}: {self.num_states} states, {len(self.node_atom)} nodes>"

    @property
    def raw(self) -> Raw:
        """The automaton as plain lists."""
        return Raw(list(self.node_atom), list(self.node_lo), list(self.node_hi), list(self.roots), list(self.accept))

    @cached_property
    def _packed(self) -> list[list[int]] | list[_Row]:
        """Successors by packed letter: plain lists where they are small."""
        finders = [self._packed_finder(root) for root in self.roots]
        if self.num_states << len(self.atoms) <= _TABLE_LIMIT:
            return [[find(word) for word in range(self._mask + 1)] for find in finders]
        return [_Row(find) for find in finders]

    def _verdict_of(self, state: int) -> Verdict:
        # The automaton is minimal, so a verdict is permanent exactly where the state is never left.
        forever = self.roots[state] == ~state
        if self.accept[state]:
            return Verdict.PERM_SAT if forever else Verdict.CURR_SAT
        return Verdict.PERM_VIOL if forever else Verdict.CURR_VIOL

    def _finder(self, root: int) -> Callable[[tuple[object, ...]], int]:
        atoms, lo, hi, node_atom = self.atoms, self.node_lo, self.node_hi, self.node_atom

        def find(values: tuple[object, ...]) -> int:
            for name, value in zip(atoms, values, strict=True):
                if value not in (0, 1):
                    raise TraceError(f"atom {name!r} must be true or false, got {value!r}")
            ref = root
            while ref >= 0:
                ref = hi[ref] if values[node_atom[ref]] else lo[ref]
            return ~ref

        return find

    def _packed_finder(self, root: int) -> Callable[[int], int]:
        lo, hi, node_atom = self.node_lo, self.node_hi, self.node_atom

        def find(word: int) -> int:
            ref = root
            while ref >= 0:
                ref = hi[ref] if word >> node_atom[ref] & 1 else lo[ref]
            return ~ref

        return find

    def step(self, state: int, letter: Mapping[str, bool]) -> int:
        """Return the state after one letter, which may hold more names than `atoms`.

        Raises:
            MissingAtomError: the letter lacks an atom.
            TraceError: a value that is neither true nor false.
        """
        try:
            return self._rows[state][self._get(letter)]
        except KeyError as error:
            missing = error.args[0]
            raise MissingAtomError(
                f"the letter has no atom {missing!r}; it has {alternatives(map(str, letter))}"
            ) from None
        except TypeError as error:
            raise TraceError(f"a letter must map atoms to true or false ({error})") from None

    def step_packed(self, state: int, word: int) -> int:
        """Return the state after a letter in which bit i is `atoms[i]`; higher bits are ignored."""
        return self._packed[state][word & self._mask]

    def accepts(self, trace: Iterable[Mapping[str, bool]]) -> bool:
        """Say whether the trace satisfies the formula."""
        state = self.initial
        for letter in trace:
            state = self.step(state, letter)
        return self.accept[state]

    def verdict(self, state: int) -> Verdict:
        """Return what reaching `state` means."""
        return self._verdicts[state]

    def successors(self, state: int) -> tuple[int, ...]:
        """Return the distinct successors of a state, false branches first."""
        return leaves_below((self.roots[state],), self.node_lo, self.node_hi)

    @cached_property
    def distance_to_doom(self) -> tuple[int | None, ...]:
        """Per state, the least number of letters to a permanent violation; None where there is no such future."""
        from maniguard.ltlf.analysis import distances

        return distances(self)

    def pack(self, letter: Mapping[str, bool]) -> int:
        """Return the packed form of a letter."""
        word = 0
        for i, value in enumerate(self._values(letter)):
            word |= bool(value) << i
        return word

    def _values(self, letter: Mapping[str, bool]) -> tuple[object, ...]:
        self.step(self.initial, letter)
        return self._get(letter)

    def run(self, truth: npt.NDArray[np.bool_], columns: Sequence[str] | None = None) -> npt.NDArray[np.int32]:
        """Return the state after each step of one trace, shape (T,).

        `truth` has shape (T, A); `columns` names its columns (default: `atoms`), in any order and with others beside.
        """
        words = pack_columns(truth, self.atoms, self.atoms if columns is None else columns)
        return np.array(self.run_packed(words), dtype=np.int32)

    def run_packed(self, words: Iterable[int], state: int | None = None) -> list[int]:
        """Return the states after each of the packed letters, from `state` (default: the initial one) on."""
        at = self.initial if state is None else state
        rows, mask = self._packed, self._mask
        return [at := rows[at][word & mask] for word in words]

    def to_dict(self) -> dict[str, object]:
        """Return the automaton in plain JSON types; nodes are [atom, guard if false, guard if true]."""
        return {
            "format": "maniguard-dfa",
            "version": 1,
            "formula": None if self.formula is None else str(self.formula),
            "atoms": list(self.atoms),
            "num_states": self.num_states,
            "initial": self.initial,
            "accepting": [s for s in range(self.num_states) if self.accept[s]],
            "verdicts": [v.value for v in self._verdicts],
            "nodes": [list(node) for node in zip(self.node_atom, self.node_lo, self.node_hi, strict=True)],
            "guards": list(self.roots),
        }

    @classmethod
    def from_dict(cls, plain: Mapping[str, Any]) -> Dfa:
        """Return the automaton that `to_dict` described.

        Raises:
            TraceError: the description is not of this format, or is inconsistent.
        """
        from maniguard.ltlf.minimise import minimise
        from maniguard.ltlf.parser import parse

        if plain.get("format") != "maniguard-dfa" or plain.get("version") != 1:
            raise TraceError("not a description of an automaton in the format maniguard-dfa, version 1")
        atoms, nodes, roots = tuple(plain["atoms"]), plain["nodes"], list(plain["guards"])
        accepting = set(plain["accepting"])
        count = len(roots)
        for i, (atom, lo, hi) in enumerate(nodes):
            if not (0 <= atom < len(atoms) and -count <= lo < i and -count <= hi < i):
                raise TraceError(f"node {i} of the automaton is inconsistent")
        if not count or not all(-count <= r < len(nodes) for r in roots) or not accepting <= set(range(count)):
            raise TraceError("the guards or accepting states of the automaton are inconsistent")
        raw = Raw(
            [n[0] for n in nodes],
            [n[1] for n in nodes],
            [n[2] for n in nodes],
            roots,
            [s in accepting for s in range(count)],
        )
        formula = plain.get("formula")
        return cls(atoms, minimise(raw), None if formula is None else parse(formula))

    def to_hoa(self) -> str:
        """Return the automaton in the Hanoi Omega-Automata format, its states read as those of a finite automaton."""
        from maniguard.ltlf.hoa import to_hoa

        return to_hoa(self)

    def to_svg(self) -> str:
        """Return a picture of the automaton."""
        from maniguard.ltlf.export_svg import to_svg

        return to_svg(self)

    def to_dot(self) -> str:
        """Return the automaton as a Graphviz digraph, one edge per pair of states."""
        from maniguard.ltlf.export_dot import to_dot

        return to_dot(self)


def _getter(atoms: tuple[str, ...]) -> Callable[[Mapping[str, bool]], tuple[object, ...]]:
    if len(atoms) > 1:
        return itemgetter(*atoms)
    if not atoms:
        return lambda letter: ()
    (only,) = atoms
    return lambda letter: (letter[only],)


def pack_columns(truth: npt.NDArray[np.bool_], atoms: Sequence[str], columns: Sequence[str]) -> list[int]:
    """Return one packed word per row of `truth` (T, A): bit i is the column that `columns` names `atoms[i]`.

    Raises:
        MissingAtomError: an atom has no column.
        TraceError: `truth` is not a two-dimensional Boolean array with one column per name.
    """
    truth = np.asarray(truth)
    if truth.ndim != 2 or truth.shape[1] != len(columns) or truth.dtype != np.bool_:
        raise TraceError(f"truth must be a Boolean array (steps, {len(columns)}), got {truth.dtype} {truth.shape}")
    where = {name: i for i, name in enumerate(columns)}
    for name in atoms:
        if name not in where:
            raise MissingAtomError(f"no column for atom {name!r}; there are {alternatives(columns)}")
    words: npt.NDArray[np.object_] | npt.NDArray[np.int64]
    if len(atoms) <= 62:
        words = np.zeros(len(truth), dtype=np.int64)
        for i, name in enumerate(atoms):
            words |= truth[:, where[name]].astype(np.int64) << i
        return [int(w) for w in words.tolist()]
    rows = np.packbits(truth[:, [where[name] for name in atoms]], axis=1, bitorder="little")
    return [int.from_bytes(row.tobytes(), "little") for row in rows]
