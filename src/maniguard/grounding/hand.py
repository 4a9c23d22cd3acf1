# ruff: noqa: D102 - the methods that every predicate has are described once, in Predicate.
"""Predicates about what the hand does: it comes near something, opens, lets something slip, reaches into something."""

from __future__ import annotations

from abc import abstractmethod
from collections import deque

import numpy as np
from numpy.typing import NDArray

from maniguard.grounding.block import Block
from maniguard.grounding.containment import outside, room_of
from maniguard.grounding.errors import GroundingError
from maniguard.grounding.filters import frames_of
from maniguard.grounding.geometry import rotation
from maniguard.grounding.moment import Moment
from maniguard.grounding.motion import DEG_PER_RAD, arccos
from maniguard.grounding.predicate import F64, Measure, Param, Predicate, Quantity, Sample, register
from maniguard.grounding.rigid import to_frame, to_local

_SCALE_M = 0.01
_SCALE_M_S = 0.01


def hand_distance(block: Block, column: int) -> F64:
    """Return the distance of the tool centre point from an entity, (T,).

    From the boxes of its moving parts where it is a fixture with some, which is where it is handled; else from its
    bounding box.
    """
    geometry = block.geometry
    entity = geometry.scene.entities[column]
    point = block.tcp[:, :, None]
    nearest = None
    if not entity.movable:
        for part in entity.parts:
            if part.moving and part.boxes:
                place = geometry.scene.moving_parts.index((entity.name, part.name))
                quat, position = block.part_quat[:, :, [place]], block.part_position[:, :, [place]]
                x, y, z = to_frame(quat, position, point)
                for box in part.boxes:
                    (ax, bx, cx), (ay, by, cy), (az, bz, cz) = rotation(box.quat_wxyz)
                    dx, dy, dz = x - box.center_m[0], y - box.center_m[1], z - box.center_m[2]
                    u = np.abs(ax * dx + ay * dy + az * dz) - box.half_size_m[0]
                    v = np.abs(bx * dx + by * dy + bz * dz) - box.half_size_m[1]
                    w = np.abs(cx * dx + cy * dy + cz * dz) - box.half_size_m[2]
                    u, v, w = np.maximum(u, 0.0), np.maximum(v, 0.0), np.maximum(w, 0.0)
                    gap = np.sqrt(u * u + v * v + w * w)[:, 0]
                    nearest = gap if nearest is None else np.minimum(nearest, gap)
    if nearest is not None:
        return nearest
    of: NDArray[np.intp] = np.array([column], np.intp)
    local = to_local(block, of, point)
    center, half = geometry.box_center[:, None, of], geometry.box_half[:, None, of]
    x, y, z = np.maximum(np.abs(local - center) - half, 0.0)
    return np.sqrt(x * x + y * y + z * z)[:, 0]


class _Change(Predicate):
    """A predicate about a quantity and how it changed since the frame before; frame 0 has no change."""

    def prepare(self) -> None:
        self.reset()

    def reset(self) -> None:
        self._before: F64 | None = None

    @abstractmethod
    def value(self, block: Block) -> F64:
        """Return the quantity (T, E)."""

    @abstractmethod
    def compare(self, before: F64, now: F64) -> Measure:
        """Return the measure from the quantity in the frame before and now."""

    def run(self, block: Block) -> Measure:
        now = self.value(block)
        return self.compare(np.concatenate((now[:1], now[:-1])), now)

    def measure(self, block: Block) -> Measure:
        now = self.value(block)
        return self.compare(now, now)

    def step(self, moment: Moment) -> Sample:
        now = self.value(moment.block)
        measure = self.compare(now if self._before is None else self._before, now)
        self._before = now
        return Sample(measure.margin[0].tolist(), tuple(value[0].tolist() for value in measure.values))


