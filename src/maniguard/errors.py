"""The exceptions that every package raises for mistakes which a user can mend."""

from __future__ import annotations

from collections.abc import Iterable


class ManiguardError(Exception):
    """Base of all errors that maniguard raises on purpose.

    The message is one line: what is wrong, where, and the valid alternatives. The command line prints it and exits
    with status 2.
    """


def alternatives(names: Iterable[str], *, limit: int = 12) -> str:
    """List valid names for the end of an error message, sorted, cut after `limit`."""
    ordered = sorted(names)
    if not ordered:
        return "(none)"
    shown = ", ".join(ordered[:limit])
    return shown if len(ordered) <= limit else f"{shown}, … ({len(ordered)} in all)"
