"""2,000 short rollouts with faults at random lose nothing, change nothing, leak nothing and leave nothing behind.

Two workers ask one policy server that fails about once in 300 requests (dropped connections, late and missing answers,
NaN, wrong shapes); workers, server and runner are killed with SIGKILL at rollouts drawn by seed. At the end every
planned rollout has one status, every completed one the trace of a fault-free run, every kind of fault its place in the
journal; no process of the run is left, and no file that does not belong there. Memory of every process is sampled by
the number of rollouts; its growth is the slope of a line through the samples of the processes that lived longest, after
their warm-up.
"""

from __future__ import annotations

import argparse
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter, defaultdict
from pathlib import Path

import numpy as np
from _evidence import ROOT, record

sys.path.insert(0, str(ROOT))

from tests.evaluate.servers import Server
from tests.evaluate.short import short_run

from maniguard import report
from maniguard.evaluate import PoolExecutor, Run, execute, fault_groups, open_run
from maniguard.evaluate.worker import ATTEMPTS

TASKS, SEEDS, STEPS, WORKERS, BLOCK = 40, 50, 1, 2, 5
SEED = 7

# In the second half no worker is killed, so that some live long enough to show whether they grow.
WORKER_KILLS, SERVER_KILLS, RUNNER_KILLS = 8, 4, 2
EXPECTED = ("lost-connection", "late-answer", "policy-fault", "runner-killed", "worker-killed")
SAMPLE_EVERY = 20
# Counted over both workers. Until then a worker still meets scenes for the first time, and the allocator has not seen
# its largest ones in every order.
WARM_UP = 400
# A process that grew faster would be twice as large after a night of rollouts.
LIMIT_KB_PER_ROLLOUT = 10.0


