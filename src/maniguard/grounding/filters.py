# ruff: noqa: D102 - the methods that every filter has are described once, in Filter.
"""Temporal filters over margins: each has a step form and a form for a whole series, equal to the bit.

A margin is positive where its atom is true, and zero or negative where it is not. A filter takes margins of E tracks to
margins of E tracks, and the sign of what comes out is the filter applied to the truth of what went in.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections import deque

import numpy as np
from numpy.typing import NDArray

from maniguard.errors import alternatives
from maniguard.grounding.errors import GroundingError

Margins = NDArray[np.float64]


def frames_of(duration_s: float, rate_hz: float) -> int:
    """Return how many consecutive frames make up a duration: at least one, and never a shorter time."""
    # The tolerance keeps 0.1 s at 20 Hz two frames although 0.1 * 20 may not be a whole number in binary.
    return max(1, math.ceil(duration_s * rate_hz - 1e-9))


class Filter(ABC):
    """A temporal filter. `step` takes the E margins of a frame and remembers; `run` takes (T, E) from the first on."""

    @abstractmethod
    def reset(self) -> None:
        """Forget every frame."""

    @abstractmethod
    def step(self, margins: list[float]) -> list[float]:
        """Return the filtered margins of the next frame."""

    @abstractmethod
    def run(self, margins: Margins) -> Margins:
        """Return the filtered margins of a whole series, as `step` would from the first frame on."""


def _sliding(margins: Margins, frames: int, combine: np.ufunc) -> Margins:
    """Combine each frame with the `frames - 1` before it, as far as there are any."""
    out = margins.copy()
    done = 1
    while done < frames:
        shift = min(done, frames - done)
        if shift < len(out):
            # Minimum and maximum may be taken twice over the same frame, so windows can be doubled.
            out[shift:] = combine(out[shift:], out[:-shift].copy())
        done += shift
    return out


class _Window(Filter):
    """The last frames."""

    def __init__(self, frames: int) -> None:
        self.frames = frames
        self._ring: deque[list[float]] = deque(maxlen=frames)

    def reset(self) -> None:
        self._ring.clear()


class Dwell(_Window):
    """True once it has been true for `frames` frames in a row; what was before the first frame counts as false."""

    def step(self, margins: list[float]) -> list[float]:
        self._ring.append(margins)
        if len(self._ring) < self.frames:
            return [min(*track, 0.0) for track in zip(*self._ring, strict=True)]
        return [min(track) for track in zip(*self._ring, strict=True)]

    def run(self, margins: Margins) -> Margins:
        out = _sliding(margins, self.frames, np.minimum)
        early = min(self.frames - 1, len(out))
        out[:early] = np.minimum(out[:early], 0.0)
        return out


class Recent(_Window):
    """True if it was true in one of the last `frames` frames, the present one included."""

    def step(self, margins: list[float]) -> list[float]:
        self._ring.append(margins)
        return [max(track) for track in zip(*self._ring, strict=True)]

    def run(self, margins: Margins) -> Margins:
        return _sliding(margins, self.frames, np.maximum)


class Ago(_Window):
    """What it was `frames` frames before; before there were so many it is what it was at first."""

    def __init__(self, frames: int) -> None:
        super().__init__(frames + 1)

    def step(self, margins: list[float]) -> list[float]:
        self._ring.append(margins)
        return list(self._ring[0])

    def run(self, margins: Margins) -> Margins:
        delay = min(self.frames - 1, len(margins))
        return np.concatenate((np.repeat(margins[:1], delay, axis=0), margins[: len(margins) - delay]))


class Latch(Filter):
    """True from the first time on that it was true."""

    def __init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        self._best: list[float] | None = None

    def step(self, margins: list[float]) -> list[float]:
        self._best = margins if self._best is None else list(map(max, self._best, margins))
        return self._best

    def run(self, margins: Margins) -> Margins:
        return np.maximum.accumulate(margins, axis=0)


class Hysteresis(Filter):
    """Becomes true above zero, and false again only at `-band` or below; in between it stays what it was."""

    def __init__(self, band: float) -> None:
        self.band = band
        self.reset()

    def reset(self) -> None:
        self._on: list[bool] | None = None

    def step(self, margins: list[float]) -> list[float]:
        before = [False] * len(margins) if self._on is None else self._on
        self._on = [m > 0 or (on and m > -self.band) for m, on in zip(margins, before, strict=True)]
        return [m + self.band if on else m for m, on in zip(margins, self._on, strict=True)]

    def run(self, margins: Margins) -> Margins:
        decided = (margins > 0) | (margins <= -self.band)
        on = _hold(decided, margins > 0, np.zeros(margins.shape[1:], np.bool_))
        return np.where(on, margins + self.band, margins)


class Debounce(_Window):
    """Changes only after `frames` frames in a row say the opposite; before the first frame it was as in that frame."""

    def __init__(self, frames: int) -> None:
        super().__init__(frames)
        self._on: list[bool] | None = None

    def reset(self) -> None:
        super().reset()
        self._on = None

    def step(self, margins: list[float]) -> list[float]:
        if self._on is None:
            self._ring.extend([margins] * self.frames)
            self._on = [margin > 0 for margin in margins]
        self._ring.append(margins)
        out = []
        for track, window in enumerate(zip(*self._ring, strict=True)):
            low, high = min(window), max(window)
            self._on[track] = low > 0 or (self._on[track] and high > 0)
            out.append(high if self._on[track] else low)
        return out

    def run(self, margins: Margins) -> Margins:
        if not len(margins):
            return margins.copy()
        low = _sliding(margins, self.frames, np.minimum)
        high = _sliding(margins, self.frames, np.maximum)
        first = margins[0]
        early = min(self.frames - 1, len(margins))
        low[:early], high[:early] = np.minimum(low[:early], first), np.maximum(high[:early], first)
        decided = (low > 0) | (high <= 0)
        decided[0] = True
        on = _hold(decided, np.where(np.arange(len(margins))[:, None] == 0, margins > 0, low > 0), first > 0)
        return np.where(on, high, low)


def _hold(decided: NDArray[np.bool_], value: NDArray[np.bool_], before: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return `value` where it is decided, else the last decided one, else `before`; along axis 0."""
    index = last_true_index(decided)
    held = np.take_along_axis(value, np.maximum(index, 0), axis=0)
    return np.where(index >= 0, held, before)


def last_true_index(mask: NDArray[np.bool_]) -> NDArray[np.intp]:
    """Return for each row the index of the last row up to it where `mask` (T, E) is true; -1 where there is none."""
    rows = np.arange(len(mask), dtype=np.intp)[:, None]
    return np.maximum.accumulate(np.where(mask, rows, -1), axis=0)


FILTERS: dict[str, str] = {"dwell": "s", "recent": "s", "ago": "s", "debounce": "s", "hysteresis": "", "latch": ""}
"""The filters that a specification may name, and the unit of their argument; a hysteresis band has the atom's unit."""


def make_filter(name: str, argument: float, rate_hz: float) -> Filter:
    """Build the filter called `name`; GroundingError lists the names."""
    if name == "latch":
        return Latch()
    if name == "hysteresis":
        return Hysteresis(argument)
    kinds: dict[str, type[_Window]] = {"dwell": Dwell, "recent": Recent, "ago": Ago, "debounce": Debounce}
    if name not in kinds:
        raise GroundingError(f"unknown filter {name!r}; the filters are {alternatives(FILTERS)}")
    return kinds[name](frames_of(argument, rate_hz))
