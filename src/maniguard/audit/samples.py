"""What an importer reads out of a recording, at the times of the recording, before it becomes a uniform trace."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from maniguard.trace import CHANNELS, Channel, Provenance, Sampling, Scene

F64 = NDArray[np.float64]


@dataclass(frozen=True)
class Touches:
    """Contact rows over S samples, K in all: which sample, which two (entity, part), and where, how hard, how near.

    `a` and `b` (K, 2) are (entity, part) with a < b; `normal` (K, 3) points from a to b. `force_n` is NaN where nobody
    knows it.
    """

    sample: NDArray[np.int64]
    a: NDArray[np.int64]
    b: NDArray[np.int64]
    normal: F64
    position_m: F64
    force_n: F64
    distance_m: F64

    def __len__(self) -> int:
        return len(self.sample)


@dataclass(frozen=True)
class Samples:
    """A recording as read: S moments `time_s` (S,), and frame fields (S, …) in float64, quaternions wxyz.

    Only what the recording holds is in `columns`; `channels` declares it, and whatever it does not name is absent.
    Twists that are missing are worked out from the poses later. `touches` is None where contacts are unknown.
    """

    scene: Scene
    time_s: F64
    columns: Mapping[str, F64]
    channels: Mapping[str, Channel]
    touches: Touches | None = None
    events: tuple[tuple[float, str, str], ...] = ()
    rate_hz: float | None = None


def absent_channels() -> dict[str, Channel]:
    """Return every channel, declared absent."""
    return {name: Channel("absent", "instantaneous") for name in CHANNELS}


def present(provenance: Provenance, sampling: Sampling, *names: str) -> dict[str, Channel]:
    """Declare channels that are there."""
    return {name: Channel(provenance, sampling) for name in names}
