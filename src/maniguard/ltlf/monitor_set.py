"""Many formulas watched together over one packed frame."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from itertools import compress
from operator import itemgetter

from maniguard.errors import alternatives
from maniguard.ltlf.badprefix import compile_bad_prefix
from maniguard.ltlf.compile import DEFAULT_BUDGET, Budget, compile_dfa
from maniguard.ltlf.dfa import Dfa, Verdict, make_row
from maniguard.ltlf.errors import FormulaError, MissingAtomError, TraceError
from maniguard.ltlf.formula import Formula
from maniguard.ltlf.monitor import Final, Reading

_TRUTHS = frozenset((False, True))


class MonitorSet:
    """Steps a named set of formulas as many small automata; a product would have all their states multiplied.

    A formula may also be given as its automaton, whatever the reading. `channels` is the order of bits in a packed
    frame: all atoms of all formulas, or a longer list given by the caller.
    """

    def __init__(
        self,
        formulas: Mapping[str, Formula | str | Dfa],
        *,
        reading: Reading = "ltlf",
        channels: Sequence[str] | None = None,
        budget: Budget = DEFAULT_BUDGET,
    ) -> None:
        if not formulas:
            raise FormulaError("a set of monitors needs at least one formula")
        if reading not in ("ltlf", "badprefix"):
            raise FormulaError(f"no reading {reading!r}; there are badprefix, ltlf")
        build = compile_dfa if reading == "ltlf" else compile_bad_prefix
        self.names = tuple(formulas)
        self.dfas: tuple[Dfa, ...] = tuple(
            f if isinstance(f, Dfa) else build(f, budget=budget) for f in formulas.values()
        )
        if channels is None:
            channels = list(dict.fromkeys(a for dfa in self.dfas for a in dfa.atoms))
        self.channels = tuple(channels)
        bit = {name: i for i, name in enumerate(self.channels)}
        if len(bit) != len(self.channels):
            raise FormulaError("a channel is named twice")
        for name, dfa in zip(self.names, self.dfas, strict=True):
            for atom in dfa.atoms:
                if atom not in bit:
                    raise MissingAtomError(f"no channel for atom {atom!r} of {name!r}; there are {alternatives(bit)}")
        self._masks = [sum(1 << bit[a] for a in dfa.atoms) for dfa in self.dfas]
        self._rows = [[make_row(_frame_finder(dfa, root, bit)) for root in dfa.roots] for dfa in self.dfas]
        self._initial = [dfa.initial for dfa in self.dfas]
        self.states = list(self._initial)
        self._bits = [1 << i for i in range(len(self.channels))]
        self._get = _getter(self.channels)

    def __reduce__(self) -> tuple[object, ...]:
        dfas = dict(zip(self.names, self.dfas, strict=True))
        return _restored, (dfas, self.channels, list(self.states))

    def pack(self, letter: Mapping[str, bool]) -> int:
        """Return the packed form of a letter that holds at least all channels.

        Raises:
            MissingAtomError: a channel is missing.
            TraceError: a value that is neither true nor false.
        """
        try:
            values = self._get(letter)
        except KeyError as error:
            raise MissingAtomError(
                f"the letter has no channel {error.args[0]!r}; it has {alternatives(letter)}"
            ) from None
        try:
            sound = _TRUTHS.issuperset(values)
        except TypeError:
            sound = False
        if not sound:
            name, value = next((n, v) for n, v in zip(self.channels, values, strict=True) if not _is_truth(v))
            raise TraceError(f"channel {name!r} must be true or false, got {value!r}")
        return sum(compress(self._bits, values))

    def step_packed(self, word: int) -> list[int]:
        """Take one packed frame and return the states after it, in the order of `names`."""
        self.states = states = [
            rows[state][word & mask] for rows, state, mask in zip(self._rows, self.states, self._masks, strict=True)
        ]
        return states

    def step(self, letter: Mapping[str, bool]) -> dict[str, Verdict]:
        """Take one letter and return the verdict of every formula."""
        self.step_packed(self.pack(letter))
        return self.verdicts()

    def tables(self) -> list[tuple[list[dict[int, int]], int, Dfa]]:
        """Return, per formula, its successor tables by masked frame, the mask, and the automaton."""
        return list(zip(self._rows, self._masks, self.dfas, strict=True))

    def verdicts(self) -> dict[str, Verdict]:
        """Return the verdict of every formula on the steps so far."""
        return {n: d.verdict(s) for n, d, s in zip(self.names, self.dfas, self.states, strict=True)}

    def finish(self) -> dict[str, Final]:
        """Judge the trace as ended here; see `Monitor.finish`."""
        return {name: Final.of(verdict) for name, verdict in self.verdicts().items()}

    def reset(self) -> None:
        """Start again before the first step."""
        self.states = list(self._initial)


def _is_truth(value: object) -> bool:
    return isinstance(value, Hashable) and value in _TRUTHS


def _restored(dfas: dict[str, Dfa], channels: tuple[str, ...], states: list[int]) -> MonitorSet:
    monitors = MonitorSet(dfas, channels=channels)
    monitors.states = states
    return monitors


def _frame_finder(dfa: Dfa, root: int, bit: dict[str, int]) -> Callable[[int], int]:
    lo, hi, node_atom = dfa.node_lo, dfa.node_hi, dfa.node_atom
    place = [bit[a] for a in dfa.atoms]

    def find(word: int) -> int:
        ref = root
        while ref >= 0:
            ref = hi[ref] if word >> place[node_atom[ref]] & 1 else lo[ref]
        return ~ref

    return find


def _getter(channels: Sequence[str]) -> Callable[[Mapping[str, bool]], tuple[object, ...]]:
    if len(channels) > 1:
        return itemgetter(*channels)
    return lambda letter: tuple(letter[name] for name in channels)
