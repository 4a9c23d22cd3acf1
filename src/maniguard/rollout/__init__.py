"""One rollout: world, goal, spec and monitor in one loop; its Gymnasium face; how it may end."""

from maniguard.rollout.actor import Actor, ObservationNeeds
from maniguard.rollout.faults import InfraError, PolicyFault, fault_kind
from maniguard.rollout.gym_env import EnvUsageError, ManiguardEnv
from maniguard.rollout.identity import PROTOCOL_VERSION, machine_class, protocol_identity
from maniguard.rollout.observation import ObservationError, Privileged, make_observation
from maniguard.rollout.run import RolloutResult, run_rollout
from maniguard.rollout.session import Session
from maniguard.rollout.status import Status
from maniguard.rollout.video import VideoWriter

__all__ = [
    "PROTOCOL_VERSION",
    "Actor",
    "EnvUsageError",
    "InfraError",
    "ManiguardEnv",
    "ObservationError",
    "ObservationNeeds",
    "PolicyFault",
    "Privileged",
    "RolloutResult",
    "Session",
    "Status",
    "VideoWriter",
    "fault_kind",
    "machine_class",
    "make_observation",
    "protocol_identity",
    "run_rollout",
]
