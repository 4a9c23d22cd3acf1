"""Plain tables: npz with one array per column, or CSV with a header."""

from __future__ import annotations

import csv
from collections.abc import Mapping as Map
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from maniguard.audit.errors import AuditError
from maniguard.audit.mapping import Mapping
from maniguard.audit.recording import Context, Recording, meta_of, recording_of_file
from maniguard.audit.robomimic import read_npz
from maniguard.audit.samples import F64
from maniguard.audit.series import Series, samples_of
from maniguard.audit.uniform import uniform_trace
from maniguard.errors import alternatives
from maniguard.trace import Trace

SOURCE = "table"


@dataclass(frozen=True)
class TableLog:
    """Columns that share their times."""

    time_s: F64
    columns: Map[str, F64]

    def names(self) -> tuple[str, ...]:
        """Return the names of all columns."""
        return tuple(self.columns)

    def series(self, name: str) -> Series:
        """Return a column as (S, D)."""
        return Series(self.time_s, self.columns[name])


def find_table(path: Path, context: Context) -> Recording:
    """Describe one file, which is one rollout."""
    return recording_of_file(SOURCE, path, context)


def load_table(recording: Recording, context: Context) -> Trace:
    """Read one file."""
    path = Path(recording.path)
    columns = _csv(path) if path.suffix.lower() == ".csv" else _npz(path)
    log = TableLog(times_of(columns, context.mapping), columns)
    return uniform_trace(samples_of(log, context.mapping), meta_of(recording, context))


def times_of(columns: Map[str, F64], mapping: Mapping) -> F64:
    """Return the times of a table (S,) in seconds: the mapping's column, or its rate where it names none."""
    if not columns:
        raise AuditError("it has no columns")
    count = len(next(iter(columns.values())))
    for name, values in columns.items():
        if len(values) != count:
            raise AuditError(f"column {name!r} has {len(values)} rows, the others {count}")
    if mapping.time is None:
        if mapping.rate_hz is None:
            raise AuditError(f"{mapping.path}: neither 'time' nor 'rate_hz' says when the rows were recorded")
        return np.arange(count) / mapping.rate_hz
    name = mapping.time.names[0]
    if name not in columns:
        raise AuditError(
            f"{mapping.time.where}: the recording has no column {name!r}; it has {alternatives(columns, limit=40)}"
        )
    return columns[name][:, 0] * mapping.time.scale


def _npz(path: Path) -> dict[str, F64]:
    found = {}
    for name, array in read_npz(path).items():
        if array.ndim == 0 or array.dtype.kind not in "fiub":
            continue
        found[name] = np.asarray(array, np.float64).reshape(len(array), -1)
    longest = max((len(values) for values in found.values()), default=0)
    # Constants and settings beside the columns are no columns.
    return {name: values for name, values in found.items() if len(values) == longest}


def _csv(path: Path) -> dict[str, F64]:
    try:
        with open(path, newline="", encoding="utf-8-sig") as handle:
            rows = list(csv.reader(handle))
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise AuditError(f"{path}: no CSV: {' '.join(str(error).split())}") from error
    if len(rows) < 2:
        raise AuditError(f"{path}: a header and at least one row are needed")
    header = [name.strip() for name in rows[0]]
    table = np.full((len(rows) - 1, len(header)), np.nan)
    for number, row in enumerate(rows[1:]):
        if len(row) != len(header):
            raise AuditError(f"{path}: line {number + 2} has {len(row)} cells, the header {len(header)}")
        for place, cell in enumerate(row):
            try:
                table[number, place] = float(cell)
            except ValueError:
                # Texts and empty cells are no numbers; whoever needs the column hears of it.
                continue
    return {name: table[:, [place]] for place, name in enumerate(header)}
