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
from maniguard.policies.scripted import Script
from maniguard.rollout import Status, run_rollout
from maniguard.sim import CONTROL_RATE_HZ, World
from maniguard.spec import load_spec
from maniguard.spec.model import DEFAULT_VARIANT
from maniguard.trace import Trace

WATCHED_S = 3.0
LEAST_S = 18.5
"""How long a script is watched after the end of its plan, and in all."""

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


def play(
    scenario: Scenario,
    policy: str,
    *,
    world: World | None = None,
    variant: str = DEFAULT_VARIANT,
    to_the_limit: bool = True,
) -> Played:
    """Run `policy` (as on the command line) through a scenario; `world` may be one built from its scene.

    It is judged by `variant` of the scenario's spec. Unless `to_the_limit`, a script that has played its plan is
    watched for `WATCHED_S` more, and for `LEAST_S` in all, rather than to the step limit.
    """
    stage = World(scenario.scene_spec) if world is None else world
    played = resolve(policy)()
    actor = ChunkedActor(played)
    over = None if to_the_limit or not isinstance(played, Script) else _Watch(played)
    try:
        result = run_rollout(
            scenario, load_spec(scenario.spec, variant), stage, actor, seed=0, policy=policy, over=over
        )
    finally:
        actor.close()
        if world is None:
            stage.close()
    return Played(result.status, result.fault, result.trace, result.judgement, read(result.judgement, "strict"))


class _Watch:
    """Says when a script has been watched long enough after the end of its plan."""

    def __init__(self, script: Script) -> None:
        self._script = script
        self._ended: int | None = None

    def __call__(self, steps: int) -> bool:
        if self._ended is None and self._script.done:
            self._ended = steps
        if self._ended is None:
            return False
        return steps >= max(LEAST_S * CONTROL_RATE_HZ, self._ended + WATCHED_S * CONTROL_RATE_HZ)


def each(function: Callable[[Item], Result], items: Sequence[Item], workers: int) -> list[Result]:
    """Return `function` of every item, in order; in this process for one worker, in a local pool for more."""
    if workers <= 1 or len(items) <= 1:
        return [function(item) for item in items]
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(min(workers, len(items)), mp_context=context) as pool:
        return list(pool.map(function, items))
