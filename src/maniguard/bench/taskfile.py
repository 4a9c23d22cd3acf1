"""One base task and its four deltas in one file, format maniguard-task/1."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from maniguard.bench.canonical import TaskFileError, normal, pretty
from maniguard.bench.delta import BASE, CONDITIONS, apply_delta
from maniguard.bench.prompts import noun_phrase, prompt_forms
from maniguard.bench.scenario import Scenario
from maniguard.errors import alternatives
from maniguard.files import write_atomic

FORMAT = "maniguard-task/1"
_FIELDS = (
    "format",
    "id",
    "family",
    "variant",
    "task",
    "spec",
    "target",
    "step_limit",
    "difficulty",
    "geometry",
    "base",
    "deltas",
    "hashes",
)


@dataclass(frozen=True)
class TaskFile:
    """A base task as stored: `base` holds `instruction` and `scene`, `deltas` one patch list per other condition."""

    id: str
    family: str
    variant: str
    task: int
    spec: str
    target: str
    step_limit: int
    difficulty: Mapping[str, float]
    geometry: Mapping[str, Any]
    base: Mapping[str, Any]
    deltas: Mapping[str, Any]

    def scenarios(self) -> tuple[Scenario, ...]:
        """Return the five scenarios, base first; TaskFileError for a delta off its axis."""
        return tuple(self.scenario(condition) for condition in CONDITIONS)

    def scenario(self, condition: str) -> Scenario:
        """Return the scenario of one condition."""
        where = f"{self.id}/{condition}"
        objects = [spec["name"] for spec in self.base["scene"]["objects"]]
        if self.target not in objects:
            raise TaskFileError(f"{where}: target {self.target!r} is not in the scene; it has {alternatives(objects)}")
        resolved = dict(self.base)
        if condition != BASE:
            delta = self.deltas[condition]
            resolved = apply_delta(self.base, delta, condition, where, objects.index(self.target))
        nouns = {item["role"]: noun_phrase(item["name"]) for item in reversed(resolved["scene"]["objects"])}
        nouns["target"] = noun_phrase(self.target)
        return Scenario(
            id=where,
            family=self.family,
            variant=self.variant,
            task=self.task,
            condition=condition,
            instruction=resolved["instruction"],
            prompt_forms=prompt_forms(resolved["instruction"], self.spec, nouns),
            step_limit=self.step_limit,
            spec=self.spec,
            target=self.target,
            scene=resolved["scene"],
            geometry=self.geometry,
            difficulty=self.difficulty,
        )

    def with_step_limit(self, step_limit: int) -> TaskFile:
        """Return the task with another step limit."""
        return replace(self, step_limit=step_limit)

    def text(self) -> str:
        """Return the canonical text of the file, hashes of all scenarios included."""
        hashes = {s.condition: {"scenario": s.hash, "physics": s.physics_hash} for s in self.scenarios()}
        return pretty(
            {
                "format": FORMAT,
                "id": self.id,
                "family": self.family,
                "variant": self.variant,
                "task": self.task,
                "spec": self.spec,
                "target": self.target,
                "step_limit": self.step_limit,
                "difficulty": self.difficulty,
                "geometry": self.geometry,
                "base": self.base,
                "deltas": self.deltas,
                "hashes": hashes,
            }
        )


def parse_task(text: str, where: str) -> TaskFile:
    """Read a task file's text; TaskFileError names the field or the scenario whose stored hash does not hold."""
    try:
        data = json.loads(text)
    except json.JSONDecodeError as error:
        raise TaskFileError(f"{where}: not JSON at line {error.lineno}: {error.msg}") from error
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        found = data.get("format") if isinstance(data, dict) else type(data).__name__
        raise TaskFileError(f"{where}: format is {found!r}; this version reads {FORMAT!r}")
    if set(data) != set(_FIELDS):
        wrong = ", ".join(sorted(set(data) ^ set(_FIELDS)))
        raise TaskFileError(f"{where}: missing or unknown fields {wrong}; a task file has {alternatives(_FIELDS)}")
    for name, kind in (
        ("id", str),
        ("family", str),
        ("variant", str),
        ("spec", str),
        ("target", str),
        ("task", int),
        ("step_limit", int),
    ):
        if not isinstance(data[name], kind) or isinstance(data[name], bool):
            raise TaskFileError(f"{where}: field {name!r} must be of type {kind.__name__}, got {data[name]!r}")
    if data["step_limit"] < 1:
        raise TaskFileError(f"{where}: step_limit must be positive, got {data['step_limit']}")
    for name in ("difficulty", "geometry", "base", "deltas", "hashes"):
        if not isinstance(data[name], dict):
            raise TaskFileError(f"{where}: field {name!r} must be an object")
    if set(data["base"]) != {"instruction", "scene"}:
        raise TaskFileError(f"{where}: base must have exactly 'instruction' and 'scene'")
    if set(data["deltas"]) != set(CONDITIONS[1:]):
        raise TaskFileError(
            f"{where}: deltas must be {alternatives(CONDITIONS[1:])}, got {alternatives(data['deltas'])}"
        )
    fields = {name: data[name] for name in _FIELDS if name not in ("format", "hashes")}
    task = TaskFile(**normal(fields))
    for scenario in task.scenarios():
        stored = data["hashes"].get(scenario.condition)
        for hashed, value in (("scenario", scenario.hash), ("physics", scenario.physics_hash)):
            if not isinstance(stored, dict) or stored.get(hashed) != value:
                raise TaskFileError(
                    f"{where}: the {hashed} hash stored for {scenario.condition!r} does not match the content "
                    f"({value[:12]}…)"
                )
    return task


def read_task(path: Path) -> TaskFile:
    """Read a task file from disk; TaskFileError when it is missing or malformed."""
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise TaskFileError(f"{path}: cannot be read: {error.strerror}") from error
    return parse_task(text, path.name)


def write_task(path: Path, task: TaskFile) -> None:
    """Write a task file whole or not at all."""
    write_atomic(path, task.text().encode())
