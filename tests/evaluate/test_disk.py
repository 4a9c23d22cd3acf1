"""A disk that is full: the run stops, says where, keeps what it has, and goes on when there is room."""

from __future__ import annotations

import resource
import subprocess
import sys
from pathlib import Path

from tests.evaluate.short import short_run

from maniguard.evaluate import execute, faults, open_run


def test_a_file_that_may_not_grow_any_more(tmp_path: Path) -> None:
    """A limit on the size of files stands in for the full disk: writing fails half way through a trace."""
    reference = short_run(tmp_path / "reference", "noop")
    execute(reference, done=lambda item, status: None)
    run = short_run(tmp_path / "run", "noop")
    limit = min(path.stat().st_size for path in (reference.path / "traces").iterdir()) // 2
    code = "import sys; from maniguard.evaluate import execute, open_run; execute(open_run(sys.argv[1]), done=print)"
    stopped = subprocess.run(
        [sys.executable, "-c", code, str(run.path)],
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)),
        capture_output=True,
        text=True,
    )
    assert stopped.returncode == 1
    assert "File too large" in stopped.stderr
    assert "traces/short-clutter-dry-00.base.s0.h5" in stopped.stderr
    run = open_run(run.path)
    assert len(run.pending()) == 2
    assert list((run.path / "traces").iterdir()) == []
    execute(run, done=lambda item, status: None)
    for item in run.plan.items:
        assert run.result_path(item.rollout_id).read_bytes() == reference.result_path(item.rollout_id).read_bytes()
    (fault,) = faults(run)
    assert fault.kind == "disk-full"
    assert "File too large" in fault.detail
    assert not list(run.path.rglob("*.part"))
