"""Extending the ontology by a file: what it may say, and how every mistake is refused."""

from __future__ import annotations

import re
from pathlib import Path
from textwrap import dedent

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from maniguard.ontology import OntologyError, Provenance, Role, load_ontology

HEAD = "maniguard_ontology: 1\nsource: lab\n"

WHOLE = """
    maniguard_ontology: 1
    source: lab

    synsets:
      flask: {under: labware, meaning: a vessel with a neck}
      labware: {under: receptacle, meaning: vessels of a laboratory}
      toxic: {under: hazard, meaning: it poisons}

    properties:
      flask: {meaning: it is a flask, attaches: [flask]}
      poison: {meaning: it is poisonous, attaches: [toxic]}

    rules:
      glassware: {meaning: flasks are of glass, any: [flask], add: [fragile], provenance: derived}
      dangerous: {meaning: known poisons, named: [arsenic], add: [poison], provenance: curated}

    apply: [carried, glassware, dangerous, edible]

    objects:
      erlenmeyer: {native: [flask], curated: [washable]}
      arsenic: {}
      berry: {native: [fruit]}

    fixtures:
      fume_hood: {curated: ["support:containment"]}

    links:
      - {entity: libero/wine_bottle, add: [liquid]}
"""


def extend(tmp_path, text, name="lab.yaml"):
    path = tmp_path / name
    path.write_text(dedent(text), encoding="utf-8")
    return load_ontology(extensions=[path])


def test_a_file_may_declare_anything_and_use_what_is_shipped(tmp_path):
    ontology = extend(tmp_path, WHOLE)
    links = {link.property: link for link in ontology.properties("erlenmeyer")}
    assert set(links) == {"flask", "washable", "graspable", "fragile"}
    assert (links["fragile"].provenance, links["fragile"].rule) == (Provenance.DERIVED, "glassware")
    assert (links["graspable"].rule, links["graspable"].source) == ("carried", "lab")
    assert ontology.is_a("erlenmeyer", "vessel")
    assert [synset.name for synset in ontology.ancestors("flask")] == ["flask", "labware", "receptacle", "vessel"]
    assert ontology.is_a("arsenic", "toxic")
    assert ontology.has("berry", "food")
    assert ontology.entity("fume_hood").role is Role.FIXTURE
    assert not ontology.has("fume_hood", "graspable")
    assert ontology.is_a("fume_hood", "support_surface")


def test_an_extension_leaves_the_published_counts_alone(tmp_path):
    ontology = extend(tmp_path, WHOLE)
    assert ontology.counts() == load_ontology().counts()
    assert ontology.property_counts() == load_ontology().property_counts()
    lab = ontology.counts("lab")
    assert (lab.objects, lab.fixtures) == (3, 1)
    # erlenmeyer 4, arsenic 2, berry 4, fume_hood 1, and one more for the bottle.
    assert lab.links == 12
    assert ontology.has("libero/wine_bottle", "liquid")
    assert [link.source for link in ontology.properties("libero/wine_bottle") if link.property == "liquid"] == ["lab"]
    assert not load_ontology().has("libero/wine_bottle", "liquid")


def test_a_later_file_uses_what_an_earlier_one_declares(tmp_path):
    first, second = tmp_path / "a.yaml", tmp_path / "b.yaml"
    first.write_text("maniguard_ontology: 1\nsource: a\nproperties:\n  wet: {meaning: it is wet}\n")
    second.write_text("maniguard_ontology: 1\nsource: b\nobjects:\n  cloth: {curated: [wet]}\n")
    assert load_ontology(extensions=[str(first), second]).has("b/cloth", "wet")
    with pytest.raises(OntologyError, match="no property is called 'wet'"):
        load_ontology(extensions=[second, first])


def test_a_list_of_names_in_a_rule_is_about_its_own_source(tmp_path):
    ontology = extend(
        tmp_path, HEAD + "apply: [breaks, pours]\nobjects:\n  mug: {}\n  chutney: {native: [condiment]}\n"
    )
    assert ontology.properties("lab/mug") == ()
    assert {link.property for link in ontology.properties("lab/chutney")} == {"condiment", "pourable"}


