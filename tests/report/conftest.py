from __future__ import annotations

import os
from pathlib import Path

import av
import numpy as np
import pytest

from .browser import CHROMIUM, browser
from .samples import RATE_HZ


@pytest.fixture(scope="session")
def tab():
    """One page of a real browser for all tests of the report."""
    if CHROMIUM is None:
        # A check that silently leaves the browser out would prove nothing.
        assert "CI" not in os.environ, "no Chromium, yet the whole check must test pages in a browser"
        pytest.skip("no Chromium: pages are not tested; on Debian: apt-get install chromium")
    with browser() as page:
        yield page


@pytest.fixture
def page(tab):
    """The browser page with clean records; whatever goes wrong in a test's page fails the test."""
    tab.errors.clear()
    tab.requests.clear()
    yield tab
    assert tab.errors == []
    assert [address for address in tab.requests if not address.startswith(("file:", "data:"))] == []


def write_video(path: Path, frames: int = 160) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    with av.open(str(path), "w") as container:
        stream = container.add_stream("libx264", rate=int(RATE_HZ), options={"crf": "30", "preset": "ultrafast"})
        stream.width = stream.height = 64
        stream.pix_fmt = "yuv420p"
        for t in range(frames):
            image = np.full((64, 64, 3), t % 256, np.uint8)
            container.mux(stream.encode(av.VideoFrame.from_ndarray(image, format="rgb24")))
        container.mux(stream.encode(None))
    return path


@pytest.fixture(scope="session")
def video(tmp_path_factory) -> Path:
    return write_video(tmp_path_factory.mktemp("run") / "videos" / "clip.mp4")
