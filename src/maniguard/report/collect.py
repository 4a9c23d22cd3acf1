"""From a run on disk to what a report shows of it."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from maniguard.evaluate import Run, judgement_of, row_of, task_order
from maniguard.ltlf import parse
from maniguard.metrics import check_rows
from maniguard.monitor import ConstraintLine, ConstraintVerdict, Episode, Evidence, Judgement, Reading, read, timeline
from maniguard.report.detail import PropositionTrack, RolloutDetail, RuleTrack
from maniguard.report.replay import replay
from maniguard.report.view import EpisodeView, RolloutView, Rule, RunView
from maniguard.spec import Spec


class Collector:
    """Reads a run under one protocol, and one spec variant if its traces are to be judged anew.

    Specs are loaded once; traces are read one at a time, and only for details or another variant.
    """

    def __init__(self, run: Run, *, protocol: str = "maniguard", spec_variant: str | None = None) -> None:
        self._run, self._protocol = run, protocol
        self._variant = spec_variant
        self._specs: dict[str, Spec] = {}

    @property
    def variant(self) -> str:
        """The spec variant that the verdicts come from."""
        return self._variant or self._run.plan.spec_variant

    def view(self) -> RunView:
        """Return the run as it stands: finished rollouts in plan order; those still to be run are counted as pending.

        Raises RowError for results that contradict each other and whatever reading them raises.
        """
        plan = self._run.plan
        results = list(self._run.results())
        rollouts = tuple(self.rollout(result) for result in results)
        check_rows((r.row for r in rollouts), protocol=self._protocol)
        return RunView(
            policy=plan.policy,
            protocol=self._protocol,
            spec_variant=self.variant,
            privileged=plan.privileged,
            planned=len(plan.items),
            identity=plan.identity,
            rollouts=rollouts,
            rules=tuple(self._rules()),
            notes=(*_notes(results), *_marks(results), *self._changed_specs()),
            contract=plan.contract,
            order=task_order(self._run),
        )

    def rollout(self, result: Mapping[str, Any]) -> RolloutView:
        """Return one finished rollout."""
        scenario = result["scenario"]
        judgement = judgement_of(self._run, result, self._variant, self._specs)
        video = self._run.video_path(result["rollout_id"])
        row = row_of(result, judgement, self._protocol)
        facts: dict[str, Any] = {}
        if judgement is not None:
            reading = read(judgement, self._protocol)
            success_step = judgement.success_step if reading.success else None
            facts = {
                "duration_s": (judgement.frames - 1) / judgement.control_rate_hz,
                "engaged_s": _seconds(judgement.engagement_step, judgement),
                "success_s": _seconds(success_step, judgement),
                "violated_s": _seconds(reading.first_violation_step, judgement),
                "episodes": tuple(_episodes(judgement, reading)),
            }
        return RolloutView(
            rollout_id=result["rollout_id"],
            row=row,
            scenario_id=scenario["id"],
            variant=scenario["variant"],
            instruction=scenario["instruction"],
            fault=result["fault"],
            trace_digest=result["trace_digest"],
            video=video if video.is_file() else None,
            **facts,
        )

    def detail(self, view: RolloutView) -> RolloutDetail:
        """Return the page of one rollout, with its trace judged once more for the time line."""
        result = self._run.result(view.rollout_id)
        if view.trace_digest is None:
            return RolloutDetail(view, frames=0, rate_hz=1.0)
        trace = self._run.trace(view.rollout_id)
        spec = self._spec(result["scenario"]["spec"])
        line = timeline(trace, spec)
        lines = {constraint.name: constraint for constraint in line.constraints}
        marks = result["scenario"].get("recording", {}).get("marks", {})
        tracks = [
            _marked(track, marks.get(track.name.partition("[")[0], ()))
            for verdict in line.judgement.constraints
            for track in _tracks(view, verdict, spec, lines, trace.control_rate_hz)
        ]
        return RolloutDetail(
            rollout=view,
            frames=len(trace),
            rate_hz=trace.control_rate_hz,
            rules=tuple(tracks),
            propositions=tuple(
                PropositionTrack(p.name, p.truth, p.margin, {"deg": "°"}.get(p.unit, p.unit)) for p in line.propositions
            ),
            engaged=line.engaged,
            events=tuple((event.step, event.kind, event.detail) for event in trace.events),
            replay=replay(trace),
        )

    def _spec(self, name: str) -> Spec:
        if name not in self._specs:
            self._specs[name] = self._run.spec(name, self.variant)
        return self._specs[name]

    def _changed_specs(self) -> Iterator[str]:
        """Verdicts of the run's own variant are as stored; time lines are drawn by the specs as they are now."""
        if self.variant != self._run.plan.spec_variant:
            return
        changed = sorted(name for name, digest in self._run.plan.specs.items() if self._spec(name).digest != digest)
        if changed:
            yield (
                f"The specs have changed since the run was judged ({', '.join(changed)}): verdicts and rates are those "
                "of the run, time lines are drawn by the present specs."
            )

    def _rules(self) -> Iterator[Rule]:
        seen: set[str] = set()
        for name in sorted(self._run.plan.specs):
            for constraint in self._spec(name).constraints:
                if constraint.name not in seen:
                    seen.add(constraint.name)
                    yield Rule(constraint.name, constraint.formula, constraint.sentence, constraint.role, name)


