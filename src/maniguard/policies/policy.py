"""The Policy protocol, and the picklable recipe that makes a policy in the process that needs it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

from numpy.typing import NDArray

from maniguard.errors import ManiguardError
from maniguard.policies.contract import PolicyContract


class PolicyError(ManiguardError):
    """A policy that cannot be found, made or served as asked."""


@runtime_checkable
class Policy(Protocol):
    """Chooses actions, a chunk at a time. One instance plays one rollout at a time, unless it is stateless."""

    @property
    def contract(self) -> PolicyContract:
        """Return what it sees and what its actions mean; the same at all times."""
        ...

    def reset(self, *, seed: int, instruction: str) -> None:
        """Begin a rollout: forget the last one, draw all randomness from `seed` (0 to 2**32 - 1)."""
        ...

    def infer(self, observation: Mapping[str, Any]) -> NDArray[Any]:
        """Return a chunk (horizon, dims) as the contract declares; the first row is for the next control step."""
        ...

    def close(self) -> None:
        """Release what is held; harmless when called twice."""
        ...


@dataclass(frozen=True)
class PolicyFactory:
    """Makes the policy that `spec` names; can be pickled, so that a worker makes its own.

    `build` must be picklable itself: a module-level function or a `functools.partial` of one.
    """

    spec: str
    build: Callable[[], Policy]

    def __call__(self) -> Policy:
        """Make the policy: imports, loads, connects. PolicyError, ContractError or InfraError say what failed."""
        return self.build()
