"""The simulated world: a robot at a table with objects, which makes frames and pictures and judges nothing.

The world and its pictures are imported when they are first asked for: describing a scene needs no physics engine.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from maniguard.sim.articulation import JointSpec
from maniguard.sim.cameras import CAMERAS, QUALITIES, Quality
from maniguard.sim.command import CONTROL_RATE_HZ, CONTROL_STEP_S, SUBSTEPS, ActionError
from maniguard.sim.faults import SimulationFault
from maniguard.sim.fields import SceneSpecError
from maniguard.sim.gl import choose_backend
from maniguard.sim.particles import DustSpec, LiquidSpec
from maniguard.sim.robot import JOINT_LIMITS_RAD, MAX_OPENING_M, PANDA_XML
from maniguard.sim.scene import (
    HOME_QPOS_RAD,
    AssetSpec,
    Grasp,
    ObjectSpec,
    SceneSpec,
    goal_sphere,
)
from maniguard.sim.surroundings import RoomSpec, TableSpec

if TYPE_CHECKING:
    from maniguard.sim.bodies import BuildError
    from maniguard.sim.dusting import spread_dust
    from maniguard.sim.pouring import fill
    from maniguard.sim.render import RenderError
    from maniguard.sim.world import Snapshot, World

# mujoco reads the choice when it is imported, which nothing above does.
choose_backend()

__all__ = [
    "CAMERAS",
    "CONTROL_RATE_HZ",
    "CONTROL_STEP_S",
    "HOME_QPOS_RAD",
    "JOINT_LIMITS_RAD",
    "MAX_OPENING_M",
    "PANDA_XML",
    "QUALITIES",
    "SUBSTEPS",
    "ActionError",
    "AssetSpec",
    "BuildError",
    "DustSpec",
    "Grasp",
    "JointSpec",
    "LiquidSpec",
    "ObjectSpec",
    "Quality",
    "RenderError",
    "RoomSpec",
    "SceneSpec",
    "SceneSpecError",
    "SimulationFault",
    "Snapshot",
    "TableSpec",
    "World",
    "fill",
    "goal_sphere",
    "spread_dust",
]

_LATER = {
    "BuildError": "maniguard.sim.bodies",
    "RenderError": "maniguard.sim.render",
    "Snapshot": "maniguard.sim.world",
    "World": "maniguard.sim.world",
    "fill": "maniguard.sim.pouring",
    "spread_dust": "maniguard.sim.dusting",
}


def __getattr__(name: str) -> Any:
    if name not in _LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(_LATER[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
