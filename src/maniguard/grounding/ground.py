"""Grounding: from frames to the margins of named atoms, one evaluation for all atoms of the same predicate."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, NoReturn

import numpy as np
from numpy.typing import NDArray

from maniguard.errors import alternatives
from maniguard.grounding.active import ActiveEntity
from maniguard.grounding.block import Block
from maniguard.grounding.errors import GroundingError
from maniguard.grounding.filters import make_filter
from maniguard.grounding.geometry import Geometry
from maniguard.grounding.moment import Moment
from maniguard.grounding.predicate import Measure, Quantity, Sample, predicate_named
from maniguard.trace import Channel, Frame, Scene, Trace

F64 = NDArray[np.float64]


@dataclass(frozen=True)
class Atom:
    """A named proposition about entities: a predicate with its values (in the units of its parameters).

    `of` are the entities that it is about and `quantifier` whether one of them suffices, all must, or it is about the
    one among them that the hand is busy with (`active`, see `ActiveEntity`; false while there is none); `to` are the
    other side of a predicate about pairs, one of which suffices. `filters` are (name, argument), applied in turn to
    each entity.
    """

    name: str
    predicate: str
    of: tuple[str, ...]
    to: tuple[str, ...] = ()
    values: tuple[tuple[str, float], ...] = ()
    quantifier: Literal["any", "all", "active"] = "all"
    filters: tuple[tuple[str, float], ...] = ()


class Detail(NamedTuple):
    """What stands behind an atom's margin at one frame: the deciding entity and its deciding quantity."""

    entity: str
    column: int
    quantity: Quantity
    value: float


class _Member(NamedTuple):
    """One atom of a group: its tracks, also as the range [low, high), which is empty where they are scattered."""

    place: int
    atom: Atom
    tracks: NDArray[np.intp]
    low: int
    high: int


class _Group:
    """All atoms of one predicate with the same values, filters and other side: evaluated together."""

    def __init__(self, atoms: Sequence[tuple[int, Atom]], geometry: Geometry, rate_hz: float) -> None:
        scene = geometry.scene
        first = atoms[0][1]
        names = list(dict.fromkeys(name for _, atom in atoms for name in atom.of))
        of = tuple(scene.index(name) for name in names)
        to = tuple(scene.index(name) for name in first.to)
        kind = predicate_named(first.predicate, f"proposition {first.name!r}")
        self.columns = of
        self.predicate = kind(geometry, of, to, dict(first.values), rate_hz)
        self.filters = [make_filter(name, argument, rate_hz) for name, argument in first.filters]
        self.members = []
        for index, atom in atoms:
            tracks = np.array([names.index(name) for name in atom.of], np.intp)
            if len(set(atom.of)) != len(atom.of):
                raise GroundingError(f"proposition {atom.name!r} names an entity twice")
            contiguous = bool((np.diff(tracks) == 1).all())
            low, high = int(tracks[0]), int(tracks[-1]) + 1
            self.members.append(_Member(index, atom, tracks, low, high if contiguous else low))

    def reset(self) -> None:
        self.predicate.reset()
        for item in self.filters:
            item.reset()

    def step(self, moment: Moment) -> tuple[Sample, list[float]]:
        sample = self.predicate.step(moment)
        margins = sample.margin
        for item in self.filters:
            margins = item.step(margins)
        return sample, margins

    def run(self, block: Block) -> tuple[Measure, F64]:
        self.reset()
        measure = self.predicate.run(block)
        margins = measure.margin
        for item in self.filters:
            margins = item.run(margins)
        return measure, margins


