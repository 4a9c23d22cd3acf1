"""MCAP logs of real robots: JSON messages, and those of ROS 2 where its decoder is installed."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping as Map
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from maniguard.audit.errors import DAMAGED, AuditError
from maniguard.audit.mapping import ColumnRef, Mapping
from maniguard.audit.recording import Context, Recording, meta_of, recording_of_file
from maniguard.audit.robomimic import one_line
from maniguard.audit.series import Series, samples_of
from maniguard.audit.uniform import uniform_trace
from maniguard.errors import alternatives
from maniguard.trace import Trace

SOURCE = "mcap"
_STEP = re.compile(r"([^.\[\]]+)|\[([^\]]*)\]")
_AXES = ("x", "y", "z", "w")


@dataclass(frozen=True)
class McapLog:
    """The columns of a log that a mapping asks for, by name: TOPIC#PATH."""

    columns: Map[str, Series]
    topics: tuple[str, ...]

    def names(self) -> tuple[str, ...]:
        """Return the columns that were found."""
        return tuple(self.columns)

    def series(self, name: str) -> Series:
        """Return a column."""
        return self.columns[name]


def find_log(path: Path, context: Context) -> Recording:
    """Describe one log, which is one rollout."""
    return recording_of_file(SOURCE, path, context)


def load_log(recording: Recording, context: Context) -> Trace:
    """Read one log."""
    log = read_log(Path(recording.path), context.mapping)
    return uniform_trace(samples_of(log, context.mapping), meta_of(recording, context))


def read_log(path: Path, mapping: Mapping) -> McapLog:
    """Read the columns that a mapping asks for.

    A column is TOPIC#PATH, where PATH goes into the message by dots, `[NUMBER]` into a list and `[NAME]` into the list
    beside a list `name`, as in sensor_msgs/JointState; a part with x, y, z (and w) is read in this order. Times are
    when the log received a message, or what the mapping's `time` names in it (seconds and nanoseconds are put
    together). AuditError for a missing topic or path, a message that cannot be decoded, a truncated file.
    """
    wanted: dict[str, list[str]] = {}
    for name in sorted(asked(mapping)):
        topic, mark, _ = name.partition("#")
        if not mark:
            raise AuditError(f"{mapping.path}: column {name!r} of a log must be TOPIC#PATH")
        wanted.setdefault(topic, []).append(name)
    times: dict[str, list[float]] = {name: [] for names in wanted.values() for name in names}
    values: dict[str, list[list[float]]] = {name: [] for name in times}
    topics = _read(path, wanted, mapping, times, values)
    for topic in wanted:
        if topic not in topics:
            raise AuditError(f"{mapping.path}: the log has no topic {topic!r}; it has {alternatives(topics, limit=40)}")
    columns: dict[str, Series] = {}
    for name, rows in values.items():
        if len({len(row) for row in rows}) != 1:
            raise AuditError(f"column {name!r} has {'no messages' if not rows else 'a changing number of values'}")
        columns[name] = Series(np.array(times[name], np.float64), np.array(rows, np.float64))
    return McapLog(columns, topics)


def asked(mapping: Mapping) -> set[str]:
    """Return the columns that a mapping names anywhere but in `time`."""
    found: set[str] = set()

    def visit(value: Any) -> None:
        if isinstance(value, ColumnRef):
            found.update(value.names)
        elif isinstance(value, tuple | list):
            for item in value:
                visit(item)
        elif hasattr(value, "__dataclass_fields__"):
            for key in value.__dataclass_fields__:
                if not (value is mapping and key == "time"):
                    visit(getattr(value, key))

    visit(mapping)
    return found


def _read(
    path: Path,
    wanted: Map[str, list[str]],
    mapping: Mapping,
    times: dict[str, list[float]],
    values: dict[str, list[list[float]]],
) -> tuple[str, ...]:
    reader_module = _module("mcap.reader", "reading MCAP")
    mcap_error = _module("mcap.exceptions", "reading MCAP").McapError
    mistakes = (*DAMAGED, mcap_error, _module("zstandard", "reading MCAP").ZstdError)
    topics: set[str] = set()
    start: int | None = None
    decoders: dict[int, Any] = {}
    try:
        with open(path, "rb") as handle:
            reader = reader_module.make_reader(handle)
            summary = reader.get_summary()
            if summary is not None:
                topics.update(channel.topic for channel in summary.channels.values())
            for schema, channel, message in reader.iter_messages(topics=list(wanted), log_time_order=True):
                topics.add(channel.topic)
                content = _decoded(schema, channel, message, decoders)
                start = message.log_time if start is None else start
                when = _when(content, message.log_time, start, mapping)
                for name in wanted[channel.topic]:
                    times[name].append(when)
                    values[name].append(_numbers(content, name))
    except mistakes as error:
        raise AuditError(f"{path}: truncated, damaged or no MCAP file: {one_line(error)}") from error
    return tuple(sorted(topics))


