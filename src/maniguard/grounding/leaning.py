# ruff: noqa: D102 - the methods that every predicate has are described once, in Predicate.
"""What predicates have in common that ask whether two things pressed on each other a moment ago."""

from __future__ import annotations

from abc import abstractmethod

import numpy as np

from maniguard.grounding.block import Block
from maniguard.grounding.filters import Recent, frames_of
from maniguard.grounding.moment import Moment
from maniguard.grounding.predicate import F64, Measure, Predicate, Sample


class LeaningOn(Predicate):
    """Remembers for the parameter `memory` that a contact with one of `to` exceeded `min_force`."""

    def prepare(self) -> None:
        frames = frames_of(self.values["memory"], self.rate_hz)
        self._recent = {int(column): Recent(frames) for column in self.to}

    def reset(self) -> None:
        for recent in self._recent.values():
            recent.reset()

    def measure(self, block: Block) -> Measure:
        return self.combined(block, {column: self._force(block, column) for column in self._recent})

    def step(self, moment: Moment) -> Sample:
        block = moment.block
        touched = {c: np.array([r.step(self._force(block, c)[0].tolist())]) for c, r in self._recent.items()}
        measure = self.combined(block, touched)
        return Sample(measure.margin[0].tolist(), tuple(value[0].tolist() for value in measure.values))

    def run(self, block: Block) -> Measure:
        return self.combined(block, {c: r.run(self._force(block, c)) for c, r in self._recent.items()})

    @abstractmethod
    def combined(self, block: Block, touched: dict[int, F64]) -> Measure:
        """Judge a block, given by each column of `to` the margin of the remembered contact with it, (T, E)."""

    def _force(self, block: Block, column: int) -> F64:
        return block.largest_force(block.rows.other == column)[:, self.of] - self.values["min_force"]