def _detail(
    group: _Group,
    member: _Member,
    tracks: Sequence[float],
    values: Sequence[Sequence[float]],
    active: int | None,
) -> Detail:
    """Return the deciding entity and quantity from the filtered margins and the values of a group at one frame."""
    chosen = active if member.atom.quantifier == "active" else None
    margins = [float(tracks[track]) for track in member.tracks]
    if chosen is None:
        decisive = max(margins) if member.atom.quantifier == "any" else min(margins)
        track = int(member.tracks[margins.index(decisive)])
    else:
        places = [i for i, t in enumerate(member.tracks) if group.columns[int(t)] == chosen]
        track = int(member.tracks[places[0] if places else 0])
    predicate = group.predicate
    shares = []
    for quantity, value in zip(predicate.quantities, values, strict=True):
        excess = float(value[track]) - quantity.threshold
        shares.append((excess if quantity.above else -excess) / (abs(quantity.threshold) or 1.0))
    best = shares.index(max(shares) if predicate.combine == "any" else min(shares))
    column = group.columns[track]
    name = predicate.geometry.scene.entities[column].name
    return Detail(name, column, predicate.quantities[best], float(values[best][track]))


def _of_active(group: _Group, tracks: NDArray[np.intp], row: Sequence[float] | F64, active: int | None) -> float:
    """Return the margin of the entity that the hand is busy with; false by one scale where it is not among them."""
    for track in tracks:
        if group.columns[int(track)] == active:
            return float(row[int(track)])
    return -float(group.predicate.scale)


class Glance(NamedTuple):
    """The margins of one frame in the order of the grounder's atoms, and what is needed to explain them."""

    margins: list[float]
    places: Sequence[tuple[int, _Member]]
    groups: tuple[_Group, ...]
    samples: list[Sample]
    tracks: list[list[float]]
    active: int | None

    def detail(self, place: int) -> Detail:
        """Return the entity and quantity that decide atom `place`."""
        number, member = self.places[place]
        return _detail(self.groups[number], member, self.tracks[number], self.samples[number].values, self.active)


class Grounding(NamedTuple):
    """The margins (T, A) of a record in the order of the grounder's atoms, and what is needed to explain them."""

    margins: F64
    places: Sequence[tuple[int, _Member]]
    groups: tuple[_Group, ...]
    measures: tuple[Measure, ...]
    tracks: tuple[F64, ...]
    active: NDArray[np.intp] | None

    def detail(self, frame: int, place: int) -> Detail:
        """Return the entity and quantity that decide atom `place` at `frame`."""
        number, member = self.places[place]
        values = [value[frame] for value in self.measures[number].values]
        active = None if self.active is None else int(self.active[frame])
        return _detail(self.groups[number], member, self.tracks[number][frame], values, active)


