# ruff: noqa: D102 - the methods that every predicate has are described once, in Predicate.
"""Predicates about what is counted: liquid that has left its container, or is about to; dust that has been wiped."""

from __future__ import annotations

import math
from abc import abstractmethod

import numpy as np
from numpy.typing import NDArray

from maniguard.errors import alternatives
from maniguard.grounding.block import Block
from maniguard.grounding.drop import GRAVITY_M_S2
from maniguard.grounding.errors import GroundingError
from maniguard.grounding.moment import Moment
from maniguard.grounding.motion import DEG_PER_RAD, arccos
from maniguard.grounding.predicate import F64, Measure, Param, Predicate, Quantity, Sample, register
from maniguard.grounding.rigid import to_world_direction

# A share is reached when so many whole particles are; this much is forgiven to rounding.
_ROUNDING = 1e-9
_LEAST_PULL_M_S2 = 1e-6


def _needed(share: float, count: F64) -> F64:
    """Return how many of `count` particles reach a share: at least one."""
    return np.maximum(np.ceil(share * count - _ROUNDING), 1.0)


def _share_margin(found: F64, needed: F64, count: F64) -> F64:
    """Return by what share of `count` the particles exceed half a particle less than needed: reached is true."""
    return (found - needed + 0.5) / count + 0.0


@register
class Spilled(Predicate):
    """At least `share` of the grains that were in it at the start have left it.

    Reached is true: with 40 grains, 5 % are two grains. The margin is a share; half a grain more than what is needed
    to reach the threshold lies between the last false and the first true.
    """

    name = "spilled"
    summary = "at least share of the grains that were inside at the start are not"
    params = (Param("share", "1", "share of the grains that were inside in frame 0"),)
    channels = ("grains_inside",)
    unit = "1"

    def describe(self) -> tuple[Quantity, ...]:
        return (Quantity("share of the liquid that left", "1", self.values["share"], above=True),)

    @property
    def scale(self) -> float:
        return max(self.values["share"], 0.01)

    def prepare(self) -> None:
        self._groups = _groups(self, [group.container for group in self.geometry.scene.grain_groups], "liquid")
        self.reset()

    def reset(self) -> None:
        self._start: F64 | None = None

    def measure(self, block: Block) -> Measure:
        inside = self._inside(block)
        return self._since(inside, inside[:1])

    def step(self, moment: Moment) -> Sample:
        inside = self._inside(moment.block)
        if self._start is None:
            self._start = inside
        measure = self._since(inside, self._start)
        return Sample(measure.margin[0].tolist(), (measure.values[0][0].tolist(),))

    def _inside(self, block: Block) -> F64:
        return block.finite("grains_inside").astype(np.float64)[:, self._groups]

    def _since(self, inside: F64, start: F64) -> Measure:
        if (start <= 0).any():
            empty = self.columns[int(np.flatnonzero(start[0] <= 0)[0])]
            name = self.geometry.scene.entities[empty].name
            raise GroundingError(f"predicate 'spilled': no grain is in {name!r} at the start")
        left = start - inside
        return Measure(_share_margin(left, _needed(self.values["share"], start), start), (left / start,))


@register
class InAir(Predicate):
    """At least `share` of the grains that belong to it are in the air: it is being poured out, or filled."""

    name = "in_air"
    summary = "at least share of its grains are in the air, on their way somewhere"
    params = (Param("share", "1", "share of all grains that started in it"),)
    channels = ("grains_air",)
    unit = "1"

    def describe(self) -> tuple[Quantity, ...]:
        return (Quantity("share of the liquid in the air", "1", self.values["share"], above=True),)

    @property
    def scale(self) -> float:
        return max(self.values["share"], 0.01)

    def prepare(self) -> None:
        groups = self.geometry.scene.grain_groups
        self._groups = _groups(self, [group.container for group in groups], "liquid")
        self._count: F64 = np.array([[groups[int(index)].count for index in self._groups]], np.float64)

    def measure(self, block: Block) -> Measure:
        flying = block.finite("grains_air").astype(np.float64)[:, self._groups]
        margin = _share_margin(flying, _needed(self.values["share"], self._count), self._count)
        return Measure(margin, (flying / self._count,))


