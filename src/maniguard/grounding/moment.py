"""One frame laid out for speed: the same quantities as a `Block` of length one, to the bit, by fewer and cheaper steps.

Array calls cost more than arithmetic on a dozen entities, so per-entity numbers are Python floats here; only what runs
over all hull vertices stays in arrays. Python and array arithmetic round alike: each operation once, in double.
"""

from __future__ import annotations

import math
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from maniguard.grounding.block import UNIT_TOLERANCE, Block
from maniguard.grounding.geometry import Geometry
from maniguard.trace import Frame


class Row(NamedTuple):
    """One contact with a force, as `self_` sees it.

    `rise` is how far upwards the push on it points (1: straight up), `number` the row in the frame, and the push is
    `sense` times that row's normal.
    """

    self_: int
    self_part: int
    other: int
    other_part: int
    rise: float
    force: float
    at_end: bool
    number: int
    sense: float


class Support(NamedTuple):
    """Which entities something pushes upwards, by columns; with and without the robot, in the step and at its end."""

    held: frozenset[int]
    elsewhere: frozenset[int]
    elsewhere_at_end: frozenset[int]
    robot_at_end: frozenset[int]


class Pinch(NamedTuple):
    """Two fingers of one robot on an entity: the smaller force, and the cosine between their pushes."""

    force: float
    cosine: float


class Moment:
    """One frame of a scene."""

    def __init__(self, geometry: Geometry, frame: Frame) -> None:
        self.geometry, self.frame = geometry, frame
        quat = frame.quat_wxyz.astype(np.float64)
        norm = np.einsum("ij,ij->i", quat, quat)
        # Block says which pose is wrong; here it only has to be noticed.
        if not (abs(float(norm.min()) - 1.0) < UNIT_TOLERANCE > abs(float(norm.max()) - 1.0)) or not math.isfinite(
            float(frame.position_m.sum(dtype=np.float64))
        ):
            self.block  # noqa: B018 - raises
        self._quat = quat
        self._supports: dict[float, Support] = {}

    @cached_property
    def block(self) -> Block:
        """The same frame as a block, for predicates without a form of their own for one frame."""
        return Block(self.geometry, self.frame)

    def _check_finite(self, channel: str) -> None:
        # A sum is finite if all its terms are.
        if not math.isfinite(float(getattr(self.frame, channel).sum(dtype=np.float64))):
            self.block.finite(channel)

    @cached_property
    def position(self) -> list[list[float]]:
        """Position of each entity."""
        position: list[list[float]] = self.frame.position_m.tolist()
        return position

    @cached_property
    def linear(self) -> list[list[float]]:
        """Velocity of each entity's origin."""
        self._check_finite("linear_m_s")
        linear: list[list[float]] = self.frame.linear_m_s.tolist()
        return linear

    @cached_property
    def descent(self) -> list[float]:
        """Largest downward speed of each entity's origin."""
        self._check_finite("peak_descent_m_s")
        descent: list[float] = self.frame.peak_descent_m_s.tolist()
        return descent

    @cached_property
    def _vertical(self) -> NDArray[np.float64]:
        out = np.empty((3, len(self._quat)))
        w, x, y, z = self._quat.T
        np.multiply(2.0, x * z - w * y, out=out[0])
        np.multiply(2.0, y * z + w * x, out=out[1])
        np.subtract(1.0, 2.0 * (x * x + y * y), out=out[2])
        return out

    @cached_property
    def vertical(self) -> tuple[list[float], list[float], list[float]]:
        """World height of the unit vectors of each entity's frame."""
        x, y, z = self._vertical.tolist()
        return x, y, z

    @cached_property
    def lowest(self) -> list[float]:
        """Height of the lowest point of each entity's outline."""
        x, y, z = self._vertical[:, None] * self.geometry.vertices
        lowest: list[float] = ((x + y + z).min(axis=0) + self.frame.position_m[:, 2]).tolist()
        return lowest

    @cached_property
    def rows(self) -> list[Row]:
        """The contacts with a force above zero, each from both sides."""
        c = self.frame.contacts
        rows = []
        columns = (c.entity_a, c.part_a, c.entity_b, c.part_b, c.normal[:, 2], c.peak_force_n, c.at_end)
        for number, (a, pa, b, pb, rise, force, at_end) in enumerate(
            zip(*[column.tolist() for column in columns], strict=True)
        ):
            if force > 0.0:
                rows.append(Row(b, pb, a, pa, rise, force, at_end, number, 1.0))
                rows.append(Row(a, pa, b, pb, -rise, force, at_end, number, -1.0))
        return rows

    @cached_property
    def robot_rows(self) -> list[Row]:
        """The rows in which a robot is the other side."""
        robots = self.geometry.robots
        return [row for row in self.rows if row.other in robots]

    def support(self, cosine: float) -> Support:
        """Return which entities are pushed upwards within the angle of that cosine."""
        found = self._supports.get(cosine)
        if found is None:
            robots = self.geometry.robots
            up = [row for row in self.rows if row.rise >= cosine]
            found = self._supports[cosine] = Support(
                frozenset([row.self_ for row in up]),
                frozenset([row.self_ for row in up if row.other not in robots]),
                frozenset([row.self_ for row in up if row.at_end and row.other not in robots]),
                frozenset([row.self_ for row in up if row.at_end and row.other in robots]),
            )
        return found

    @cached_property
    def loosened(self) -> frozenset[int]:
        """The entities with a robot contact that did not last to the end of the step."""
        return frozenset([row.self_ for row in self.robot_rows if not row.at_end])

    @cached_property
    def pinches(self) -> dict[int, Pinch]:
        """The entities on which both fingers of one robot press."""
        found: dict[int, Pinch] = {}
        rows = self.robot_rows
        if not rows:
            return found
        normal: list[list[float]] | None = None
        for robot, left, right in self.geometry.finger_list:
            sides: dict[tuple[int, int], Row] = {}
            for row in rows:
                if row.other == robot and row.other_part in (left, right):
                    known = sides.get((row.self_, row.other_part))
                    if known is None or row.force >= known.force:
                        sides[row.self_, row.other_part] = row
            for (column, part), one in sides.items():
                other = sides.get((column, right)) if part == left else None
                if other is None:
                    continue
                if normal is None:
                    normal = self.frame.contacts.normal.tolist()
                (ax, ay, az), (bx, by, bz) = normal[one.number], normal[other.number]
                cosine = (one.sense * ax) * (other.sense * bx) + (one.sense * ay) * (other.sense * by)
                cosine += (one.sense * az) * (other.sense * bz)
                before = found.get(column)
                force = min(one.force, other.force)
                found[column] = Pinch(force if before is None else max(force, before.force), cosine)
        return found

    def local(self, column: int, point: tuple[float, float, float]) -> tuple[float, float, float]:
        """Return a world point in the frame of an entity."""
        w, x, y, z = self._quat[column].tolist()
        px, py, pz = self.position[column]
        vx, vy, vz = point[0] - px, point[1] - py, point[2] - pz
        cx, cy, cz = y * vz - z * vy, z * vx - x * vz, x * vy - y * vx
        w = -w
        return (
            vx + 2.0 * (w * cx + (y * cz - z * cy)),
            vy + 2.0 * (w * cy + (z * cx - x * cz)),
            vz + 2.0 * (w * cz + (x * cy - y * cx)),
        )

    @cached_property
    def tcp(self) -> tuple[float, float, float]:
        """Position of the tool centre point."""
        self._check_finite("tcp_position_m")
        x, y, z = self.frame.tcp_position_m.tolist()
        return x, y, z
