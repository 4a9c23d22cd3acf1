# ruff: noqa: D102 - the methods that every predicate has are described once, in Predicate.
"""Predicates about where an entity is and how it moves: upright, at rest, displaced, fallen below, near the hand."""

from __future__ import annotations

import math

import numpy as np

from maniguard.grounding.block import Block
from maniguard.grounding.errors import GroundingError
from maniguard.grounding.moment import Moment
from maniguard.grounding.predicate import F64, Measure, Param, Predicate, Quantity, Sample, register
from maniguard.grounding.rigid import to_local

DEG_PER_RAD = 57.29577951308232


def arccos(cosine: F64) -> F64:
    """Return the arc cosine by the scalar function: the array one may differ from it in the last bit."""
    return np.array([math.acos(value) for value in cosine.ravel().tolist()]).reshape(cosine.shape)


@register
class Upright(Predicate):
    """The rest axis is within `max_tilt` of the vertical."""

    name = "upright"
    summary = "its rest axis is within max_tilt of the vertical"
    params = (Param("max_tilt", "deg", "largest angle between rest axis and vertical"),)
    channels = ("quat_wxyz",)
    unit = "deg"

    def describe(self) -> tuple[Quantity, ...]:
        return (Quantity("tilt", "deg", self.values["max_tilt"], above=False),)

    @property
    def scale(self) -> float:
        return self.values["max_tilt"]

    def prepare(self) -> None:
        self._axis = self.geometry.rest_axis[:, self.of]
        # For most things the rest axis is their own z axis: then only one of the three products is not zero.
        self._axes = [None if axis == [0.0, 0.0, 1.0] else axis for axis in self._axis.T.tolist()]

    def measure(self, block: Block) -> Measure:
        (ax, ay, az), (ux, uy, uz) = self._axis, block.vertical
        cosine = ux[:, self.of] * ax + uy[:, self.of] * ay + uz[:, self.of] * az
        return self.below(arccos(np.minimum(np.maximum(cosine, -1.0), 1.0)) * DEG_PER_RAD)

    def step(self, moment: Moment) -> Sample:
        quat = moment.quat
        cosines = []
        for column, axis in zip(self.columns, self._axes, strict=True):
            w, x, y, z = quat[column]
            cosine = 1.0 - 2.0 * (x * x + y * y)
            if axis is not None:
                ax, ay, az = axis
                cosine = 2.0 * (x * z - w * y) * ax + 2.0 * (y * z + w * x) * ay + cosine * az
            cosines.append(min(max(cosine, -1.0), 1.0))
        return self.sample([math.acos(cosine) * DEG_PER_RAD for cosine in cosines])


@register
class AtRest(Predicate):
    """The origin moves slower than `max_speed`."""

    name = "at_rest"
    summary = "it moves slower than max_speed"
    params = (Param("max_speed", "m/s", "speed of the entity's origin"),)
    channels = ("linear_m_s",)
    unit = "m/s"

    def describe(self) -> tuple[Quantity, ...]:
        return (Quantity("speed", "m/s", self.values["max_speed"], above=False),)

    @property
    def scale(self) -> float:
        return self.values["max_speed"]

    def measure(self, block: Block) -> Measure:
        return self.below(block.speed[:, self.of])

    def step(self, moment: Moment) -> Sample:
        speeds = []
        for column in self.columns:
            x, y, z = moment.linear[column]
            speeds.append(math.sqrt(x * x + y * y + z * z))
        return self.sample(speeds)


@register
class Displaced(Predicate):
    """The origin is further than `distance` from where it was in frame 0, the settled start."""

    name = "displaced"
    summary = "it is further than distance from its settled place"
    params = (Param("distance", "m", "distance of the origin from its settled place"),)
    channels = ("position_m",)
    unit = "m"

    def describe(self) -> tuple[Quantity, ...]:
        return (Quantity("displacement", "m", self.values["distance"], above=True),)

    @property
    def scale(self) -> float:
        return self.values["distance"]

    def prepare(self) -> None:
        self.reset()

    def reset(self) -> None:
        self._start: list[list[float]] | None = None

    def measure(self, block: Block) -> Measure:
        here = block.position[:, :, self.of]
        x, y, z = here - here[:, :1]
        return self.above(np.sqrt(x * x + y * y + z * z))

    def step(self, moment: Moment) -> Sample:
        here = moment.position
        if self._start is None:
            self._start = here
        distances = []
        for column in self.columns:
            (x, y, z), (x0, y0, z0) = here[column], self._start[column]
            x, y, z = x - x0, y - y0, z - z0
            distances.append(math.sqrt(x * x + y * y + z * z))
        return self.sample(distances)


@register
class Below(Predicate):
    """The lowest point is less than `height` above the surface of `to` (the published notion of dropped)."""

    name = "below"
    summary = "its lowest point is less than height above the surface of `to`"
    params = (Param("height", "m", "height above the surface", minimum=-np.inf),)
    channels = ("position_m", "quat_wxyz")
    unit = "m"
    takes_to = "required"

    def describe(self) -> tuple[Quantity, ...]:
        return (Quantity("height above surface", "m", self.values["height"], above=False),)

    @property
    def scale(self) -> float:
        return abs(self.values["height"]) or 1.0

    def prepare(self) -> None:
        if len(self.to) != 1:
            raise GroundingError(f"predicate 'below' needs exactly one entity as `to`, it has {len(self.to)}")
        column = int(self.to[0])
        points = [region.pose.position_m for region in self.geometry.surfaces(column)]
        self._surface = np.array(points).T

    def measure(self, block: Block) -> Measure:
        column = int(self.to[0])
        (ux, uy, uz), (sx, sy, sz) = block.vertical, self._surface
        heights = ux[:, column, None] * sx + uy[:, column, None] * sy + uz[:, column, None] * sz
        surface = heights.max(axis=1) + block.position[2, :, column]
        return self.below(block.lowest[:, self.of] - surface[:, None])


@register
class NearHand(Predicate):
    """The tool centre point is within `distance` of the entity's bounding box."""

    name = "near_hand"
    summary = "the tool centre point is within distance of its bounding box"
    params = (Param("distance", "m", "distance from the tool centre point to the bounding box in the entity's frame"),)
    channels = ("position_m", "quat_wxyz", "tcp_position_m")
    unit = "m"

    def describe(self) -> tuple[Quantity, ...]:
        return (Quantity("distance to hand", "m", self.values["distance"], above=False),)

    @property
    def scale(self) -> float:
        return self.values["distance"]

    def prepare(self) -> None:
        centers, halves = self.geometry.box_center[:, self.of].T, self.geometry.box_half[:, self.of].T
        self._boxes = list(zip(centers.tolist(), halves.tolist(), strict=True))

    def measure(self, block: Block) -> Measure:
        local = to_local(block, self.of, block.tcp[:, :, None])
        center, half = self.geometry.box_center[:, None, self.of], self.geometry.box_half[:, None, self.of]
        x, y, z = np.maximum(np.abs(local - center) - half, 0.0)
        return self.below(np.sqrt(x * x + y * y + z * z))

    def step(self, moment: Moment) -> Sample:
        distances = []
        for column, (center, half) in zip(self.columns, self._boxes, strict=True):
            x, y, z = moment.local(column, moment.tcp)
            x = max(abs(x - center[0]) - half[0], 0.0)
            y = max(abs(y - center[1]) - half[1], 0.0)
            z = max(abs(z - center[2]) - half[2], 0.0)
            distances.append(math.sqrt(x * x + y * y + z * z))
        return self.sample(distances)
