"""From the columns of a log, each with its own times, to samples of a scene, as a mapping says."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from maniguard.audit.distance import Piece, near_pairs
from maniguard.audit.errors import AuditError
from maniguard.audit.logscene import LogScene, log_scene
from maniguard.audit.mapping import ColumnRef, Mapping, PoseRef
from maniguard.audit.recording import success_events
from maniguard.audit.rigid import rotate
from maniguard.audit.samples import F64, Samples, Touches, present
from maniguard.audit.uniform import check_times, grid_of, resampled, unit_quaternions
from maniguard.errors import alternatives
from maniguard.trace import Channel, Provenance

# What a log with columns of different rates is brought to where the mapping names no rate.
DEFAULT_RATE_HZ = 20.0


@dataclass(frozen=True)
class Series:
    """One column over its own times: `values` (S, D)."""

    time_s: F64
    values: F64


class Log(Protocol):
    """A recording as named columns."""

    def names(self) -> tuple[str, ...]:
        """Return the names of all columns."""

    def series(self, name: str) -> Series:
        """Return a column; AuditError where it holds no numbers."""


def samples_of(log: Log, mapping: Mapping, *, rate_hz: float | None = None) -> Samples:
    """Read a log as samples of the scene that the mapping describes.

    Columns that share their times keep them; others are brought to the mapping's rate (20 Hz) first, within the time
    that all of them cover. Contacts come from the mapping's sensors, or from its geometric surrogate.
    """
    return _Reader(log, mapping, rate_hz).read()


class _Reader:
    def __init__(self, log: Log, mapping: Mapping, rate_hz: float | None) -> None:
        self.log, self.mapping = log, mapping
        self.rate_hz = mapping.rate_hz or rate_hz
        self.scene: LogScene = log_scene(mapping)
        self.known = log.names()
        self.time_s, self.shared = self._common_times()

    def read(self) -> Samples:
        scene, count = self.scene.scene, len(self.time_s)
        columns: dict[str, F64] = {}
        channels: dict[str, Channel] = present("measured", "instantaneous", "time_s")
        poses = [self._pose(ref) for ref in self.scene.poses]
        columns["position_m"] = np.stack([position for position, _ in poses], axis=1)
        columns["quat_wxyz"] = np.stack([quat for _, quat in poses], axis=1)
        provenance: Provenance = "measured" if self.shared else "recomputed"
        channels |= present(provenance, "instantaneous", "position_m")
        if all(ref.fixed is not None or ref.orientation is not None for ref in self.scene.poses):
            channels |= present(provenance, "instantaneous", "quat_wxyz")
            self._stand_upright(columns["quat_wxyz"])
            scene = self.scene.scene
        robot = self.mapping.robot
        joints = [self._column(ref.position, 1)[:, 0] for ref in self.scene.joints]
        if joints:
            columns["joint_position"] = np.stack(joints, axis=1)
            channels |= present(provenance, "instantaneous", "joint_position")
        if robot is not None and robot.joints is not None:
            columns["robot_qpos_rad"] = self._column(robot.joints, 7)
            channels |= present(provenance, "instantaneous", "robot_qpos_rad")
        if robot is not None and robot.gripper is not None:
            columns["gripper_opening_m"] = np.abs(self._column(robot.gripper.opening, None)).sum(axis=1)
            channels |= present(provenance, "instantaneous", "gripper_opening_m")
        if robot is not None and robot.tcp is not None:
            columns["tcp_position_m"], columns["tcp_quat_wxyz"] = self._pose(robot.tcp)
            channels |= present(provenance, "instantaneous", "tcp_position_m")
            if robot.tcp.fixed is not None or robot.tcp.orientation is not None:
                channels |= present(provenance, "instantaneous", "tcp_quat_wxyz")
        if self.mapping.wrench is not None:
            columns["wrench"] = self._column(self.mapping.wrench, 6, kind="peak")
            channels |= present("measured", "latched" if not self.shared else "instantaneous", "wrench")
        if self.scene.moving_parts:
            columns["part_position_m"], columns["part_quat_wxyz"] = self._hand(columns)
            channels |= present("recomputed", "instantaneous", "part_position_m", "part_quat_wxyz")
        touches, declared = self._touches(columns, count)
        events = self._success()
        return Samples(scene, self.time_s, columns, {**channels, **declared}, touches, events, self.rate_hz)

    def _refs(self) -> list[ColumnRef]:
        mapping, robot = self.mapping, self.mapping.robot
        poses = [*self.scene.poses, *([robot.tcp] if robot is not None and robot.tcp is not None else [])]
        refs = [ref for pose in poses for ref in (pose.position, pose.orientation)]
        refs += [mapping.wrench, *(item.position for item in self.scene.joints), *(c.force for c in mapping.contacts)]
        if robot is not None:
            refs += [robot.joints, None if robot.gripper is None else robot.gripper.opening]
        return [ref for ref in refs if ref is not None]

    def _common_times(self) -> tuple[F64, bool]:
        refs = self._refs()
        if not refs:
            raise AuditError(f"{self.mapping.path} names no column: nothing of the recording would be read")
        times = [self._raw(name, ref.where).time_s for ref in refs for name in ref.names]
        first = times[0]
        check_times(first, refs[0].names[0])
        if all(len(other) == len(first) and np.array_equal(other, first) for other in times):
            return first, True
        for ref in refs:
            for name in ref.names:
                check_times(self._raw(name, ref.where).time_s, name)
        start, end = max(float(t[0]) for t in times), min(float(t[-1]) for t in times)
        rate = self.rate_hz or DEFAULT_RATE_HZ
        self.rate_hz = rate
        if end - start < 1.0 / rate:
            raise AuditError(
                f"its columns have no time in common: the last starts at {start:.6g} s, the first ends at {end:.6g} s"
            )
        return grid_of(np.array([start, end]), rate), False

    def _raw(self, name: str, where: str) -> Series:
        if name not in self.known:
            raise AuditError(
                f"{where}: the recording has no column {name!r}; it has {alternatives(self.known, limit=40)}"
            )
        return self.log.series(name)

    def _column(self, ref: ColumnRef, width: int | None, kind: str = "linear") -> F64:
        """Return the numbers of a reference at the common times, (S, width), in SI units."""
        pieces = [self._cut(name, ref) for name in ref.names]
        first = pieces[0].time_s
        if all(len(piece.time_s) == len(first) and np.array_equal(piece.time_s, first) for piece in pieces):
            pieces = [Series(first, np.concatenate([piece.values for piece in pieces], axis=1))]
        elif kind in ("slerp", "peak"):
            raise AuditError(f"{ref.where}: the parts of one quaternion or wrench must share their times")
        if kind == "slerp":
            pieces = [Series(first, unit_quaternions(", ".join(ref.names), pieces[0].values))]
        found = [p.values if self.shared else resampled(p.time_s, p.values, self.time_s, kind) for p in pieces]
        joined = np.concatenate(found, axis=1) * ref.scale
        if width is not None and joined.shape[1] != width:
            raise AuditError(f"{ref.where}: {joined.shape[1]} numbers where {width} belong")
        return joined

    def _cut(self, name: str, ref: ColumnRef) -> Series:
        series = self._raw(name, ref.where)
        values = series.values
        if ref.span is not None:
            low, high = ref.span
            if high > values.shape[1]:
                raise AuditError(
                    f"{ref.where}: column {name!r} has {values.shape[1]} numbers, the index asks for {high}"
                )
            values = values[:, low:high]
        if not np.isfinite(values).all():
            bad = int(np.argmax(~np.isfinite(values).all(axis=1)))
            raise AuditError(f"column {name!r} holds a number that is none (NaN) at sample {bad}")
        return Series(series.time_s, values)

    def _pose(self, ref: PoseRef) -> tuple[F64, F64]:
        count = len(self.time_s)
        if ref.fixed is not None:
            return np.tile(ref.fixed.position_m, (count, 1)), np.tile(ref.fixed.quat_wxyz, (count, 1))
        assert ref.position is not None
        position = self._column(ref.position, 3)
        if ref.orientation is None:
            return position, np.tile((1.0, 0.0, 0.0, 0.0), (count, 1))
        quat = self._column(ref.orientation, 4, kind="slerp")
        return position, quat[:, [3, 0, 1, 2]] if ref.order == "xyzw" else quat

    def _stand_upright(self, quats: F64) -> None:
        """Take what points upwards at the start for the rest axis of what the mapping gives none."""
        self.scene = self.scene.upright_at(quats[0])

    def _hand(self, columns: dict[str, F64]) -> tuple[F64, F64]:
        position, quat = columns["tcp_position_m"], columns["tcp_quat_wxyz"]
        places = []
        for part in self.scene.moving_parts:
            side = {"left_finger": 0.5, "right_finger": -0.5}.get(part, 0.0)
            offset = np.zeros_like(position)
            if side:
                offset[:, 1] = side * columns["gripper_opening_m"]
            places.append(position + rotate(quat, offset))
        return np.stack(places, axis=1), np.stack([quat] * len(places), axis=1)

    def _success(self) -> tuple[tuple[float, str, str], ...]:
        """Return when the recording says that it succeeded; a flag may be published as rarely as it likes."""
        wanted = self.mapping.success
        if wanted is None:
            return ()
        if wanted.column is None:
            return success_events(self.time_s, np.full(len(self.time_s), float(bool(wanted.constant))))
        series = self._raw(wanted.column.names[0], wanted.column.where)
        span = wanted.column.span or (0, 1)
        if span[1] > series.values.shape[1]:
            raise AuditError(f"{wanted.column.where}: the column has {series.values.shape[1]} numbers")
        return success_events(series.time_s, series.values[:, span[0]])

    def _touches(self, columns: dict[str, F64], count: int) -> tuple[Touches | None, dict[str, Channel]]:
        if self.mapping.contacts:
            return self._felt(columns), {
                name: Channel("measured", "instantaneous" if self.shared else "latched")
                for name in ("contacts", "contact_force")
            }
        if self.mapping.contact_max_m is None:
            return None, {}
        pieces = [
            Piece(place.entity, place.part, place.shapes, *self._where(place.entity, place.part, columns))
            for place in self.scene.solids
        ]
        touches = near_pairs(pieces, count, self.mapping.contact_max_m, self.mapping.contact_force_n)
        declared = present("recomputed", "instantaneous", "contacts")
        if self.mapping.contact_force_n is not None:
            declared |= present("recomputed", "instantaneous", "contact_force")
        return touches, declared

    def _where(self, entity: int, part: int, columns: dict[str, F64]) -> tuple[F64, F64]:
        if part == 0:
            return columns["position_m"][:, entity], columns["quat_wxyz"][:, entity]
        column = self.scene.moving_parts.index(self.scene.scene.entities[entity].parts[part].name)
        return columns["part_position_m"][:, column], columns["part_quat_wxyz"][:, column]

    def _felt(self, columns: dict[str, F64]) -> Touches:
        """Return the contacts that sensors feel; their normal points from one thing's origin to the other's."""
        scene = self.scene.scene
        rows = []
        for ref in self.mapping.contacts:
            ends = []
            for entity, part in (ref.a, ref.b):
                column = scene.index(entity)
                ends.append((column, scene.entities[column].part_index(part)))
            force = self._column(ref.force, 1, kind="max")[:, 0]
            (a, b) = sorted(ends)
            if a == b:
                raise AuditError(f"{ref.where}: a thing does not touch itself")
            pa, pb = self._where(*a, columns)[0], self._where(*b, columns)[0]
            way = pb - pa
            length = np.sqrt((way * way).sum(axis=1, keepdims=True))
            normal = np.where(length > 1e-9, way / np.maximum(length, 1e-9), (0.0, 0.0, 1.0))
            for step in np.flatnonzero(force > 0.0):
                rows.append((step, *a, *b, *normal[step], *((pa + pb) / 2)[step], force[step], 0.0))
        table = np.array(sorted(rows), np.float64).reshape(-1, 13)
        whole = table[:, :5].astype(np.int64)
        return Touches(
            whole[:, 0], whole[:, 1:3], whole[:, 3:5], table[:, 5:8], table[:, 8:11], table[:, 11], table[:, 12]
        )
