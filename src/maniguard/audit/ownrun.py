"""Our own run folders: their traces, to be judged by another specification."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from maniguard.audit.errors import AuditError
from maniguard.audit.recording import Context, Recording, digest_of, digest_of_file, meta_of
from maniguard.trace import Trace, TraceFileError, read_trace

SOURCE = "maniguard-trace"


def find_traces(path: Path, context: Context) -> Iterator[Recording]:
    """Find the rollouts of a run of ours; those without a trace are recordings with a fault."""
    try:
        plan = json.loads((path / "plan.json").read_text("utf-8"))
        items = [(str(item["rollout_id"]), str(item["scenario_id"]), int(item["seed"])) for item in plan["items"]]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise AuditError(f"{path}: its plan.json is damaged: {' '.join(str(error).split())}") from error
    for name, scenario, seed in items:
        file = path / "traces" / f"{name}.h5"
        result = _result(path / "results" / f"{name}.json")
        facts = result.get("scenario")
        facts = facts if isinstance(facts, dict) else {}
        status = str(result.get("status", "pending"))
        task, _, condition = scenario.partition("/")
        fault = None
        if not file.is_file():
            fault = f"{path}: {name} has no trace, its status is {status}"
        elif status in ("infra-error", "pending"):
            fault = f"{path}: {name} has status {status}: {result.get('fault') or 'it was never finished'}"
        yield Recording(
            SOURCE,
            str(path),
            name,
            str(facts.get("family", context.mapping.dataset or path.name)),
            task,
            seed,
            digest_of(digest_of_file(file).encode() if file.is_file() else name.encode()),
            instruction=str(facts.get("instruction", "")),
            condition=condition or "recorded",
            variant=str(facts.get("variant", "")),
            index=facts.get("task", 0),
            step_limit=facts.get("step_limit"),
            status="completed" if status in ("infra-error", "pending", "invalid-scene") else status,
            fault=fault,
        )


def find_trace(path: Path, context: Context) -> Recording:
    """Describe one trace file."""
    try:
        meta = read_trace(path).meta
    except TraceFileError as error:
        return Recording(
            SOURCE, str(path), "", path.parent.name, path.stem, 0, digest_of(path.name.encode()), fault=str(error)
        )
    task = meta.scenario_id.partition("/")[0] or path.stem
    return Recording(
        SOURCE,
        str(path),
        "",
        meta.family or context.mapping.dataset or path.parent.name,
        task,
        meta.seed,
        digest_of_file(path),
        instruction=meta.instruction,
        condition=meta.condition or "recorded",
        variant=meta.variant,
        index=meta.task,
        step_limit=meta.step_limit,
    )


def load_trace(recording: Recording, context: Context) -> Trace:
    """Read a trace of ours; nothing of it is changed but where it says that it comes from."""
    path = Path(recording.path)
    file = path / "traces" / f"{recording.item}.h5" if recording.item else path
    try:
        trace = read_trace(file)
    except TraceFileError as error:
        raise AuditError(str(error)) from error
    return replace(trace, meta=replace(meta_of(recording, context), control_rate_hz=trace.control_rate_hz))


def _result(path: Path) -> dict[str, Any]:
    try:
        value = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return value if isinstance(value, dict) else {}
