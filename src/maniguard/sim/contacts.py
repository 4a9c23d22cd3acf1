"""Latching of contacts: every pair that touched in any substep of a control step, and how hard at most.

Reading contacts at the control rate misses most of a sweep: a finger that knocks a bottle may be in contact in a
hundred substeps and at the end of only a few control steps. So every substep is recorded, and the records are reduced
once per control step.

Which geoms touch, in which order, hardly changes from one substep to the next. How to reduce the patterns of a control
step (which contacts belong to which pair, which of their normals to flip) is worked out once and kept.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import mujoco
import numpy as np
from numpy.typing import NDArray

from maniguard.sim.build import Stage
from maniguard.sim.command import SUBSTEPS, TIMESTEP_S
from maniguard.trace.frame import Contacts

Array = NDArray[np.float64]
Integers = NDArray[np.int64]

# Leading columns of a contact: distance, position (3), first row of its frame (3), which is the normal.
_NUMBER_COLUMNS = 7
# Integers of a contact from its two geoms to the row of its normal force.
_LABEL_COLUMNS = 10
_FORCE_ROW = 9
# Below this length a pair's force-weighted mean normal says nothing: the forces point to all sides.
_SHORT_NORMAL = 0.1
# Tells a contact without any force from no contact; it is lost in any force and in the rounding to 32 bits.
_WHISPER_N = 1e-60
_MAX_PLANS = 2048


class _Plan(NamedTuple):
    """How to reduce substeps of G patterns of contacts. K pairs; S slots, as many for a pair as it ever has contacts.

    `codes` (K,) are the pairs' codes, ascending; `starts` (K,) is each pair's first slot, `pair` (S,) each slot's pair.
    For every pattern (G, S): `contact` is the slot's contact, `force_column` where its normal force is (both -1 where
    there is none), `sign` (G, S, 1) turns its normal from a to b, `whisper_n` is nothing to speak of where there is a
    contact, else 0. `pairs` and `slots` count from 0; the rest is for `Contacts`.
    """

    codes: Integers
    pairs: Integers
    slots: Integers
    starts: Integers
    pair: Integers
    contact: Integers
    force_column: Integers
    sign: Array
    whisper_n: Array
    entity_a: NDArray[np.int16]
    part_a: NDArray[np.int16]
    entity_b: NDArray[np.int16]
    part_b: NDArray[np.int16]


class ContactLatch:
    """Records the contacts of each substep and reduces them to one `Contacts` per control step.

    Call `record` after the second half of each substep (mj_step2), when contacts and their forces belong together, and
    `reduce` at the end, after the first half of the next one (mj_step1), when the contacts of the final positions are
    known. The normal force of an elliptic contact is the solver's force at the contact's first row.
    """

    def __init__(self, stage: Stage, data: mujoco.MjData) -> None:
        self._data = data
        self._index_pieces(stage)
        self._plans: dict[tuple[bytes, ...], _Plan] = {}
        self._patterns: list[bytes] = []
        # Storage for 25 substeps, grown when needed, and views of it for the present number of contacts and forces.
        self._rows = np.zeros((SUBSTEPS, 0, _NUMBER_COLUMNS))
        self._forces = np.zeros((SUBSTEPS, 1))
        self._count, self._force_count = -1, -1
        self._row_targets: list[Array] = []
        self._force_targets: list[Array] = []
        # Views of the solver's contact array.
        self._address = 0
        self._all_numbers: Array = np.empty((0, _NUMBER_COLUMNS))
        self._all_labels: NDArray[np.int32] = np.empty((0, _LABEL_COLUMNS), dtype=np.int32)
        self._numbers, self._labels = self._all_numbers, self._all_labels

    def _index_pieces(self, stage: Stage) -> None:
        touchable = np.flatnonzero(stage.geom_entity >= 0)
        keys = sorted({(int(stage.geom_entity[g]), int(stage.geom_part[g])) for g in touchable})
        index = {key: i for i, key in enumerate(keys)}
        self._piece_count = len(keys)
        self._piece_entity = np.array([e for e, _ in keys], dtype=np.int16)
        self._piece_part = np.array([p for _, p in keys], dtype=np.int16)
        self._geom_piece = np.zeros(int(stage.model.ngeom), dtype=np.int64)
        for geom in touchable:
            self._geom_piece[geom] = index[int(stage.geom_entity[geom]), int(stage.geom_part[geom])]

    def start(self) -> None:
        """Forget everything recorded, before the first substep of a control step."""
        self._patterns.clear()

    def record(self) -> None:
        """Record the contacts and forces of one substep."""
        data = self._data
        count = data.ncon
        if count != self._count:
            self._fit_contacts(count)
        patterns = self._patterns
        substep = len(patterns)
        if not count:
            patterns.append(b"")
            return
        pattern = self._labels.tobytes()
        if substep and pattern == patterns[-1]:
            pattern = patterns[-1]
        patterns.append(pattern)
        self._row_targets[substep][:] = self._numbers
        force = data.efc_force
        if len(force) != self._force_count:
            self._fit_forces(len(force))
        self._force_targets[substep][:] = force

    def reduce(self) -> Contacts:
        """Return what was recorded since `start`, a row per pair; the present contacts tell what touches at the end."""
        patterns = self._patterns
        if patterns.count(patterns[0]) == SUBSTEPS:
            plan = self._plan((patterns[0],))
            if not len(plan.pairs):
                return Contacts.empty()
            force = self._forces.take(plan.force_column[0], axis=1)
            force += plan.whisper_n[0]
            distance = self._rows[:, :, 0].min(axis=0).take(plan.contact[0])
            contact, sign = plan.contact[0], plan.sign[0]
            by_substep = np.add.reduceat(force, plan.starts, axis=1)
            peak_substep = by_substep.argmax(axis=0)
            slot_substep = peak_substep.take(plan.pair)
        else:
            distinct = tuple(dict.fromkeys(patterns))
            plan = self._plan(distinct)
            index = {pattern: i for i, pattern in enumerate(distinct)}
            which = np.array([index[pattern] for pattern in patterns])
            force = self._forces[_SUBSTEP_COLUMN, plan.force_column[which]]
            force += plan.whisper_n[which]
            distance = self._rows[:, :, 0][_SUBSTEP_COLUMN, plan.contact[which]].min(axis=0)
            by_substep = np.add.reduceat(force, plan.starts, axis=1)
            peak_substep = by_substep.argmax(axis=0)
            slot_substep = peak_substep.take(plan.pair)
            slot_pattern = which.take(slot_substep)
            contact, sign = plan.contact[slot_pattern, plan.slots], plan.sign[slot_pattern, plan.slots]
        rows = self._rows[slot_substep, contact]
        rows[:, 0] = 1.0
        rows[:, 4:] *= sign
        geometry = _weighted(rows, force[slot_substep, plan.slots], plan)
        scalars = np.empty((3, len(plan.pairs)), dtype=np.float32)
        scalars[0] = by_substep[peak_substep, plan.pairs]
        scalars[1] = np.add.reduce(by_substep, axis=0) * TIMESTEP_S
        scalars[2] = np.minimum.reduceat(distance, plan.starts)
        return Contacts(
            entity_a=plan.entity_a,
            part_a=plan.part_a,
            entity_b=plan.entity_b,
            part_b=plan.part_b,
            normal=geometry[:, 4:],
            position_m=geometry[:, 1:4],
            peak_force_n=scalars[0],
            impulse_n_s=scalars[1],
            distance_m=scalars[2],
            at_end=self._touching(plan),
        )

    def _plan(self, patterns: tuple[bytes, ...]) -> _Plan:
        plan = self._plans.get(patterns)
        if plan is None:
            if len(self._plans) >= _MAX_PLANS:
                self._plans.clear()
            plan = self._plans[patterns] = self._make_plan(patterns)
        return plan

    def _make_plan(self, patterns: Sequence[bytes]) -> _Plan:
        tables = [np.frombuffer(pattern, dtype=np.int32).reshape(-1, _LABEL_COLUMNS) for pattern in patterns]
        places: list[dict[tuple[int, int], tuple[int, int, float]]] = []
        for table in tables:
            first, second = self._geom_piece[table[:, 0]], self._geom_piece[table[:, 1]]
            code_of_contact = np.minimum(first, second) * self._piece_count + np.maximum(first, second)
            seen: dict[int, int] = {}
            place = {}
            for contact, code in enumerate(code_of_contact.tolist()):
                nth = seen.get(code, 0)
                seen[code] = nth + 1
                sign = -1.0 if first[contact] > second[contact] else 1.0
                place[code, nth] = (contact, int(table[contact, _FORCE_ROW]), sign)
            places.append(place)
        slots = sorted({slot for place in places for slot in place})
        code_of_slot = np.array([code for code, _ in slots], dtype=np.int64)
        codes, starts, pair = np.unique(code_of_slot, return_index=True, return_inverse=True)
        # What is missing points to the last row and column, which are never recorded to: no force, infinitely far.
        nowhere = (-1, -1, 0.0)
        filled = np.array([[place.get(slot, nowhere) for slot in slots] for place in places])
        filled = filled.reshape(len(patterns), len(slots), 3)
        low, high = np.divmod(codes, self._piece_count)
        return _Plan(
            codes=codes,
            pairs=np.arange(len(codes)),
            slots=np.arange(len(slots)),
            starts=starts,
            pair=pair,
            contact=filled[:, :, 0].astype(np.int64),
            force_column=filled[:, :, 1].astype(np.int64),
            sign=filled[:, :, 2:],
            whisper_n=np.abs(filled[:, :, 2]) * _WHISPER_N,
            entity_a=self._piece_entity[low],
            part_a=self._piece_part[low],
            entity_b=self._piece_entity[high],
            part_b=self._piece_part[high],
        )

    def _touching(self, plan: _Plan) -> NDArray[np.bool_]:
        count = self._data.ncon
        if count != self._count:
            self._fit_contacts(count)
        pattern = self._labels.tobytes() if count else b""
        present = self._plan((pattern,)).codes
        if len(present) == len(plan.codes) and (present is plan.codes or (present == plan.codes).all()):
            return np.ones(len(plan.codes), dtype=np.bool_)
        return np.isin(plan.codes, present, assume_unique=True)

    def _fit_contacts(self, count: int) -> None:
        """Set the views for `count` contacts up; a row more than needed stays infinitely far."""
        self._count = count
        if not count:
            return
        if self._address and self._contact_address() != self._address:
            raise RuntimeError("MuJoCo has moved its contacts, which it never did before")
        if count > len(self._all_numbers):
            self._view_contacts(count)
        if count >= self._rows.shape[1]:
            self._rows = _grown(self._rows, 2 * count + 1)
            self._rows[:, -1, 0] = np.inf
        self._numbers, self._labels = self._all_numbers[:count], self._all_labels[:count]
        self._row_targets = [self._rows[substep, :count] for substep in range(SUBSTEPS)]

    def _fit_forces(self, count: int) -> None:
        """Set the views for `count` forces up; one column more than needed stays zero."""
        self._force_count = count
        if count >= self._forces.shape[1]:
            self._forces = _grown(self._forces, 2 * count + 1)
        self._force_targets = [self._forces[substep, :count] for substep in range(SUBSTEPS)]

    def _contact_address(self) -> int:
        return _address(self._data.contact.dist)

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
            raise RuntimeError("this MuJoCo lays out contacts in a way that this maniguard cannot read")
        room = min(4 * count + 256, self._data.narena // stride)
        view = np.lib.stride_tricks.as_strided
        self._all_numbers = view(contact.dist, (room, _NUMBER_COLUMNS), (stride, 8), writeable=False)
        self._all_labels = view(contact.geom, (room, _LABEL_COLUMNS), (stride, 4), writeable=False)


_SUBSTEP_COLUMN = np.arange(SUBSTEPS)[:, None]


def _weighted(rows: Array, weight: Array, plan: _Plan) -> NDArray[np.float32]:
    """Return per pair (K, 7) the mean of `rows` (S, 7), weighted, with its normal (columns 4 to 6) made a unit vector.

    Where the normals cancel, the strongest contact's is taken.
    """
    mean = np.add.reduceat(rows * weight[:, None], plan.starts, axis=0)
    mean /= mean[:, :1]
    normal = mean[:, 4:]
    x, y, z = normal.T
    length = np.sqrt(x * x + y * y + z * z)
    if length.min() < _SHORT_NORMAL:
        for short in (length < _SHORT_NORMAL).nonzero()[0]:
            its = (plan.pair == short).nonzero()[0]
            normal[short] = rows[its[weight[its].argmax()], 4:]
            length[short] = 1.0
    normal /= length[:, None]
    return mean.astype(np.float32)


def _address(array: NDArray[Any]) -> int:
    return int(array.__array_interface__["data"][0])


def _grown(array: Array, columns: int) -> Array:
    """Return `array` with its second axis grown to `columns`, the new part zero."""
    grown = np.zeros((array.shape[0], columns, *array.shape[2:]))
    grown[:, : array.shape[1]] = array
    return grown
