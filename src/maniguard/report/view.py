"""What a report shows of a run: plain values, already read under one protocol, free of files."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from maniguard.evaluate import NOT_RUN
from maniguard.metrics import (
    CONDITION_ORDER,
    FAMILY_ORDER,
    STATUSES,
    RolloutRow,
    Summary,
    TaskOrder,
    cell,
    dashed,
    ordered_names,
    paired_difference,
    summarize,
)

RUN_FORMAT = "maniguard-report-run/1"
BASE = "base"


@dataclass(frozen=True)
class Rule:
    """One constraint as a reader meets it: its name, formula, plain sentence, and the spec that it stands in."""

    name: str
    formula: str
    sentence: str
    role: str = ""
    spec: str = ""


@dataclass(frozen=True)
class EpisodeView:
    """One violation episode. Times in seconds from the start; `end_s` is None when the trace ended first.

    `counted` says whether the protocol counts it; `evidence` is one sentence: entity, quantity, value, threshold;
    `entity` is the thing that it is about, `instance` the entities of a rule that is about each of a role.
    """

    rule: str
    start_s: float
    end_s: float | None
    recovered: bool
    counted: bool
    severity: float | None
    evidence: str
    entity: str = ""
    instance: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return the episode as JSON values."""
        value = dict(vars(self))
        # What rules of the benchmark have none of is not written for them.
        return value if self.instance else {key: item for key, item in value.items() if key != "instance"}


@dataclass(frozen=True)
class RolloutView:
    """One planned rollout: its row (verdicts under the protocol), its texts and its moments, in seconds.

    Moments are None where they never came. `trace_digest` is None where no trace was kept; `video` is the file, if any.
    """

    rollout_id: str
    row: RolloutRow
    scenario_id: str
    variant: str
    instruction: str
    duration_s: float | None = None
    engaged_s: float | None = None
    success_s: float | None = None
    violated_s: float | None = None
    fault: str | None = None
    episodes: tuple[EpisodeView, ...] = ()
    trace_digest: str | None = None
    video: Path | None = None

    @property
    def outcome(self) -> str:
        """The rate that the rollout is counted in, "excluded" outside n."""
        if not self.row.counted:
            return "excluded"
        first = "succ" if self.row.counted_success else "unsucc"
        second = "safe" if self.row.counted_safe else "unsafe"
        return "ssr" if (first, second) == ("succ", "safe") else f"{first}_{second}"

    @property
    def violated(self) -> tuple[str, ...]:
        """Names of the constraints that are violated under the protocol, the first one first."""
        broken = [name for name, outcome in self.row.constraints.items() if outcome.violated]
        start = {e.rule: e.start_s for e in reversed(self.episodes) if e.counted}
        return tuple(sorted(broken, key=lambda name: (start.get(name, float("inf")), name)))

    def to_dict(self) -> dict[str, Any]:
        """Return what the list of rollouts shows, as JSON values."""
        row = self.row
        return {
            "id": self.rollout_id,
            "family": row.family,
            "task": row.task,
            "condition": row.condition,
            "seed": row.seed,
            "status": row.status,
            "outcome": self.outcome,
            "engaged": row.engaged,
            "ladder": row.counted_rung,
            "violated": list(self.violated),
            "post": row.post_success_violation,
            "engaged_s": self.engaged_s,
            "success_s": self.success_s,
            "violated_s": self.violated_s,
            "duration_s": self.duration_s,
            "fault": self.fault,
            "why": next((e.evidence for e in self.episodes if e.counted), None),
        }


@dataclass(frozen=True)
class RunView:
    """A whole run as a report shows it. `planned` counts the rollouts of the plan, `rollouts` those with a status.

    `order` is that of the tasks of a run which might stop by what it saw: all intervals then are sequential.
    """

    policy: str
    protocol: str
    spec_variant: str
    privileged: bool
    planned: int
    identity: Mapping[str, str | int | float]
    rollouts: tuple[RolloutView, ...]
    rules: tuple[Rule, ...] = ()
    notes: tuple[str, ...] = ()
    contract: Mapping[str, Any] = field(default_factory=dict)
    order: TaskOrder | None = None

    @property
    def rows(self) -> tuple[RolloutRow, ...]:
        """The rows that the metrics are computed from."""
        return tuple(r.row for r in self.rollouts)

    def summary(self) -> Summary:
        """Return the metrics of the run: the very object that `metrics --json` prints."""
        return summarize(self.rows, protocol=self.protocol, order=self.order)

    def statuses(self) -> dict[str, int]:
        """Return how many rollouts ended in each status; those without one are `pending` or, once the run has stopped
        by what it saw, `not-run (stopped)`. The counts add up to `planned`.
        """
        counts = {status: sum(r.row.status == status for r in self.rollouts) for status in STATUSES}
        left = self.planned - len(self.rollouts)
        if self.order is None:
            return {**counts, "pending": left}
        return {**counts, "pending": 0, **({NOT_RUN: left} if left else {})}

    def _shifts(self, conditions: list[str]) -> list[dict[str, Any]]:
        """How each condition differs from the base, paired by task and seed."""
        if BASE not in conditions:
            return []
        base = [r for r in self.rows if r.condition == BASE]
        # Intervals and tests of pairs are for a number of tasks fixed beforehand.
        unknown = {} if self.order is None else dict.fromkeys(("low", "high", "p_value", "p_tasks"))
        return [
            {
                "condition": condition,
                **asdict(
                    paired_difference(
                        base, [r for r in self.rows if r.condition == condition], rate=rate, across_conditions=True
                    )
                ),
                **unknown,
            }
            for condition in conditions
            if condition != BASE
            for rate in ("ssr", "success", "safe")
        ]

    def to_dict(self) -> dict[str, Any]:
        """Return everything that the index page draws from, as JSON values without a path, host or clock."""
        rows = self.rows
        families = ordered_names((r.family for r in rows), FAMILY_ORDER)
        conditions = ordered_names((r.condition for r in rows), CONDITION_ORDER)
        groups = {
            "overall": rows,
            **{f"families/{name}": [r for r in rows if r.family == name] for name in families},
            **{f"conditions/{name}": [r for r in rows if r.condition == name] for name in conditions},
        }
        matrix = {
            family: {
                c: cell([r for r in rows if (r.family, r.condition) == (family, c)], order=self.order)
                for c in conditions
            }
            for family in families
        }
        return {
            "format": RUN_FORMAT,
            "policy": self.policy,
            "protocol": self.protocol,
            "spec_variant": self.spec_variant,
            "privileged": self.privileged,
            "planned": self.planned,
            "statuses": self.statuses(),
            "identity": dict(self.identity),
            "contract": dict(self.contract),
            "notes": list(self.notes),
            "rules": [dict(vars(rule)) for rule in self.rules],
            "families": families,
            "conditions": conditions,
            "seeds": sorted({r.seed for r in rows}),
            "tasks": len({r.cluster for r in rows}),
            "metrics": self.summary(),
            "matrix": matrix,
            "shifts": self._shifts(conditions),
            "engaged": {name: sum(r.engaged for r in group if r.counted) for name, group in groups.items()},
            "dashed": {name: sorted(dashed(group)) for name, group in groups.items()},
            "rollouts": [r.to_dict() for r in self.rollouts],
        }
