"""What can go wrong with a study."""

from __future__ import annotations

from maniguard.errors import ManiguardError


class StudyError(ManiguardError):
    """A study that cannot be made of what was given."""
