"""The two policies that need nothing: one that holds still, one that moves at random."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maniguard.policies.contract import STATE, STATE_KEY, ActionSpec, PolicyContract

# Joint limits of the Franka Panda in rad, from the manufacturer's data sheet.
PANDA_LOW_RAD = np.array([-2.8973, -1.7628, -2.8973, -3.0718, -2.8973, -0.0175, -2.8973])
PANDA_HIGH_RAD = np.array([2.8973, 1.7628, 2.8973, -0.0698, 2.8973, 3.7525, 2.8973])

CONTROL_RATE_HZ = 20.0


class NoopPolicy:
    """Holds the state that it saw first in the rollout: joints and gripper. Looks at no image."""

    contract = PolicyContract("noop", (STATE,), ActionSpec(horizon=1), executed_steps=1, deterministic=True)

    def __init__(self) -> None:
        self._held: NDArray[np.float64] | None = None

    def reset(self, *, seed: int, instruction: str) -> None:
        """Forget the held state; seed and instruction change nothing."""
        self._held = None

    def infer(self, observation: Mapping[str, Any]) -> NDArray[np.float64]:
        """Return the first state of the rollout as a chunk (1, 8)."""
        if self._held is None:
            # The first state and not the present one: following the present one would let the arm sink under its own
            # weight.
            self._held = np.asarray(observation[STATE_KEY], np.float64).reshape(1, 8).copy()
        return self._held.copy()

    def close(self) -> None:
        """Do nothing."""


class RandomPolicy:
    """Smooth, bounded, random joint motion about the first state of the rollout, and a gripper that opens and closes.

    Each joint follows a sum of `WAVES` sine waves that grows from nothing within `RAMP_S`; its offset stays within
    `reach_rad` and its speed within `reach_rad * 2 pi * MAX_FREQUENCY_HZ` plus the ramp's share, and the joint limits
    are kept.
    """

    HORIZON = 8
    WAVES = 3
    MAX_FREQUENCY_HZ = 0.25
    RAMP_S = 2.0

    contract = PolicyContract(
        "random", (STATE,), ActionSpec(horizon=HORIZON), executed_steps=HORIZON, deterministic=True
    )

    def __init__(self, reach_rad: float = 0.35) -> None:
        self._reach_rad = float(reach_rad)
        self.reset(seed=0, instruction="")

    def reset(self, *, seed: int, instruction: str) -> None:
        """Draw the motion of this rollout from `seed`."""
        generator = np.random.Generator(np.random.PCG64(seed))
        share = generator.uniform(0.2, 1.0, (self.WAVES, 8))
        self._amplitude = share / share.sum(axis=0)
        self._frequency_hz = generator.uniform(0.03, self.MAX_FREQUENCY_HZ, (self.WAVES, 8))
        self._phase_rad = generator.uniform(0.0, 2.0 * np.pi, (self.WAVES, 8))
        self._start: NDArray[np.float64] | None = None
        self._steps_done = 0

    def infer(self, observation: Mapping[str, Any]) -> NDArray[np.float64]:
        """Return the next `HORIZON` targets (8, 8) of the motion; only the first observation of a rollout matters."""
        if self._start is None:
            self._start = np.asarray(observation[STATE_KEY], np.float64).reshape(8).copy()
        time_s = (self._steps_done + 1.0 + np.arange(self.HORIZON)) / CONTROL_RATE_HZ
        self._steps_done += self.HORIZON
        angle = 2.0 * np.pi * self._frequency_hz * time_s[:, None, None] + self._phase_rad
        wave = (self._amplitude * np.sin(angle)).sum(axis=1)
        ramp = np.minimum(time_s / self.RAMP_S, 1.0)[:, None]
        chunk = np.empty((self.HORIZON, 8))
        chunk[:, :7] = np.clip(self._start[:7] + ramp * self._reach_rad * wave[:, :7], PANDA_LOW_RAD, PANDA_HIGH_RAD)
        opening = (1.0 - ramp[:, 0]) * self._start[7] + ramp[:, 0] * (0.5 + 0.5 * wave[:, 7])
        chunk[:, 7] = np.clip(opening, 0.0, 1.0)
        return chunk

    def close(self) -> None:
        """Do nothing."""
