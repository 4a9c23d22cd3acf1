"""A stretch of frames laid out for arithmetic: columns over time and entities, and quantities derived on demand.

One frame is a stretch of length one, so that what is computed while a rollout runs and what is computed from its record
go through the same elementwise operations and give the same bits.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from maniguard.grounding.errors import GroundingError
from maniguard.grounding.geometry import Geometry
from maniguard.trace import Frame, Trace

F64 = NDArray[np.float64]
Bool = NDArray[np.bool_]

# A rounded unit quaternion is within 1e-6 of length one; a wrong one (all zero, swapped for something else) is not.
UNIT_TOLERANCE = 1e-3


def _components(array: NDArray[np.generic]) -> F64:
    """Return (..., K) as K contiguous float64 arrays, stacked in front."""
    return np.array(np.moveaxis(array, -1, 0), np.float64, order="C")


class ContactRows:
    """The contacts of a stretch, each row twice: once as seen from either side (`self_`, `other`).

    `frame` is the row's frame within the stretch; `push` (3,) the direction in which `other` pushes `self_`.
    """

    def __init__(self, block: Block) -> None:
        c, frame = block.contacts, block.contact_frame
        normal = c.normal.T.astype(np.float64)
        self.frame: NDArray[np.intp] = np.concatenate((frame, frame))
        self.self_: NDArray[np.int16] = np.concatenate((c.entity_b, c.entity_a))
        self.other: NDArray[np.int16] = np.concatenate((c.entity_a, c.entity_b))
        self.self_part: NDArray[np.int16] = np.concatenate((c.part_b, c.part_a))
        self.other_part: NDArray[np.int16] = np.concatenate((c.part_a, c.part_b))
        # The normal points from a to b, so a pushes b along it and b pushes a against it.
        self.push: F64 = np.concatenate((normal, -normal), axis=1)
        force = c.peak_force_n.astype(np.float64)
        self.force: F64 = np.concatenate((force, force))
        self.gap: NDArray[np.float32] = np.concatenate((c.distance_m, c.distance_m))
        self.at_end: Bool = np.concatenate((c.at_end, c.at_end))
        self.real: Bool = self.force > 0
        self.other_is_robot: Bool = block.geometry.is_robot[self.other]


class Block:
    """T frames of a scene with N entities; arrays have the components in front: `position` is (3, T, N)."""

    def __init__(self, geometry: Geometry, source: Frame | Trace) -> None:
        self.geometry = geometry
        if isinstance(source, Trace):
            columns = {name: source.column(name) for name in _COLUMNS}
            self.frames = len(source)
            counts = np.diff(source.contact_offsets)
            self.contact_frame = np.repeat(np.arange(self.frames, dtype=np.intp), counts)
        else:
            columns = {name: getattr(source, name)[None] for name in _COLUMNS}
            self.frames = 1
            self.contact_frame = np.zeros(len(source.contacts), np.intp)
        self.columns = columns
        self.contacts = source.contacts
        self.position = _components(columns["position_m"])
        self.quat = _components(columns["quat_wxyz"])
        q = self.quat
        norm = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]
        if not (np.abs(norm - 1.0) < UNIT_TOLERANCE).all() or not np.isfinite(self.position).all():
            raise GroundingError(self._bad_pose(norm))

    def _bad_pose(self, norm: F64) -> str:
        wrong = ~(np.abs(norm - 1.0) < UNIT_TOLERANCE) | ~np.isfinite(self.position).all(axis=0)
        frame, column = (int(i) for i in np.argwhere(wrong)[0])
        name = self.geometry.scene.entities[column].name
        return f"the pose of {name!r} is not finite or its quaternion not a unit one (frame {frame} of the stretch)"

    def finite(self, channel: str) -> NDArray[np.generic]:
        """Return a channel; GroundingError where it is declared present and yet holds a number that is none."""
        column = self.columns[channel]
        wrong = ~np.isfinite(column)
        if wrong.any():
            frame = int(np.argwhere(wrong)[0][0])
            raise GroundingError(
                f"channel {channel!r} is declared present, but is not finite at frame {frame} of the stretch"
            )
        return column

    @cached_property
    def linear(self) -> F64:
        """Velocity of the entities' origins, (3, T, N), m/s."""
        return _components(self.finite("linear_m_s"))

    @cached_property
    def angular(self) -> F64:
        """Angular velocity of the entities, (3, T, N), rad/s."""
        return _components(self.finite("angular_rad_s"))

    @cached_property
    def tcp_quat(self) -> F64:
        """Orientation of the tool centre point, (4, T)."""
        return _components(self.finite("tcp_quat_wxyz"))

    @cached_property
    def descent(self) -> F64:
        """Largest downward speed of the origins in any substep, (T, N), m/s."""
        return self.finite("peak_descent_m_s").astype(np.float64)

    @cached_property
    def tcp(self) -> F64:
        """Position of the tool centre point, (3, T)."""
        return _components(self.finite("tcp_position_m"))

    @cached_property
    def part_position(self) -> F64:
        """Position of the moving parts, (3, T, P)."""
        return _components(self.finite("part_position_m"))

    @cached_property
    def part_quat(self) -> F64:
        """Orientation of the moving parts, (4, T, P)."""
        return _components(self.finite("part_quat_wxyz"))

    @cached_property
    def vertical(self) -> tuple[F64, F64, F64]:
        """World height of the unit vectors of the entities' frames, three times (T, N): rotates a vector's height."""
        w, x, y, z = self.quat
        return 2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y)

    @cached_property
    def lowest(self) -> F64:
        """Height of the lowest point of each entity's outline, (T, N), m; exact for its convex hull."""
        (vx, vy, vz), (ux, uy, uz) = self.geometry.vertices, self.vertical
        height = ux[:, None] * vx + uy[:, None] * vy + uz[:, None] * vz
        return height.min(axis=1) + self.position[2]

    @cached_property
    def speed(self) -> F64:
        """Speed of the entities' origins, (T, N), m/s."""
        x, y, z = self.linear
        return np.sqrt(x * x + y * y + z * z)

    @cached_property
    def rows(self) -> ContactRows:
        """The contacts, seen from both sides."""
        return ContactRows(self)

    def mark(self, rows: Bool) -> Bool:
        """Return (T, N): whether the entity is the `self_` of one of the chosen contact rows in that frame."""
        out = np.zeros((self.frames, len(self.geometry.is_robot)), np.bool_)
        out[self.rows.frame[rows], self.rows.self_[rows]] = True
        return out

    def largest_force(self, rows: Bool) -> F64:
        """Return (T, N): the largest peak force of the chosen contact rows on each entity, 0 where there is none."""
        out = np.zeros((self.frames, len(self.geometry.is_robot)))
        np.maximum.at(out, (self.rows.frame[rows], self.rows.self_[rows]), self.rows.force[rows])
        return out

    @cached_property
    def pinch(self) -> tuple[F64, F64]:
        """The smaller of the two fingers' forces, and the cosine between their pushes, (T, N) each.

        The force is 0 and the cosine 1 where not both fingers of one robot touch.
        """
        shape = (self.frames, len(self.geometry.is_robot))
        force, cosine = np.zeros(shape), np.ones(shape)
        rows = self.rows
        robots, lefts, rights = self.geometry.fingers
        for robot, left, right in zip(robots, lefts, rights, strict=True):
            on = (rows.other == robot) & rows.real
            sides = []
            for part in (left, right):
                index = np.flatnonzero(on & (rows.other_part == part))
                if not len(index):
                    break
                side_force, push = np.zeros(shape), np.zeros((3, *shape))
                # A finger may touch several parts of an entity; written last, the row with the largest force stays.
                index = index[np.argsort(rows.force[index], kind="stable")]
                where = (rows.frame[index], rows.self_[index])
                side_force[where] = rows.force[index]
                push[(slice(None), *where)] = rows.push[:, index]
                sides.append((side_force, push))
            if len(sides) < 2:
                continue
            (f0, p0), (f1, p1) = sides
            both = (f0 > 0) & (f1 > 0)
            force = np.maximum(force, np.where(both, np.minimum(f0, f1), 0.0))
            cosine = np.where(both, p0[0] * p1[0] + p0[1] * p1[1] + p0[2] * p1[2], cosine)
        return force, cosine


_COLUMNS = (
    "position_m",
    "quat_wxyz",
    "linear_m_s",
    "angular_rad_s",
    "peak_descent_m_s",
    "tcp_position_m",
    "tcp_quat_wxyz",
    "gripper_opening_m",
    "joint_position",
    "joint_velocity",
    "part_position_m",
    "part_quat_wxyz",
    "grains_inside",
    "grains_air",
    "grains_lost",
    "dust_left",
)
