"""Mistakes of the caller: one line that names them, status 2, never a traceback."""

from __future__ import annotations

import pytest

from maniguard.cli import main

MISTAKES = [
    (["eval", "--policy", "nosuch", "--family", "clutter", "--tasks", "0:1", "--out", "{tmp}/r"], ["nosuch", "expert"]),
    (["eval", "--policy", "noop", "--family", "kitchen", "--out", "{tmp}/r"], ["kitchen", "clutter"]),
    (["eval", "--policy", "noop", "--condition", "rain", "--out", "{tmp}/r"], ["rain", "base"]),
    (["eval", "--policy", "noop", "--tasks", "3:1", "--out", "{tmp}/r"], ["3:1"]),
    (["eval", "--policy", "noop", "--family", "clutter", "--tasks", "900:901", "--out", "{tmp}/r"], ["900"]),
    (["eval", "--policy", "noop", "--seeds", "x", "--out", "{tmp}/r"], ["'x'"]),
    (["eval", "--policy", "noop", "--workers", "0", "--out", "{tmp}/r"], ["0 workers"]),
    (["eval", "--policy", "reckless:nosuch", "--family", "clutter", "--tasks", "0:1", "--out", "{tmp}/r"], ["nosuch"]),
    (["eval", "--policy", "json:NoClass", "--family", "clutter", "--tasks", "0:1", "--out", "{tmp}/r"], ["NoClass"]),
    (["report", "{tmp}/nothing"], ["nothing", "plan.json"]),
    (["report"], ["--sample"]),
    (["metrics", "{tmp}/nothing.csv"], ["nothing.csv"]),
    (["metrics", "{tmp}"], ["plan.json"]),
    (["spec", "check", "{tmp}/nothing.yaml"], ["nothing.yaml"]),
    (["spec", "show", "nosuch"], ["nosuch", "clutter-dry"]),
    (["ltlf", "check", "X a", "--trace", "{tmp}/t.csv"], ["X[!]"]),
    (["ltlf", "check", "G a", "--trace", "{tmp}/missing.csv"], ["missing.csv"]),
    (["ltlf", "check", "G b", "--trace", "{tmp}/t.csv"], ["'b'"]),
    (["ltlf", "check", "G a", "--trace", "{tmp}/bad.csv"], ["bad.csv", "row 3", "maybe"]),
    (["ltlf", "compile", "G (a", "--json"], ["G (a"]),
    (["ltlf", "compile", "G a"], ["--json"]),
    (["bench", "show", "clutter-dry-99/base"], ["clutter-dry-99/base"]),
    (["serve", "--policy", "expert", "--port", "0"], ["expert"]),
    (["nosuch"], ["nosuch", "eval"]),
    ([], ["COMMAND"]),
]


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "t.csv").write_text("a\n1\n")
    (tmp_path / "bad.csv").write_text("a\n1\nmaybe\n")
    return tmp_path


@pytest.mark.parametrize(("call", "names"), MISTAKES, ids=lambda value: " ".join(value)[:60])
def test_a_mistake_is_one_line_and_status_2(call, names, folder, capsys):
    status = main([part.replace("{tmp}", str(folder)) for part in call])
    out, err = capsys.readouterr()
    assert status == 2
    assert err.count("\n") == 1
    assert err.startswith("maniguard")
    assert "Traceback" not in err
    for name in names:
        assert name in err
    assert out == ""
