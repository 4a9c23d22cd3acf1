"""From chunks to single actions: the actor that plays a policy in a rollout."""

from __future__ import annotations

import hashlib
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maniguard.policies.contract import STATE_KEY, PolicyContract, check_contract, check_observation, view
from maniguard.policies.convert import ActionConverter
from maniguard.policies.foreign import ForeignCode
from maniguard.policies.policy import Policy, PolicyError
from maniguard.rollout.faults import PolicyFault

_LARGEST = float(np.finfo(np.float32).max)


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


class ChunkedActor:
    """Plays a policy: asks for a chunk, executes the first `executed_steps` rows of it, asks again.

    The policy is shown what its contract names. Rows of another convention than joint targets are converted, see
    `ActionConverter`. The contract is checked here, before any rollout: ContractError shows both sides. A chunk is
    checked as a whole when it arrives: PolicyFault when it is missing, mis-shaped, or not finite in a row that would be
    executed.
    """

    def __init__(self, policy: Policy) -> None:
        check_contract(policy.contract)
        self._policy, self._contract = policy, policy.contract
        self.needs = Needs(
            dict(self._contract.cameras), self._contract.image_size_px, privileged=self._contract.privileged
        )
        self._converter = None if self._contract.action.native else ActionConverter(self._contract.action)
        self._rows: NDArray[np.float64] | None = None
        self._next_row = 0
        self._begun = False

    @property
    def contract(self) -> PolicyContract:
        """What the policy declared when it was made."""
        return self._contract

    @property
    def reads_next_observation(self) -> bool:
        """Whether the next `act` reads its observation; in the middle of a chunk nothing need be rendered."""
        return self._rows is None or self._next_row == len(self._rows)

    def reset(self, *, scenario_id: str, seed: int, instruction: str) -> None:
        """Begin a rollout: drop what is left of the last chunk, reset the policy with the rollout's `episode_seed`."""
        self._rows, self._next_row = None, 0
        if self._converter is not None:
            self._converter.reset()
        with ForeignCode(PolicyFault, f"policy {self._contract.name!r}", "reset"):
            self._policy.reset(seed=episode_seed(scenario_id, seed), instruction=instruction)
        self._begun = True

    def act(self, observation: Mapping[str, Any]) -> NDArray[np.float64]:
        """Return the action (8,) of this control step; RuntimeError when no rollout was begun."""
        if not self._begun:
            raise RuntimeError("ChunkedActor.act was called before reset")
        if self._rows is None or self._next_row == len(self._rows):
            # A copy, kept from what the policy may do to its observation.
            state = np.array(observation.get(STATE_KEY, np.zeros(8)), np.float64)
            seen = view(self._contract, observation)
            check_observation(self._contract, seen)
            with ForeignCode(PolicyFault, f"policy {self._contract.name!r}", "infer"):
                chunk = self._policy.infer(seen)
            self._rows = self._executable(state, self._checked(chunk))
            self._next_row = 0
        action = self._rows[self._next_row]
        self._next_row += 1
        return action.copy()

    def close(self) -> None:
        """Close the policy. What it raises now harms no rollout: a warning says it."""
        try:
            with ForeignCode(PolicyError, f"policy {self._contract.name!r}", "close"):
                self._policy.close()
        except PolicyError as error:
            warnings.warn(str(error), RuntimeWarning, stacklevel=2)

    def _executable(self, state: NDArray[np.float64], rows: NDArray[np.float64]) -> NDArray[np.float64]:
        if self._converter is not None:
            try:
                return self._converter.convert(state, rows)
            except ValueError as error:
                raise PolicyFault(f"policy {self._contract.name!r} gave a row that is no action: {error}") from error
        # What is recorded is what is executed, so that a trace can be replayed to the bit. The scripts of this project
        # are left as they are: their certificates were measured in double precision.
        return rows if self._contract.privileged else rows.astype(np.float32).astype(np.float64)

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
        # Actions are recorded in single precision: what is infinite there is no action.
        bad = np.argwhere(~(np.abs(rows) <= _LARGEST))
        if len(bad):
            row, column = (int(index) for index in bad[0])
            raise PolicyFault(
                f"policy {name!r} gave {rows[row, column]} in row {row}, column {column} of a chunk of which "
                f"{len(rows)} rows are executed; actions must be finite"
            )
        return rows
