"""What can go wrong in a rollout without being the scenario's or the user's mistake."""

from __future__ import annotations

from maniguard.errors import ManiguardError
from maniguard.sim import SimulationFault


class PolicyFault(ManiguardError):
    """The policy gave no usable action: none at all, the wrong shape, or a number that is not finite.

    The rollout ends with status `policy-fault`: it stays in n, as unsuccessful, with the verdict so far.
    """


class InfraError(ManiguardError):
    """Something outside policy and physics failed: a lost connection, a server that does not answer.

    The rollout is run again; if the error stays, it leaves n and every rate is printed with both bounds.
    """


def fault_kind(error: ManiguardError) -> str:
    """Name what failed, for summaries: `policy-fault`, `unstable-simulation`, `late-answer`, `lost-connection`, …

    What an InfraError was raised from says more than its own type: an answer that did not come in time, or a
    connection that is gone. One without such a cause is `infra-error`.
    """
    if isinstance(error, PolicyFault):
        return "policy-fault"
    if isinstance(error, SimulationFault):
        return "unstable-simulation"
    cause: BaseException | None = error.__cause__
    while cause is not None:
        if isinstance(cause, TimeoutError):
            return "late-answer"
        if isinstance(cause, OSError | EOFError) or type(cause).__module__.partition(".")[0] in ("websockets", "zmq"):
            return "lost-connection"
        cause = cause.__cause__
    return "lost-connection" if "Connection" in type(error).__name__ else "infra-error"
