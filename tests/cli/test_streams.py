"""Output that nobody reads, or that has nowhere to go, changes neither the work nor the status."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

COMMAND = (sys.executable, "-c", "import sys; from maniguard.cli import main; sys.exit(main())")
CSV = "family,task,condition,seed,success,safe,engaged\npick,mug,base,0,1,1,1\n"


def shell(script: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run `script` in bash, where `maniguard` is this checkout's command and the status is that of the whole pipe."""
    quoted = " ".join(f"'{part}'" for part in COMMAND)
    text = f'set -o pipefail; maniguard() {{ {quoted} "$@"; }}; {script}'
    # Python buffers what goes into a pipe, unless it was told not to.
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONUNBUFFERED"}
    return subprocess.run(
        ["bash", "-c", text], cwd=folder, env=environment, capture_output=True, text=True, timeout=300, check=False
    )


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "rollouts.csv").write_text(CSV)
    (tmp_path / "signals.csv").write_text("a\n1\n0\n")
    return tmp_path


@pytest.mark.parametrize(
    ("call", "status"),
    [
        ("bench list", 0),
        ("bench list --json", 141),  # more than a pipe holds: ended while writing, as by SIGPIPE
        ("metrics rollouts.csv", 0),
        ("metrics rollouts.csv --json", 0),
        ("ltlf check 'G a' --trace signals.csv", 1),
    ],
)
def test_a_reader_that_leaves_at_once_changes_no_status(call, status, folder):
    done = shell(f"maniguard {call} | true", folder)
    assert done.stderr == ""
    assert done.returncode == status


@pytest.mark.parametrize("call", ["metrics rollouts.csv", "metrics rollouts.csv --json", "bench list"])
def test_closed_streams_are_no_error(call, folder):
    for redirection in (">&-", ">&- 2>&-"):
        done = shell(f"maniguard {call} {redirection}", folder)
        assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_a_full_disk_is_said_in_one_line(folder):
    done = shell("maniguard bench list > /dev/full", folder)
    assert (done.returncode, done.stderr) == (2, "maniguard bench: No space left on device\n")


def test_an_evaluation_goes_on_without_a_reader(folder):
    done = shell("maniguard eval --policy noop --family clutter --tasks 0:1 --condition base --out run | true", folder)
    assert done.returncode == 0
    assert [path.name for path in (folder / "run" / "results").iterdir()] == ["clutter-dry-00.base.s0.json"]
