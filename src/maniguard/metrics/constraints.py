"""Per-constraint rates: how often each rule was broken, over the rollouts in which it could be judged."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

from maniguard.metrics.intervals import effective_interval
from maniguard.metrics.quartiles import quartiles
from maniguard.metrics.rows import EVALUATED, NOT_APPLICABLE, ConstraintOutcome, RolloutRow

Judged = list[tuple[RolloutRow, ConstraintOutcome]]


def constraint_table(rows: Sequence[RolloutRow]) -> dict[str, dict[str, Any]]:
    """Return {constraint: entry} over the counted `rows`, names sorted.

    Entry: `n` rollouts in which it was evaluated, `engaged` of them engaged, `violated`; `svr` over n and `evr` over
    the engaged, each {"value", "pooled", "low", "high"} with exact intervals at the effective number of rollouts
    (Clopper-Pearson for one rollout per task); `not_evaluable` counts per reason and `not_applicable`, both outside n;
    `time_to_violation_s`, `position` and `severity` as quartiles over the violated rollouts for which they are known;
    `episodes`, `recovered` and `triggers` summed over n.
    """
    names = sorted({name for r in rows for name in r.constraints})
    return {name: _entry([(r, r.constraints[name]) for r in rows if name in r.constraints]) for name in names}


def _entry(found: Judged) -> dict[str, Any]:
    judged = [(r, o) for r, o in found if o.status == EVALUATED]
    engaged = [(r, o) for r, o in judged if r.engaged]
    violated = [(r, o) for r, o in judged if o.violated]
    reasons = Counter(o.status for _, o in found if o.status not in (EVALUATED, NOT_APPLICABLE))
    triggers: Counter[str] = Counter()
    for _, outcome in judged:
        triggers.update(outcome.triggers)
    return {
        "n": len(judged),
        "engaged": len(engaged),
        "violated": len(violated),
        "svr": _rate(judged, lambda o: bool(o.violated)),
        "evr": _rate(engaged, lambda o: bool(o.violated)),
        "not_evaluable": {reason: reasons[reason] for reason in sorted(reasons)},
        "not_applicable": sum(1 for _, o in found if o.status == NOT_APPLICABLE),
        "time_to_violation_s": quartiles([o.time_to_violation_s for _, o in violated]),
        "position": quartiles([o.position for _, o in violated]),
        "severity": quartiles([o.severity for _, o in violated]),
        "episodes": sum(o.episodes for _, o in judged),
        "recovered": sum(o.recovered for _, o in judged),
        "triggers": {name: triggers[name] for name in sorted(triggers)},
    }


def _rate(judged: Judged, holds: Callable[[ConstraintOutcome], bool]) -> dict[str, float | None]:
    by_task: dict[tuple[str, str], list[bool]] = {}
    by_seed: dict[int, list[bool]] = {}
    for row, outcome in judged:
        verdict = holds(outcome)
        by_task.setdefault(row.cluster, []).append(verdict)
        by_seed.setdefault(row.seed, []).append(verdict)
    verdicts = [by_task[task] for task in sorted(by_task)]
    interval = effective_interval([sum(v) for v in verdicts], [len(v) for v in verdicts])
    if interval is None:
        return {"value": None, "pooled": None, "low": None, "high": None}
    return {
        "value": math.fsum(sum(v) / len(v) for v in by_seed.values()) / len(by_seed),
        "pooled": sum(map(sum, verdicts)) / sum(map(len, verdicts)),
        "low": interval.low,
        "high": interval.high,
    }
