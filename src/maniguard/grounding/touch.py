# ruff: noqa: D102 - the methods that every predicate has are described once, in Predicate.
"""Predicates about who touches whom, with how much force, and who carries whom."""

from __future__ import annotations

from abc import abstractmethod
from typing import ClassVar

import numpy as np

from maniguard.grounding.block import Block, Bool
from maniguard.grounding.errors import GroundingError
from maniguard.grounding.filters import Recent, frames_of
from maniguard.grounding.moment import Moment
from maniguard.grounding.predicate import Measure, Param, Predicate, Quantity, Sample, register

_FORCE_CHANNELS = ("contacts", "contact_force")

# Contact forces have no natural limit to be measured against, so one newton counts as one.
_FORCE_SCALE_N = 1.0
_GAP_SCALE_M = 0.001


class _ContactForce(Predicate):
    """A peak contact force above `min_force`, on rows that a subclass chooses."""

    params: ClassVar[tuple[Param, ...]] = (
        Param("min_force", "N", "peak normal force within the control step that a contact must exceed"),
    )
    channels = _FORCE_CHANNELS
    unit = "N"

    def describe(self) -> tuple[Quantity, ...]:
        return (Quantity("contact force", "N", self.values["min_force"], above=True),)

    @property
    def scale(self) -> float:
        return max(self.values["min_force"], _FORCE_SCALE_N)

    def prepare(self) -> None:
        self._nothing = self.sample([0.0] * len(self.columns))

    @abstractmethod
    def rows(self, block: Block) -> Bool:
        """Choose the contact rows of a stretch."""

    @abstractmethod
    def choose(self, moment: Moment) -> list[tuple[int, float]]:
        """Choose the contacts of one frame, the same: touched entity and force."""

    def measure(self, block: Block) -> Measure:
        return self.above(block.largest_force(self.rows(block))[:, self.of])

    def step(self, moment: Moment) -> Sample:
        chosen = self.choose(moment)
        if not chosen:
            return self._nothing
        largest: dict[int, float] = {}
        for column, force in chosen:
            if force > largest.get(column, 0.0):
                largest[column] = force
        return self.sample([largest.get(column, 0.0) for column in self.columns])


@register
class Contact(_ContactForce):
    """Some part of it and some part of one of `to` press on each other."""

    name = "contact"
    summary = "it touches one of `to` with more than min_force"
    takes_to = "required"

    def prepare(self) -> None:
        super().prepare()
        self._is_to = np.zeros(len(self.geometry.is_robot), np.bool_)
        self._is_to[self.to] = True

    def rows(self, block: Block) -> Bool:
        return self._is_to[block.rows.other]

    def choose(self, moment: Moment) -> list[tuple[int, float]]:
        found = [(a, force) for a, _, b, _, _, force, _, _ in moment.rows if self._is_to[b]]
        return found + [(b, force) for a, _, b, _, _, force, _, _ in moment.rows if self._is_to[a]]


@register
class TouchedByRobot(_ContactForce):
    """Any geom of a robot presses on any part of it; a held tool is not the robot."""

    name = "touched_by_robot"
    summary = "any geom of the robot, never a held tool, touches it with more than min_force"

    def rows(self, block: Block) -> Bool:
        return block.rows.other_is_robot

    def choose(self, moment: Moment) -> list[tuple[int, float]]:
        return [(row[0], row[4]) for row in moment.robot_rows]


@register
class Engaged(_ContactForce):
    """The robot presses on what the task is about: any part of a movable body, the moving parts of a fixture."""

    name = "engaged"
    summary = "the robot touches a movable body, or a moving part of a fixture, with more than min_force"

    def prepare(self) -> None:
        super().prepare()
        self._first_part: list[int] = self.geometry.first_relevant_part.tolist()

    def rows(self, block: Block) -> Bool:
        rows = block.rows
        return rows.other_is_robot & (rows.self_part >= self.geometry.first_relevant_part[rows.self_])

    def choose(self, moment: Moment) -> list[tuple[int, float]]:
        first = self._first_part
        return [(row[0], row[4]) for row in moment.robot_rows if row[1] >= first[row[0]]]


@register
class Touching(Predicate):
    """The gap to one of `to` is at most `max_gap`: contact in recordings that know no forces."""

    name = "touching"
    summary = "the gap to one of `to` is below max_gap; for recordings without forces"
    params = (Param("max_gap", "m", "largest distance between the surfaces"),)
    channels = ("contacts",)
    unit = "m"
    takes_to = "required"

    def describe(self) -> tuple[Quantity, ...]:
        return (Quantity("gap", "m", self.values["max_gap"], above=False),)

    @property
    def scale(self) -> float:
        return max(self.values["max_gap"], _GAP_SCALE_M)

    def prepare(self) -> None:
        self._is_to = np.zeros(len(self.geometry.is_robot), np.bool_)
        self._is_to[self.to] = True

    def measure(self, block: Block) -> Measure:
        rows = block.rows
        chosen = self._is_to[rows.other]
        # A pair that is not listed is at least the threshold and the scale apart, as far as anybody knows.
        gap = np.full((block.frames, len(self.geometry.is_robot)), self.values["max_gap"] + self.scale)
        np.minimum.at(gap, (rows.frame[chosen], rows.self_[chosen]), rows.gap[chosen])
        return self.below(gap[:, self.of])


