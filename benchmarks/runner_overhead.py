"""What the runner costs: everything in a rollout that is neither physics, pictures nor policy, as a share of it.

    python benchmarks/runner_overhead.py [--tasks 0:4] [--out FILE]

Rollouts are executed as a worker of `maniguard eval` does, from the planned rollout to the written result, under three
policies: one that asks for two pictures of 256 × 256 and gives chunks of which 8 rows are executed, as models do;
`expert`, which plans and asks for no picture; `noop`, which costs nothing. The runner's own process is measured apart,
with two workers: handing out, progress lines and the Parquet parts. Everything is processor time, because other work on
the machine stretches wall time; syncing to the disk is waiting, and stands beside it. Building and settling the world
counts as physics, judging (grounding, monitor, record) as the runner's: it is shown apart, because a user who wants
verdicts cannot save it.
"""

from __future__ import annotations

import argparse
import os
import statistics
import tempfile
import time
from pathlib import Path

from machine_facts import busy_cores, machine_facts, results_path, write_result

import maniguard.evaluate.worker
import maniguard.rollout.run
import maniguard.rollout.session
from maniguard import bench, report
from maniguard.evaluate import PoolExecutor, create_run, execute, make_plan
from maniguard.evaluate.worker import Worker

HERE = Path(__file__).resolve()
POLICIES = {"two pictures, chunks of 8": f"{HERE}:Looking", "expert": "expert", "noop": "noop"}


def looking_class() -> type:
    from maniguard.policies import DEFAULT_OBSERVATIONS, ActionSpec, NoopPolicy, PolicyContract

    class Looking(NoopPolicy):
        """Asks for two pictures and holds still, in chunks as long as those of models."""

        contract = PolicyContract("looking", DEFAULT_OBSERVATIONS, ActionSpec(10), 8, True)

        def infer(self, observation):
            return super().infer(observation).repeat(10, axis=0)

    return Looking


Looking = looking_class()


class SyncWatch:
    """Adds up the wall time that `os.fsync` takes."""

    def __init__(self) -> None:
        self.seconds, self.real = 0.0, os.fsync

    def __call__(self, descriptor: int) -> None:
        started = time.perf_counter()
        self.real(descriptor)
        self.seconds += time.perf_counter() - started


def measure(policy: str, scenarios) -> dict[str, object]:
    """Execute every scenario in this process and return the shares of the parts."""
    with tempfile.TemporaryDirectory() as folder:
        run = create_run(Path(folder) / "run", make_plan(policy, scenarios, [0]))
        worker = Worker(run, 1800.0)
        # The first rollout of a worker pays for imports and caches that the others find.
        worker.execute(run.plan.items[0], True)
        sync = os.fsync = SyncWatch()
        rollouts = []
        for item in run.plan.items[1:]:
            sync.seconds = 0.0
            started = time.process_time()
            worker.execute(item, True)
            total = time.process_time() - started
            rollouts.append((total, run.timing(item.rollout_id), sync.seconds))
        os.fsync = sync.real
        worker.close()
    parts: dict[str, float] = dict.fromkeys(
        ("physics", "pictures", "policy", "judging", "loop, saving and ledger"), 0.0
    )
    total_s, steps = sum(total for total, _, _ in rollouts), 0
    for total, timing, _ in rollouts:
        clock = timing["durations_s"]
        steps += timing["steps"]
        parts["physics"] += clock["physics_s"] + clock["build_s"]
        parts["pictures"] += clock["observing_s"]
        parts["policy"] += clock["policy_s"]
        parts["judging"] += clock["judging_s"]
        known = sum(clock[name] for name in ("physics_s", "build_s", "observing_s", "policy_s", "judging_s"))
        parts["loop, saving and ledger"] += total - known
    shares = {name: round(seconds / total_s, 4) for name, seconds in parts.items()}
    return {
        "rollouts": len(rollouts),
        "control_steps": steps,
        "cpu_s_each": round(total_s / len(rollouts), 3),
        "shares": shares,
        "share_of_runner": shares["loop, saving and ledger"],
        "share_of_runner_with_judging": round(shares["loop, saving and ledger"] + shares["judging"], 4),
        "waiting_for_the_disk_s_each": round(statistics.mean(waited for _, _, waited in rollouts), 4),
    }


def parent_cost(scenarios) -> dict[str, float]:
    """Return the processor seconds of the runner's own process for each rollout, with two workers of a pool."""
    with tempfile.TemporaryDirectory() as folder:
        run = create_run(Path(folder) / "run", make_plan("noop", scenarios, [0]))
        parts = report.PartWriter(run)

        def done(item, status) -> None:
            parts.add(item.rollout_id)
            report.rollout_line(run, item.rollout_id)

        started = time.process_time()
        execute(run, executor=PoolExecutor(run, 2), done=done)
        report.write_parts(run)
        return {"cpu_s_each": round((time.process_time() - started) / len(run.plan.items), 4)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tasks", default="0:4", help="half-open range of tasks of every family")
    parser.add_argument("--out", type=Path, default=results_path(__file__))
    options = parser.parse_args()
    first, last = (int(part) for part in options.tasks.split(":"))
    scenarios = bench.load(tasks=range(first, last), conditions=("base",))
    # The clocks of the loop count wall time, as a user wants to see it; here they count processor time.
    clock = time.process_time
    maniguard.rollout.session.perf_counter = clock
    maniguard.rollout.run.perf_counter = clock
    maniguard.evaluate.worker.perf_counter = clock
    busy = busy_cores()
    found = {name: measure(policy, scenarios) for name, policy in POLICIES.items()}
    write_result(
        options.out,
        {
            "benchmark": "runner_overhead",
            "others_keep_busy_cores": busy,
            "policies": found,
            "runner_process": parent_cost(scenarios),
            "target_share": 0.03,
            **machine_facts(),
        },
    )


if __name__ == "__main__":
    main()