def run_it(path: str) -> None:
    """Be the runner: execute what is pending, and say each rollout that is done."""
    run = open_run(path)
    # Blocks of seeds: every task comes back again and again, so that worlds are made and dropped all the time.
    order = sorted(run.pending(), key=lambda item: (item.seed // BLOCK, item.scenario_id))
    parts = report.PartWriter(run)

    def done(item, status) -> None:
        parts.add(item.rollout_id)
        print(item.rollout_id, status, flush=True)

    execute(run, executor=PoolExecutor(run, WORKERS), order=order, done=done, stall_s=120)


def children(pid: int) -> list[int]:
    listing = subprocess.run(["ps", "--ppid", str(pid), "-o", "pid=,args="], capture_output=True, text=True).stdout
    return [int(line.split()[0]) for line in listing.splitlines() if "spawn_main" in line]


def resident_kb(pid: int) -> int | None:
    try:
        status = Path(f"/proc/{pid}/status").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return None
    return next((int(line.split()[1]) for line in status.splitlines() if line.startswith("VmRSS")), None)


class Soak:
    """Drives the runner, and does to it what a bad night would."""

    def __init__(self, run: Run, server: Server, rollouts: int) -> None:
        self.run, self.server, self.rollouts = run, server, rollouts
        generator = np.random.default_rng(SEED)
        half = rollouts // 2
        draws = generator.permutation(np.arange(20, half - 20))
        self.kill_worker_at = {int(n) for n in draws[:WORKER_KILLS]}
        self.kill_server_at = {int(n) for n in draws[WORKER_KILLS : WORKER_KILLS + SERVER_KILLS]}
        self.kill_runner_at = {int(n) for n in draws[-RUNNER_KILLS:]}
        self.generator = generator
        self.injected: Counter[str] = Counter()
        self.samples: dict[int, list[tuple[int, int]]] = defaultdict(list)
        self.runner_pids: set[int] = set()
        self.seen: set[int] = set()
        self.done = 0

    def play(self) -> None:
        while self.run.pending():
            command = [sys.executable, str(Path(__file__).resolve()), "--run", str(self.run.path)]
            runner = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
            self.runner_pids.add(runner.pid)
            assert runner.stdout is not None
            for _ in runner.stdout:
                self.done += 1
                if self.done % 100 == 0:
                    print(f"{self.done} of {self.rollouts}", flush=True)
                self.after_a_rollout(runner)
            if runner.wait() not in (0, -signal.SIGKILL):
                raise SystemExit(f"the runner ended with {runner.returncode}")

    def after_a_rollout(self, runner: subprocess.Popen[str]) -> None:
        if self.done % SAMPLE_EVERY == 0:
            for pid in (runner.pid, *children(runner.pid)):
                kb = resident_kb(pid)
                self.seen.add(pid)
                if kb is not None:
                    self.samples[pid].append((self.done, kb))
        if self.done in self.kill_worker_at:
            workers = children(runner.pid)
            if workers:
                os.kill(int(self.generator.choice(workers)), signal.SIGKILL)
                self.injected["worker killed"] += 1
        if self.done in self.kill_server_at:
            self.server.close()
            self.injected["server killed"] += 1
            self.server.restart("random", [SEED + self.done])
        if self.done in self.kill_runner_at:
            self.injected["runner killed"] += 1
            self.seen.update(children(runner.pid))
            os.kill(runner.pid, signal.SIGKILL)

    def slopes(self, pids: set[int]) -> list[dict[str, float]]:
        """Return growth by process, the longest-lived first; a worker does its share of the rollouts."""
        found = []
        for pid in pids:
            samples = [s for s in self.samples[pid] if s[0] >= self.samples[pid][0][0] + WARM_UP]
            if len(samples) < 5:
                continue
            share = 1 if pid in self.runner_pids else 1 / WORKERS
            count, kb = np.array(samples, dtype=float).T
            slope = np.polyfit(count * share, kb, 1)[0]
            found.append(
                {
                    "rollouts": float((count[-1] - count[0]) * share),
                    "kb_per_rollout": round(float(slope), 2),
                    "first_mb": round(float(kb[0]) / 1024, 1),
                    "last_mb": round(float(kb[-1]) / 1024, 1),
                    "largest_mb": round(float(kb.max()) / 1024, 1),
                }
            )
        return sorted(found, key=lambda entry: -entry["rollouts"])


def strays(run: Run) -> list[str]:
    """Return the files of a run folder that do not belong there."""
    names = {item.rollout_id for item in run.plan.items}
    known = {run.path / "plan.json", run.path / "results.sql", run.path / "faults" / "runner.json"}
    known |= {path for name in names for path in (run.result_path(name), run.trace_path(name), run.timing_path(name))}
    known |= {run.faults_path(name) for name in names}
    known |= set((run.path / "tasks").glob("short-*.json")) | set((run.path / "rollouts").glob("part-*.parquet"))
    return sorted(
        str(path.relative_to(run.path)) for path in run.path.rglob("*") if path.is_file() and path not in known
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--run", help="be the runner of this run (used by the check itself)")
    parser.add_argument("--seeds", type=int, default=SEEDS, help="repeats of each task")
    options = parser.parse_args()
    if options.run:
        run_it(options.run)
        return 0
    started = time.monotonic()
    with tempfile.TemporaryDirectory() as scratch:
        own_tmp = Path(scratch) / "tmp"
        own_tmp.mkdir()
        os.environ["TMPDIR"] = str(own_tmp)
        with Server() as server:
            reference = short_run(Path(scratch) / "reference", server.url(), tasks=TASKS, steps=STEPS)
            execute(reference, workers=WORKERS, done=lambda item, status: None)
        digest_of = {result["scenario"]["id"]: result["trace_digest"] for result in reference.results()}
        print(f"{len(digest_of)} rollouts without a fault", flush=True)
        with Server("random", [SEED]) as server:
            url = server.url(timeout_s=2, wait_s=30)
            run = short_run(Path(scratch) / "run", url, tasks=TASKS, seeds=range(options.seeds), steps=STEPS)
            soak = Soak(run, server, len(run.plan.items))
            soak.play()
        report.write_parts(run)
        journal = [vars(group) for group in fault_groups(run)]
        kinds: Counter[str] = Counter()
        for group in fault_groups(run):
            kinds[group.kind] += group.count
        ledger = dict(run.ledger())
        results = list(run.results())
        completed = [r for r in results if r["status"] == "completed"]
        changed = [r["rollout_id"] for r in completed if r["trace_digest"] != digest_of[r["scenario"]["id"]]]
        rows = report.query([run], "SELECT count(*), count(DISTINCT rollout_id) FROM rollouts").rows[0]
        workers = soak.slopes(set(soak.samples) - soak.runner_pids)
        runners = soak.slopes(soak.runner_pids)
        time.sleep(2.0)
        orphans = sorted(pid for pid in soak.seen if Path(f"/proc/{pid}").exists())
        leftovers = strays(run) + sorted(path.name for path in own_tmp.iterdir())
        unnamed = [name for name in EXPECTED if not kinds[name]]
        lived_longest = (*workers[:WORKERS], *runners[:1])
        grown = [entry for entry in lived_longest if entry["kb_per_rollout"] > LIMIT_KB_PER_ROLLOUT]
        problems = {
            "not accounted for": ledger["pending"] + (sum(ledger.values()) - len(run.plan.items)),
            "completed otherwise than without faults": len(changed),
            "rows of the table missing or doubled": abs(rows[0] - len(results)) + abs(rows[1] - len(results)),
            "orphan processes": len(orphans),
            "stray files": len(leftovers),
            "injected and not named": len(unnamed),
            "processes that grow": len(grown),
        }
        samples = {str(pid): values for pid, values in soak.samples.items() if len(values) > 10}
        details = {
            "tasks": TASKS, "seeds": options.seeds, "control_steps_each": STEPS + 20, "workers": WORKERS, "seed": SEED,
            "wall_s": round(time.monotonic() - started), "load_average_15min": round(os.getloadavg()[2], 1),
            "ledger": ledger, "injected": dict(soak.injected), "faults_by_kind": dict(kinds),
            "attempts_of_each_dispatch": ATTEMPTS, "fault_groups": [
                {"kind": g["kind"], "count": g["count"], "first": g["first"].rollout_id, "said": g["first"].detail,
                 "ended": dict(g["ended"])} for g in journal],
            "limit_kb_per_rollout": LIMIT_KB_PER_ROLLOUT, "warm_up_rollouts": WARM_UP,
            "workers_memory": workers[:4], "runner_memory": runners[:3],
            "orphans": orphans, "strays": leftovers, "problems": problems,
            "resident_kb_by_rollouts_done": samples,
        }  # fmt: skip
    counts = {"rollouts": len(results), "completed": len(completed), "faults": sum(kinds.values()),
              "checks_failed": sum(value > 0 for value in problems.values())}  # fmt: skip
    path = record("soak", counts=counts, details=details)
    for name, value in problems.items():
        print(f"{value:>6}  {name}")
    for entry in lived_longest:
        print(f"memory  {entry}")
    print(f"{counts}; {path}")
    return 1 if counts["checks_failed"] else 0


if __name__ == "__main__":
    sys.exit(main())
