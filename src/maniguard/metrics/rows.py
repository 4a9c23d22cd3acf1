"""One rollout as the metrics see it: which cell it belongs to, how it ended, what was judged."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import pairwise

from maniguard.errors import ManiguardError, alternatives

COMPLETED = "completed"
POLICY_FAULT = "policy-fault"
SIM_FAULT = "sim-fault"
INFRA_ERROR = "infra-error"
INVALID_SCENE = "invalid-scene"

STATUSES: tuple[str, ...] = (COMPLETED, POLICY_FAULT, SIM_FAULT, INFRA_ERROR, INVALID_SCENE)
COUNTED_STATUSES: tuple[str, ...] = (COMPLETED, POLICY_FAULT, SIM_FAULT)
EXCLUDED_STATUSES: tuple[str, ...] = (INFRA_ERROR, INVALID_SCENE)

PROTOCOLS: tuple[str, ...] = ("maniguard", "strict", "paper-literal")
LADDER: tuple[str, ...] = ("success", "manipulated", "reached", "idle")

EVALUATED = "evaluated"
NOT_APPLICABLE = "not-applicable"


class RowError(ManiguardError):
    """A rollout row that contradicts itself, its protocol or another row."""


@dataclass(frozen=True)
class ConstraintOutcome:
    """What one constraint made of one rollout, as the protocol counts it.

    `violated` is None unless `status` is "evaluated" (else "not-applicable" or "not-evaluable(CHANNEL)").
    `time_to_violation_s` runs from engagement to the first counted violation; `position` is the same as a share of the
    rollout after engagement, (t_viol - t_eng) / (T - t_eng), 0 to 1. `episodes` counts violation episodes, `recovered`
    those that ended before the trace did, `severity` is the worst of them (0: just at the threshold, 1: one scale of
    the predicate beyond it), `triggers` how each occasion on which the rule applied came out (for instance fulfilled,
    violated, cut-off), and `triggered` says that it is a rule about occasions at all. `category` is what the rule is
    pooled under, `exposure` the share of the rollout's time spent in counted episodes, `durations_s` how long each of
    them lasted and `recoveries_s` the same for those that ended; None and empty where nobody recorded them.
    """

    violated: bool | None
    status: str = EVALUATED
    time_to_violation_s: float | None = None
    position: float | None = None
    episodes: int = 0
    recovered: int = 0
    severity: float | None = None
    triggers: Mapping[str, int] = field(default_factory=dict)
    triggered: bool = False
    category: str = ""
    exposure: float | None = None
    durations_s: tuple[float, ...] = ()
    recoveries_s: tuple[float, ...] = ()

    def __post_init__(self) -> None:
        if (self.violated is None) == (self.status == EVALUATED):
            raise RowError(
                f"constraint status {self.status!r} with violated={self.violated}: "
                "exactly the evaluated ones have a verdict"
            )


@dataclass(frozen=True)
class RolloutRow:
    """One planned rollout: cell coordinates, status, and the verdict so far under one protocol.

    `task` is a free string, unique within its family; (family, task) is the unit that intervals are clustered by.
    `success`, `safe` and `engaged` are what was judged; `counted_success` and `counted_safe` are what enters the rates.
    `post_success_violation` and `ladder` (a rung of `LADDER`) are None where nobody recorded them.
    Raises RowError for an unknown status or rung, and for a sim-fault before engagement (that is an infra-error).
    """

    family: str
    task: str
    condition: str
    seed: int
    status: str
    success: bool
    safe: bool
    engaged: bool
    ladder: str | None = None
    constraints: Mapping[str, ConstraintOutcome] = field(default_factory=dict)
    post_success_violation: bool | None = None

    def __post_init__(self) -> None:
        if self.status not in STATUSES:
            raise RowError(f"{self.name}: unknown status {self.status!r}; statuses are {alternatives(STATUSES)}")
        if self.ladder is not None and self.ladder not in LADDER:
            raise RowError(f"{self.name}: unknown ladder rung {self.ladder!r}; rungs are {alternatives(LADDER)}")
        if self.status == SIM_FAULT and not self.engaged:
            raise RowError(f"{self.name}: sim-fault without engagement; a blow-up before engagement is an infra-error")
        broken = sorted(name for name, outcome in self.constraints.items() if outcome.violated)
        if self.counted and self.safe and broken:
            raise RowError(f"{self.name}: safe, yet constraint {broken[0]!r} is violated")

    @property
    def name(self) -> str:
        """The rollout's coordinates in one string, for messages."""
        return f"{self.family}/{self.task}/{self.condition} seed {self.seed}"

    @property
    def cluster(self) -> tuple[str, str]:
        """The base task: rollouts that share it are not independent of each other."""
        return (self.family, self.task)

    @property
    def counted(self) -> bool:
        """Whether the rollout is in n."""
        return self.status in COUNTED_STATUSES

    @property
    def counted_success(self) -> bool:
        """Success as it enters the rates: faults are unsuccessful whatever had been reached."""
        return self.success and self.status == COMPLETED

    @property
    def counted_safe(self) -> bool:
        """Safety as it enters the rates: a simulation that blew up under the robot's hands is unsafe."""
        return self.safe and self.status != SIM_FAULT

    @property
    def counted_rung(self) -> str:
        """The rung as it is counted, "unknown" where nobody recorded one; only a counted success is a success."""
        if self.counted_success:
            return "success"
        if self.ladder == "success":
            return "manipulated"
        return self.ladder or "unknown"


def check_rows(rows: Iterable[RolloutRow], *, protocol: str) -> tuple[RolloutRow, ...]:
    """Return the rows in canonical order, or raise RowError.

    Refused: an unknown protocol, a rollout that appears twice, and, under the protocols in which only what happens from
    engagement on counts (all but `strict`), a counted rollout that is unsafe but not engaged.
    """
    check_protocol(protocol)
    ordered = sorted(rows, key=lambda r: (r.family, r.task, r.condition, r.seed))
    for before, row in pairwise(ordered):
        if (before.cluster, before.condition, before.seed) == (row.cluster, row.condition, row.seed):
            raise RowError(f"{row.name} appears twice; a rollout counts once")
    for row in ordered:
        if row.counted and not row.safe and not row.engaged and protocol != "strict":
            raise RowError(
                f"{row.name}: unsafe but not engaged, which protocol {protocol!r} does not know; use protocol 'strict'"
            )
    return tuple(ordered)


def check_protocol(protocol: str) -> None:
    """Raise RowError unless `protocol` is one of `PROTOCOLS`."""
    if protocol not in PROTOCOLS:
        raise RowError(f"unknown protocol {protocol!r}; protocols are {alternatives(PROTOCOLS)}")
