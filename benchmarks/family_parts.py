"""Processor time of the parts of a rollout, taken by watching the functions that do them."""

from __future__ import annotations

import time
from typing import Any

from maniguard.grounding import Grounder
from maniguard.monitor import SafetyMonitor
from maniguard.policies.scripted import Script
from maniguard.sim import World
from maniguard.trace import TraceBuilder

WATCHED = {
    "physics": (World, "step"),
    "planning": (Script, "infer"),
    "grounding": (Grounder, "step"),
    "monitor": (SafetyMonitor, "step"),
    "record": (TraceBuilder, "append"),
}


class Parts:
    """While it is open, adds up the processor time of each part in `seconds`; the monitor's without the grounding."""

    def __init__(self) -> None:
        self.seconds = dict.fromkeys(WATCHED, 0.0)
        self._originals: dict[str, Any] = {}

    def __enter__(self) -> Parts:
        for part, (owner, method) in WATCHED.items():
            self._originals[part] = getattr(owner, method)
            setattr(owner, method, self._watch(part, self._originals[part]))
        return self

    def __exit__(self, *_: object) -> None:
        for part, (owner, method) in WATCHED.items():
            setattr(owner, method, self._originals[part])
        # The monitor calls the grounder.
        self.seconds["monitor"] -= self.seconds["grounding"]

    def _watch(self, part: str, function: Any) -> Any:
        def watched(*arguments: Any, **named: Any) -> Any:
            started = time.process_time()
            result = function(*arguments, **named)
            self.seconds[part] += time.process_time() - started
            return result

        return watched
