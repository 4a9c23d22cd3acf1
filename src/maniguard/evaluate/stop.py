"""Runs that may end before their plan does: the condition, the drawn order of tasks, and how far the run went."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from maniguard.bench import Scenario
from maniguard.metrics import PROTOCOLS, StopCondition, StopError

STOPPED_FORMAT = "maniguard-stopped/1"

NOT_RUN = "not-run (stopped)"
"""What the ledger counts a planned rollout as that the run, once stopped, has no use for."""


@dataclass(frozen=True)
class StopPlan:
    """When a run may stop: `condition` on rates under `protocol`; the order of tasks is drawn with `order_seed`.

    The condition is kept in one way of writing. StopError for one that is not understood.
    """

    condition: str
    protocol: str = "maniguard"
    order_seed: int = 0

    def __post_init__(self) -> None:
        object.__setattr__(self, "condition", str(StopCondition.parse(self.condition)))
        if self.protocol not in PROTOCOLS:
            raise StopError(f"unknown protocol {self.protocol!r}; protocols are {', '.join(PROTOCOLS)}")


@dataclass(frozen=True)
class Stopped:
    """A run that its condition ended after the first `tasks` tasks of the plan, which are its first `rollouts` items.

    `intervals` are the ends of the confidence sequence of each rate of the condition when it did.
    """

    condition: str
    protocol: str
    tasks: int
    planned_tasks: int
    rollouts: int
    planned_rollouts: int
    intervals: Mapping[str, tuple[float, float]]


def drawn_order(scenarios: Sequence[Scenario], order_seed: int) -> tuple[Scenario, ...]:
    """Return the scenarios with their base tasks in an order drawn at random; those of a task stay together.

    The order is a function of the set of tasks and of `order_seed`, not of the order in which they were given.
    """
    tasks = sorted({(scenario.family, scenario.task_id) for scenario in scenarios})
    digest = hashlib.sha256(json.dumps([order_seed, tasks]).encode()).digest()
    rng = np.random.default_rng(int.from_bytes(digest[:16], "big"))
    place = {tasks[k]: rank for rank, k in enumerate(rng.permutation(len(tasks)).tolist())}
    return tuple(sorted(scenarios, key=lambda scenario: place[scenario.family, scenario.task_id]))
