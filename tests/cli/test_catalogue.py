from __future__ import annotations

import json

import numpy as np
import pytest
from PIL import Image

from maniguard.cli import main
from maniguard.sim import ObjectSpec

BLOCK = [(x, y, z) for x in (0, 40) for y in (0, 50) for z in (0, 60)]
QUADS = ((0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3))


def _block(path, quads=QUADS):
    lines = ["v {} {} {}".format(*corner) for corner in BLOCK]
    lines += ["f " + " ".join(str(i + 1) for i in quad) for quad in quads]
    path.write_text("\n".join(lines) + "\n")
    return path


def test_the_catalogue_as_json_names_every_design_of_a_category(capsys):
    assert main(["bench", "catalogue", "--category", "cabinet,hinged_jar", "--json"]) == 0
    entries = json.loads(capsys.readouterr().out)
    assert {entry["category"] for entry in entries} == {"cabinet", "hinged_jar"}
    assert all(entry["joints"] and entry["mass_kg"] > 0 for entry in entries)


def test_the_catalogue_as_a_table_and_as_a_picture(capsys, tmp_path):
    assert main(["bench", "catalogue", "--category", "banana"]) == 0
    assert "2 designs in 1 categories" in capsys.readouterr().out
    out = tmp_path / "sheet.webp"
    assert (
        main(["bench", "catalogue", "--category", "banana", "--columns", "2", "--cell", "64", "--out", str(out)]) == 0
    )
    picture = np.asarray(Image.open(out).convert("RGB"))
    assert picture.shape == (64, 128, 3)
    assert np.ptp(picture.reshape(-1, 3), axis=0).max() > 60


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (["--category", "spaceship"], "nothing of category 'spaceship'; it has"),
        (["--category", "banana", "--out", "sheet.jpg"], "a picture is written as .png or .webp, not as .jpg"),
        (["--category", "banana", "--out", "sheet.png", "--cell", "4"], "cells of 32 px"),
    ],
)
def test_bad_calls_of_the_catalogue_are_one_line(capsys, more, message):
    assert main(["bench", "catalogue", *more]) == 2
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1


def test_a_mesh_becomes_an_object_of_a_task_file(capsys, tmp_path):
    out = tmp_path / "block.json"
    mesh = _block(tmp_path / "My-Block.obj")
    call = ["assets", "import", str(mesh), "--scale", "0.001", "--category", "box", "--mass", "0.2", "--out", str(out)]
    assert main(call) == 0
    told = capsys.readouterr().out
    assert "my_block: 40 × 50 × 60 mm, 0.200 kg, 1 convex pieces" in told
    spec = ObjectSpec.from_dict(json.loads(out.read_text()))
    assert (spec.name, spec.category, spec.mass_kg) == ("my_block", "box", 0.2)
    assert spec.grasps


@pytest.mark.parametrize(
    ("quads", "more", "message"),
    [
        (QUADS[:-1], [], "My-Block.obj: the mesh has holes"),
        (QUADS, ["--mass", "0"], "My-Block.obj: a mass of 0.0 kg"),
        (QUADS, ["--container"], "My-Block.obj: a container without inside"),
        (QUADS, ["--scale", "1"], "My-Block.obj: 40 × 50 × 60 m is no size of a thing on a table"),
    ],
)
def test_a_mesh_that_cannot_be_an_object_is_one_line(capsys, tmp_path, quads, more, message):
    mesh, out = _block(tmp_path / "My-Block.obj", quads), tmp_path / "block.json"
    call = ["assets", "import", str(mesh), "--category", "box", "--out", str(out), "--scale", "0.001", *more]
    assert main(call) == 2
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1
    assert not out.exists()


def test_a_mesh_that_is_not_there_is_named(capsys, tmp_path):
    call = ["assets", "import", str(tmp_path / "none.stl"), "--category", "box", "--out", str(tmp_path / "x.json")]
    assert main(call) == 2
    assert "none.stl: No such file" in capsys.readouterr().err
