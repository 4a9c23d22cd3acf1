"""The ontology: what objects and fixtures are, what may be done with them, and what can go wrong."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from maniguard.ontology.errors import OntologyError, near
from maniguard.ontology.model import HIERARCHIES, Counts, Entity, Link, Property, Provenance, Rule, Source, Synset

_NUMBER = re.compile(r"_[0-9]+$")


@dataclass(frozen=True, eq=False)
class Ontology:
    """Entities with their properties, in four hierarchies. Made by `load_ontology`; nothing in it changes.

    An entity is named by its key, `source/name`, or by its bare name where only one source has it. Wherever a name is
    taken, an unknown or ambiguous one is an OntologyError that says what is near.
    """

    sources: Mapping[str, Source]
    synsets: Mapping[str, Synset]
    property_types: Mapping[str, Property]
    rules: Mapping[str, Rule]
    entities: Mapping[str, Entity]
    links: tuple[Link, ...]

    def find(self, name: str) -> tuple[Entity, ...]:
        """Return every entity that `name` may mean, at least one."""
        if name in self.entities:
            return (self.entities[name],)
        found = self._by_name.get(name, ())
        if not found:
            known = self.entities if "/" in name else self._by_name
            raise OntologyError(f"no category or fixture is called {name!r}; {near(name, known)}")
        return found

    def entity(self, name: str, *, source: str | None = None) -> Entity:
        """Return the entity of that name, of `source` if given."""
        if source is not None:
            self._source(source)
            if f"{source}/{name}" not in self.entities:
                known = [entity.name for entity in self.entities.values() if entity.source == source]
                raise OntologyError(f"source {source!r} has no {name!r}; {near(name, known)}")
            return self.entities[f"{source}/{name}"]
        found = self.find(name)
        if len(found) > 1:
            raise OntologyError(f"{name!r} is ambiguous; write {' or '.join(entity.key for entity in found)}")
        return found[0]

    def of_instance(self, name: str, *, source: str | None = None) -> Entity:
        """Return the entity that a numbered body of a scene belongs to: `plate_1` is a `plate`."""
        bare = _NUMBER.sub("", name)
        exact = name in self.entities or name in self._by_name
        return self.entity(name if exact else bare, source=source)

    def properties(self, entity: Entity | str) -> tuple[Link, ...]:
        """Return the properties of an entity, each with where it comes from, in the order of `property_types`."""
        return self._by_entity.get(self._key(entity), ())

    def has(self, entity: Entity | str, prop: str) -> bool:
        """Tell whether an entity has a property."""
        self._property(prop)
        return any(link.property == prop for link in self.properties(entity))

    def with_property(
        self, prop: str, *, source: str | None = None, provenance: Provenance | None = None
    ) -> tuple[Entity, ...]:
        """Return the entities that have a property, of one source or of one provenance if given."""
        self._property(prop)
        if source is not None:
            self._source(source)
        found = [
            self.entities[link.entity]
            for link in self.links
            if link.property == prop and provenance in (None, link.provenance)
        ]
        return tuple(entity for entity in found if source in (None, entity.source))

    def synset(self, name: str) -> Synset:
        """Return the synset of that name."""
        if name not in self.synsets:
            raise OntologyError(f"no synset is called {name!r}; {near(name, self.synsets)}")
        return self.synsets[name]

    def ancestors(self, name: str) -> tuple[Synset, ...]:
        """Return a synset and everything it is a kind of, itself first."""
        chain = [self.synset(name)]
        while chain[-1].parent is not None:
            chain.append(self.synsets[chain[-1].parent])
        return tuple(chain)

    def children(self, name: str) -> tuple[Synset, ...]:
        """Return what stands directly under a synset or a hierarchy."""
        if name in HIERARCHIES:
            return tuple(s for s in self.synsets.values() if s.hierarchy == name and s.parent is None)
        self.synset(name)
        return tuple(s for s in self.synsets.values() if s.parent == name)

    def walk(self, hierarchy: str) -> Iterator[tuple[int, Synset]]:
        """Yield the synsets of a hierarchy depth first, each with its depth: 0 directly under the hierarchy."""
        if hierarchy not in HIERARCHIES:
            raise OntologyError(f"no hierarchy is called {hierarchy!r}; {near(hierarchy, HIERARCHIES)}")
        stack = [(0, synset) for synset in reversed(self.children(hierarchy))]
        while stack:
            depth, synset = stack.pop()
            yield depth, synset
            stack.extend((depth + 1, child) for child in reversed(self.children(synset.name)))

    def senses(self, entity: Entity | str) -> tuple[Synset, ...]:
        """Return the most specific synsets that an entity belongs to, in the order of `synsets`."""
        own = self._memberships[self._key(entity)]
        above = {self.synsets[name].parent for name in own}
        return tuple(synset for name, synset in self.synsets.items() if name in own and name not in above)

    def is_a(self, entity: Entity | str, synset: str) -> bool:
        """Tell whether an entity belongs to a synset or to something under it."""
        self.synset(synset)
        return synset in self._memberships[self._key(entity)]

    def members(self, synset: str, *, source: str | None = None) -> tuple[Entity, ...]:
        """Return the entities of a synset, those of what stands under it included."""
        self.synset(synset)
        if source is not None:
            self._source(source)
        chosen = (entity for entity in self.entities.values() if source in (None, entity.source))
        return tuple(entity for entity in chosen if synset in self._memberships[entity.key])

    def counts(self, source: str | None = None) -> Counts:
        """Count what one source states; without a source, the published ontology without extensions."""
        names = self._counted(source)
        roles = Counter(entity.role.value for entity in self.entities.values() if entity.source in names)
        links = [link for link in self.links if link.source in names]
        provenance = Counter(link.provenance.value for link in links)
        return Counts(
            objects=roles["object"],
            fixtures=roles["fixture"],
            properties=len({link.property for link in links}),
            native=provenance["native"],
            derived=provenance["derived"],
            curated=provenance["curated"],
        )

    def property_counts(self, source: str | None = None) -> dict[str, int]:
        """Return how many entities have each property by the word of one source, or of the published ontology."""
        names = self._counted(source)
        found = Counter(link.property for link in self.links if link.source in names)
        return {name: found[name] for name in self.property_types if found[name]}

    @cached_property
    def _by_name(self) -> dict[str, tuple[Entity, ...]]:
        found: dict[str, list[Entity]] = {}
        for entity in self.entities.values():
            found.setdefault(entity.name, []).append(entity)
        return {name: tuple(entities) for name, entities in found.items()}

    @cached_property
    def _by_entity(self) -> dict[str, tuple[Link, ...]]:
        found: dict[str, list[Link]] = {}
        for link in self.links:
            found.setdefault(link.entity, []).append(link)
        order = {name: index for index, name in enumerate(self.property_types)}
        return {key: tuple(sorted(links, key=lambda link: order[link.property])) for key, links in found.items()}

    @cached_property
    def _memberships(self) -> dict[str, frozenset[str]]:
        """All synsets of each entity, the general ones included."""
        found: dict[str, frozenset[str]] = {}
        for key, entity in self.entities.items():
            names = {s.name for s in self.ancestors(entity.role.synset)}
            for link in self.properties(entity):
                for attached in self.property_types[link.property].attaches:
                    chain = self.ancestors(attached)
                    # What a fixture is by its role says nothing of an object with the same property.
                    if chain[0].hierarchy != "role" or entity.role.synset in {s.name for s in chain}:
                        names.update(s.name for s in chain)
            found[key] = frozenset(names)
        return found

    def _key(self, entity: Entity | str) -> str:
        return self.entity(entity.key if isinstance(entity, Entity) else entity).key

    def _counted(self, source: str | None) -> frozenset[str]:
        if source is not None:
            self._source(source)
            return frozenset({source})
        return frozenset(name for name, one in self.sources.items() if one.core)

    def _property(self, name: str) -> None:
        if name not in self.property_types:
            raise OntologyError(f"no property is called {name!r}; {near(name, self.property_types)}")

    def _source(self, name: str) -> None:
        if name not in self.sources:
            raise OntologyError(f"no source is called {name!r}; {near(name, self.sources)}")