@register
class OverBrim(Predicate):
    """The free surface of its liquid, at right angles to the pull that it feels, would stand over the brim.

    Under gravity g and the container's acceleration a (from the change of its velocity in one control step) a surface
    at rest is at right angles to g - a. It reaches the brim when the angle between the container's axis and -(g - a) is
    atan(2 freeboard / diameter). The freeboard is that of the start; liquid that has left is not reckoned with. True
    beyond that angle and `allowance`.
    """

    name = "over_brim"
    summary = "its liquid, if it were water, would stand over the brim by more than allowance"
    params = (Param("allowance", "deg", "angle beyond the one that reaches the brim", minimum=-np.inf),)
    channels = ("quat_wxyz", "linear_m_s")
    unit = "deg"
    reported = True

    def describe(self) -> tuple[Quantity, ...]:
        return (Quantity("angle over the brim", "deg", self.values["allowance"], above=True),)

    @property
    def scale(self) -> float:
        return max(float(self._limit.min()), 1.0)

    def prepare(self) -> None:
        scene = self.geometry.scene
        _groups(self, [group.container for group in scene.grain_groups], "liquid")
        levels = {group.container: group.level_m for group in scene.grain_groups}
        limits = []
        for column in self.columns:
            entity = scene.entities[column]
            level, rim = levels[entity.name], entity.rim
            if rim is None or level is None:
                lacking = "rim" if rim is None else "level of the liquid in it"
                raise GroundingError(f"predicate 'over_brim': the scene does not tell the {lacking} of {entity.name!r}")
            half = rim.size_m[0] if rim.shape == "disc" else math.hypot(rim.size_m[0], rim.size_m[1])
            limits.append(math.atan2(max(rim.pose.position_m[2] - level, 0.0), half) * DEG_PER_RAD)
        self._limit: F64 = np.array(limits)
        self._axis = self.geometry.rest_axis[:, None, self.of]
        self.reset()

    def reset(self) -> None:
        self._before: F64 | None = None

    def measure(self, block: Block) -> Measure:
        velocity = block.linear[:, :, self.of]
        return self._over(block, velocity, np.concatenate((velocity[:, :1], velocity[:, :-1]), axis=1))

    def step(self, moment: Moment) -> Sample:
        velocity = moment.block.linear[:, :, self.of]
        measure = self._over(moment.block, velocity, velocity if self._before is None else self._before)
        self._before = velocity
        return Sample(measure.margin[0].tolist(), (measure.values[0][0].tolist(),))

    def _over(self, block: Block, velocity: F64, before: F64) -> Measure:
        px, py, pz = (velocity - before) * self.rate_hz
        pz = pz + GRAVITY_M_S2
        ax, ay, az = to_world_direction(block, self.of, self._axis)
        pull = np.maximum(np.sqrt(px * px + py * py + pz * pz), _LEAST_PULL_M_S2)
        cosine = (px * ax + py * ay + pz * az) / pull
        angle = arccos(np.minimum(np.maximum(cosine, -1.0), 1.0)) * DEG_PER_RAD
        return self.above(angle - self._limit)


class _DustShare(Predicate):
    """At least a share of the dust particles, gone or left as a subclass says."""

    channels = ("dust_left",)
    unit = "1"

    @property
    def scale(self) -> float:
        return max(self.values["share"], 0.01)

    def prepare(self) -> None:
        scene = self.geometry.scene
        self._groups = _groups(self, [group.surface for group in scene.dust_groups], "dust")
        self._count: F64 = np.array([scene.dust_groups[group].count for group in self._groups], np.float64)

    @abstractmethod
    def found(self, left: F64) -> F64:
        """Return the number of particles that count."""

    def measure(self, block: Block) -> Measure:
        found = self.found(block.finite("dust_left").astype(np.float64)[:, self._groups])
        margin = _share_margin(found, _needed(self.values["share"], self._count), self._count)
        return Measure(margin, (found / self._count,))


@register
class Clean(_DustShare):
    """At least `share` of the dust on it has been removed; reached is true."""

    name = "clean"
    summary = "at least share of its dust has been removed"
    params = (Param("share", "1", "share of the dust particles that must be gone"),)

    def describe(self) -> tuple[Quantity, ...]:
        return (Quantity("share of the dust removed", "1", self.values["share"], above=True),)

    def found(self, left: F64) -> F64:
        return self._count - left


@register
class Dusty(_DustShare):
    """At least `share` of the dust is still on it; reached is true."""

    name = "dusty"
    summary = "at least share of its dust is still there"
    params = (Param("share", "1", "share of the dust particles that must be left"),)

    def describe(self) -> tuple[Quantity, ...]:
        return (Quantity("share of the dust left", "1", self.values["share"], above=True),)

    def found(self, left: F64) -> F64:
        return left


def _groups(predicate: Predicate, names: list[str], what: str) -> NDArray[np.intp]:
    """Return the particle group of each entity; GroundingError names an entity that has none."""
    found = []
    for column in predicate.columns:
        name = predicate.geometry.scene.entities[column].name
        if name not in names:
            held = alternatives(names) if names else "nothing"
            raise GroundingError(f"predicate {predicate.name!r}: there is no {what} in or on {name!r}; it is on {held}")
        found.append(names.index(name))
    return np.array(found, np.intp)
