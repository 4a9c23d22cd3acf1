"""How many tasks and seeds it takes to see a difference, and how soon a run may stop: by simulation."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import betaincinv, ndtr

from maniguard.metrics import ConfidenceSequence, mcnemar_exact, sign_flip_exact
from maniguard.metrics.intervals import resampling_weights
from maniguard.metrics.paired import difference_interval
from maniguard.studies.errors import StudyError

LEVEL = 0.05
# Enough where thousands of intervals are averaged over.
RESAMPLES = 1000


# What is simulated fits into memory; beyond that every difference worth having is found.
MOST_TASKS, MOST_PAIRS = 10_000, 100_000


@dataclass(frozen=True)
class Design:
    """Two policies on the same tasks and seeds, as a model of chance.

    Policy A succeeds with probability `base`, B with `base + difference`. Each task has its own probability of success
    for each policy, beta-distributed, so that two rollouts of a task by one policy have the correlation `correlation`
    (0: tasks are all alike, 1: a task is always done or never). `likeness` is the correlation, of a Gaussian copula,
    between how hard a task is for A and for B: the more alike, the more pairing helps. StudyError for what is no such
    model.
    """

    tasks: int
    seeds: int
    base: float
    difference: float
    correlation: float
    likeness: float = 0.5

    def __post_init__(self) -> None:
        if self.tasks < 1 or self.seeds < 1:
            raise StudyError(f"{self.tasks} tasks and {self.seeds} seeds are no comparison; give 1 or more of each")
        if self.tasks > MOST_TASKS or self.tasks * self.seeds > MOST_PAIRS:
            raise StudyError(
                f"{self.tasks} tasks and {self.seeds} seeds are more than is simulated: at most {MOST_TASKS} tasks and "
                f"{MOST_PAIRS} pairs"
            )
        for name, share in (("base", self.base), ("base + difference", self.base + self.difference)):
            if not 0.0 < share < 1.0:
                raise StudyError(f"{name} is {share:g}; a rate that can be simulated lies between 0 and 1")
        for name in ("correlation", "likeness"):
            if not 0.0 <= getattr(self, name) <= 1.0:
                raise StudyError(f"{name} is {getattr(self, name):g}; it lies between 0 and 1")


@dataclass(frozen=True)
class Power:
    """The share of `simulations` in which the difference was found, at a level of 5 % two-sided.

    `by_tasks`: the exact test with whole tasks as its units. `by_pairs`: exact McNemar over all pairs, which takes the
    seeds of a task for independent; where there is no difference its share is no power but a rate of false alarms.
    `by_interval`: the interval of the difference leaves out 0.
    """

    design: Design
    simulations: int
    by_tasks: float
    by_pairs: float
    by_interval: float


@dataclass(frozen=True)
class PowerStudy:
    """The power of a design, and what the same tests say where there is no difference."""

    found: Power
    no_difference: Power


@dataclass(frozen=True)
class StoppingTime:
    """After how many of the planned tasks a run stops at a width: quartiles, and the share of runs that stop at all.

    The quartiles count a run that never stops with all of its tasks.
    """

    width: float
    q25: float
    median: float
    q75: float
    stopped: float


def power(design: Design, *, simulations: int = 1000, seed: int = 0) -> Power:
    """Estimate the power of a comparison; with `difference` 0 the rate of false alarms."""
    rng = np.random.default_rng([seed, design.tasks, design.seeds, simulations])
    weights = resampling_weights(design.tasks, rng, RESAMPLES)
    found = np.zeros(3)
    for won, lost in comparisons(design, simulations, rng):
        low, high = difference_interval(lost.tolist(), won.tolist(), [design.seeds] * design.tasks, weights)
        found += (
            sign_flip_exact((won - lost).tolist()) <= LEVEL,
            mcnemar_exact(int(lost.sum()), int(won.sum())) <= LEVEL,
            not low <= 0.0 <= high,
        )
    by_tasks, by_pairs, by_interval = (found / simulations).tolist()
    return Power(design, simulations, by_tasks, by_pairs, by_interval)


def stopping_times(
    tasks: int,
    *,
    seeds: int,
    share: float,
    correlation: float,
    widths: Sequence[float],
    simulations: int = 200,
    seed: int = 0,
) -> tuple[StoppingTime, ...]:
    """Estimate when the confidence sequence of a rate of `share` gets narrower than each of `widths`."""
    Design(tasks, seeds, share, 0.0, correlation)
    rng = np.random.default_rng([seed, tasks, seeds, simulations])
    reached = np.full((simulations, len(widths)), np.inf)
    for k in range(simulations):
        hits = rng.binomial(seeds, chances(rng.random(tasks), share, correlation)) / seeds
        sequence = ConfidenceSequence(tasks)
        for n, hit in enumerate(hits, 1):
            low, high = sequence.add(float(hit), 1.0)
            newly = np.isinf(reached[k]) & (high - low < np.asarray(widths))
            reached[k, newly] = n
            if not np.isinf(reached[k]).any():
                break
    stopped = (reached < tasks).mean(axis=0)
    q25, median, q75 = np.quantile(np.minimum(reached, tasks), (0.25, 0.5, 0.75), axis=0).tolist()
    return tuple(StoppingTime(*found) for found in zip(widths, q25, median, q75, stopped.tolist(), strict=True))


def comparisons(
    design: Design, simulations: int, rng: np.random.Generator
) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64]]]:
    """Yield for each simulated comparison how many pairs of each task only B, and only A, succeeded in."""
    shape = (design.tasks, design.seeds)
    for _ in range(simulations):
        hard = rng.standard_normal(design.tasks)
        other = design.likeness * hard + np.sqrt(1.0 - design.likeness**2) * rng.standard_normal(design.tasks)
        a = rng.random(shape) < chances(ndtr(hard), design.base, design.correlation)[:, None]
        b = rng.random(shape) < chances(ndtr(other), design.base + design.difference, design.correlation)[:, None]
        yield (b & ~a).sum(axis=1), (a & ~b).sum(axis=1)


def chances(places: NDArray[np.float64], share: float, correlation: float) -> NDArray[np.float64]:
    """Return the quantiles `places` of the beta distribution of tasks' probabilities of success."""
    if correlation == 0.0:
        return np.full(places.shape, share)
    if correlation == 1.0:
        return np.asarray(places > 1.0 - share, np.float64)
    scale = 1.0 / correlation - 1.0
    return np.asarray(betaincinv(share * scale, (1.0 - share) * scale, places), np.float64)
