"""A run on disk: its plan, its results, its traces, and the ledger that accounts for every planned rollout."""

from __future__ import annotations

import fcntl
import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from maniguard import bench
from maniguard.bench import Scenario, TaskFile, read_task, write_task
from maniguard.errors import ManiguardError, alternatives
from maniguard.evaluate.plan import Plan, PlannedRollout, difference
from maniguard.evaluate.stop import NOT_RUN, STOPPED_FORMAT, Stopped
from maniguard.files import readable_json, write_atomic
from maniguard.metrics import STATUSES
from maniguard.rollout import RolloutResult
from maniguard.spec import Spec, load_spec
from maniguard.trace import CodecError, Trace, read_trace, write_trace
from maniguard.trace.codec import record_from_dict

RESULT_FORMAT = "maniguard-result/1"


_RESULT_KEYS = (
    "rollout_id", "scenario", "seed", "policy", "status", "fault", "trace_digest", "identity", "judgement",
)  # fmt: skip
_SCENARIO_KEYS = ("id", "hash", "family", "variant", "task", "condition", "instruction", "step_limit", "spec")


class RunError(ManiguardError):
    """A run folder that cannot be read or continued."""


class RunBusyError(RunError):
    """A run folder that another process is writing."""


class Run:
    """One run folder. A rollout counts as done when its result file exists; that file is written last."""

    def __init__(self, path: Path, plan: Plan) -> None:
        self.path, self.plan = path, plan
        self._items = {item.rollout_id: item for item in plan.items}
        self._scenarios: dict[tuple[str, str], Scenario] = {}

    def result_path(self, rollout_id: str) -> Path:
        """Where the result of a rollout is, or will be."""
        return self.path / "results" / f"{rollout_id}.json"

    def trace_path(self, rollout_id: str) -> Path:
        """Where the trace of a rollout is, or will be."""
        return self.path / "traces" / f"{rollout_id}.h5"

    def video_path(self, rollout_id: str) -> Path:
        """Where the video of a rollout is, if one was wanted."""
        return self.path / "videos" / f"{rollout_id}.mp4"

    @property
    def tasks_path(self) -> Path:
        """Where the run keeps the task files of scenarios that do not ship with the package."""
        return self.path / "tasks"

    def scenario(self, scenario_id: str) -> Scenario:
        """Return a planned scenario: from the run's own task files, or from the locked suite."""
        task_id, _, condition = scenario_id.partition("/")
        if (task_id, condition) not in self._scenarios:
            path = self.tasks_path / f"{task_id}.json"
            own = read_task(path).scenario(condition) if path.is_file() else bench.get(scenario_id)
            self._scenarios[task_id, condition] = own
        return self._scenarios[task_id, condition]

    def spec_path(self, name: str) -> Path:
        """Where the run keeps a specification that does not ship with the package, if it does."""
        return self.path / "specs" / f"{name}.yaml"

    def spec(self, name: str, variant: str) -> Spec:
        """Return a specification of the run: its own copy, or the shipped one."""
        own = self.spec_path(name)
        return load_spec(own if own.is_file() else name, variant=variant)

    def timing_path(self, rollout_id: str) -> Path:
        """Where the durations of a rollout are; facts about the machine, never part of a result."""
        return self.path / "timing" / f"{rollout_id}.json"

    def faults_path(self, name: str) -> Path:
        """Where the journal of what went wrong with a rollout is, or with the `runner`; never part of a result."""
        return self.path / "faults" / f"{name}.json"

    @property
    def notes_path(self) -> Path:
        """The folder in which workers leave notes while they live; whoever next runs it clears what is left."""
        return self.path / "timing"

    @contextmanager
    def exclusive(self) -> Iterator[None]:
        """Hold the run for writing; RunBusyError while another process holds it.

        The hold ends with the process that has it, however that ends.
        """
        # Nothing is written into it; but over NFS only what is open for writing can be held alone.
        with open(self.path / "plan.json", "r+b") as held:
            try:
                fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError as error:
                raise RunBusyError(
                    f"{self.path} is being written by another process; wait for it, or give another --out"
                ) from error
            yield

    def clear_leftovers(self) -> None:
        """Remove what a killed writer left; for who holds the run and is about to run all of it.

        Rollouts whose loop belongs to somebody else are written without a hold: their files must be left alone by those
        who only read the run or make its tables.
        """
        for leftover in self.path.glob("*/.*.part"):
            leftover.unlink(missing_ok=True)

    def item(self, rollout_id: str) -> PlannedRollout:
        """Return a planned rollout; RunError lists the valid ids."""
        if rollout_id not in self._items:
            raise RunError(f"{self.path} has no rollout {rollout_id!r}; it has {alternatives(self._items)}")
        return self._items[rollout_id]

    def pending(self) -> tuple[PlannedRollout, ...]:
        """Return the planned rollouts that have no result yet, in plan order; none beyond where the run was stopped."""
        return tuple(item for item in self._wanted() if not self.result_path(item.rollout_id).exists())

    @property
    def stopped_path(self) -> Path:
        """Where it is written that the run has stopped before its plan was done, if it has."""
        return self.path / "stopped.json"

    @property
    def stopped(self) -> Stopped | None:
        """How far the run went, if the condition in its plan has ended it; RunError where that is damaged."""
        if self.plan.stop is None or not self.stopped_path.exists():
            return None
        value = _read_json(self.stopped_path)
        if value.get("format") != STOPPED_FORMAT:
            raise RunError(f"{self.stopped_path}: format {value.get('format')!r}; this version reads {STOPPED_FORMAT}")
        try:
            stopped = record_from_dict(Stopped, value, str(self.stopped_path))
        except CodecError as error:
            raise RunError(f"the run is damaged: {error}") from error
        if not 0 < stopped.rollouts < len(self.plan.items) == stopped.planned_rollouts:
            raise RunError(
                f"{self.stopped_path} is not of this run: it speaks of {stopped.rollouts} of "
                f"{stopped.planned_rollouts} rollouts, the plan has {len(self.plan.items)}"
            )
        return stopped

    def _wanted(self) -> tuple[PlannedRollout, ...]:
        """Return the planned rollouts up to where the run was stopped: what lies beyond has no say."""
        stopped = self.stopped
        return self.plan.items if stopped is None else self.plan.items[: stopped.rollouts]

    def result(self, rollout_id: str) -> Mapping[str, Any]:
        """Read one result; RunError where it is missing or damaged."""
        path = self.result_path(self.item(rollout_id).rollout_id)
        value = _read_json(path)
        if value.get("format") != RESULT_FORMAT:
            raise RunError(f"{path}: format {value.get('format')!r}; this version reads {RESULT_FORMAT}")
        if value.get("status") not in STATUSES:
            raise RunError(f"{path}: status {value.get('status')!r}; it must be one of {alternatives(STATUSES)}")
        self._check_result(value, path, self.item(rollout_id))
        return value

    def _check_result(self, value: Mapping[str, Any], path: Path, item: PlannedRollout) -> None:
        """Refuse a result that is not the one of this planned rollout, or that has no verdict and should have one."""
        missing = [key for key in _RESULT_KEYS if key not in value]
        if missing:
            raise RunError(f"{path} is damaged: it has no {missing[0]!r}")
        scenario = value["scenario"]
        if not isinstance(scenario, dict) or not set(_SCENARIO_KEYS) <= set(scenario):
            raise RunError(f"{path} is damaged: 'scenario' must hold {', '.join(_SCENARIO_KEYS)}")
        planned = {"rollout_id": item.rollout_id, "seed": item.seed, "policy": self.plan.policy}
        for key, wanted in planned.items():
            if value[key] != wanted:
                raise RunError(f"{path} is not of this run: its {key} is {value[key]!r}, the plan has {wanted!r}")
        if (scenario["id"], scenario["hash"]) != (item.scenario_id, item.scenario_hash):
            raise RunError(f"{path} is not of this run: its scenario is not the {item.scenario_id} that was planned")
        identity = value["identity"]
        for key, wanted in self.plan.identity.items():
            found = identity.get(key) if isinstance(identity, dict) else None
            if found != wanted:
                raise RunError(f"{path} is not of this run: its {key} is {found!r}, the plan has {wanted!r}")
        if (value["judgement"] is None or value["trace_digest"] is None) and value["status"] != "infra-error":
            raise RunError(f"{path}: status {value['status']!r} without a judgement; only infra-error has none")

    def results(self) -> Iterator[Mapping[str, Any]]:
        """Read the results that exist and count, in plan order."""
        for item in self._wanted():
            if self.result_path(item.rollout_id).exists():
                yield self.result(item.rollout_id)

    def trace(self, rollout_id: str) -> Trace:
        """Read the trace of one rollout."""
        return read_trace(self.trace_path(self.item(rollout_id).rollout_id))

    def timing(self, rollout_id: str) -> Mapping[str, Any] | None:
        """Read the durations of one rollout; None where none were kept."""
        path = self.timing_path(self.item(rollout_id).rollout_id)
        return _read_json(path) if path.exists() else None

    def ledger(self) -> Mapping[str, int]:
        """Count the planned rollouts by status; the counts sum to the plan.

        Those without a result are `pending`, or `not-run (stopped)` where the run was stopped before them.
        """
        counts = {status: 0 for status in STATUSES}
        for result in self.results():
            counts[result["status"]] += 1
        counts["pending"] = len(self.pending())
        if self.stopped is not None:
            counts[NOT_RUN] = len(self.plan.items) - len(self._wanted())
        if sum(counts.values()) != len(self.plan.items):
            raise RunError(f"{self.path}: the ledger counts {sum(counts.values())} of {len(self.plan.items)} rollouts")
        return counts

    def save(self, item: PlannedRollout, scenario: Mapping[str, Any], result: RolloutResult) -> None:
        """Write everything of one finished rollout, the result last."""
        write_trace(self.trace_path(item.rollout_id), result.trace)
        self.save_timing(item, result.durations_s, steps=len(result.trace) - 1)
        value = {
            "format": RESULT_FORMAT,
            "rollout_id": item.rollout_id,
            "scenario": dict(scenario),
            "seed": item.seed,
            "policy": self.plan.policy,
            "status": result.status,
            "fault": result.fault,
            "trace_digest": result.trace.digest(),
            "identity": dict(result.trace.meta.identity),
            "judgement": result.judgement.to_dict(),
        }
        write_atomic(self.result_path(item.rollout_id), readable_json(value))

    def save_failure(self, item: PlannedRollout, scenario: Mapping[str, Any], fault: str) -> None:
        """Write the result of a rollout that never came back: `infra-error`, without a trace."""
        value = {
            "format": RESULT_FORMAT,
            "rollout_id": item.rollout_id,
            "scenario": dict(scenario),
            "seed": item.seed,
            "policy": self.plan.policy,
            "status": "infra-error",
            "fault": fault,
            "trace_digest": None,
            "identity": dict(self.plan.identity),
            "judgement": None,
        }
        write_atomic(self.result_path(item.rollout_id), readable_json(value))

    def save_timing(self, item: PlannedRollout, durations_s: Mapping[str, float], *, steps: int) -> None:
        """Write the durations of one rollout."""
        value = {"rollout_id": item.rollout_id, "steps": steps, "durations_s": dict(durations_s)}
        write_atomic(self.timing_path(item.rollout_id), readable_json(value))


