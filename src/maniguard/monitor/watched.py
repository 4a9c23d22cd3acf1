"""Rules at work: which atoms each one reads, and everything that follows it through a rollout."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache

from maniguard.grounding import frames_of
from maniguard.ltlf import Dfa, compile_dfa, parse
from maniguard.monitor.automata import EpisodeTracker, Rule, TriggerTracker, at_present
from maniguard.spec import Constraint, Spec


class Letters:
    """Packs the truth of all atoms into one word, and that word into the words of automata over some of them."""

    def __init__(self, names: Sequence[str]) -> None:
        self._place = {name: index for index, name in enumerate(names)}

    def view(self, dfa: Dfa, rename: Mapping[str, str]) -> tuple[int, ...]:
        """Return the places of an automaton's atoms; `rename` says which atom each proposition stands for."""
        return tuple(self._place[rename[name]] for name in dfa.atoms)


@lru_cache(maxsize=512)
def _compiled_rule(formula: str, rate_hz: float) -> Rule:
    # Rules are the same for every rollout of a specification, and hold nothing that belongs to one.
    return Rule(formula, rate_hz)


@lru_cache(maxsize=512)
def _compiled(formula: str, rate_hz: float) -> Dfa:
    return compile_dfa(parse(formula, rate_hz=rate_hz))


def word_of(truth: int, places: tuple[int, ...]) -> int:
    """Return the word that an automaton reads whose atoms have these places in the packed truth of all."""
    word = 0
    for bit, place in enumerate(places):
        word |= (truth >> place & 1) << bit
    return word


class Plain:
    """A formula without temporal operators as a test on the truth of all atoms."""

    def __init__(self, formula: str, letters: Letters, rename: Mapping[str, str], rate_hz: float) -> None:
        self.dfa = _compiled(formula, rate_hz)
        self.places = letters.view(self.dfa, rename)

    def holds(self, truth: int) -> bool:
        """Return whether the formula holds where the atoms have this packed truth."""
        state = self.dfa.step_packed(self.dfa.initial, word_of(truth, self.places))
        return bool(self.dfa.accept[state])


class Watched:
    """One constraint, or one instance of it, with everything that follows it."""

    def __init__(
        self,
        constraint: Constraint,
        instance: tuple[str, ...],
        letters: Letters,
        rename: Mapping[str, str],
        spec: Spec,
        rate_hz: float,
    ) -> None:
        self.constraint, self.instance = constraint, instance
        self.label = f"{constraint.name}[{', '.join(instance)}]" if instance else constraint.name
        self.rule = _compiled_rule(constraint.formula, rate_hz)
        self.places = letters.view(self.rule.dfa, rename)
        self.recovery: Dfa | None = None
        self.recovery_places: tuple[int, ...] = ()
        if constraint.recovery is not None:
            self.recovery = _compiled(constraint.recovery, rate_hz)
            self.recovery_places = letters.view(self.recovery, rename)
        self.tracker = EpisodeTracker(self.rule, frames_of(spec.judging.episode_clear_s, rate_hz), self.recovery)
        self.engaged: EpisodeTracker | None = None
        self.triggers: TriggerTracker | None = None
        self.trigger_places: tuple[tuple[int, ...], tuple[int, ...]] = ((), ())
        if constraint.trigger is not None and constraint.obligation is not None:
            trigger = _compiled(at_present(constraint.trigger), rate_hz)
            obligation = _compiled(constraint.obligation, rate_hz)
            self.triggers = TriggerTracker(trigger, obligation)
            self.trigger_places = (letters.view(trigger, rename), letters.view(obligation, rename))
        self.mask = 0
        for place in (*self.places, *self.recovery_places, *self.trigger_places[0], *self.trigger_places[1]):
            self.mask |= 1 << place
        # While nothing that it reads changes and it has come to rest, a rule need not be looked at.
        self.resting_on = -1

    def settle(self, truth: int, word: int) -> None:
        """Note whether the rule has come to rest on this frame."""
        rests = self.tracker.rests(word) and (self.engaged is None or self.engaged.rests(word))
        if rests and self.triggers is not None:
            trigger, obligation = self.trigger_places
            rests = self.triggers.rests(word_of(truth, trigger), word_of(truth, obligation))
        self.resting_on = truth & self.mask if rests else -1
