"""The recording's own word on success, put into a judgement in place of the specification's goal."""

from __future__ import annotations

from dataclasses import replace

from maniguard.audit.recording import FAILURE_EVENT, SUCCESS_EVENT
from maniguard.monitor import Judgement
from maniguard.trace import Trace


def recorded_success(trace: Trace) -> int | None:
    """Return the frame at which the recording says that it succeeded, -1 where it says that it did not, else None."""
    for event in trace.events:
        if event.kind == SUCCESS_EVENT:
            return event.step
        if event.kind == FAILURE_EVENT:
            return -1
    return None


def with_recorded_success(judgement: Judgement, trace: Trace) -> Judgement:
    """Return the judgement with the recording's own success, unchanged where the recording has no flag."""
    step = recorded_success(trace)
    if step is None:
        return judgement
    if step < 0:
        ladder = "manipulated" if judgement.ladder == "success" else judgement.ladder
        return replace(judgement, success_step=None, ladder=ladder, post_success_seen=0)
    counts = judgement.step_limit is None or step <= judgement.step_limit
    return replace(
        judgement,
        success_step=step,
        ladder="success" if counts else judgement.ladder,
        post_success_seen=min(judgement.frames - 1 - step, judgement.post_success_frames),
    )
