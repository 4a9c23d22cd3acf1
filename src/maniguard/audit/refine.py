"""What a mapping changes of an entity that was found, and which way is up for it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from maniguard.audit.errors import AuditError
from maniguard.audit.mapping import EntityMap, Mapping
from maniguard.audit.meaning import meaning_of
from maniguard.audit.samples import F64
from maniguard.errors import alternatives
from maniguard.trace import Box, Entity, Region
from maniguard.trace.scene import Pose

# A thing that stands at the start stands on an axis of its own, but for the last bit of settling.
_SNAP_DEG = 2.0


def check_names(mapping: Mapping, names: tuple[str, ...]) -> None:
    """Raise AuditError for an entity of the mapping that the recording does not have; patterns may fit none."""
    for item in mapping.entities:
        if not item.is_pattern and item.name not in names:
            known = alternatives(names, limit=40)
            raise AuditError(f"{item.where}: the recording has no entity {item.name!r}; it has {known}")


def refined(entity: Entity, item: EntityMap, source: str | None) -> Entity:
    """Return the entity with what a mapping says of it; a category brings its properties from the ontology."""
    changes: dict[str, object] = {
        "kind": item.kind,
        "category": item.category,
        "role": item.role,
        "properties": item.properties,
        "mass_kg": item.mass_kg,
        "rest_axis": item.rest_axis,
        "movable": item.movable,
    }
    if item.category is not None and item.properties is None:
        changes["properties"] = meaning_of(item.category, source).properties or entity.properties
    if isinstance(item.interior, Box):
        pose = Pose(item.interior.center_m, item.interior.quat_wxyz)
        changes["interior"] = Region("box", item.interior.half_size_m, pose)
    return replace(entity, **{key: value for key, value in changes.items() if value is not None})  # type: ignore[arg-type]


def upright_axis(rotation: F64) -> tuple[float, float, float]:
    """Return what points upwards in a frame with this rotation (3, 3): one of its axes if that is within 2 degrees."""
    up = rotation.T @ np.array([0.0, 0.0, 1.0])
    largest = int(np.abs(up).argmax())
    if abs(up[largest]) >= np.cos(np.deg2rad(_SNAP_DEG)):
        up = np.where(np.arange(3) == largest, np.sign(up), 0.0)
    x, y, z = (round(float(v), 6) + 0.0 for v in up)
    return x, y, z
