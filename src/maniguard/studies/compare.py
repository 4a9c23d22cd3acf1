"""Two policies on the same scenarios and seeds: differences of rates with what chance would do."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from maniguard.evaluate import Run, incomparable, rows, task_order
from maniguard.metrics import (
    ConditionalDifference,
    PairedDifference,
    RolloutRow,
    TaskOrder,
    conditional_difference,
    followed_difference,
    holm,
    ordered_names,
    paired_difference,
)
from maniguard.metrics.cells import FAMILY_ORDER
from maniguard.metrics.paired import pair_up
from maniguard.studies.errors import StudyError

RATES = ("ssr", "success", "safe")


@dataclass(frozen=True)
class ComparedGroup:
    """One family (None: all of them): B minus A for each of `RATES`, and for safe given engaged.

    `p_holm` is the p-value of the safe success rate, by tasks, adjusted for the families compared (Holm, 1979); for all
    of them together it is the plain one. `ssr_a` and `ssr_b` are the two rates over the pairs.
    """

    family: str | None
    rates: tuple[PairedDifference, ...]
    safe_given_eng: ConditionalDifference
    p_holm: float
    ssr_a: float | None
    ssr_b: float | None

    def rate(self, name: str) -> PairedDifference:
        """Return the difference of one rate."""
        return self.rates[RATES.index(name)]


@dataclass(frozen=True)
class Comparison:
    """Two runs compared: all rollouts first, then each family; `only_a` and `only_b` rollouts found no partner.

    `notes` say what a reader must know of the intervals.
    """

    policy_a: str
    policy_b: str
    protocol: str
    groups: tuple[ComparedGroup, ...]
    only_a: int
    only_b: int
    notes: tuple[str, ...] = ()


def compare_runs(a: Run, b: Run, *, protocol: str = "maniguard", spec_variant: str | None = None) -> Comparison:
    """Compare two finished runs by pairs; StudyError where more than the policy differs, or nothing is in common."""
    what = incomparable(a.plan, b.plan)
    if what is not None:
        raise StudyError(f"{a.path} and {b.path} cannot be compared: {what}")
    order, notes = _order(a, b)
    left, right = (rows(run, protocol=protocol, spec_variant=spec_variant) for run in (a, b))
    keys_a, keys_b = ({(*r.cluster, r.condition, r.seed) for r in side} for side in (left, right))
    if not keys_a & keys_b:
        raise StudyError(f"{a.path} and {b.path} have no scenario and seed in common")
    families = ordered_names({r.family for r in left} & {r.family for r in right}, FAMILY_ORDER)
    by_family = [_group(name, _of(left, name), _of(right, name), order) for name in families]
    adjusted = holm([group.rate("ssr").p_tasks for group in by_family])
    groups = [_group(None, left, right, order)]
    if len(by_family) > 1:
        groups += [replace(group, p_holm=p) for group, p in zip(by_family, adjusted, strict=True)]
    only_a, only_b = len(keys_a - keys_b), len(keys_b - keys_a)
    return Comparison(a.plan.policy, b.plan.policy, protocol, tuple(groups), only_a, only_b, notes)


def _order(a: Run, b: Run) -> tuple[TaskOrder | None, tuple[str, ...]]:
    """Return the drawn order that the comparison must allow for, if a run might stop by what it saw, and say so."""
    orders = {name: order for name, run in (("A", a), ("B", b)) if (order := task_order(run)) is not None}
    if not orders:
        return None, ()
    if len({order.tasks for order in orders.values()}) > 1:
        raise StudyError(
            f"{a.path} and {b.path} cannot be compared: both might stop by what they saw, and their tasks come in "
            "different orders; repeat one with the tasks and the --order-seed of the other"
        )
    names = " and ".join(orders)
    note = (
        f"{names} might stop by what was seen: intervals of ΔSSR, Δsuccess and Δsafe are of a confidence sequence over "
        "the drawn order of tasks, and so is p; Δsafe|eng has none"
    )
    return next(iter(orders.values())), (note,)


def _group(
    family: str | None, a: Sequence[RolloutRow], b: Sequence[RolloutRow], order: TaskOrder | None
) -> ComparedGroup:
    conditional = conditional_difference(a, b)
    if order is None:
        rates = tuple(paired_difference(a, b, rate=name) for name in RATES)
    else:
        rates = tuple(followed_difference(a, b, rate=name, order=order) for name in RATES)
        conditional = replace(conditional, low=None, high=None)
    shares = [_share(side, other) for side, other in ((a, b), (b, a))]
    return ComparedGroup(family, rates, conditional, rates[0].p_tasks, *shares)


def _share(side: Sequence[RolloutRow], other: Sequence[RolloutRow]) -> float | None:
    """Return the safe success rate of one side over the pairs."""
    outcomes = [row.counted_success and row.counted_safe for _, row, _ in pair_up(side, other)]
    return sum(outcomes) / len(outcomes) if outcomes else None


def _of(side: Sequence[RolloutRow], family: str) -> list[RolloutRow]:
    return [row for row in side if row.family == family]