_FOLDERS = ("results", "traces", "videos", "timing")


def create_run(path: Path, plan: Plan, tasks: Iterable[TaskFile] = ()) -> Run:
    """Start a run in `path`, or continue the one that is there if its plan is the same; RunError says what differs.

    `tasks` are base tasks of the plan that are not of the locked suite; the run keeps copies of their files.
    """
    plan_path = path / "plan.json"
    if plan_path.exists():
        found = open_run(path)
        what = difference(plan, found.plan)
        if what is not None:
            raise RunError(f"{path} holds another run: {what}; give another --out or repeat the first call")
    elif path.exists() and (not path.is_dir() or any(path.iterdir())):
        raise RunError(f"{path} exists and is no run folder; give another --out")
    for folder in _FOLDERS:
        (path / folder).mkdir(parents=True, exist_ok=True)
    for task in tasks:
        (path / "tasks").mkdir(exist_ok=True)
        write_task(path / "tasks" / f"{task.id}.json", task)
    if not plan_path.exists():
        write_atomic(plan_path, readable_json(plan.to_dict()))
    return Run(path, plan)


def open_run(path: Path | str) -> Run:
    """Open a run folder for reading; RunError where there is none."""
    path = Path(path)
    plan_path = path / "plan.json"
    if not plan_path.is_file():
        raise RunError(f"{path} is no run folder: it holds no plan.json")
    return Run(path, Plan.from_dict(_read_json(plan_path), str(plan_path)))


def _read_json(path: Path) -> dict[str, Any]:
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise RunError(f"{path} is missing") from error
    except (json.JSONDecodeError, UnicodeDecodeError) as error:
        raise RunError(f"{path} is damaged: {error}") from error
    if not isinstance(value, dict):
        raise RunError(f"{path} is damaged: it holds no object")
    return value
