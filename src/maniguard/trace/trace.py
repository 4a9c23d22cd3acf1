"""One rollout as columns: the frames of a scene stacked over time, with events and the rollout's identity."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields
from functools import cached_property

import numpy as np
from numpy.typing import DTypeLike, NDArray

from maniguard.errors import ManiguardError, alternatives
from maniguard.files import canonical_json
from maniguard.trace.codec import scene_to_dict
from maniguard.trace.frame import CHANNELS, CONTACT_FIELDS, FRAME_FIELDS, Channel, Contacts, Frame
from maniguard.trace.scene import Scene

ARM_JOINTS = 7
ACTION_SIZE = 8


class TraceError(ManiguardError):
    """A frame or a trace that does not fit its scene."""


@dataclass(frozen=True)
class Event:
    """Something that happened at a frame and is not a physical quantity: a fault, the end of the policy's time."""

    step: int
    kind: str
    detail: str = ""


@dataclass(frozen=True)
class TraceMeta:
    """Where a trace comes from; every value can be written as JSON.

    `task` is the index within the family, `step_limit` the number of control steps that the policy has, None where
    there is no limit. `identity` is the protocol identity: results of different identities are never merged silently.
    """

    control_rate_hz: float
    scenario_id: str = ""
    scenario_hash: str = ""
    family: str = ""
    variant: str = ""
    task: int | str = 0
    condition: str = ""
    instruction: str = ""
    seed: int = 0
    policy: str = ""
    step_limit: int | None = None
    identity: Mapping[str, str | int | float] = field(default_factory=dict)


def column_types(scene: Scene) -> dict[str, tuple[tuple[int, ...], np.dtype[np.generic]]]:
    """Return the shape (of one frame) and the stored type of every frame field of `scene`, in declaration order."""
    entities, parts, joints = len(scene.entities), len(scene.moving_parts), len(scene.joint_columns)
    grains, dust = len(scene.grain_groups), len(scene.dust_groups)
    f32, f64, i32 = np.dtype(np.float32), np.dtype(np.float64), np.dtype(np.int32)
    types: dict[str, tuple[tuple[int, ...], np.dtype[np.generic]]] = {
        "time_s": ((), f64),
        "position_m": ((entities, 3), f32),
        "quat_wxyz": ((entities, 4), f32),
        "linear_m_s": ((entities, 3), f32),
        "angular_rad_s": ((entities, 3), f32),
        "peak_descent_m_s": ((entities,), f32),
        "part_position_m": ((parts, 3), f32),
        "part_quat_wxyz": ((parts, 4), f32),
        "joint_position": ((joints,), f32),
        "joint_velocity": ((joints,), f32),
        "robot_qpos_rad": ((ARM_JOINTS,), f32),
        "robot_qvel_rad_s": ((ARM_JOINTS,), f32),
        "gripper_opening_m": ((), f32),
        "tcp_position_m": ((3,), f32),
        "tcp_quat_wxyz": ((4,), f32),
        "wrench": ((6,), f32),
        "action": ((ACTION_SIZE,), f32),
        "action_saturated": ((), i32),
        "grains_inside": ((grains,), i32),
        "grains_air": ((grains,), i32),
        "grains_lost": ((grains,), i32),
        "dust_left": ((dust,), i32),
    }
    assert tuple(types) == FRAME_FIELDS
    return types


_CONTACT_TYPES: dict[str, tuple[tuple[int, ...], DTypeLike]] = {
    "entity_a": ((), np.int16),
    "part_a": ((), np.int16),
    "entity_b": ((), np.int16),
    "part_b": ((), np.int16),
    "normal": ((3,), np.float32),
    "position_m": ((3,), np.float32),
    "peak_force_n": ((), np.float32),
    "impulse_n_s": ((), np.float32),
    "distance_m": ((), np.float32),
    "at_end": ((), np.bool_),
}


