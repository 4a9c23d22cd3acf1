# ruff: noqa: D102 - the methods that every predicate has are described once, in Predicate.
"""The predicate `inside`: one thing is in the interior of another, a pot or a drawer."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from maniguard.grounding.block import Block
from maniguard.grounding.errors import GroundingError
from maniguard.grounding.geometry import interior_part, outline, rotation
from maniguard.grounding.predicate import F64, Measure, Param, Predicate, Quantity, register
from maniguard.grounding.rigid import to_frame, to_world
from maniguard.trace import Entity, Region, Scene

_SCALE_M = 0.01


class Room(NamedTuple):
    """An interior: the column of the entity, or of the moving part, that it moves with, and its region."""

    column: int
    in_part: bool
    region: Region
    origin: F64
    axes: F64


def room_of(scene: Scene, entity: Entity, predicate: str) -> Room:
    """Return the interior of an entity; GroundingError, which names `predicate`, where it has none."""
    region = entity.interior
    if region is None or region.shape not in ("cylinder", "box", "sphere"):
        raise GroundingError(f"predicate {predicate!r} needs an interior of {entity.name!r}; it has none")
    part = interior_part(entity)
    moves = part != "body"
    column = scene.moving_parts.index((entity.name, part)) if moves else scene.index(entity.name)
    origin = np.array(region.pose.position_m)[:, None, None]
    return Room(column, moves, region, origin, rotation(region.pose.quat_wxyz))


@register
class Inside(Predicate):
    """It is in the interior of one of `to`.

    The middle of its bounding box is more than `min_depth` inside, and no point of its outline sticks out by
    `max_protrusion`. The interior of a thing with a sliding part, a drawer, moves with that part (the first, if there
    are several).
    """

    name = "inside"
    summary = "its middle is in the interior of `to`, and nothing of it sticks out by more than max_protrusion"
    params = (
        Param("max_protrusion", "m", "largest distance by which its outline may stick out of the interior"),
        Param("min_depth", "m", "distance of the middle of its bounding box from the bounds of the interior"),
    )
    channels = ("position_m", "quat_wxyz", "part_position_m", "part_quat_wxyz")
    unit = "m"
    takes_to = "required"

    def describe(self) -> tuple[Quantity, ...]:
        return (
            Quantity("protrusion", "m", self.values["max_protrusion"], above=False),
            Quantity("depth of its middle", "m", self.values["min_depth"], above=True),
        )

    @property
    def scale(self) -> float:
        return max(self.values["max_protrusion"], _SCALE_M)

    def prepare(self) -> None:
        scene = self.geometry.scene
        self._rooms = [room_of(scene, scene.entities[int(column)], self.name) for column in self.to]
        self._points = []
        for column in self.columns:
            self._points.append(self.points(outline(scene.entities[column])).T[:, None, :])

    def points(self, corners: F64) -> F64:
        """Return the points (P, 3) of an outline (V, 3) that are looked at: the middle, then what may stick out."""
        middle = (corners.min(axis=0) + corners.max(axis=0)) / 2
        return np.concatenate((middle[None], corners))

    def measure(self, block: Block) -> Measure:
        tracks = [self._one(block, column, points) for column, points in zip(self.columns, self._points, strict=True)]
        margin, protrusion, middle = (np.stack(rows, axis=1) for rows in zip(*tracks, strict=True))
        return Measure(margin, (protrusion, middle))

    def _one(self, block: Block, column: int, points: F64) -> tuple[F64, F64, F64]:
        """Return margin, protrusion and the depth of the middle of one entity, (T,) each."""
        columns: NDArray[np.intp] = np.full(points.shape[2], column, np.intp)
        world = to_world(block, columns, points)
        best = protrusion = middle = np.full(block.frames, np.nan)
        for number, room in enumerate(self._rooms):
            beyond = outside(block, room, world)
            sticks_out, depth = beyond.max(axis=1), 0.0 - beyond[:, 0]
            margin = np.minimum(self.values["max_protrusion"] - sticks_out, depth - self.values["min_depth"]) + 0.0
            better = margin > best if number else np.ones(block.frames, np.bool_)
            best = np.where(better, margin, best)
            protrusion = np.where(better, sticks_out, protrusion)
            middle = np.where(better, depth, middle)
        return best, protrusion, middle


def outside(block: Block, room: Room, world: F64) -> F64:
    """Return how far world points (3, T, V) are outside a room, (T, V); negative inside."""
    here: NDArray[np.intp] = np.array([room.column])
    if room.in_part:
        local = to_frame(block.part_quat[:, :, here], block.part_position[:, :, here], world)
    else:
        local = to_frame(block.quat[:, :, here], block.position[:, :, here], world)
    (ax, bx, cx), (ay, by, cy), (az, bz, cz) = room.axes
    dx, dy, dz = local - room.origin
    x, y, z = ax * dx + ay * dy + az * dz, bx * dx + by * dy + bz * dz, cx * dx + cy * dy + cz * dz
    first, second, third = room.region.size_m
    if room.region.shape == "box":
        return np.maximum(np.maximum(np.abs(x) - first, np.abs(y) - second), np.abs(z) - third)
    if room.region.shape == "sphere":
        return np.sqrt(x * x + y * y + z * z) - first
    return np.maximum(np.maximum(np.sqrt(x * x + y * y) - first, z - third), 0.0 - z)
