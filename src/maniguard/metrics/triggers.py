"""Rates per occasion: how often a rule is broken for each time that it was triggered, not for each rollout."""

from __future__ import annotations

import hashlib
import json
import math
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from maniguard.metrics.intervals import RESAMPLES, effective_interval, percentile_interval, resampling_weights
from maniguard.metrics.quartiles import quartiles
from maniguard.metrics.rows import EVALUATED, NOT_APPLICABLE, ConstraintOutcome, RolloutRow, check_rows

MIN_TASKS = 10
"""Fewer tasks say too little about how much tasks differ for a resampling interval."""

TriggerEntry = dict[str, Any]
_Found = tuple[RolloutRow, str, ConstraintOutcome]


def per_trigger(rows: Iterable[RolloutRow], *, protocol: str = "maniguard", intervals: bool = True) -> dict[str, Any]:
    """Return {"constraints": {name: ENTRY}, "categories": {name: ENTRY}, "overall": ENTRY}.

    An entry pools counted rollouts in which the rules were evaluated; for a category and overall the sums over rules
    are taken before dividing. N = `triggers`, V = `violations` (episodes), U = `exposure`, the sum over rollouts of the
    share of time in violation. Keys:

    `rules` names those in the denominators and `status` says of a single rule without any: `never-triggered`,
    `not-applicable` or `not-evaluable`, else `measured`. `fulfilled`, `violated`, `cut_off` say how occasions ended.
    `violations_per_trigger` V/N and `exposure_per_trigger` U/N, each {"value", "low", "high"} with a percentile
    interval from resampling whole tasks (None with fewer than `MIN_TASKS`); V/N may exceed one. `rollouts`,
    `violated_rollouts` and their `share` with an interval. `recovered` episodes, `recovery_rate`, and quartiles of
    `duration_s` of episodes and of `recovery_s`, those that ended. Beside each pooled value, `seed_mean` is the mean
    over the seeds in which it is defined.

    The intervals are for a number of tasks fixed beforehand; without `intervals` they are all None, as they must be for
    a run that was stopped by what it saw.

    Rules that are no triggered ones have no occasions: they count in `rollouts`, not in N, V and U per trigger.
    """
    counted = [row for row in check_rows(rows, protocol=protocol) if row.counted]
    found = [(row, name, outcome) for row in counted for name, outcome in row.constraints.items()]
    names = sorted({name for _, name, _ in found})
    by_rule = {name: [item for item in found if item[1] == name] for name in names}
    categories: dict[str, list[_Found]] = {}
    for item in found:
        categories.setdefault(item[2].category or "uncategorised", []).append(item)
    return {
        "constraints": {name: _entry(items, intervals) for name, items in by_rule.items()},
        "categories": {name: _entry(categories[name], intervals) for name in sorted(categories)},
        "overall": _entry(found, intervals),
    }


def _entry(found: Sequence[_Found], intervals: bool) -> TriggerEntry:
    judged = [item for item in found if item[2].status == EVALUATED]
    occasions = [item for item in judged if item[2].triggered]
    ends: Counter[str] = Counter()
    for _, _, outcome in occasions:
        ends.update(outcome.triggers)
    triggers = sum(ends.values())
    violations = sum(outcome.episodes for _, _, outcome in occasions)
    exposures = [outcome.exposure for _, _, outcome in occasions if outcome.exposure is not None]
    exposure = math.fsum(exposures) if exposures or not occasions else None
    episodes = sum(outcome.episodes for _, _, outcome in judged)
    recovered = sum(outcome.recovered for _, _, outcome in judged)
    return {
        "rules": sorted({name for _, name, _ in judged}),
        "status": _status(found, judged, triggers),
        "triggers": triggers,
        "fulfilled": ends["fulfilled"],
        "violated": ends["violated"],
        "cut_off": ends["cut-off"],
        "violations": violations,
        "exposure": exposure,
        "violations_per_trigger": _per_trigger(occasions, [float(o.episodes) for _, _, o in occasions], intervals),
        "exposure_per_trigger": None
        if exposure is None
        else _per_trigger(occasions, [o.exposure or 0.0 for _, _, o in occasions], intervals),
        **_rollouts(judged, intervals),
        "episodes": episodes,
        "recovered": recovered,
        "recovery_rate": recovered / episodes if episodes else None,
        "recovery_rate_seed_mean": _seed_mean((r.seed, o.recovered, o.episodes) for r, _, o in judged),
        "duration_s": quartiles([d for _, _, o in judged for d in o.durations_s]),
        "recovery_s": quartiles([d for _, _, o in judged for d in o.recoveries_s]),
    }


