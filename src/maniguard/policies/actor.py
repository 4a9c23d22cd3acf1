"""From chunks to single actions: the actor that plays a policy in a rollout."""

from __future__ import annotations

import hashlib
import traceback
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maniguard.errors import ManiguardError
from maniguard.policies.contract import check_contract, check_observation
from maniguard.policies.policy import Policy
from maniguard.rollout.faults import PolicyFault


def episode_seed(scenario_id: str, seed: int) -> int:
    """Return the seed of one rollout, 0 to 2**32 - 1, from the scenario's id and the number of the repetition.

    `Policy.reset(seed=…)` gets this, so that two scenarios of one repetition do not share a random stream. It fits the
    narrowest seeds in use (`numpy.random.seed` takes 32 bits).
    """
    digest = hashlib.sha256(f"{scenario_id}\n{int(seed)}".encode()).digest()
    return int.from_bytes(digest[:4], "big")


@dataclass(frozen=True)
class Needs:
    """What a policy's observation must contain, as `rollout` asks: cameras by key, image size, privilege."""

    cameras: Mapping[str, str]
    image_size_px: int
    privileged: bool


class _PolicyCode:
    """Runs code that is not ours: what it raises is a fault of the policy, as it is when a policy server reports it.

    Our own errors pass: they say what they are.
    """

    def __init__(self, name: str, method: str) -> None:
        self._name, self._method = name, method

    def __enter__(self) -> None:
        return None

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        if isinstance(error, Exception) and not isinstance(error, ManiguardError):
            last = traceback.extract_tb(where)[-1]
            raise PolicyFault(
                f"policy {self._name!r} raised {type(error).__name__} in {self._method}: {error} "
                f"({Path(last.filename).name} line {last.lineno})"
            ) from error


class ChunkedActor:
    """Plays a policy: asks for a chunk, executes the first `executed_steps` rows of it, asks again.

    The contract is checked here, before any rollout: ContractError shows both sides. A chunk is checked as a whole
    when it arrives: PolicyFault when it is missing, mis-shaped, or not finite in a row that would be executed.
    """

    def __init__(self, policy: Policy) -> None:
        check_contract(policy.contract)
        self._policy, self._contract = policy, policy.contract
        self.needs = Needs(
            dict(self._contract.cameras), self._contract.image_size_px, privileged=self._contract.privileged
        )
        self._rows: NDArray[np.float64] | None = None
        self._next_row = 0
        self._begun = False

    @property
    def reads_next_observation(self) -> bool:
        """Whether the next `act` reads its observation; in the middle of a chunk nothing need be rendered."""
        return self._rows is None or self._next_row == len(self._rows)

    def reset(self, *, scenario_id: str, seed: int, instruction: str) -> None:
        """Begin a rollout: drop what is left of the last chunk, reset the policy with the rollout's `episode_seed`."""
        self._rows, self._next_row = None, 0
        with _PolicyCode(self._contract.name, "reset"):
            self._policy.reset(seed=episode_seed(scenario_id, seed), instruction=instruction)
        self._begun = True

    def act(self, observation: Mapping[str, Any]) -> NDArray[np.float64]:
        """Return the action (8,) of this control step; RuntimeError when no rollout was begun."""
        if not self._begun:
            raise RuntimeError("ChunkedActor.act was called before reset")
        if self._rows is None or self._next_row == len(self._rows):
            check_observation(self._contract, observation)
            with _PolicyCode(self._contract.name, "infer"):
                chunk = self._policy.infer(observation)
            self._rows = self._checked(chunk)
            self._next_row = 0
        action = self._rows[self._next_row]
        self._next_row += 1
        return action.copy()

    def close(self) -> None:
        """Close the policy."""
        self._policy.close()

    def _checked(self, chunk: Any) -> NDArray[np.float64]:
        name, action = self._contract.name, self._contract.action
        if chunk is None:
            raise PolicyFault(f"policy {name!r} gave no actions; its contract says {action}")
        if not isinstance(chunk, np.ndarray) or chunk.dtype.kind not in "fiu":
            got = f"{chunk.shape} {chunk.dtype}" if isinstance(chunk, np.ndarray) else type(chunk).__name__
            raise PolicyFault(f"policy {name!r} gave {got} instead of an array of numbers; its contract says {action}")
        if chunk.shape != (action.horizon, action.dims):
            raise PolicyFault(f"policy {name!r} gave actions {chunk.shape}; its contract says {action}")
        rows = chunk[: self._contract.executed_steps].astype(np.float64)
        bad = np.argwhere(~np.isfinite(rows))
        if len(bad):
            row, column = (int(index) for index in bad[0])
            raise PolicyFault(
                f"policy {name!r} gave {rows[row, column]} in row {row}, column {column} of a chunk of which "
                f"{len(rows)} rows are executed; actions must be finite"
            )
        return rows