def _module(name: str, what: str) -> Any:
    try:
        return import_module(name)
    except ImportError as error:
        raise AuditError(f"{what} needs an optional package: pip install 'maniguard[audit]' ({error})") from error


def _decoded(schema: Any, channel: Any, message: Any, decoders: dict[int, Any]) -> Any:
    encoding = channel.message_encoding
    if encoding == "json":
        return json.loads(message.data)
    if encoding == "cdr":
        if channel.id not in decoders:
            factory = _module("mcap_ros2.decoder", "reading ROS 2 messages").DecoderFactory()
            decoders[channel.id] = factory.decoder_for(encoding, schema)
        if decoders[channel.id] is not None:
            return decoders[channel.id](message.data)
    raise AuditError(
        f"topic {channel.topic!r} has messages of encoding {encoding!r}; this version reads json, and cdr of ROS 2"
    )


def _when(content: Any, log_time: int, start: int, mapping: Mapping) -> float:
    """Return a message's time in seconds: what the mapping names in it, else when it was logged, from the start."""
    if mapping.time is None:
        return (log_time - start) * 1e-9
    path = mapping.time.names[0].partition("#")[2] or mapping.time.names[0]
    stamp = _walk(content, path, mapping.time.names[0])
    seconds = _part(stamp, "sec")
    if seconds is not None:
        rest = _part(stamp, "nanosec")
        return float(seconds) + float(_part(stamp, "nsec") or 0 if rest is None else rest) * 1e-9
    return float(stamp) * mapping.time.scale


def _numbers(content: Any, name: str) -> list[float]:
    found = _walk(content, name.partition("#")[2], name)
    axes = [_part(found, axis) for axis in _AXES]
    if axes[0] is not None:
        found = [value for value in axes if value is not None]
    elif _part(found, "force") is not None and _part(found, "torque") is not None:
        found = [*_numbers(found, "#force"), *_numbers(found, "#torque")]
    listed = list(found) if hasattr(found, "__iter__") and not isinstance(found, str | dict) else [found]
    try:
        return [float(value) for value in listed]
    except (TypeError, ValueError) as error:
        raise AuditError(f"column {name!r} holds {type(found).__name__}, not numbers") from error


def _walk(content: Any, path: str, name: str) -> Any:
    for key, index in _STEP.findall(path):
        before = content
        if key:
            content = _part(content, key)
        elif index.isdigit():
            content = content[int(index)] if int(index) < len(content) else None
        else:
            content = None
        if content is None and index:
            raise AuditError(f"column {name!r}: the message has no [{index}]")
        if content is None:
            raise AuditError(f"column {name!r}: the message has no {key!r}; it has {alternatives(_keys(before))}")
        if key and (inner := _named(before, path, key)) is not None:
            values, place = content, inner
            return values[place]
    return content


def _named(message: Any, path: str, key: str) -> int | None:
    """Return the place that `KEY[NAME]` at the end of a path means, by the list `name` beside KEY; None otherwise."""
    match = re.search(rf"(?:^|\.){re.escape(key)}\[([^\]]*[^\]0-9][^\]]*)\]$", path)
    names = _part(message, "name")
    if match is None or names is None:
        return None
    listed = list(names)
    if match[1] not in listed:
        raise AuditError(f"{key}[{match[1]}]: the message names {alternatives(map(str, listed))}")
    return listed.index(match[1])


def _part(message: Any, key: str) -> Any:
    if isinstance(message, dict):
        return message.get(key)
    return getattr(message, key, None)


def _keys(message: Any) -> list[str]:
    if isinstance(message, dict):
        return list(message)
    return [key for key in getattr(message, "__slots__", None) or vars(message) if not key.startswith("_")]
