"""SQL over the tables of one run or several, by DuckDB, which is optional."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from maniguard.errors import ManiguardError
from maniguard.evaluate import Run, RunBusyError, RunError, faults, incomparable
from maniguard.report.parts import part_paths, settled, views_sql, write_parts

_VIEWS = ("rollouts", "episodes", "ledger", "timing")


class QueryError(ManiguardError):
    """A query that cannot be answered."""


class Answer(NamedTuple):
    """The result of a query: names of the columns, and rows of Python values."""

    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]


def query(runs: Sequence[Run], sql: str) -> Answer:
    """Answer an SQL query over the views of some runs; every view has a column `run`, the path of the run folder.

    Views: `rollouts`, `episodes`, `ledger`, `timing`, `faults`. Runs may differ in policy and in their choice of
    rollouts; RunError says what else they differ in. Parts are brought up to date with the results first, unless
    another process is writing the run. QueryError: no DuckDB, or what it says of the query.
    """
    duckdb = _import_duckdb()
    if len({run.path.resolve() for run in runs}) < len(runs):
        raise RunError("a run is given twice; one rollout counts once")
    for run in runs[1:]:
        what = incomparable(runs[0].plan, run.plan)
        if what is not None:
            raise RunError(f"{run.path} and {runs[0].path} are no one table: {what}")
    for run in runs:
        _bring_up_to_date(run)
    # Nothing is fetched from anywhere: what DuckDB has not built in, it has not.
    with duckdb.connect(config={"autoinstall_known_extensions": False}) as connection:
        try:
            _make_views(connection, runs)
            answer = connection.execute(sql)
            columns = tuple(column[0] for column in answer.description or ())
            return Answer(columns, tuple(answer.fetchall()) if columns else ())
        except duckdb.Error as error:
            raise QueryError(f"DuckDB: {' '.join(str(error).split())}") from error


def _bring_up_to_date(run: Run) -> None:
    if settled(run):
        return
    try:
        write_parts(run)
    except RunBusyError:
        # Being written: what is in parts so far can be asked for, if anything is.
        if not part_paths(run):
            raise


def _make_views(connection: Any, runs: Sequence[Run]) -> None:
    import pyarrow as pa

    unions: dict[str, list[str]] = {name: [] for name in _VIEWS}
    for number, run in enumerate(runs):
        schema = f"run{number}"
        connection.execute(f"CREATE SCHEMA {schema}; USE {schema};")
        connection.execute(views_sql(run, f"{run.path.resolve()}/"))
        path = str(run.path).replace("'", "''")
        for name in _VIEWS:
            if name != "timing" or any((run.path / "timing").glob("*.json")):
                unions[name].append(f"SELECT '{path}' AS run, * FROM {schema}.{name}")
    connection.execute("USE main;")
    for name, parts in unions.items():
        if parts:
            connection.execute(f"CREATE VIEW main.{name} AS {' UNION ALL BY NAME '.join(parts)}")
    found = [{"run": str(run.path), **fault._asdict()} for run in runs for fault in faults(run)]
    columns = pa.schema([(name, pa.string()) for name in ("run", "rollout_id", "kind", "detail")])
    connection.register("faults", pa.Table.from_pylist(found, schema=columns))


def _import_duckdb() -> Any:
    try:
        import duckdb
    except ModuleNotFoundError as error:
        raise QueryError("queries need duckdb: pip install 'maniguard[query]'") from error
    return duckdb


def render_value(value: Any) -> str:
    """Return a value of an answer as a table shows it."""
    if value is None:
        return "–"
    if isinstance(value, float):
        return f"{value:.6g}"
    return str(value) if not isinstance(value, Path) else value.name
