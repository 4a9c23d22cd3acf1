"""Joins ontology files into one ontology, and refuses what does not fit together."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from importlib import resources
from pathlib import Path
from types import MappingProxyType
from typing import TypeVar

from maniguard.ontology.document import Document, EntityEntry, Named, read_document
from maniguard.ontology.errors import near
from maniguard.ontology.model import HIERARCHIES, Entity, Link, Property, Provenance, Rule, Source, Synset
from maniguard.ontology.nodes import Item
from maniguard.ontology.ontology import Ontology

CORE_FILES = ("hierarchies", "robocasa", "libero")
ASSETS_FILE = "assets"
_T = TypeVar("_T")


def load_ontology(extensions: Sequence[str | Path] = (), *, assets: bool = True) -> Ontology:
    """Return the published ontology, the categories of this project's own objects, and the extensions on top.

    Args:
        extensions: YAML files of users, joined in this order; a later one may use what an earlier one declares.
        assets: False leaves out the categories of this project's own objects.

    Raises:
        OntologyError: a file cannot be read; a name is unknown, stands twice or is taken; synsets form a circle. The
            message names the file, the line and what would be valid.
    """
    shipped = (*CORE_FILES, ASSETS_FILE) if assets else CORE_FILES
    documents = [_shipped(name) for name in shipped]
    documents += [read_document(Path(path), file=str(path), core=False) for path in extensions]
    return _Joiner(documents).join()


@cache
def _shipped(name: str) -> Document:
    with resources.as_file(resources.files("maniguard.ontology") / "data" / f"{name}.yaml") as path:
        return read_document(path, file=f"{name}.yaml", core=name in CORE_FILES)


class _Joiner:
    """Looks up every name of every document among what the documents up to it declare."""

    def __init__(self, documents: Sequence[Document]) -> None:
        self._documents = documents
        self._sources: dict[str, Source] = {}
        self._synsets: dict[str, Synset] = {}
        self._properties: dict[str, Property] = {}
        self._rules: dict[str, Rule] = {}
        self._entities: dict[str, Entity] = {}
        self._links: dict[tuple[str, str], Link] = {}

    def join(self) -> Ontology:
        """Return the ontology."""
        for document in self._documents:
            self._add_source(document)
            self._add_synsets(document)
            self._add_properties(document)
            self._add_rules(document)
            self._add_entities(document)
            self._add_links(document)
        return Ontology(
            sources=MappingProxyType(self._sources),
            synsets=MappingProxyType(self._synsets),
            property_types=MappingProxyType(self._properties),
            rules=MappingProxyType(self._rules),
            entities=MappingProxyType(self._entities),
            links=tuple(self._links.values()),
        )

    def _add_source(self, document: Document) -> None:
        taken = self._sources.get(document.source)
        if taken is not None:
            raise document.item.refuse(f"source {document.source!r} is taken by {taken.file}; choose another name")
        self._sources[document.source] = Source(document.source, document.core, document.file)

    def _add_synsets(self, document: Document) -> None:
        declared = {entry.name: entry for entry in document.synsets}
        for entry in document.synsets:
            if entry.name in HIERARCHIES:
                raise entry.item.refuse(f"{entry.name!r} is the name of a hierarchy and cannot be a synset")
            _refuse_taken(
                entry.name, self._synsets, "synset", entry.item, {k: s.source for k, s in self._synsets.items()}
            )
            known = {**HIERARCHIES, **self._synsets, **declared}
            _look_up(entry.under, known, "hierarchy or synset")
        for entry in document.synsets:
            chain = [entry.name]
            under = entry.under.name
            while under in declared:
                if under in chain:
                    circle = " under ".join([*chain[chain.index(under) :], under])
                    raise entry.item.refuse(f"synsets stand in a circle: {circle}")
                chain.append(under)
                under = declared[under].under.name
            hierarchy = under if under in HIERARCHIES else self._synsets[under].hierarchy
            parent = None if entry.under.name in HIERARCHIES else entry.under.name
            declared_synset = Synset(entry.name, hierarchy, parent, entry.meaning, document.source)
            self._synsets[entry.name] = declared_synset

    def _add_properties(self, document: Document) -> None:
        owners = {name: prop.source for name, prop in self._properties.items()}
        for entry in document.properties:
            _refuse_taken(entry.name, self._properties, "property", entry.item, owners)
            for use in entry.attaches:
                _look_up(use, self._synsets, "synset")
            attaches = tuple(use.name for use in entry.attaches)
            self._properties[entry.name] = Property(entry.name, entry.meaning, attaches, document.source)

    def _add_rules(self, document: Document) -> None:
        own = {entry.name: entry for entry in document.entities}
        owners = {name: rule.source for name, rule in self._rules.items()}
        for entry in document.rules:
            _refuse_taken(entry.rule.name, self._rules, "rule", entry.item, owners)
            for use in entry.properties:
                _look_up(use, self._properties, "property")
            for use in entry.entities:
                _look_up(use, own, f"object or fixture of source {document.source!r}")
            self._rules[entry.rule.name] = entry.rule
        for use in document.apply:
            _look_up(use, self._rules, "rule")

    def _add_entities(self, document: Document) -> None:
        for entry in document.entities:
            entity = Entity(entry.name, document.source, entry.role)
            self._entities[entity.key] = entity
            for stated in entry.stated:
                _look_up(stated.property, self._properties, "property")
                name = stated.property.name
                self._links[entity.key, name] = Link(entity.key, name, stated.provenance, None, document.source)
            for link in self._follow(entity, entry, document):
                self._links.setdefault((link.entity, link.property), link)

    def _follow(self, entity: Entity, entry: EntityEntry, document: Document) -> Iterable[Link]:
        """Yield what the rules that the file applies give an entity, derived before curated."""
        stated = frozenset(link.property.name for link in entry.stated)
        rules = [self._rules[use.name] for use in document.apply]
        for rule in sorted(rules, key=lambda rule: rule.provenance is Provenance.CURATED):
            if rule.holds(entity, stated):
                for name in rule.adds:
                    yield Link(entity.key, name, rule.provenance, rule.name, document.source)

    def _add_links(self, document: Document) -> None:
        for key, (where, uses) in document.additions.items():
            if key not in self._entities:
                raise where.refuse(f"no entity is called {key!r}; {near(key, self._entities)}")
            for use in uses:
                _look_up(use, self._properties, "property")
                stands = self._links.get((key, use.name))
                if stands is not None:
                    raise use.item.refuse(f"{key!r} is {use.name!r} already, by source {stands.source!r}")
                link = Link(key, use.name, Provenance.CURATED, None, document.source)
                self._links[key, use.name] = link


def _look_up(use: Named, known: Mapping[str, _T], what: str) -> _T:
    if use.name not in known:
        raise use.item.refuse(f"no {what} is called {use.name!r}; {near(use.name, known)}")
    return known[use.name]


def _refuse_taken(name: str, known: Mapping[str, object], what: str, item: Item, owners: Mapping[str, str]) -> None:
    if name in known:
        raise item.refuse(f"{what} {name!r} is declared already, by source {owners[name]!r}; choose another name")
