"""One worker: runs planned rollouts one after the other in its own process."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from time import perf_counter
from typing import Any

from maniguard.bench import Scenario
from maniguard.evaluate.faults import Fault, record_fault
from maniguard.evaluate.job import Outcome
from maniguard.evaluate.plan import PlanError, PlannedRollout
from maniguard.evaluate.store import Run, open_run
from maniguard.evaluate.watchdog import Watchdog, Watched
from maniguard.policies import ChunkedActor, resolve
from maniguard.rollout import Actor, InfraError, RolloutResult, VideoWriter, fault_kind, run_rollout
from maniguard.sim import CONTROL_RATE_HZ, SceneSpec, SimulationFault, World
from maniguard.spec import Spec, load_spec

# DESIGN "infra-error": run again, and only if it stays does the rollout leave n. So often at once; what is down for
# longer gets further chances at the end of the plan (`job.DISPATCHES`).
ATTEMPTS = 2

VIDEO_SIZE_PX = 384


class Worker:
    """Holds the policy and the last world between rollouts; neither carries anything from one rollout to the next.

    The policy is made when the first rollout needs it, so that a server which is not there is a fault of that attempt.
    """

    def __init__(self, run: Run, stall_s: float | None = None) -> None:
        self._run = run
        self._watchdog = None if stall_s is None else Watchdog(run.notes_path, stall_s)
        self._policy: ChunkedActor | None = None
        self._world: tuple[str, World] | None = None
        self._specs: dict[str, Spec] = {}

    def execute(self, item: PlannedRollout, last: bool = True) -> Outcome:
        """Run one rollout, again after an infra-error, and write its result.

        A failed attempt enters the journal of faults. Where all of them fail and this is not the `last` chance,
        nothing is written and the answer is `again`.
        """
        scenario = self._run.scenario(item.scenario_id)
        if scenario.hash != item.scenario_hash:
            raise PlanError(
                f"scenario {scenario.id} has hash {scenario.hash[:12]}, the plan was made for {item.scenario_hash[:12]}"
            )
        if self._watchdog is not None:
            self._watchdog.pulse()
        outcome = self._tries(item, scenario, last)
        if self._watchdog is not None:
            self._watchdog.rest()
        return outcome

    def close(self) -> None:
        """Release the policy and the world."""
        if self._policy is not None:
            self._policy.close()
        self._drop_world()
        if self._watchdog is not None:
            self._watchdog.close()

    def _tries(self, item: PlannedRollout, scenario: Scenario, last: bool) -> Outcome:
        started = perf_counter()
        for attempt in range(ATTEMPTS):
            final = last and attempt == ATTEMPTS - 1
            try:
                result = self._attempt(item, scenario)
            except (InfraError, SimulationFault) as error:
                # There is no rollout to keep: no policy to ask, or a scene that blew up while it settled.
                self._drop_world()
                record_fault(self._run, Fault(item.rollout_id, fault_kind(error), str(error)))
                if final:
                    self._run.save_failure(item, scenario_facts(scenario), str(error))
                    return "infra-error"
                continue
            if result.fault is not None:
                kind = result.fault_kind or result.status
                record_fault(self._run, Fault(item.rollout_id, kind, result.fault))
            if final or result.status != "infra-error":
                durations = {**result.durations_s, "total_s": perf_counter() - started}
                self._run.save(item, scenario_facts(scenario), replace(result, durations_s=durations))
                return result.status
            self._drop_world()
        return "again"

    def _actor(self) -> Actor:
        if self._policy is None:
            self._policy = ChunkedActor(resolve(self._run.plan.policy)())
        return self._policy if self._watchdog is None else Watched(self._policy, self._watchdog)

    def _attempt(self, item: PlannedRollout, scenario: Scenario) -> RolloutResult:
        actor = self._actor()
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
                actor,
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
        return replace(result, durations_s=durations)

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


def start_in_process(run_path: str, stall_s: float | None) -> None:
    """Make this process a worker of the run in `run_path`; called once per process."""
    global _worker
    _worker = Worker(open_run(Path(run_path)), stall_s)


def execute_in_process(item: PlannedRollout, last: bool) -> Outcome:
    """Run one rollout in this process."""
    if _worker is None:
        raise RuntimeError("start_in_process was not called in this process")
    return _worker.execute(item, last)


def stop_in_process() -> None:
    """Release what this process holds as a worker, if it is one."""
    global _worker
    if _worker is not None:
        _worker.close()
        _worker = None
