"""The shipped facts: every published count comes out, and the categories of our own objects stay outside them."""

from __future__ import annotations

import pytest

from maniguard.ontology import Provenance, Role, load_ontology
from maniguard.ontology.load import CORE_FILES, _shipped
from maniguard.sim.assets.categories import CATEGORIES

# How many of the 262 entities have each property, as published.
PUBLISHED = {
    "graspable": 220, "washable": 155, "fridgable": 155, "cookable": 139, "food": 138, "ready_to_eat": 107,
    "freezable": 93, "microwavable": 69, "receptacle": 37, "vegetable": 33, "pourable": 28, "dishwashable": 25,
    "openable": 22, "fruit": 20, "closeable": 20, "tool": 19, "utensil": 19, "meat": 18, "drink": 17, "raw": 16,
    "support:containment": 16, "support:storage_zone": 15, "fragile": 14, "sweet": 13, "condiment": 12, "storage": 12,
    "cooked_food": 10, "heated": 10, "dairy": 9, "twistable": 8, "powered": 8, "support:heated": 8, "bread_food": 7,
    "toastable": 7, "cabinet": 7, "liquid": 7, "pressable": 6, "alcohol": 4, "pastry": 4, "spice": 4, "cooktop": 3,
    "stove": 3, "cooling": 3, "fridge": 3, "support:cold_storage": 3, "mixing": 2, "slideable": 2,
    "support:wash_zone": 2, "washing": 2, "microwave": 2, "oven": 2, "toasting": 2, "cookware": 2, "dispensing": 1,
    "support:prep_zone": 1, "support:serving_zone": 1, "drawer": 1, "lever": 1, "sink": 1, "turnable": 1,
}  # fmt: skip

ONTOLOGY = load_ontology()
CORE = load_ontology(assets=False)


def names(links):
    return {link.property for link in links}


def test_the_published_totals():
    counts = ONTOLOGY.counts()
    assert (counts.entities, counts.properties, counts.links) == (262, 60, 1569)
    assert (counts.objects, counts.fixtures) == (220, 42)
    assert (counts.native, counts.derived, counts.curated) == (826, 366, 377)


@pytest.mark.parametrize("prop", sorted(PUBLISHED))
def test_the_published_count_of_each_property(prop):
    assert ONTOLOGY.property_counts()[prop] == PUBLISHED[prop]


def test_no_property_beyond_the_published_ones():
    assert set(ONTOLOGY.property_counts()) == set(CORE.property_types) == set(PUBLISHED)
    assert sum(PUBLISHED.values()) == 1569


@pytest.mark.parametrize(
    ("source", "role", "entities", "linked", "links"),
    [
        ("robocasa", Role.OBJECT, 198, 198, 1265),
        ("robocasa", Role.FIXTURE, 32, 25, 131),
        ("libero", Role.OBJECT, 22, 22, 145),
        ("libero", Role.FIXTURE, 10, 6, 28),
    ],
)
def test_the_published_split_by_source_and_role(source, role, entities, linked, links):
    chosen = [e for e in CORE.entities.values() if (e.source, e.role) == (source, role)]
    assert len(chosen) == entities
    assert sum(bool(CORE.properties(entity)) for entity in chosen) == linked
    assert sum(len(CORE.properties(entity)) for entity in chosen) == links


def test_only_objects_of_the_kitchen_simulator_have_native_and_derived_links():
    for link in CORE.links:
        entity = CORE.entities[link.entity]
        if link.provenance is not Provenance.CURATED:
            assert (entity.source, entity.role) == ("robocasa", Role.OBJECT), link
        assert (link.rule is not None) or link.provenance is not Provenance.DERIVED


def test_the_published_table_has_its_published_length():
    """A checksum over every link: the table of source, role, entity, property and provenance has 68,297 characters."""
    rows = ["source,role,entity,property,provenance"]
    for link in CORE.links:
        entity = CORE.entities[link.entity]
        rows.append(f"{entity.source},{entity.role.value},{entity.name},{link.property},{link.provenance.value}")
    assert sum(len(row) + len("\r\n") for row in rows) == 68_297


def test_facts_that_surprise_are_kept_as_published():
    assert CORE.has("robocasa/ham", "raw")
    assert CORE.has("robocasa/sushi", "raw")
    assert not CORE.has("robocasa/skewers", "raw")
    assert CORE.has("robocasa/egg", "ready_to_eat")
    assert not CORE.has("robocasa/cinnamon", "ready_to_eat")
    assert CORE.has("robocasa/beer", "cookable")
    assert CORE.has("robocasa/OpenCabinet", "openable")
    assert not CORE.has("libero/alphabet_soup", "food")
    assert not CORE.has("libero/wine_bottle", "liquid")
    assert CORE.with_property("raw", source="libero") == ()
    assert names(CORE.properties("libero/black_book")) == {"graspable"}


