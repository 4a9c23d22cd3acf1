"""Policies: the protocol, the contract, those that come with maniguard, and the wire to those that do not."""

from maniguard.policies.actor import ChunkedActor, Needs, episode_seed
from maniguard.policies.builtin import NoopPolicy, RandomPolicy
from maniguard.policies.contract import (
    DEFAULT_OBSERVATIONS,
    PROMPT,
    STATE,
    ActionSpec,
    ContractError,
    ObservationSpec,
    PolicyContract,
    check_contract,
    check_observation,
    image,
)
from maniguard.policies.policy import Policy, PolicyError, PolicyFactory
from maniguard.policies.registry import resolve
from maniguard.policies.wire.openpi import OpenpiOptions, OpenpiPolicy, PolicyConnectionError

__all__ = [
    "DEFAULT_OBSERVATIONS",
    "PROMPT",
    "STATE",
    "ActionSpec",
    "ChunkedActor",
    "ContractError",
    "Needs",
    "NoopPolicy",
    "ObservationSpec",
    "OpenpiOptions",
    "OpenpiPolicy",
    "Policy",
    "PolicyConnectionError",
    "PolicyContract",
    "PolicyError",
    "PolicyFactory",
    "RandomPolicy",
    "check_contract",
    "check_observation",
    "episode_seed",
    "image",
    "resolve",
]
