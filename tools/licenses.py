"""Writes the table of packages in docs/licenses.md from the metadata of what is installed: `python tools/licenses.py`.

Run it in an environment that holds everything in constraints/py311.txt. A package without a clear statement in its
metadata is an error: look its licence up and add it to STATED.
"""

from __future__ import annotations

import importlib.metadata
import re
import tomllib
from pathlib import Path

from packaging.requirements import Requirement

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "licenses.md"
BEGIN, END = "<!-- packages: begin -->", "<!-- packages: end -->"

# Metadata that says it in other words, or in a whole text; read from the licence files in the packages.
STATED = {
    "scipy": "BSD-3-Clause",
    "mergedeep": "MIT",
    "pathspec": "MPL-2.0",
}
SPELLINGS = {
    "Apache Software License": "Apache-2.0",
    "Apache 2.0": "Apache-2.0",
    "BSD License": "BSD-3-Clause",
    "BSD 2-Clause License": "BSD-2-Clause",
    "MIT License": "MIT",
}


def normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def closure(requirements: list[str]) -> set[str]:
    """Names of everything that `requirements` bring with them on this machine."""
    seen: set[tuple[str, str]] = set()
    queue = [(requirement, "") for requirement in requirements]
    while queue:
        text, extra = queue.pop()
        requirement = Requirement(text)
        if requirement.marker is not None and not requirement.marker.evaluate({"extra": extra}):
            continue
        for wanted in ("", *sorted(requirement.extras)):
            if (key := (normal(requirement.name), wanted)) not in seen:
                seen.add(key)
                queue += [(needed, wanted) for needed in importlib.metadata.requires(requirement.name) or []]
    return {name for name, _ in seen}


def licence(name: str) -> str:
    if name in STATED:
        return STATED[name]
    metadata = importlib.metadata.metadata(name)
    stated = metadata.get("License-Expression") or metadata.get("License") or ""
    if not stated or "\n" in stated or len(stated) > 70 or stated == "UNKNOWN":
        classifiers = [c.rsplit("::", 1)[-1].strip() for c in metadata.get_all("Classifier") or [] if "License ::" in c]
        if len(classifiers) != 1:
            raise SystemExit(f"{name}: no clear licence in its metadata; add it to STATED in {__file__}")
        stated = classifiers[0]
    return SPELLINGS.get(stated, stated)


def main() -> None:
    with (ROOT / "pyproject.toml").open("rb") as file:
        project = tomllib.load(file)["project"]
    core = closure(project["dependencies"])
    pins = [
        line.split("==")
        for line in (ROOT / "constraints" / "py311.txt").read_text().splitlines()
        if line and not line.startswith("#")
    ]
    rows = ["| package | version | licence | needed by |", "|---|---|---|---|"]
    for name, version in pins:
        user = "users" if normal(name) in core else "developers"
        rows.append(f"| `{name}` | {version} | {licence(normal(name))} | {user} |")
    before, _, rest = PAGE.read_text(encoding="utf-8").partition(BEGIN)
    _, _, after = rest.partition(END)
    PAGE.write_text(f"{before}{BEGIN}\n\n" + "\n".join(rows) + f"\n\n{END}{after}", encoding="utf-8")


if __name__ == "__main__":
    main()
