"""The distribution that LeRobot finds by its name; LeRobot itself imports it in `./run slow lerobot`."""

from __future__ import annotations

import ast
import re
import tomllib
from pathlib import Path

import maniguard

FOLDER = Path(__file__).resolve().parents[2] / "integrations" / "lerobot_env_maniguard"


def test_the_name_is_one_that_lerobot_looks_for_and_imports():
    project = tomllib.loads((FOLDER / "pyproject.toml").read_text())["project"]
    # LeRobot imports a distribution under its own name if that begins so.
    assert project["name"].startswith("lerobot_env_")
    assert (FOLDER / project["name"] / "__init__.py").is_file()
    assert project["version"] == maniguard.__version__


def test_its_readme_names_the_options_that_there_are():
    (config,) = [
        node
        for node in ast.parse((FOLDER / "lerobot_env_maniguard" / "config.py").read_text()).body
        if isinstance(node, ast.ClassDef)
    ]
    fields = {node.target.id for node in config.body if isinstance(node, ast.AnnAssign)}
    named = set(re.findall(r"^\| `--env\.(\w+)`", (FOLDER / "README.md").read_text(), flags=re.MULTILINE))
    assert named
    assert named <= fields
    # What LeRobot itself asks of every environment, and the quality of pictures, which is ours to know.
    assert fields - named == {"fps", "features", "features_map", "render_quality"}