MISTAKES = {
    "unknown property": ("objects:\n  a: {native: [fragil]}", 4, "no property is called 'fragil'; near are fragile"),
    "unknown parent": (
        "synsets:\n  a:\n    under: vesel\n    meaning: x",
        5,
        "no hierarchy or synset is called 'vesel'; near are vessel",
    ),
    "unknown attachment": (
        "properties:\n  a: {meaning: x, attaches: [vessels]}",
        4,
        "no synset is called 'vessels'; near are vessel",
    ),
    "unknown rule": ("apply: [caried]", 3, "no rule is called 'caried'; near are carried"),
    "unknown entity in a rule": (
        "rules:\n  r: {meaning: x, named: [cup], add: [fragile], provenance: curated}\nobjects: {cups: {}}",
        4,
        "no object or fixture of source 'lab' is called 'cup'; near are cups",
    ),
    "unknown property in a rule": (
        "rules:\n  r: {meaning: x, any: [fod], add: [fragile], provenance: derived}",
        4,
        "no property is called 'fod'; near are food",
    ),
    "unknown entity in links": (
        "links:\n  - entity: libero/mikl\n    add: [fragile]",
        4,
        "no entity is called 'libero/mikl'; near are libero/milk",
    ),
    "link that stands already": (
        "links:\n  - {entity: libero/plate, add: [fragile]}",
        4,
        "'libero/plate' is 'fragile' already, by source 'libero'",
    ),
    "links of one entity twice": (
        "links:\n  - {entity: libero/plate, add: [liquid]}\n  - {entity: libero/plate, add: [raw]}",
        5,
        "'libero/plate' stands twice, first at",
    ),
    "circle of one": ("synsets:\n  a: {under: a, meaning: x}", 4, "synsets stand in a circle: a under a"),
    "circle of three": (
        "synsets:\n  a: {under: b, meaning: x}\n  b: {under: c, meaning: x}\n  c: {under: a, meaning: x}",
        4,
        "synsets stand in a circle: a under b under c under a",
    ),
    "entity twice": ("objects:\n  a: {}\n  a: {}", 5, "'a' stands twice, first at"),
    "object and fixture": ("objects:\n  a: {}\nfixtures:\n  a: {}", 6, "'a' is an object already, at"),
    "synset taken": ("synsets:\n  food: {under: kind, meaning: x}", 4, "synset 'food' is declared already, by source"),
    "synset like a hierarchy": ("synsets:\n  role: {under: kind, meaning: x}", 4, "'role' is the name of a hierarchy"),
    "property taken": ("properties:\n  raw: {meaning: x}", 4, "property 'raw' is declared already, by source 'core'"),
    "rule taken": (
        "rules:\n  toast: {meaning: x, add: [raw], provenance: derived}",
        4,
        "rule 'toast' is declared already, by source 'robocasa'",
    ),
    "property twice in a list": ("objects:\n  a: {native: [food, food]}", 4, "'food' stands twice in this list"),
    "property stated twice": (
        "objects:\n  a: {native: [food], curated: [food]}",
        4,
        "property 'food' is stated twice, as native",
    ),
    "derived by hand": ("objects:\n  a: {derived: [food]}", 4, "unknown key 'derived'; valid are curated, native"),
    "unknown section": ("object:\n  a: {}", 3, "unknown key 'object'; valid are apply, fixtures"),
    "no meaning": ("properties:\n  a: {attaches: [food]}", 4, "'meaning' is missing"),
    "empty meaning": ("properties:\n  a: {meaning: }", 4, "expected a text, found nothing"),
    "no parent": ("synsets:\n  a: {meaning: x}", 4, "'under' is missing"),
    "rule without additions": ("rules:\n  r: {meaning: x, provenance: derived}", 4, "the rule adds nothing"),
    "rule with an empty condition": (
        "rules:\n  r: {meaning: x, any: [], add: [raw], provenance: derived}",
        4,
        "'any' is an empty list",
    ),
    "native rule": (
        "rules:\n  r: {meaning: x, add: [raw], provenance: native}",
        4,
        "'native' is no provenance of a rule; valid are curated, derived",
    ),
    "role of a rule": (
        "rules:\n  r: {meaning: x, add: [raw], provenance: derived, role: tool}",
        4,
        "'tool' is no role; valid are fixture, object",
    ),
    "list for a mapping": ("objects:\n  - a", 3, "expected a mapping, found a list"),
    "mapping for a list": ("apply: {carried: x}", 3, "expected a list, found a mapping"),
    "text for a list": ("objects:\n  a: {native: food}", 4, "expected a list, found 'food'"),
    "list for a text": ("properties:\n  a: {meaning: [x]}", 4, "expected a text, found a list"),
    "name with a space": ("objects:\n  red apple: {}", 4, "'red apple' is no name; names are letters, digits and _"),
    "a list within itself": ("apply: &a [*a]", 3, "expected a text, found a list"),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_is_refused_with_file_line_and_what_is_valid(tmp_path, mistake):
    text, line, message = MISTAKES[mistake]
    with pytest.raises(OntologyError) as caught:
        extend(tmp_path, HEAD + text + "\n")
    assert str(caught.value).startswith(f"{tmp_path / 'lab.yaml'}:{line}: {message}")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "is empty"),
        ("- a", ":1: expected a mapping, found a list"),
        ("source: lab", ":1: 'maniguard_ontology' is missing"),
        ("maniguard_ontology: 1", ":1: 'source' is missing"),
        ("maniguard_ontology: 2\nsource: lab", ":1: format version '2'; this maniguard reads 1"),
        ("maniguard_ontology: 1\nsource: libero", ":2: source 'libero' is taken by libero.yaml"),
        ("maniguard_ontology: 1\nsource: a:b", ":2: 'a:b' is no name of a source"),
        ("maniguard_ontology: 1\nsource: [", ":3: not YAML: "),
        ("maniguard_ontology: 1\nsource: a\n---\nx: y", "not YAML: "),
        ("a: \x00", "not YAML: "),
        ("a: " + 5000 * "[", "lab.yaml"),
    ],
)
def test_a_file_that_is_no_ontology_is_refused(tmp_path, text, message):
    path = tmp_path / "lab.yaml"
    path.write_text(text)
    with pytest.raises(OntologyError) as caught:
        load_ontology(extensions=[path])
    assert message in str(caught.value)


