"""What every script shares: it sees everything, plans once at its first observation, and plays the plan."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maniguard.planning import Arm, CollisionModel, Executor, Segment, matrix_of, outline
from maniguard.planning.kinematics import F64
from maniguard.policies.contract import PRIVILEGED_KEY, STATE, STATE_KEY, ActionSpec, PolicyContract
from maniguard.rollout.faults import PolicyFault
from maniguard.rollout.observation import Privileged
from maniguard.sim import ObjectSpec
from maniguard.trace.scene import Hull


class NoPlanError(Exception):
    """A script that finds no way to do what it is for in the scene at hand."""


class View:
    """The scene at a script's first observation: objects by role, poses, outlines, and an arm that plans."""

    def __init__(self, privileged: Privileged, state: NDArray[np.float32], rng: np.random.Generator) -> None:
        self.spec, self.scene, self.frame = privileged.scene_spec, privileged.scene, privileged.frame
        self.model = CollisionModel(self.scene)
        self.model.place_from(self.frame.position_m, self.frame.quat_wxyz)
        self.arm = Arm(self.model, np.asarray(state[:7], dtype=np.float64), float(state[7]), rng)
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


Plan = Callable[[View], Sequence[Segment]]


class Script:
    """A policy that plays what `plan` makes of the first observation. It ignores the seed: equal scenes, equal actions.

    A plan that does not exist is a PolicyFault that says why.
    """

    def __init__(self, name: str, plan: Plan) -> None:
        self.contract = PolicyContract(
            name, (STATE,), ActionSpec(horizon=1), executed_steps=1, deterministic=True, privileged=True
        )
        self._plan = plan
        self._executor: Executor | None = None

    @property
    def skill(self) -> str | None:
        """The skill in progress, None before the first action."""
        return None if self._executor is None else self._executor.skill

    @property
    def done(self) -> bool:
        """Whether the whole plan has been played."""
        return self._executor is not None and self._executor.done

    def reset(self, *, seed: int, instruction: str) -> None:
        """Forget the plan; seed and instruction change nothing."""
        self._executor = None

    def infer(self, observation: Mapping[str, Any]) -> NDArray[np.float64]:
        """Return the next action as a chunk (1, 8)."""
        state = observation[STATE_KEY]
        if self._executor is None:
            view = View(observation[PRIVILEGED_KEY], state, np.random.default_rng(0))
            try:
                self._executor = Executor(self._plan(view))
            except NoPlanError as error:
                raise PolicyFault(f"{self.contract.name} finds no plan: {error}") from error
        return self._executor.act(state[:7])[None]

    def close(self) -> None:
        """Forget the plan."""
        self._executor = None
