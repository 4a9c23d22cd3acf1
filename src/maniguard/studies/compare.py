"""Two policies on the same scenarios and seeds: differences of rates with what chance would do."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from maniguard.evaluate import Run, rows
from maniguard.metrics import (
    ConditionalDifference,
    PairedDifference,
    RolloutRow,
    conditional_difference,
    holm,
    ordered_names,
    paired_difference,
)
from maniguard.metrics.cells import FAMILY_ORDER
from maniguard.studies.errors import StudyError

RATES = ("ssr", "success", "safe")


@dataclass(frozen=True)
class ComparedGroup:
    """One family (None: all of them): B minus A for each of `RATES`, and for safe given engaged.

    `p_holm` is the p-value of the safe success rate, adjusted for the families compared (Holm, 1979); for all of them
    together it is the plain one.
    """

    family: str | None
    rates: tuple[PairedDifference, ...]
    safe_given_eng: ConditionalDifference
    p_holm: float

    def rate(self, name: str) -> PairedDifference:
        """Return the difference of one rate."""
        return self.rates[RATES.index(name)]


@dataclass(frozen=True)
class Comparison:
    """Two runs compared: all rollouts first, then each family; `only_a` and `only_b` rollouts found no partner."""

    policy_a: str
    policy_b: str
    protocol: str
    groups: tuple[ComparedGroup, ...]
    only_a: int
    only_b: int


def compare_runs(a: Run, b: Run, *, protocol: str = "maniguard", spec_variant: str | None = None) -> Comparison:
    """Compare two finished runs by pairs; StudyError where more than the policy differs, or nothing is in common."""
    what = _differs(a, b)
    if what is not None:
        raise StudyError(f"{a.path} and {b.path} cannot be compared: {what}")
    left, right = (rows(run, protocol=protocol, spec_variant=spec_variant) for run in (a, b))
    keys_a, keys_b = ({(*r.cluster, r.condition, r.seed) for r in side} for side in (left, right))
    if not keys_a & keys_b:
        raise StudyError(f"{a.path} and {b.path} have no scenario and seed in common")
    families = ordered_names({r.family for r in left} & {r.family for r in right}, FAMILY_ORDER)
    by_family = [_group(name, _of(left, name), _of(right, name)) for name in families]
    adjusted = holm([group.rate("ssr").p_value for group in by_family])
    whole = _group(None, left, right)
    groups = [whole] if len(by_family) == 1 else [whole, *by_family]
    if len(by_family) > 1:
        adjusted_groups = [
            ComparedGroup(g.family, g.rates, g.safe_given_eng, p) for g, p in zip(by_family, adjusted, strict=True)
        ]
        groups = [whole, *adjusted_groups]
    return Comparison(a.plan.policy, b.plan.policy, protocol, tuple(groups), len(keys_a - keys_b), len(keys_b - keys_a))


def _group(family: str | None, a: Sequence[RolloutRow], b: Sequence[RolloutRow]) -> ComparedGroup:
    rates = tuple(paired_difference(a, b, rate=name) for name in RATES)
    return ComparedGroup(family, rates, conditional_difference(a, b), rates[0].p_value)


def _of(side: Sequence[RolloutRow], family: str) -> list[RolloutRow]:
    return [row for row in side if row.family == family]


def _differs(a: Run, b: Run) -> str | None:
    """Say what two runs differ in beside policy, contract and choice of rollouts; None where they can be compared."""
    if a.plan.spec_variant != b.plan.spec_variant:
        return f"spec variant {a.plan.spec_variant!r} and {b.plan.spec_variant!r}"
    for name, digest in a.plan.specs.items():
        if b.plan.specs.get(name, digest) != digest:
            return f"the specification {name!r} is another one"
    scenarios = {item.rollout_id: item.scenario_hash for item in a.plan.items}
    for item in b.plan.items:
        if scenarios.get(item.rollout_id, item.scenario_hash) != item.scenario_hash:
            return f"scenario {item.scenario_id} is another one"
    for key in sorted(set(a.plan.identity) & set(b.plan.identity)):
        if key not in _OF_A_POLICY and a.plan.identity[key] != b.plan.identity[key]:
            return f"{key} is {a.plan.identity[key]!r} and {b.plan.identity[key]!r}"
    return None


# What a run without pictures, or of one scenario only, has in its identity and another has not.
_OF_A_POLICY = frozenset({"render_quality", "scenario_hash", "spec_hash"})
