"""Writes the result of a group of slow checks to docs/evidence/NAME.json."""

from __future__ import annotations

import datetime
import importlib.metadata
import json
import os
import platform
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "docs" / "evidence"
PACKAGES = ("maniguard", "mujoco", "numpy", "scipy", "h5py", "pyarrow", "gymnasium")


def _git(*arguments: str) -> str:
    return subprocess.run(["git", *arguments], cwd=ROOT, check=True, capture_output=True, text=True).stdout.strip()


def record(name: str, *, counts: Mapping[str, int], details: Mapping[str, Any] | None = None) -> Path:
    """Write the evidence of group `name` and return its path.

    `counts` says how many things were checked, passed and failed, under names of the group's choice; `details` holds
    whatever a reader needs to doubt the counts. `uncommitted` is true when the checked source differs from `commit`.
    """
    changed = _git("status", "--porcelain", "--", "src", "tests", "constraints", "pyproject.toml")
    evidence = {
        "format": "maniguard-evidence/1",
        "name": name,
        "command": f"./run slow {name}",
        "commit": _git("rev-parse", "HEAD"),
        "uncommitted": bool(changed),
        "date": datetime.datetime.now(datetime.UTC).date().isoformat(),
        "python": platform.python_version(),
        "machine": {"system": platform.system(), "architecture": platform.machine(), "cores": os.cpu_count()},
        "versions": {package: importlib.metadata.version(package) for package in PACKAGES},
        "counts": dict(counts),
        "details": dict(details or {}),
    }
    path = FOLDER / f"{name}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_suffix(".json.part")
    partial.write_text(json.dumps(evidence, indent=2, allow_nan=False) + "\n", encoding="utf-8")
    partial.replace(path)
    return path
