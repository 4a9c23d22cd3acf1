"""What a rollout asks of whatever chooses the actions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray


class ObservationNeeds(Protocol):
    """Which parts of an observation have to be made; images cost rendering, privileged state is declared."""

    @property
    def cameras(self) -> Mapping[str, str]:
        """Observation key -> camera name, for every image that is wanted."""

    @property
    def image_size_px(self) -> int:
        """Edge length of the square images."""

    @property
    def privileged(self) -> bool:
        """Whether the observation carries `privileged`, which only scripts of this project may ask for."""


class Actor(Protocol):
    """Chooses one action per control step."""

    @property
    def needs(self) -> ObservationNeeds:
        """Return what the observation must contain."""

    @property
    def reads_next_observation(self) -> bool:
        """Whether the next `act` reads its observation; within a chunk nothing need be rendered, and `act` gets {}."""

    def reset(self, *, scenario_id: str, seed: int, instruction: str) -> None:
        """Forget the last rollout and prepare for one of `scenario_id` with this seed and instruction."""

    def act(self, observation: Mapping[str, Any]) -> NDArray[np.float64]:
        """Return one action (8,): joint targets in rad, gripper opening 0 to 1. Raises PolicyFault or InfraError."""
