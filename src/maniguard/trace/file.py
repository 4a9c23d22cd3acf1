"""The file format `maniguard-trace`: one HDF5 file per rollout, readable with h5py alone (docs/formats.md)."""

from __future__ import annotations

import hashlib
import io
import json
import os
from pathlib import Path
from typing import Any

import h5py
import numpy as np
from numpy.typing import NDArray

from maniguard.errors import ManiguardError
from maniguard.files import canonical_json, write_atomic
from maniguard.trace.codec import (
    CodecError,
    record_from_dict,
    record_to_dict,
    scene_from_dict,
)
from maniguard.trace.frame import CHANNELS, CONTACT_FIELDS, FRAME_FIELDS, Channel, Contacts
from maniguard.trace.scene import SceneError
from maniguard.trace.trace import Event, Trace, TraceError, TraceMeta, trace_arrays, update_with_array

FORMAT = "maniguard-trace"
VERSION = (1, 0)


class TraceFileError(ManiguardError):
    """A file that is not a whole, unharmed trace of a version that this package reads."""


def write_trace(path: str | os.PathLike[str], trace: Trace) -> None:
    """Write `trace` to `path` atomically; equal traces with equal meta data give equal bytes."""
    arrays = trace_arrays(trace)
    texts = _texts(trace)
    buffer = io.BytesIO()
    with h5py.File(buffer, "w", libver=("v110", "v110")) as file:
        file.attrs["format"] = FORMAT
        file.attrs["version"] = np.array(VERSION, np.int32)
        file.attrs["frames"] = len(trace)
        file.attrs["digest"] = trace.digest()
        file.attrs["checksum"] = _checksum(arrays, texts)
        for name, text in texts.items():
            file.create_dataset(name, data=np.frombuffer(text, np.uint8), **_storage(len(text)))
        for name, array in arrays.items():
            file.create_dataset(name, data=array, **_storage(array.size))
    write_atomic(Path(path), buffer.getvalue())


def _storage(size: int) -> dict[str, Any]:
    # HDF5 cannot chunk an empty array, and a filter on a handful of values only costs space. Level 4 packs within one
    # per cent of level 6, in two thirds of the time.
    if size < 64:
        return {"track_times": False}
    return {"track_times": False, "compression": "gzip", "compression_opts": 4, "shuffle": True}


def _texts(trace: Trace) -> dict[str, bytes]:
    return {
        "scene": trace.scene_json,
        "channels": canonical_json({name: channel._asdict() for name, channel in trace.channels.items()}),
        "events": canonical_json([record_to_dict(event) for event in trace.events]),
        "meta": canonical_json(record_to_dict(trace.meta)),
    }


def _checksum(arrays: dict[str, NDArray[np.generic]], texts: dict[str, bytes]) -> str:
    sha = hashlib.sha256()
    for name in sorted(texts):
        sha.update(f"{name} {len(texts[name])}\n".encode())
        sha.update(texts[name])
    for name in sorted(arrays):
        update_with_array(sha, name, arrays[name])
    return sha.hexdigest()


def read_trace(path: str | os.PathLike[str]) -> Trace:
    """Read a trace and check that it is whole.

    Raises TraceFileError where the file is missing, truncated, damaged, no trace, or of another major version.
    Additions of a later minor version are passed over.
    """
    where = Path(path)
    if not where.is_file():
        raise TraceFileError(f"{where}: no such file")
    try:
        with h5py.File(where, "r") as file:
            version = _check_format(file, where)
            arrays, texts = _read_all(file)
            attributes = {name: file.attrs[name] for name in ("frames", "digest", "checksum") if name in file.attrs}
    except (OSError, RuntimeError, KeyError) as error:
        raise TraceFileError(f"{where}: truncated or damaged, HDF5 says: {_one_line(error)}") from error
    if attributes.get("checksum") != _checksum(arrays, texts):
        raise TraceFileError(f"{where}: damaged, its content does not match the checksum it was written with")
    try:
        trace = _assemble(arrays, texts)
    except KeyError as error:
        raise TraceFileError(f"{where}: incomplete, {error.args[0]!r} is missing") from error
    except (CodecError, SceneError, TraceError, ValueError, TypeError) as error:
        raise TraceFileError(f"{where}: not a valid trace: {_one_line(error)}") from error
    if version == VERSION and attributes.get("digest") != trace.digest():
        raise TraceFileError(f"{where}: damaged, its content does not match its digest")
    return trace


def _one_line(error: BaseException) -> str:
    return " ".join(str(error).split())


def _check_format(file: h5py.File, where: Path) -> tuple[int, int]:
    name = file.attrs.get("format")
    if name != FORMAT:
        raise TraceFileError(f"{where}: an HDF5 file, but of format {name!r}, not {FORMAT!r}")
    found = np.asarray(file.attrs["version"])
    if found.shape != (2,) or found.dtype.kind not in "iu":
        raise TraceFileError(f"{where}: damaged, its version is {found.tolist()!r}, not two whole numbers")
    major, minor = (int(value) for value in found)
    if major != VERSION[0]:
        raise TraceFileError(f"{where}: {FORMAT} version {major}.{minor}; this package reads version {VERSION[0]}.*")
    return major, minor


def _read_all(file: h5py.File) -> tuple[dict[str, NDArray[np.generic]], dict[str, bytes]]:
    arrays: dict[str, NDArray[np.generic]] = {}
    texts: dict[str, bytes] = {}

    def visit(name: str, item: h5py.Dataset | h5py.Group) -> None:
        if not isinstance(item, h5py.Dataset):
            return
        if "/" in name:
            arrays[name] = item[()]
        else:
            texts[name] = bytes(item[()])

    file.visititems(visit)
    return arrays, texts


def _assemble(arrays: dict[str, NDArray[np.generic]], texts: dict[str, bytes]) -> Trace:
    records = {name: json.loads(texts[name]) for name in ("scene", "channels", "events", "meta")}
    channels = {
        name: Channel(value["provenance"], value["sampling"])
        for name, value in records["channels"].items()
        if name in CHANNELS
    }
    for array in arrays.values():
        array.setflags(write=False)
    return Trace(
        scene=scene_from_dict(records["scene"]),
        channels=channels,
        columns={name: arrays[f"frames/{name}"] for name in FRAME_FIELDS},
        contacts=Contacts(**{name: arrays[f"contacts/{name}"] for name in CONTACT_FIELDS}),  # type: ignore[arg-type]
        contact_offsets=arrays["contacts/offsets"],  # type: ignore[arg-type]
        events=tuple(record_from_dict(Event, item, f"events[{index}]") for index, item in enumerate(records["events"])),
        meta=record_from_dict(TraceMeta, records["meta"], "meta"),
    )
