"""The simulated world: a robot at a table with objects, which makes frames and pictures and judges nothing."""

from maniguard.sim.fields import SceneSpecError
from maniguard.sim.scene import (
    HOME_QPOS_RAD,
    AssetSpec,
    Grasp,
    ObjectSpec,
    RoomSpec,
    SceneSpec,
    TableSpec,
    goal_sphere,
)

__all__ = [
    "HOME_QPOS_RAD",
    "AssetSpec",
    "Grasp",
    "ObjectSpec",
    "RoomSpec",
    "SceneSpec",
    "SceneSpecError",
    "TableSpec",
    "goal_sphere",
]
