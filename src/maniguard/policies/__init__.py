"""Policies: the protocol, the contract, those that come with maniguard, and the wire to those that do not."""

from maniguard.policies.action import CONVENTIONS, ActionSpec, ContractError, GripperRange
from maniguard.policies.actor import ChunkedActor, Needs, episode_seed
from maniguard.policies.builtin import NoopPolicy, RandomPolicy
from maniguard.policies.contract import (
    DEFAULT_OBSERVATIONS,
    PROMPT,
    STATE,
    ObservationSpec,
    PolicyContract,
    check_contract,
    check_observation,
    image,
    numbers,
    text,
)
from maniguard.policies.convert import ActionConverter
from maniguard.policies.policy import Policy, PolicyError, PolicyFactory
from maniguard.policies.registry import resolve
from maniguard.policies.wire.openpi import OpenpiOptions, OpenpiPolicy, PolicyConnectionError

__all__ = [
    "CONVENTIONS",
    "DEFAULT_OBSERVATIONS",
    "PROMPT",
    "STATE",
    "ActionConverter",
    "ActionSpec",
    "ChunkedActor",
    "ContractError",
    "GripperRange",
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
    "numbers",
    "resolve",
    "text",
]
