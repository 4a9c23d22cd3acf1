"""What can be wrong with a recording or with its mapping."""

from __future__ import annotations

from maniguard.errors import ManiguardError


class AuditError(ManiguardError):
    """A recording that cannot be read as a trace, or a mapping that does not fit it; one line, with what is valid."""
