"""A run folder is trusted only where its files fit together."""

from __future__ import annotations

import fcntl
import json
import os
from typing import Any

import pytest

from maniguard import bench
from maniguard.evaluate import RunBusyError, RunError, create_run, execute, make_plan, open_run, rows
from maniguard.evaluate.worker import scenario_facts
from maniguard.report import write_parts

SCENARIO = "clutter-dry-00/base"


@pytest.fixture
def run(tmp_path):
    """A run of one rollout that never came back: a result without physics."""
    scenario = bench.get(SCENARIO)
    made = create_run(tmp_path / "run", make_plan("noop", (scenario,), (0,)))
    made.save_failure(made.plan.items[0], scenario_facts(scenario), "the worker died")
    return made


def change(run: Any, **fields: Any) -> str:
    item = run.plan.items[0].rollout_id
    path = run.result_path(item)
    path.write_text(json.dumps({**json.loads(path.read_text()), **fields}))
    return item


def test_an_untouched_result_is_read(run):
    assert open_run(run.path).result(run.plan.items[0].rollout_id)["status"] == "infra-error"
    assert len(rows(run)) == 1


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"rollout_id": "other"}, "its rollout_id is 'other'"),
        ({"seed": 1}, "its seed is 1, the plan has 0"),
        ({"policy": "expert"}, "its policy is 'expert'"),
        ({"scenario": "x"}, "'scenario' must hold"),
        ({"scenario": {"id": SCENARIO}}, "'scenario' must hold"),
        ({"identity": {}}, "its .* is None"),
        ({"identity": 3}, "is None"),
        ({"status": "completed"}, "without a judgement"),
        ({"status": "policy-fault"}, "without a judgement"),
        ({"status": "done"}, "it must be one of"),
        ({"format": "maniguard-result/9"}, "this version reads"),
    ],
)
def test_a_result_that_is_not_the_plans_is_refused(run, fields, said):
    item = change(run, **fields)
    with pytest.raises(RunError, match=said) as caught:
        run.result(item)
    assert str(run.result_path(item)) in str(caught.value)
    with pytest.raises(RunError):
        rows(run)


def test_results_of_another_identity_are_never_merged(run):
    item = run.plan.items[0].rollout_id
    identity = {**json.loads(run.result_path(item).read_text())["identity"], "mujoco": "2.0"}
    with pytest.raises(RunError, match=r"its mujoco is '2\.0'"):
        run.result(change(run, identity=identity))


def test_a_result_of_another_scene_is_refused(run):
    facts = {**scenario_facts(bench.get(SCENARIO)), "hash": "0" * 64}
    with pytest.raises(RunError, match="its scenario is not the clutter-dry-00/base"):
        run.result(change(run, scenario=facts))


def test_a_damaged_judgement_names_its_file(run):
    item = change(run, status="completed", judgement={"format": "maniguard-judgement/1"}, trace_digest="0" * 64)
    with pytest.raises(RunError, match=r"results/clutter-dry-00\.base\.s0\.json is damaged: judgement"):
        rows(run)
    assert item


def test_a_run_has_one_writer_at_a_time(run):
    before = (run.path / "plan.json").read_bytes()
    with run.exclusive(), pytest.raises(RunBusyError, match="another process"), open_run(run.path).exclusive():
        pass
    with open_run(run.path).exclusive():
        pass
    assert (run.path / "plan.json").read_bytes() == before


def test_a_run_is_held_by_a_file_that_is_open_for_writing(run, monkeypatch):
    modes = []
    monkeypatch.setattr("fcntl.flock", lambda held, _: modes.append(fcntl.fcntl(held, fcntl.F_GETFL) & os.O_ACCMODE))
    with run.exclusive():
        # Over NFS the system refuses to hold any other alone.
        assert modes == [os.O_RDWR]


def test_what_a_killed_writer_left_is_cleared_by_who_runs_the_rest_and_by_nobody_else(run):
    leftover = run.path / "results" / ".x.json.1.part"
    leftover.touch()
    with run.exclusive():
        assert leftover.exists()
    write_parts(run)
    assert leftover.exists()
    execute(run, done=lambda item, status: None, order=())
    assert not leftover.exists()
