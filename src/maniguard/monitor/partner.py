"""Who touched an entity last, and whether anything has moved since the settled start."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from maniguard.grounding import Block, Geometry, Moment
from maniguard.trace import Contacts, Frame, Scene


def partner(geometry: Geometry, column: int, recent: Iterable[Contacts]) -> str | None:
    """Name what touched an entity in `recent` (latest first): a robot's part, else a movable thing, else another.

    Within a class the largest force decides, and among equal forces the latest.
    """
    best: tuple[int, float] | None = None
    name: str | None = None
    for contacts in recent:
        for row in np.flatnonzero((contacts.entity_a == column) | (contacts.entity_b == column)):
            force = float(contacts.peak_force_n[row])
            if force <= 0.0:
                continue
            first = int(contacts.entity_a[row]) == column
            other = int(contacts.entity_b[row] if first else contacts.entity_a[row])
            if other == column:
                continue
            rank = 2 if geometry.is_robot[other] else int(geometry.is_movable[other])
            # Without recorded forces every contact weighs the same.
            key = (rank, 0.0 if np.isnan(force) else force)
            if best is None or key > best:
                best = key
                part = int(contacts.part_b[row] if first else contacts.part_a[row])
                name = _name(geometry.scene, other, part)
    return name


def _name(scene: Scene, column: int, part: int) -> str:
    entity = scene.entities[column]
    return entity.name if part == 0 else f"{entity.name}.{entity.parts[part].name}"


def robot_touches(block: Block) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """Return (T,): whether a robot touches anything in each frame; its fixed base may stand on a support."""
    rows, geometry = block.rows, block.geometry
    fixed = (rows.other_part == 0) & ~geometry.is_movable[rows.self_]
    touched = rows.other_is_robot & ~geometry.is_robot[rows.self_] & ~(rows.force <= 0.0) & ~fixed
    out = np.zeros(block.frames, np.bool_)
    out[rows.frame[touched]] = True
    return out


def robot_touches_now(moment: Moment) -> bool:
    """Do as `robot_touches` does, for one frame with forces."""
    robots, movable = moment.geometry.robots, moment.geometry.is_movable
    return any(
        column not in robots and (robot_part != 0 or movable[column])
        for column, _, _, robot_part, *_ in moment.robot_rows
    )


def unmoved(geometry: Geometry, start: Frame, now: Frame, distance_m: float, angle_deg: float) -> bool:
    """Whether every movable entity and every moving part that is not a robot's is where it was at the start."""
    movable = geometry.movable
    robots = {entity.name for entity in geometry.scene.entities if entity.kind == "robot"}
    parts = [index for index, (name, _) in enumerate(geometry.scene.moving_parts) if name not in robots]
    pairs = (
        (start.position_m[movable], now.position_m[movable], start.quat_wxyz[movable], now.quat_wxyz[movable]),
        (
            start.part_position_m[parts],
            now.part_position_m[parts],
            start.part_quat_wxyz[parts],
            now.part_quat_wxyz[parts],
        ),
    )
    least = np.cos(np.deg2rad(angle_deg) / 2)
    for before, after, turned_before, turned_after in pairs:
        shift = after.astype(np.float64) - before.astype(np.float64)
        if (np.sqrt((shift * shift).sum(axis=1)) > distance_m).any():
            return False
        cosine = np.abs((turned_before.astype(np.float64) * turned_after.astype(np.float64)).sum(axis=1))
        if (cosine < least).any():
            return False
    return True
