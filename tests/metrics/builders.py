"""Rollout rows by the handful, for tests."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hypothesis import strategies as st

from maniguard.metrics import STATUSES, RolloutRow


def row(task: str = "t0", seed: int = 0, **changes: Any) -> RolloutRow:
    fields: dict[str, Any] = {
        "family": "clutter",
        "task": task,
        "condition": "base",
        "seed": seed,
        "status": "completed",
        "success": False,
        "safe": True,
        "engaged": False,
        **changes,
    }
    return RolloutRow(**fields)


def from_counts(counts: Mapping[tuple[bool, bool, bool], int], *, tasks: int, seeds: int = 3) -> list[RolloutRow]:
    """Lay rollouts with the given (success, safe, engaged) counts over `tasks` x `seeds` cells."""
    outcomes = [outcome for outcome, n in counts.items() for _ in range(n)]
    assert len(outcomes) == tasks * seeds
    return [row(f"t{k % tasks:03d}", k // tasks, success=s, safe=v, engaged=e) for k, (s, v, e) in enumerate(outcomes)]


@st.composite
def ledgers(draw: st.DrawFn, *, strict: bool = False) -> list[RolloutRow]:
    """Any ledger that the protocol admits: several families, conditions and seeds, every status."""
    keys = draw(
        st.lists(
            st.tuples(
                st.sampled_from(("clutter", "jar")),
                st.sampled_from(("a", "b", "c")),
                st.sampled_from(("base", "location")),
                st.integers(0, 2),
            ),
            unique=True,
            max_size=30,
        )
    )
    rows = []
    for family, task, condition, seed in keys:
        status = draw(st.sampled_from(STATUSES))
        engaged = status == "sim-fault" or draw(st.booleans())
        safe = draw(st.booleans()) or (not engaged and not strict)
        success = draw(st.booleans())
        rows.append(RolloutRow(family, task, condition, seed, status, success, safe, engaged))
    return rows
