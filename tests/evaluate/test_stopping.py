"""Runs that end before their plan does: the same task decides with any number of workers, and it stays decided."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from tests.evaluate.short import short_tasks

from maniguard.bench import write_task
from maniguard.cli.main import main
from maniguard.evaluate import (
    NOT_RUN,
    Fault,
    InlineExecutor,
    Plan,
    Queue,
    Run,
    RunError,
    StopPlan,
    create_run,
    drawn_order,
    execute,
    faults,
    make_plan,
    merge_runs,
    open_run,
    rows,
    shard,
    task_order,
)
from maniguard.evaluate.faults import record_fault
from maniguard.metrics import ConfidenceSequence, StopError, summarize
from maniguard.report import query

CONDITION = "ci_width(ssr) < 0.55"
TASKS = short_tasks(12, 2)
SEEDS = (0, 1)


def planned(stop: StopPlan | None) -> Plan:
    return make_plan("noop", [task.scenario("base") for task in TASKS], SEEDS, stop=stop)


def fresh(path: Path, stop: StopPlan | None = None) -> Run:
    return create_run(path, planned(stop or StopPlan(CONDITION)), TASKS)


def finish(run: Run, workers: int = 1, **options) -> list[str]:
    done: list[str] = []
    execute(run, workers=workers, done=lambda item, status: done.append(item.rollout_id), **options)
    return done


def files(run: Run) -> dict[str, bytes]:
    """Everything of a run but how long things took."""
    return {
        str(path.relative_to(run.path)): path.read_bytes()
        for path in sorted(run.path.rglob("*"))
        if path.is_file() and path.parent.name not in ("timing", "faults")
    }


@pytest.fixture(scope="module")
def stopped(tmp_path_factory: pytest.TempPathFactory) -> Run:
    run = fresh(tmp_path_factory.mktemp("stopped") / "run")
    finish(run)
    return run


def test_the_drawn_order_is_one_of_tasks_and_depends_on_the_seed_alone() -> None:
    scenarios = [task.scenario(c) for task in TASKS for c in ("base", "location")]
    drawn = drawn_order(scenarios, 0)
    assert sorted(s.id for s in drawn) == sorted(s.id for s in scenarios)
    assert [s.task_id for s in drawn] == [s.task_id for s in drawn_order(scenarios[::-1], 0)]
    assert [s.task_id for s in drawn[::2]] == [s.task_id for s in drawn[1::2]]
    assert [s.task_id for s in drawn] != [s.task_id for s in scenarios]
    assert [s.task_id for s in drawn_order(scenarios, 1)] != [s.task_id for s in drawn]
    # Every task comes first about equally often: 12 tasks, 1,200 seeds.
    first = [drawn_order([t.scenario("base") for t in TASKS], seed)[0].task_id for seed in range(1200)]
    assert all(60 <= first.count(task.id) <= 140 for task in TASKS)


def test_the_plan_keeps_condition_and_order_and_other_plans_are_written_as_before() -> None:
    plan = planned(StopPlan(CONDITION, order_seed=3))
    assert Plan.from_dict(json.loads(json.dumps(plan.to_dict()))) == plan
    assert "stop" not in planned(None).to_dict()
    with pytest.raises(StopError, match="unknown rate"):
        StopPlan("ci_width(nothing) < 0.1")
    with pytest.raises(StopError, match="unknown protocol"):
        StopPlan(CONDITION, protocol="kind")


def test_a_run_stops_where_the_sequence_says_and_accounts_for_the_rest(stopped: Run) -> None:
    sequence, needed = ConfidenceSequence(len(TASKS)), 0
    while sequence.interval.high - sequence.interval.low >= 0.55:
        sequence.add(0.0, 1.0)
        needed += 1
    assert 1 < needed < len(TASKS)
    how_far = stopped.stopped
    assert how_far is not None
    assert (how_far.tasks, how_far.rollouts) == (needed, 2 * needed)
    assert how_far.intervals["ssr"] == tuple(sequence.interval)
    ledger = stopped.ledger()
    assert sum(ledger.values()) == len(stopped.plan.items)
    assert (ledger["completed"], ledger["pending"], ledger[NOT_RUN]) == (2 * needed, 0, 24 - 2 * needed)
    counted = rows(stopped)
    assert len(counted) == 2 * needed
    summary = summarize(counted, order=task_order(stopped))
    assert summary["overall"]["n"] == 2 * needed
    assert (summary["overall"]["ssr"]["low"], summary["overall"]["ssr"]["high"]) == sequence.interval


def test_eight_workers_of_which_some_run_ahead_leave_the_same_run(stopped: Run, tmp_path: Path) -> None:
    class Ahead:
        """Finishes rollouts in blocks, each from its end to its beginning, as many workers might."""

        def run(self, job, queue):
            def reverse(block):
                inline = InlineExecutor()
                yield from inline.run(job, block)

            class Block:
                def __init__(self, taken):
                    self.taken = taken

                def __len__(self):
                    return len(self.taken)

                def take(self):
                    return self.taken.pop()

            while len(queue):
                yield from reverse(Block([queue.take() for _ in range(min(8, len(queue)))]))

    run = fresh(tmp_path / "run")
    finish(run, executor=Ahead())
    assert files(run) == files(stopped)


def test_two_processes_leave_the_same_run(stopped: Run, tmp_path: Path) -> None:
    run = fresh(tmp_path / "run")
    finish(run, workers=2)
    assert files(run) == files(stopped)


def test_a_stopped_run_stays_stopped_and_what_a_killed_runner_left_beyond_has_no_say(
    stopped: Run, tmp_path: Path
) -> None:
    shutil.copytree(stopped.path, tmp_path / "run")
    run = fresh(tmp_path / "run")
    beyond = run.plan.items[-1]
    run.save_failure(beyond, {"id": beyond.scenario_id}, "left by a runner that was killed while it cleaned up")
    record_fault(run, Fault(beyond.rollout_id, "worker-killed", "signal 9"))
    assert run.pending() == ()
    assert run.ledger() == stopped.ledger()
    assert finish(run) == []
    assert files(run) == files(stopped)
    assert faults(run) == ()


def test_a_runner_killed_just_before_it_wrote_its_decision_decides_the_same(stopped: Run, tmp_path: Path) -> None:
    shutil.copytree(stopped.path, tmp_path / "run")
    (tmp_path / "run" / "stopped.json").unlink()
    run = fresh(tmp_path / "run")
    assert len(run.pending()) > 0
    assert finish(run) == []
    assert files(run) == files(stopped)


def test_resuming_in_the_middle_ends_where_the_whole_run_did(stopped: Run, tmp_path: Path) -> None:
    run = fresh(tmp_path / "run")
    finish(run, order=run.pending()[:3])
    assert run.stopped is None
    assert task_order(run) is None
    finish(open_run(run.path))
    assert files(run) == files(stopped)


def test_another_condition_or_order_is_another_run(stopped: Run) -> None:
    for stop in (None, StopPlan("ci_width(evr) < 0.3"), StopPlan(CONDITION, order_seed=1)):
        with pytest.raises(RunError, match=r"it stops when ci_width\(ssr\) < 0\.55 .*order seed 0"):
            create_run(stopped.path, planned(stop), TASKS)


def test_what_has_one_order_is_neither_cut_nor_merged(stopped: Run, tmp_path: Path) -> None:
    with pytest.raises(RunError, match="cannot be cut into shards"):
        shard(stopped.plan, 1, 2)
    with pytest.raises(RunError, match="its own order of tasks"):
        merge_runs(tmp_path / "merged", [stopped, stopped])


def test_a_record_of_another_run_is_refused(stopped: Run, tmp_path: Path) -> None:
    shutil.copytree(stopped.path, tmp_path / "run")
    record = tmp_path / "run" / "stopped.json"
    value = json.loads(record.read_text())
    for change, message in (({"rollouts": 24}, "not of this run"), ({"format": "x/1"}, "this version reads")):
        record.write_text(json.dumps({**value, **change}))
        with pytest.raises(RunError, match=message):
            open_run(tmp_path / "run").ledger()
    del value["tasks"]
    record.write_text(json.dumps(value))
    with pytest.raises(RunError, match="'tasks' is missing"):
        open_run(tmp_path / "run").ledger()


def test_a_run_that_never_meets_its_condition_is_run_to_its_end(tmp_path: Path) -> None:
    tasks = TASKS[:3]
    stop = StopPlan("ci_width(ssr) < 0.01")
    run = create_run(tmp_path / "run", make_plan("noop", [t.scenario("base") for t in tasks], (0,), stop=stop), tasks)
    finish(run)
    assert run.stopped is None
    assert run.ledger()["completed"] == 3
    assert NOT_RUN not in run.ledger()
    order = task_order(run)
    assert order is not None
    assert (order.done, len(order.tasks)) == (3, 3)


def test_the_command_line_refuses_an_unknown_rate_before_anything_runs(tmp_path: Path, capsys) -> None:
    arguments = ["--policy", "noop", "--family", "clutter", "--tasks", "0:2", "--out", str(tmp_path / "run")]
    assert main(["eval", *arguments, "--stop-when", "ci_width(sr)<0.1"]) == 2
    assert "unknown rate 'sr'" in capsys.readouterr().err
    assert main(["eval", *arguments, "--stop-when", "ci_width(ssr)<0.1", "--shard", "1/2"]) == 2
    assert "shards" in capsys.readouterr().err
    assert not (tmp_path / "run").exists()


def test_the_command_line_stops_says_so_and_accounts_for_the_rest_everywhere(
    stopped: Run, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    suite, out = tmp_path / "suite", tmp_path / "run"
    suite.mkdir()
    for task in TASKS:
        write_task(suite / f"{task.id}.json", task)
    arguments = ["--policy", "noop", "--suite", str(suite), "--condition", "base", "--seeds", "0,1", "--out", str(out)]
    assert main(["eval", *arguments, "--stop-when", "ci_width(ssr)<.55"]) == 0
    printed = capsys.readouterr().out
    how_far = stopped.stopped
    assert how_far is not None
    assert "stops      when ci_width(ssr) < 0.55; tasks in drawn order, order seed 0" in printed
    assert f"not-run (stopped) {24 - how_far.rollouts}" in printed
    assert f"stopped after {how_far.tasks} of 12 tasks" in printed
    run = open_run(out)
    assert {item.name for item in (out / "results").iterdir()} == {
        item.name for item in (stopped.path / "results").iterdir()
    }
    assert main(["runs", "list", str(tmp_path)]) == 0
    assert f"{how_far.rollouts} (stopped)" in capsys.readouterr().out
    counts = dict(query([run], "SELECT status, count(*) FROM ledger GROUP BY 1").rows)
    assert counts == {"completed": how_far.rollouts, NOT_RUN: 24 - how_far.rollouts}
    assert query([run], "SELECT count(*) FROM rollouts").rows[0][0] == how_far.rollouts
    assert main(["metrics", str(out), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["sequential"]["tasks"] == how_far.tasks


def test_a_rollout_that_is_run_again_holds_up_the_decision_for_a_few_others_only() -> None:
    items = planned(StopPlan(CONDITION)).items
    for soon, place in ((None, len(items) - 1), (3, 3), (99, len(items) - 1)):
        queue = Queue(items, soon)
        first, last = queue.take()
        assert not last
        assert queue.again(first)
        order = [queue.take()[0] for _ in range(len(queue))]
        assert order.index(first) == place
        queue.again(first)
        queue.clear()
        assert len(queue) == 0
