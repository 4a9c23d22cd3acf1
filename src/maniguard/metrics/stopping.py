"""When a run may end early: conditions on confidence sequences, and the order of tasks that they rest on."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

from maniguard.errors import ManiguardError
from maniguard.metrics.intervals import Interval
from maniguard.metrics.rates import RATE_NAMES, RATES, outcome_of
from maniguard.metrics.rows import RolloutRow
from maniguard.metrics.sequential import ConfidenceSequence

Cluster = tuple[str, str]

_TERM = re.compile(r"ci_width\(\s*([A-Za-z0-9_|&.-]*)\s*\)\s*<\s*([0-9.eE+-]+)")


class StopError(ManiguardError):
    """A condition for stopping that cannot be understood, or never be met."""


@dataclass(frozen=True)
class StopTerm:
    """The interval of a rate (one of `RATE_NAMES`, pooled) is narrower than `below`, 0 to 1."""

    rate: str
    below: float

    def __str__(self) -> str:
        return f"ci_width({self.rate}) < {self.below:g}"


@dataclass(frozen=True)
class StopCondition:
    """Terms that must hold together."""

    terms: tuple[StopTerm, ...]

    def __str__(self) -> str:
        return " and ".join(map(str, self.terms))

    @staticmethod
    def parse(text: str) -> StopCondition:
        """Read `ci_width(RATE) < X`, several of them joined by `and`; StopError says what is wrong."""
        terms: list[StopTerm] = []
        for part in re.split(r"\band\b", text):
            found = _TERM.fullmatch(part.strip())
            if found is None:
                raise StopError(
                    f"stop condition {text!r}: {part.strip()!r} is not understood; write ci_width(RATE) < X, "
                    "several of them joined by 'and', for example ci_width(ssr) < 0.1"
                )
            rate, width = found.groups()
            if rate not in RATES:
                raise StopError(f"stop condition {text!r}: unknown rate {rate!r}; rates are {', '.join(RATE_NAMES)}")
            if rate in (term.rate for term in terms):
                raise StopError(f"stop condition {text!r}: the width of {rate!r} is asked for twice")
            terms.append(StopTerm(rate, _width(width, text)))
        return StopCondition(tuple(terms))

    def met(self, intervals: Mapping[str, Interval]) -> bool:
        """Say whether every term holds for the intervals by rate."""
        return all(intervals[t.rate].high - intervals[t.rate].low < t.below for t in self.terms)


class StopWatch:
    """Follows the rates of a condition over tasks in their drawn order.

    `tasks` is how many the plan has, `rollouts_per_task` the most that it has of one of them.
    """

    def __init__(self, condition: StopCondition, *, tasks: int, rollouts_per_task: int) -> None:
        self._condition, self._most = condition, rollouts_per_task
        self._sequences = {term.rate: ConfidenceSequence(tasks) for term in condition.terms}

    def add(self, rows: Iterable[RolloutRow]) -> bool:
        """Add all rollouts of the next task, and say whether the condition holds after it."""
        outcomes = [outcome_of(row) for row in rows if row.counted]
        for rate, sequence in self._sequences.items():
            member, holds = RATES[rate]
            inside = [o for o in outcomes if member(o)]
            sequence.add(sum(1 for o in inside if holds(o)) / self._most, len(inside) / self._most)
        return self._condition.met(self.intervals)

    @property
    def intervals(self) -> dict[str, Interval]:
        """The interval of each rate of the condition as it stands."""
        return {rate: sequence.interval for rate, sequence in self._sequences.items()}


@dataclass(frozen=True)
class TaskOrder:
    """The drawn order of a run that might stop by what it saw: for each planned rollout its family, task, condition.

    `done` is how many tasks were run, all of them if it never stopped. `condition` is the text of what it waited for.
    """

    planned: tuple[tuple[str, str, str], ...]
    done: int
    condition: str

    @cached_property
    def tasks(self) -> tuple[Cluster, ...]:
        """The planned tasks in their drawn order."""
        return tuple(dict.fromkeys((family, task) for family, task, _ in self.planned))

    @property
    def rollouts_done(self) -> int:
        """How many of the planned rollouts belong to the tasks that were run."""
        ran = set(self.tasks[: self.done])
        return sum((family, task) in ran for family, task, _ in self.planned)

    def part(self, rows: Sequence[RolloutRow]) -> OrderPart:
        """Return the order of those planned rollouts that are of the families and conditions of `rows`."""
        families, conditions = {r.family for r in rows}, {r.condition for r in rows}
        planned = Counter((family, task) for family, task, c in self.planned if family in families and c in conditions)
        ran = tuple(cluster for cluster in self.tasks[: self.done] if cluster in planned)
        return OrderPart(ran, len(planned), max(planned.values(), default=1))


@dataclass(frozen=True)
class OrderPart:
    """The tasks of a table's cell that were run, in drawn order; of how many; with how many rollouts at most."""

    ran: tuple[Cluster, ...]
    tasks: int
    most: int

    def interval(
        self, counts: Mapping[Cluster, tuple[int, int]], *, throughout: bool = False, beyond: bool = False
    ) -> Interval | None:
        """Return the interval of sum(hits) / sum(totals), `counts[task]` = (hits, total); None where no rollout counts.

        It is for the rate that all planned tasks would have had; with `beyond` for tasks like these, of which the plan
        is itself a sample. With `throughout` all that was ruled out on the way counts, as in the decision to stop;
        without it only what the last task rules out, which is valid too and quicker.
        """
        found = [counts.get(cluster, (0, 0)) for cluster in self.ran]
        if not any(total for _, total in found):
            return None
        hits = tuple(hit / self.most for hit, _ in found)
        sizes = tuple(total / self.most for _, total in found)
        return _interval(hits, sizes, None if beyond else self.tasks, throughout)


@lru_cache(maxsize=4096)
def _interval(hits: tuple[float, ...], sizes: tuple[float, ...], population: int | None, throughout: bool) -> Interval:
    sequence = ConfidenceSequence(population)
    if throughout:
        for hit, size in zip(hits, sizes, strict=True):
            sequence.add(hit, size)
        return sequence.interval
    sequence.extend(hits, sizes)
    return sequence.at_last()


def _width(text: str, where: str) -> float:
    try:
        width = float(text)
    except ValueError as error:
        raise StopError(f"stop condition {where!r}: {text!r} is no number") from error
    if not 0.0 < width <= 1.0:
        raise StopError(f"stop condition {where!r}: a width is above 0 and at most 1, not {text}; 0.1 is ten points")
    return width
