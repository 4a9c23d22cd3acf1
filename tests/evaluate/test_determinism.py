"""The same plan gives the same bytes, however it is executed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from maniguard import bench
from maniguard.evaluate import create_run, execute, make_plan, rows
from maniguard.metrics import summarize, to_json
from maniguard.monitor import judge
from maniguard.spec import load_spec

POLICY = "reckless"
TASKS = range(2)


def fresh_run(path: Path, policy: str = POLICY):
    scenarios = bench.load("clutter", tasks=TASKS, conditions=("base",))
    return create_run(path, make_plan(policy, scenarios, (0,)))


def facts(run):
    digests = {r["rollout_id"]: r["trace_digest"] for r in run.results()}
    return to_json(summarize(rows(run, protocol="maniguard"), protocol="maniguard")), digests


@pytest.fixture(scope="module")
def reference(tmp_path_factory):
    run = fresh_run(tmp_path_factory.mktemp("reference") / "run")
    execute(run, workers=1, done=lambda item, status: None)
    assert run.ledger() == {**dict.fromkeys(run.ledger(), 0), "completed": len(TASKS)}
    return run


def test_reversed_order(reference, tmp_path):
    run = fresh_run(tmp_path / "run")
    execute(run, workers=1, order=tuple(reversed(run.pending())), done=lambda item, status: None)
    assert facts(run) == facts(reference)


def test_two_workers(reference, tmp_path):
    run = fresh_run(tmp_path / "run")
    execute(run, workers=2, done=lambda item, status: None)
    assert facts(run) == facts(reference)


def test_results_are_equal_to_the_byte(reference, tmp_path):
    run = fresh_run(tmp_path / "run")
    execute(run, workers=1, done=lambda item, status: None)
    for item in run.plan.items:
        assert run.result_path(item.rollout_id).read_bytes() == reference.result_path(item.rollout_id).read_bytes()


def test_stored_traces_give_the_live_verdicts(reference):
    for result in reference.results():
        again = judge(reference.trace(result["rollout_id"]), load_spec(result["scenario"]["spec"]))
        assert again.to_dict() == result["judgement"]


def test_a_killed_run_resumes_to_the_same_results(reference, tmp_path):
    out = tmp_path / "run"
    command = [sys.executable, "-m", "maniguard", "eval", "--policy", POLICY, "--family", "clutter", "--tasks", "0:2"]
    command += ["--condition", "base", "--seeds", "0", "--workers", "2", "--out", str(out)]
    runner = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    deadline = time.monotonic() + 240
    while not list(out.glob("results/*.json")) and runner.poll() is None and time.monotonic() < deadline:
        time.sleep(0.02)
    os.kill(runner.pid, signal.SIGKILL)
    runner.wait()
    finished = subprocess.run(command, capture_output=True, text=True)
    assert finished.returncode == 0, finished.stderr
    resumed = create_run(out, fresh_run(tmp_path / "other").plan)
    assert facts(resumed) == facts(reference)
    assert not list(out.glob("*/.*.part"))