@register
class Approached(_Change):
    """The hand is near it and comes nearer."""

    name = "approached"
    summary = "the tool centre point is within distance of it and comes nearer faster than min_speed"
    params = (
        Param("distance", "m", "distance from its bounding box, or from a fixture's moving parts"),
        Param("min_speed", "m/s", "rate at which that distance shrinks"),
    )
    channels = ("position_m", "quat_wxyz", "part_position_m", "part_quat_wxyz", "tcp_position_m")
    unit = "1"

    def describe(self) -> tuple[Quantity, ...]:
        return (
            Quantity("distance to hand", "m", self.values["distance"], above=False),
            Quantity("approach speed", "m/s", self.values["min_speed"], above=True),
        )

    @property
    def scale(self) -> float:
        return 1.0

    def value(self, block: Block) -> F64:
        return np.stack([hand_distance(block, column) for column in self.columns], axis=1)

    def compare(self, before: F64, now: F64) -> Measure:
        speed = (before - now) * self.rate_hz
        near = (self.values["distance"] - now) / max(self.values["distance"], _SCALE_M)
        fast = (speed - self.values["min_speed"]) / max(self.values["min_speed"], _SCALE_M_S)
        return Measure(np.minimum(near, fast) + 0.0, (now, speed))


@register
class GripperOpens(_Change):
    """The fingers of the robot move apart."""

    name = "gripper_opens"
    summary = "the robot's fingers move apart faster than min_speed"
    params = (Param("min_speed", "m/s", "rate at which the distance of the pads grows"),)
    channels = ("gripper_opening_m",)
    unit = "m/s"

    def describe(self) -> tuple[Quantity, ...]:
        return (Quantity("opening speed", "m/s", self.values["min_speed"], above=True),)

    @property
    def scale(self) -> float:
        return max(self.values["min_speed"], _SCALE_M_S)

    def prepare(self) -> None:
        for column in self.columns:
            if column not in self.geometry.robots:
                name = self.geometry.scene.entities[column].name
                raise GroundingError(f"predicate 'gripper_opens' is about robots; {name!r} is none")
        super().prepare()

    def value(self, block: Block) -> F64:
        opening = block.finite("gripper_opening_m").astype(np.float64)
        return np.repeat(opening[:, None], len(self.columns), axis=1)

    def compare(self, before: F64, now: F64) -> Measure:
        return self.above((now - before) * self.rate_hz)


