"""`maniguard ontology show`: counts, one category, the picture."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

from maniguard.cli import main
from maniguard.ontology import load_ontology, to_svg

SVG = "{http://www.w3.org/2000/svg}"
COMMITTED = Path(__file__).resolve().parents[2] / "docs" / "images" / "ontology.svg"


def test_without_a_category_it_counts(capsys):
    assert main(["ontology", "show"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split() for line in lines[:3]] == [["entities", "262"], ["properties", "60"], ["links", "1569"]]


def test_the_counts_as_json(capsys):
    assert main(["ontology", "show", "--json"]) == 0
    content = json.loads(capsys.readouterr().out)
    assert (content["entities"], content["properties"], content["links"]) == (262, 60, 1569)
    assert content["native"] + content["derived"] + content["curated"] == content["links"]
    published = [counts for counts in content["sources"].values() if counts["published"]]
    assert sum(counts["links"] for counts in published) == content["links"]
    assert sum(content["links_per_property"].values()) == content["links"]


def test_a_category_is_shown_for_every_source_that_has_it(capsys):
    assert main(["ontology", "show", "milk"]) == 0
    out = capsys.readouterr().out
    assert "robocasa/milk, object" in out
    assert "libero/milk, object" in out
    assert main(["ontology", "show", "libero/milk"]) == 0
    assert "robocasa/milk" not in capsys.readouterr().out


def test_a_category_as_json_keeps_where_each_property_comes_from(capsys):
    assert main(["ontology", "show", "bagel", "--json"]) == 0
    (bagel,) = json.loads(capsys.readouterr().out)["entities"]
    found = {item["property"]: (item["provenance"], item["rule"]) for item in bagel["properties"]}
    assert found["bread_food"] == ("native", None)
    assert found["toastable"] == ("derived", "toast")
    assert bagel["senses"]["bread_food"] == ["food"]


def test_an_unknown_category_is_one_line_with_near_ones_and_status_2(capsys):
    assert main(["ontology", "show", "wine_botle"]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.count("\n") == 1
    assert "near are wine_bottle" in captured.err


def test_an_extension_is_shown_and_a_bad_one_refused(capsys, tmp_path):
    path = tmp_path / "lab.yaml"
    path.write_text("maniguard_ontology: 1\nsource: lab\nobjects:\n  vial: {curated: [fragile]}\n")
    assert main(["ontology", "show", "vial", "--extension", str(path), "--json"]) == 0
    (vial,) = json.loads(capsys.readouterr().out)["entities"]
    assert vial["entity"] == "lab/vial"
    path.write_text("maniguard_ontology: 1\nsource: lab\nobjects:\n  vial: {curated: [fragil]}\n")
    assert main(["ontology", "show", "--extension", str(path)]) == 2
    assert f"{path}:4: no property is called 'fragil'" in capsys.readouterr().err


def test_the_picture_has_every_synset_with_its_numbers(capsys, tmp_path):
    out = tmp_path / "picture.svg"
    assert main(["ontology", "show", "--svg", str(out)]) == 0
    assert capsys.readouterr().out.strip() == str(out)
    ontology = load_ontology()
    groups = ElementTree.fromstring(out.read_text()).findall(f"{SVG}g")
    shown = {group.findall(f"{SVG}text")[0].text: group.findall(f"{SVG}text")[1].text for group in groups}
    assert set(shown) == set(ontology.synsets)
    assert shown["alcohol"] == "4"
    assert shown["fixture"] == "42 + 1"


def test_texts_of_the_picture_do_not_run_into_its_bars_or_out_of_it():
    root = ElementTree.fromstring(to_svg(load_ontology()))
    width = float(root.attrib["width"])
    for group in root.findall(f"{SVG}g"):
        name, number = group.findall(f"{SVG}text")
        full, pale = group.findall(f"{SVG}rect")
        # No glyph of the font is wider than 0.6 of its size on average.
        assert float(name.attrib["x"]) + 0.6 * 14 * len(name.text) < float(full.attrib["x"])
        assert float(number.attrib["x"]) + 0.6 * 12.5 * len(number.text) < width
        assert float(pale.attrib["x"]) == pytest.approx(float(full.attrib["x"]) + float(full.attrib["width"]), abs=0.2)


def test_the_committed_picture_is_the_one_that_the_code_draws():
    assert COMMITTED.read_text(encoding="utf-8") == to_svg(load_ontology())
