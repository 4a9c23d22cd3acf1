"""What can go wrong in a rollout without being the scenario's or the user's mistake."""

from __future__ import annotations

from maniguard.errors import ManiguardError


class PolicyFault(ManiguardError):
    """The policy gave no usable action: none at all, the wrong shape, or a number that is not finite.

    The rollout ends with status `policy-fault`: it stays in n, as unsuccessful, with the verdict so far.
    """


class InfraError(ManiguardError):
    """Something outside policy and physics failed: a lost connection, a killed worker, a full disk.

    The rollout is run again; if the error stays, it leaves n and every rate is printed with both bounds.
    """
