"""The simulated world: a robot at a table with objects, which makes frames and pictures and judges nothing."""

from maniguard.sim.gl import choose_backend

choose_backend()

# Everything below may import mujoco, which reads the choice of the back end when it is imported.
from maniguard.sim.cameras import CAMERAS  # noqa: E402
from maniguard.sim.command import CONTROL_RATE_HZ, CONTROL_STEP_S, SUBSTEPS, ActionError  # noqa: E402
from maniguard.sim.faults import SimulationFault  # noqa: E402
from maniguard.sim.fields import SceneSpecError  # noqa: E402
from maniguard.sim.render import QUALITIES, Quality, RenderError  # noqa: E402
from maniguard.sim.robot import JOINT_LIMITS_RAD, MAX_OPENING_M, PANDA_XML  # noqa: E402
from maniguard.sim.scene import (  # noqa: E402
    HOME_QPOS_RAD,
    AssetSpec,
    Grasp,
    ObjectSpec,
    RoomSpec,
    SceneSpec,
    TableSpec,
    goal_sphere,
)
from maniguard.sim.world import Snapshot, World  # noqa: E402

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
    "Grasp",
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
    "goal_sphere",
]
