from __future__ import annotations

import errno
import os

import pytest

from maniguard.files import write_atomic


def test_a_write_that_fails_names_the_file_and_leaves_the_old_one(tmp_path, monkeypatch):
    path = tmp_path / "result.json"
    write_atomic(path, b"old")

    def full(descriptor):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space left") as caught:
        write_atomic(path, b"new")
    assert caught.value.filename == str(path)
    assert path.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["result.json"]
