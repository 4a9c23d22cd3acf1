"""`maniguard eval` and `maniguard runs` as a user calls them."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from tests.evaluate.servers import Server
from tests.evaluate.short import short_tasks

from maniguard.bench import write_task
from maniguard.cli import main


@pytest.fixture
def call(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("COLUMNS", "200")
    suite = tmp_path / "suite"
    suite.mkdir()
    for task in short_tasks(2, 4):
        write_task(suite / f"{task.id}.json", task)

    def run(*arguments: object) -> tuple[int, str, str]:
        status = main([str(argument) for argument in arguments])
        captured = capsys.readouterr()
        return status, captured.out, captured.err

    def evaluate(policy: str, *more: object) -> tuple[int, str, str]:
        chosen = ("--suite", suite, "--condition", "base", "--executor", "inline", "--out", tmp_path / "run")
        return run("eval", "--policy", policy, *chosen, *more)

    run.evaluate = evaluate
    return run


def test_it_says_before_what_it_will_do_and_after_where_everything_is(call, tmp_path):
    status, out, _ = call.evaluate("noop", "--seeds", "0,1")
    assert status == 0
    before, _, after = out.partition("4 rollouts planned")
    for expected in (
        "policy noop (deterministic)",
        "clutter-dry  target_dropped     G !target_dropped     The target is never dropped.",
        "scenarios  2: 2 tasks of clutter under base",
        "seeds      0, 1",
        "rollouts   4, on this process",
        "without the policy, which is asked up to 96 times: every 100 ms of its answer add 9.6 s",
    ):
        assert expected in before
    run = tmp_path / "run"
    assert "faults          none" in after
    for line in (
        f"results    {run / 'results'}",
        f"table      {run / 'rollouts'}",
        f"report     maniguard report {run}",
    ):
        assert line in after
    status, out, _ = call.evaluate("noop", "--seeds", "0,1")
    assert "rollouts   4 (4 done already)" in out
    assert "estimate" not in out


def test_a_fault_is_named_with_count_first_rollout_and_outcome(call):
    with Server("drop", [2]) as server:
        _, out, _ = call.evaluate(server.url())
    (line,) = (line for line in out.splitlines() if line.startswith("lost-connection"))
    assert line.split()[1:3] == ["1", "short-clutter-dry-00.base.s0:"]
    assert line.rstrip().endswith("1 completed")


def test_a_table_is_asked_on_the_command_line(call, tmp_path):
    call.evaluate("noop")
    query = "SELECT status, count(*) AS n FROM ledger GROUP BY 1"
    assert call("runs", "query", tmp_path / "run", query, "--csv")[:2] == (0, "status,n\ncompleted,2\n")
    assert "completed  2" in call("runs", "query", tmp_path / "run", query)[1]
    status, _, err = call("runs", "query", tmp_path / "run", "SELECT nosuch FROM ledger")
    assert (status, err.count("\n")) == (2, 1)
    assert "nosuch" in err


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (("--ray-address", "h:1"), "--ray-address is for --executor ray"),
        (("--workers", "2"), "--executor inline has one worker, not 2"),
        (("--stall-s", "0.5"), "0.5 seconds is no time to wait"),
        (("--executor", "ray"), "pip install 'maniguard[ray]'"),
    ],
)
def test_what_does_not_fit_is_refused_in_one_line(more, said, call, monkeypatch):
    monkeypatch.setitem(sys.modules, "ray", None)
    status, _, err = call.evaluate("noop", *more)
    assert (status, err.count("\n")) == (2, 1)
    assert said in err


def test_a_missing_duckdb_is_named_with_its_extra(call, tmp_path, monkeypatch):
    call.evaluate("noop")
    monkeypatch.setitem(sys.modules, "duckdb", None)
    status, _, err = call("runs", "query", tmp_path / "run", "SELECT 1")
    assert (status, err) == (2, "maniguard runs: queries need duckdb: pip install 'maniguard[query]'\n")
