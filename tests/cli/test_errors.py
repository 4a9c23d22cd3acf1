"""Mistakes of the caller: one line that names them, status 2, never a traceback."""

from __future__ import annotations

import sys

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
    (["ltlf", "check", "G b", "--trace", "{tmp}/t.csv"], ["t.csv step 0", "'b'", "there is a"]),
    (["ltlf", "check", "G a", "--trace", "{tmp}/bad.csv"], ["bad.csv", "row 3", "maybe"]),
    (["ltlf", "compile", "G (a", "--json"], ["G (a"]),
    (["ltlf", "compile", "G a"], ["--json"]),
    (["eval", "--policy", "noop", "--family", "clutter,clutter", "--out", "{tmp}/r"], ["clutter", "twice"]),
    (["eval", "--policy", "noop", "--seeds", "0,0", "--out", "{tmp}/r"], ["seed 0", "twice"]),
    (["eval", "--policy", "noop", "--seeds", "9999999999999999999999", "--out", "{tmp}/r"], ["2**63 - 1"]),
    *(
        (["eval", "--policy", f"{{tmp}}/broken.py:{name}", "--tasks", "0:1", "--out", "{tmp}/r"], [name, *said])
        for name, said in (
            ("Unbuilt", ["RuntimeError", "no weights", "broken.py line"]),
            ("Undeclared", ["contract", "KeyError"]),
            ("Narrow", ["7 columns", "8"]),
        )
    ),
    (
        ["eval", "--policy", "{tmp}/raises.py:P", "--tasks", "0:1", "--out", "{tmp}/r"],
        ["raises.py line 1", "NameError"],
    ),
    (["eval", "--policy", "{tmp}/exits.py:P", "--tasks", "0:1", "--out", "{tmp}/r"], ["exits.py line 1", "SystemExit"]),
    (["serve", "--policy", "{tmp}/broken.py:Unbuilt", "--port", "0"], ["no weights"]),
    (["serve", "--policy", "{tmp}/broken.py:Seedless", "--port", "0"], ["reset", "TypeError"]),
    (["bench", "show", "clutter-dry-99/base"], ["clutter-dry-99/base"]),
    (["bench", "render", "clutter-dry-00/base", "--out", "{tmp}/p.xyz"], ["p.xyz", ".png", ".webp"]),
    (["bench", "render", "clutter-dry-00/base", "--out", "{tmp}/p"], [".png", ".webp"]),
    (["bench", "render", "clutter-dry-00/base", "--out", "{tmp}"], [".png", ".webp"]),
    (["bench", "render", "clutter-dry-00/base", "--out", "{tmp}/no/p.png"], ["no folder"]),
    (["serve", "--policy", "expert", "--port", "0"], ["expert"]),
    (["serve", "--policy", "noop", "--host", "", "--port", "0"], ["empty host", "127.0.0.1"]),
    (["serve", "--policy", "noop", "--host", "a..b", "--port", "0"], ["cannot listen on a..b"]),
    *(
        (["eval", "--policy", address, "--tasks", "0:1", "--out", "{tmp}/r"], ["a..b"])
        for address in ("openpi://a..b:1", "groot://a..b:1", "openvla://a..b:1?preset=openvla-bridge")
    ),
    *(
        (["eval", "--policy", f"{scheme}://h:1?timeout_s=1e9&{more}", "--tasks", "0:1", "--out", "{tmp}/r"], ["a week"])
        for scheme, more in (("openpi", "wait_s=0"), ("groot", "wait_s=0"), ("openvla", "preset=openvla-bridge"))
    ),
    (["eval", "--policy", "noop", "--stall-s", "1e12", "--out", "{tmp}/r"], ["a week"]),
    (["eval", "--policy", f"groot://h:1?size_px={10**400}", "--tasks", "0:1", "--out", "{tmp}/r"], ["16 to 1024"]),
    (["study", "power", "--tasks", "100000000"], ["at most 10000 tasks"]),
    (["nosuch"], ["nosuch", "eval"]),
    ([], ["COMMAND"]),
    (["eval", "--policy", "noop", "--shard", "\u00b2/3", "--out", "{tmp}/r"], ["no shard", "3/8"]),
    (["eval", "--policy", "noop", "--ray-address", "h:1", "--out", "{tmp}/r"], ["--executor ray"]),
    (["eval", "--policy", "noop", "--executor", "inline", "--workers", "2", "--out", "{tmp}/r"], ["use pool"]),
    (["eval", "--policy", "noop", "--executor", "inline", "--stall-s", "9", "--out", "{tmp}/r"], ["--stall-s"]),
]


BROKEN_POLICIES = """
from maniguard.policies import STATE, ActionSpec, PolicyContract

class Base:
    contract = PolicyContract("base", (STATE,), ActionSpec(4), 2, deterministic=True)
    def reset(self, *, seed, instruction): ...
    def infer(self, observation): ...
    def close(self): ...

class Unbuilt(Base):
    def __init__(self): raise RuntimeError("no weights")

class Undeclared(Base):
    contract = property(lambda self: {}["contract"])

class Narrow(Base):
    contract = PolicyContract("Narrow", (STATE,), ActionSpec(4, 7), 2, deterministic=True)

class Seedless(Base):
    def reset(self): ...
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setattr("sys.path", list(sys.path))
    (tmp_path / "t.csv").write_text("a\n1\n")
    (tmp_path / "bad.csv").write_text("a\n1\nmaybe\n")
    (tmp_path / "broken.py").write_text(BROKEN_POLICIES)
    (tmp_path / "raises.py").write_text("P = undefined\n")
    (tmp_path / "exits.py").write_text("raise SystemExit(0)\n")
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


def test_a_refused_policy_leaves_no_run_behind(folder, capsys):
    out = folder / "run"
    call = [
        "eval",
        "--policy",
        f"{folder}/broken.py:Narrow",
        "--tasks",
        "0:1",
        "--condition",
        "base",
        "--out",
        str(out),
    ]
    assert main(call) == 2
    assert "7 columns" in capsys.readouterr().err
    assert not out.exists()
