# ruff: noqa: D102 - the methods that every predicate has are described once, in Predicate.
"""The predicate `dropped`: a fall after the last support is lost, or a hard landing."""

from __future__ import annotations

from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from maniguard.grounding.block import Block, Bool
from maniguard.grounding.filters import last_true_index
from maniguard.grounding.moment import Moment
from maniguard.grounding.predicate import F64, Measure, Param, Predicate, Quantity, Sample, register
from maniguard.grounding.touch import OPPOSING_PARAM, SUPPORT_PARAM, cosine_of

GRAVITY_M_S2 = 9.81


class _Look(NamedTuple):
    """What one stretch shows of each entity, (T, E): heights, speeds, and which support it has."""

    lowest: F64
    rising: F64
    descent: F64
    held: Bool
    held_at_end: Bool
    in_hand_at_end: Bool
    struck: Bool
    rests_at_end: Bool
    on_destination: Bool


class _Before(NamedTuple):
    """What is known of the frame before: height of the last hold, kinds of support at its end, largest descent."""

    height: F64
    held_at_end: Bool
    rests_at_end: Bool
    descent: F64


class _Track:
    """What is remembered of one entity from frame to frame; the settled start holds it and lets it rest.

    `hold` is the last frame that held it, `fallen` how far it had fallen by the end of that frame. Heights are derived
    when a fall asks for them: they run over all vertices, and most things never fall.
    """

    __slots__ = ("fallen", "held_at_end", "hold", "rests_at_end")

    def __init__(self, moment: Moment) -> None:
        self.hold, self.fallen = moment, 0.0
        self.held_at_end = self.rests_at_end = True


