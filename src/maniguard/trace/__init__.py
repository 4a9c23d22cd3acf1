"""The simulator-independent record of a rollout: entities, frames, traces, and their file format."""

from maniguard.trace.frame import (
    CHANNELS,
    CONTACT_FIELDS,
    FRAME_FIELDS,
    Channel,
    Contacts,
    Frame,
    Provenance,
    Sampling,
    simulation_channels,
)
from maniguard.trace.scene import (
    Box,
    DustGroup,
    Entity,
    GrainGroup,
    Hull,
    Joint,
    Part,
    Pose,
    Region,
    Scene,
    SceneError,
)

__all__ = [
    "CHANNELS",
    "CONTACT_FIELDS",
    "FRAME_FIELDS",
    "Box",
    "Channel",
    "Contacts",
    "DustGroup",
    "Entity",
    "Frame",
    "GrainGroup",
    "Hull",
    "Joint",
    "Part",
    "Pose",
    "Provenance",
    "Region",
    "Sampling",
    "Scene",
    "SceneError",
    "simulation_channels",
]
