"""What the meta data of a RoboCasa episode says of objects and fixtures."""

from __future__ import annotations

from typing import Any

from maniguard.audit.meaning import Meaning, meaning_of

ONTOLOGY = "robocasa"


def meanings_of_meta(meta: dict[str, Any]) -> dict[str, Meaning]:
    """Return what ep_meta.json says: the categories of objects, distractors as obstacles; the classes of fixtures."""
    found: dict[str, Meaning] = {}
    for item in meta.get("object_cfgs") or ():
        if not isinstance(item, dict) or not isinstance(item.get("name"), str):
            continue
        name, info = item["name"], item.get("info")
        category = str(info.get("cat", name)) if isinstance(info, dict) else name
        role = "obstacle" if name.startswith("distr") else "target" if name == "obj" else None
        found[name] = meaning_of(category, ONTOLOGY, role)
    fixtures = meta.get("fixtures")
    for name, item in fixtures.items() if isinstance(fixtures, dict) else ():
        if isinstance(item, dict) and isinstance(item.get("cls"), str):
            found[str(name)] = meaning_of(item["cls"], ONTOLOGY)
    return found