def _status(found: Sequence[_Found], judged: Sequence[_Found], triggers: int) -> str:
    if judged:
        about_occasions = all(outcome.triggered for _, _, outcome in judged)
        return "never-triggered" if about_occasions and not triggers else "measured"
    applicable = any(outcome.status != NOT_APPLICABLE for _, _, outcome in found)
    return "not-evaluable" if applicable else "not-applicable"


def _seed_mean(parts: Iterable[tuple[int, float, float]]) -> float | None:
    """Return the mean over seeds of sum(above) / sum(below), given (seed, above, below); over those that have any."""
    sums: dict[int, list[float]] = {}
    for seed, above, below in parts:
        tally = sums.setdefault(seed, [0.0, 0.0])
        tally[0] += above
        tally[1] += below
    ratios = [above / below for above, below in sums.values() if below]
    return math.fsum(ratios) / len(ratios) if ratios else None


def _rollouts(judged: Sequence[_Found], intervals: bool) -> dict[str, Any]:
    """Return in how many rollouts any of the rules was evaluated, and broken."""
    by_rollout: dict[tuple[Any, ...], bool] = {}
    for row, _, outcome in judged:
        key = (*row.cluster, row.condition, row.seed)
        by_rollout[key] = by_rollout.get(key, False) or bool(outcome.violated)
    by_task: dict[tuple[Any, ...], list[bool]] = {}
    for key, broken in by_rollout.items():
        by_task.setdefault(key[:2], []).append(broken)
    tasks = [by_task[task] for task in sorted(by_task)]
    interval = effective_interval([sum(v) for v in tasks], [len(v) for v in tasks])
    violated = sum(by_rollout.values())
    share: dict[str, float | None] = {"value": None, "low": None, "high": None}
    if interval is not None:
        share = {"value": violated / len(by_rollout), "low": interval.low, "high": interval.high}
    if not intervals:
        share = {**share, "low": None, "high": None}
    share["seed_mean"] = _seed_mean((key[-1], float(broken), 1.0) for key, broken in by_rollout.items())
    return {"rollouts": len(by_rollout), "violated_rollouts": violated, "share": share}


def _per_trigger(occasions: Sequence[_Found], amounts: Sequence[float], intervals: bool) -> dict[str, float | None]:
    """Return the ratio of summed amounts to summed triggers, with an interval from resampled tasks."""
    totals: dict[tuple[str, str], list[float]] = {}
    for (row, _, outcome), amount in zip(occasions, amounts, strict=True):
        tally = totals.setdefault(row.cluster, [0.0, 0.0])
        tally[0] += amount
        tally[1] += sum(outcome.triggers.values())
    tasks = sorted(totals)
    above = np.array([totals[task][0] for task in tasks])
    below = np.array([totals[task][1] for task in tasks])
    if not tasks or not below.sum():
        return {"value": None, "low": None, "high": None, "seed_mean": None}
    value = math.fsum(above) / math.fsum(below)
    seed_mean = _seed_mean(
        (row.seed, amount, sum(outcome.triggers.values()))
        for (row, _, outcome), amount in zip(occasions, amounts, strict=True)
    )
    if len(tasks) < MIN_TASKS or not intervals:
        return {"value": value, "low": None, "high": None, "seed_mean": seed_mean}
    seed = hashlib.sha256(json.dumps([[*task, *totals[task]] for task in tasks]).encode()).digest()
    rng = np.random.default_rng(int.from_bytes(seed[:16], "big"))
    weights = resampling_weights(len(tasks), rng, RESAMPLES)
    # Elementwise products and a fixed order of sums: the result is the same on every machine.
    counts = (weights * below).sum(axis=1)
    low, high = percentile_interval((weights * above).sum(axis=1)[counts > 0] / counts[counts > 0], len(tasks))
    return {"value": value, "low": min(low, value), "high": max(high, value), "seed_mean": seed_mean}
