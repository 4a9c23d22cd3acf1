"""LeRobot data sets, versions 2.1 and 3.0, read with pyarrow: their columns of numbers, never their videos."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from maniguard.audit.errors import AuditError
from maniguard.audit.recording import Context, Recording, digest_of, digest_of_file, file_name, meta_of, success_events
from maniguard.audit.robomimic import one_line
from maniguard.audit.samples import F64
from maniguard.audit.series import samples_of
from maniguard.audit.table import TableLog
from maniguard.audit.uniform import uniform_trace
from maniguard.trace import Trace

SOURCE = "lerobot"
VERSIONS = ("v2.0", "v2.1", "v3.0")
_SUCCESS = "next.success"


def find_episodes(path: Path, context: Context) -> Iterator[Recording]:
    """Find the episodes of a data set; AuditError where its meta data cannot be read."""
    info = _info(path)
    family = context.mapping.dataset or path.resolve().name
    order: dict[str, int] = {}
    digests: dict[Path, str] = {}
    for episode in _episodes(path, info):
        tasks = [str(task) for task in episode.get("tasks") or ()]
        text = tasks[0] if tasks else ""
        place = order.setdefault(text, len(order))
        number = int(episode["episode_index"])
        file = _data_file(path, info, episode)
        fault = None
        if file not in digests:
            digests[file] = digest_of_file(file) if file.is_file() else ""
        if not digests[file]:
            fault = f"{file}: the episode's data file is missing"
        yield Recording(
            SOURCE,
            str(path),
            f"episode {number}",
            family,
            file_name(f"{place:02d}-{text}" if text else path.resolve().name)[:80],
            number,
            digest_of(digests[file].encode(), str(number).encode()),
            instruction=text,
            index=place,
            fault=fault,
        )


def load_episode(recording: Recording, context: Context) -> Trace:
    """Read one episode."""
    path = Path(recording.path)
    columns, rate = episode_columns(path, recording.seed)
    mapping = context.mapping
    time_s = np.arange(len(next(iter(columns.values())))) / rate
    if mapping.time is not None:
        name = mapping.time.names[0]
        if name not in columns:
            raise AuditError(f"{mapping.time.where}: the data set has no column {name!r}; it has {', '.join(columns)}")
        time_s = columns[name][:, 0] * mapping.time.scale
    elif "timestamp" in columns:
        time_s = columns["timestamp"][:, 0]
    samples = samples_of(TableLog(time_s, columns), mapping, rate_hz=None if mapping.rate_hz else rate)
    if mapping.success is None and _SUCCESS in columns:
        samples = replace(samples, events=success_events(time_s, columns[_SUCCESS][:, 0]))
    return uniform_trace(samples, meta_of(recording, context))


def episode_columns(path: Path, number: int) -> tuple[dict[str, F64], float]:
    """Return the numeric columns of one episode (S, D) each, and the data set's rate in Hz.

    A feature whose parts have names is there as a whole and, part by part, as FEATURE.PART.
    """
    info = _info(path)
    episode = next((e for e in _episodes(path, info) if int(e["episode_index"]) == number), None)
    if episode is None:
        raise AuditError(f"the data set has no episode {number}")
    file = _data_file(path, info, episode)
    try:
        whole = _table(file, file.stat().st_mtime_ns)
        table = whole.filter(pc.equal(whole.column("episode_index"), number))
    except (OSError, pa.ArrowException, KeyError) as error:
        raise AuditError(f"{file}: truncated or damaged: {one_line(error)}") from error
    if not table.num_rows:
        raise AuditError(f"{file} has no row of episode {number}")
    if "frame_index" in table.column_names:
        table = table.sort_by("frame_index")
    stated = int(episode.get("length", table.num_rows))
    if stated != table.num_rows:
        raise AuditError(f"{file} has {table.num_rows} rows of episode {number}, the data set's index says {stated}")
    columns: dict[str, F64] = {}
    for name in table.column_names:
        values = _numbers(table.column(name))
        if values is not None:
            columns[name] = values
            columns |= {f"{name}.{part}": values[:, [i]] for i, part in enumerate(_part_names(info, name, values))}
    return columns, float(info["fps"])


@lru_cache(maxsize=1)
def _table(file: Path, changed: int) -> pa.Table:
    """Return a data file, which many episodes may share.

    Neither with a filter nor with threads: in a damaged file these can wait for each other for ever.
    """
    return pq.ParquetFile(file).read(use_threads=False)


def reward_of_episode(path: Path, number: int, count: int) -> np.ndarray | None:
    """Return the success flag of an episode (count,), from next.success or a reward of 1; None where there is none."""
    if not (path / "meta" / "info.json").is_file():
        return None
    columns, _ = episode_columns(path, number)
    values = columns.get(_SUCCESS, columns.get("next.reward"))
    if values is None:
        return None
    if len(values) != count:
        raise AuditError(f"the data set has {len(values)} rows of episode {number}, its extras {count} states")
    return values[:, 0]


def _info(path: Path) -> dict[str, Any]:
    file = path / "meta" / "info.json"
    try:
        info = json.loads(file.read_text("utf-8"))
        version, rate = str(info["codebase_version"]), float(info["fps"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise AuditError(f"{file} is missing or damaged: {one_line(error)}") from error
    if version not in VERSIONS:
        raise AuditError(f"{file}: LeRobot format {version!r}; this version reads {', '.join(VERSIONS)}")
    if not rate > 0:
        raise AuditError(f"{file}: fps is {rate}")
    result: dict[str, Any] = info
    return result


def _episodes(path: Path, info: dict[str, Any]) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    try:
        if info["codebase_version"] == "v3.0":
            files = sorted((path / "meta" / "episodes").glob("chunk-*/file-*.parquet"))
            wanted = ("episode_index", "tasks", "length", "data/chunk_index", "data/file_index")
            for file in files:
                names = [name for name in wanted if name in pq.read_schema(file).names]
                found += pq.ParquetFile(file).read(columns=names, use_threads=False).to_pylist()
        else:
            lines = (path / "meta" / "episodes.jsonl").read_text("utf-8").splitlines()
            found = [json.loads(line) for line in lines if line.strip()]
        found.sort(key=lambda episode: int(episode["episode_index"]))
    except (OSError, ValueError, KeyError, TypeError, pa.ArrowException) as error:
        raise AuditError(f"{path}: the list of episodes is missing or damaged: {one_line(error)}") from error
    if not found:
        raise AuditError(f"{path}: the data set lists no episode")
    return found


def _data_file(path: Path, info: dict[str, Any], episode: dict[str, Any]) -> Path:
    number = int(episode["episode_index"])
    chunks = int(info.get("chunks_size", 1000))
    v3 = info["codebase_version"] == "v3.0"
    usual = "data/chunk-{chunk_index:03d}/file-{file_index:03d}.parquet" if v3 else (
        "data/chunk-{episode_chunk:03d}/episode_{episode_index:06d}.parquet"
    )  # fmt: skip
    try:
        name = str(info.get("data_path") or usual).format(
            chunk_index=int(episode.get("data/chunk_index", 0)),
            file_index=int(episode.get("data/file_index", 0)),
            episode_chunk=number // chunks,
            episode_index=number,
        )
    except (KeyError, ValueError, IndexError) as error:
        raise AuditError(
            f"{path}: data_path of meta/info.json is {info.get('data_path')!r}, which says no file"
        ) from error
    return path / name


def _numbers(column: pa.ChunkedArray) -> F64 | None:
    """Return a column as numbers (S, D), None where it holds something else."""
    kind = column.type
    if pa.types.is_boolean(kind) or pa.types.is_integer(kind) or pa.types.is_floating(kind):
        return np.asarray(column.cast(pa.float64()).to_numpy(zero_copy_only=False), np.float64).reshape(-1, 1)
    if not (pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_fixed_size_list(kind)):
        return None
    inner = kind.value_type
    if not (pa.types.is_floating(inner) or pa.types.is_integer(inner) or pa.types.is_boolean(inner)):
        return None
    rows = column.to_pylist()
    widths = {len(row) if row is not None else -1 for row in rows}
    if len(widths) != 1 or widths & {-1, 0}:
        return None
    return np.array([[np.nan if value is None else value for value in row] for row in rows], np.float64)


def _part_names(info: dict[str, Any], name: str, values: F64) -> list[str]:
    names = (info.get("features") or {}).get(name, {}).get("names")
    if isinstance(names, dict):
        names = next((item for item in names.values() if isinstance(item, list)), None)
    if isinstance(names, list) and len(names) == values.shape[1] and values.shape[1] > 1:
        return [str(item) for item in names]
    return []
