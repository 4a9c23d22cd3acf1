"""A confidence sequence for a rate over tasks that come in random order: an interval that may be looked at any time."""

from __future__ import annotations

import math
from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from maniguard.metrics.intervals import CONFIDENCE, Interval

Array = NDArray[np.float64]

# The bets that are mixed: midpoints of equal parts of the arcsine law, Beta(1/2, 1/2). Any fixed set is valid; more of
# them only bring the width closer to that of the whole law.
_BETS: Final[Array] = np.square(np.sin((np.arange(96) + 0.5) * (math.pi / 2 / 96)))
# How finely the ends of an interval are searched; the reported end is always the one outside.
_TOLERANCE = 1e-6
_SECTIONS = 8
# Shares are multiples of one over a number of rollouts; what is smaller than this is a rounding error of zero.
_ZERO = 1e-9


class ConfidenceSequence:
    """Intervals for a ratio sum(hits) / sum(sizes) over tasks, valid at all numbers of tasks at once.

    Task after task is added, each with its `hits` and its `size`, 0 <= hits <= size <= 1: of the rollouts planned for
    it, the share that has the property and the share that the rate is over. With probability 0.95 or more the true
    ratio lies in every interval of the sequence, so that it may be looked at after each task and the run stopped for
    what was seen; an interval for a number of tasks fixed beforehand promises that once only.

    With a `population` of N tasks, the ratio is that of all N, and the only assumption is that they come in an order
    drawn at random: nothing about the policy, nothing about rollouts of one task being alike. With None the ratio is
    that of a distribution of which the tasks are independent draws.

    Construction: for each candidate m a gambler bets on hits against m, at odds that are fair if m is the ratio, and m
    is ruled out once the capital has reached 1/0.05 (Ville, 1939). Bets are those of a mixture of constant portfolios
    (Cover and Ordentlich, 1996) as in Orabona and Jun (2023); for a single rollout per task that is the beta-binomial
    mixture of Robbins (1970). Without replacement the fair odds follow what remains (Waudby-Smith and Ramdas, 2020).
    A ratio is tested as the mean of hits + m (1 - size), which is m exactly if the ratio is. The logarithm of the
    capital is convex in m, so that what is not ruled out is an interval; intervals are intersected as they come.
    """

    def __init__(self, population: int | None = None, confidence: float = CONFIDENCE) -> None:
        self._population = population
        self._limit = -math.log1p(-confidence)
        self._hits: list[float] = []
        self._sizes: list[float] = []
        self._interval = Interval(0.0, 1.0)

    @property
    def tasks(self) -> int:
        """How many tasks were added."""
        return len(self._hits)

    @property
    def interval(self) -> Interval:
        """What no task so far has ruled out; 0 to 1 at the start, and never wider than before."""
        return self._interval

    def add(self, hits: float, size: float) -> Interval:
        """Add the next task of the order and return the interval after it.

        ValueError for shares that are none, and for more tasks than there are.
        """
        self.extend([hits], [size])
        low, high = self._possible()
        before = Interval(max(self._interval.low, low), min(self._interval.high, high))
        # An empty intersection has a chance of less than 0.05 of ever happening, and says that this is one of those
        # runs: the last interval that was one stays.
        if before.low <= before.high + _ZERO:
            self._interval = self._search(Interval(min(before), max(before))) or self._interval
        return self._interval

    def extend(self, hits: ArrayLike, sizes: ArrayLike) -> None:
        """Add several tasks without looking in between: the interval stays as it is until the next `add`."""
        for y, e in zip(np.asarray(hits, np.float64), np.asarray(sizes, np.float64), strict=True):
            if not 0.0 <= y <= e <= 1.0:
                raise ValueError(f"hits {y} and size {e} are no shares with 0 <= hits <= size <= 1")
            if self._population is not None and self.tasks >= self._population:
                raise ValueError(f"there are {self._population} tasks, and all of them were added")
            self._hits.append(float(y))
            self._sizes.append(float(e))

    def at_last(self) -> Interval:
        """Return what the capital after the last task rules out, whatever it was before: not narrower, but quicker."""
        return self._search(self._possible()) or self._possible()

    def log_capital(self, share: float) -> Array:
        """Return the logarithm of the gambler's capital against `share` after each task, infinite once impossible."""
        capital = _log_mean(np.cumsum(self._log_factors(np.asarray([share]))[0], axis=0))
        low, high = self._possible_after()
        capital[(share < low - _ZERO) | (share > high + _ZERO)] = np.inf
        return capital

    def _possible(self) -> Interval:
        """Return what the rate can still be, by counting alone."""
        low, high = self._possible_after()
        return Interval(float(low[-1]), float(high[-1])) if len(low) else Interval(0.0, 1.0)

    def _possible_after(self) -> tuple[Array, Array]:
        """Return the least and the greatest that the rate can still be after each task."""
        hits, counted = np.cumsum(self._hits), np.cumsum(self._sizes)
        if self._population is None:
            return np.zeros(len(hits)), np.ones(len(hits))
        left = self._population - np.arange(1, len(hits) + 1)
        total = counted + left
        low = np.divide(hits, total, out=np.zeros(len(hits)), where=total > 0)
        high = np.divide(hits + left, total, out=np.ones(len(hits)), where=total > 0)
        return low, high

    def _search(self, within: Interval) -> Interval | None:
        """Return which part of `within` the last capital does not rule out; None where that is nothing."""
        low, high = within
        size = math.fsum(self._sizes)
        guess = math.fsum(self._hits) / size if size > 0 else 0.5
        inner = min(max(guess, low), high)
        ends = self._last_capital(np.asarray([low, inner, high]))
        if ends[1] >= self._limit:
            inner = self._lowest(low, high)
            if self._last_capital(np.asarray([inner]))[0] >= self._limit:
                return None
        return Interval(
            low if ends[0] < self._limit else self._crossing(low, inner),
            high if ends[2] < self._limit else self._crossing(high, inner),
        )

    def _crossing(self, outside: float, inside: float) -> float:
        """Return a ruled-out share at most `_TOLERANCE` from those that are not."""
        while abs(outside - inside) > _TOLERANCE:
            grid = outside + (inside - outside) * np.arange(1, _SECTIONS) / _SECTIONS
            kept = self._last_capital(grid) < self._limit
            first = int(np.argmax(kept)) if kept.any() else len(grid)
            outside, inside = (
                float(grid[first - 1]) if first > 0 else outside,
                float(grid[first]) if first < len(grid) else inside,
            )
        return outside

    def _lowest(self, low: float, high: float) -> float:
        """Return where the capital, whose logarithm is convex, is least."""
        while high - low > _TOLERANCE:
            grid = low + (high - low) * np.arange(_SECTIONS + 1) / _SECTIONS
            best = int(np.argmin(self._last_capital(grid)))
            low, high = float(grid[max(best - 1, 0)]), float(grid[min(best + 1, _SECTIONS)])
        return (low + high) / 2

    def _last_capital(self, shares: Array) -> Array:
        return _log_mean(self._log_factors(shares).sum(axis=1))

    def _log_factors(self, shares: Array) -> Array:
        """Return (shares, tasks, bets) logarithms of what each task multiplies each bettor's capital by."""
        hits, sizes = np.asarray(self._hits), np.asarray(self._sizes)
        m = shares[:, None]
        drawn = hits + m * (1.0 - sizes)
        fair = np.broadcast_to(m, drawn.shape)
        if self._population is not None:
            left = self._population - np.arange(len(hits))
            before = np.cumsum(drawn, axis=1) - drawn
            fair = (self._population * m - before) / left
        impossible = (fair < -_ZERO) | (fair > 1.0 + _ZERO)
        up, down = _odds(drawn, fair), _odds(1.0 - drawn, 1.0 - fair)
        up[impossible] = np.inf
        factors = _BETS * up[:, :, None] + (1.0 - _BETS) * down[:, :, None]
        return np.asarray(np.log(factors), np.float64)


def _odds(drawn: Array, fair: Array) -> Array:
    """Return drawn / fair: 0 for nothing where nothing was to come, infinite for something there."""
    nothing = drawn < _ZERO
    ratio = np.divide(drawn, fair, out=np.full(drawn.shape, np.inf), where=fair > _ZERO)
    ratio[nothing] = 0.0
    return np.asarray(ratio, np.float64)


def _log_mean(logs: Array) -> Array:
    """Return the logarithm of the mean of exponentials over the last axis."""
    peak = logs.max(axis=-1)
    safe = np.where(np.isfinite(peak), peak, 0.0)
    with np.errstate(over="ignore"):
        spread = np.log(np.exp(logs - safe[..., None]).mean(axis=-1))
    return np.asarray(np.where(np.isposinf(peak), np.inf, safe + spread), np.float64)
