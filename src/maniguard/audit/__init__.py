"""Recordings of others as traces: what there is at a path, and how each kind is read.

MuJoCo states are put back into their model and read, never integrated; logs are read as a mapping file says. A channel
that a recording does not hold is declared absent, one that was worked out is declared recomputed.
"""

# The simulation package chooses the OpenGL back end, which must come before mujoco is imported anywhere.
import maniguard.sim  # noqa: F401
from maniguard.audit.errors import AuditError
from maniguard.audit.find import find_recordings, load_recording
from maniguard.audit.mapping import Mapping
from maniguard.audit.mapping_file import load_mapping
from maniguard.audit.marks import marks_of
from maniguard.audit.recording import IMPORTER, POLICY, Context, Recording
from maniguard.audit.success import recorded_success, with_recorded_success

__all__ = [
    "IMPORTER",
    "POLICY",
    "AuditError",
    "Context",
    "Mapping",
    "Recording",
    "find_recordings",
    "load_mapping",
    "load_recording",
    "marks_of",
    "recorded_success",
    "with_recorded_success",
]
