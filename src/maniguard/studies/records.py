"""The judged records of a run, one after the other."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from maniguard.audit import with_recorded_success
from maniguard.evaluate import Run
from maniguard.monitor import Judgement, judge
from maniguard.spec import Spec
from maniguard.studies.errors import StudyError
from maniguard.trace import Trace


@dataclass(frozen=True, eq=False)
class Record:
    """One rollout of a run that left a trace: its id, family, spec and trace."""

    rollout_id: str
    family: str
    spec: str
    trace: Trace

    def judged(self, spec: Spec) -> Judgement:
        """Return the verdict by `spec`, with the recording's own word on success where it has one."""
        return with_recorded_success(judge(self.trace, spec), self.trace)


def records(run: Run) -> Iterator[Record]:
    """Yield every rollout of a run that has a trace and counts; StudyError where the run is unfinished."""
    pending = run.pending()
    if pending:
        raise StudyError(f"{run.path}: {len(pending)} of {len(run.plan.items)} planned rollouts are not done")
    for result in run.results():
        if result["trace_digest"] is None or result["status"] in ("infra-error", "invalid-scene"):
            continue
        trace = run.trace(result["rollout_id"])
        if trace.digest() != result["trace_digest"]:
            raise StudyError(f"{run.trace_path(result['rollout_id'])} is not the trace that its result speaks of")
        yield Record(result["rollout_id"], result["scenario"]["family"], result["scenario"]["spec"], trace)
