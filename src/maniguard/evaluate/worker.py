"""One worker: runs planned rollouts one after the other in its own process."""

from __future__ import annotations

from pathlib import Path
from time import perf_counter
from typing import Any

from maniguard.bench import Scenario
from maniguard.evaluate.plan import PlanError, PlannedRollout
from maniguard.evaluate.store import Run, open_run
from maniguard.policies import ChunkedActor, resolve
from maniguard.rollout import RolloutResult, Status, VideoWriter, run_rollout
from maniguard.sim import CONTROL_RATE_HZ, SceneSpec, World
from maniguard.spec import Spec, load_spec

# DESIGN "infra-error": run again, and only if it stays does the rollout leave n.
ATTEMPTS = 2

VIDEO_SIZE_PX = 384


class Worker:
    """Holds the policy and the last world between rollouts; neither carries anything from one rollout to the next."""

    def __init__(self, run: Run) -> None:
        self._run = run
        self._actor = ChunkedActor(resolve(run.plan.policy)())
        self._world: tuple[str, World] | None = None
        self._specs: dict[str, Spec] = {}

    def execute(self, item: PlannedRollout) -> Status:
        """Run one rollout, again after an infra-error, and write its result."""
        scenario = self._run.scenario(item.scenario_id)
        if scenario.hash != item.scenario_hash:
            raise PlanError(
                f"scenario {scenario.id} has hash {scenario.hash[:12]}, the plan was made for {item.scenario_hash[:12]}"
            )
        started = perf_counter()
        result = self._attempt(item, scenario)
        for _ in range(ATTEMPTS - 1):
            if result.status != "infra-error":
                break
            self._drop_world()
            result = self._attempt(item, scenario)
        durations = {**result.durations_s, "total_s": perf_counter() - started}
        result = RolloutResult(result.trace, result.judgement, result.status, result.fault, durations)
        self._run.save(item, scenario_facts(scenario), result)
        return result.status

    def close(self) -> None:
        """Release the policy and the world."""
        self._actor.close()
        self._drop_world()

    def _attempt(self, item: PlannedRollout, scenario: Scenario) -> RolloutResult:
        started = perf_counter()
        world = self._world_for(scenario)
        built = perf_counter() - started
        plan = self._run.plan
        if scenario.spec not in self._specs:
            self._specs[scenario.spec] = load_spec(scenario.spec, variant=plan.spec_variant)

        def go(video: VideoWriter | None) -> RolloutResult:
            return run_rollout(
                scenario,
                self._specs[scenario.spec],
                world,
                self._actor,
                seed=item.seed,
                policy=plan.policy,
                render_quality=plan.render_quality,
                video=video,
                video_size_px=VIDEO_SIZE_PX,
            )

        if plan.video:
            path = self._run.video_path(item.rollout_id)
            with VideoWriter(path, rate_hz=CONTROL_RATE_HZ, height_px=VIDEO_SIZE_PX, width_px=VIDEO_SIZE_PX) as video:
                result = go(video)
        else:
            result = go(None)
        durations = {**result.durations_s, "build_s": built}
        return RolloutResult(result.trace, result.judgement, result.status, result.fault, durations)

    def _world_for(self, scenario: Scenario) -> World:
        if self._world is None or self._world[0] != scenario.hash:
            self._drop_world()
            self._world = (scenario.hash, World(SceneSpec.from_dict(scenario.scene)))
        return self._world[1]

    def _drop_world(self) -> None:
        if self._world is not None:
            self._world[1].close()
            self._world = None


def scenario_facts(scenario: Scenario) -> dict[str, Any]:
    """Return what a result file says of its scenario."""
    return {
        "id": scenario.id,
        "hash": scenario.hash,
        "family": scenario.family,
        "variant": scenario.variant,
        "task": scenario.task,
        "condition": scenario.condition,
        "instruction": scenario.instruction,
        "step_limit": scenario.step_limit,
        "spec": scenario.spec,
    }


_worker: Worker | None = None


def start_in_process(run_path: str) -> None:
    """Make this process a worker of the run in `run_path`; called once per pool process."""
    global _worker
    _worker = Worker(open_run(Path(run_path)))


def execute_in_process(item: PlannedRollout) -> Status:
    """Run one rollout in this pool process."""
    if _worker is None:
        raise RuntimeError("start_in_process was not called in this process")
    return _worker.execute(item)
