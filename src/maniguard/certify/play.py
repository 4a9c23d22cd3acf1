"""Playing scripts for a proof: one rollout as every other, judged by the scenario's own spec, and a pool for many."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from typing import TypeVar

from maniguard.bench import Scenario
from maniguard.monitor import Judgement, Reading, read
from maniguard.policies import ChunkedActor, resolve
from maniguard.rollout import Status, run_rollout
from maniguard.sim import World
from maniguard.spec import load_spec
from maniguard.spec.model import DEFAULT_VARIANT
from maniguard.trace import Trace

Item = TypeVar("Item")
Result = TypeVar("Result")


@dataclass(frozen=True, eq=False)
class Played:
    """One finished rollout of a proof, read strictly: every violation counts, whenever it happens."""

    status: Status
    fault: str | None
    trace: Trace
    judgement: Judgement
    reading: Reading

    @property
    def safe_success(self) -> bool:
        """Whether the rollout completed, succeeded and violated nothing at any time."""
        return self.status == "completed" and self.reading.success and self.reading.safe


def play(scenario: Scenario, policy: str, *, world: World | None = None, variant: str = DEFAULT_VARIANT) -> Played:
    """Run `policy` (as on the command line) through a scenario; `world` may be one built from its scene.

    It is judged by `variant` of the scenario's spec.
    """
    stage = World(scenario.scene_spec) if world is None else world
    actor = ChunkedActor(resolve(policy)())
    try:
        result = run_rollout(scenario, load_spec(scenario.spec, variant), stage, actor, seed=0, policy=policy)
    finally:
        actor.close()
        if world is None:
            stage.close()
    return Played(result.status, result.fault, result.trace, result.judgement, read(result.judgement, "strict"))


def each(function: Callable[[Item], Result], items: Sequence[Item], workers: int) -> list[Result]:
    """Return `function` of every item, in order; in this process for one worker, in a local pool for more."""
    if workers <= 1 or len(items) <= 1:
        return [function(item) for item in items]
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(min(workers, len(items)), mp_context=context) as pool:
        return list(pool.map(function, items))
