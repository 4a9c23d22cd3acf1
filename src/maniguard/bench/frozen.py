"""Frozen suites: which scenarios a version has, and the hash that each of them will always have."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import NamedTuple

from maniguard.bench.canonical import TaskFileError
from maniguard.bench.scenario import Scenario
from maniguard.errors import alternatives

FORMAT = "maniguard-suite/1"
SUITES_DIR = Path(__file__).parent / "suites"
CURRENT = "1.0"


class FrozenHash(NamedTuple):
    """The two hashes of a scenario: over everything, and over what moves and is judged."""

    scenario: str
    physics: str


def versions() -> tuple[str, ...]:
    """Return the versions of the suite that ship, oldest first."""
    return tuple(sorted(path.stem for path in SUITES_DIR.glob("*.json")))


@cache
def frozen(version: str = CURRENT) -> Mapping[str, FrozenHash]:
    """Return the hashes of a version's scenarios by id; TaskFileError lists the versions there are."""
    if version not in versions():
        raise TaskFileError(f"there is no suite {version!r}; there is {alternatives(versions())}")
    data = json.loads((SUITES_DIR / f"{version}.json").read_text(encoding="utf-8"))
    if data.get("format") != FORMAT or data.get("version") != version:
        raise TaskFileError(f"suite {version!r}: its file is damaged: format {data.get('format')!r}")
    return {name: FrozenHash(*hashes) for name, hashes in data["scenarios"].items()}


def thawed(scenarios: Iterable[Scenario], version: str = CURRENT) -> tuple[str, ...]:
    """Return what differs between scenarios and a frozen version, one line each; none when nothing does."""
    locked = frozen(version)
    found = []
    for scenario in scenarios:
        if scenario.id not in locked:
            found.append(f"{scenario.id}: is not in suite {version}")
        elif (scenario.hash, scenario.physics_hash) != locked[scenario.id]:
            found.append(f"{scenario.id}: is not what suite {version} froze")
    return tuple(found)


def suite_text(version: str, scenarios: Iterable[Scenario]) -> str:
    """Return the content of a version's file."""
    hashes = {s.id: [s.hash, s.physics_hash] for s in scenarios}
    lines = ",\n".join(f"  {json.dumps(name)}: {json.dumps(pair)}" for name, pair in sorted(hashes.items()))
    head = f'{{\n"format": {json.dumps(FORMAT)},\n"version": {json.dumps(version)},\n"scenarios": {{\n'
    return f"{head}{lines}\n}}\n}}\n"
