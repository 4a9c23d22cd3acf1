"""What groups that check against somebody else's package share: the tally, and the package's own environment."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import venv
from collections.abc import Mapping, Sequence
from pathlib import Path

# The peer's environment stands for itself: nothing of ours may reach into it.
APART = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}


class Checks:
    """Counts what was checked, in groups, and keeps the names of what failed."""

    def __init__(self) -> None:
        self.counts: dict[str, int] = {"checked": 0, "failed": 0}
        self.failed: list[str] = []

    def add(self, group: str, name: str, held: bool) -> None:
        self.counts["checked"] += 1
        self.counts[group] = self.counts.get(group, 0) + 1
        if not held:
            self.counts["failed"] += 1
            self.failed.append(f"{group}: {name}")
            print(f"  FAILED {group}: {name}")

    def status(self, path: Path) -> int:
        """Say how it went and where that was written; return the exit status."""
        print(f"{self.counts['checked']} checked, {self.counts['failed']} failed; {path}")
        return 1 if self.failed else 0


def make_environment(folder: Path, *install: str | Path) -> Path:
    """Make an environment with what `pip install` is given, and return its Python."""
    print("building the peer's environment")
    venv.create(folder, with_pip=True)
    python = folder / "bin" / "python"
    subprocess.run([python, "-m", "pip", "install", "-q", "--no-cache-dir", *install], check=True, env=APART)
    return python


def versions_in(python: Path, wanted: Sequence[str]) -> Mapping[str, str]:
    """Return the versions of some packages in another environment."""
    listing = subprocess.run(
        [python, "-m", "pip", "list", "--format", "json"], check=True, capture_output=True, text=True, env=APART
    ).stdout
    return {entry["name"]: entry["version"] for entry in json.loads(listing) if entry["name"] in wanted}


def pins() -> Path:
    """Return the file of pinned versions for this Python."""
    return Path(__file__).parents[2] / "constraints" / f"py{sys.version_info.major}{sys.version_info.minor}.txt"
