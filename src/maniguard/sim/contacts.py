"""Latching of contacts: every pair that touched in any substep of a control step, and how hard at most.

Reading contacts at the control rate misses most of a sweep: a finger that knocks a bottle may be in contact in a
hundred substeps and at the end of only a few control steps. So every substep is recorded, and the records are reduced
once per control step.

Recording is in the innermost loop, where the physics has emptied the caches: there it is two copies and nothing else.
What they mean is worked out once per control step. Which geoms touch, in which order, hardly changes from one substep
to the next; how to reduce such patterns (which contacts belong to which pair, which of their normals to flip) is
worked out once and kept.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from typing import Any, NamedTuple

import mujoco
import numpy as np
from numpy.typing import NDArray

from maniguard.sim.build import Stage
from maniguard.sim.command import SUBSTEPS, TIMESTEP_S
from maniguard.trace.frame import Contacts

Array = NDArray[np.float64]
Integers = NDArray[np.int64]

# Of each contact the first and the last bytes that matter are copied, as one item of this size each: seven numbers,
# which are its distance, position (3) and normal (3); and fourteen integers up to the row of its normal force.
_RAW = np.dtype("V56")
_NUMBERS, _LABELS = 7, 14
_FIRST_GEOM, _FORCE_ROW = 4, 13
# Below this length a pair's force-weighted mean normal says nothing: the forces point to all sides.
_SHORT_NORMAL = 0.1
# Tells a contact without any force from no contact; it is lost in any force and in the rounding to 32 bits.
_WHISPER_N = 1e-60
# Farther than anything.
_FAR_M = 1e9
# More contacts than one pair of pieces can have.
_NTH = 1 << 20
_MAX_PLANS = 2048
_SUBSTEP: Integers = np.arange(SUBSTEPS)[:, None]


class _Pattern(NamedTuple):
    """The geoms of one substep's contacts (n,), by slot: a pair's code times `_NTH`, plus which of its contacts it is.

    `slots` are ascending; `contact` is where each is among the contacts; `sign` turns its normal from a to b. Contacts
    with a geom that belongs to nothing that a rule can speak of are left out.
    """

    slots: Integers
    contact: Integers
    sign: Array


class _Plan(NamedTuple):
    """How to reduce substeps of G patterns of contacts. K pairs; S slots, as many for a pair as it ever has contacts.

    `codes` (K,) are the pairs' codes, ascending; `starts` (K,) is each pair's first slot, `pair` (S,) each slot's pair.
    For every pattern (G, S): `contact` is the slot's contact, -1 where there is none; `sign` (G, S, 7) turns the normal
    among a contact's numbers from a to b; `whisper_n` is nothing to speak of where there is a contact, else 0.
    `places` (25, S) are those of a single pattern's contacts in the record. `slots` counts from 0; the rest is for
    `Contacts`.
    """

    codes: Integers
    slots: Integers
    starts: Integers
    pair: Integers
    contact: Integers
    places: Integers
    sign: Array
    whisper_n: Array
    entity_a: NDArray[np.int16]
    part_a: NDArray[np.int16]
    entity_b: NDArray[np.int16]
    part_b: NDArray[np.int16]
    all_touch: NDArray[np.bool_]


class ContactLatch:
    """Records the contacts of each substep and reduces them to one `Contacts` per control step.

    Call `record` after the second half of each substep (mj_step2), when contacts and their forces belong together, and
    `reduce` at the end, after the first half of the next one (mj_step1), when the contacts of the final positions are
    known. The normal force of an elliptic contact is the solver's force at the contact's first row.
    """

    def __init__(self, stage: Stage, data: mujoco.MjData) -> None:
        self._data = data
        self._index_pieces(stage)
        self._patterns: dict[bytes, _Pattern] = {}
        self._plans: dict[tuple[bytes, ...], _Plan] = {}
        # What is recorded of each substep: how many contacts, which (2, 25, room), and the solver's forces.
        self._counts = [0] * SUBSTEPS
        self._record = np.zeros((2, SUBSTEPS, 0), dtype=_RAW)
        self._forces = [b""] * SUBSTEPS
        self._force_sizes: list[int] = []
        self._force_start: Integers = _SUBSTEP
        # The solver's contacts (2, all that it has room for), and where the present number of them is copied from and,
        # per substep, to; the latter two also for each number there has been.
        self._address = 0
        self._solver: NDArray[np.void] = np.empty((2, 0), dtype=_RAW)
        self._solver_geoms: NDArray[np.void] = np.empty(0, dtype="V8")
        self._count = -1
        self._source, self._targets = self._solver, [self._solver] * SUBSTEPS
        self._ways: dict[int, tuple[NDArray[np.void], list[NDArray[np.void]]]] = {}
        self._make_room(1)

    def _index_pieces(self, stage: Stage) -> None:
        touchable = np.flatnonzero(stage.geom_entity >= 0)
        keys = sorted({(int(stage.geom_entity[g]), int(stage.geom_part[g])) for g in touchable})
        index = {key: i for i, key in enumerate(keys)}
        self._piece_count = len(keys)
        self._piece_entity = np.array([e for e, _ in keys], dtype=np.int16)
        self._piece_part = np.array([p for _, p in keys], dtype=np.int16)
        self._geom_piece = np.full(int(stage.model.ngeom), -1)
        for geom in touchable:
            self._geom_piece[geom] = index[int(stage.geom_entity[geom]), int(stage.geom_part[geom])]

    def record(self, substep: int) -> None:
        """Record the contacts and forces of one substep, 0 to 24."""
        data = self._data
        count = data.ncon
        if count != self._count:
            self._find_way(count)
        self._counts[substep] = count
        self._targets[substep][...] = self._source
        self._forces[substep] = data.efc_force.tobytes()

    def reduce(self) -> Contacts:
        """Return what was recorded in 25 substeps, a row per pair, in touch at the end if now in contact."""
        patterns, which = self._recorded_patterns()
        plan = self._plan(patterns)
        if not len(plan.codes):
            return Contacts.empty()
        if len(patterns) == 1:
            places, whisper_n = plan.places, plan.whisper_n[0]
        else:
            # No contact (-1) counts from the substep before, whose last contact is none.
            places, whisper_n = plan.contact[which], plan.whisper_n[which]
            places += _SUBSTEP * self._room
        force = self._recorded_forces(self._force_row[places])
        force += whisper_n
        distance = np.minimum.reduce(self._distance[places], axis=0)
        by_substep = np.add.reduceat(force, plan.starts, axis=1)
        peak_substep = by_substep.argmax(axis=0)
        # The strongest substep's contacts of each pair, weighted with their forces.
        slot_substep = peak_substep.take(plan.pair)
        at_peak = slot_substep * len(plan.slots)
        at_peak += plan.slots
        numbers = self._numbers.take(places.take(at_peak), axis=0)
        numbers *= plan.sign[0] if len(patterns) == 1 else plan.sign[which.take(slot_substep), plan.slots]
        weight = force.take(at_peak)
        mean = np.add.reduceat(numbers * weight[:, None], plan.starts, axis=0)
        scalars = np.empty((3, len(plan.codes)))
        np.maximum.reduce(by_substep, axis=0, out=scalars[0])
        np.add.reduce(by_substep, axis=0, out=scalars[1])
        scalars[1] *= TIMESTEP_S
        np.minimum.reduceat(distance, plan.starts, out=scalars[2])
        mean /= scalars[0][:, None]
        _make_unit(mean[:, 4:], numbers, weight, plan)
        geometry, scalars32 = mean.astype(np.float32), scalars.astype(np.float32)
        return Contacts(
            entity_a=plan.entity_a,
            part_a=plan.part_a,
            entity_b=plan.entity_b,
            part_b=plan.part_b,
            normal=geometry[:, 4:],
            position_m=geometry[:, 1:4],
            peak_force_n=scalars32[0],
            impulse_n_s=scalars32[1],
            distance_m=scalars32[2],
            at_end=self._touching(plan, patterns),
        )

    def _recorded_patterns(self) -> tuple[tuple[bytes, ...], Integers]:
        """Return the distinct patterns in the order of their first substep, and for each substep which one it has.

        Where there is but one, the latter is not worked out.
        """
        counts = self._counts
        geoms = self._geoms[:, : max(counts)]
        if counts.count(counts[0]) == SUBSTEPS and not np.logical_or.reduce(geoms[1:] != geoms[0], axis=None):
            return (geoms[0].tobytes(),), _ONE_PATTERN
        # Beyond its count a substep has what was there before; at worst that looks like a change that is none.
        changed = np.logical_or.reduce(geoms[1:] != geoms[:-1], axis=1).tolist()
        index: dict[bytes, int] = {}
        which: list[int] = []
        for substep, count in enumerate(counts):
            if not substep or changed[substep - 1] or count != counts[substep - 1]:
                which.append(index.setdefault(geoms[substep, :count].tobytes(), len(index)))
            else:
                which.append(which[-1])
        return tuple(index), np.array(which)

    def _recorded_forces(self, rows: NDArray[np.int32]) -> Array:
        """Return the forces in these rows (25, S) of each substep's forces; zero for no row (-1)."""
        sizes = [*map(len, self._forces)]
        if sizes != self._force_sizes:
            self._force_sizes = sizes
            self._force_start = np.array([*accumulate(sizes[:-1], initial=8)])[:, None] // 8 + _SUBSTEP
        # A zero before each substep's forces is what its row -1 is then about.
        every = np.frombuffer(_ZERO + _ZERO.join(self._forces))
        return every.take(self._force_start + rows)

    def _plan(self, patterns: tuple[bytes, ...]) -> _Plan:
        plan = self._plans.get(patterns)
        if plan is None:
            if len(self._plans) >= _MAX_PLANS:
                self._plans.clear()
            plan = self._plans[patterns] = self._make_plan([self._pattern(geoms) for geoms in patterns])
        return plan

    def _pattern(self, geoms: bytes) -> _Pattern:
        pattern = self._patterns.get(geoms)
        if pattern is None:
            if len(self._patterns) >= _MAX_PLANS:
                self._patterns.clear()
            pattern = self._patterns[geoms] = self._make_pattern(geoms)
        return pattern

    def _make_pattern(self, geoms: bytes) -> _Pattern:
        first, second = self._geom_piece[np.frombuffer(geoms, dtype=np.int32).reshape(-1, 2).T]
        low, high = np.minimum(first, second), np.maximum(first, second)
        code = low * self._piece_count + high
        contact = code.argsort(kind="stable")
        contact = contact[low[contact] >= 0]
        code = code[contact]
        count = np.arange(len(code))
        nth = count - np.maximum.accumulate(np.where(_begins(code), count, 0))
        return _Pattern(code * _NTH + nth, contact, np.where(first > second, -1.0, 1.0)[contact])

    def _make_plan(self, patterns: Sequence[_Pattern]) -> _Plan:
        slots = patterns[0].slots
        if len(patterns) > 1:
            slots = np.unique(np.concatenate([pattern.slots for pattern in patterns]))
        contact = np.full((len(patterns), len(slots)), -1)
        sign = np.zeros((len(patterns), len(slots), _NUMBERS))
        for row, pattern in enumerate(patterns):
            at = slots.searchsorted(pattern.slots)
            contact[row, at] = pattern.contact
            sign[row, at, :4] = 1.0
            sign[row, at, 4:] = pattern.sign[:, None]
        code = slots // _NTH
        begins = _begins(code)
        codes = code[begins]
        low, high = np.divmod(codes, self._piece_count)
        return _Plan(
            codes=codes,
            slots=np.arange(len(slots)),
            starts=begins.nonzero()[0],
            pair=begins.cumsum() - 1,
            contact=contact,
            places=contact[0] + _SUBSTEP * self._room,
            sign=sign,
            whisper_n=sign[:, :, 0] * _WHISPER_N,
            entity_a=self._piece_entity[low],
            part_a=self._piece_part[low],
            entity_b=self._piece_entity[high],
            part_b=self._piece_part[high],
            all_touch=np.ones(len(codes), dtype=np.bool_),
        )

    def _touching(self, plan: _Plan, patterns: tuple[bytes, ...]) -> NDArray[np.bool_]:
        count = self._data.ncon
        if count > len(self._solver_geoms):
            self._view_solver(count)
        present = self._solver_geoms[:count].tobytes()
        if len(patterns) == 1 and present == patterns[0]:
            return plan.all_touch
        return np.asarray((plan.codes[:, None] == self._plan((present,)).codes).any(axis=1))

    def _find_way(self, count: int) -> None:
        """Set up where `count` contacts are copied from and to."""
        way = self._ways.get(count)
        if way is None:
            if self._address and _address(self._data.contact.dist) != self._address:
                raise RuntimeError("MuJoCo has moved its contacts, which it never did before")
            if count > self._solver.shape[1]:
                self._view_solver(count)
            if count >= self._room:
                self._make_room(2 * count + 1)
            way = self._ways[count] = self._solver[:, :count], list(self._record[:, :, :count].swapaxes(0, 1))
        self._count = count
        self._source, self._targets = way

    def _make_room(self, room: int) -> None:
        """Make room for `room` contacts a substep, keep what is recorded, and drop what depends on the room.

        The last contact of a substep is never recorded to: it is none, infinitely far and without a row of forces.
        """
        record = np.zeros((2, SUBSTEPS, room), dtype=_RAW)
        record[:, :, : self._record.shape[2]] = self._record
        numbers, labels = record[0, :, :, None].view(np.float64), record[1, :, :, None].view(np.int32)
        numbers[:, -1] = 0.0
        numbers[:, -1, 0] = _FAR_M
        labels[:, -1] = -1
        self._room, self._record = room, record
        self._numbers = numbers.reshape(-1, _NUMBERS)
        self._distance = self._numbers[:, 0]
        self._force_row = labels.reshape(-1, _LABELS)[:, _FORCE_ROW]
        self._geoms = labels.view(np.int64)[:, :, _FIRST_GEOM // 2]
        self._ways.clear()
        self._plans.clear()

    def _view_solver(self, count: int) -> None:
        """View the solver's contacts in place, with room to grow.

        MuJoCo keeps them as the first thing in its arena, whose address does not change; copying what is wanted of each
        in one strided copy is far faster than copying field by field. The layout is that of the field views.
        """
        contact = self._data.contact
        stride = contact.dist.strides[0]
        self._address = _address(contact.dist)
        offset = {name: _address(getattr(contact, name)) - self._address for name in ("pos", "frame", "geom")}
        labels = offset["geom"] - 4 * _FIRST_GEOM
        force_row = _address(contact.efc_address) - self._address
        if offset["pos"] != 8 or offset["frame"] != 32 or force_row != labels + 4 * _FORCE_ROW or labels < 0:
            raise RuntimeError("this MuJoCo lays out contacts in a way that this maniguard cannot read")
        room = min(4 * count + 256, self._data.narena // stride)
        view = np.lib.stride_tricks.as_strided
        self._solver = view(contact.dist, (2, room, _NUMBERS), (labels, stride, 8), writeable=False).view(_RAW)[:, :, 0]
        self._solver_geoms = view(contact.geom, (room, 2), (stride, 4), writeable=False).view("V8")[:, 0]


_ZERO = bytes(8)
_ONE_PATTERN: Integers = np.zeros(SUBSTEPS, dtype=np.int64)


def _begins(codes: Integers) -> NDArray[np.bool_]:
    """Return where among ascending codes a new one begins."""
    begins = np.ones(len(codes), dtype=np.bool_)
    begins[1:] = codes[1:] != codes[:-1]
    return begins


def _make_unit(normal: Array, numbers: Array, weight: Array, plan: _Plan) -> None:
    """Make the mean normals (K, 3) unit vectors; where a pair's normals cancel, the strongest contact's is taken."""
    square = normal * normal
    length = square[:, 0] + square[:, 1]
    length += square[:, 2]
    np.sqrt(length, out=length)
    if np.minimum.reduce(length) < _SHORT_NORMAL:
        for short in (length < _SHORT_NORMAL).nonzero()[0]:
            its = (plan.pair == short).nonzero()[0]
            normal[short] = numbers[its[weight[its].argmax()], 4:]
            length[short] = 1.0
    normal /= length[:, None]


def _address(array: NDArray[Any]) -> int:
    return int(array.__array_interface__["data"][0])
