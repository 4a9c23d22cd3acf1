"""What an ontology is made of: synsets, properties, entities, and the links between entities and properties."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

HIERARCHIES: Mapping[str, str] = {
    "kind": "what it is",
    "hazard": "what it can do when it is mishandled",
    "affordance": "what may be done with it",
    "role": "what part it plays in a scene",
}


class Provenance(StrEnum):
    """Where a link comes from: the simulator's own metadata, a rule on them, or a judgement by hand."""

    NATIVE = "native"
    DERIVED = "derived"
    CURATED = "curated"


class Role(StrEnum):
    """Whether an entity is a category of movable objects or a class of fixtures."""

    OBJECT = "object"
    FIXTURE = "fixture"

    @property
    def synset(self) -> str:
        """The synset of the hierarchy `role` that every entity of this role belongs to."""
        return "movable_object" if self is Role.OBJECT else "fixture"


@dataclass(frozen=True)
class Synset:
    """One meaning in a hierarchy; `parent` is None directly under the hierarchy's name."""

    name: str
    hierarchy: str
    parent: str | None
    meaning: str
    source: str


@dataclass(frozen=True)
class Property:
    """Something that is true of entities, and the synsets that an entity belongs to because of it."""

    name: str
    meaning: str
    attaches: tuple[str, ...]
    source: str


@dataclass(frozen=True)
class Entity:
    """A category of objects or a class of fixtures, as one source knows it."""

    name: str
    source: str
    role: Role

    @property
    def key(self) -> str:
        """The unique name, `source/name`."""
        return f"{self.source}/{self.name}"


@dataclass(frozen=True)
class Link:
    """One property of one entity.

    `rule` names the rule that gave it, None where the entity's own line does. `source` is the one that states it.
    """

    entity: str
    property: str
    provenance: Provenance
    rule: str | None
    source: str


@dataclass(frozen=True)
class Rule:
    """Properties that follow from others, or a list by hand.

    It holds for an entity of `role` (None: either) that is in `named` (entities of the rule's own source) or has a
    property of `any_of` (both empty: every one), and has none of `none_of`. It looks at what the entity's own line
    states, never at what rules added, so the order of rules does not matter.
    """

    name: str
    meaning: str
    role: Role | None
    any_of: tuple[str, ...]
    none_of: tuple[str, ...]
    named: tuple[str, ...]
    adds: tuple[str, ...]
    provenance: Provenance
    source: str

    def holds(self, entity: Entity, stated: frozenset[str]) -> bool:
        """Tell whether the rule gives `entity`, of which `stated` is stated, its properties."""
        if self.role not in (None, entity.role) or not stated.isdisjoint(self.none_of):
            return False
        if not self.any_of and not self.named:
            return True
        listed = entity.source == self.source and entity.name in self.named
        return listed or not stated.isdisjoint(self.any_of)


@dataclass(frozen=True)
class Source:
    """Where entities come from. `core` sources are the published ontology, the others extend it."""

    name: str
    core: bool
    file: str


@dataclass(frozen=True)
class Counts:
    """How much there is: entities (objects and fixtures), distinct properties among the links, links by provenance."""

    objects: int
    fixtures: int
    properties: int
    native: int
    derived: int
    curated: int

    @property
    def entities(self) -> int:
        """Objects and fixtures together."""
        return self.objects + self.fixtures

    @property
    def links(self) -> int:
        """Links of every provenance."""
        return self.native + self.derived + self.curated
