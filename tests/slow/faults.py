"""Faults in rollouts of full length: killed workers, runners and servers, and a disk that is really full.

Each run is driven through `maniguard eval` as a user drives it, is hit while it works, is called again where it ended,
and must come to the results of a run without faults, to the byte, with every fault named in what it prints. The full
disk is a tmpfs of a few megabytes, for which the check must be allowed to mount.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from _evidence import ROOT, record

sys.path.insert(0, str(ROOT))

from maniguard.evaluate import Run, faults, open_run

SELECTION = ["--family", "clutter", "--tasks", "0:4", "--condition", "base", "--seeds", "0"]


def command(policy: str, out: Path, *more: str) -> list[str]:
    return [sys.executable, "-m", "maniguard", "eval", "--policy", policy, *SELECTION, "--out", str(out), *more]


def call(policy: str, out: Path, *more: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command(policy, out, *more), capture_output=True, text=True)


def results(run: Run) -> list[bytes]:
    return [run.result_path(item.rollout_id).read_bytes() for item in run.plan.items]


def digests(run: Run) -> list[str]:
    return [result["trace_digest"] for result in run.results()]


def wait_for(condition: Callable[[], bool], process: subprocess.Popen) -> bool:
    while process.poll() is None:
        if condition():
            return True
        time.sleep(0.02)
    return False


def done_in(out: Path) -> int:
    return len(list(out.glob("results/*.json")))


def watched_in(out: Path) -> int:
    """Return how many workers are at work, each of which has its watchdog's note open."""
    return len(list(out.glob("timing/.*.part")))


def workers_of(pid: int) -> list[int]:
    listing = subprocess.run(["ps", "--ppid", str(pid), "-o", "pid=,args="], capture_output=True, text=True).stdout
    return [int(line.split()[0]) for line in listing.splitlines() if "spawn_main" in line]


class Checks:
    def __init__(self, folder: Path) -> None:
        self.folder = str(folder)
        self.held: dict[str, bool] = {}
        self.said: dict[str, list[str]] = {}

    def add(self, name: str, held: bool) -> None:
        self.held[name] = bool(held)
        print(f"{'ok    ' if held else 'FAILED'}  {name}", flush=True)

    def names(self, what: str, output: str, kind: str) -> None:
        """Check that the printed summary names a kind of fault, and keep the line."""
        lines = output.splitlines()
        start = next((number for number, line in enumerate(lines) if line.startswith("faults ")), len(lines))
        end = next((number for number in range(start, len(lines)) if not lines[number].strip()), len(lines))
        lines = lines[start:end]
        self.said[what] = [" ".join(line.replace(self.folder, "FOLDER").split()) for line in lines]
        self.add(f"{what}: the summary names {kind}", any(line.startswith(kind) for line in lines))


def killed_workers(folder: Path, reference: Run, checks: Checks) -> None:
    out = folder / "workers"
    runner = subprocess.Popen(command("expert", out, "--workers", "2"), stdout=subprocess.PIPE, text=True)
    kills = 0
    for count in (0, 1, 2):
        if wait_for(lambda count=count: done_in(out) >= count and watched_in(out) == 2, runner):
            time.sleep(0.5)
            for pid in workers_of(runner.pid)[:1]:
                os.kill(pid, signal.SIGKILL)
                kills += 1
            wait_for(lambda: watched_in(out) < 2, runner)
    output = runner.communicate()[0]
    run = open_run(out)
    checks.add(f"workers killed {kills} times: results as without", kills > 0 and results(run) == results(reference))
    checks.names("workers killed", output, "worker-killed")


def killed_runners(folder: Path, reference: Run, checks: Checks) -> None:
    out = folder / "runners"
    for count in (1, 2):
        runner = subprocess.Popen(command("expert", out, "--workers", "2"), stdout=subprocess.DEVNULL)
        wait_for(lambda count=count: done_in(out) >= count, runner)
        runner.kill()
        runner.wait()
    ended = call("expert", out)
    run = open_run(out)
    kinds = [fault.kind for fault in faults(run)]
    checks.add("runner killed twice: results as without", ended.returncode == 0 and results(run) == results(reference))
    checks.add("runner killed twice: the journal has both", kinds.count("runner-killed") == 2)
    checks.names("runner killed", ended.stdout, "runner-killed")


def killed_server(folder: Path, checks: Checks) -> None:
    def serve(port: int) -> tuple[subprocess.Popen[str], int]:
        line = [sys.executable, "-m", "maniguard", "serve", "--policy", "random", "--port", str(port)]
        process = subprocess.Popen(line, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        assert process.stdout is not None
        process.stdout.readline()
        return process, port

    server, port = serve(18472)
    url = f"openpi://127.0.0.1:{port}?wait_s=120"
    call(url, folder / "served")
    out = folder / "server"
    runner = subprocess.Popen(command(url, out, "--workers", "2"), stdout=subprocess.PIPE, text=True)
    hit = wait_for(lambda: done_in(out) >= 1, runner)
    time.sleep(0.4)
    server.kill()
    server.wait()
    server, _ = serve(port)
    output = runner.communicate()[0]
    server.kill()
    server.wait()
    same = digests(open_run(out)) == digests(open_run(folder / "served"))
    checks.add("policy server killed in mid-rollout and started again: traces as without", hit and same)
    checks.names("policy server killed", output, "lost-connection")


def full_disk(folder: Path, reference: Run, checks: Checks) -> None:
    disk = folder / "disk"
    disk.mkdir()
    size = sum(path.stat().st_size for path in (reference.path / "traces").iterdir()) // 2
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(disk)], capture_output=True)
    if mounted.returncode != 0:
        checks.add("a tmpfs could be mounted, without which there is no full disk", False)
        return
    try:
        out = disk / "run"
        stopped = call("expert", out)
        last = stopped.stderr.strip().splitlines()[-1]
        checks.said["disk full"] = [last.replace(str(disk), "DISK")]
        checks.add(
            "disk full: exit status 2, one line that names the file", stopped.returncode == 2 and str(out) in last
        )
        checks.add("disk full: said as such", "No space left on device" in last)
        pending = len(open_run(out).pending())
        checks.add("disk full: what was finished is kept, the rest is pending", 0 < pending < 4)
        subprocess.run(["mount", "-o", "remount,size=64m", str(disk)], check=True)
        ended = call("expert", out)
        checks.add(
            "disk full: results as without", ended.returncode == 0 and results(open_run(out)) == results(reference)
        )
        checks.names("disk full", ended.stdout, "disk-full")
        checks.add("disk full: nothing is left behind", not list(out.rglob("*.part")))
    finally:
        subprocess.run(["umount", str(disk)], check=True)


def main() -> int:
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        checks = Checks(folder)
        plain = call("expert", folder / "reference")
        checks.add("a run without faults says so", "faults          none" in plain.stdout and plain.returncode == 0)
        reference = open_run(folder / "reference")
        killed_workers(folder, reference, checks)
        killed_runners(folder, reference, checks)
        killed_server(folder, checks)
        full_disk(folder, reference, checks)
    failed = [name for name, held in checks.held.items() if not held]
    counts = {"checked": len(checks.held), "failed": len(failed)}
    path = record("faults", counts=counts, details={"checks": checks.held, "said": checks.said, "failed": failed})
    print(f"{counts}; {path}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
