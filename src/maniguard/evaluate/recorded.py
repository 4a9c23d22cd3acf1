"""Recordings of others as a run: planned, imported, judged, and written like rollouts of our own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

from maniguard.audit import (
    IMPORTER,
    POLICY,
    AuditError,
    Context,
    Recording,
    load_mapping,
    load_recording,
    marks_of,
    with_recorded_success,
)
from maniguard.audit import Mapping as NameMapping
from maniguard.errors import ManiguardError
from maniguard.evaluate.job import Job
from maniguard.evaluate.plan import Plan, PlanError, PlannedRollout, rollout_id
from maniguard.evaluate.store import Run, create_run, open_run
from maniguard.files import write_atomic
from maniguard.monitor import Judgement, judge
from maniguard.rollout import PROTOCOL_VERSION, RolloutResult, Status
from maniguard.spec import Spec
from maniguard.trace import Trace

EVALUATED = "evaluated"


def plan_audit(recordings: Sequence[Recording], spec: Spec, context: Context) -> Plan:
    """Plan the audit of recordings by one specification; PlanError where two of them have one name."""
    items = tuple(
        PlannedRollout(rollout_id(item.scenario_id, item.seed), item.scenario_id, item.digest, item.seed)
        for item in recordings
    )
    ids = [item.rollout_id for item in items]
    repeated = sorted({name for name in ids if ids.count(name) > 1})
    if repeated:
        raise PlanError(f"two recordings are called {repeated[0]}; audit their folders one by one")
    return Plan(
        policy=POLICY,
        contract={},
        spec_variant=spec.variant,
        specs={spec.name: spec.digest},
        identity=_identity(spec, context),
        render_quality="fast",
        video=False,
        items=items,
    )


def create_audit(path: Path, plan: Plan, spec_source: str | Path | None = None) -> Run:
    """Start an audit in `path`, or continue the one that is there; a specification of one's own is copied into it.

    What could not be audited is pending again: meshes or an optional package may be there now.
    """
    run = create_run(path, plan)
    with run.exclusive():
        for result in list(run.results()):
            if result["status"] == "infra-error":
                run.result_path(result["rollout_id"]).unlink()
    if spec_source is not None:
        name = next(iter(plan.specs))
        run.spec_path(name).parent.mkdir(exist_ok=True)
        write_atomic(run.spec_path(name), Path(spec_source).read_bytes())
    return run


def audit_job(
    run: Run,
    recordings: Sequence[Recording],
    *,
    mapping: Path | None = None,
    assets: Path | None = None,
    require_all: bool = False,
) -> Job:
    """Return the job of importing and judging the recordings that `run` plans.

    A recording that cannot be imported or judged ends as `infra-error` with the reason. With `require_all` a rule that
    cannot be judged in some recording raises AuditError instead.
    """
    by_id = {rollout_id(item.scenario_id, item.seed): item for item in recordings}
    spec = next(iter(run.plan.specs))
    return Job(
        _start,
        (str(run.path), by_id, mapping, assets, require_all),
        _execute,
        lambda item: facts_of(by_id[item.rollout_id], spec),
        _stop,
    )


def facts_of(
    recording: Recording, spec: str, trace: Trace | None = None, marks: Mapping[str, Any] | None = None
) -> Any:
    """Return what a result file says of what was recorded, in the place of a scenario."""
    about: dict[str, Any] = {"source": recording.source, "file": Path(recording.path).name, "item": recording.item}
    if trace is not None:
        about["channels"] = {name: list(channel) for name, channel in trace.channels.items()}
        about["marks"] = {name: list(words) for name, words in (marks or {}).items()}
    return {
        "id": recording.scenario_id,
        "hash": recording.digest,
        "family": recording.family,
        "variant": recording.variant,
        "task": recording.index,
        "condition": recording.condition,
        "instruction": recording.instruction,
        "step_limit": recording.step_limit,
        "spec": spec,
        "recording": about,
    }


def _identity(spec: Spec, context: Context) -> dict[str, str | int | float]:
    return {
        "protocol_version": PROTOCOL_VERSION,
        "spec": spec.name,
        "spec_variant": spec.variant,
        "spec_hash": spec.digest,
        "importer": IMPORTER,
        "mapping_hash": context.mapping.digest,
    }


class Auditor:
    """Imports and judges planned recordings one after the other."""

    def __init__(self, run: Run, recordings: Mapping[str, Recording], context: Context, require_all: bool) -> None:
        self._run, self._recordings, self._context, self._require_all = run, recordings, context, require_all
        self._spec = run.spec(next(iter(run.plan.specs)), run.plan.spec_variant)

    def execute(self, item: PlannedRollout) -> Status:
        """Import and judge one recording, and write its result."""
        recording, spec = self._recordings[item.rollout_id], self._spec
        try:
            trace, judgement = self._judged(recording)
        except ManiguardError as error:
            self._run.save_failure(item, facts_of(recording, spec.name), str(error))
            return "infra-error"
        missing = [f"{c.name} ({c.status})" for c in judgement.constraints if c.status != EVALUATED]
        if missing and self._require_all:
            raise AuditError(f"{recording.where}: --require-all, but these cannot be judged: {', '.join(missing)}")
        status = cast(Status, recording.status)
        if status == "sim-fault" and judgement.engagement_step is None:
            # A blow-up before engagement is nobody's fault, and this specification may see engagement later.
            status = "infra-error"
        if judgement.invalid_scene and status == "completed":
            status = "invalid-scene"
        facts = facts_of(recording, spec.name, trace, marks_of(spec, trace.channels))
        fault = None if status in ("completed", "invalid-scene") else f"the run that recorded it says {status}"
        self._run.save(item, facts, RolloutResult(trace, judgement, status, fault, {}))
        return status

    def _judged(self, recording: Recording) -> tuple[Trace, Judgement]:
        trace = load_recording(recording, self._context)
        identity = {
            **trace.meta.identity,
            **_identity(self._spec, self._context),
            "scenario_hash": recording.digest,
            "control_rate_hz": trace.control_rate_hz,
        }
        trace = replace(trace, meta=replace(trace.meta, identity=identity))
        return trace, with_recorded_success(judge(trace, self._spec), trace)


_auditor: Auditor | None = None


def _start(
    run_path: str,
    recordings: Mapping[str, Recording],
    mapping: Path | None,
    assets: Path | None,
    require_all: bool,
) -> None:
    global _auditor
    names = NameMapping() if mapping is None else load_mapping(mapping)
    _auditor = Auditor(open_run(run_path), recordings, Context(names, assets), require_all)


def _execute(item: PlannedRollout, last: bool) -> Status:
    if _auditor is None:
        raise RuntimeError("_start was not called in this process")
    return _auditor.execute(item)


def _stop() -> None:
    global _auditor
    _auditor = None