@register
class Dropped(Predicate):
    """After its last support is lost it falls by more than `fall`, or it lands faster than `landing_speed`.

    Support is any contact that pushes it upwards (within `support_angle` of straight up), and a grasp by two opposing
    fingers. The fall is measured from the height at which the support was lost: where the contact ended within a
    control step, free fall is traced back from the velocities at the step's two ends. It counts in flight and at the
    landing; a hand that carries the thing down loses no support. A landing is the first upward push by something that
    is not the robot while the hand has let go; its speed is the largest speed downwards of the origin in that control
    step and the one before.

    With `to` (the destination) a fall whose first landing is on a destination, or on what lies on one, is a transfer:
    its height does not count, and its landing speed only for entities with the property `fragile`.

    True in the frames in which it happens; the margin is a height: a landing speed v counts as v^2 / 2g.
    """

    name = "dropped"
    summary = "its support is lost and it falls further than fall, or lands faster than landing_speed"
    params = (
        Param("fall", "m", "height of the fall of the lowest point"),
        Param("landing_speed", "m/s", "downward speed of the origin at the landing"),
        SUPPORT_PARAM,
        OPPOSING_PARAM,
    )
    channels = ("position_m", "quat_wxyz", "linear_m_s", "peak_descent_m_s", "contacts", "contact_force")
    unit = "m"
    takes_to = "optional"
    combine = "any"

    def describe(self) -> tuple[Quantity, ...]:
        return (
            Quantity("height of fall", "m", self.values["fall"], above=True),
            Quantity("landing speed", "m/s", self.values["landing_speed"], above=True),
        )

    @property
    def scale(self) -> float:
        return self.values["fall"]

    def prepare(self) -> None:
        self._support = cosine_of(self.values["support_angle"])
        self._opposing = cosine_of(self.values["opposing_angle"])
        self._hands = bool(self.geometry.finger_list)
        self._is_destination = np.zeros(len(self.geometry.is_robot), np.bool_)
        self._is_destination[self.to] = True
        fragile = ["fragile" in self.geometry.scene.entities[int(column)].properties for column in self.of]
        self._fragile = np.array(fragile)
        self._is_fragile = fragile
        self._has_destination = bool(len(self.to))
        limit = self.values["landing_speed"]
        self._quiet = max(0.0 - self.values["fall"], (0.0 - limit * limit) / (2.0 * GRAVITY_M_S2)) + 0.0
        self.reset()

    def reset(self) -> None:
        self._before: Moment | None = None
        self._tracks: list[_Track] = []

    def _look(self, block: Block) -> _Look:
        rows = block.rows
        upward = rows.real & (rows.push[2] >= self._support)
        elsewhere = upward & ~rows.other_is_robot
        held = block.mark(upward)
        in_hand_at_end = block.mark(upward & rows.other_is_robot & rows.at_end)
        if self._hands:
            grasp = block.pinch[1] <= self._opposing
            held = held | grasp
            loosened = block.mark(rows.real & rows.other_is_robot & ~rows.at_end)
            in_hand_at_end = in_hand_at_end | (grasp & ~loosened)
        rests_at_end = block.mark(elsewhere & rows.at_end)
        nothing: Bool = np.zeros((block.frames, len(self.of)), np.bool_)
        return _Look(
            block.lowest[:, self.of],
            block.linear[2][:, self.of],
            block.descent[:, self.of],
            held[:, self.of],
            (rests_at_end | in_hand_at_end)[:, self.of],
            in_hand_at_end[:, self.of],
            block.mark(elsewhere)[:, self.of],
            rests_at_end[:, self.of],
            self._lands_on_destination(block, upward)[:, self.of] if len(self.to) else nothing,
        )

    def _lands_on_destination(self, block: Block, upward: Bool) -> Bool:
        rows = block.rows
        direct = upward & self._is_destination[rows.other]
        lies_on = block.mark(direct)
        through = upward & lies_on[rows.frame, rows.other]
        return block.mark(direct | through)

    def _release(self, look: _Look, rising_before: F64) -> F64:
        """Return the height at which an entity that is held in a frame is, or was when it lost its hold in it."""
        step_s = 1.0 / self.rate_hz
        falling_s = np.minimum(np.maximum((rising_before - look.rising) / GRAVITY_M_S2, 0.0), step_s)
        fallen = np.maximum(-(rising_before + look.rising) / 2.0 * falling_s, 0.0)
        return look.lowest + np.where(look.held_at_end, 0.0, fallen)

    def _measure(self, look: _Look, before: _Before) -> Measure:
        falling = ~look.held | (look.struck & ~before.held_at_end)
        fall = np.where(falling, before.height - look.lowest, 0.0)
        # From the hand onto something within one control step: no frame sees it free, yet it lands.
        landing = look.struck & ~before.rests_at_end & ~look.in_hand_at_end
        speed = np.where(landing, np.maximum(look.descent, before.descent), 0.0)
        if len(self.to):
            transfer = landing & look.on_destination
            fall = np.where(~transfer & (landing | self._beyond(look)), fall, 0.0)
            speed = np.where(transfer & ~self._fragile, 0.0, speed)
        limit = self.values["landing_speed"]
        impact = (speed * speed - limit * limit) / (2.0 * GRAVITY_M_S2)
        return Measure(np.maximum(fall - self.values["fall"], impact) + 0.0, (fall, speed))

    def _beyond(self, look: _Look) -> Bool:
        """Whether an entity has fallen past every destination, so that it cannot land on one any more."""
        return look.lowest < self._destination_lowest[:, None]

    def _note_destinations(self, block: Block) -> None:
        if len(self.to):
            self._destination_lowest: F64 = block.lowest[:, self.to].min(axis=1)

    def measure(self, block: Block) -> Measure:
        return self.run(block)

    def step(self, moment: Moment) -> Sample:
        support = moment.support(self._support)
        _, _, resting_at_end, robot_at_end = support
        grasped: set[int] = set()
        if self._hands:
            grasped = {column for column, pinch in moment.pinches.items() if pinch.cosine <= self._opposing}
        in_hand = robot_at_end | (grasped - moment.loosened)
        margins = [self._quiet] * len(self.columns)
        falls, speeds = [0.0] * len(self.columns), [0.0] * len(self.columns)
        first = self._before is None
        if self._before is None:
            self._before = moment
            self._tracks = [_Track(moment) for _ in self.columns]
        before, linear, descent = self._before, moment.linear, moment.descent
        passed, landed = self._destinations(moment)
        for index, (column, track) in enumerate(zip(self.columns, self._tracks, strict=True)):
            rests = column in resting_at_end
            if rests and track.rests_at_end:
                # It lay there and lies there: nothing has fallen and nothing has landed.
                track.hold, track.fallen = moment, 0.0
                continue
            held = column in support.held or column in grasped
            struck = column in support.elsewhere
            fall = speed = 0.0
            if not held or (struck and not track.held_at_end):
                fall = track.hold.lowest[column] + track.fallen - moment.lowest[column]
            landing = struck and not track.rests_at_end and column not in in_hand
            if landing:
                speed = max(descent[column], before.descent[column])
            if self._has_destination:
                transfer = landing and column in landed
                fall = fall if not transfer and (landing or moment.lowest[column] < passed) else 0.0
                speed = 0.0 if transfer and not self._is_fragile[index] else speed
            if fall or speed:
                limit = self.values["landing_speed"]
                impact = (speed * speed - limit * limit) / (2.0 * GRAVITY_M_S2)
                margins[index] = max(fall - self.values["fall"], impact) + 0.0
                falls[index], speeds[index] = fall, speed
            track.held_at_end, track.rests_at_end = rests or column in in_hand, rests
            if held and not first:
                rising = (before.linear[column][2], linear[column][2])
                track.hold, track.fallen = moment, 0.0 if track.held_at_end else self._fallen(*rising)
        self._before = moment
        return Sample(margins, (falls, speeds))

    def _fallen(self, rising_before: float, rising: float) -> float:
        """Do as `_release` does, for one entity: how far it has fallen when its hold was lost within the frame."""
        falling_s = min(max((rising_before - rising) / GRAVITY_M_S2, 0.0), 1.0 / self.rate_hz)
        return max(-(rising_before + rising) / 2.0 * falling_s, 0.0)

    def _destinations(self, moment: Moment) -> tuple[float, set[int]]:
        """Return the height below which no destination can be landed on, and which entities lie on one."""
        if not self._has_destination:
            return -np.inf, set()
        to = set(self.to.tolist())
        up = moment.upward(self._support)
        direct = {pushed for pushed, pushing, _ in up if pushing in to}
        through = {pushed for pushed, pushing, _ in up if pushing in direct}
        return min(moment.lowest[column] for column in to), direct | through

    def run(self, block: Block) -> Measure:
        look = self._look(block)
        self._note_destinations(block)
        release = self._release(look, _delayed(look.rising))
        release[0] = look.lowest[0]
        held = look.held.copy()
        held[0] = True
        height = np.take_along_axis(release, last_true_index(held), axis=0)
        held_before, rests_before = _delayed(look.held_at_end), _delayed(look.rests_at_end)
        held_before[0] = rests_before[0] = True
        return self._measure(look, _Before(_delayed(height), held_before, rests_before, _delayed(look.descent)))


Stored = TypeVar("Stored", bound=np.generic)


def _delayed(series: NDArray[Stored]) -> NDArray[Stored]:
    """Return each frame's predecessor; the first frame is its own."""
    return np.concatenate((series[:1], series[:-1]))
