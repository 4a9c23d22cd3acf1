from __future__ import annotations

import copy
from typing import Any

import pytest

from maniguard.bench import TaskFile, geometry_of
from maniguard.sim import RoomSpec, SceneSpec, goal_sphere
from maniguard.sim.assets.catalogue import design
from maniguard.trace.scene import Pose


def scene() -> SceneSpec:
    mug, can, vase = design("mug-classic"), design("can-beans"), design("vase-bud")
    return SceneSpec(
        (
            mug.object_spec("mug", "target", Pose((0.5, 0.0, 0.0))),
            can.object_spec("can_of_beans", "obstacle", Pose((0.5, 0.12, 0.0))),
            vase.object_spec("bud_vase", "obstacle", Pose((0.45, -0.15, 0.0))),
        ),
        goal_sphere((0.45, 0.3, 0.2), 0.06),
        room=RoomSpec("studio"),
    )


def task(**changes: Any) -> TaskFile:
    base = scene()
    values: dict[str, Any] = {
        "id": "clutter-dry-00",
        "family": "clutter",
        "variant": "dry",
        "task": 0,
        "spec": "clutter-dry",
        "target": "mug",
        "step_limit": 300,
        "difficulty": {"obstacles": 2},
        "geometry": geometry_of(base.objects),
        "base": {"instruction": "Pick up the mug and bring it into the goal sphere.", "scene": base.to_dict()},
        "deltas": {
            "target": [
                {"path": "/scene/objects/0/appearance", "value": dict(design("mug-classic").recoloured("#aa3322"))}
            ],
            "language": [{"path": "/instruction", "value": "Move the mug to the goal sphere."}],
            "location": [{"path": "/scene/objects/0/world_T_object/position_m", "value": [0.52, 0.0, 0.0]}],
            "environment": [{"path": "/scene/room", "value": RoomSpec("kitchen").to_dict()}],
        },
    }
    values.update(copy.deepcopy(changes))
    return TaskFile(**values)


@pytest.fixture
def small_task() -> TaskFile:
    return task()