SUPPORT_PARAM = Param("support_angle", "deg", "a contact supports if it pushes within this angle of straight up")
OPPOSING_PARAM = Param("opposing_angle", "deg", "fingers oppose if their pushes are at least this angle apart")


def cosine_of(degrees: float) -> float:
    """Return the cosine of a threshold angle in degrees."""
    return float(np.cos(np.deg2rad(degrees)))


@register
class Grasped(Predicate):
    """Both fingers of one robot press on it from opposite sides, and nothing but the robot holds it up."""

    name = "grasped"
    summary = "two opposing fingers hold it, each with more than min_force, and nothing else holds it up"
    params = (
        Param("min_force", "N", "peak normal force of each finger"),
        OPPOSING_PARAM,
        SUPPORT_PARAM,
    )
    channels = _FORCE_CHANNELS
    unit = "N"

    def describe(self) -> tuple[Quantity, ...]:
        return (Quantity("smaller finger force", "N", self.values["min_force"], above=True),)

    @property
    def scale(self) -> float:
        return max(self.values["min_force"], _FORCE_SCALE_N)

    def prepare(self) -> None:
        if not self.geometry.finger_list:
            raise GroundingError("no robot of the scene has parts left_finger and right_finger, so nothing is grasped")
        self._nothing = self.sample([0.0] * len(self.columns))
        self._opposing = cosine_of(self.values["opposing_angle"])
        self._support = cosine_of(self.values["support_angle"])

    def measure(self, block: Block) -> Measure:
        force, cosine = block.pinch
        rows = block.rows
        elsewhere = block.mark(rows.real & ~rows.other_is_robot & (rows.push[2] >= self._support))
        holds = (cosine <= self._opposing) & ~elsewhere
        value = np.where(holds, force, 0.0)[:, self.of]
        measure = self.above(value)
        return Measure(np.where(holds[:, self.of], measure.margin, np.minimum(measure.margin, 0.0)), measure.values)

    def step(self, moment: Moment) -> Sample:
        pinches = moment.pinches
        if not pinches:
            return self._nothing
        margins, values = list(self._nothing.margin), list(self._nothing.values[0])
        elsewhere = moment.support(self._support).elsewhere
        for track, column in enumerate(self.columns):
            pinch = pinches.get(column)
            if pinch is not None and pinch.cosine <= self._opposing and column not in elsewhere:
                values[track] = pinch.force
                margins[track] = pinch.force - self.values["min_force"] + 0.0
        return Sample(margins, (values,))


@register
class HitByHeld(_ContactForce):
    """What the hand holds, one of `to`, presses on it: two opposing fingers hold that thing in the same frame."""

    name = "hit_by_held"
    summary = "one of `to`, which two opposing fingers hold, touches it with more than min_force"
    params = (Param("min_force", "N", "peak normal force of the contact"), OPPOSING_PARAM)
    takes_to = "required"

    def prepare(self) -> None:
        super().prepare()
        self._opposing = cosine_of(self.values["opposing_angle"])
        self._is_to = np.zeros(len(self.geometry.is_robot), np.bool_)
        self._is_to[self.to] = True

    def rows(self, block: Block) -> Bool:
        force, cosine = block.pinch
        held = (force > 0) & (cosine <= self._opposing) & self._is_to
        rows = block.rows
        return held[rows.frame, rows.other]

    def choose(self, moment: Moment) -> list[tuple[int, float]]:
        held = {
            column
            for column, pinch in moment.pinches.items()
            if self._is_to[column] and pinch.force > 0 and pinch.cosine <= self._opposing
        }
        if not held:
            return []
        found = [(a, force) for a, _, b, _, _, force, _, _ in moment.rows if b in held]
        return found + [(b, force) for a, _, b, _, _, force, _, _ in moment.rows if a in held]


@register
class Supported(Predicate):
    """Something other than the robot held it up within the last `memory`."""

    name = "supported"
    summary = "something other than the robot pushed it upwards within the last memory"
    params = (
        Param("min_force", "N", "peak normal force that a contact must exceed"),
        SUPPORT_PARAM,
        Param("memory", "s", "how long a contact is remembered"),
    )
    channels = _FORCE_CHANNELS
    unit = "N"

    def describe(self) -> tuple[Quantity, ...]:
        return (Quantity("supporting force", "N", self.values["min_force"], above=True),)

    @property
    def scale(self) -> float:
        return max(self.values["min_force"], _FORCE_SCALE_N)

    def prepare(self) -> None:
        self._support = cosine_of(self.values["support_angle"])
        self._recent = Recent(frames_of(self.values["memory"], self.rate_hz))

    def reset(self) -> None:
        self._recent.reset()

    def measure(self, block: Block) -> Measure:
        rows = block.rows
        chosen = rows.real & ~rows.other_is_robot & (rows.push[2] >= self._support)
        return self.above(block.largest_force(chosen)[:, self.of])

    def step(self, moment: Moment) -> Sample:
        raw = super().step(moment)
        return Sample(self._recent.step(raw.margin), raw.values)

    def run(self, block: Block) -> Measure:
        raw = self.measure(block)
        return Measure(self._recent.run(raw.margin), raw.values)