def _tracks(
    view: RolloutView, verdict: ConstraintVerdict, spec: Spec, lines: Mapping[str, ConstraintLine], rate_hz: float
) -> Iterator[RuleTrack]:
    """Yield the track of a rule; of one about each entity those of the entities with which something happened."""
    constraint = spec.constraint(verdict.name)
    outcome = view.row.constraints.get(verdict.name)
    atoms = parse(constraint.formula, rate_hz=rate_hz).atom_order()
    episodes = [e for e in view.episodes if e.rule == verdict.name]
    happened = {t.instance for t in verdict.triggers} | {e.instance for e in verdict.episodes}
    for instance in sorted(happened) or [()]:
        label = f"{verdict.name}[{', '.join(instance)}]" if instance else verdict.name
        drawn = lines.get(label)
        mine = [e for e in episodes if not instance or e.instance == instance]
        violated = None if outcome is None else outcome.violated
        ends: Counter[str] = Counter(trigger.end for trigger in verdict.triggers if trigger.instance == instance)
        chosen = dict(zip(constraint.each, instance, strict=False))
        yield RuleTrack(
            name=label,
            formula=verdict.formula,
            sentence=constraint.sentence,
            status=verdict.status,
            violated=any(e.counted for e in mine) if instance and violated is not None else violated,
            verdicts=() if drawn is None else [v.name for v in drawn.verdict],
            states=None if drawn is None else drawn.state.tolist(),
            episodes=tuple(mine),
            triggers=dict(ends) if instance else ({} if outcome is None else outcome.triggers),
            propositions=tuple(_atom(spec, name, chosen) for name in atoms),
        )


def _atom(spec: Spec, name: str, chosen: Mapping[str, str]) -> str:
    """Return the proposition that stands for another in one instance of a rule."""
    entities = [chosen[role] for role in spec.proposition(name).each if role in chosen]
    return f"{name}[{', '.join(entities)}]" if entities else name


def evidence_text(evidence: Evidence) -> str:
    """Say in one sentence what a violation rests on."""
    unit = {"deg": "°"}.get(evidence.unit, f" {evidence.unit}".rstrip())
    text = f"{evidence.entity}: {evidence.quantity} {evidence.value:.3g}{unit} (limit {evidence.threshold:.3g}{unit})"
    return text if evidence.partner is None else f"{text}, last touched by {evidence.partner}"


def _episodes(judgement: Judgement, reading: Reading) -> Iterable[EpisodeView]:
    """All episodes by start; of two readings that start together, the one that is counted."""
    found: list[EpisodeView] = []
    for verdict in judgement.constraints:
        steps = set(reading.counted_steps.get(verdict.name, ()))
        both = (
            (*verdict.episodes, *verdict.engaged_episodes)
            if reading.protocol == "strict"
            else (*verdict.engaged_episodes, *verdict.episodes)
        )
        started: set[tuple[int, tuple[str, ...]]] = set()
        for episode in both:
            if (episode.start_step, episode.instance) not in started:
                started.add((episode.start_step, episode.instance))
                found.append(_episode(verdict.name, episode, episode.start_step in steps, judgement))
    return sorted(found, key=lambda e: (e.start_s, e.rule))


def _episode(rule: str, episode: Episode, counted: bool, judgement: Judgement) -> EpisodeView:
    return EpisodeView(
        rule=rule,
        start_s=episode.start_step / judgement.control_rate_hz,
        end_s=_seconds(episode.end_step, judgement),
        recovered=episode.recovered,
        counted=counted,
        severity=episode.severity,
        evidence=evidence_text(episode.evidence),
        entity=episode.evidence.entity,
        instance=episode.instance,
    )


def _seconds(step: int | None, judgement: Judgement) -> float | None:
    return None if step is None else step / judgement.control_rate_hz


def _marked(track: RuleTrack, channels: Sequence[str]) -> RuleTrack:
    """Say with a rule about a recording which of its channels nobody measured."""
    if not channels or track.violated is None:
        return track
    return replace(track, sentence=f"{track.sentence} Rests on {', '.join(channels)}.".strip())


def _marks(results: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    """Which verdicts on recordings rest on what was worked out afterwards."""
    rules: dict[str, None] = {}
    channels: dict[str, None] = {}
    for result in results:
        for rule, words in result["scenario"].get("recording", {}).get("marks", {}).items():
            rules[rule] = None
            channels.update(dict.fromkeys(words))
    if rules:
        yield (
            f"Recordings: the verdicts of {', '.join(sorted(rules))} rest on channels that nobody measured: "
            f"{', '.join(sorted(channels))}."
        )


def _notes(results: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    """What a reader must know before the numbers: repeats that are no repeats, scenarios that are broken."""
    digests: dict[str, list[str]] = defaultdict(list)
    broken = []
    for result in results:
        if result["trace_digest"] is not None:
            digests[result["scenario"]["id"]].append(result["trace_digest"])
        if result["status"] == "invalid-scene":
            broken.append(result["scenario"]["id"])
    repeated = [found for found in digests.values() if len(found) > 1]
    same = sum(len(set(found)) == 1 for found in repeated)
    if same:
        yield (
            f"{same} of {len(repeated)} scenarios gave the same trace for every seed: those repeats add no information."
        )
    if broken:
        yield f"Invalid scenes, a defect of the benchmark and outside n: {', '.join(sorted(set(broken)))}."
