"""Stands in for the package vla-eval where it is not installed: the two names that the benchmark builds on."""

from dataclasses import dataclass
from typing import Any


@dataclass
class StepResult:
    obs: Any
    reward: float
    done: bool
    info: dict[str, Any]


class StepBenchmark:
    """The genuine one runs `reset`, `make_obs`, `step`, `check_done` and `get_step_result` in this order."""

    def check_done(self, step_result: StepResult) -> bool:
        return step_result.done