@register
class Slipped(Predicate):
    """It moved in the hand: its pose in the frame of the tool centre point is not what it was `window` ago.

    A window forgets an old shift and still sees a slow one, which a change from frame to frame does not. In the first
    `window` of a record it is compared with frame 0.
    """

    name = "slipped"
    summary = "its pose in the hand changed by more than max_shift or max_turn within window"
    params = (
        Param("max_shift", "m", "distance by which its origin moved in the frame of the hand", minimum=1e-6),
        Param("max_turn", "deg", "angle by which it turned in that frame", minimum=1e-6),
        Param("window", "s", "over how long the change is taken"),
    )
    channels = ("position_m", "quat_wxyz", "tcp_position_m", "tcp_quat_wxyz")
    unit = "1"
    combine = "any"

    def describe(self) -> tuple[Quantity, ...]:
        return (
            Quantity("shift in the hand", "m", self.values["max_shift"], above=True),
            Quantity("turn in the hand", "deg", self.values["max_turn"], above=True),
        )

    @property
    def scale(self) -> float:
        return 1.0

    def prepare(self) -> None:
        self._frames = frames_of(self.values["window"], self.rate_hz)
        self.reset()

    def reset(self) -> None:
        self._memory: deque[tuple[F64, F64]] = deque(maxlen=self._frames + 1)

    def _pose(self, block: Block) -> tuple[F64, F64]:
        """Return position (3, T, E) and quaternion (4, T, E) in the frame of the hand."""
        quat, tcp = block.tcp_quat[:, :, None], block.tcp[:, :, None]
        place = to_frame(quat, tcp, block.position[:, :, self.of])
        w, x, y, z = quat
        ow, ox, oy, oz = block.quat[:, :, self.of]
        # The conjugate of the hand's quaternion times the object's.
        turned = np.stack(
            (
                w * ow + (x * ox + y * oy + z * oz),
                w * ox - x * ow - (y * oz - z * oy),
                w * oy - y * ow - (z * ox - x * oz),
                w * oz - z * ow - (x * oy - y * ox),
            )
        )
        return place, turned

    def _compare(self, before: tuple[F64, F64], now: tuple[F64, F64]) -> Measure:
        x, y, z = now[0] - before[0]
        shift = np.sqrt(x * x + y * y + z * z)
        (aw, ax, ay, az), (bw, bx, by, bz) = now[1], before[1]
        w = np.abs(aw * bw + ax * bx + (ay * by + az * bz))
        turn = 2.0 * arccos(np.minimum(w, 1.0)) * DEG_PER_RAD
        margin = np.maximum(shift / self.values["max_shift"], turn / self.values["max_turn"]) - 1.0 + 0.0
        return Measure(margin, (shift, turn))

    def run(self, block: Block) -> Measure:
        now = self._pose(block)
        count = min(self._frames, block.frames)
        place, turned = (
            np.concatenate((np.repeat(a[:, :1], count, axis=1), a[:, : block.frames - count]), axis=1) for a in now
        )
        return self._compare((place, turned), now)

    def measure(self, block: Block) -> Measure:
        now = self._pose(block)
        return self._compare(now, now)

    def step(self, moment: Moment) -> Sample:
        now = self._pose(moment.block)
        self._memory.append(now)
        measure = self._compare(self._memory[0], now)
        return Sample(measure.margin[0].tolist(), tuple(value[0].tolist() for value in measure.values))


@register
class ReachedInto(Predicate):
    """The hand is in its interior."""

    name = "reached_into"
    summary = "the tool centre point is more than min_depth inside its interior"
    params = (Param("min_depth", "m", "distance of the tool centre point from the bounds of the interior"),)
    channels = ("position_m", "quat_wxyz", "part_position_m", "part_quat_wxyz", "tcp_position_m")
    unit = "m"

    def describe(self) -> tuple[Quantity, ...]:
        return (Quantity("depth of the hand", "m", self.values["min_depth"], above=True),)

    @property
    def scale(self) -> float:
        return max(self.values["min_depth"], _SCALE_M)

    def prepare(self) -> None:
        scene = self.geometry.scene
        self._rooms = [room_of(scene, scene.entities[column], self.name) for column in self.columns]

    def measure(self, block: Block) -> Measure:
        point = block.tcp[:, :, None]
        return self.above(np.stack([0.0 - outside(block, room, point)[:, 0] for room in self._rooms], axis=1))


@register
class Still(Predicate):
    """It neither moves nor turns."""

    name = "still"
    summary = "it moves slower than max_speed and turns slower than max_spin"
    params = (
        Param("max_speed", "m/s", "speed of its origin", minimum=1e-6),
        Param("max_spin", "deg/s", "its angular speed", minimum=1e-6),
    )
    channels = ("linear_m_s", "angular_rad_s")
    unit = "1"

    def describe(self) -> tuple[Quantity, ...]:
        return (
            Quantity("speed", "m/s", self.values["max_speed"], above=False),
            Quantity("angular speed", "deg/s", self.values["max_spin"], above=False),
        )

    @property
    def scale(self) -> float:
        return 1.0

    def measure(self, block: Block) -> Measure:
        x, y, z = block.angular[:, :, self.of]
        spin = np.sqrt(x * x + y * y + z * z) * DEG_PER_RAD
        speed = block.speed[:, self.of]
        margin = 1.0 - np.maximum(speed / self.values["max_speed"], spin / self.values["max_spin"]) + 0.0
        return Measure(margin, (speed, spin))
