"""Peers of the tests in processes of their own, and the ports that they listen on."""

import json
import socket
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@contextmanager
def running(script, **settings):
    """Start a stand-in of this folder, wait until it listens, end it at the end; yields process and port."""
    command = [sys.executable, str(Path(__file__).with_name(script)), json.dumps(settings)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    try:
        words = process.stdout.readline().split()
        assert words[:1] == ["ready"], words
        yield process, int(words[2])
    finally:
        process.kill()
        process.wait()
        process.stdout.close()
