"""Asking the ontology: names, hierarchies, laws that hold for every entity and synset."""

from __future__ import annotations

import dataclasses

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from maniguard.ontology import HIERARCHIES, OntologyError, Provenance, load_ontology

ONTOLOGY = load_ontology()
SYNSETS = sorted(ONTOLOGY.synsets)
ENTITIES = sorted(ONTOLOGY.entities)


@given(st.sampled_from(ENTITIES), st.sampled_from(SYNSETS))
def test_belonging_to_a_synset_is_belonging_to_all_above_it(key, synset):
    if ONTOLOGY.is_a(key, synset):
        assert all(ONTOLOGY.is_a(key, above.name) for above in ONTOLOGY.ancestors(synset))
    assert ONTOLOGY.is_a(key, synset) == (ONTOLOGY.entity(key) in ONTOLOGY.members(synset))


@given(st.sampled_from(ENTITIES))
def test_senses_are_the_least_set_that_says_all_memberships(key):
    senses = [sense.name for sense in ONTOLOGY.senses(key)]
    above = {name: {synset.name for synset in ONTOLOGY.ancestors(name)} for name in senses}
    assert set().union(*above.values()) == {name for name in SYNSETS if ONTOLOGY.is_a(key, name)}
    assert not any(one in above[other] for one in senses for other in senses if one != other)


@given(st.sampled_from(ENTITIES), st.sampled_from(sorted(ONTOLOGY.property_types)))
def test_the_two_ways_to_ask_for_a_property_agree(key, prop):
    carried = prop in {link.property for link in ONTOLOGY.properties(key)}
    assert ONTOLOGY.has(key, prop) == carried == (ONTOLOGY.entity(key) in ONTOLOGY.with_property(prop))


def test_the_hierarchies_hold_every_synset_once():
    walked = [synset.name for name in HIERARCHIES for _, synset in ONTOLOGY.walk(name)]
    assert sorted(walked) == SYNSETS
    for name in HIERARCHIES:
        for depth, synset in ONTOLOGY.walk(name):
            assert len(ONTOLOGY.ancestors(synset.name)) == depth + 1
            assert synset.hierarchy == name


def test_an_entity_has_each_property_once():
    assert len({(link.entity, link.property) for link in ONTOLOGY.links}) == len(ONTOLOGY.links)


def test_properties_by_provenance_make_up_all_of_them():
    parts = [ONTOLOGY.with_property("graspable", provenance=one) for one in Provenance]
    assert sum(map(len, parts)) == len(ONTOLOGY.with_property("graspable")) == 320


@settings(max_examples=20)
@given(st.permutations(sorted(load_ontology(assets=False).rules)))
def test_the_order_of_rules_changes_nothing(order):
    stated = {}
    for link in ONTOLOGY.links:
        if link.rule is None:
            stated.setdefault(link.entity, set()).add(link.property)
    for key in ENTITIES:
        entity = ONTOLOGY.entity(key)
        if entity.source != "robocasa":
            continue
        own = frozenset(stated.get(key, ()))
        found = set(own).union(
            *(ONTOLOGY.rules[name].adds for name in order if ONTOLOGY.rules[name].holds(entity, own))
        )
        assert found == {link.property for link in ONTOLOGY.properties(key)}


def test_a_bare_name_that_several_sources_have_is_refused_where_one_is_needed():
    with pytest.raises(OntologyError, match="ambiguous; write robocasa/plate or libero/plate or maniguard/plate"):
        ONTOLOGY.entity("plate")
    assert [entity.key for entity in ONTOLOGY.find("plate")] == ["robocasa/plate", "libero/plate", "maniguard/plate"]
    assert ONTOLOGY.entity("plate", source="libero") is ONTOLOGY.entity("libero/plate")
    assert ONTOLOGY.entity("wooden_cabinet").source == "libero"


def test_a_numbered_body_belongs_to_its_category():
    assert ONTOLOGY.of_instance("akita_black_bowl_1").key == "libero/akita_black_bowl"
    assert ONTOLOGY.of_instance("plate_2", source="libero").key == "libero/plate"
    assert ONTOLOGY.of_instance("chefmate_8_frypan_12").key == "libero/chefmate_8_frypan"
    assert ONTOLOGY.of_instance("main_table").key == "libero/main_table"
    with pytest.raises(OntologyError, match="no category or fixture is called 'gizmo'"):
        ONTOLOGY.of_instance("gizmo_1")


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda: ONTOLOGY.entity("wine_botle"), "'wine_botle'; near are wine_bottle"),
        (lambda: ONTOLOGY.entity("libero/mikl"), "'libero/mikl'; near are libero/milk"),
        (lambda: ONTOLOGY.entity("milks", source="libero"), "source 'libero' has no 'milks'; near are milk"),
        (lambda: ONTOLOGY.entity("milk", source="libera"), "no source is called 'libera'; near are libero"),
        (lambda: ONTOLOGY.counts("robocassa"), "no source is called 'robocassa'; near are robocasa"),
        (lambda: ONTOLOGY.property_counts("x"), "no source is called 'x'; known are core, libero, maniguard, robocasa"),
        (lambda: ONTOLOGY.members("food", source="x"), "no source is called 'x'"),
        (lambda: ONTOLOGY.has("libero/milk", "liqid"), "no property is called 'liqid'; near are liquid"),
        (lambda: ONTOLOGY.with_property("Fragile"), "no property is called 'Fragile'; near are fragile"),
        (lambda: ONTOLOGY.is_a("libero/milk", "foods"), "no synset is called 'foods'; near are food"),
        (lambda: ONTOLOGY.children("fud"), "no synset is called 'fud'"),
        (lambda: next(ONTOLOGY.walk("kinds")), "no hierarchy is called 'kinds'; near are kind"),
        (lambda: ONTOLOGY.properties("qqqq"), "'qqqq'; known are Accessory, "),
    ],
)
def test_an_unknown_name_is_refused_with_what_is_near(ask, message):
    with pytest.raises(OntologyError) as caught:
        ask()
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_nothing_of_an_ontology_can_be_changed():
    with pytest.raises(dataclasses.FrozenInstanceError):
        ONTOLOGY.links = ()  # type: ignore[misc]
    with pytest.raises(TypeError):
        ONTOLOGY.entities["libero/new"] = ONTOLOGY.entity("libero/milk")  # type: ignore[index]
    with pytest.raises(dataclasses.FrozenInstanceError):
        ONTOLOGY.entity("libero/milk").name = "x"  # type: ignore[misc]
