"""What objects and fixtures are: four hierarchies of meanings, and properties with where each comes from."""

from maniguard.ontology.errors import OntologyError
from maniguard.ontology.load import load_ontology
from maniguard.ontology.model import (
    HIERARCHIES,
    Counts,
    Entity,
    Link,
    Property,
    Provenance,
    Role,
    Rule,
    Source,
    Synset,
)
from maniguard.ontology.ontology import Ontology
from maniguard.ontology.picture import to_svg

__all__ = [
    "HIERARCHIES",
    "Counts",
    "Entity",
    "Link",
    "Ontology",
    "OntologyError",
    "Property",
    "Provenance",
    "Role",
    "Rule",
    "Source",
    "Synset",
    "load_ontology",
    "to_svg",
]
