"""What is declared, pinned, justified and licensed is one list."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def names(requirements: list[str]) -> set[str]:
    return {normal(match.group()) for text in requirements if (match := re.match(r"[A-Za-z0-9._-]+", text))}


def project() -> dict[str, object]:
    with (ROOT / "pyproject.toml").open("rb") as file:
        return tomllib.load(file)["project"]


def core() -> set[str]:
    declared = project()["dependencies"]
    assert isinstance(declared, list)
    return names(declared)


def extras() -> dict[str, list[str]]:
    declared = project()["optional-dependencies"]
    assert isinstance(declared, dict)
    return declared


def pinned(version: str) -> set[str]:
    lines = (ROOT / "constraints" / f"py{version}.txt").read_text().splitlines()
    return names([line for line in lines if line and not line.startswith("#")])


def test_every_declared_dependency_is_pinned_for_every_python() -> None:
    wanted = core() | names(extras()["dev"])
    for version in ("311", "312", "313"):
        assert wanted <= pinned(version), f"py{version}.txt lacks {sorted(wanted - pinned(version))}"


def test_every_core_dependency_is_justified() -> None:
    text = (ROOT / "docs" / "dependencies.md").read_text(encoding="utf-8")
    rows = {normal(match) for match in re.findall(r"^\| `([^`]+)`", text, flags=re.MULTILINE)}
    assert core() <= rows, f"docs/dependencies.md lacks {sorted(core() - rows)}"


def test_the_licence_of_every_pinned_package_is_listed() -> None:
    text = (ROOT / "docs" / "licenses.md").read_text(encoding="utf-8")
    rows = {normal(match) for match in re.findall(r"^\| `([^`]+)`", text, flags=re.MULTILINE)}
    everything = pinned("311") | pinned("312") | pinned("313")
    assert everything <= rows, f"docs/licenses.md lacks {sorted(everything - rows)}"


def test_the_core_is_free_of_training_frameworks() -> None:
    assert not core() & {"torch", "ray", "jax", "tensorflow", "lerobot", "opencv-python"}


def test_every_core_dependency_is_used() -> None:
    source = "\n".join(path.read_text(encoding="utf-8") for path in (ROOT / "src").rglob("*.py"))
    imported = set(re.findall(r"^\s*(?:import|from) (\w+)", source, flags=re.MULTILINE))
    modules = {"pillow": "PIL", "pyyaml": "yaml"}
    unused = {name for name in core() if modules.get(name, name) not in imported}
    assert not unused
