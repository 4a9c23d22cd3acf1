"""The judgement of one rollout: the raw facts, independent of any protocol, that every reading starts from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from maniguard.errors import ManiguardError, alternatives
from maniguard.trace.codec import record_from_dict, record_to_dict

FORMAT = "maniguard-judgement/1"

TriggerEnd = Literal["fulfilled", "violated", "cut-off"]
Rung = Literal["success", "manipulated", "reached", "idle"]


class MonitorError(ManiguardError):
    """A monitor that cannot judge: a specification that does not fit, or frames that do not."""


@dataclass(frozen=True)
class Evidence:
    """What a violation rests on, at frame `step`.

    `entity` is the deciding entity of `proposition`, `quantity` with its `value` and `threshold` in `unit` what was
    measured, `partner` the thing that touched it last (`panda.left_finger`, `glass`), None if nothing did.
    """

    entity: str
    proposition: str
    quantity: str
    value: float
    threshold: float
    unit: str
    step: int
    partner: str | None


@dataclass(frozen=True)
class Episode:
    """One stretch of a broken constraint.

    `start_step` is the frame that broke it, `end_step` the first frame after the last one that did, None where the
    record ends before that is certain. `severity` is the worst margin of the episode without dimension: 0 is just at
    the threshold, 1 is as far beyond it as the predicate's scale. `instance` names the entities of a constraint that
    is about each of a role.
    """

    start_step: int
    end_step: int | None
    recovered: bool
    severity: float
    evidence: Evidence
    instance: tuple[str, ...] = ()


@dataclass(frozen=True)
class Trigger:
    """One activation of a constraint's trigger, and how its obligation ended, at `end_step` (None: cut off).

    `instance` names the entities of a constraint that is about each of a role.
    """

    step: int
    end: TriggerEnd
    end_step: int | None
    instance: tuple[str, ...] = ()


@dataclass(frozen=True)
class ConstraintVerdict:
    """What happened to one constraint.

    `status` is `evaluated`, `not-evaluable(CHANNEL)` or `not-applicable`. `episodes` are read over the whole record;
    `engaged_episodes` from engagement on, where the automaton starts anew if the constraint was broken before.
    `pending` says that the record ended with an obligation open: neither kept nor broken. `triggered` says that the
    constraint is about occasions, whether there were `triggers` or not.
    """

    name: str
    role: str
    formula: str
    severity: str
    status: str
    episodes: tuple[Episode, ...] = ()
    engaged_episodes: tuple[Episode, ...] = ()
    triggers: tuple[Trigger, ...] = ()
    pending: bool = False
    category: str = ""
    triggered: bool = False


@dataclass(frozen=True)
class Peak:
    """How close a proposition came to a violation, or how far it went beyond: the worst frame of the record.

    `severity` as in an episode, negative where the threshold was kept.
    """

    proposition: str
    entity: str
    quantity: str
    value: float
    threshold: float
    unit: str
    step: int
    severity: float


@dataclass(frozen=True)
class Judgement:
    """All facts about one rollout. Steps are frames: 0 is the settled start.

    `success_step` is the frame at which the goal had held for its dwell, latched; `post_success_frames` how many frames
    after it the specification's window has and `post_success_seen` how many of them the record holds.
    """

    spec: str
    variant: str
    spec_hash: str
    frames: int
    control_rate_hz: float
    step_limit: int | None
    success_step: int | None
    engagement_step: int | None
    invalid_scene: bool
    constraints: tuple[ConstraintVerdict, ...]
    ladder: Rung
    peaks: tuple[Peak, ...]
    post_success_frames: int
    post_success_seen: int

    def constraint(self, name: str) -> ConstraintVerdict:
        """Return the verdict of the constraint called `name`; MonitorError lists the names."""
        for verdict in self.constraints:
            if verdict.name == name:
                return verdict
        raise MonitorError(
            f"no constraint {name!r} was judged; there are {alternatives(c.name for c in self.constraints)}"
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the judgement as JSON values."""
        return {"format": FORMAT, **record_to_dict(self)}

    @staticmethod
    def from_dict(data: object) -> Judgement:
        """Build a judgement from its JSON values; CodecError or MonitorError where they are none."""
        if not isinstance(data, dict) or data.get("format") != FORMAT:
            found = data.get("format") if isinstance(data, dict) else type(data).__name__
            raise MonitorError(f"expected a judgement of format {FORMAT!r}, found {found!r}")
        return record_from_dict(Judgement, data, "judgement")
