"""What every script shares: it sees everything, plans at its first look or stage by stage, and plays the plan."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maniguard.planning import Arm, CollisionModel, Executor, Segment, forward, inverted, matrix_of, outline
from maniguard.planning.kinematics import F64
from maniguard.policies.contract import PRIVILEGED_KEY, STATE, STATE_KEY, ActionSpec, PolicyContract
from maniguard.rollout.faults import PolicyFault
from maniguard.rollout.observation import Privileged
from maniguard.sim import ObjectSpec
from maniguard.trace.scene import Hull


class NoPlanError(Exception):
    """A script that finds no way to do what it is for in the scene at hand."""


class View:
    """The scene as a script sees it when it plans: objects by role, poses, outlines, and an arm that plans.

    `state` (8,) is measured; the arm plans on from `commanded` (8,), the last action, where there is one. `model` is a
    collision model of the same scene to use again.
    """

    def __init__(
        self,
        privileged: Privileged,
        state: NDArray[np.float32],
        rng: np.random.Generator,
        *,
        commanded: F64 | None = None,
        model: CollisionModel | None = None,
    ) -> None:
        self.spec, self.scene, self.frame = privileged.scene_spec, privileged.scene, privileged.frame
        self.model = CollisionModel(self.scene) if model is None else model
        self.model.hold(None)
        self.model.ignore(())
        frame = self.frame
        self.model.place_from(frame.position_m, frame.quat_wxyz, frame.part_position_m, frame.part_quat_wxyz)
        start = np.asarray(state if commanded is None else commanded, dtype=np.float64)
        self.measured_q: F64 = np.asarray(state[:7], dtype=np.float64)
        self.arm = Arm(self.model, start[:7], float(start[7]), rng)
        self._start = (self.arm.q.copy(), self.arm.opening)

    def rewind(self) -> None:
        """Take the arm's idea of itself back to where it is, to plan anew."""
        self.arm.q, self.arm.opening = self._start[0].copy(), self._start[1]

    def with_role(self, role: str) -> list[ObjectSpec]:
        """Return the objects of a role in file order."""
        return [spec for spec in self.spec.objects if spec.role == role]

    @property
    def target(self) -> ObjectSpec:
        """The one object with role target; NoPlanError when there is none."""
        targets = self.with_role("target")
        if len(targets) != 1:
            raise NoPlanError(f"the scene has {len(targets)} targets")
        return targets[0]

    @property
    def goal_m(self) -> F64:
        """The centre of the goal sphere; NoPlanError when the scene has no goal."""
        if self.spec.goal is None:
            raise NoPlanError("the scene has no goal")
        return np.asarray(self.spec.goal.pose.position_m, dtype=np.float64)

    def pose(self, name: str) -> F64:
        """Return `world_T_object` (4, 4)."""
        column = self.scene.index(name)
        return matrix_of(self.frame.position_m[column], self.frame.quat_wxyz[column])

    def in_hand(self, name: str) -> F64:
        """Return `tcp_T_object` (4, 4) as measured now: how an object lies in the hand."""
        return inverted(forward(self.measured_q)) @ self.pose(name)

    def hull(self, name: str) -> Hull:
        """Return the hull of an object in its own frame."""
        hull = self.scene.entity(name).hull
        assert hull is not None, f"object {name!r} has no hull"
        return hull

    def points(self, name: str) -> F64:
        """Return the outline (V, 3) of an object in the world."""
        return outline(self.hull(name), self.pose(name))

    def height_m(self, name: str) -> float:
        """Return how high an object rises above its lowest point."""
        return float(np.ptp(self.points(name)[:, 2]))

    def others(self, name: str) -> list[F64]:
        """Return the outlines of all other objects."""
        return [self.points(spec.name) for spec in self.spec.objects if spec.name != name]


Stages = Generator[Sequence[Segment], "View", None]
"""Segments stage by stage; each `yield` gives back the view when they have been played."""

Plan = Callable[[View], "Sequence[Segment] | Stages"]
"""What a script does with what it sees: all its segments at once, or stage by stage with a new look in between."""


def staged(planned: Sequence[Segment] | Stages, view: View) -> Stages:
    """Return a plan as stages, whichever kind it is."""
    if isinstance(planned, Generator):
        yield from planned
    else:
        yield planned


class Script:
    """A policy that plays a plan. It ignores the seed: equal scenes, equal actions.

    `plan_for` gives the plan for the spec that the rollout is judged by. A plan that does not exist, at the start or at
    a later stage, is a PolicyFault that says why. `told` may change what the script sees, given the instruction.
    """

    def __init__(
        self,
        name: str,
        plan_for: Callable[[str], Plan],
        told: Callable[[Privileged, str], Privileged] | None = None,
    ) -> None:
        self.contract = PolicyContract(
            name, (STATE,), ActionSpec(horizon=1), executed_steps=1, deterministic=True, privileged=True
        )
        self._plan_for, self._told = plan_for, told
        self._instruction = ""
        self._stages: Stages | None = None
        self._executor: Executor | None = None
        self._model: CollisionModel | None = None
        self._over = False

    @property
    def skill(self) -> str | None:
        """The skill in progress, None before the first action."""
        return None if self._executor is None else self._executor.skill

    @property
    def done(self) -> bool:
        """Whether the whole plan has been played."""
        return self._over and self._executor is not None and self._executor.done

    def reset(self, *, seed: int, instruction: str) -> None:
        """Forget the plan; the seed changes nothing, the instruction only where a script goes by it."""
        self.close()
        self._instruction = instruction

    def infer(self, observation: Mapping[str, Any]) -> NDArray[np.float64]:
        """Return the next action as a chunk (1, 8)."""
        state = observation[STATE_KEY]
        if self._executor is None:
            self._next(observation, None)
        assert self._executor is not None
        action = self._executor.act(state[:7])
        while self._executor.done and not self._over:
            self._next(observation, action)
            if not self._over:
                action = self._executor.act(state[:7])
        return action[None]

    def close(self) -> None:
        """Forget the plan."""
        self._stages, self._executor, self._model, self._over = None, None, None, False

    def _next(self, observation: Mapping[str, Any], last_action: F64 | None) -> None:
        """Look again and plan the next stage."""
        privileged: Privileged = observation[PRIVILEGED_KEY]
        if self._told is not None:
            try:
                privileged = self._told(privileged, self._instruction)
            except NoPlanError as error:
                raise PolicyFault(f"{self.contract.name}: {error}") from error
        state = np.asarray(observation[STATE_KEY])
        view = View(privileged, state, np.random.default_rng(0), commanded=last_action, model=self._model)
        try:
            if self._stages is None:
                self._stages = staged(self._plan_for(privileged.spec)(view), view)
                segments = next(self._stages)
            else:
                segments = self._stages.send(view)
        except StopIteration:
            self._over = True
            return
        except NoPlanError as error:
            raise PolicyFault(f"{self.contract.name} finds no plan: {error}") from error
        self._model = view.model
        self._executor = Executor(segments, last_action=last_action)
