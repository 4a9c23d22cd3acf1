"""Run one rollout from its first frame to its status."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from time import perf_counter
from typing import Any

from maniguard.bench import Scenario
from maniguard.monitor import Judgement
from maniguard.rollout.actor import Actor
from maniguard.rollout.faults import InfraError, PolicyFault, fault_kind
from maniguard.rollout.observation import check_needs, make_observation
from maniguard.rollout.session import Session
from maniguard.rollout.status import Status
from maniguard.rollout.video import VideoWriter
from maniguard.sim import Quality, SimulationFault, World
from maniguard.spec import Spec
from maniguard.trace import Trace

VIDEO_CAMERA = "overview"


@dataclass(frozen=True)
class RolloutResult:
    """One finished rollout: its record, its judgement, its status and, where something failed, what.

    `durations_s` says where the time went; it is a fact about the machine and no part of the result's identity.
    `fault_kind` names what failed (`rollout.fault_kind`), for summaries.
    """

    trace: Trace
    judgement: Judgement
    status: Status
    fault: str | None
    durations_s: Mapping[str, float]
    fault_kind: str | None = None


def run_rollout(
    scenario: Scenario,
    spec: Spec,
    world: World,
    actor: Actor,
    *,
    seed: int,
    policy: str,
    render_quality: Quality = "fast",
    video: VideoWriter | None = None,
    video_size_px: int = 256,
    over: Callable[[int], bool] | None = None,
) -> RolloutResult:
    """Let `actor` play `scenario` in `world` and judge it by `spec`.

    Ends one second after success or after the step limit, or when `over`, asked with the number of steps so far, says
    so: for proofs about scripts that have nothing more to do, never for an evaluation. A bad action ends it as
    `policy-fault`; a blow-up as `sim-fault` once engaged, else as `infra-error`; an InfraError as `infra-error`.
    Whatever the end, the record so far is kept.
    """
    needs = actor.needs
    check_needs(needs)
    quality = render_quality if needs.cameras else None
    session = Session(scenario, spec, world, seed=seed, policy=policy, render_quality=quality)
    status: Status = "completed"
    fault: str | None = None
    kind: str | None = None
    clock = session.clock
    try:
        started = perf_counter()
        actor.reset(scenario_id=scenario.id, seed=seed, instruction=scenario.instruction)
        clock.policy_s += perf_counter() - started
        while True:
            if video is not None:
                _film(session, video, render_quality, video_size_px)
            if session.done or (over is not None and over(session.step_index)):
                break
            started = perf_counter()
            observation: Mapping[str, Any] = {}
            if actor.reads_next_observation:
                observation = make_observation(
                    world,
                    session.frame,
                    needs,
                    instruction=scenario.instruction,
                    step=session.step_index,
                    spec=scenario.spec,
                    render_quality=render_quality,
                )
            observed = perf_counter()
            clock.observing_s += observed - started
            action = actor.act(observation)
            clock.policy_s += perf_counter() - observed
            session.advance(action)
    except PolicyFault as error:
        status, fault, kind = "policy-fault", str(error), fault_kind(error)
    except SimulationFault as error:
        status, fault, kind = ("sim-fault" if session.engaged else "infra-error"), str(error), fault_kind(error)
    except InfraError as error:
        status, fault, kind = "infra-error", str(error), fault_kind(error)
    if fault is not None:
        session.note("fault", fault)
    trace, judgement = session.finish()
    if judgement.invalid_scene and status != "infra-error":
        status = "invalid-scene"
    return RolloutResult(trace, judgement, status, fault, clock.as_dict(), kind)


def _film(session: Session, video: VideoWriter, quality: Quality, size_px: int) -> None:
    started = perf_counter()
    video.append(session.world.render(VIDEO_CAMERA, quality=quality, size=size_px))
    parts = session.clock.parts
    parts["video_s"] = parts.get("video_s", 0.0) + perf_counter() - started
