"""Grounding: from frames to the margins of named atoms, one evaluation for all atoms of the same predicate."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from maniguard.errors import alternatives
from maniguard.grounding.block import Block
from maniguard.grounding.errors import GroundingError
from maniguard.grounding.filters import make_filter
from maniguard.grounding.geometry import Geometry
from maniguard.grounding.predicate import Measure, Quantity, predicate_named
from maniguard.trace import Channel, Frame, Scene, Trace

F64 = NDArray[np.float64]


@dataclass(frozen=True)
class Atom:
    """A named proposition about entities: a predicate with its values (in the units of its parameters).

    `of` are the entities that it is about and `quantifier` whether one of them suffices or all must; `to` are the other
    side of a predicate about pairs, one of which suffices. `filters` are (name, argument), applied in turn to each
    entity.
    """

    name: str
    predicate: str
    of: tuple[str, ...]
    to: tuple[str, ...] = ()
    values: tuple[tuple[str, float], ...] = ()
    quantifier: Literal["any", "all"] = "all"
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

    def step(self, block: Block) -> tuple[Measure, F64]:
        measure = self.predicate.step(block)
        margins = measure.margin[0]
        for item in self.filters:
            margins = item.step(margins)
        return measure, margins

    def run(self, block: Block) -> tuple[Measure, F64]:
        self.reset()
        measure = self.predicate.run(block)
        margins = measure.margin
        for item in self.filters:
            margins = item.run(margins)
        return measure, margins


class Grounding(NamedTuple):
    """The margins (T, A) of a stretch in the order of the grounder's atoms, and what is needed to explain them."""

    margins: F64
    groups: tuple[_Group, ...]
    measures: tuple[Measure, ...]
    tracks: tuple[F64, ...]

    def detail(self, frame: int, index: int) -> Detail:
        """Return the entity and quantity that decide atom `index` at `frame` of the stretch."""
        for group, measure, tracks in zip(self.groups, self.measures, self.tracks, strict=True):
            for member in group.members:
                if member.place == index:
                    return self._decide(group, member, measure, tracks, frame)
        raise IndexError(f"no atom {index}")

    def _decide(self, group: _Group, member: _Member, measure: Measure, tracks: F64, frame: int) -> Detail:
        margins = tracks[frame, member.tracks]
        pick = np.argmax(margins) if member.atom.quantifier == "any" else np.argmin(margins)
        track = int(member.tracks[int(pick)])
        predicate = group.predicate
        shares = []
        for quantity, values in zip(predicate.quantities, measure.values, strict=True):
            excess = float(values[frame, track]) - quantity.threshold
            shares.append((excess if quantity.above else -excess) / (abs(quantity.threshold) or 1.0))
        best = int(np.argmax(shares) if predicate.combine == "any" else np.argmin(shares))
        column = group.columns[track]
        name = predicate.geometry.scene.entities[column].name
        return Detail(name, column, predicate.quantities[best], float(measure.values[best][frame, track]))


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
        for group in self._groups:
            for member in group.members:
                scales[member.place] = group.predicate.scale
                units[member.place] = group.predicate.unit
        self.scales: F64 = scales
        self.units = tuple(units)

    def reset(self) -> None:
        """Forget every frame."""
        for group in self._groups:
            group.reset()

    def step(self, frame: Frame) -> tuple[Block, Grounding]:
        """Ground the next frame; the stretch has one frame."""
        block = Block(self.geometry, frame)
        margins = [0.0] * len(self.atoms)
        measures, tracks = [], []
        for group in self._groups:
            measure, row = group.step(block)
            measures.append(measure)
            tracks.append(row[None])
            for member in group.members:
                if member.high - member.low == 1:
                    margins[member.place] = float(row[member.low])
                else:
                    part = row[member.low : member.high] if member.high > member.low else row[member.tracks]
                    margins[member.place] = float(part.max() if member.atom.quantifier == "any" else part.min())
        return block, self._checked(np.array([margins]), measures, tracks)

    def run(self, trace: Trace) -> tuple[Block, Grounding]:
        """Ground a whole record; equal to the bit to `step` over its frames."""
        block = Block(self.geometry, trace)
        margins = np.zeros((block.frames, len(self.atoms)))
        measures, tracks = [], []
        for group in self._groups:
            measure, rows = group.run(block)
            measures.append(measure)
            tracks.append(rows)
            for member in group.members:
                chosen = rows[:, member.tracks]
                any_ = member.atom.quantifier == "any"
                margins[:, member.place] = chosen.max(axis=1) if any_ else chosen.min(axis=1)
        return block, self._checked(margins, measures, tracks)

    def _checked(self, margins: F64, measures: list[Measure], tracks: list[F64]) -> Grounding:
        if np.isnan(margins).any():
            frame, index = (int(i) for i in np.argwhere(np.isnan(margins))[0])
            raise GroundingError(
                f"proposition {self.atoms[index].name!r} has no value at frame {frame} of the stretch: a channel that "
                "it needs holds NaN although it is declared present"
            )
        return Grounding(margins, self._groups, tuple(measures), tuple(tracks))


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
