"""The safety monitor: a specification judged while a rollout runs, or afterwards from its record."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping

import numpy as np

from maniguard.grounding import Block, Detail, Glance, Grounding, frames_of
from maniguard.ltlf import Verdict
from maniguard.monitor.engine import Engine, Step
from maniguard.monitor.judgement import Judgement
from maniguard.monitor.partner import partner, robot_touches, robot_touches_now, unmoved
from maniguard.spec import Spec
from maniguard.trace import Channel, Contacts, Frame, Scene, Trace


class StepReport:
    """What the monitor says about one frame.

    `step` is the frame, `engaged` and `success` hold from their first frame on, `in_goal` now, and `violations` names
    the constraints newly broken.
    """

    __slots__ = ("_engine", "_margins", "_verdicts", "engaged", "in_goal", "step", "success", "violations")

    def __init__(self, step: int, engine: Engine, margins: list[float], result: Step) -> None:
        self.step = step
        self.engaged, self.violations, self.in_goal, self.success = result
        self._engine, self._margins, self._verdicts = engine, margins, engine.verdicts()

    @property
    def propositions(self) -> dict[str, bool]:
        """Truth by proposition."""
        return {name: margin > 0.0 for name, margin in zip(self._engine.names, self._margins, strict=True)}

    @property
    def margins(self) -> dict[str, float]:
        """Margin by proposition, in its predicate's unit, positive where it is true."""
        return dict(zip(self._engine.names, self._margins, strict=True))

    @property
    def verdicts(self) -> dict[str, Verdict]:
        """What each evaluated constraint's automaton says; PERM_VIOL in the frames that break it."""
        return dict(zip(self._engine.watched_names, self._verdicts, strict=True))


class _LiveSource:
    """The present frame of a running rollout, kept as long as a peak refers to it."""

    __slots__ = ("_glance", "_monitor")

    def __init__(self, glance: Glance, monitor: SafetyMonitor) -> None:
        self._glance, self._monitor = glance, monitor

    def detail(self, place: int) -> Detail:
        return self._glance.detail(place)

    def partner(self, column: int, frames: int) -> str | None:
        return self._monitor._partner(column)

    def settled(self) -> bool:
        return self._monitor._settled()


class SafetyMonitor:
    """Judges a running rollout frame by frame, frame 0 first.

    Construction binds the specification to the scene and fails closed: an unknown entity, an empty role, an unknown
    predicate, a goal or an engagement whose channel is absent raise before the first step. A constraint whose channel
    is absent is `not-evaluable(CHANNEL)` in the judgement. `step_limit` is the number of control steps within which
    success counts.
    """

    def __init__(
        self,
        spec: Spec,
        scene: Scene,
        channels: Mapping[str, Channel],
        control_rate_hz: float,
        *,
        step_limit: int | None = None,
    ) -> None:
        self.spec = spec
        self._arguments = (spec, scene, channels, control_rate_hz, step_limit)
        self._history_frames = frames_of(spec.judging.evidence_window_s, control_rate_hz)
        self._forces = channels["contact_force"].provenance != "absent"
        self.reset()

    def reset(self) -> None:
        """Forget the rollout."""
        self._engine = Engine(*self._arguments)
        self._recent: deque[Contacts] = deque(maxlen=self._history_frames)
        self._start: Frame | None = None
        self._frame: Frame | None = None
        self._touched = False

    @property
    def success_step(self) -> int | None:
        """The frame of success, latched; None so far."""
        return self._engine.success_step

    @property
    def engagement_step(self) -> int | None:
        """The frame of engagement; None so far."""
        return self._engine.engagement_step

    @property
    def statuses(self) -> Mapping[str, str]:
        """For each constraint `evaluated`, `not-evaluable(CHANNEL)` or `not-applicable`."""
        return dict(self._engine.status)

    def step(self, frame: Frame) -> StepReport:
        """Judge the next frame; GroundingError where its numbers cannot be judged."""
        engine = self._engine
        step = engine.frames
        moment, glance = engine.grounder.step(frame)
        if self._start is None:
            self._start = frame
        self._frame = frame
        self._recent.appendleft(frame.contacts)
        if not self._touched:
            self._touched = robot_touches_now(moment) if self._forces else bool(robot_touches(moment.block)[0])
        result = engine.advance(glance.margins, _LiveSource(glance, self))
        return StepReport(step, engine, glance.margins, result)

    def judgement(self) -> Judgement:
        """Return the facts so far; MonitorError before the first frame."""
        return self._engine.judgement()

    def _partner(self, column: int) -> str | None:
        return partner(self._engine.grounder.geometry, column, self._recent)

    def _settled(self) -> bool:
        judging = self.spec.judging
        assert self._start is not None
        assert self._frame is not None
        return not self._touched and unmoved(
            self._engine.grounder.geometry,
            self._start,
            self._frame,
            judging.settled_distance_m,
            judging.settled_angle_deg,
        )


class RecordSource:
    """Frame `step` of a record."""

    __slots__ = ("_replay", "step")

    def __init__(self, replay: Replay, step: int) -> None:
        self._replay, self.step = replay, step

    def detail(self, place: int) -> Detail:
        """Return the entity and quantity behind atom `place`."""
        return self._replay.grounding.detail(self.step, place)

    def partner(self, column: int, frames: int) -> str | None:
        """Return what touched the entity within the last `frames` frames."""
        trace = self._replay.trace
        recent = (trace.frame_contacts(step) for step in range(self.step, max(-1, self.step - frames), -1))
        return partner(self._replay.block.geometry, column, recent)

    def settled(self) -> bool:
        """Whether no robot has touched anything yet and every entity is still at its settled pose."""
        replay, judging = self._replay, self._replay.engine.spec.judging
        if replay.touched[: self.step + 1].any():
            return False
        start, now = replay.trace.frame(0), replay.trace.frame(self.step)
        return unmoved(replay.block.geometry, start, now, judging.settled_distance_m, judging.settled_angle_deg)


class Replay:
    """A record grounded as a whole, ready to be driven through the engine."""

    def __init__(self, trace: Trace, spec: Spec) -> None:
        self.trace = trace
        self.engine = Engine(spec, trace.scene, trace.channels, trace.control_rate_hz, trace.meta.step_limit)
        self.block: Block
        self.grounding: Grounding
        self.block, self.grounding = self.engine.grounder.run(trace)
        self.touched = robot_touches(self.block)


def judge(trace: Trace, spec: Spec) -> Judgement:
    """Judge a record; the same as the monitor said live, to the bit.

    Raises as SafetyMonitor does.
    """
    replay = Replay(trace, spec)
    margins = replay.grounding.margins
    replay.engine.note_peaks(margins, lambda step: RecordSource(replay, step))
    # The signs of each frame as one whole number, the first atom in its lowest bit.
    signs = np.packbits(margins > 0.0, axis=1, bitorder="little")
    for step, (row, sign) in enumerate(zip(margins.tolist(), signs, strict=True)):
        replay.engine.advance(row, RecordSource(replay, step), int.from_bytes(sign.tobytes(), "little"))
    return replay.engine.judgement()
