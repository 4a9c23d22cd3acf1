"""The pool of processes: whatever becomes of its workers, the results are those of one that had no trouble."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.evaluate.servers import Server
from tests.evaluate.short import short_run

from maniguard.evaluate import InlineExecutor, PlanError, PoolExecutor, execute, faults
from maniguard.evaluate.pool import WorkerError
from maniguard.evaluate.store import Run

POLICY = """
import os, pathlib, signal, time
import numpy as np
from maniguard.policies import STATE, PROMPT, ActionSpec, PolicyContract

class Odd:
    contract = PolicyContract("odd", (STATE, PROMPT), ActionSpec(1), 1, True)
    def reset(self, *, seed, instruction):
        self.steps = 0
        self.seed = seed
    def infer(self, observation):
        self.steps += 1
        if self.steps == 4:
            self.misbehave()
        return observation["observation/state"].astype(float)[None] + 1e-3 * (self.seed % 7)
    def once(self, name):
        try:
            os.mkdir({folder!r} + "/" + name)
        except FileExistsError:
            return False
        return True
    def misbehave(self):
        {behaviour}
    def close(self):
        pass
"""


@pytest.fixture
def policy(tmp_path: Path) -> Callable[[str], str]:
    """Write a policy that does something in its fourth step; return what to call it, the same every time."""

    def write(behaviour: str) -> str:
        path = tmp_path / "odd.py"
        path.write_text(textwrap.dedent(POLICY).format(folder=str(tmp_path), behaviour=behaviour))
        return f"{path}:Odd"

    return write


def results(run: Run) -> dict[str, bytes]:
    return {item.rollout_id: run.result_path(item.rollout_id).read_bytes() for item in run.plan.items}


def children() -> set[str]:
    listing = subprocess.run(["ps", "--ppid", str(os.getpid()), "-o", "pid=,args="], capture_output=True, text=True)
    return {line for line in listing.stdout.splitlines() if "spawn_main" in line}


@pytest.fixture
def reference(policy, tmp_path: Path) -> dict[str, bytes]:
    run = short_run(tmp_path / "reference", policy("pass"), seeds=(0, 1))
    execute(run, done=lambda item, status: None)
    return results(run)


def test_a_worker_that_is_killed_costs_nobody_else_anything(policy, reference, tmp_path):
    run = short_run(tmp_path / "run", policy("self.once('a') and os.kill(os.getpid(), signal.SIGKILL)"), seeds=(0, 1))
    execute(run, workers=2, done=lambda item, status: None)
    assert results(run) == reference
    (fault,) = faults(run)
    assert (fault.kind, fault.rollout_id in reference) == ("worker-killed", True)
    assert "signal 9 (SIGKILL)" in fault.detail
    assert children() == set()
    assert not list(run.path.rglob("*.part"))


def test_a_rollout_in_which_nothing_moves_is_ended_and_run_again(policy, reference, tmp_path):
    run = short_run(tmp_path / "run", policy("self.once('a') and time.sleep(3600)"), seeds=(0, 1))
    execute(run, executor=PoolExecutor(run, 1), done=lambda item, status: None, stall_s=6.0)
    assert results(run) == reference
    (fault,) = faults(run)
    assert fault.kind == "worker-stalled"
    assert "odd.py" in fault.detail
    assert "in misbehave" in fault.detail
    assert not list(run.path.rglob("*.part"))


def test_what_runs_in_this_process_is_never_ended_for_standing_still(policy, tmp_path, monkeypatch):
    alarms: list[float] = []
    monkeypatch.setattr("faulthandler.dump_traceback_later", lambda limit_s, **_: alarms.append(limit_s))
    run = short_run(tmp_path / "run", policy("pass"))
    execute(run, executor=InlineExecutor(), done=lambda item, status: None, stall_s=1800.0)
    assert run.ledger()["completed"] == 2
    assert alarms == []


def test_a_worker_that_leaves_is_named_with_its_exit_status(policy, reference, tmp_path):
    run = short_run(tmp_path / "run", policy("self.once('a') and os._exit(7)"), seeds=(0, 1))
    execute(run, executor=PoolExecutor(run, 1), done=lambda item, status: None)
    assert results(run) == reference
    assert [(fault.kind, fault.detail) for fault in faults(run)] == [
        ("worker-died", "the worker process died with exit status 7")
    ]


def test_a_worker_that_cannot_start_stops_the_run_at_once(policy, tmp_path):
    run = short_run(tmp_path / "run", policy("pass"))
    (run.path / "plan.json").rename(run.path / "away")
    (run.path / "plan.json").write_text("{}")
    with pytest.raises(PlanError, match=r"plan\.json: format None"):
        execute(run, workers=2, done=lambda item, status: None)
    assert children() == set()


@pytest.mark.parametrize("name", ["Own", "ParseError"])
def test_an_error_that_cannot_be_sent_is_told_in_words(name, policy, tmp_path):
    spec = policy(f"raise {name}('no such thing', 'G (a', 3)")
    path = Path(spec.rpartition(":")[0])
    own = "class Own(ManiguardError):\n    def __init__(self, text, *more):\n        super().__init__(text)\n"
    imports = "from maniguard.errors import ManiguardError\nfrom maniguard.ltlf.errors import ParseError\n"
    path.write_text(imports + own + path.read_text())
    run = short_run(tmp_path / "run", spec)
    with pytest.raises(WorkerError, match=f"a worker raised {name}: no such thing"):
        execute(run, executor=PoolExecutor(run, 1), done=lambda item, status: None)
    assert children() == set()


def test_an_error_in_a_worker_that_is_no_fault_is_raised_here(policy, tmp_path):
    run = short_run(tmp_path / "run", policy("pass"))
    (run.path / "traces").rmdir()
    with pytest.raises(FileNotFoundError, match="traces"):
        execute(run, executor=PoolExecutor(run, 1), done=lambda item, status: None)
    assert len(run.pending()) == 2
    assert children() == set()
    assert [fault.kind for fault in faults(run)] == []
    (run.path / "traces").mkdir()
    execute(run, done=lambda item, status: None)
    assert run.ledger()["completed"] == 2
    assert [fault.kind for fault in faults(run)] == ["write-error"]


def test_one_server_for_many_workers(tmp_path):
    """A policy that declares itself deterministic answers several workers as it answers one."""
    with Server() as server:
        alone = short_run(tmp_path / "alone", server.url(), tasks=3)
        execute(alone, done=lambda item, status: None)
        many = short_run(tmp_path / "many", server.url(), tasks=3)
        execute(many, workers=3, done=lambda item, status: None)
    assert results(alone) == results(many)
    assert faults(many) == ()


def test_no_worker_outlives_its_runner(policy, tmp_path):
    run = short_run(tmp_path / "run", policy("time.sleep(3600)"))
    code = (
        "import sys; from maniguard.evaluate import PoolExecutor, execute, open_run; run = open_run(sys.argv[1]); "
        "execute(run, executor=PoolExecutor(run, 2), done=lambda item, status: None)"
    )
    script = tmp_path / "runner.py"
    script.write_text(f"if __name__ == '__main__':\n    {code}\n")
    runner = subprocess.Popen([sys.executable, str(script), str(run.path)])
    deadline = time.monotonic() + 60
    workers: list[str] = []
    while len(workers) < 2 and time.monotonic() < deadline:
        listing = subprocess.run(["ps", "--ppid", str(runner.pid), "-o", "pid="], capture_output=True, text=True)
        workers = listing.stdout.split() if len(list((run.path / "timing").glob(".*.part"))) == 2 else []
        time.sleep(0.05)
    assert len(workers) >= 2
    os.kill(runner.pid, signal.SIGKILL)
    runner.wait()
    while any(Path(f"/proc/{pid}").exists() for pid in workers) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not any(Path(f"/proc/{pid}").exists() for pid in workers)
    policy("pass")
    execute(run, done=lambda item, status: None)
    assert [fault.kind for fault in faults(run)] == ["runner-killed"]
    assert not list(run.path.rglob("*.part"))