@dataclass(frozen=True)
class Trace:
    """A whole rollout. `columns` holds every frame field stacked over T frames; frame 0 is the settled start.

    `contacts` are the contact rows of all frames one after the other, and rows `contact_offsets[t]` up to
    `contact_offsets[t + 1]` belong to frame t. Arrays are read-only.
    """

    scene: Scene
    channels: Mapping[str, Channel]
    columns: Mapping[str, NDArray[np.generic]]
    contacts: Contacts
    contact_offsets: NDArray[np.int64]
    events: tuple[Event, ...]
    meta: TraceMeta

    def __post_init__(self) -> None:
        check_channels(self.channels)
        check_columns(self)

    def __len__(self) -> int:
        return int(self.contact_offsets.shape[0]) - 1

    @property
    def control_rate_hz(self) -> float:
        """Control steps per second; one frame follows the other after its inverse."""
        return self.meta.control_rate_hz

    def column(self, name: str) -> NDArray[np.generic]:
        """Return the frame field `name` stacked over time, shape (T, ...); TraceError lists the fields."""
        if name not in self.columns:
            raise TraceError(f"a trace has no column {name!r}; it has {alternatives(self.columns, limit=30)}")
        return self.columns[name]

    def frame_contacts(self, step: int) -> Contacts:
        """Return the contact rows of frame `step`."""
        first, last = int(self.contact_offsets[step]), int(self.contact_offsets[step + 1])
        return Contacts(**{name: getattr(self.contacts, name)[first:last] for name in CONTACT_FIELDS})

    def frame(self, step: int) -> Frame:
        """Return frame `step`, equal to the bit to the one that was appended; IndexError outside the trace."""
        if not 0 <= step < len(self):
            raise IndexError(f"frame {step} of a trace of {len(self)} frames")
        values = {name: self.columns[name][step] for name in FRAME_FIELDS}
        values["time_s"] = float(values["time_s"])
        values["action_saturated"] = int(values["action_saturated"])
        return Frame(contacts=self.frame_contacts(step), **values)

    def frames(self) -> Iterator[Frame]:
        """Iterate over the frames in time order."""
        return (self.frame(step) for step in range(len(self)))

    def digest(self) -> str:
        """Return the sha256 (hex) of what happened: scene, channels, rate, columns, contacts and events.

        The identity in `meta` is left out, so that equal rollouts of different seeds or policies are seen to be
        equal; machine, clock and file layout have no part in it. NaNs are all the same, whatever their bits.
        """
        return self._digest

    @cached_property
    def scene_json(self) -> bytes:
        """The scene in canonical JSON, as it is hashed and stored."""
        return canonical_json(scene_to_dict(self.scene))

    @cached_property
    def _digest(self) -> str:
        sha = hashlib.sha256(b"maniguard-trace-digest/1\n")
        sha.update(self.scene_json)
        sha.update(canonical_json({name: list(channel) for name, channel in self.channels.items()}))
        sha.update(canonical_json([[e.step, e.kind, e.detail] for e in self.events]))
        sha.update(f"{self.control_rate_hz!r}\n".encode())
        for name, array in trace_arrays(self).items():
            update_with_array(sha, name, array)
        return sha.hexdigest()


def trace_arrays(trace: Trace) -> dict[str, NDArray[np.generic]]:
    """Return every array of `trace` under its path in the file, in canonical order."""
    arrays = {f"frames/{name}": trace.columns[name] for name in FRAME_FIELDS}
    arrays.update({f"contacts/{name}": getattr(trace.contacts, name) for name in CONTACT_FIELDS})
    arrays["contacts/offsets"] = trace.contact_offsets
    return arrays


def update_with_array(sha: hashlib._Hash, name: str, array: NDArray[np.generic]) -> None:
    """Feed name, type, shape and little-endian content of `array` to a running hash."""
    little = np.ascontiguousarray(array, dtype=array.dtype.newbyteorder("<"))
    if little.dtype.kind == "f" and np.isnan(little).any():
        little = np.where(np.isnan(little), np.array(np.nan, little.dtype), little)
    sha.update(f"{name} {little.dtype.str} {array.shape}\n".encode())
    sha.update(little.tobytes())


def check_channels(channels: Mapping[str, Channel]) -> None:
    """Raise TraceError unless every channel is declared, with a provenance and a sampling that exist."""
    missing = [name for name in CHANNELS if name not in channels]
    unknown = [name for name in channels if name not in CHANNELS]
    if missing:
        raise TraceError(f"channels not declared: {alternatives(missing)}; declare what is not there as absent")
    if unknown:
        raise TraceError(f"unknown channels {alternatives(unknown)}; valid are {alternatives(CHANNELS, limit=30)}")
    for name, channel in channels.items():
        if channel.provenance not in ("measured", "recomputed", "absent"):
            raise TraceError(
                f"channel {name!r}: provenance {channel.provenance!r} is not measured, recomputed or absent"
            )
        if channel.sampling not in ("latched", "instantaneous"):
            raise TraceError(f"channel {name!r}: sampling {channel.sampling!r} is not latched or instantaneous")


