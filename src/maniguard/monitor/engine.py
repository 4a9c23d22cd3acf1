"""The judge itself: what one frame's truth and margins do to every rule. Live and recorded rollouts both drive it."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from maniguard.grounding import Detail, Grounder, frames_of, predicate_named
from maniguard.ltlf import Verdict, parse
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
from maniguard.monitor.watched import Letters, Plain, Watched, word_of
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
        self.watched: list[Watched] = []
        for written in spec.constraints:
            constraint = self._filled(written)
            instances = self._instances(constraint, bound)
            status = self._status(constraint, bound, instances)
            self.status[constraint.name] = status
            if status == "evaluated":
                for instance, rename in instances.items():
                    self.watched.append(Watched(constraint, instance, letters, rename, spec, rate_hz))
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

    def _plain(self, formula: str | None, what: str, letters: Letters, empty: Mapping[str, str]) -> Plain | None:
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
        return Plain(formula, letters, self._single, self.rate_hz)

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
            word = word_of(truth, item.places)
            if item.triggers is None and item.engaged is None and not anew and item.tracker.calm(word):
                item.settle(truth, word)
                continue
            places = item.places

            def distances(places: tuple[int, ...] = places) -> list[float]:
                return [abs(margins[place]) / self._scales[place] for place in places]

            def evidence(bit: int, places: tuple[int, ...] = places) -> Evidence:
                return self._evidence(step, places[bit], source)

            recovery_word = word_of(truth, item.recovery_places)
            if anew:
                item.engaged = item.tracker.fresh()
            if item.engaged is not None and item.engaged.step(step, word, recovery_word, distances, evidence):
                opened.append(item.constraint.name)
            if item.tracker.step(step, word, recovery_word, distances, evidence):
                opened.append(item.constraint.name)
            if item.triggers is not None:
                trigger, obligation = item.trigger_places
                item.triggers.step(step, word_of(truth, trigger), word_of(truth, obligation))
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
        watched: dict[str, list[Watched]] = {}
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

    def _verdict(self, constraint: Constraint, items: Sequence[Watched]) -> ConstraintVerdict:
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
