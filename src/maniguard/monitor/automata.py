"""Constraints as automata: violations with their episodes, obligations with their triggers, step by step."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations
from typing import NamedTuple

from maniguard.ltlf import Dfa, Verdict, compile_bad_prefix, compile_dfa, parse
from maniguard.monitor.judgement import Episode, Evidence, MonitorError, Trigger

# A violation is explained by at most this many atoms at once; beyond it, by all of them.
_MOST_CULPRITS = 4


class Rule:
    """A constraint compiled: when it is broken, which atoms are to blame, whether it waits for something.

    Words are packed letters over `atoms`: bit i is `atoms[i]`.
    """

    def __init__(self, formula: str, rate_hz: float) -> None:
        parsed = parse(formula, rate_hz=rate_hz)
        self.dfa = compile_bad_prefix(parsed)
        self.atoms = self.dfa.atoms
        self.rejects = [self.dfa.verdict(s) is Verdict.PERM_VIOL for s in range(self.dfa.num_states)]
        if self.rejects[self.dfa.initial]:
            raise MonitorError(f"the formula {formula!r} is broken by every rollout")
        full = compile_dfa(parsed)
        # Without a state that waits for something, nothing is ever pending and one automaton is enough.
        waits = any(full.verdict(state) is Verdict.CURR_VIOL for state in range(full.num_states))
        self.full = full if waits else None
        self._culprits: dict[tuple[int, int], tuple[tuple[int, ...], ...]] = {}
        self._polarity: dict[int, int] = {}

    def culprits(self, state: int, word: int) -> tuple[tuple[int, ...], ...]:
        """Return the smallest sets of atoms (bits) each of which, turned round, would have kept the rule."""
        key = (state, word)
        if key not in self._culprits:
            self._culprits[key] = self._find_culprits(state, word)
        return self._culprits[key]

    def _find_culprits(self, state: int, word: int) -> tuple[tuple[int, ...], ...]:
        bits = range(len(self.atoms))
        for size in range(1, min(len(self.atoms), _MOST_CULPRITS) + 1):
            found = []
            for chosen in combinations(bits, size):
                turned = word
                for bit in chosen:
                    turned ^= 1 << bit
                if not self.rejects[self.dfa.step_packed(state, turned)]:
                    found.append(chosen)
            if found:
                return tuple(found)
        return (tuple(bits),)

    def polarity(self, bit: int) -> int:
        """Return 1 if the atom can break the rule by being true, -1 by being false, 0 if it cannot alone."""
        if bit not in self._polarity:
            self._polarity[bit] = self._find_polarity(bit)
        return self._polarity[bit]

    def _find_polarity(self, bit: int) -> int:
        others = [b for b in range(len(self.atoms)) if b != bit]
        words = range(1 << min(len(others), 10))
        for sense in (1, -1):
            for state in range(self.dfa.num_states):
                if self.rejects[state]:
                    continue
                for packed in words:
                    word = sum(1 << b for i, b in enumerate(others) if packed >> i & 1)
                    off, on = self.dfa.step_packed(state, word), self.dfa.step_packed(state, word | 1 << bit)
                    bad, good = (on, off) if sense == 1 else (off, on)
                    if self.rejects[bad] and not self.rejects[good]:
                        return sense
        return 0


class Blame(NamedTuple):
    """The atom that a rejection is put down to, and how far beyond its threshold it is, without dimension."""

    bit: int
    severity: float


def blame(rule: Rule, state: int, word: int, distances: Sequence[float]) -> Blame:
    """Put a rejection down to an atom; `distances` are |margin| / scale per atom.

    The rule would have been kept by turning round one of the smallest sets of culprits. The nearest such set tells the
    severity, by its atom that is furthest from its threshold; that atom is the evidence.
    """
    best: Blame | None = None
    for chosen in rule.culprits(state, word):
        bit = max(chosen, key=lambda b: distances[b])
        if best is None or distances[bit] < best.severity:
            best = Blame(bit, distances[bit])
    assert best is not None
    return best


class _Open:
    """An episode that is not over."""

    __slots__ = ("evidence", "last_bad", "recovery_state", "severity", "start")

    def __init__(self, start: int, severity: float, evidence: Evidence, recovery_state: int) -> None:
        self.start, self.last_bad, self.severity, self.evidence = start, start, severity, evidence
        self.recovery_state = recovery_state

    def close(self, end: int | None) -> Episode:
        return Episode(self.start, end, end is not None, self.severity, self.evidence)


class EpisodeTracker:
    """Follows one rule through a rollout.

    When the automaton rejects, an episode opens and the automaton starts anew on the same frame. Without recovery
    formula the episode is over when the automaton has not rejected for `clear_frames` frames, and ended with the first
    of them; with one, it is over and ended at the first later frame at which the recovery, read from the violation on,
    holds.
    """

    def __init__(self, rule: Rule, clear_frames: int, recovery: Dfa | None) -> None:
        self.rule, self.clear_frames, self.recovery = rule, clear_frames, recovery
        self.state = rule.dfa.initial
        self.full_state = 0 if rule.full is None else rule.full.initial
        self.rejecting = False
        self.open: _Open | None = None
        self.closed: list[Episode] = []

    @property
    def broken_before(self) -> bool:
        """Whether the rule was broken so far."""
        return self.open is not None or bool(self.closed)

    def rests(self, word: int) -> bool:
        """Whether the same word again would change nothing."""
        rule = self.rule
        if self.open is not None or self.rejecting or rule.dfa.step_packed(self.state, word) != self.state:
            return False
        return rule.full is None or rule.full.step_packed(self.full_state, word) == self.full_state

    def calm(self, word: int) -> bool:
        """Take the next frame if it breaks nothing and no episode is open; return whether it was taken."""
        rule = self.rule
        if self.open is not None or rule.full is not None:
            return False
        after = rule.dfa.step_packed(self.state, word)
        if rule.rejects[after]:
            return False
        self.state, self.rejecting = after, False
        return True

    def step(
        self,
        step: int,
        word: int,
        recovery_word: int,
        distances: Callable[[], Sequence[float]],
        evidence: Callable[[int], Evidence],
    ) -> bool:
        """Take the next frame; return whether an episode opened. The functions are only called at a rejection."""
        rule, before = self.rule, self.state
        after = rule.dfa.step_packed(before, word)
        self.rejecting = rule.rejects[after]
        opened = False
        if self.open is not None and self.recovery is not None:
            self.open.recovery_state = self.recovery.step_packed(self.open.recovery_state, recovery_word)
            if self.recovery.accept[self.open.recovery_state]:
                self._close(step)
        if self.rejecting:
            opened = self._reject(step, before, word, recovery_word, distances, evidence)
        else:
            self.state = after
            if rule.full is not None:
                self.full_state = rule.full.step_packed(self.full_state, word)
            running = self.open
            if running is not None and self.recovery is None and step - running.last_bad >= self.clear_frames:
                self._close(running.last_bad + 1)
        return opened

    def _reject(
        self,
        step: int,
        before: int,
        word: int,
        recovery_word: int,
        distances: Callable[[], Sequence[float]],
        evidence: Callable[[int], Evidence],
    ) -> bool:
        rule = self.rule
        found = blame(rule, before, word, distances())
        again = rule.dfa.step_packed(rule.dfa.initial, word)
        self.state = rule.dfa.initial if rule.rejects[again] else again
        if rule.full is not None:
            initial = rule.full.initial
            self.full_state = initial if rule.rejects[again] else rule.full.step_packed(initial, word)
        if self.open is not None:
            self.open.last_bad = step
            self.open.severity = max(self.open.severity, found.severity)
            return False
        recovery = self.recovery
        state = 0 if recovery is None else recovery.step_packed(recovery.initial, recovery_word)
        self.open = _Open(step, found.severity, evidence(found.bit), state)
        return True

    def _close(self, end: int) -> None:
        assert self.open is not None
        self.closed.append(self.open.close(end))
        self.open = None

    def episodes(self) -> tuple[Episode, ...]:
        """Return the episodes so far; one that is not over has no end."""
        return (*self.closed, self.open.close(None)) if self.open is not None else tuple(self.closed)

    @property
    def verdict(self) -> Verdict:
        """What the automaton says at the last frame; PERM_VIOL exactly in the frames that break the rule."""
        if self.rejecting:
            return Verdict.PERM_VIOL
        if self.rule.full is not None:
            return self.rule.full.verdict(self.full_state)
        return self.rule.dfa.verdict(self.state)

    @property
    def pending(self) -> bool:
        """Whether an obligation is open."""
        return self.verdict is Verdict.CURR_VIOL

    def fresh(self) -> EpisodeTracker:
        """Return a tracker of the same rule that has seen nothing."""
        return EpisodeTracker(self.rule, self.clear_frames, self.recovery)


def at_present(formula: str) -> str:
    """Return a formula that a record satisfies exactly when its last frame satisfies `formula`, of now and the past."""
    return f"F(last & ({formula}))"


class TriggerTracker:
    """Follows every activation (rising edge) of a trigger until its obligation is fulfilled or violated.

    `trigger` is the automaton that accepts after each frame in which the trigger holds (see `at_present`).
    """

    def __init__(self, trigger: Dfa, obligation: Dfa) -> None:
        self.trigger, self.obligation = trigger, obligation
        self._state = trigger.initial
        self._on = False
        self._running: list[tuple[int, int]] = []
        self._ended: list[Trigger] = []

    def step(self, step: int, trigger_word: int, obligation_word: int) -> None:
        """Take the next frame."""
        self._state = self.trigger.step_packed(self._state, trigger_word)
        on = self.trigger.accept[self._state]
        if on and not self._on:
            self._running.append((step, self.obligation.initial))
        self._on = on
        if not self._running:
            return
        still = []
        for start, state in self._running:
            after = self.obligation.step_packed(state, obligation_word)
            verdict = self.obligation.verdict(after)
            if verdict is Verdict.PERM_SAT:
                self._ended.append(Trigger(start, "fulfilled", step))
            elif verdict is Verdict.PERM_VIOL:
                self._ended.append(Trigger(start, "violated", step))
            else:
                still.append((start, after))
        self._running = still

    def rests(self, trigger_word: int, obligation_word: int) -> bool:
        """Whether the same words again would change nothing."""
        return self.trigger.step_packed(self._state, trigger_word) == self._state and all(
            self.obligation.step_packed(state, obligation_word) == state for _, state in self._running
        )

    def triggers(self) -> tuple[Trigger, ...]:
        """Return the activations so far in order; those whose obligation is open are cut off."""
        cut = [Trigger(start, "cut-off", None) for start, _ in self._running]
        return tuple(sorted((*self._ended, *cut), key=lambda trigger: trigger.step))
