"""Answering requests of several rollouts together, for policies that are faster that way."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor, Future
from typing import Any, Protocol, runtime_checkable

from maniguard.errors import ManiguardError
from maniguard.policies.foreign import ForeignCode
from maniguard.policies.policy import Policy
from maniguard.rollout.faults import PolicyFault

Observation = Mapping[str, Any]


@runtime_checkable
class BatchPolicy(Policy, Protocol):
    """A stateless policy that answers several observations, of different rollouts, at once."""

    def infer_batch(self, observations: Sequence[Observation]) -> Sequence[Any]:
        """Return one chunk (horizon, dims) for each observation, in their order."""
        ...


class Batcher:
    """Gathers what is waiting, up to `size` requests in the order in which they came, and answers it at once.

    Nothing is waited for: what is there when the policy is free makes the batch. `read` makes an observation of a
    message, `write` a reply of a chunk; both, and the policy, run on `thread`. A message that cannot be read fails
    alone; when the policy fails, everybody in the batch hears of it.
    """

    def __init__(
        self,
        policy: BatchPolicy,
        size: int,
        thread: Executor,
        *,
        read: Callable[[str | bytes], Observation],
        write: Callable[[Any], bytes],
    ) -> None:
        self._policy, self._size, self._thread = policy, size, thread
        self._read, self._write = read, write
        self._waiting: deque[tuple[str | bytes, Future[bytes]]] = deque()

    def submit(self, message: str | bytes) -> Future[bytes]:
        """Put a message in the queue; the future has the reply, or the error."""
        answer: Future[bytes] = Future()
        self._waiting.append((message, answer))
        begun: list[Future[bytes]] = []
        self._thread.submit(self._answer_batch, begun).add_done_callback(
            lambda done: _leave_nobody_waiting(done, begun)
        )
        return answer

    def _answer_batch(self, begun: list[Future[bytes]]) -> None:
        taken: list[tuple[Observation, Future[bytes]]] = []
        while self._waiting and len(taken) < self._size:
            message, answer = self._waiting.popleft()
            if not answer.set_running_or_notify_cancel():
                continue
            begun.append(answer)
            try:
                taken.append((self._read(message), answer))
            except ManiguardError as error:
                answer.set_exception(error)
        if not taken:  # what this call was for has been answered with an earlier batch
            return
        name = self._policy.contract.name
        try:
            with ForeignCode(PolicyFault, f"policy {name!r}", "infer_batch"):
                chunks = self._policy.infer_batch([seen for seen, _ in taken])
                count = len(chunks)
            if count != len(taken):
                raise PolicyFault(f"policy {name!r} gave {count} chunks for {len(taken)} observations")
            replies = [self._write(chunk) for chunk in chunks]
        except ManiguardError as error:
            for _, answer in taken:
                answer.set_exception(error)
            return
        for reply, (_, answer) in zip(replies, taken, strict=True):
            answer.set_result(reply)


def _leave_nobody_waiting(done: Future[None], begun: Sequence[Future[bytes]]) -> None:
    """Tell whoever still waits for an answer of this batch what kept it from coming, whatever that is."""
    error = None if done.cancelled() else done.exception()
    for answer in begun:
        if error is not None and not answer.done():
            answer.set_exception(error)
