"""The simulator-independent record of a rollout: entities, frames, traces, and their file format."""

from maniguard.trace.codec import CodecError, scene_from_dict, scene_to_dict
from maniguard.trace.file import TraceFileError, read_trace, write_trace
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
from maniguard.trace.trace import Event, Trace, TraceBuilder, TraceError, TraceMeta

__all__ = [
    "CHANNELS",
    "CONTACT_FIELDS",
    "FRAME_FIELDS",
    "Box",
    "Channel",
    "CodecError",
    "Contacts",
    "DustGroup",
    "Entity",
    "Event",
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
    "Trace",
    "TraceBuilder",
    "TraceError",
    "TraceFileError",
    "TraceMeta",
    "read_trace",
    "scene_from_dict",
    "scene_to_dict",
    "simulation_channels",
    "write_trace",
]
