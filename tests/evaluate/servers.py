"""Policy servers in processes of their own, started and ended by tests."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

_SCRIPT = Path(__file__).with_name("faulty_server.py")


class Server:
    """A faulty policy server; `restart` lets it listen on the same port again."""

    def __init__(self, fault: str = "none", at: Sequence[int] = (), port: int = 0) -> None:
        self.port = port
        self.restart(fault, at)

    def restart(self, fault: str = "none", at: Sequence[int] = ()) -> None:
        command = [sys.executable, str(_SCRIPT), str(self.port), fault, *map(str, at)]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert self.process.stdout is not None
        said = self.process.stdout.readline().split()
        assert len(said) == 2, f"the server did not start: {said}"
        self.port = int(said[1])

    def url(self, **options: float) -> str:
        query = "&".join(f"{key}={value}" for key, value in options.items())
        return f"openpi://127.0.0.1:{self.port}" + (f"?{query}" if query else "")

    def close(self) -> None:
        self.process.kill()
        self.process.wait()

    def __enter__(self) -> Server:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()
