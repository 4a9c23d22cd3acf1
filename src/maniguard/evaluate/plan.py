"""The plan: which rollouts will be run, fixed before the first of them starts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from maniguard.audit import POLICY as RECORDED
from maniguard.bench import Scenario
from maniguard.errors import ManiguardError
from maniguard.evaluate.stop import StopPlan, drawn_order
from maniguard.policies import ChunkedActor, ContractError, PolicyContract, check_contract, resolve
from maniguard.rollout import protocol_identity
from maniguard.sim import Quality
from maniguard.spec import load_spec
from maniguard.trace import CodecError
from maniguard.trace.codec import record_from_dict

PLAN_FORMAT = "maniguard-plan/1"

# What a 64-bit column of the results table can hold.
MAX_SEED = 2**63 - 1


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
    Recordings have the policy `recorded`, and no contract. With `stop` the tasks of `items` come in a drawn order, and
    the run may end before its plan does.
    """

    policy: str
    contract: Mapping[str, Any]
    spec_variant: str
    specs: Mapping[str, str]
    identity: Mapping[str, str | int | float]
    render_quality: Quality
    video: bool
    items: tuple[PlannedRollout, ...]
    stop: StopPlan | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the plan as JSON values."""
        value = {"format": PLAN_FORMAT, **asdict(self), "items": [asdict(item) for item in self.items]}
        if self.stop is None:
            del value["stop"]
        return value

    @staticmethod
    def from_dict(value: Mapping[str, Any], where: str = "plan") -> Plan:
        """Read a plan from JSON values; PlanError names what is wrong, and `where` it stands."""
        if value.get("format") != PLAN_FORMAT:
            raise PlanError(f"{where}: format {value.get('format')!r}; this version reads {PLAN_FORMAT}")
        try:
            plan = record_from_dict(Plan, value, where)
        except CodecError as error:
            raise PlanError(f"the plan is damaged: {error}") from error
        if plan.policy != RECORDED or plan.contract:
            try:
                PolicyContract.from_dict(plan.contract)
            except ContractError as error:
                raise PlanError(f"the plan is damaged: {where}.contract: {error}") from error
        ids = [item.rollout_id for item in plan.items]
        for item in plan.items:
            if item.rollout_id != rollout_id(item.scenario_id, item.seed):
                raise PlanError(f"{where}: {item.rollout_id!r} is not the id of {item.scenario_id} with {item.seed}")
        if not ids or len(set(ids)) != len(ids):
            raise PlanError(f"{where}: it plans {'a rollout twice' if ids else 'nothing'}")
        return plan

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
    stop: StopPlan | None = None,
) -> Plan:
    """Plan every scenario with every seed; PlanError where nothing is planned, or something twice.

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
    for seed in seeds:
        if not 0 <= seed <= MAX_SEED:
            raise PlanError(f"seed {seed} is out of range; seeds are 0 to 2**63 - 1")
    ids = [s.id for s in scenarios]
    repeated = sorted({name for name in ids if ids.count(name) > 1})
    if repeated:
        raise PlanError(f"scenario {repeated[0]} is chosen twice")
    if stop is not None:
        scenarios = drawn_order(scenarios, stop.order_seed)
    if contract is None:
        actor = ChunkedActor(resolve(policy)())
        contract = actor.contract
        actor.close()
    else:
        check_contract(contract)
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
        stop=stop,
    )


def difference(ours: Plan, theirs: Plan) -> str | None:
    """Say in words in what two plans differ; None where resuming one as the other is sound."""
    # What a plan holds beside the choices of the caller follows from them: they come first.
    for key in ("policy", "stop", "items", "spec_variant", "render_quality", "video", "specs", "identity", "contract"):
        mine, other = getattr(ours, key), getattr(theirs, key)
        if mine == other:
            continue
        name = key.replace("_", " ")
        if key == "stop":
            return f"it {_stops(other)}, this call {_stops(mine)}"
        if key == "items":
            return _difference_of_items(mine, other)
        if isinstance(mine, Mapping):
            parts = [part for part in (*mine, *other) if mine.get(part) != other.get(part)]
            return f"its {name} has {parts[0]} {other.get(parts[0])!r}, this call's {mine.get(parts[0])!r}"
        return f"its {name} is {other!r}, this call's {mine!r}"
    return None


def _stops(stop: StopPlan | None) -> str:
    if stop is None:
        return "never stops early"
    return f"stops when {stop.condition} under protocol {stop.protocol}, order seed {stop.order_seed}"


def _difference_of_items(ours: Sequence[PlannedRollout], theirs: Sequence[PlannedRollout]) -> str:
    mine, other = ({item.rollout_id: item for item in items} for items in (ours, theirs))
    count = f"it plans {len(other)} rollouts, this call {len(mine)}"
    for name in (*mine, *other):
        if name not in other:
            return f"{count}; {name} is not among its"
        if name not in mine:
            return f"{count}; {name} is only among its"
        if mine[name] != other[name]:
            return f"scenario {mine[name].scenario_id} has changed since it was planned"
    return f"{count}, in another order"


# What a run without pictures, or of one scenario only, has in its identity and another has not.
_OF_A_POLICY = frozenset({"render_quality", "scenario_hash", "spec", "spec_hash"})


def incomparable(a: Plan, b: Plan) -> str | None:
    """Say what two plans differ in beside policy, contract and choice of rollouts; None where they can be compared."""
    if a.spec_variant != b.spec_variant:
        return f"their spec variants are {a.spec_variant!r} and {b.spec_variant!r}"
    for name in a.specs:
        if b.specs.get(name, a.specs[name]) != a.specs[name]:
            return f"the specification {name!r} is not the same in both"
    scenarios = {item.scenario_id: item.scenario_hash for item in a.items}
    for item in b.items:
        if scenarios.get(item.scenario_id, item.scenario_hash) != item.scenario_hash:
            return f"scenario {item.scenario_id} is not the same in both"
    for key in sorted(set(a.identity) & set(b.identity) - _OF_A_POLICY):
        if a.identity[key] != b.identity[key]:
            return f"their {key} is {a.identity[key]!r} and {b.identity[key]!r}"
    return None
