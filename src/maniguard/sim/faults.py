"""What can go wrong in a world that was built correctly."""

from __future__ import annotations

from maniguard.errors import ManiguardError


class SimulationFault(ManiguardError):
    """The physics blew up: a value that is not finite, or a speed that nothing on a table can have."""
