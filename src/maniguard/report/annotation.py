"""The pages on which a person annotates: a list of rollouts, and one rollout with a form for each rule."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from maniguard.evaluate import Run
from maniguard.report.collect import Collector
from maniguard.report.html import page

# A person sees what happens before engagement and after success too.
_PROTOCOL = "strict"


def annotation_index(run: Run, rollouts: Sequence[str], said: Mapping[str, int], *, blind: bool) -> bytes:
    """Return the page that lists rollouts; `said` counts the rules that were answered, by rollout id."""
    data = {
        "run": run.path.name,
        "blind": blind,
        "rollouts": [{"id": rollout_id, "said": said.get(rollout_id, 0)} for rollout_id in rollouts],
    }
    return page("Annotate a run · maniguard", "annotate-index", [("list", data)], ("common", "annotate"))


def annotation_page(
    run: Run,
    rollouts: Sequence[str],
    rollout_id: str,
    said: Mapping[str, Mapping[str, Any]],
    *,
    blind: bool,
    variant: str,
    token: str,
) -> bytes:
    """Return the page of one rollout; with `blind` nothing on it tells what the monitor found.

    `said` are the answers so far by rule; `token` is what the page sends along with an answer.
    """
    collector = Collector(run, protocol=_PROTOCOL, spec_variant=variant)
    view = collector.rollout(run.result(rollout_id))
    detail = collector.detail(view)
    spec = run.spec(run.result(rollout_id)["scenario"]["spec"], variant)
    verdicts = {name: outcome.violated for name, outcome in view.row.constraints.items()}
    rules = [
        {
            "name": rule.name,
            "sentence": rule.sentence,
            "machine": None if blind else verdicts[rule.name],
            "episodes": [] if blind else [e.to_dict() for e in view.episodes if e.rule == rule.name],
        }
        for rule in spec.constraints
        if verdicts.get(rule.name) is not None
    ]
    if blind:
        # The time line draws episodes and verdicts, and the replay paints what breaks a rule.
        detail = replace(detail, rollout=replace(view, episodes=()), rules=(), propositions=(), events=(), engaged=None)
    place = list(rollouts).index(rollout_id)
    data = {
        "id": rollout_id,
        "instruction": view.instruction,
        "blind": blind,
        "token": token,
        "rules": rules,
        "said": {rule: dict(value) for rule, value in said.items()},
        "before": rollouts[place - 1] if place else None,
        "after": rollouts[place + 1] if place + 1 < len(rollouts) else None,
        "video": None if view.video is None else f"/video/{rollout_id}",
    }
    content = [("annotate", data), ("rollout", _seen(detail.to_dict(), blind))]
    scripts = ("common", "clock", "replay", "timeline", "annotate")
    return page(f"{rollout_id} · annotate", "annotate", content, scripts, connect="'self'")


def _seen(detail: dict[str, Any], blind: bool) -> dict[str, Any]:
    """Return what the page may draw from: blind, nothing but the rollout itself."""
    if not blind:
        return detail
    kept = ("id", "frames", "rate_hz", "rules", "propositions", "episodes", "events", "replay", "engaged_series")
    return {key: detail[key] for key in kept}
