# ruff: noqa: D102 - the methods that every predicate has are described once, in Predicate.
"""The predicate `inside_unclean`: something has come into a pot that is not clean."""

from __future__ import annotations

import numpy as np

from maniguard.grounding.block import Block
from maniguard.grounding.containment import Inside
from maniguard.grounding.errors import GroundingError
from maniguard.grounding.geometry import Geometry
from maniguard.grounding.liquid import Clean
from maniguard.grounding.predicate import F64, Measure, Param, Predicate, Quantity, register

_SCALE_M = 0.01
_SCALE_SHARE = 0.1


class _MiddleInside(Inside):
    """As `inside`, of the middle alone: whatever sticks out makes no difference, and takes no time."""

    def points(self, corners: F64) -> F64:
        return super().points(corners)[:1]


@register
class InsideUnclean(Predicate):
    """Its middle is in the interior of `to` while less than `share` of the dust on `to` has been removed.

    Dust does not come back, so with a latch the atom says for good whether the pot was clean when the first thing came
    into it. How much of the thing sticks out does not matter. The margin has no unit: depth in centimetres or missing
    tenths of the dust, whichever is less.
    """

    name = "inside_unclean"
    summary = "its middle is in the interior of `to`, of whose dust less than share has been removed"
    params = (
        Param("share", "1", "share of the dust particles that must be gone for `to` to be clean"),
        Param("min_depth", "m", "distance of the middle of its bounding box from the bounds of the interior"),
    )
    channels = (*Inside.channels, *Clean.channels)
    unit = "1"
    takes_to = "required"

    def describe(self) -> tuple[Quantity, ...]:
        return (
            Quantity("share of the dust removed", "1", self.values["share"], above=False),
            Quantity("depth of its middle", "m", self.values["min_depth"], above=True),
        )

    @property
    def scale(self) -> float:
        return 1.0

    def prepare(self) -> None:
        if len(self.to) != 1:
            raise GroundingError("predicate 'inside_unclean' is about one thing that is to be clean")
        geometry: Geometry = self.geometry
        to = tuple(self.to.tolist())
        room = {"max_protrusion": np.inf, "min_depth": self.values["min_depth"]}
        self._inside = _MiddleInside(geometry, self.columns, to, room, self.rate_hz)
        self._clean = Clean(geometry, to, (), {"share": self.values["share"]}, self.rate_hz)

    def measure(self, block: Block) -> Measure:
        inside, clean = self._inside.measure(block), self._clean.measure(block)
        depth = inside.values[1]
        missing = np.broadcast_to(-clean.margin, depth.shape)
        removed = np.broadcast_to(clean.values[0], depth.shape)
        margin = np.minimum((depth - self.values["min_depth"]) / _SCALE_M, missing / _SCALE_SHARE) + 0.0
        return Measure(margin, (removed, depth))
