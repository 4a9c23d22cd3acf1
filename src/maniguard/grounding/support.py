# ruff: noqa: D102 - the methods that every predicate has are described once, in Predicate.
"""The predicate `on`: one thing lies on a surface of another."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from maniguard.grounding.block import Block
from maniguard.grounding.errors import GroundingError
from maniguard.grounding.geometry import rotation
from maniguard.grounding.leaning import LeaningOn
from maniguard.grounding.predicate import F64, Measure, Param, Quantity, register
from maniguard.grounding.rigid import to_local, to_world, to_world_direction
from maniguard.trace import Region

# A surface that leans further than this (its normal less than 0.1 above the horizontal) carries nothing.
_LEAST_RISE = 0.1


class _Surface(NamedTuple):
    column: NDArray[np.intp]
    origin: F64
    axes: F64
    size: tuple[float, float, float]
    round: bool


def _surface(column: int, region: Region, name: str) -> _Surface:
    if region.shape not in ("disc", "rectangle"):
        raise GroundingError(
            f"{name!r} has a support region of shape {region.shape!r}; it must be a disc or a rectangle"
        )
    origin = np.array(region.pose.position_m)[:, None, None]
    return _Surface(np.array([column]), origin, rotation(region.pose.quat_wxyz), region.size_m, region.shape == "disc")


@register
class On(LeaningOn):
    """It lies on one of `to`.

    Its lowest point is within `max_gap` of a support surface of `to`, the middle of its bounding box lies over that
    surface, and the two pressed on each other within the last `memory`.
    """

    name = "on"
    summary = (
        "its lowest point is within max_gap of a surface of `to`, over it, and they touched within the last memory"
    )
    params = (
        Param("max_gap", "m", "largest height of the lowest point over or under the surface"),
        Param("min_force", "N", "peak normal force that their contact must exceed"),
        Param("memory", "s", "how long a contact is remembered"),
    )
    channels = ("position_m", "quat_wxyz", "contacts", "contact_force")
    unit = "m"
    takes_to = "required"

    def describe(self) -> tuple[Quantity, ...]:
        return (Quantity("gap to surface", "m", self.values["max_gap"], above=False),)

    @property
    def scale(self) -> float:
        return self.values["max_gap"]

    def prepare(self) -> None:
        super().prepare()
        self._surfaces = [
            _surface(int(column), region, self.geometry.scene.entities[int(column)].name)
            for column in self.to
            for region in self.geometry.surfaces(int(column))
        ]

    def combined(self, block: Block, touched: dict[int, F64]) -> Measure:
        middle = to_world(block, self.of, self.geometry.box_center[:, None, self.of])
        best = np.full(middle.shape[1:], -np.inf)
        gap = np.zeros(middle.shape[1:])
        for surface in self._surfaces:
            distance, inside = self._over(block, surface, middle)
            margin = np.minimum(self.values["max_gap"] - distance, inside)
            margin = np.where(touched[int(surface.column[0])] > 0, margin, np.minimum(margin, 0.0)) + 0.0
            gap = np.where(margin > best, distance, gap)
            best = np.maximum(best, margin)
        return Measure(best, (gap,))

    def _over(self, block: Block, surface: _Surface, middle: F64) -> tuple[F64, F64]:
        """Return the distance of the lowest points from the plane, and how far inside its edge the middles are."""
        local = to_local(block, surface.column, middle) - surface.origin
        (ax, bx, nx), (ay, by, ny), (az, bz, nz) = surface.axes
        x = ax * local[0] + ay * local[1] + az * local[2]
        y = bx * local[0] + by * local[1] + bz * local[2]
        if surface.round:
            inside = surface.size[0] - np.sqrt(x * x + y * y)
        else:
            inside = np.minimum(surface.size[0] - np.abs(x), surface.size[1] - np.abs(y))
        origin = to_world(block, surface.column, surface.origin)
        normal = to_world_direction(block, surface.column, np.array([nx, ny, nz])[:, None, None])
        rise = np.maximum(normal[2], _LEAST_RISE)
        slope = normal[0] * (middle[0] - origin[0]) + normal[1] * (middle[1] - origin[1])
        height = origin[2] - slope / rise
        inside = np.where(normal[2] > _LEAST_RISE, inside, -np.abs(inside))
        return np.abs(block.lowest[:, self.of] - height), inside
