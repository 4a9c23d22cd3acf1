"""Latching of contacts: every pair that touched in any substep of a control step, and how hard at most.

Reading contacts at the control rate misses most of a sweep: a finger that knocks a bottle may be in contact in a
hundred substeps and at the end of only a few control steps. So every substep is recorded, and the records are reduced
once per control step.
"""

from __future__ import annotations

from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from maniguard.sim.build import Stage
from maniguard.sim.command import SUBSTEPS, TIMESTEP_S
from maniguard.trace.frame import Contacts

Array = NDArray[np.float64]

_START_ROWS = 4096
_START_FORCES = 512
# Leading columns of a contact: distance, position (3), first row of its frame (3), which is the normal.
_NUMBER_COLUMNS = 7
# Integers of a contact from its two geoms to the row of its normal force.
_LABEL_COLUMNS = 10
_FORCE_ROW = 9
_WHISPER_N = 1e-60
# Below this length a pair's force-weighted mean normal says nothing: the forces point to all sides.
_SHORT_NORMAL = 0.1


class ContactLatch:
    """Records the contacts of each substep and reduces them to one `Contacts` per control step.

    Call `record` after the second half of each substep (mj_step2), when contacts and their forces belong together, and
    `reduce` at the end, after the first half of the next one (mj_step1), when the contacts of the final positions are
    known. The normal force of an elliptic contact is the solver's force at the contact's first row.
    """

    def __init__(self, stage: Stage, data: mujoco.MjData) -> None:
        self._data = data
        self._ngeom = int(stage.model.ngeom)
        self._make_pair_table(stage)
        self._rows = np.empty((_START_ROWS, _NUMBER_COLUMNS))
        self._labels = np.empty((_START_ROWS, _LABEL_COLUMNS), dtype=np.int32)
        self._forces = np.zeros((SUBSTEPS, _START_FORCES))
        self._counts = np.zeros(SUBSTEPS, dtype=np.int64)
        self._used = 0
        self._substep = 0
        # Views of the solver's contact array: distance, position and normal; geoms up to the row of the force.
        self._address = 0
        self._numbers: Array = np.empty((0, _NUMBER_COLUMNS))
        self._integers: NDArray[np.int32] = np.empty((0, _LABEL_COLUMNS), dtype=np.int32)

    def _make_pair_table(self, stage: Stage) -> None:
        touchable = np.flatnonzero(stage.geom_entity >= 0)
        keys = sorted({(int(stage.geom_entity[g]), int(stage.geom_part[g])) for g in touchable})
        index = {key: i for i, key in enumerate(keys)}
        self._piece_entity = np.array([e for e, _ in keys], dtype=np.int16)
        self._piece_part = np.array([p for _, p in keys], dtype=np.int16)
        self._piece_count = len(keys)
        self._geom_piece = np.zeros(self._ngeom, dtype=np.int64)
        for geom in touchable:
            self._geom_piece[geom] = index[int(stage.geom_entity[geom]), int(stage.geom_part[geom])]
        self._slot = np.zeros(self._piece_count * self._piece_count, dtype=np.int64)

    def start(self) -> None:
        """Forget everything recorded, before the first substep of a control step."""
        self._used = 0
        self._substep = 0

    def record(self) -> None:
        """Record the contacts and forces of one substep."""
        data = self._data
        count = data.ncon
        substep = self._substep
        self._counts[substep] = count
        self._substep = substep + 1
        if not count:
            return
        rows = data.nefc
        if rows >= self._forces.shape[1]:
            self._forces = _wider(self._forces, 2 * rows)
        self._forces[substep, :rows] = data.efc_force
        start = self._used
        end = start + count
        if end > len(self._rows):
            self._rows, self._labels = _longer(self._rows, 2 * end), _longer(self._labels, 2 * end)
        if count > len(self._numbers):
            self._view_contacts(count)
        self._rows[start:end] = self._numbers[:count]
        self._labels[start:end] = self._integers[:count]
        self._used = end

    def reduce(self) -> Contacts:
        """Return what was recorded since `start`, a row per pair; the present contacts tell what touches at the end."""
        used = self._used
        if not used:
            return Contacts.empty()
        if self._data.ncon and self._contact_address() != self._address:
            raise RuntimeError("MuJoCo has moved its contacts within one control step")
        rows, labels = self._rows[:used], self._labels[:used]
        first, second = self._geom_piece.take(labels[:, 0]), self._geom_piece.take(labels[:, 1])
        code = np.minimum(first, second) * self._piece_count + np.maximum(first, second)
        pairs = np.bincount(code).nonzero()[0]
        count = len(pairs)
        numbers = _INDICES[:count]
        self._slot[pairs] = numbers
        pair = self._slot[code]
        substep = _INDICES[:SUBSTEPS].repeat(self._counts)
        force_row = labels[:, _FORCE_ROW]
        # A contact that the solver left out has row -1: the last column of the substep before, which is never used.
        # The whisper tells contacts without force from no contact; it is lost in any force and in rounding.
        force = self._forces.take(substep * self._forces.shape[1] + force_row) + _WHISPER_N
        by_substep = np.bincount(substep * count + pair, force, SUBSTEPS * count).reshape(SUBSTEPS, count)
        peak_substep = by_substep.argmax(axis=0)
        peak = by_substep[peak_substep, numbers]
        distance = np.full(count, np.inf)
        np.minimum.at(distance, pair, rows[:, 0])

        at_peak = (substep == peak_substep[pair]).nonzero()[0]
        at_peak = at_peak[pair[at_peak].argsort(kind="stable")]
        flipped = first[at_peak] > second[at_peak]
        summed = _summed_geometry(rows.take(at_peak, axis=0), flipped, pair[at_peak], force[at_peak], numbers)

        low, high = pairs // self._piece_count, pairs % self._piece_count
        return Contacts(
            entity_a=self._piece_entity[low],
            part_a=self._piece_part[low],
            entity_b=self._piece_entity[high],
            part_b=self._piece_part[high],
            normal=summed[:, 4:],
            position_m=summed[:, 1:4],
            peak_force_n=peak.astype(np.float32),
            impulse_n_s=(by_substep.sum(axis=0) * TIMESTEP_S).astype(np.float32),
            distance_m=distance.astype(np.float32),
            at_end=self._touching_now()[pairs],
        )

    def _touching_now(self) -> NDArray[np.bool_]:
        touching = np.zeros(len(self._slot), dtype=np.bool_)
        if self._data.ncon:
            pieces = self._geom_piece[self._data.contact.geom]
            first, second = pieces[:, 0], pieces[:, 1]
            touching[np.minimum(first, second) * self._piece_count + np.maximum(first, second)] = True
        return touching

    def _contact_address(self) -> int:
        return int(self._data.contact.dist.__array_interface__["data"][0])

    def _view_contacts(self, count: int) -> None:
        """View the solver's contacts in place, with room to grow.

        MuJoCo keeps them as the first thing in its arena, whose address does not change; copying the wanted columns
        with two strided copies is three times as fast as copying field by field. The layout is that of the field views.
        """
        contact = self._data.contact
        stride = contact.dist.strides[0]
        self._address = self._contact_address()
        offsets = {
            name: _address(getattr(contact, name)) - self._address for name in ("pos", "frame", "geom", "efc_address")
        }
        if offsets["pos"] != 8 or offsets["frame"] != 32 or offsets["efc_address"] - offsets["geom"] != 4 * _FORCE_ROW:
            raise RuntimeError(
                "this version of MuJoCo lays out contacts in a way that this version of maniguard cannot read"
            )
        room = min(4 * count + 256, self._data.narena // stride)
        self._numbers = np.lib.stride_tricks.as_strided(
            contact.dist, (room, _NUMBER_COLUMNS), (stride, 8), writeable=False
        )
        self._integers = np.lib.stride_tricks.as_strided(
            contact.geom, (room, _LABEL_COLUMNS), (stride, 4), writeable=False
        )


_INDICES = np.arange(1 << 16)


def _summed_geometry(
    rows: Array, flipped: NDArray[np.bool_], pair: NDArray[np.int64], weight: Array, pairs: NDArray[np.int64]
) -> NDArray[np.float32]:
    """Return per pair its weight, mean position and unit normal (K, 7), weighted; `rows` (R, 7) are sorted by pair.

    Where the normals cancel, the strongest contact's is taken.
    """
    normals = rows[:, 4:]
    normals[flipped] *= -1.0
    weighted = rows * weight[:, None]
    weighted[:, 0] = weight
    mean = np.add.reduceat(weighted, pair.searchsorted(pairs), axis=0)
    mean[:, 1:] /= mean[:, :1]
    normal = mean[:, 4:]
    length = np.sqrt((normal * normal).sum(axis=1))
    if length.min() < _SHORT_NORMAL:
        for short in (length < _SHORT_NORMAL).nonzero()[0]:
            its = (pair == short).nonzero()[0]
            normal[short] = normals[its[weight[its].argmax()]]
            length[short] = 1.0
    normal /= length[:, None]
    return mean.astype(np.float32)


def _address(array: NDArray[Any]) -> int:
    return int(array.__array_interface__["data"][0])


def _wider(array: Array, columns: int) -> Array:
    wider = np.zeros((array.shape[0], columns))
    wider[:, : array.shape[1]] = array
    return wider


def _longer(array: NDArray[Any], rows: int) -> NDArray[Any]:
    longer = np.empty((rows, array.shape[1]), dtype=array.dtype)
    longer[: len(array)] = array
    return longer
