"""One frame laid out for speed: the same quantities as a `Block` of length one, to the bit, by fewer and cheaper steps.

Array calls cost more than arithmetic on a dozen entities, so per-entity numbers are Python floats here; only what runs
over all hull vertices stays in arrays. Python and array arithmetic round alike: each operation once, in double.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from maniguard.grounding.block import UNIT_TOLERANCE, Block
from maniguard.grounding.geometry import Geometry
from maniguard.grounding.lazy import Lazy
from maniguard.trace import Frame

_LEAST, _MOST = 1.0 - UNIT_TOLERANCE, 1.0 + UNIT_TOLERANCE

Row = tuple[int, int, int, int, float, float, bool, int]
"""A contact with a force: entity and part a, entity and part b, height of the normal, force, at_end, row number."""

RobotRow = tuple[int, int, int, int, float, bool, int, float]
"""A contact of a robot: touched entity and part, robot and part, force, at_end, row number, sense.

The robot pushes along `sense` times the row's normal.
"""


class Support(NamedTuple):
    """Which entities something pushes upwards, by columns; with and without the robot, in the step and at its end."""

    held: set[int]
    elsewhere: set[int]
    elsewhere_at_end: set[int]
    robot_at_end: set[int]


class Pinch(NamedTuple):
    """Two fingers of one robot on an entity: the smaller force, and the cosine between their pushes."""

    force: float
    cosine: float


class Moment:
    """One frame of a scene."""

    def __init__(self, geometry: Geometry, frame: Frame) -> None:
        self.geometry, self.frame = geometry, frame
        self._supports: dict[float, Support] = {}
        self.quat: list[list[float]] = frame.quat_wxyz.tolist()
        self.position: list[list[float]] = frame.position_m.tolist()
        # Block says which pose is wrong; here it only has to be noticed. A sum is finite if all its terms are.
        unit = all([_LEAST < w * w + x * x + y * y + z * z < _MOST for w, x, y, z in self.quat])
        if not unit or not math.isfinite(sum(map(sum, self.position))):
            self.block  # noqa: B018 - raises

    @Lazy
    def block(self) -> Block:
        """The same frame as a block, for predicates without a form of their own for one frame."""
        return Block(self.geometry, self.frame)

    @Lazy
    def linear(self) -> list[list[float]]:
        """Velocity of each entity's origin."""
        linear: list[list[float]] = self.frame.linear_m_s.tolist()
        if not math.isfinite(sum(map(sum, linear))):
            self.block.finite("linear_m_s")
        return linear

    @Lazy
    def descent(self) -> list[float]:
        """Largest downward speed of each entity's origin."""
        descent: list[float] = self.frame.peak_descent_m_s.tolist()
        if not math.isfinite(sum(descent)):
            self.block.finite("peak_descent_m_s")
        return descent

    @Lazy
    def _vertical(self) -> NDArray[np.float64]:
        w, x, y, z = self.frame.quat_wxyz.T.astype(np.float64)
        out = np.empty((3, len(w)))
        np.multiply(2.0, x * z - w * y, out=out[0])
        np.multiply(2.0, y * z + w * x, out=out[1])
        np.subtract(1.0, 2.0 * (x * x + y * y), out=out[2])
        return out

    @Lazy
    def lowest(self) -> list[float]:
        """Height of the lowest point of each entity's outline."""
        x, y, z = self._vertical[:, None] * self.geometry.vertices
        lowest: list[float] = ((x + y + z).min(axis=0) + self.frame.position_m[:, 2]).tolist()
        return lowest

    @Lazy
    def rows(self) -> list[Row]:
        """The contacts with a force above zero."""
        c = self.frame.contacts
        columns = (c.entity_a, c.part_a, c.entity_b, c.part_b, c.normal[:, 2], c.peak_force_n, c.at_end)
        rows = zip(*[column.tolist() for column in columns], range(len(c.at_end)), strict=True)
        return [row for row in rows if row[5] > 0.0]

    @Lazy
    def robot_rows(self) -> list[RobotRow]:
        """The contacts between a robot and something else, or another robot; then from both sides."""
        robots = self.geometry.robots
        found = []
        for a, part_a, b, part_b, _, force, at_end, number in self.rows:
            if a in robots:
                found.append((b, part_b, a, part_a, force, at_end, number, 1.0))
            if b in robots:
                found.append((a, part_a, b, part_b, force, at_end, number, -1.0))
        return found

    def upward(self, cosine: float) -> list[tuple[int, int, bool]]:
        """Return (pushed entity, pushing entity, at_end) of the contacts that push upwards within that angle."""
        found = []
        for a, _, b, _, rise, _, at_end, _ in self.rows:
            # The normal points from a to b: a pushes b along it, and b pushes a against it.
            if rise >= cosine:
                found.append((b, a, at_end))
            if -rise >= cosine:
                found.append((a, b, at_end))
        return found

    def support(self, cosine: float) -> Support:
        """Return which entities are pushed upwards within the angle of that cosine."""
        found = self._supports.get(cosine)
        if found is None:
            robots = self.geometry.robots
            found = self._supports[cosine] = Support(set(), set(), set(), set())
            held, elsewhere, elsewhere_at_end, robot_at_end = found
            for a, _, b, _, rise, _, at_end, _ in self.rows:
                for pushed, pushing, up in ((b, a, rise), (a, b, -rise)):
                    if up >= cosine:
                        held.add(pushed)
                        if pushing in robots:
                            if at_end:
                                robot_at_end.add(pushed)
                        else:
                            elsewhere.add(pushed)
                            if at_end:
                                elsewhere_at_end.add(pushed)
        return found

    @Lazy
    def loosened(self) -> set[int]:
        """The entities with a robot contact that did not last to the end of the step."""
        return {row[0] for row in self.robot_rows if not row[5]}

    @Lazy
    def pinches(self) -> dict[int, Pinch]:
        """The entities on which both fingers of one robot press."""
        found: dict[int, Pinch] = {}
        if not self.robot_rows:
            return found
        for robot, left, right in self.geometry.finger_list:
            sides: dict[tuple[int, int], tuple[float, int, float]] = {}
            for column, _, other, part, force, _, number, sense in self.robot_rows:
                if other == robot and part in (left, right):
                    known = sides.get((column, part))
                    if known is None or force >= known[0]:
                        sides[column, part] = (force, number, sense)
            if len(sides) < 2:
                continue
            normal = self.frame.contacts.normal.tolist()
            for (column, part), one in sides.items():
                other_side = sides.get((column, right)) if part == left else None
                if other_side is None:
                    continue
                (ax, ay, az), (bx, by, bz) = normal[one[1]], normal[other_side[1]]
                s, t = one[2], other_side[2]
                cosine = (s * ax) * (t * bx) + (s * ay) * (t * by) + (s * az) * (t * bz)
                force = min(one[0], other_side[0])
                before = found.get(column)
                found[column] = Pinch(force if before is None else max(force, before.force), cosine)
        return found

    def local(self, column: int, point: tuple[float, float, float]) -> tuple[float, float, float]:
        """Return a world point in the frame of an entity."""
        w, x, y, z = self.quat[column]
        px, py, pz = self.position[column]
        vx, vy, vz = point[0] - px, point[1] - py, point[2] - pz
        cx, cy, cz = y * vz - z * vy, z * vx - x * vz, x * vy - y * vx
        w = -w
        return (
            vx + 2.0 * (w * cx + (y * cz - z * cy)),
            vy + 2.0 * (w * cy + (z * cx - x * cz)),
            vz + 2.0 * (w * cz + (x * cy - y * cx)),
        )

    @Lazy
    def tcp(self) -> tuple[float, float, float]:
        """Position of the tool centre point."""
        x, y, z = self.frame.tcp_position_m.tolist()
        if not math.isfinite(x + y + z):
            self.block.finite("tcp_position_m")
        return x, y, z
