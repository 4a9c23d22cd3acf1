"""Latching of contacts in a world with liquid: all but those of grains, which a trace does not tell apart."""

from __future__ import annotations

import mujoco
import numpy as np
from numpy.typing import NDArray

from maniguard.sim.build import Stage
from maniguard.sim.command import SUBSTEPS
from maniguard.sim.contacts import ContactLatch, _Plan
from maniguard.trace.frame import Contacts

_SUBSTEP = np.arange(SUBSTEPS)[:, None]


class SievingLatch(ContactLatch):
    """A latch that keeps only the contacts between pieces of entities.

    A cup full of grains has a hundred contacts that come and go in every substep; left in, they would make every
    substep's pattern a new one, which is what the latch is slow with.
    """

    def __init__(self, stage: Stage, data: mujoco.MjData) -> None:
        self._is_grain = (stage.model.geom_contype != 0) & (stage.geom_entity < 0)
        super().__init__(stage, data)

    def reduce(self) -> Contacts:
        """Return what was recorded in 25 substeps, a row per pair, in touch at the end if now in contact."""
        most = max(self._counts)
        geoms = np.ascontiguousarray(self._geoms[:, :most]).view(np.int32).reshape(SUBSTEPS, most, 2)
        kept = ~self._is_grain[geoms].any(axis=2) & (np.arange(most) < np.array(self._counts)[:, None])
        counts = kept.sum(axis=1)
        order = np.argsort(~kept, axis=1, kind="stable")[:, : int(counts.max())]
        self._record[:, :, : order.shape[1]] = self._record[:, _SUBSTEP, order]
        self._counts = counts.tolist()
        return super().reduce()

    def _touching(self, plan: _Plan, patterns: tuple[bytes, ...]) -> NDArray[np.bool_]:
        count = self._data.ncon
        if count > len(self._solver_geoms):
            self._view_solver(count)
        geoms = np.ascontiguousarray(self._solver_geoms[:count])
        kept = ~self._is_grain[geoms.view(np.int32).reshape(-1, 2)].any(axis=1)
        present = geoms[kept].tobytes()
        if len(patterns) == 1 and present == patterns[0]:
            return plan.all_touch
        return np.asarray((plan.codes[:, None] == self._plan((present,)).codes).any(axis=1))
