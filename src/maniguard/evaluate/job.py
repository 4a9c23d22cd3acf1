"""What a worker does with planned rollouts, and what it says of each."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, NamedTuple, TypeAlias

from maniguard.evaluate.plan import PlannedRollout
from maniguard.rollout import Status

# A rollout is handed to a worker at most this often: again after the worker died under it, and after an infra-error,
# at the end of the plan, when what was down may be back.
DISPATCHES = 3

Outcome: TypeAlias = Status | Literal["again"]


class Lost(NamedTuple):
    """A worker that did not come back from a rollout: the kind of fault and what is known of it."""

    kind: str
    detail: str


class Job(NamedTuple):
    """What a worker does with each planned rollout; all but `facts` is sent to other processes.

    `start(*arguments)` prepares a process once. `execute(item, last)` does one rollout, writes its result and returns
    its status; where the rollout failed for a reason that may pass and this is not its `last` chance, it writes none
    and returns `again`. `facts` says what the result of one that killed its workers calls its scenario. `stop` releases
    what `start` made.
    """

    start: Callable[..., None]
    arguments: tuple[Any, ...]
    execute: Callable[[PlannedRollout, bool], Outcome]
    facts: Callable[[PlannedRollout], Mapping[str, Any]]
    stop: Callable[[], None]

    def without_facts(self) -> Job:
        """Return what is sent to a worker: the facts are the runner's, and need not be sendable."""
        return self._replace(facts=_no_facts)


def _no_facts(item: PlannedRollout) -> Mapping[str, Any]:
    raise RuntimeError(f"a worker does not know the facts of {item.rollout_id}")


class Queue:
    """The rollouts that are still to be handed to workers, and how often each has been."""

    def __init__(self, items: Sequence[PlannedRollout], soon: int | None = None) -> None:
        """Queue `items`; one that is to be run again waits for `soon` others at most, for all of them if None."""
        self._items = deque(items)
        self._soon = soon
        self._handed: dict[str, int] = {}

    def __len__(self) -> int:
        return len(self._items)

    def take(self) -> tuple[PlannedRollout, bool]:
        """Return the next rollout, and whether this is its last chance."""
        item = self._items.popleft()
        self._handed[item.rollout_id] = self._handed.get(item.rollout_id, 0) + 1
        return item, self._handed[item.rollout_id] >= DISPATCHES

    def again(self, item: PlannedRollout) -> bool:
        """Put a rollout to the end, or behind a few others; False where it has had its chances."""
        if self._handed[item.rollout_id] >= DISPATCHES:
            return False
        self._items.insert(len(self._items) if self._soon is None else self._soon, item)
        return True

    def clear(self) -> None:
        """Forget what is still to be handed out."""
        self._items.clear()
