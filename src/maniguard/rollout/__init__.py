"""One rollout: world, goal, spec and monitor in one loop."""

from maniguard.rollout.actor import Actor, ObservationNeeds
from maniguard.rollout.faults import InfraError, PolicyFault

__all__ = ["Actor", "InfraError", "ObservationNeeds", "PolicyFault"]