class Grounder:
    """Grounds atoms in the frames of one scene, frame by frame (`step`) or a whole record at once (`run`).

    Atoms whose predicate needs an absent channel are left out and listed in `missing` (name -> channel). Raises
    GroundingError for whatever else cannot be grounded: an unknown predicate, an empty `of`, missing geometry.
    """

    def __init__(self, scene: Scene, channels: Mapping[str, Channel], rate_hz: float, atoms: Sequence[Atom]) -> None:
        self.geometry = Geometry(scene)
        self.missing: dict[str, str] = {}
        grounded: list[Atom] = []
        for atom in atoms:
            absent = _absent_channel(atom, channels)
            if absent is None:
                grounded.append(atom)
            else:
                self.missing[atom.name] = absent
        self.atoms = tuple(grounded)
        self.index = {atom.name: index for index, atom in enumerate(self.atoms)}
        if len(self.index) != len(self.atoms):
            raise GroundingError("two propositions have the same name")
        keyed: dict[object, list[tuple[int, Atom]]] = {}
        for index, atom in enumerate(self.atoms):
            keyed.setdefault((atom.predicate, atom.to, atom.values, atom.filters), []).append((index, atom))
        self._groups = tuple(_Group(members, self.geometry, rate_hz) for members in keyed.values())
        scales = np.ones(len(self.atoms))
        units = [""] * len(self.atoms)
        places: dict[int, tuple[int, _Member]] = {}
        for number, group in enumerate(self._groups):
            for member in group.members:
                scales[member.place] = group.predicate.scale
                units[member.place] = group.predicate.unit
                places[member.place] = (number, member)
        busy = [atom for atom in self.atoms if atom.quantifier == "active"]
        wanted = sorted({scene.index(name) for atom in busy for name in atom.of})
        self._active = ActiveEntity(self.geometry, wanted, rate_hz) if busy else None
        self._places = tuple(places[place] for place in range(len(self.atoms)))
        self.scales: F64 = scales
        self.units = tuple(units)

    def reset(self) -> None:
        """Forget every frame."""
        for group in self._groups:
            group.reset()
        if self._active is not None:
            self._active.reset()

    def step(self, frame: Frame) -> tuple[Moment, Glance]:
        """Ground the next frame."""
        moment = Moment(self.geometry, frame)
        margins = [0.0] * len(self.atoms)
        samples, tracks = [], []
        active = None if self._active is None else self._active.step(moment.block)
        for group in self._groups:
            sample, row = group.step(moment)
            samples.append(sample)
            tracks.append(row)
            for place, atom, members, low, high in group.members:
                if atom.quantifier == "active":
                    margins[place] = _of_active(group, members, row, active)
                elif high - low == 1:
                    margins[place] = row[low]
                else:
                    part = row[low:high] if high > low else [row[track] for track in members]
                    margins[place] = max(part) if atom.quantifier == "any" else min(part)
        if any(margin != margin for row in tracks for margin in row):
            self._no_value(0, next(p for p, (n, _) in enumerate(self._places) if any(m != m for m in tracks[n])))
        return moment, Glance(margins, self._places, self._groups, samples, tracks, active)

    def run(self, trace: Trace) -> tuple[Block, Grounding]:
        """Ground a whole record; equal to the bit to `step` over its frames."""
        block = Block(self.geometry, trace)
        margins = np.zeros((block.frames, len(self.atoms)))
        measures, tracks = [], []
        active = None if self._active is None else self._active.run(block)
        for group in self._groups:
            measure, rows = group.run(block)
            measures.append(measure)
            tracks.append(rows)
            for member in group.members:
                if member.atom.quantifier == "active":
                    assert active is not None
                    found = [_of_active(group, member.tracks, rows[t], int(active[t])) for t in range(block.frames)]
                    margins[:, member.place] = found
                    continue
                chosen = rows[:, member.tracks]
                any_ = member.atom.quantifier == "any"
                margins[:, member.place] = chosen.max(axis=1) if any_ else chosen.min(axis=1)
        for number, rows in enumerate(tracks):
            if np.isnan(rows).any():
                frame = int(np.argwhere(np.isnan(rows))[0][0])
                self._no_value(frame, next(p for p, (n, _) in enumerate(self._places) if n == number))
        return block, Grounding(margins, self._places, self._groups, tuple(measures), tuple(tracks), active)

    def _no_value(self, frame: int, place: int) -> NoReturn:
        raise GroundingError(
            f"proposition {self.atoms[place].name!r} has no value at frame {frame} of the stretch: a channel that it "
            "needs holds NaN although it is declared present"
        )


def _absent_channel(atom: Atom, channels: Mapping[str, Channel]) -> str | None:
    kind = predicate_named(atom.predicate, f"proposition {atom.name!r}")
    if not atom.of:
        raise GroundingError(f"proposition {atom.name!r} is about no entity")
    if kind.takes_to == "required" and not atom.to:
        raise GroundingError(f"proposition {atom.name!r}: predicate {kind.name!r} needs entities as `to`")
    if kind.takes_to == "no" and atom.to:
        raise GroundingError(f"proposition {atom.name!r}: predicate {kind.name!r} takes no `to`")
    given, wanted = {name for name, _ in atom.values}, {param.name for param in kind.params}
    if given != wanted:
        raise GroundingError(
            f"proposition {atom.name!r}: parameters missing or unknown: {alternatives(given ^ wanted)}; "
            f"{kind.name!r} takes {alternatives(wanted)}"
        )
    for channel in kind.channels:
        if channels[channel].provenance == "absent":
            return channel
    return None
