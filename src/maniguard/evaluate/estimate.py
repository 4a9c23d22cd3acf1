"""How long a run will take: from its own rollouts where there are some, else from a short trial of its first scene."""

from __future__ import annotations

import math
from collections.abc import Sequence
from time import perf_counter
from typing import NamedTuple

import numpy as np

from maniguard.bench import Scenario
from maniguard.evaluate.store import Run
from maniguard.policies import PolicyContract
from maniguard.rollout import Session
from maniguard.rollout.session import last_step
from maniguard.sim import SimulationFault, World

# Fewer rollouts than this say too little of the others.
_ENOUGH = 5
_TRIAL_STEPS = 10


class Estimate(NamedTuple):
    """Seconds of wall time for what is pending, on what they rest, and how often the policy will be asked at most.

    From a trial, `seconds` leave out the time that the policy takes and suppose that no rollout ends before its limit.
    """

    seconds: float
    measured: bool
    requests: int


def estimate(run: Run, scenarios: Sequence[Scenario], *, workers: int) -> Estimate | None:
    """Estimate the wall time of the pending rollouts on `workers` cores; a trial takes a second or two.

    None where the physics of the first scene blows up in the trial, which is for the rollout itself to deal with.
    """
    contract = PolicyContract.from_dict(run.plan.contract)
    by_id = {scenario.id: scenario for scenario in scenarios}
    pending = [by_id[item.scenario_id] for item in run.pending()]
    steps = [last_step(scenario.step_limit, None) for scenario in pending]
    requests = sum(math.ceil(count / contract.control_steps) for count in steps)
    at_a_time = max(1, min(workers, len(pending)))
    done = [item.rollout_id for item in run.plan.items if run.result_path(item.rollout_id).exists()]
    known = [timing for name in done if (timing := run.timing(name)) is not None and timing["durations_s"]]
    if len(known) >= _ENOUGH:
        mean_s = sum(timing["durations_s"]["total_s"] for timing in known) / len(known)
        return Estimate(mean_s * len(pending) / at_a_time, True, requests)
    if not pending:
        return Estimate(0.0, False, 0)
    try:
        build_s, step_s, look_s = _trial(run, pending[0], contract)
    except SimulationFault:
        return None
    total_s = build_s * len(pending) + step_s * sum(steps) + look_s * requests
    return Estimate(total_s / at_a_time, False, requests)


def _trial(run: Run, scenario: Scenario, contract: PolicyContract) -> tuple[float, float, float]:
    """Return the seconds of building and settling, of a control step, and of the pictures of one observation."""
    started = perf_counter()
    with World(scenario.scene_spec) as world:
        spec = run.spec(scenario.spec, run.plan.spec_variant)
        session = Session(scenario, spec, world, seed=0, policy="trial")
        built = perf_counter()
        hold = np.append(session.frame.robot_qpos_rad, 1.0)
        for _ in range(_TRIAL_STEPS):
            session.advance(hold)
        stepped = perf_counter()
        for camera in contract.cameras.values():
            world.render(camera, quality=run.plan.render_quality, size=contract.image_size_px)
        warm = perf_counter()
        for camera in contract.cameras.values():
            world.render(camera, quality=run.plan.render_quality, size=contract.image_size_px)
        return built - started, (stepped - built) / _TRIAL_STEPS, perf_counter() - warm