def test_a_file_that_cannot_be_read_is_refused(tmp_path):
    with pytest.raises(OntologyError, match=r"none\.yaml: cannot be read: No such file"):
        load_ontology(extensions=[tmp_path / "none.yaml"])
    with pytest.raises(OntologyError, match="cannot be read: Is a directory"):
        load_ontology(extensions=[tmp_path])
    (tmp_path / "latin.yaml").write_bytes(b"source: caf\xe9")
    with pytest.raises(OntologyError, match="cannot be read: not UTF-8 text"):
        load_ontology(extensions=[tmp_path / "latin.yaml"])


def test_a_file_given_twice_is_refused(tmp_path):
    path = tmp_path / "lab.yaml"
    path.write_text(HEAD)
    with pytest.raises(OntologyError, match="source 'lab' is taken by"):
        load_ontology(extensions=[path, path])


def test_words_that_yaml_takes_for_truth_values_are_names(tmp_path):
    assert extend(tmp_path, HEAD + "objects:\n  on: {}\n  no: {}\n").entity("no").key == "lab/no"


@settings(max_examples=40, deadline=None)
@given(st.lists(st.integers(0, 7), min_size=8, max_size=8))
def test_synsets_are_accepted_exactly_if_every_one_hangs_on_a_hierarchy(tmp_path_factory, parents):
    def hangs(index, steps=9):
        return steps > 0 and (parents[index] == index or hangs(parents[index], steps - 1))

    # A synset whose number is its own parent's hangs on a hierarchy.
    lines = [f"  s{i}: {{under: {'kind' if p == i else f's{p}'}, meaning: x}}" for i, p in enumerate(parents)]
    path = tmp_path_factory.mktemp("circles") / "lab.yaml"
    path.write_text(HEAD + "synsets:\n" + "\n".join(lines) + "\n")
    if all(hangs(index) for index in range(8)):
        ontology = load_ontology(extensions=[path])
        assert all(ontology.ancestors(f"s{index}")[-1].parent is None for index in range(8))
    else:
        with pytest.raises(OntologyError, match="synsets stand in a circle"):
            load_ontology(extensions=[path])


def test_the_documented_file_and_snippet_work(tmp_path, capsys):
    page = (Path(__file__).resolve().parents[2] / "docs" / "ontology.md").read_text(encoding="utf-8")
    (example,) = re.findall(r"^```yaml\n(.*?)^```", page, flags=re.MULTILINE | re.DOTALL)
    ontology = extend(tmp_path, example)
    assert ontology.is_a("acid_bottle", "chemical")
    assert {link.property for link in ontology.properties("beaker")} == {"graspable", "receptacle", "fragile"}
    (snippet,) = re.findall(r"^```python\n(.*?)^```", page, flags=re.MULTILINE | re.DOTALL)
    names: dict[str, object] = {}
    exec(compile(snippet, "ontology.md", "exec"), names)
    assert len(names["raw"]) == load_ontology().property_counts()["raw"]
    assert "fragile curated None" in capsys.readouterr().out
