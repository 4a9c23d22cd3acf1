"""What a LIBERO problem file says of roles: what its goal moves, and where to."""

from __future__ import annotations

import re

from maniguard.audit.meaning import Meaning, meaning_of

ONTOLOGY = "libero"
_GOAL = re.compile(r"\(:goal\b(.*)", re.DOTALL)
_PLACED = re.compile(r"\(\s*(?:on|in)\s+([A-Za-z0-9_]+)\s+([A-Za-z0-9_]+)\s*\)", re.IGNORECASE)
_SECTION = re.compile(r"\(:(objects|fixtures)\b([^()]*)\)", re.IGNORECASE)
_INSTANCES = re.compile(r"((?:[A-Za-z0-9_]+\s+)+)-\s*([A-Za-z0-9_]+)")


def meanings_of_bddl(text: str) -> dict[str, Meaning]:
    """Return the meaning of every object and fixture of a problem: its category, and the role that the goal gives it.

    What the goal places is a target, what it is placed on or in a destination; other objects are obstacles. Empty for a
    text that is no problem file.
    """
    placed = _PLACED.findall(match[1]) if (match := _GOAL.search(text)) else []
    targets = {target for target, _ in placed}
    places = {place for _, place in placed}
    found: dict[str, Meaning] = {}
    for section, content in _SECTION.findall(text):
        for names, category in _INSTANCES.findall(content):
            for name in names.split():
                role = "obstacle" if section.lower() == "objects" else None
                if any(place == name or place.startswith(f"{name}_") for place in places):
                    role = "destination"
                if name in targets:
                    role = "target"
                found[name] = meaning_of(category, ONTOLOGY, role)
    return found