def test_a_link_says_where_it_comes_from():
    by_name = {link.property: link for link in CORE.properties("robocasa/bagel")}
    assert (by_name["bread_food"].provenance, by_name["bread_food"].rule) == (Provenance.NATIVE, None)
    assert (by_name["graspable"].provenance, by_name["graspable"].rule) == (Provenance.DERIVED, "carried")
    assert (by_name["toastable"].provenance, by_name["toastable"].rule) == (Provenance.DERIVED, "toast")
    assert CORE.properties("robocasa/knife")[-1].provenance is Provenance.CURATED


def test_what_is_native_stays_native_when_a_rule_says_it_too():
    apple = {link.property: link.provenance for link in CORE.properties("robocasa/apple")}
    assert apple["cookable"] is Provenance.NATIVE
    assert apple["food"] is Provenance.DERIVED


@pytest.mark.parametrize("synset", ["food", "receptacle", "tool", "utensil", "drink", "graspable", "washable"])
def test_a_synset_has_exactly_the_entities_with_the_property_of_its_name(synset):
    assert CORE.members(synset) == CORE.with_property(synset)


def test_hazards_and_roles_follow_from_properties():
    assert CORE.members("contamination") == CORE.with_property("raw")
    assert len(CORE.members("fixture")) == 42
    assert len(CORE.members("movable_object")) == 220
    support = {link.entity for link in CORE.links if link.property.startswith("support:")}
    assert {entity.key for entity in CORE.members("support_surface")} == support


def test_the_published_hierarchies():
    shape = {name: [(depth, synset.name) for depth, synset in CORE.walk(name)] for name in ("kind", "hazard", "role")}
    assert [name for depth, name in shape["kind"] if depth == 0] == ["food", "vessel", "implement"]
    assert shape["kind"][-3:] == [(0, "implement"), (1, "tool"), (2, "utensil")]
    assert [name for _, name in shape["hazard"]] == ["breakage", "contamination", "spill", "burn"]
    assert [name for depth, name in shape["role"] if depth == 1] == [
        "heating_appliance",
        "storage_fixture",
        "cleaning_fixture",
        "support_surface",
    ]
    assert [synset.name for synset in CORE.children("affordance")] == ["manipulation", "thermal_treatment", "cleaning"]
    assert [synset.name for synset in CORE.ancestors("alcohol")] == ["alcohol", "drink", "food"]


def test_leaving_out_our_own_categories_changes_no_published_count():
    assert CORE.counts() == ONTOLOGY.counts()
    assert CORE.property_counts() == ONTOLOGY.property_counts()
    assert "maniguard" not in CORE.sources


def test_every_category_of_the_catalogue_is_covered_and_nothing_else():
    assert {entity.name for entity in ONTOLOGY.entities.values() if entity.source == "maniguard"} == set(CATEGORIES)


@pytest.mark.parametrize("name", sorted(CATEGORIES))
def test_the_catalogue_and_the_ontology_say_the_same_of_a_category(name):
    links = ONTOLOGY.properties(ONTOLOGY.entity(name, source="maniguard"))
    native = {link.property for link in links if link.provenance is Provenance.NATIVE}
    assert native == set(CATEGORIES[name].properties)
    assert ("fixture" in native) == (ONTOLOGY.entity(name, source="maniguard").role is Role.FIXTURE)


def test_our_own_food_has_a_kind_and_is_not_both_raw_and_ready():
    for entity in ONTOLOGY.members("food", source="maniguard"):
        assert ONTOLOGY.has(entity, "food")
        assert {sense.name for sense in ONTOLOGY.senses(entity)} - {"food"}
        assert not (ONTOLOGY.has(entity, "raw") and ONTOLOGY.has(entity, "ready_to_eat"))
    assert {entity.name for entity in ONTOLOGY.with_property("raw", source="maniguard")} == {"egg", "sausage"}


def test_every_declared_name_of_the_shipped_files_is_used():
    used = {link.property for link in ONTOLOGY.links}
    assert used == set(ONTOLOGY.property_types)
    assert all(ONTOLOGY.members(name) for name in ONTOLOGY.synsets)
    assert {link.rule for link in ONTOLOGY.links} - {None} == set(ONTOLOGY.rules)


def test_the_published_files_are_the_ones_marked_so():
    assert [_shipped(name).core for name in (*CORE_FILES, "assets")] == [True, True, True, False]
    assert [name for name, source in ONTOLOGY.sources.items() if source.core] == ["core", "robocasa", "libero"]
