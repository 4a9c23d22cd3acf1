"""The table of a run on disk: Parquet parts that are added, never written anew, and the SQL that reads them as one."""

from __future__ import annotations

import glob
import hashlib
import re
from collections.abc import Iterable, Mapping
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from maniguard.evaluate import NOT_RUN, Run, RunError
from maniguard.files import write_atomic
from maniguard.metrics import PROTOCOLS
from maniguard.report import parquet
from maniguard.report.collect import Collector
from maniguard.report.view import RolloutView

# A part of so many rows is small, and what a killed runner has not put into one yet is soon made good.
PART_ROWS = 64

_NAME = re.compile(r"part-(\d{5,})\.parquet")
_CONTENT = ("rollout_id", "result_digest")


class PartWriter:
    """Puts finished rollouts of a run into parts, `PART_ROWS` at a time; the caller holds the run for writing."""

    def __init__(self, run: Run) -> None:
        self._run = run
        self._collectors = {protocol: Collector(run, protocol=protocol) for protocol in PROTOCOLS}
        self._waiting: list[str] = []
        self._folder = parts_folder(run)
        numbers = [int(match[1]) for path in part_paths(run) if (match := _NAME.fullmatch(path.name))]
        self._next = max(numbers, default=-1) + 1

    def add(self, rollout_id: str) -> None:
        """Take a finished rollout; a part is written when enough have come together."""
        self._waiting.append(rollout_id)
        if len(self._waiting) >= PART_ROWS:
            self.flush()

    def flush(self) -> None:
        """Write what has been taken and is in no part yet."""
        if self._waiting:
            self._write(self._waiting)
            self._waiting = []

    def settle(self) -> None:
        """Let every finished rollout stand in exactly one part, with the result that it has now."""
        self._waiting = []
        digests = _digests(self._run)
        known: set[str] = set()
        for path in part_paths(self._run):
            known |= _prune(path, digests, known)
        missing = [name for name in digests if name not in known]
        for start in range(0, len(missing), PART_ROWS):
            self._write(missing[start : start + PART_ROWS])
        if not part_paths(self._run):
            self._write([])

    def _write(self, names: Iterable[str]) -> None:
        self._folder.mkdir(exist_ok=True)
        content = rows_of(self._run, names, self._collectors)
        write_atomic(self._folder / f"part-{self._next:05d}.parquet", parquet.encode(content))
        self._next += 1


def write_parts(run: Run) -> Path:
    """Bring the parts of a run up to date with its results; return their folder. RunError while it is being written."""
    with run.exclusive():
        PartWriter(run).settle()
        write_atomic(run.path / "results.sql", views_sql(run).encode())
    return parts_folder(run)


def parts_folder(run: Run) -> Path:
    """Where the parts of a run are; any reader of Parquet takes the folder as one table."""
    return run.path / "rollouts"


def part_paths(run: Run) -> tuple[Path, ...]:
    """Return the parts of a run, the oldest first."""
    folder = parts_folder(run)
    return tuple(sorted(path for path in folder.glob("part-*.parquet") if _NAME.fullmatch(path.name)))


def result_digest(run: Run, rollout_id: str) -> str:
    """Return the sha256 of a result file, by which a row is known to speak of it."""
    return hashlib.sha256(run.result_path(rollout_id).read_bytes()).hexdigest()


def rows_of(run: Run, names: Iterable[str], collectors: Mapping[str, Collector] | None = None) -> pa.Table:
    """Return the table of some finished rollouts, in the order given."""
    if collectors is None:
        collectors = {protocol: Collector(run, protocol=protocol) for protocol in PROTOCOLS}
    views: dict[str, list[RolloutView]] = {protocol: [] for protocol in PROTOCOLS}
    digests = []
    for name in names:
        result = run.result(name)
        digests.append(result_digest(run, name))
        for protocol, collector in collectors.items():
            views[protocol].append(collector.rollout(result))
    return parquet.table(views, run.plan, digests)


def settled(run: Run) -> bool:
    """Say whether every finished rollout stands in exactly one part, with the result that it has now, and no other."""
    paths = part_paths(run)
    rows = sorted(row for path in paths for row in _content(path).items())
    return bool(paths) and rows == sorted(_digests(run).items())


def _digests(run: Run) -> dict[str, str]:
    finished = (item.rollout_id for item in run.plan.items if run.result_path(item.rollout_id).exists())
    return {name: result_digest(run, name) for name in finished}


def views_sql(run: Run, folder: str = "") -> str:
    """Return the DuckDB statements that make the views `rollouts`, `episodes`, `ledger` and `timing` of a run.

    Paths begin with `folder`; by default they are relative to the run folder.
    """
    # DuckDB takes paths for patterns, which the name of a folder is not meant to be.
    where = glob.escape(folder).replace("'", "''")
    missing = NOT_RUN if run.stopped is not None and not run.pending() else "pending"
    statements = [
        "-- The tables of this run as DuckDB views. In the run folder:  duckdb -init results.sql",
        f"CREATE OR REPLACE VIEW rollouts AS SELECT * FROM read_parquet('{where}rollouts/part-*.parquet');",
        "CREATE OR REPLACE VIEW episodes AS SELECT rollout_id, scenario_id, family, task, condition, seed, policy, "
        "unnest(episodes, recursive := true) FROM rollouts;",
        "CREATE OR REPLACE VIEW ledger AS SELECT planned.rollout_id, planned.scenario_id, planned.seed, "
        f"coalesce(r.status, '{missing}') AS status FROM (SELECT unnest(items, recursive := true) FROM "
        f"read_json('{where}plan.json', maximum_object_size = 1073741824)) AS planned "
        "LEFT JOIN rollouts AS r USING (rollout_id);",
    ]
    if any((run.path / "timing").glob("*.json")):
        parts = ", ".join(f"durations_s['{name}'] AS {name}" for name in _DURATIONS)
        columns = "{rollout_id: 'VARCHAR', steps: 'BIGINT', durations_s: 'MAP(VARCHAR, DOUBLE)'}"
        statements.append(
            f"CREATE OR REPLACE VIEW timing AS SELECT rollout_id, steps, {parts} "
            f"FROM read_json('{where}timing/*.json', columns = {columns});"
        )
    return "\n".join(statements) + "\n"


_DURATIONS = ("total_s", "build_s", "physics_s", "judging_s", "observing_s", "policy_s", "video_s")


def _content(path: Path) -> dict[str, str]:
    """Return which rollouts a part holds, and of which results it speaks."""
    try:
        table = pq.read_table(path, columns=list(_CONTENT))
    except (pa.ArrowException, KeyError) as error:
        text = " ".join(str(error).split())
        raise RunError(f"{path} is damaged ({text[:120]}); remove it, it is made anew from the results") from error
    names, digests = (table.column(name).to_pylist() for name in _CONTENT)
    return dict(zip(names, digests, strict=True))


def _prune(path: Path, digests: Mapping[str, str], elsewhere: set[str]) -> set[str]:
    """Drop rows of a part whose result has changed or gone, or that an older part holds; return those that stay."""
    content = _content(path)
    stay = {name for name, digest in content.items() if digests.get(name) == digest and name not in elsewhere}
    if len(stay) == len(content) and content:
        return stay
    if not stay:
        if content or digests:
            path.unlink()
        return stay
    table = pq.read_table(path)
    mask = pa.array([name in stay for name in table.column("rollout_id").to_pylist()])
    write_atomic(path, parquet.encode(table.filter(mask)))
    return stay
