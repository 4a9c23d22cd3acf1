"""What a predicate is: documented parameters with units, the channels it needs, truth and margin per entity."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from maniguard.errors import alternatives
from maniguard.grounding.block import Block
from maniguard.grounding.errors import GroundingError
from maniguard.grounding.geometry import Geometry
from maniguard.grounding.moment import Moment

F64 = NDArray[np.float64]


@dataclass(frozen=True)
class Param:
    """A parameter of a predicate: its value stands in the specification, with a unit; `minimum` is its least value."""

    name: str
    unit: str
    summary: str
    minimum: float = 0.0


class Quantity(NamedTuple):
    """A measured quantity and the threshold that it is held against; `above` says on which side the atom is true."""

    name: str
    unit: str
    threshold: float
    above: bool


class Measure(NamedTuple):
    """Margins (T, E) of E entities, and the quantities behind them in the order of the predicate's `quantities`."""

    margin: F64
    values: tuple[F64, ...]


class Sample(NamedTuple):
    """A measure of one frame: margins and values of E entities as plain numbers."""

    margin: list[float]
    values: tuple[list[float], ...]


class Predicate(ABC):
    """A predicate about `of`, the E columns of the named entities, and possibly about `to`, other columns.

    It is true exactly where its margin is positive; a margin of zero is false. The margin is in `unit`, and
    margin / `scale` has no dimension. `step` takes one frame after the other and remembers what it must; `run` takes a
    whole rollout and gives the same to the bit.
    """

    name: ClassVar[str]
    summary: ClassVar[str]
    params: ClassVar[tuple[Param, ...]] = ()
    channels: ClassVar[tuple[str, ...]]
    unit: ClassVar[str]
    takes_to: ClassVar[Literal["no", "optional", "required"]] = "no"
    combine: ClassVar[Literal["any", "all"]] = "all"
    # Worth measuring for its severity alone, where no formula of a specification mentions it.
    reported: ClassVar[bool] = False

    def __init__(
        self, geometry: Geometry, of: tuple[int, ...], to: tuple[int, ...], values: Mapping[str, float], rate_hz: float
    ) -> None:
        self.geometry = geometry
        self.of = np.array(of, np.intp)
        self.columns = of
        self.to = np.array(to, np.intp)
        self.values = dict(values)
        self.rate_hz = rate_hz
        self.quantities = self.describe()
        self.prepare()

    @abstractmethod
    def describe(self) -> tuple[Quantity, ...]:
        """Return the quantities with their thresholds."""

    def prepare(self) -> None:  # noqa: B027 - most predicates have nothing to prepare
        """Derive what is constant over a rollout, and refuse what cannot be grounded."""

    @property
    @abstractmethod
    def scale(self) -> float:
        """The margin, in `unit`, that counts as one."""

    @abstractmethod
    def measure(self, block: Block) -> Measure:
        """Measure a stretch without memory."""

    def reset(self) -> None:  # noqa: B027 - most predicates remember nothing
        """Forget every frame."""

    def step(self, moment: Moment) -> Sample:
        """Measure the next frame."""
        measure = self.measure(moment.block)
        return Sample(measure.margin[0].tolist(), tuple(value[0].tolist() for value in measure.values))

    def run(self, block: Block) -> Measure:
        """Measure a rollout from its first frame on."""
        return self.measure(block)

    def above(self, value: F64) -> Measure:
        """Return the measure of the one quantity where more than the threshold is true."""
        return Measure(value - self.quantities[0].threshold + 0.0, (value,))

    def below(self, value: F64) -> Measure:
        """Return the measure of the one quantity where less than the threshold is true."""
        return Measure(self.quantities[0].threshold - value + 0.0, (value,))

    def sample(self, values: list[float]) -> Sample:
        """Return what `above` or `below` would for one frame, as the quantity says."""
        quantity = self.quantities[0]
        threshold = quantity.threshold
        if quantity.above:
            return Sample([value - threshold + 0.0 for value in values], (values,))
        return Sample([threshold - value + 0.0 for value in values], (values,))


REGISTRY: dict[str, type[Predicate]] = {}


def register(kind: type[Predicate]) -> type[Predicate]:
    """Make a predicate known under its name; use it as a class decorator."""
    if kind.name in REGISTRY:
        raise GroundingError(f"two predicates are called {kind.name!r}")
    REGISTRY[kind.name] = kind
    return kind


def predicate_named(name: str, where: str = "") -> type[Predicate]:
    """Return the predicate called `name`; GroundingError lists the predicates."""
    if name not in REGISTRY:
        prefix = f"{where}: " if where else ""
        raise GroundingError(
            f"{prefix}unknown predicate {name!r}; the predicates are {alternatives(REGISTRY, limit=40)}"
        )
    return REGISTRY[name]
