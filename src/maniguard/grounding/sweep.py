# ruff: noqa: D102 - the methods that every predicate has are described once, in Predicate.
"""The predicate `in_drawer_path`: one thing stands where the drawer of another passes."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from maniguard.grounding.block import Block
from maniguard.grounding.errors import GroundingError
from maniguard.grounding.geometry import box_corners, outline
from maniguard.grounding.predicate import F64, Measure, Param, Predicate, Quantity, register
from maniguard.grounding.rigid import to_frame, to_world
from maniguard.trace import Entity

_SCALE_M = 0.01


class _Path(NamedTuple):
    """What a drawer fills between shut and open: corners (3,) in the frame of the entity in `column`."""

    column: int
    low: F64
    high: F64


def _path(column: int, entity: Entity) -> _Path:
    joint = next((joint for joint in entity.joints if joint.kind == "slide"), None)
    boxes = () if joint is None else entity.parts[entity.part_index(joint.part)].boxes
    if joint is None or not boxes:
        raise GroundingError(f"predicate 'in_drawer_path' needs a drawer with boxes of {entity.name!r}; it has none")
    corners = np.concatenate([box_corners(box) for box in boxes])
    low, high = corners.min(axis=0), corners.max(axis=0)
    low[0], high[0] = low[0] - joint.upper, high[0] - joint.lower
    return _Path(column, low, high)


@register
class InDrawerPath(Predicate):
    """It stands where the drawer of one of `to` passes between shut and open.

    The path is the box around the drawer's boxes, handle included, drawn out over its travel; a drawer opens towards -x
    of its entity's frame. What lies in the drawer is in its path as well. A thing counts with the bounds of its outline
    in that frame: it is in the path when they overlap, or come nearer than `clearance`. Of several drawers the first
    one counts.
    """

    name = "in_drawer_path"
    summary = "it is where the drawer of `to` passes, or nearer to that than clearance"
    params = (Param("clearance", "m", "distance from the path that still counts as in it"),)
    channels = ("position_m", "quat_wxyz")
    unit = "m"
    takes_to = "required"
    combine = "any"

    def describe(self) -> tuple[Quantity, ...]:
        return (Quantity("distance from the drawer's path", "m", self.values["clearance"], above=False),)

    @property
    def scale(self) -> float:
        return max(self.values["clearance"], _SCALE_M)

    def prepare(self) -> None:
        scene = self.geometry.scene
        self._paths = [_path(int(column), scene.entities[int(column)]) for column in self.to]
        self._points = [outline(scene.entities[column]).T[:, None, :] for column in self.columns]

    def measure(self, block: Block) -> Measure:
        return self.below(
            np.stack([self._apart(block, c, p) for c, p in zip(self.columns, self._points, strict=True)], axis=1)
        )

    def _apart(self, block: Block, column: int, points: F64) -> F64:
        """Return the distance of one entity from the nearest path along the axis that parts them most, (T,)."""
        columns: NDArray[np.intp] = np.full(points.shape[2], column, np.intp)
        world = to_world(block, columns, points)
        nearest = np.full(block.frames, np.inf)
        for path in self._paths:
            here: NDArray[np.intp] = np.array([path.column])
            local = to_frame(block.quat[:, :, here], block.position[:, :, here], world)
            apart = np.full(block.frames, -np.inf)
            for axis in range(3):
                apart = np.maximum(apart, local[axis].min(axis=1) - path.high[axis])
                apart = np.maximum(apart, path.low[axis] - local[axis].max(axis=1))
            nearest = np.minimum(nearest, apart)
        return nearest
