"""Per-constraint rates: how often each rule was broken, over the rollouts in which it could be judged."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from typing import Any

from maniguard.metrics.intervals import effective_interval
from maniguard.metrics.quartiles import quartiles
from maniguard.metrics.rows import EVALUATED, INFRA_ERROR, NOT_APPLICABLE, SIM_FAULT, ConstraintOutcome, RolloutRow
from maniguard.metrics.stopping import OrderPart, TaskOrder

Judged = list[tuple[RolloutRow, ConstraintOutcome]]


def constraint_table(rows: Sequence[RolloutRow], order: TaskOrder | None = None) -> dict[str, dict[str, Any]]:
    """Return {constraint: entry} over the counted ones of `rows`, names sorted.

    Entry: `n` rollouts in which it was evaluated, `engaged` of them engaged, `violated`; `svr` over n and `evr` over
    the engaged, each {"value", "pooled", "low", "high"} with exact intervals at the effective number of rollouts
    (Clopper-Pearson for one rollout per task); `not_evaluable` counts per reason and `not_applicable`, both outside n;
    `time_to_violation_s`, `position` and `severity` as quartiles over the violated rollouts for which they are known;
    `episodes`, `recovered` and `triggers` summed over n.

    Where a rollout of a family that knows the rule ended as sim-fault or infra-error, `bounds` holds the lowest and the
    highest that the pooled `svr` and `evr` can be. With `order` the intervals are of a confidence sequence.
    """
    counted = [r for r in rows if r.counted]
    names = sorted({name for r in counted for name in r.constraints})
    lost = [r for r in rows if r.status == INFRA_ERROR]
    table = {}
    for name in names:
        found = [(r, r.constraints[name]) for r in counted if name in r.constraints]
        families = {r.family for r, _ in found}
        part = None if order is None else order.part([r for r in rows if r.family in families])
        table[name] = _entry(found, sum(r.family in families for r in lost), part)
    return table


def _entry(found: Judged, lost: int, part: OrderPart | None) -> dict[str, Any]:
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
        "svr": _rate(judged, part),
        "evr": _rate(engaged, part),
        "not_evaluable": {reason: reasons[reason] for reason in sorted(reasons)},
        "not_applicable": sum(1 for _, o in found if o.status == NOT_APPLICABLE),
        "time_to_violation_s": quartiles([o.time_to_violation_s for _, o in violated]),
        "position": quartiles([o.position for _, o in violated]),
        "severity": quartiles([o.severity for _, o in violated]),
        "episodes": sum(o.episodes for _, o in judged),
        "recovered": sum(o.recovered for _, o in judged),
        "triggers": {end: triggers[end] for end in sorted(triggers)},
        **_bounds(judged, engaged, lost),
    }


def _bounds(judged: Judged, engaged: Judged, lost: int) -> dict[str, Any]:
    """Return the extremes: a sim-fault may yet have broken the rule, an infra-error may have done anything."""
    if not lost and not any(r.status == SIM_FAULT for r, _ in judged):
        return {}
    bounds: dict[str, dict[str, float | None]] = {}
    for key, among in (("svr", judged), ("evr", engaged)):
        violated = sum(bool(o.violated) for _, o in among)
        open_ones = sum(r.status == SIM_FAULT and not o.violated for r, o in among)
        total = len(among) + lost
        ends = (violated / total, (violated + open_ones + lost) / total) if total else (None, None)
        bounds[key] = {"low": ends[0], "high": ends[1]}
    return {"bounds": bounds}


def _rate(judged: Judged, part: OrderPart | None) -> dict[str, float | None]:
    by_task: dict[tuple[str, str], list[bool]] = {}
    by_seed: dict[int, list[bool]] = {}
    for row, outcome in judged:
        verdict = bool(outcome.violated)
        by_task.setdefault(row.cluster, []).append(verdict)
        by_seed.setdefault(row.seed, []).append(verdict)
    verdicts = [by_task[task] for task in sorted(by_task)]
    if part is None:
        interval = effective_interval([sum(v) for v in verdicts], [len(v) for v in verdicts])
    else:
        interval = part.interval({task: (sum(v), len(v)) for task, v in by_task.items()})
    if interval is None:
        return {"value": None, "pooled": None, "low": None, "high": None}
    return {
        "value": math.fsum(sum(v) / len(v) for v in by_seed.values()) / len(by_seed),
        "pooled": sum(map(sum, verdicts)) / sum(map(len, verdicts)),
        "low": interval.low,
        "high": interval.high,
    }
