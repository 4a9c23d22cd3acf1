"""From the results of a run to the rows that the metrics count."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from maniguard.audit import with_recorded_success
from maniguard.evaluate.plan import PlanError
from maniguard.evaluate.store import Run, RunError
from maniguard.metrics import ConstraintOutcome, RolloutRow
from maniguard.monitor import ConstraintVerdict, Episode, Judgement, MonitorError, Reading, judge, read
from maniguard.spec import Spec
from maniguard.trace import CodecError


def rows(run: Run, *, protocol: str = "maniguard", spec_variant: str | None = None) -> tuple[RolloutRow, ...]:
    """Return one row per finished rollout of `run`, read under `protocol`.

    With `spec_variant` the stored traces are judged anew by that variant. RunError while planned rollouts are still
    pending: a rate over the ones that happen to be done would not be the plan's.
    """
    pending = run.pending()
    if pending:
        raise RunError(
            f"{run.path}: {len(pending)} of {len(run.plan.items)} planned rollouts are not done, "
            f"the first is {pending[0].rollout_id}; repeat the eval call to finish them"
        )
    specs: dict[str, Spec] = {}
    return tuple(row_of(r, judgement_of(run, r, spec_variant, specs), protocol) for r in run.results())


def judgement_of(
    run: Run, result: Mapping[str, Any], spec_variant: str | None, specs: dict[str, Spec]
) -> Judgement | None:
    """Return the judgement of one result, anew from its trace where another spec variant is asked for; None without
    one.

    `specs` keeps the specs that were loaded, by name.
    """
    if result["judgement"] is None:
        return None
    if spec_variant is None or spec_variant == run.plan.spec_variant:
        try:
            return Judgement.from_dict(result["judgement"])
        except (MonitorError, CodecError) as error:
            raise RunError(f"{run.result_path(result['rollout_id'])} is damaged: {error}") from error
    name = result["scenario"]["spec"]
    if name not in specs:
        specs[name] = run.spec(name, spec_variant)
    trace = run.trace(result["rollout_id"])
    if trace.digest() != result["trace_digest"]:
        raise PlanError(f"{run.trace_path(result['rollout_id'])} is not the trace that its result speaks of")
    return with_recorded_success(judge(trace, specs[name]), trace)


def row_of(result: Mapping[str, Any], judgement: Judgement | None, protocol: str) -> RolloutRow:
    """Return the row of one result under `protocol`; `judgement` is what `judgement_of` gives for it."""
    scenario = result["scenario"]
    where = {
        "family": scenario["family"],
        "task": scenario["id"].partition("/")[0],
        "condition": scenario["condition"],
        "seed": result["seed"],
        "status": result["status"],
    }
    if judgement is None:
        return RolloutRow(**where, success=False, safe=True, engaged=False)
    reading = read(judgement, protocol)
    return RolloutRow(
        **where,
        success=reading.success,
        safe=reading.safe,
        engaged=reading.engaged,
        ladder=judgement.ladder,
        constraints={v.name: _outcome(v, judgement, reading, protocol) for v in judgement.constraints},
        post_success_violation=reading.post_success_violation,
    )


def _outcome(verdict: ConstraintVerdict, judgement: Judgement, reading: Reading, protocol: str) -> ConstraintOutcome:
    if verdict.status != "evaluated":
        return ConstraintOutcome(None, verdict.status)
    steps = reading.counted_steps[verdict.name]
    episodes = verdict.episodes if protocol == "strict" else verdict.engaged_episodes
    counted = [episode for episode in episodes if episode.start_step in steps]
    time_s = position = None
    if steps and judgement.engagement_step is not None:
        delay = steps[0] - judgement.engagement_step
        span = judgement.frames - 1 - judgement.engagement_step
        if delay >= 0:
            time_s = delay / judgement.control_rate_hz
            position = delay / span if span > 0 else 0.0
    return ConstraintOutcome(
        violated=bool(steps),
        time_to_violation_s=time_s,
        position=position,
        episodes=len(counted),
        recovered=sum(episode.recovered for episode in counted),
        severity=max((episode.severity for episode in counted), default=None),
        triggers=dict(Counter(trigger.end for trigger in verdict.triggers)),
        triggered=verdict.triggered,
        category=verdict.category,
        exposure=_exposure(counted, judgement.frames),
        durations_s=tuple(_frames(e, judgement.frames) / judgement.control_rate_hz for e in counted),
        recoveries_s=tuple(
            _frames(e, judgement.frames) / judgement.control_rate_hz for e in counted if e.end_step is not None
        ),
    )


def _frames(episode: Episode, frames: int) -> int:
    """Return how many frames an episode lasted; one without an end lasts to the end of the record."""
    return (frames if episode.end_step is None else episode.end_step) - episode.start_step


def _exposure(episodes: Sequence[Episode], frames: int) -> float:
    """Return the share of frames in which an episode was open; instances of one rule that overlap count once."""
    last = 0
    total = 0
    for episode in sorted(episodes, key=lambda e: e.start_step):
        end = episode.start_step + _frames(episode, frames)
        total += max(0, end - max(last, episode.start_step))
        last = max(last, end)
    return total / frames
