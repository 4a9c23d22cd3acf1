from __future__ import annotations

import json

import pytest

from maniguard.cli import main


@pytest.mark.parametrize(
    ("formula", "cells", "status"),
    [
        ("G a", "a\n1\n1\n", 0),
        ("G a", "a\n1\n0\n", 1),
        ("F a", "a\n0\n0\n", 1),
        ("F a", "a\n0\n1\n", 0),
        ("G (a -> F b)", "a,b,unused\n1,0,1\n0,1,1\n", 0),
    ],
)
def test_check_reads_csv_and_answers_by_status(formula, cells, status, tmp_path, capsys):
    path = tmp_path / "t.csv"
    path.write_text(cells)
    assert main(["ltlf", "check", formula, "--trace", str(path)]) == status
    assert ("satisfied" if status == 0 else "violated") in capsys.readouterr().out


def test_json_and_csv_say_the_same(tmp_path):
    letters = [{"a": True, "b": 0}, {"a": 1, "b": False}]
    (tmp_path / "t.json").write_text(json.dumps(letters))
    (tmp_path / "t.csv").write_text("a,b\n1,0\n1,0\n")
    for formula, status in (("G a & G !b", 0), ("F b", 1)):
        for name in ("t.json", "t.csv"):
            assert main(["ltlf", "check", formula, "--trace", str(tmp_path / name)]) == status


def test_compile_prints_json_only(capsys):
    assert main(["ltlf", "compile", "G !spill", "--json"]) == 0
    value = json.loads(capsys.readouterr().out)
    assert isinstance(value, dict)


def test_compile_prints_dot(capsys):
    assert main(["ltlf", "compile", "(on W closed) & G !fallen", "--dot"]) == 0
    assert capsys.readouterr().out.startswith("digraph")


def test_a_violation_is_explained(tmp_path, capsys):
    (tmp_path / "t.csv").write_text("grasp,stable\n0,0\n1,0\n0,0\n")
    assert main(["ltlf", "check", "G (grasp -> stable)", "--trace", str(tmp_path / "t.csv")]) == 1
    said = capsys.readouterr().out
    assert "violated at step 1" in said
    assert "because grasp was true at step 1; stable was false at step 1" in said


@pytest.mark.parametrize(("form", "start"), [("--hoa", "HOA: v1"), ("--svg", "<svg")])
def test_compile_prints_other_forms(form, start, capsys):
    assert main(["ltlf", "compile", "G !spill", form]) == 0
    assert capsys.readouterr().out.startswith(start)


def test_a_doubtful_reading_is_one_line_of_warning(capsys):
    assert main(["ltlf", "compile", "Xray", "--dialect", "spot", "--json"]) == 0
    out, err = capsys.readouterr()
    assert json.loads(out)
    assert err.count("\n") == 1
    assert err.startswith("maniguard: warning: ")
