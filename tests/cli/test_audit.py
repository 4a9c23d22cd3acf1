from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "audit"))

from worlds import kitchen_xml, simulate, write_demos

from maniguard.cli import main


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("recordings")
    xml = kitchen_xml()
    states = simulate(xml, 15)
    write_demos(path / "whole_demo.hdf5", {"demo_0": (xml, states)})
    write_demos(path / "short_demo.hdf5", {"demo_0": (xml, states[:, :-1])})
    return path


def test_one_recording_is_audited_and_reported(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = str(tmp_path / "run")
    assert main(["audit", str(folder / "whole_demo.hdf5"), "--spec", "safemanip", "--out", out]) == 0
    printed = capsys.readouterr()
    assert "whole_demo.recorded.s0" in printed.err
    assert "policy recorded" in printed.out
    assert "pick_preconditions" in printed.out
    assert "microwave_single_food: not-applicable in 1" in printed.out
    assert main(["report", out]) == 0
    capsys.readouterr()
    assert main(["metrics", out, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["overall"]["n"] == 1


def test_what_could_not_be_audited_is_counted(folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["audit", str(folder), "--spec", "safemanip", "--out", str(tmp_path / "run")]) == 1
    printed = capsys.readouterr().out
    assert "1 of 2 recordings were not audited" in printed
    assert "the states have 46 numbers each, the model needs 1 + 24 + 22 = 47" in printed


def test_what_failed_for_want_of_meshes_is_tried_again(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    mesh = "v 0 0 0\nv .1 0 0\nv 0 .1 0\nv 0 0 .1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"
    xml = kitchen_xml()
    states = simulate(xml, 5)
    needy = xml.replace("<asset>", '<asset><mesh name="m" file="/far/away/objects/m.obj"/>')
    write_demos(tmp_path / "needy.hdf5", {"demo_0": (needy, states)})
    call = ["audit", str(tmp_path / "needy.hdf5"), "--spec", "safemanip", "--out", str(tmp_path / "run")]
    assert main(call) == 2
    assert "/far/away/objects/m.obj" in capsys.readouterr().err
    (tmp_path / "assets" / "objects").mkdir(parents=True)
    (tmp_path / "assets" / "objects" / "m.obj").write_text(mesh)
    assert main([*call, "--assets", str(tmp_path / "assets")]) == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["short_demo.hdf5"], "none of 1 recordings could be audited; the first: "),
        (["nowhere"], "does not exist"),
        (["whole_demo.hdf5", "--require-all"], "--require-all, but these cannot be judged"),
        (["whole_demo.hdf5", "--assets", "nowhere"], "--assets nowhere is no folder"),
        (["whole_demo.hdf5", "--mapping", "nowhere.yaml"], "nowhere.yaml: cannot be read"),
        (["whole_demo.hdf5", "--variant", "harsh"], "has no variant 'harsh'"),
    ],
)
def test_mistakes_are_one_line_and_status_2(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], message: str
) -> None:
    path, *options = arguments
    call = ["audit", str(folder / path), "--spec", "safemanip", "--out", str(tmp_path / "run"), *options]
    assert main(call) == 2
    last = capsys.readouterr().err.rstrip("\n").splitlines()[-1]
    assert last.startswith("maniguard audit: ")
    assert message in last
