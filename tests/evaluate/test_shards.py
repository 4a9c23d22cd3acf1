"""The Slurm script of the examples, run as the jobs of an array would run it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from tests.evaluate.short import short_run, short_tasks

from maniguard.bench import write_task
from maniguard.cli import main
from maniguard.evaluate import execute, open_run

SCRIPT = Path(__file__).parents[2] / "examples" / "slurm_eval.sbatch"


def test_an_array_of_two_jobs_and_a_merge_are_the_run_of_one_machine(tmp_path: Path) -> None:
    suite = tmp_path / "suite"
    suite.mkdir()
    for task in short_tasks(3, 4):
        write_task(suite / f"{task.id}.json", task)
    environment = {
        **os.environ,
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
        "RUNS": str(tmp_path / "runs"),
        "SLURM_ARRAY_TASK_COUNT": "2",
        "SLURM_CPUS_PER_TASK": "1",
    }
    jobs = [
        subprocess.Popen(
            ["bash", SCRIPT, "--policy", "noop", "--suite", suite, "--condition", "base"],
            env={**environment, "SLURM_ARRAY_TASK_ID": str(number)},
            stdout=subprocess.PIPE,
            text=True,
        )
        for number in (1, 2)
    ]
    said = [job.communicate()[0] for job in jobs]
    assert [job.returncode for job in jobs] == [0, 0]
    assert "rollouts   2, on 1 worker of this machine; shard 1 of 2" in said[0]
    shards = [str(tmp_path / "runs" / f"shard-{number}") for number in (1, 2)]
    assert main(["runs", "merge", "--out", str(tmp_path / "all"), *shards]) == 0
    merged = open_run(tmp_path / "all")
    whole = short_run(tmp_path / "whole", "noop", tasks=3)
    execute(whole, done=lambda item, status: None)
    assert {item.rollout_id for item in merged.plan.items} == {item.rollout_id for item in whole.plan.items}
    for item in whole.plan.items:
        assert merged.result_path(item.rollout_id).read_bytes() == whole.result_path(item.rollout_id).read_bytes()
