"""The quantities that an observation can hold beside images: each is computed from the state that every rollout has."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from maniguard.errors import alternatives
from maniguard.policies.action import ContractError

STATE_KEY, PROMPT_KEY = "observation/state", "prompt"
PROMPT = "prompt"

#: Quantity -> how many numbers it is, and what they are. Several are joined by "+", such as "joints+opening".
QUANTITIES: Mapping[str, tuple[int, str]] = {
    "joints": (7, "joint positions in rad"),
    "opening": (1, "gripper, 0 closed, 1 open"),
    "closing": (1, "gripper, 0 open, 1 closed"),
    "fingers": (2, "the fingers' positions in m, + and -, 0 closed"),
    "x": (1, "tcp, m forward of the base"),
    "y": (1, "tcp, m to the left of the base"),
    "z": (1, "tcp, m above the base"),
    "rx": (1, "tcp's rotation vector about x, rad"),
    "ry": (1, "tcp's rotation vector about y, rad"),
    "rz": (1, "tcp's rotation vector about z, rad"),
    "roll": (1, "tcp's turn about x, the first of three about fixed axes, rad"),
    "pitch": (1, "tcp's turn about y, the second, rad"),
    "yaw": (1, "tcp's turn about z, the third, rad"),
}
DEFAULT_CONTENT = "joints+opening"

# A finger of the Panda's hand travels this far from closed to open; the manufacturer's data sheet says 80 mm for both.
FINGER_TRAVEL_M = 0.04


def size_of(content: str) -> int:
    """Return how many numbers `content` is; ContractError for an unknown quantity lists the known ones."""
    return sum(_known(part)[0] for part in content.split("+"))


def values_of(content: str, state: ArrayLike) -> NDArray[np.float32]:
    """Return the numbers of `content` for a state (8,): seven joints in rad, gripper opening 0 to 1."""
    whole = np.asarray(state, np.float64).reshape(8)
    parts = content.split("+")
    made: dict[str, Any] = {
        "joints": whole[:7],
        "opening": whole[7:],
        "closing": 1.0 - whole[7:],
        "fingers": np.array([1.0, -1.0]) * FINGER_TRAVEL_M * whole[7],
    }
    if any(part not in made for part in parts):
        made |= _tcp(whole[:7])
    return np.concatenate([np.atleast_1d(made[part]) for part in parts]).astype(np.float32)


def _tcp(joints_rad: NDArray[np.float64]) -> dict[str, float]:
    # A policy server that knows no end effector needs no planner either.
    from maniguard.planning import forward
    from maniguard.policies.rotations import roll_pitch_yaw, standing_vector

    pose = forward(joints_rad)
    names = ("x", "y", "z", "rx", "ry", "rz", "roll", "pitch", "yaw")
    turned = pose[:3, :3]
    return dict(zip(names, (*pose[:3, 3], *standing_vector(turned), *roll_pitch_yaw(turned)), strict=True))


def _known(part: str) -> tuple[int, str]:
    if part not in QUANTITIES:
        raise ContractError(
            f"there is no quantity {part!r} to observe; valid, joined by +: {alternatives(QUANTITIES, limit=20)}"
        )
    return QUANTITIES[part]
