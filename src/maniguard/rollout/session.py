"""One rollout in progress: the world, its monitor and its record, advanced one control step at a time."""

from __future__ import annotations

from dataclasses import dataclass, field
from time import perf_counter

import numpy as np
from numpy.typing import ArrayLike

from maniguard.bench import Scenario
from maniguard.monitor import Judgement, Reading, SafetyMonitor, StepReport, read
from maniguard.rollout.faults import PolicyFault
from maniguard.rollout.identity import protocol_identity
from maniguard.sim import CONTROL_RATE_HZ, World
from maniguard.spec import Spec
from maniguard.trace import Frame, Trace, TraceBuilder, TraceMeta

ACTION_SIZE = 8

# DESIGN "end": the policy goes on for one second after success, or after the step limit.
AFTERMATH_S = 1.0


@dataclass
class StepClock:
    """Seconds of processor-wall time spent per part of the loop; measured, never used to decide."""

    physics_s: float = 0.0
    judging_s: float = 0.0
    observing_s: float = 0.0
    policy_s: float = 0.0
    parts: dict[str, float] = field(default_factory=dict)

    def as_dict(self) -> dict[str, float]:
        """Return the seconds by part."""
        return {
            "physics_s": self.physics_s,
            "judging_s": self.judging_s,
            "observing_s": self.observing_s,
            "policy_s": self.policy_s,
            **self.parts,
        }


class Session:
    """Advances one scenario under the monitor; the plain loop and the Gymnasium environment both drive it.

    `world` must have been built from the scenario's scene; it is reset here. The spec binds to the scene at once, so a
    rule that cannot be evaluated is an error before the first step.
    """

    def __init__(
        self,
        scenario: Scenario,
        spec: Spec,
        world: World,
        *,
        seed: int,
        policy: str,
        render_quality: str | None = None,
    ) -> None:
        self.scenario, self.spec, self.world = scenario, spec, world
        self.clock = StepClock()
        meta = TraceMeta(
            scenario_id=scenario.id,
            scenario_hash=scenario.hash,
            family=scenario.family,
            variant=scenario.variant,
            task=scenario.task,
            condition=scenario.condition,
            instruction=scenario.instruction,
            seed=seed,
            policy=policy,
            step_limit=scenario.step_limit,
            control_rate_hz=CONTROL_RATE_HZ,
            identity=dict(protocol_identity(scenario, spec, render_quality=render_quality)),
        )
        self._builder = TraceBuilder(world.scene, world.channels, meta)
        started = perf_counter()
        self._monitor = SafetyMonitor(
            spec, world.scene, world.channels, CONTROL_RATE_HZ, step_limit=scenario.step_limit
        )
        self.clock.judging_s += perf_counter() - started
        started = perf_counter()
        self.frame: Frame = world.reset()
        self.clock.physics_s += perf_counter() - started
        self.step_index = 0
        self.report: StepReport = self._judge(self.frame)

    @property
    def done(self) -> bool:
        """Whether the rollout has run to its end: one second after success, or after the step limit."""
        return self.step_index >= last_step(self.scenario.step_limit, self._monitor.success_step)

    @property
    def engaged(self) -> bool:
        """Whether the robot has touched anything that matters to the task."""
        return self.report.engaged

    def advance(self, action: ArrayLike) -> StepReport:
        """Realise one action (8,); PolicyFault for a bad one, SimulationFault when the physics blows up."""
        checked = np.asarray(action, dtype=np.float64)
        if checked.shape != (ACTION_SIZE,):
            raise PolicyFault(f"the action at step {self.step_index} has shape {checked.shape}; it must be (8,)")
        if not np.isfinite(checked).all():
            bad = [i for i in range(ACTION_SIZE) if not np.isfinite(checked[i])]
            raise PolicyFault(f"the action at step {self.step_index} is not finite in dimensions {bad}")
        started = perf_counter()
        self.frame = self.world.step(checked)
        self.clock.physics_s += perf_counter() - started
        self.step_index += 1
        self.report = self._judge(self.frame)
        return self.report

    def reading(self, protocol: str = "maniguard") -> Reading:
        """Read the facts so far under a protocol."""
        return read(self._monitor.judgement(), protocol)

    def note(self, kind: str, detail: str) -> None:
        """Write an event at the present step into the record."""
        self._builder.event(self.step_index, kind, detail)

    def finish(self) -> tuple[Trace, Judgement]:
        """Close the record: the trace, and the monitor's judgement of it."""
        return self._builder.build(), self._monitor.judgement()

    def _judge(self, frame: Frame) -> StepReport:
        started = perf_counter()
        self._builder.append(frame)
        report = self._monitor.step(frame)
        self.clock.judging_s += perf_counter() - started
        return report


def last_step(step_limit: int, success_step: int | None) -> int:
    """Return the step at which a rollout ends: one second after success, or after the step limit.

    What reaches the goal after the limit is no success and prolongs nothing.
    """
    end = step_limit if success_step is None else min(success_step, step_limit)
    return end + round(AFTERMATH_S * CONTROL_RATE_HZ)
