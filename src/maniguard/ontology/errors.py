"""The error of this package, and what a message about an unknown name says."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

from maniguard.errors import ManiguardError, alternatives


class OntologyError(ManiguardError):
    """An ontology file that cannot be read or contradicts itself, or a name that the ontology does not have."""


def near(name: str, known: Iterable[str]) -> str:
    """Say which known names are like `name`, or some of all where none is."""
    names = sorted(set(known))
    folded: dict[str, list[str]] = {}
    for candidate in names:
        folded.setdefault(candidate.casefold(), []).append(candidate)
        # A name of a source is also looked for without it.
        folded.setdefault(candidate.rpartition("/")[2].casefold(), []).append(candidate)
    close = get_close_matches(name.casefold(), list(folded), n=6, cutoff=0.6)
    found = list(dict.fromkeys(candidate for match in close for candidate in folded[match]))
    return f"near are {', '.join(found[:8])}" if found else f"known are {alternatives(names)}"
