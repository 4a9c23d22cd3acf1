"""The plan: which rollouts will be run, fixed before the first of them starts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from maniguard.bench import Scenario
from maniguard.errors import ManiguardError
from maniguard.policies import PolicyContract, resolve
from maniguard.rollout import protocol_identity
from maniguard.sim import Quality
from maniguard.spec import load_spec

PLAN_FORMAT = "maniguard-plan/1"


class PlanError(ManiguardError):
    """A plan that cannot be made, read, or resumed."""


@dataclass(frozen=True)
class PlannedRollout:
    """One rollout to be run; `rollout_id` is a file name."""

    rollout_id: str
    scenario_id: str
    scenario_hash: str
    seed: int


@dataclass(frozen=True)
class Plan:
    """All rollouts of one run and everything that their results depend on.

    `specs` maps the name of each spec that the plan uses to its digest; `identity` is what is common to all rollouts.
    """

    policy: str
    contract: Mapping[str, Any]
    spec_variant: str
    specs: Mapping[str, str]
    identity: Mapping[str, str | int | float]
    render_quality: Quality
    video: bool
    items: tuple[PlannedRollout, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return the plan as JSON values."""
        return {"format": PLAN_FORMAT, **asdict(self), "items": [asdict(item) for item in self.items]}

    @staticmethod
    def from_dict(value: Mapping[str, Any]) -> Plan:
        """Read a plan from JSON values; PlanError names what is wrong."""
        if value.get("format") != PLAN_FORMAT:
            raise PlanError(
                f"plan format {value.get('format')!r} is not readable here; this version reads {PLAN_FORMAT}"
            )
        try:
            fields = {key: value[key] for key in Plan.__dataclass_fields__}
            fields["items"] = tuple(PlannedRollout(**item) for item in value["items"])
        except (KeyError, TypeError) as error:
            raise PlanError(f"the plan is damaged: {error}") from error
        return Plan(**fields)

    @property
    def privileged(self) -> bool:
        """Whether the policy sees the scene's true state."""
        return bool(self.contract.get("privileged"))


def rollout_id(scenario_id: str, seed: int) -> str:
    """Name a rollout by a file name: `clutter-dry-07/base` with seed 0 is `clutter-dry-07.base.s0`."""
    return f"{scenario_id.replace('/', '.')}.s{seed}"


def make_plan(
    policy: str,
    scenarios: Sequence[Scenario],
    seeds: Sequence[int],
    *,
    contract: PolicyContract | None = None,
    spec_variant: str = "default",
    render_quality: Quality = "fast",
    video: bool = False,
) -> Plan:
    """Plan every scenario with every seed; PlanError where nothing is planned or a seed is given twice.

    Every spec is loaded here, so that an unknown variant is an error before anything runs. `contract` is asked of the
    policy where it is not given, which connects to a policy server.
    """
    if not scenarios:
        raise PlanError("nothing to run: no scenario matches the selection")
    if not seeds:
        raise PlanError("nothing to run: no seed is given")
    doubled = sorted({seed for seed in seeds if list(seeds).count(seed) > 1})
    if doubled:
        raise PlanError(f"seed {doubled[0]} is given twice")
    if min(seeds) < 0:
        raise PlanError(f"seed {min(seeds)} is negative; seeds are 0 or more")
    if contract is None:
        instance = resolve(policy)()
        contract = instance.contract
        instance.close()
    specs = {name: load_spec(name, variant=spec_variant) for name in sorted({s.spec for s in scenarios})}
    identities = [
        protocol_identity(s, specs[s.spec], render_quality=render_quality if contract.cameras else None)
        for s in scenarios
    ]
    common = {key: value for key, value in identities[0].items() if all(i[key] == value for i in identities)}
    return Plan(
        policy=policy,
        contract=contract.to_dict(),
        spec_variant=spec_variant,
        specs={name: spec.digest for name, spec in specs.items()},
        identity=common,
        render_quality=render_quality,
        video=video,
        items=tuple(PlannedRollout(rollout_id(s.id, seed), s.id, s.hash, seed) for s in scenarios for seed in seeds),
    )


def difference(ours: Plan, theirs: Plan) -> str | None:
    """Say in words in what two plans differ; None where resuming one as the other is sound."""
    for key in Plan.__dataclass_fields__:
        mine, other = getattr(ours, key), getattr(theirs, key)
        if mine == other:
            continue
        if key == "items":
            return f"it plans {len(other)} rollouts, this call {len(mine)}, or others"
        return f"its {key.replace('_', ' ')} is {other!r}, this call's {mine!r}"
    return None
