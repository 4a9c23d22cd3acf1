from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from maniguard.cli.main import main
from maniguard.integrations import lerobot_server


def test_what_is_written_out_is_the_server_itself(tmp_path, capsys):
    out = tmp_path / "server.py"
    assert main(["lerobot-server", "--out", str(out)]) == 0
    assert "LeRobot's environment" in capsys.readouterr().out
    assert main(["lerobot-server"]) == 0
    written = out.read_text()
    assert written == capsys.readouterr().out
    assert written == Path(lerobot_server.__file__).read_text()
    assert subprocess.run([sys.executable, "-P", out, "--help"], capture_output=True).returncode == 0
