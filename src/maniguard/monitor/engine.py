"""The judge itself: what one frame's truth and margins do to every rule. Live and recorded rollouts both drive it."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from maniguard.grounding import Detail, Grounder, frames_of, predicate_named
from maniguard.ltlf import Dfa, Verdict, compile_dfa, parse
from maniguard.monitor.automata import EpisodeTracker, Rule, TriggerTracker, at_present
from maniguard.monitor.judgement import (
    ConstraintVerdict,
    Episode,
    Evidence,
    Judgement,
    MonitorError,
    Peak,
    Rung,
    Trigger,
)
from maniguard.spec import Bound, Constraint, Spec, bind
from maniguard.trace import Channel, Scene


class Source(Protocol):
    """Where the engine looks closer when something happened at the present frame."""

    def detail(self, place: int) -> Detail:
        """Return the entity and quantity behind atom `place`."""

    def partner(self, column: int, frames: int) -> str | None:
        """Return what touched the entity within the last `frames` frames."""

    def settled(self) -> bool:
        """Whether no robot has touched anything yet and every entity is still at its settled pose."""


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


def _word(truth: int, places: tuple[int, ...]) -> int:
    word = 0
    for bit, place in enumerate(places):
        word |= (truth >> place & 1) << bit
    return word


class _Plain:
    """A formula without temporal operators as a test on the truth of all atoms."""

    def __init__(self, formula: str, letters: Letters, rename: Mapping[str, str], rate_hz: float) -> None:
        self.dfa = _compiled(formula, rate_hz)
        self.places = letters.view(self.dfa, rename)

    def holds(self, truth: int) -> bool:
        state = self.dfa.step_packed(self.dfa.initial, _word(truth, self.places))
        return bool(self.dfa.accept[state])


class _Watched:
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
            rests = self.triggers.rests(_word(truth, trigger), _word(truth, obligation))
        self.resting_on = truth & self.mask if rests else -1


class Step(NamedTuple):
    """What one frame brought: new violations by constraint, and what holds now."""

    engaged: bool
    opened: tuple[str, ...]
    in_goal: bool
    success: bool


class _Words(NamedTuple):
    engaged: bool
    goal: bool
    manipulated: bool
    reached: bool


class Engine:
    """Judges one rollout frame by frame, from the margins of the grounded atoms.

    Raises SpecError, GroundingError or MonitorError where the specification cannot be judged in this scene; a
    constraint that needs an absent channel, or is about an empty role, is marked and left out.
    """

    def __init__(
        self, spec: Spec, scene: Scene, channels: Mapping[str, Channel], rate_hz: float, step_limit: int | None
    ) -> None:
        self.spec, self.rate_hz, self.step_limit = spec, rate_hz, step_limit
        bound = bind(spec, scene)
        self.grounder = Grounder(scene, channels, rate_hz, bound.atoms)
        self.names = tuple(atom.name for atom in self.grounder.atoms)
        self._constants = bound.constants
        letters = Letters(self.names)
        self.status: dict[str, str] = {}
        self.watched: list[_Watched] = []
        for written in spec.constraints:
            constraint = self._filled(written)
            instances = self._instances(constraint, bound)
            status = self._status(constraint, bound, instances)
            self.status[constraint.name] = status
            if status == "evaluated":
                for instance, rename in instances.items():
                    self.watched.append(_Watched(constraint, instance, letters, rename, spec, rate_hz))
        self.watched_names = tuple(item.label for item in self.watched)
        self._single = bound.rename(spec, (), ())
        self._engagement = self._plain(spec.engagement, "engagement", letters, bound.empty)
        self._goal = self._plain(None if spec.goal is None else spec.goal.formula, "goal", letters, bound.empty)
        self._manipulated = self._plain(spec.ladder.manipulated, "ladder.manipulated", letters, bound.empty)
        self._reached = self._plain(spec.ladder.reached, "ladder.reached", letters, bound.empty)
        self._goal_frames = 1 if spec.goal is None else frames_of(spec.goal.dwell_s, rate_hz)
        self._evidence_frames = frames_of(spec.judging.evidence_window_s, rate_hz)
        self._post_success_frames = frames_of(spec.judging.post_success_s, rate_hz)
        self._scales = [float(scale) for scale in self.grounder.scales]
        self._memo: dict[int, _Words] = {}
        self._senses = sorted(self._find_senses().items())
        self._worst = [-math.inf] * len(self._senses)
        self._worst_at: list[tuple[int, Source] | None] = [None] * len(self._senses)
        self._peaks_known = False
        self.frames = 0
        self.engagement_step: int | None = None
        self.success_step: int | None = None
        self.invalid_scene = False
        self._in_goal_run = 0
        self._was_manipulated = self._was_reached = False

    def _fill(self, formula: str) -> str:
        """Return a formula with what is certain in this scene put in: propositions about roles that are empty."""
        for name, value in self._constants.items():
            formula = re.sub(rf"\b{name}\b", "true" if value else "false", formula)
        return formula

    def _filled(self, constraint: Constraint) -> Constraint:
        def text(formula: str | None) -> str | None:
            return None if formula is None else self._fill(formula)

        return replace(
            constraint,
            formula=self._fill(constraint.formula),
            trigger=text(constraint.trigger),
            obligation=text(constraint.obligation),
            recovery=text(constraint.recovery),
        )

    def _names(self, constraint: Constraint) -> list[str]:
        formulas = [constraint.formula, constraint.trigger, constraint.recovery]
        return [name for text in formulas if text for name in parse(text, rate_hz=self.rate_hz).atom_order()]

    def _instances(self, constraint: Constraint, bound: Bound) -> dict[tuple[str, ...], dict[str, str]]:
        """Return the choices of entities for which every proposition of a constraint has an atom, and those atoms."""
        names = self._names(constraint)
        renamed = {c: bound.rename(self.spec, constraint.each, c) for c in bound.instances(constraint.each)}
        return {choice: rename for choice, rename in renamed.items() if all(name in rename for name in names)}

    def _status(
        self, constraint: Constraint, bound: Bound, instances: Mapping[tuple[str, ...], Mapping[str, str]]
    ) -> str:
        names = self._names(constraint)
        if not instances or any(name in bound.empty for name in names):
            return "not-applicable"
        if self._constants and not names:
            # Everything that it speaks of is missing here, so that nothing can break it.
            return "not-applicable"
        atoms = [rename[name] for rename in instances.values() for name in names]
        absent = [self.grounder.missing[name] for name in atoms if name in self.grounder.missing]
        return f"not-evaluable({absent[0]})" if absent else "evaluated"

    def _plain(self, formula: str | None, what: str, letters: Letters, empty: Mapping[str, str]) -> _Plain | None:
        if formula is None:
            return None
        formula = self._fill(formula)
        for name in parse(formula, rate_hz=self.rate_hz).atom_order():
            if name in empty:
                raise MonitorError(
                    f"spec {self.spec.name!r}: {what} needs {name!r}, whose role {empty[name]!r} is empty"
                )
            if name in self.grounder.missing:
                channel = self.grounder.missing[name]
                raise MonitorError(
                    f"spec {self.spec.name!r}: {what} needs {name!r}, whose channel {channel!r} is absent"
                )
        return _Plain(formula, letters, self._single, self.rate_hz)

    def _find_senses(self) -> dict[int, int]:
        """Return for each atom of a rule whether it breaks rules by being true (1) or false (-1).

        What is measured for its severity alone is bad by being true.
        """
        senses: dict[int, int] = {}
        for item in self.watched:
            for bit, place in enumerate(item.places):
                sense = item.rule.polarity(bit)
                if sense and place not in senses:
                    senses[place] = sense
        for place, atom in enumerate(self.grounder.atoms):
            if predicate_named(atom.predicate).reported:
                senses.setdefault(place, 1)
        return senses

    def _words(self, truth: int) -> _Words:
        words = self._memo.get(truth)
        if words is None:
            words = _Words(
                self._engagement is None or self._engagement.holds(truth),
                self._goal is not None and self._goal.holds(truth),
                self._manipulated is not None and self._manipulated.holds(truth),
                self._reached is not None and self._reached.holds(truth),
            )
            self._memo[truth] = words
        return words

    def note_peaks(self, margins: NDArray[np.float64], source: Callable[[int], Source]) -> None:
        """Note how close each proposition came in the frames (T, A) of a whole record; then `advance` need not."""
        for number, (place, sense) in enumerate(self._senses):
            beyond = margins[:, place] * sense
            step = int(beyond.argmax())
            self._worst[number], self._worst_at[number] = float(beyond[step]), (step, source(step))
        self._peaks_known = True

    def advance(self, margins: Sequence[float], source: Source, truth: int | None = None) -> Step:
        """Take the next frame: its margins in the grounder's order of atoms, and perhaps their signs, bit by bit."""
        step = self.frames
        self.frames += 1
        if truth is None:
            truth = 0
            for place, margin in enumerate(margins):
                if margin > 0.0:
                    truth |= 1 << place
        words = self._words(truth)
        if not self._peaks_known:
            self._note_peaks(step, margins, source)
        starts = words.engaged and self.engagement_step is None
        if starts:
            self.engagement_step = step
        opened = self._advance_rules(step, truth, margins, source, starts)
        if opened and not self.invalid_scene and self.engagement_step is None and source.settled():
            self.invalid_scene = True
        self._was_manipulated |= words.manipulated
        self._was_reached |= words.reached
        self._in_goal_run = self._in_goal_run + 1 if words.goal else 0
        if self.success_step is None and self._in_goal_run >= self._goal_frames and self._goal is not None:
            self.success_step = step
        return Step(self.engagement_step is not None, opened, words.goal, self.success_step is not None)

    def _advance_rules(
        self, step: int, truth: int, margins: Sequence[float], source: Source, starts: bool
    ) -> tuple[str, ...]:
        opened = []
        for item in self.watched:
            if item.resting_on == truth & item.mask and not starts:
                continue
            anew = starts and item.tracker.broken_before
            word = _word(truth, item.places)
            if item.triggers is None and item.engaged is None and not anew and item.tracker.calm(word):
                item.settle(truth, word)
                continue
            places = item.places

            def distances(places: tuple[int, ...] = places) -> list[float]:
                return [abs(margins[place]) / self._scales[place] for place in places]

            def evidence(bit: int, places: tuple[int, ...] = places) -> Evidence:
                return self._evidence(step, places[bit], source)

            recovery_word = _word(truth, item.recovery_places)
            if anew:
                item.engaged = item.tracker.fresh()
            if item.engaged is not None and item.engaged.step(step, word, recovery_word, distances, evidence):
                opened.append(item.constraint.name)
            if item.tracker.step(step, word, recovery_word, distances, evidence):
                opened.append(item.constraint.name)
            if item.triggers is not None:
                trigger, obligation = item.trigger_places
                item.triggers.step(step, _word(truth, trigger), _word(truth, obligation))
            item.settle(truth, word)
        return tuple(dict.fromkeys(opened))

    def _evidence(self, step: int, place: int, source: Source) -> Evidence:
        entity, column, quantity, value = source.detail(place)
        partner = source.partner(column, self._evidence_frames)
        return Evidence(
            entity, self.names[place], quantity.name, value, quantity.threshold, quantity.unit, step, partner
        )

    def _note_peaks(self, step: int, margins: Sequence[float], source: Source) -> None:
        for number, (place, sense) in enumerate(self._senses):
            beyond = margins[place] * sense
            if beyond > self._worst[number]:
                self._worst[number] = beyond
                self._worst_at[number] = (step, source)

    def verdicts(self) -> tuple[Verdict, ...]:
        """Return what the automata of the evaluated constraints say at the last frame."""
        return tuple([item.tracker.verdict for item in self.watched])

    def judgement(self) -> Judgement:
        """Return the facts so far."""
        if self.frames == 0:
            raise MonitorError("nothing was judged: the monitor has seen no frame")
        watched: dict[str, list[_Watched]] = {}
        for item in self.watched:
            watched.setdefault(item.constraint.name, []).append(item)
        last = self.frames - 1
        seen = 0 if self.success_step is None else min(last - self.success_step, self._post_success_frames)
        return Judgement(
            spec=self.spec.name,
            variant=self.spec.variant,
            spec_hash=self.spec.digest,
            frames=self.frames,
            control_rate_hz=self.rate_hz,
            step_limit=self.step_limit,
            success_step=self.success_step,
            engagement_step=self.engagement_step,
            invalid_scene=self.invalid_scene,
            constraints=tuple(self._verdict(c, watched.get(c.name, [])) for c in self.spec.constraints),
            ladder=self._rung(),
            peaks=self._peaks(),
            post_success_frames=self._post_success_frames,
            post_success_seen=seen,
        )

    def _verdict(self, constraint: Constraint, items: Sequence[_Watched]) -> ConstraintVerdict:
        empty = ConstraintVerdict(
            name=constraint.name,
            role=constraint.role,
            formula=constraint.formula,
            severity=constraint.severity,
            status=self.status[constraint.name],
            category=constraint.category,
            triggered=constraint.trigger is not None,
        )
        episodes: list[Episode] = []
        engaged_episodes: list[Episode] = []
        triggers: list[Trigger] = []
        for item in items:
            found = [replace(episode, instance=item.instance) for episode in item.tracker.episodes()]
            episodes += found
            if item.engaged is not None:
                engaged_episodes += [replace(e, instance=item.instance) for e in item.engaged.episodes()]
            elif self.engagement_step is not None:
                engaged_episodes += found
            if item.triggers is not None:
                triggers += [replace(trigger, instance=item.instance) for trigger in item.triggers.triggers()]
        # Instances follow each other in the order of the scene; what happened is told in the order of time.
        return replace(
            empty,
            episodes=tuple(sorted(episodes, key=lambda episode: episode.start_step)),
            engaged_episodes=tuple(sorted(engaged_episodes, key=lambda episode: episode.start_step)),
            triggers=tuple(sorted(triggers, key=lambda trigger: trigger.step)),
            pending=any(item.tracker.pending for item in items),
        )

    def _rung(self) -> Rung:
        limit = self.step_limit
        if self.success_step is not None and (limit is None or self.success_step <= limit):
            return "success"
        if self._was_manipulated:
            return "manipulated"
        return "reached" if self._was_reached else "idle"

    def _peaks(self) -> tuple[Peak, ...]:
        found = []
        for (place, _), beyond, at in zip(self._senses, self._worst, self._worst_at, strict=True):
            assert at is not None
            step, source = at
            entity, _, quantity, value = source.detail(place)
            severity = beyond / self._scales[place]
            name, threshold = self.names[place], quantity.threshold
            found.append(Peak(name, entity, quantity.name, value, threshold, quantity.unit, step, severity))
        return tuple(found)
