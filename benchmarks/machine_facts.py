"""What every result says of the machine it was measured on, and how it is written."""

from __future__ import annotations

import json
import os
import platform
import time
from importlib import metadata
from pathlib import Path
from typing import Any

PACKAGES = ("mujoco", "numpy")


def machine_facts(packages: tuple[str, ...] = PACKAGES) -> dict[str, Any]:
    """Return versions, cores, processor, and how busy the machine is with other work."""
    return {
        "versions": {"python": platform.python_version(), **{name: metadata.version(name) for name in packages}},
        "machine": platform.machine(),
        "processor": processor(),
        "cores": os.cpu_count(),
        "load_average_1min": round(os.getloadavg()[0], 2),
    }


def processor() -> str:
    """Return the processor's name where Linux tells it."""
    info = Path("/proc/cpuinfo")
    lines = info.read_text().splitlines() if info.exists() else []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor()


def busy_cores(seconds: float = 2.0) -> float:
    """Return how many cores others keep busy at present, watched for `seconds` while this process sleeps."""
    load = Load()
    time.sleep(seconds)
    return load.others()


class Load:
    """Watches from now on what this process (with its ended children) and all others make of the cores."""

    def __init__(self) -> None:
        self._wall, self._own, self._all = time.perf_counter(), own_cpu_s(), all_cpu_s()

    def own_s(self) -> float:
        """Return the processor seconds of this process and its ended children."""
        return own_cpu_s() - self._own

    def others(self) -> float:
        """Return how many cores all other processes have kept busy on average."""
        return round(max(all_cpu_s() - self._all - self.own_s(), 0.0) / (time.perf_counter() - self._wall), 2)


def own_cpu_s() -> float:
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


def all_cpu_s() -> float:
    """Return the processor seconds of all processes since the machine was started, time taken by its host included."""
    user, nice, system, _, _, irq, softirq, steal = map(int, Path("/proc/stat").read_text().split()[1:9])
    return (user + nice + system + irq + softirq + steal) / os.sysconf("SC_CLK_TCK")


def results_path(script: str) -> Path:
    """Return where a benchmark's result belongs: `results/NAME.json` beside the script."""
    path = Path(script)
    return path.parent / "results" / f"{path.stem}.json"


def write_result(path: Path, result: dict[str, Any]) -> None:
    """Write a result and show it."""
    text = json.dumps(result, indent=2)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text + "\n")
    print(text)
