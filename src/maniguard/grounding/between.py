# ruff: noqa: D102 - the methods that every predicate has are described once, in Predicate.
"""Predicates about what stands between: on the way from the hand to something, or under something."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from maniguard.grounding.block import Block
from maniguard.grounding.predicate import F64, Measure, Param, Predicate, Quantity, register
from maniguard.grounding.rigid import to_local, turned

_SCALE_M = 0.01
_SAMPLES = 16


@register
class WayBlocked(Predicate):
    """Something stands between it and the hand.

    The straight way from the tool centre point to the middle of its bounding box (of a fixture's moving parts the
    nearest one) is looked at in 16 places; one of them is nearer than `clearance` to the bounding box of one of `to`.
    """

    name = "way_blocked"
    summary = "the straight way from the hand to it passes one of `to` nearer than clearance"
    params = (Param("clearance", "m", "distance from a bounding box that still counts as blocked"),)
    channels = ("position_m", "quat_wxyz", "part_position_m", "part_quat_wxyz", "tcp_position_m")
    unit = "m"
    takes_to = "required"

    def describe(self) -> tuple[Quantity, ...]:
        return (Quantity("distance of the way from an obstacle", "m", self.values["clearance"], above=False),)

    @property
    def scale(self) -> float:
        return max(self.values["clearance"], _SCALE_M)

    def prepare(self) -> None:
        self._shares = [(k + 0.5) / _SAMPLES for k in range(_SAMPLES)]

    def _end(self, block: Block, column: int) -> F64:
        """Return where the way ends, (3, T, 1)."""
        geometry = block.geometry
        entity = geometry.scene.entities[column]
        parts = [p for p in entity.parts if p.moving and not entity.movable]
        if parts:
            places = [geometry.scene.moving_parts.index((entity.name, p.name)) for p in parts]
            middles = []
            for part, place in zip(parts, places, strict=True):
                center = np.array(part.boxes[0].center_m if part.boxes else (0.0, 0.0, 0.0))[:, None, None]
                quat, position = block.part_quat[:, :, [place]], block.part_position[:, :, [place]]
                middles.append(turned(quat, center) + position)
            gaps = np.stack([_length(m - block.tcp[:, :, None])[:, 0] for m in middles])
            chosen = gaps.argmin(axis=0)
            stacked = np.stack(middles)
            return stacked[chosen, :, np.arange(block.frames)].transpose(1, 0, 2)
        center = geometry.box_center[:, None, [column]]
        return turned(block.quat[:, :, [column]], center) + block.position[:, :, [column]]

    def measure(self, block: Block) -> Measure:
        geometry = block.geometry
        start = block.tcp[:, :, None]
        columns = []
        for column in self.columns:
            others: NDArray[np.intp] = np.array([int(c) for c in self.to if int(c) != column], np.intp)
            nearest = np.full(block.frames, np.inf)
            if len(others):
                end = self._end(block, column)
                center, half = geometry.box_center[:, None, others], geometry.box_half[:, None, others]
                for share in self._shares:
                    point = start + share * (end - start)
                    x, y, z = np.maximum(np.abs(to_local(block, others, point) - center) - half, 0.0)
                    nearest = np.minimum(nearest, np.sqrt(x * x + y * y + z * z).min(axis=1))
            columns.append(np.minimum(nearest, self.values["clearance"] + self.scale))
        return self.below(np.stack(columns, axis=1))


def _length(vector: F64) -> F64:
    x, y, z = vector
    out: F64 = np.sqrt(x * x + y * y + z * z)
    return out


@register
class Above(Predicate):
    """Its middle is over one of `to`, seen from above, and higher than the middle of that."""

    name = "above"
    summary = "the middle of it is over the bounding box of one of `to`, enlarged by margin, and higher than its middle"
    params = (Param("margin", "m", "added to the bounding box on all sides", minimum=-math.inf),)
    channels = ("position_m", "quat_wxyz")
    unit = "m"
    takes_to = "required"

    def describe(self) -> tuple[Quantity, ...]:
        return (Quantity("distance outside the footprint", "m", self.values["margin"], above=False),)

    @property
    def scale(self) -> float:
        return max(abs(self.values["margin"]), _SCALE_M)

    def measure(self, block: Block) -> Measure:
        geometry = block.geometry
        columns = []
        for column in self.columns:
            middle = turned(block.quat[:, :, [column]], geometry.box_center[:, None, [column]])
            middle = middle + block.position[:, :, [column]]
            best = np.full(block.frames, np.inf)
            for other in (int(c) for c in self.to if int(c) != column):
                here: NDArray[np.intp] = np.array([other], np.intp)
                x, y, z = to_local(block, here, middle) - geometry.box_center[:, None, here]
                hx, hy, _ = geometry.box_half[:, None, here]
                outside_m = np.maximum(np.maximum(np.abs(x) - hx, np.abs(y) - hy), 0.0 - z)[:, 0]
                best = np.minimum(best, outside_m)
            columns.append(np.minimum(best, self.values["margin"] + 10.0 * self.scale))
        return self.below(np.stack(columns, axis=1))
