"""What a LIBERO problem file says of roles: what its goal moves or opens, and where to."""

from __future__ import annotations

import re

from maniguard.audit.meaning import Meaning, meaning_of

ONTOLOGY = "libero"
_GOAL = re.compile(r"\(:goal\b(.*)", re.DOTALL)
_PLACED = re.compile(r"\(\s*(?:on|in)\s+([A-Za-z0-9_]+)\s+([A-Za-z0-9_]+)\s*\)", re.IGNORECASE)
_WORKED = re.compile(r"\(\s*(?:open|close|turnon|turnoff)\s+([A-Za-z0-9_]+)\s*\)", re.IGNORECASE)
_SECTION = re.compile(r"\(:(objects|fixtures)\b([^()]*)\)", re.IGNORECASE)
_INSTANCES = re.compile(r"((?:[A-Za-z0-9_]+\s+)+)-\s*([A-Za-z0-9_]+)")


def meanings_of_bddl(text: str) -> dict[str, Meaning]:
    """Return the meaning of every object and fixture of a problem: its category, and the role that the goal gives it.

    What the goal places, opens or turns is a target, what it is placed on or in a destination; other objects are
    obstacles. A region of a fixture that the goal names, such as a drawer's, is there under its own name. Empty for a
    text that is no problem file.
    """
    goal = match[1] if (match := _GOAL.search(text)) else ""
    placed = _PLACED.findall(goal)
    targets = {target for target, _ in placed} | set(_WORKED.findall(goal))
    places = {place for _, place in placed}
    found: dict[str, Meaning] = {}
    for section, content in _SECTION.findall(text):
        for names, category in _INSTANCES.findall(content):
            for name in names.split():
                role = "obstacle" if section.lower() == "objects" else None
                for named, given in ((places, "destination"), (targets, "target")):
                    for thing in sorted(named):
                        if thing.startswith(f"{name}_"):
                            found[thing] = meaning_of(category, ONTOLOGY, given)
                        if thing == name or thing.startswith(f"{name}_"):
                            role = given
                found[name] = meaning_of(category, ONTOLOGY, role)
    return found
