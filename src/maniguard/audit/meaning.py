"""What a name means: the category and the properties that the ontology knows."""

from __future__ import annotations

import re
from functools import cache
from typing import NamedTuple

from maniguard.audit.errors import AuditError
from maniguard.errors import alternatives
from maniguard.ontology import Ontology, OntologyError, load_ontology

_NUMBER = re.compile(r"_[0-9]+$")


class Meaning(NamedTuple):
    """A category with its properties, and a role where the recording names one."""

    category: str
    properties: tuple[str, ...] = ()
    role: str | None = None


@cache
def _ontology() -> Ontology:
    return load_ontology()


def check_source(source: str | None) -> None:
    """Raise AuditError for an ontology source that does not exist."""
    if source is not None and source not in _ontology().sources:
        raise AuditError(
            f"no source of the ontology is called {source!r}; there are {alternatives(_ontology().sources)}"
        )


def meaning_of(name: str, source: str | None, role: str | None = None) -> Meaning:
    """Return what `name` (numbered, as `plate_1`) means by a source of the ontology, else by any that alone knows it.

    An unknown name is its own category without properties: a rule about a property then does not bind it.
    """
    check_source(source)
    for asked in dict.fromkeys((source, None)):
        try:
            entity = _ontology().of_instance(name, source=asked)
        except OntologyError:
            continue
        return Meaning(entity.name, tuple(link.property for link in _ontology().properties(entity)), role)
    return Meaning(_NUMBER.sub("", name), (), role)
