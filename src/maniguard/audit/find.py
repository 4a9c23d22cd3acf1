"""What there is at a path, and how each kind of recording is read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path

import h5py

from maniguard.audit import lerobot, mcaplog, ownrun, robocasa, robomimic, table
from maniguard.audit.errors import AuditError
from maniguard.audit.recording import Context, Recording, digest_of, file_name
from maniguard.trace import Trace

SUFFIXES = (".hdf5", ".h5", ".npz", ".csv", ".mcap")

_LOADERS: Mapping[str, Callable[[Recording, Context], Trace]] = {
    robomimic.SOURCE: robomimic.load_demo,
    robomimic.FOLDER_SOURCE: robomimic.load_folder,
    robocasa.SOURCE: robocasa.load_extras,
    lerobot.SOURCE: lerobot.load_episode,
    table.SOURCE: table.load_table,
    mcaplog.SOURCE: mcaplog.load_log,
    ownrun.SOURCE: ownrun.load_trace,
}


def find_recordings(path: str | Path, context: Context) -> tuple[Recording, ...]:
    """Return every recording at `path`, a file or a folder, in a fixed order; what cannot be read is one with a fault.

    AuditError where there is nothing, or nothing of a known format.
    """
    where = Path(path)
    if not where.exists():
        raise AuditError(f"{where} does not exist")
    found = _distinct(list(_find(where, context)))
    if not found:
        raise AuditError(
            f"{where} holds no recording: no {', '.join(SUFFIXES)} file, LeRobot data set (meta/info.json), RoboCasa "
            "extras/, robosuite ep_*/, or run of ours (plan.json)"
        )
    return tuple(found)


def load_recording(recording: Recording, context: Context) -> Trace:
    """Return the trace of a recording; AuditError says in one line what is wrong with it."""
    if recording.fault is not None:
        raise AuditError(recording.fault)
    try:
        return _LOADERS[recording.source](recording, context)
    except AuditError as error:
        text = str(error)
        raise AuditError(text if text.startswith(recording.path) else f"{recording.where}: {text}") from error
    except OSError as error:
        raise AuditError(f"{recording.where}: {error.strerror or error}") from error


def _find(path: Path, context: Context) -> Iterator[Recording]:
    if path.is_file():
        yield from _find_in_file(path, context)
    elif (path / "plan.json").is_file():
        yield from ownrun.find_traces(path, context)
    elif (path / "extras").is_dir():
        yield from robocasa.find_extras(path, context)
    elif (path / "meta" / "info.json").is_file():
        yield from lerobot.find_episodes(path, context)
    elif (path / "model.xml").is_file() or any(path.glob("state_*.npz")):
        yield robomimic.find_folder(path, context)
    else:
        for child in sorted(path.iterdir(), key=lambda entry: robomimic.natural(entry.name)):
            if child.is_dir():
                yield from _find_in_child(child, context)
            elif child.suffix.lower() in SUFFIXES:
                yield from _find_in_file(child, context)


def _find_in_child(path: Path, context: Context) -> Iterator[Recording]:
    """Find what is in one of several folders; one that cannot be read must not keep the others from being audited."""
    try:
        yield from list(_find(path, context))
    except AuditError as error:
        family = context.mapping.dataset or path.resolve().parent.name
        digest = digest_of(path.name.encode())
        yield Recording("unreadable", str(path), "", family, file_name(path.name), 0, digest, fault=str(error))


def _find_in_file(path: Path, context: Context) -> Iterator[Recording]:
    suffix = path.suffix.lower()
    if suffix in (".hdf5", ".h5"):
        if _is_ours(path):
            yield ownrun.find_trace(path, context)
        else:
            yield from robomimic.find_in_file(path, context)
    elif suffix in (".npz", ".csv"):
        yield table.find_table(path, context)
    elif suffix == ".mcap":
        yield mcaplog.find_log(path, context)
    else:
        raise AuditError(f"{path} is no recording that this version reads; it reads {', '.join(SUFFIXES)} and folders")


def _is_ours(path: Path) -> bool:
    try:
        with h5py.File(path, "r") as file:
            return bool(file.attrs.get("format") == "maniguard-trace")
    except OSError:
        return False


def _distinct(found: list[Recording]) -> list[Recording]:
    """Tell recordings of one name in different folders apart by the folder's name, and then by number."""
    for rename in (_by_folder, _by_number):
        counts = Counter((item.scenario_id, item.seed) for item in found)
        found = [rename(item, n) if counts[item.scenario_id, item.seed] > 1 else item for n, item in enumerate(found)]
    return found


def _by_folder(item: Recording, _: int) -> Recording:
    return replace(item, task=file_name(f"{Path(item.path).resolve().parent.name}-{item.task}"))


def _by_number(item: Recording, number: int) -> Recording:
    return replace(item, task=file_name(f"{item.task[:80]}-{digest_of(item.where.encode())[:6]}-{number}"))
