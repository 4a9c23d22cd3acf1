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

    def counters() -> tuple[int, int]:
        values = [int(value) for value in Path("/proc/stat").read_text().splitlines()[0].split()[1:9]]
        return sum(values), values[3] + values[4]

    total, idle = counters()
    time.sleep(seconds)
    total_after, idle_after = counters()
    share = 1.0 - (idle_after - idle) / max(total_after - total, 1)
    return round(share * (os.cpu_count() or 1), 2)


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
