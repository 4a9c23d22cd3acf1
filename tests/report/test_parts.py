"""The table of a run in parts: every finished rollout in exactly one, whatever happened to the runner."""

from __future__ import annotations

import json
from dataclasses import replace

import duckdb
import pyarrow.parquet as pq
import pytest
from tests.evaluate.short import short_run

from maniguard.evaluate import Fault, RunError, execute, open_run
from maniguard.evaluate.faults import record_fault
from maniguard.evaluate.store import Run
from maniguard.report import PartWriter, QueryError, query, write_parts
from maniguard.report.parts import part_paths, result_digest


@pytest.fixture(scope="module")
def played(tmp_path_factory):
    run = short_run(tmp_path_factory.mktemp("played") / "run", "random", tasks=2, seeds=(0, 1, 2), steps=2)
    execute(run, done=lambda item, status: None)
    return run


@pytest.fixture
def run(played, tmp_path):
    """A copy of the played run, without parts."""
    copy = short_run(tmp_path / "run", "random", tasks=2, seeds=(0, 1, 2), steps=2)
    for name in ("results", "traces", "timing"):
        for path in (played.path / name).iterdir():
            (copy.path / name / path.name).write_bytes(path.read_bytes())
    return copy


def names(run: Run) -> list[list[str]]:
    return [pq.read_table(path).column("rollout_id").to_pylist() for path in part_paths(run)]


def planned(run: Run) -> list[str]:
    return [item.rollout_id for item in run.plan.items]


def test_parts_are_added_and_never_written_anew(run):
    writer = PartWriter(run)
    for name in planned(run)[:2]:
        writer.add(name)
    writer.flush()
    first = part_paths(run)[0].read_bytes()
    write_parts(run)
    assert names(run) == [planned(run)[:2], planned(run)[2:]]
    assert part_paths(run)[0].read_bytes() == first
    before = [path.read_bytes() for path in part_paths(run)]
    write_parts(run)
    assert [path.read_bytes() for path in part_paths(run)] == before
    table = pq.read_table(run.path / "rollouts")
    assert table.column("result_digest").to_pylist() == [result_digest(run, name) for name in planned(run)]


def test_a_result_that_has_changed_or_gone_loses_its_row(run):
    write_parts(run)
    first, second = planned(run)[:2]
    run.result_path(first).unlink()
    path = run.result_path(second)
    path.write_text(json.dumps({**json.loads(path.read_text()), "fault": "x", "status": "policy-fault"}))
    write_parts(run)
    assert names(run) == [planned(run)[2:], [second]]
    assert pq.read_table(part_paths(run)[1]).column("status").to_pylist() == ["policy-fault"]


def test_a_row_that_two_parts_hold_stays_in_the_older(run):
    write_parts(run)
    part = part_paths(run)[0]
    part.with_name("part-00007.parquet").write_bytes(part.read_bytes())
    write_parts(run)
    assert names(run) == [planned(run)]


def test_a_damaged_part_is_named(run):
    write_parts(run)
    part_paths(run)[0].write_bytes(b"PAR1 no more")
    with pytest.raises(RunError, match=r"part-00000\.parquet is damaged"):
        write_parts(run)


def test_a_run_that_is_being_written_is_left_alone(run):
    with run.exclusive(), pytest.raises(RunError, match="another process"):
        write_parts(open_run(run.path))


def test_sql_over_a_run(run):
    name = planned(run)[0]
    run.result_path(name).unlink()
    record_fault(run, Fault(name, "worker-killed", "signal 9"))
    answer = query([run], "SELECT status, count(*) AS n FROM ledger GROUP BY 1 ORDER BY 1")
    assert answer == (("status", "n"), (("completed", 5), ("pending", 1)))
    assert query([run], "SELECT rollout_id, kind FROM faults").rows == ((name, "worker-killed"),)
    ((steps, total, parts),) = query(
        [run], "SELECT max(steps), count(total_s), bool_and(physics_s + judging_s < total_s) FROM timing"
    ).rows
    assert (steps, total, parts) == (22, 6, True)
    assert query([run], "SELECT DISTINCT policy, seed FROM rollouts ORDER BY seed").rows[2] == ("random", 2)
    assert query([run], "SELECT count(*) FROM episodes").columns == ("count_star()",)
    with pytest.raises(QueryError, match="nosuch"):
        query([run], "SELECT nosuch FROM rollouts")


def test_sql_counts_no_rollout_twice_and_none_that_is_gone(run):
    writer = PartWriter(run)
    for names_of_part in (planned(run), planned(run)[:1]):
        for name in names_of_part:
            writer.add(name)
        writer.flush()
    run.result_path(planned(run)[1]).unlink()
    assert query([run], "SELECT status, count(*) FROM ledger GROUP BY 1 ORDER BY 1").rows == (
        ("completed", 5),
        ("pending", 1),
    )


def test_sql_does_not_pass_over_a_damaged_result(run):
    write_parts(run)
    run.result_path(planned(run)[1]).write_text("{}")
    with pytest.raises(RunError, match="format None"):
        query([run], "SELECT 1")


def test_sql_over_two_runs_says_whose_a_row_is(run, played):
    rows = query([run, played], "SELECT run, count(*) FROM rollouts GROUP BY 1 ORDER BY 1").rows
    assert sorted(rows) == sorted(((str(run.path), 6), (str(played.path), 6)))


def test_a_run_that_is_given_twice_is_refused(run):
    with pytest.raises(RunError, match="given twice"):
        query([run, Run(run.path / ".." / run.path.name, run.plan)], "SELECT 1")


def test_the_name_of_a_folder_is_no_pattern(run):
    odd = run.path.rename(run.path.with_name("it's [1] *?"))
    (run.path.with_name("it's 1 xyz")).mkdir()
    assert query([open_run(odd)], "SELECT count(*) FROM ledger JOIN timing USING (rollout_id)").rows == ((6,),)


def test_runs_of_other_identities_are_no_one_table(run, played):
    other = Run(run.path, replace(run.plan, identity={**run.plan.identity, "mujoco": "1.0"}))
    with pytest.raises(RunError, match=r"their mujoco is '3[^']*' and '1\.0'"):
        query([played, other], "SELECT 1")


def test_the_views_work_in_duckdb_itself(run, monkeypatch):
    write_parts(run)
    monkeypatch.chdir(run.path)
    with duckdb.connect() as connection:
        connection.execute((run.path / "results.sql").read_text())
        assert connection.execute("SELECT count(*) FROM rollouts JOIN timing USING (rollout_id)").fetchone() == (6,)
        assert connection.execute("SELECT count(*) FROM ledger WHERE status = 'pending'").fetchone() == (0,)
