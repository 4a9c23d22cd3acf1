"""The actions of a stored trace, played again: `replay:TRACE`."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maniguard.policies.action import ActionSpec
from maniguard.policies.actor import episode_seed
from maniguard.policies.contract import PolicyContract
from maniguard.policies.policy import PolicyError
from maniguard.rollout.faults import PolicyFault
from maniguard.trace import TraceError, TraceFileError, read_trace

#: Repetitions of the trace's scenario that are recognised; a policy is told a seed made of scenario and repetition.
KNOWN_SEEDS = 10_000


class ReplayPolicy:
    """Plays the actions that a trace holds, one per control step, in rollouts of the trace's own scenario.

    Seeing nothing, it repeats what was commanded, not what happened: in the same world that is the same to the bit, in
    another it need not be. PolicyFault for a rollout of another scenario or instruction, and when the rollout goes on
    after the trace has ended. PolicyError when there is no such trace or it has no actions.
    """

    def __init__(self, path: str) -> None:
        try:
            trace = read_trace(path)
        except (OSError, TraceFileError, TraceError) as error:
            raise PolicyError(f"policy 'replay:{path}': {error}") from error
        # Frame 0 is the settled start, before the first action.
        self._actions = np.asarray(trace.column("action"), np.float64)[1:]
        if not len(self._actions) or not np.isfinite(self._actions).all():
            raise PolicyError(f"policy 'replay:{path}': the trace has no action for each of its steps")
        self._path, self._meta = path, trace.meta
        self._seeds = {episode_seed(self._meta.scenario_id, seed) for seed in range(KNOWN_SEEDS)}
        self._seeds.add(episode_seed(self._meta.scenario_id, self._meta.seed))
        self._next = 0
        self.contract = PolicyContract(f"replay:{Path(path).name}", (), ActionSpec(1), 1, deterministic=True)

    def reset(self, *, seed: int, instruction: str) -> None:
        """Begin at the trace's first action; PolicyFault when this rollout is of another scenario."""
        if seed not in self._seeds or instruction != self._meta.instruction:
            raise PolicyFault(
                f"the trace {self._path} is of scenario {self._meta.scenario_id!r}, {self._meta.instruction!r}; "
                f"this rollout is of another, {instruction!r}"
            )
        self._next = 0

    def infer(self, observation: Mapping[str, Any]) -> NDArray[np.float64]:
        """Return the next action (1, 8)."""
        if self._next == len(self._actions):
            raise PolicyFault(f"the trace {self._path} ends after {len(self._actions)} actions; the rollout goes on")
        self._next += 1
        return self._actions[self._next - 1 : self._next].copy()

    def close(self) -> None:
        """Do nothing."""
