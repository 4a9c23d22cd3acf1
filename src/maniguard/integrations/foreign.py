"""Rollouts whose loop belongs to somebody else: they ask for observations and give actions, we simulate and judge.

What is written is a run folder like that of `maniguard eval`, which every command reads. Its plan grows: a rollout is
entered when it begins, so that one that never ends is pending rather than forgotten.
"""

from __future__ import annotations

import fcntl
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from maniguard import bench
from maniguard.bench import Scenario
from maniguard.errors import ManiguardError
from maniguard.evaluate import Plan, PlannedRollout, Run, create_run, difference, make_plan, open_run, rollout_id
from maniguard.evaluate.rows import row_of
from maniguard.evaluate.worker import scenario_facts
from maniguard.files import readable_json, write_atomic
from maniguard.metrics import RolloutRow
from maniguard.monitor import Judgement
from maniguard.policies import ChunkedActor, PolicyContract
from maniguard.policies.contract import view
from maniguard.rollout import InfraError, PolicyFault, RolloutResult, Session, Status, make_observation
from maniguard.sim import Quality, SceneSpec, SimulationFault, World
from maniguard.spec import Spec, load_spec

PROTOCOL = "maniguard"


class ForeignRunError(ManiguardError):
    """A use of a foreign run that it does not allow."""


@dataclass(frozen=True)
class Outcome:
    """One finished rollout: its status, the row that the metrics count, the judgement, and where it was written."""

    status: Status
    fault: str | None
    row: RolloutRow
    judgement: Judgement
    path: Path | None

    @property
    def metrics(self) -> dict[str, bool | int]:
        """The rollout as the rates count it, under protocol `maniguard`; names as in the metrics table."""
        row = self.row
        success, safe, engaged = row.counted_success, row.counted_safe, row.engaged
        return {
            "success": success,
            "safe": safe,
            "safe_success": success and safe,
            "unsafe_success": success and not safe,
            "engaged": engaged,
            "engaged_safe": engaged and safe,
            "vacuous_safe": safe and not engaged,
            "violations": sum(outcome.episodes for outcome in row.constraints.values() if outcome.violated),
            "post_success_violation": bool(row.post_success_violation),
        }

    @property
    def violated(self) -> tuple[str, ...]:
        """Names of the constraints whose violations count."""
        return tuple(name for name, outcome in self.row.constraints.items() if outcome.violated)


class ForeignRun:
    """Plays `scenarios` for a harness that drives: `begin`, then `observe` and `act` until done, then `finish`.

    `contract` says what the harness's policy is shown and what it gives, one row at a time. `policy` is the label under
    which the run is kept in `path`; None keeps nothing. Several processes may write into one folder as long as
    everything but the rollouts is the same. One rollout at a time.
    """

    def __init__(
        self,
        path: Path | None,
        scenarios: Sequence[Scenario],
        *,
        policy: str,
        contract: PolicyContract,
        spec_variant: str = "default",
        render_quality: Quality = "fast",
    ) -> None:
        self._scenarios = {scenario.id: scenario for scenario in scenarios}
        self._contract, self._hand = contract, _Hand(contract)
        self._actor = ChunkedActor(self._hand)
        if contract.action.horizon != 1:
            raise ForeignRunError(f"a harness gives one row at a time; the contract says {contract.action}")
        self._base = make_plan(
            policy, scenarios, (0,), contract=contract, spec_variant=spec_variant, render_quality=render_quality
        )
        self._path = path
        self._specs: dict[str, Spec] = {}
        self._world: tuple[str, World] | None = None
        self._session: Session | None = None
        self._seen: tuple[int, Mapping[str, Any]] | None = None
        self._fault: tuple[Status, str] | None = None
        self._item: PlannedRollout | None = None

    @property
    def session(self) -> Session:
        """The rollout in progress; ForeignRunError when there is none."""
        if self._session is None:
            raise ForeignRunError("no rollout is in progress; begin one first")
        return self._session

    @property
    def playing(self) -> bool:
        """Whether a rollout has begun and is not finished."""
        return self._session is not None

    @property
    def done(self) -> bool:
        """Whether the rollout has come to its end, or to a fault of the policy or the simulation."""
        return self._fault is not None or self.session.done

    def begin(self, scenario_id: str, seed: int) -> None:
        """Start a rollout; one in progress is given up, and stays pending.

        ForeignRunError for a scenario that is not of this run, or a rollout that has its result already.
        """
        scenario = self._scenarios.get(scenario_id)
        if scenario is None:
            raise ForeignRunError(f"scenario {scenario_id!r} is none of the {len(self._scenarios)} of this run")
        self._session, self._fault, self._seen = None, None, None
        item = PlannedRollout(rollout_id(scenario_id, seed), scenario_id, scenario.hash, seed)
        if self._path is not None:
            _enter(self._path, replace(self._base, items=(item,)), self._base)
        if scenario.spec not in self._specs:
            self._specs[scenario.spec] = load_spec(scenario.spec, variant=self._base.spec_variant)
        self._session = Session(
            scenario,
            self._specs[scenario.spec],
            self._world_for(scenario),
            seed=seed,
            policy=self._base.policy,
            render_quality=self._base.render_quality if self._contract.cameras else None,
        )
        self._actor.reset(scenario_id=scenario_id, seed=seed, instruction=scenario.instruction)
        self._item = item

    def observe(self) -> Mapping[str, Any]:
        """Return the observation of the present frame: every key of the contract, `observation/state`, `prompt`."""
        return view(self._contract, self._made())

    def act(self, action: ArrayLike) -> None:
        """Execute one row of the contract's convention, for as many control steps as it lasts.

        A bad row ends the rollout as `policy-fault`, a blow-up as `sim-fault` or, before engagement, `infra-error`.
        """
        session = self.session
        if self.done:
            raise ForeignRunError("the rollout has ended; finish it before the next action")
        self._hand.holds(action)
        observation = self._made()
        try:
            while True:
                session.advance(self._actor.act(observation))
                if session.done or self._actor.reads_next_observation:
                    break
        except PolicyFault as error:
            self._fault = "policy-fault", str(error)
        except SimulationFault as error:
            self._fault = ("sim-fault" if session.engaged else "infra-error"), str(error)
        if self._fault is not None:
            session.note("fault", self._fault[1])

    def _made(self) -> Mapping[str, Any]:
        session = self.session
        if self._seen is None or self._seen[0] != session.step_index:
            made = make_observation(
                session.world,
                session.frame,
                self._actor.needs,
                instruction=session.scenario.instruction,
                step=session.step_index,
                spec=session.scenario.spec,
                render_quality=self._base.render_quality,
            )
            self._seen = session.step_index, made
        return self._seen[1]

    def finish(self) -> Outcome:
        """Judge and write the rollout; ForeignRunError before its end, InfraError when it does not count."""
        session, item = self.session, self._item
        if not self.done or item is None:
            raise ForeignRunError(
                f"the rollout is at step {session.step_index} and not over; it ends by itself, "
                f"at the latest {session.scenario.step_limit} steps and 1 s after its start"
            )
        trace, judgement = session.finish()
        status, fault = self._fault or ("completed", None)
        if judgement.invalid_scene and status != "infra-error":
            status = "invalid-scene"
        result = RolloutResult(trace, judgement, status, fault, session.clock.as_dict())
        facts, path = scenario_facts(session.scenario), None
        if self._path is not None:
            # The plan on disk may have grown long; what is written concerns this rollout alone.
            run = Run(self._path, replace(self._base, items=(item,)))
            run.save(item, facts, result)
            path = run.result_path(item.rollout_id)
        self._session = self._seen = None
        if status == "infra-error":
            raise InfraError(f"{item.rollout_id}: {fault}")
        if status == "invalid-scene":
            raise InfraError(f"{item.rollout_id}: the scene breaks a rule before the robot touches anything")
        row = row_of({"scenario": facts, "seed": item.seed, "status": status}, judgement, PROTOCOL)
        return Outcome(status, fault, row, judgement, path)

    def close(self) -> None:
        """Release the world; a rollout in progress is given up."""
        self._session = None
        if self._world is not None:
            self._world[1].close()
            self._world = None

    def _world_for(self, scenario: Scenario) -> World:
        if self._world is None or self._world[0] != scenario.hash:
            self.close()
            self._world = (scenario.hash, World(SceneSpec.from_dict(scenario.scene)))
        return self._world[1]


