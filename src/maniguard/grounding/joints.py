# ruff: noqa: D102 - the methods that every predicate has are described once, in Predicate.
"""Predicates about joints: a drawer or a hinged lid is closed, or open."""

from __future__ import annotations

from abc import abstractmethod
from typing import ClassVar, NamedTuple

import numpy as np

from maniguard.grounding.block import Block
from maniguard.grounding.errors import GroundingError
from maniguard.grounding.motion import DEG_PER_RAD
from maniguard.grounding.predicate import F64, Measure, Param, Predicate, Quantity, register
from maniguard.trace import Joint, Scene

_LEAST = 1e-6


class _Column(NamedTuple):
    column: int
    is_hinge: bool
    joint: Joint


def joints_of(scene: Scene, number: int, predicate: str) -> list[_Column]:
    """Return the joints of an entity; GroundingError, which names `predicate`, where it has none."""
    entity = scene.entities[number]
    if not entity.joints:
        raise GroundingError(f"predicate {predicate!r} needs joints of {entity.name!r}; it has none")
    return [
        _Column(scene.joint_columns.index((entity.name, joint.name)), joint.kind == "hinge", joint)
        for joint in entity.joints
    ]


class _AtLimit(Predicate):
    """A joint within a tolerance of one of its limits, which a subclass chooses."""

    params = (
        Param("max_angle", "deg", "largest angle between a hinge and that limit", minimum=_LEAST),
        Param("max_distance", "m", "largest distance between a slide and that limit", minimum=_LEAST),
    )
    channels = ("joint_position",)
    unit = "1"

    def describe(self) -> tuple[Quantity, ...]:
        return (
            Quantity(f"angle from {self.name}", "deg", self.values["max_angle"], above=False),
            Quantity(f"distance from {self.name}", "m", self.values["max_distance"], above=False),
        )

    @property
    def scale(self) -> float:
        return 1.0

    def prepare(self) -> None:
        self._columns = [joints_of(self.geometry.scene, number, self.name) for number in self.columns]

    @abstractmethod
    def gap(self, position: F64, joint: Joint) -> F64:
        """Return how far positions are from the limit, in the joint's unit."""

    def measure(self, block: Block) -> Measure:
        position = block.finite("joint_position").astype(np.float64)
        angles, distances, margins = [], [], []
        for columns in self._columns:
            angle = np.zeros(block.frames)
            distance = np.zeros(block.frames)
            margin = np.full(block.frames, np.nan)
            for number, (column, is_hinge, joint) in enumerate(columns):
                gap = self.gap(position[:, column], joint)
                if is_hinge:
                    gap = gap * DEG_PER_RAD
                share = 1.0 - gap / self.values["max_angle" if is_hinge else "max_distance"] + 0.0
                decides = self.decides(share, margin) if number else np.ones(block.frames, np.bool_)
                margin = np.where(decides, share, margin)
                # Only the joint that decides is reported; the other quantity reads zero.
                angle = np.where(decides, gap if is_hinge else 0.0, angle)
                distance = np.where(decides, 0.0 if is_hinge else gap, distance)
            angles.append(angle)
            distances.append(distance)
            margins.append(margin)
        return Measure(np.stack(margins, axis=1), (np.stack(angles, axis=1), np.stack(distances, axis=1)))

    @abstractmethod
    def decides(self, share: F64, before: F64) -> np.ndarray:
        """Return where a joint's share counts rather than that of the joints before it."""


@register
class Closed(_AtLimit):
    """Every joint is within tolerance of its lower limit, which is closed by convention.

    The margin is the share of the tolerance that is left: 1 at the limit, 0 at the tolerance.
    """

    name = "closed"
    summary = "every joint is within max_angle or max_distance of its lower limit"

    def gap(self, position: F64, joint: Joint) -> F64:
        return position - joint.lower

    def decides(self, share: F64, before: F64) -> np.ndarray:
        return share < before


@register
class Open(_AtLimit):
    """One of the joints is within tolerance of its upper limit, which is open by convention.

    The margin is the share of the tolerance that is left: 1 at the limit, 0 at the tolerance.
    """

    name = "open"
    summary = "one of its joints is within max_angle or max_distance of its upper limit"

    def gap(self, position: F64, joint: Joint) -> F64:
        return joint.upper - position

    def decides(self, share: F64, before: F64) -> np.ndarray:
        return share > before


class _Moving(Predicate):
    """A joint that moves one way faster than a limit, which a subclass chooses."""

    params = (
        Param("min_spin", "deg/s", "angular speed of a hinge", minimum=_LEAST),
        Param("min_speed", "m/s", "speed of a slide", minimum=_LEAST),
    )
    channels = ("joint_velocity",)
    unit = "1"
    combine = "any"
    sense: ClassVar[float]

    def describe(self) -> tuple[Quantity, ...]:
        return (
            Quantity("speed of the hinge", "deg/s", self.values["min_spin"], above=True),
            Quantity("speed of the slide", "m/s", self.values["min_speed"], above=True),
        )

    @property
    def scale(self) -> float:
        return 1.0

    def prepare(self) -> None:
        self._columns = [joints_of(self.geometry.scene, number, self.name) for number in self.columns]

    def measure(self, block: Block) -> Measure:
        velocity = block.finite("joint_velocity").astype(np.float64) * self.sense
        spins, speeds = [], []
        for columns in self._columns:
            spin, speed = np.zeros(block.frames), np.zeros(block.frames)
            for column, is_hinge, _ in columns:
                if is_hinge:
                    spin = np.maximum(spin, velocity[:, column] * DEG_PER_RAD)
                else:
                    speed = np.maximum(speed, velocity[:, column])
            spins.append(spin)
            speeds.append(speed)
        spin, speed = np.stack(spins, axis=1), np.stack(speeds, axis=1)
        margin = np.maximum(spin / self.values["min_spin"], speed / self.values["min_speed"]) - 1.0 + 0.0
        return Measure(margin, (spin, speed))


@register
class Opening(_Moving):
    """One of its joints moves towards its upper limit, which is open by convention."""

    name = "opening"
    summary = "one of its joints opens faster than min_spin or min_speed"
    sense = 1.0


@register
class Closing(_Moving):
    """One of its joints moves towards its lower limit, which is closed by convention."""

    name = "closing"
    summary = "one of its joints closes faster than min_spin or min_speed"
    sense = -1.0


@register
class OpenedBy(Predicate):
    """The joint that is open the widest is open by more than a share of its range."""

    name = "opened_by"
    summary = "one of its joints is open by more than share of its range"
    params = (Param("share", "1", "share of the range between closed and open"),)
    channels = ("joint_position",)
    unit = "1"

    def describe(self) -> tuple[Quantity, ...]:
        return (Quantity("share of the range", "1", self.values["share"], above=True),)

    @property
    def scale(self) -> float:
        return max(self.values["share"], 0.01)

    def prepare(self) -> None:
        self._columns = [joints_of(self.geometry.scene, number, self.name) for number in self.columns]

    def measure(self, block: Block) -> Measure:
        position = block.finite("joint_position").astype(np.float64)
        shares = []
        for columns in self._columns:
            widest = np.full(block.frames, -np.inf)
            for column, _, joint in columns:
                widest = np.maximum(widest, (position[:, column] - joint.lower) / (joint.upper - joint.lower))
            shares.append(widest)
        return self.above(np.stack(shares, axis=1))
