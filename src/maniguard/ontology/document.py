"""One ontology file as it is written, before it is joined with the others."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from maniguard.ontology.model import Provenance, Role, Rule
from maniguard.ontology.nodes import Item, read_item

FORMAT_VERSION = 1
_SECTIONS = ("synsets", "properties", "rules", "apply", "objects", "fixtures", "links")
_STATED = (Provenance.NATIVE, Provenance.CURATED)


@dataclass(frozen=True)
class Named:
    """A name that has to exist somewhere, and where it is used."""

    name: str
    item: Item


@dataclass(frozen=True)
class SynsetEntry:
    """A synset as declared: `under` is a hierarchy or another synset."""

    name: str
    under: Named
    meaning: str
    item: Item


@dataclass(frozen=True)
class PropertyEntry:
    """A property as declared."""

    name: str
    meaning: str
    attaches: tuple[Named, ...]
    item: Item


@dataclass(frozen=True)
class RuleEntry:
    """A rule, and every name in it that has to exist: properties, and entities of the same file."""

    rule: Rule
    properties: tuple[Named, ...]
    entities: tuple[Named, ...]
    item: Item


@dataclass(frozen=True)
class StatedLink:
    """A property that an entity's own line states."""

    property: Named
    provenance: Provenance


@dataclass(frozen=True)
class EntityEntry:
    """An entity and what its line states of it."""

    name: str
    role: Role
    stated: tuple[StatedLink, ...]
    item: Item


@dataclass(frozen=True)
class Document:
    """One file: declarations, entities, and additions to entities of other files."""

    source: str
    file: str
    core: bool
    item: Item
    synsets: tuple[SynsetEntry, ...]
    properties: tuple[PropertyEntry, ...]
    rules: tuple[RuleEntry, ...]
    apply: tuple[Named, ...]
    entities: tuple[EntityEntry, ...]
    additions: Mapping[str, tuple[Item, tuple[Named, ...]]]


def read_document(path: Path, *, file: str, core: bool) -> Document:
    """Read one file; `file` is how messages call it.

    Raises:
        OntologyError: it cannot be read, has another format version, or says something that has no meaning. Names that
            other files have to provide are looked up when files are joined.
    """
    item = read_item(path, file)
    top = item.fields("maniguard_ontology", "source", *_SECTIONS)
    for key in ("maniguard_ontology", "source"):
        if key not in top:
            raise item.refuse(f"{key!r} is missing; an ontology file starts with maniguard_ontology and source")
    version = top["maniguard_ontology"].text()
    if version != str(FORMAT_VERSION):
        raise top["maniguard_ontology"].refuse(f"format version {version!r}; this maniguard reads {FORMAT_VERSION}")
    source = top["source"].name()
    if ":" in source:
        raise top["source"].refuse(f"{source!r} is no name of a source; it may not have a colon")
    return Document(
        source=source,
        file=file,
        core=core,
        item=top["source"],
        synsets=tuple(_synset(name, entry) for name, entry in _section(top, "synsets")),
        properties=tuple(_property(name, entry) for name, entry in _section(top, "properties")),
        rules=tuple(_rule(name, entry, source) for name, entry in _section(top, "rules")),
        apply=tuple(_named(top["apply"])) if "apply" in top else (),
        entities=_entities(top),
        additions=_additions(top),
    )


def _section(top: Mapping[str, Item], key: str) -> tuple[tuple[str, Item], ...]:
    return tuple(top[key].entries()) if key in top else ()


def _named(item: Item | None) -> tuple[Named, ...]:
    return tuple(Named(name, where) for name, where in item.names().items()) if item is not None else ()


def _need(fields: Mapping[str, Item], key: str, item: Item) -> Item:
    if key not in fields:
        raise item.refuse(f"{key!r} is missing")
    return fields[key]


def _synset(name: str, item: Item) -> SynsetEntry:
    fields = item.fields("under", "meaning")
    under = _need(fields, "under", item)
    return SynsetEntry(name, Named(under.name(), under), _need(fields, "meaning", item).text(), item)


def _property(name: str, item: Item) -> PropertyEntry:
    fields = item.fields("meaning", "attaches")
    return PropertyEntry(name, _need(fields, "meaning", item).text(), _named(fields.get("attaches")), item)


def _rule(name: str, item: Item, source: str) -> RuleEntry:
    fields = item.fields("meaning", "role", "any", "none", "named", "add", "provenance")
    lists = {key: _named(fields.get(key)) for key in ("any", "none", "named", "add")}
    if not lists["add"]:
        raise item.refuse("the rule adds nothing; give `add` a list of properties")
    for key in ("any", "named"):
        if key in fields and not lists[key]:
            raise fields[key].refuse(f"{key!r} is an empty list; without the key the rule holds for every entity")
    role = fields["role"].one_of(tuple(role.value for role in Role), "role") if "role" in fields else None
    allowed = (Provenance.DERIVED.value, Provenance.CURATED.value)
    provenance = _need(fields, "provenance", item).one_of(allowed, "provenance of a rule")
    rule = Rule(
        name=name,
        meaning=_need(fields, "meaning", item).text(),
        role=Role(role) if role is not None else None,
        any_of=tuple(use.name for use in lists["any"]),
        none_of=tuple(use.name for use in lists["none"]),
        named=tuple(use.name for use in lists["named"]),
        adds=tuple(use.name for use in lists["add"]),
        provenance=Provenance(provenance),
        source=source,
    )
    return RuleEntry(rule, lists["any"] + lists["none"] + lists["add"], lists["named"], item)


def _entities(top: Mapping[str, Item]) -> tuple[EntityEntry, ...]:
    found: dict[str, EntityEntry] = {}
    for section, role in (("objects", Role.OBJECT), ("fixtures", Role.FIXTURE)):
        for name, item in _section(top, section):
            if name in found:
                raise item.refuse(f"{name!r} is an object already, at {found[name].item.place}")
            found[name] = EntityEntry(name, role, _stated(item), item)
    return tuple(found.values())


def _stated(item: Item) -> tuple[StatedLink, ...]:
    links: dict[str, StatedLink] = {}
    for key, value in item.fields(*_STATED).items():
        for use in _named(value):
            if use.name in links:
                raise use.item.refuse(f"property {use.name!r} is stated twice, as {links[use.name].provenance.value}")
            links[use.name] = StatedLink(use, Provenance(key))
    return tuple(links.values())


def _additions(top: Mapping[str, Item]) -> dict[str, tuple[Item, tuple[Named, ...]]]:
    if "links" not in top:
        return {}
    found: dict[str, tuple[Item, tuple[Named, ...]]] = {}
    for entry in top["links"].items():
        fields = entry.fields("entity", "add")
        where = _need(fields, "entity", entry)
        key = where.text()
        if key in found:
            raise where.refuse(f"{key!r} stands twice, first at {found[key][0].place}")
        found[key] = (where, _named(_need(fields, "add", entry)))
    return found