class _Hand:
    """The harness's policy as an actor knows policies: it gives the row that it was handed."""

    def __init__(self, contract: PolicyContract) -> None:
        self.contract = contract
        self._row: Any = None

    def holds(self, row: ArrayLike) -> None:
        try:
            self._row = np.asarray(row)[None]
        except ValueError:  # rows of different lengths
            self._row = None

    def reset(self, *, seed: int, instruction: str) -> None:
        self._row = None

    def infer(self, observation: Mapping[str, Any]) -> Any:
        return self._row

    def close(self) -> None:
        self._row = None


def choose(names: Sequence[str]) -> list[Scenario]:
    """Return scenarios by names: TASK/CONDITION, TASK, FAMILY/CONDITION or FAMILY; without a condition it is `base`.

    ForeignRunError when no name is given, bench's own TaskFileError for an unknown one.
    """
    chosen: dict[str, Scenario] = {}
    for name in names:
        left, _, condition = name.partition("/")
        condition = condition or bench.BASE
        if left in bench.families():
            found = bench.load(left, conditions=(condition,))
        else:
            found = (bench.get(f"{left}/{condition}"),)
        chosen.update((scenario.id, scenario) for scenario in found)
    if not chosen:
        raise ForeignRunError("no scenario is given; valid: TASK/CONDITION, TASK, FAMILY/CONDITION, FAMILY")
    return list(chosen.values())


def _enter(path: Path, plan: Plan, base: Plan) -> None:
    """Start a run in `path` with `plan`, or add its rollouts to the one that is there if that is of the same kind."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with _alone(path):
        if not (path / "plan.json").exists():
            create_run(path, plan)
            return
        run = open_run(path)
        what = difference(replace(plan, items=run.plan.items), run.plan)
        if what is not None:
            raise ForeignRunError(f"{path} holds another run: {what}; give another folder")
        there = {item.rollout_id: item for item in run.plan.items}
        for item in plan.items:
            if run.result_path(item.rollout_id).exists():
                raise ForeignRunError(f"{path} has the result of {item.rollout_id} already; give another folder")
            if there.setdefault(item.rollout_id, item) != item:
                raise ForeignRunError(f"{path}: scenario {item.scenario_id} has changed since it was planned")
        order = {item.scenario_id: index for index, item in enumerate(base.items)}
        items = sorted(there.values(), key=lambda item: (order.get(item.scenario_id, len(order)), item.seed))
        write_atomic(path / "plan.json", readable_json(replace(plan, items=tuple(items)).to_dict()))


@contextmanager
def _alone(path: Path) -> Iterator[None]:
    """Keep other processes of this kind out while the plan of `path` is changed; the hold ends with the process."""
    # A file of its own, for the run may not exist yet; over NFS only what is open for writing can be held alone.
    with open(path.parent / f".{path.name}.lock", "ab") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        yield
