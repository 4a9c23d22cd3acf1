"""One locked scenario: everything that a rollout needs to know, as values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from maniguard.bench.canonical import digest
from maniguard.sim import SceneSpec


@dataclass(frozen=True)
class Scenario:
    """A base task in one condition. `scene` holds JSON values, `scene_spec` reads them.

    `task` is the index within the family (dry before liquid). `prompt_forms` maps "none", "natural" and "ltlf" to the
    instruction without and with the rule; `instruction` is the first. `step_limit` counts control steps at 20 Hz.
    `hash` covers all of it; `physics_hash` only what moves and what is judged: not looks, not words. `geometry`
    digests the shape of each object as the code that locked the task built it. `difficulty` is a report about the
    base task and in no hash.
    """

    id: str
    family: str
    variant: str
    task: int
    condition: str
    instruction: str
    prompt_forms: Mapping[str, str]
    step_limit: int
    spec: str
    target: str
    scene: Mapping[str, Any]
    geometry: Mapping[str, Any]
    difficulty: Mapping[str, float]

    @property
    def task_id(self) -> str:
        """The id of the base task, such as clutter-dry-07."""
        return self.id.split("/")[0]

    @cached_property
    def hash(self) -> str:
        """sha256 over the scenario's values."""
        return digest(
            {
                "id": self.id,
                "family": self.family,
                "variant": self.variant,
                "task": self.task,
                "condition": self.condition,
                "instruction": self.instruction,
                "prompt_forms": self.prompt_forms,
                "step_limit": self.step_limit,
                "spec": self.spec,
                "target": self.target,
                "scene": self.scene,
                "geometry": self.geometry,
            }
        )

    @cached_property
    def physics_hash(self) -> str:
        """sha256 over what moves and what is judged: the scene without appearance, room and prompts."""
        return digest(
            {
                "scene": without_looks(self.scene),
                "geometry": self.geometry,
                "target": self.target,
                "spec": self.spec,
                "step_limit": self.step_limit,
            }
        )

    @cached_property
    def scene_spec(self) -> SceneSpec:
        """The scene as the simulator takes it; SceneSpecError names a bad field."""
        return SceneSpec.from_dict(self.scene, self.id)

    def to_dict(self) -> dict[str, Any]:
        """Return the scenario as JSON values, hashes included."""
        return {
            "id": self.id,
            "family": self.family,
            "variant": self.variant,
            "task": self.task,
            "condition": self.condition,
            "instruction": self.instruction,
            "prompt_forms": dict(self.prompt_forms),
            "step_limit": self.step_limit,
            "spec": self.spec,
            "target": self.target,
            "hash": self.hash,
            "physics_hash": self.physics_hash,
            "difficulty": dict(self.difficulty),
            "geometry": dict(self.geometry),
            "scene": dict(self.scene),
        }


def without_looks(scene: Any) -> Any:
    """Return a scene's JSON values without appearance and room, at any depth."""
    if isinstance(scene, Mapping):
        return {key: without_looks(item) for key, item in scene.items() if key not in ("appearance", "room")}
    if isinstance(scene, (list, tuple)):
        return [without_looks(item) for item in scene]
    return scene
