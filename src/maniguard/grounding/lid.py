# ruff: noqa: D102 - the methods that every predicate has are described once, in Predicate.
"""The predicate `seated_on`: a lid lies on its container as it should."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from maniguard.grounding.block import Block, Bool
from maniguard.grounding.errors import GroundingError
from maniguard.grounding.geometry import outline
from maniguard.grounding.leaning import LeaningOn
from maniguard.grounding.motion import DEG_PER_RAD, arccos
from maniguard.grounding.predicate import F64, Measure, Param, Quantity, register
from maniguard.grounding.rigid import to_local, to_world, to_world_direction

_LEAST = 1e-6


@register
class SeatedOn(LeaningOn):
    """It lies centred and level on the rim of one of `to`, and no hand is on it.

    Its origin is within `max_offset` of the axis of the rim, its rest axis within `max_tilt` of the container's, some
    of it is above the rim and its lowest point not more than `max_gap` (a plug may reach below the rim; what has fallen
    in lies under it by more than `max_gap`). The two pressed on each other within the last `memory`, and no robot
    presses on it now. The margin is the smallest share of a tolerance that is left: 1 at best, 0 at the tolerance.
    """

    name = "seated_on"
    summary = "it lies centred and level on the rim of `to`, touched it within the last memory, and no hand is on it"
    params = (
        Param("max_offset", "m", "largest distance of its origin from the axis of the rim", minimum=_LEAST),
        Param("max_tilt", "deg", "largest angle between its rest axis and the container's", minimum=_LEAST),
        Param("max_gap", "m", "largest height over the rim, or depth under it", minimum=_LEAST),
        Param("min_force", "N", "peak normal force that a contact must exceed"),
        Param("memory", "s", "how long the contact with the container is remembered"),
    )
    channels = ("position_m", "quat_wxyz", "contacts", "contact_force")
    unit = "1"
    takes_to = "required"

    def describe(self) -> tuple[Quantity, ...]:
        return (
            Quantity("offset from the rim's axis", "m", self.values["max_offset"], above=False),
            Quantity("tilt against the container", "deg", self.values["max_tilt"], above=False),
            Quantity("gap to the rim", "m", self.values["max_gap"], above=False),
        )

    @property
    def scale(self) -> float:
        return 1.0

    def prepare(self) -> None:
        super().prepare()
        scene = self.geometry.scene
        self._rims: dict[int, F64] = {}
        for column in (int(c) for c in self.to):
            entity = scene.entities[column]
            if entity.rim is None:
                raise GroundingError(f"predicate 'seated_on' needs the rim of {entity.name!r}; it has none")
            self._rims[column] = np.array(entity.rim.pose.position_m)
        self._points = [outline(scene.entities[column]).T[:, None, :] for column in self.columns]
        self._axis = self.geometry.rest_axis[:, None, self.of]

    def combined(self, block: Block, touched: dict[int, F64]) -> Measure:
        in_hand: Bool = block.largest_force(block.rows.other_is_robot)[:, self.of] > self.values["min_force"]
        chosen: tuple[F64, ...] = ()
        for column in self._rims:
            offset, tilt, gap = self._against(block, column)
            margin = np.minimum(
                np.minimum(1.0 - offset / self.values["max_offset"], 1.0 - tilt / self.values["max_tilt"]),
                1.0 - gap / self.values["max_gap"],
            )
            free = (touched[column] > 0) & ~in_hand
            margin = np.where(free, margin, np.minimum(margin, 0.0)) + 0.0
            found = (margin, offset, tilt, gap)
            better = margin > chosen[0] if chosen else np.ones(margin.shape, np.bool_)
            chosen = tuple(np.where(better, new, old) for new, old in zip(found, chosen or found, strict=True))
        return Measure(chosen[0], chosen[1:])

    def _against(self, block: Block, column: int) -> tuple[F64, F64, F64]:
        """Return the offset (m), tilt (deg) and gap (m) of each entity against one container, (T, E) each."""
        here: NDArray[np.intp] = np.array([column])
        rim = self._rims[column]
        x, y, _ = to_local(block, here, block.position[:, :, self.of]) - rim[:, None, None]
        ax, ay, az = to_world_direction(block, self.of, self._axis)
        bx, by, bz = to_world_direction(block, here, self.geometry.rest_axis[:, None, here])
        cosine = np.minimum(np.maximum(ax * bx + ay * by + az * bz, -1.0), 1.0)
        gaps = []
        for number, points in zip(self.columns, self._points, strict=True):
            columns: NDArray[np.intp] = np.full(points.shape[2], number, np.intp)
            height = to_local(block, here, to_world(block, columns, points))[2] - rim[2]
            gaps.append(np.maximum(height.min(axis=1), 0.0 - height.max(axis=1)))
        return np.sqrt(x * x + y * y), arccos(cosine) * DEG_PER_RAD, np.stack(gaps, axis=1)
