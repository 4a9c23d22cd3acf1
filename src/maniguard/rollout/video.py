"""Video of a rollout, written frame by frame and visible only when it is whole."""

from __future__ import annotations

import os
from fractions import Fraction
from pathlib import Path
from types import TracebackType

import av
import numpy as np
from numpy.typing import NDArray

# H.264 with one key frame a second: the report's scrubber seeks to key frames.
_CODEC = "libx264"
_OPTIONS = {"preset": "veryfast", "crf": "26", "threads": "1"}


class VideoWriter:
    """Encodes (H, W, 3) uint8 frames into an MP4 at `path`; the file appears under its name only after `close()`."""

    def __init__(self, path: Path, *, rate_hz: float, height_px: int, width_px: int) -> None:
        self._path = path
        self._partial = path.with_name(f".{path.name}.part")
        self._container = av.open(str(self._partial), "w", format="mp4", options={"movflags": "faststart"})
        stream = self._container.add_stream(_CODEC, rate=Fraction(rate_hz), options=_OPTIONS)
        if not isinstance(stream, av.VideoStream):
            raise TypeError(f"{_CODEC} made a {type(stream).__name__}")
        self._stream = stream
        self._stream.height, self._stream.width = height_px, width_px
        self._stream.pix_fmt = "yuv420p"
        self._stream.codec_context.gop_size = round(rate_hz)

    def append(self, image: NDArray[np.uint8]) -> None:
        """Encode one image."""
        for packet in self._stream.encode(av.VideoFrame.from_ndarray(image, format="rgb24")):
            self._container.mux(packet)

    def close(self) -> None:
        """Finish the file and give it its name."""
        for packet in self._stream.encode(None):
            self._container.mux(packet)
        self._container.close()
        with open(self._partial, "rb") as handle:
            os.fsync(handle.fileno())
        os.replace(self._partial, self._path)

    def abandon(self) -> None:
        """Drop what was written."""
        self._container.close()
        self._partial.unlink(missing_ok=True)

    def __enter__(self) -> VideoWriter:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None:
            self.close()
        else:
            self.abandon()