def check_columns(trace: Trace) -> None:
    """Raise TraceError unless all arrays of `trace` have the shapes and types that its scene asks for."""
    frames, rows = len(trace), len(trace.contacts)
    if frames < 1:
        raise TraceError("a trace has no frames; it needs at least frame 0, the settled start")
    for name, (shape, dtype) in column_types(trace.scene).items():
        _check_array(f"column {name!r}", trace.column(name), (frames, *shape), dtype)
    for name, (shape, kind) in _CONTACT_TYPES.items():
        _check_array(f"contact column {name!r}", getattr(trace.contacts, name), (rows, *shape), np.dtype(kind))
    offsets = trace.contact_offsets
    if offsets[0] != 0 or offsets[-1] != rows or (np.diff(offsets) < 0).any():
        raise TraceError(f"contact offsets do not divide {rows} contact rows into {frames} frames")
    for side in ("a", "b"):
        entities = getattr(trace.contacts, f"entity_{side}")
        if rows and (entities.min() < 0 or entities.max() >= len(trace.scene.entities)):
            raise TraceError(
                f"contact column 'entity_{side}' points outside the scene's {len(trace.scene.entities)} entities"
            )


def _check_array(what: str, array: NDArray[np.generic], shape: tuple[int, ...], dtype: np.dtype[np.generic]) -> None:
    if array.shape != shape or array.dtype != dtype:
        raise TraceError(f"{what} is {array.dtype}{array.shape}, but its scene asks for {dtype}{shape}")


class TraceBuilder:
    """Collects the frames of a rollout as they come and stacks them into a `Trace`.

    Raises TraceError for a frame whose arrays do not have the stored shapes and types: a frame is rounded when it is
    made, so that live and later verdicts see the same numbers.
    """

    def __init__(self, scene: Scene, channels: Mapping[str, Channel], meta: TraceMeta) -> None:
        check_channels(channels)
        rate = meta.control_rate_hz
        if not (np.isfinite(rate) and rate > 0):
            raise TraceError(f"control rate {rate!r} Hz is not a positive number")
        self._meta = meta
        self._scene = scene
        self._channels = dict(channels)
        self._types = column_types(scene)
        self._frames: list[Frame] = []
        self._events: list[Event] = []

    def __len__(self) -> int:
        return len(self._frames)

    def append(self, frame: Frame) -> None:
        """Add the next frame; its arrays are kept, not copied, and must not be written to afterwards."""
        step = len(self._frames)
        if self._frames and not frame.time_s > self._frames[-1].time_s:
            raise TraceError(f"frame {step}: time {frame.time_s} s does not come after {self._frames[-1].time_s} s")
        for name, (shape, dtype) in self._types.items():
            value = getattr(frame, name)
            if name in ("time_s", "action_saturated"):
                continue
            if not isinstance(value, np.ndarray | np.generic):
                raise TraceError(f"frame {step}: {name} is {type(value).__name__}, not {dtype}{shape}")
            if value.shape != shape or value.dtype != dtype:
                raise TraceError(f"frame {step}: {name} is {value.dtype}{value.shape}, not {dtype}{shape}")
        for name, (shape, kind) in _CONTACT_TYPES.items():
            value = getattr(frame.contacts, name)
            _check_array(f"frame {step}: contact {name!r}", value, (len(frame.contacts), *shape), np.dtype(kind))
        self._frames.append(frame)

    def event(self, step: int, kind: str, detail: str = "") -> None:
        """Note an event at frame `step`."""
        self._events.append(Event(step, kind, detail))

    def build(self) -> Trace:
        """Stack what was collected; TraceError without a single frame."""
        if not self._frames:
            raise TraceError("a trace has no frames; it needs at least frame 0, the settled start")
        columns: dict[str, NDArray[np.generic]] = {
            name: np.stack([np.asarray(getattr(frame, name), dtype) for frame in self._frames])
            for name, (_, dtype) in self._types.items()
        }
        rows = [len(frame.contacts) for frame in self._frames]
        stacked = {
            item.name: np.concatenate([getattr(frame.contacts, item.name) for frame in self._frames])
            for item in fields(Contacts)
        }
        offsets = np.concatenate([np.zeros(1, np.int64), np.cumsum(rows, dtype=np.int64)])
        for array in (*columns.values(), *stacked.values(), offsets):
            array.setflags(write=False)
        return Trace(
            scene=self._scene,
            channels=self._channels,
            columns=columns,
            contacts=Contacts(**stacked),
            contact_offsets=offsets,
            events=tuple(self._events),
            meta=self._meta,
        )
