"""The error of everything that grounds propositions."""

from __future__ import annotations

from maniguard.errors import ManiguardError


class GroundingError(ManiguardError):
    """A proposition that cannot be grounded: unknown predicate or parameter, wrong unit, missing entity or geometry."""
