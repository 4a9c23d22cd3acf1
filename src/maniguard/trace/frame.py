"""The moving half of a trace: one frame per control step, every channel as an array of its stored type."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

Provenance = Literal["measured", "recomputed", "absent"]
Sampling = Literal["latched", "instantaneous"]

F32 = NDArray[np.float32]


class Channel(NamedTuple):
    """How a channel came to be: measured in the run, recomputed from other data, or absent; and how it was sampled."""

    provenance: Provenance
    sampling: Sampling


@dataclass(frozen=True)
class Contacts:
    """The contact pairs of one frame, at most one row per pair of (entity, part), sorted by these four indices.

    `entity_a <= entity_b` (columns of the scene; within one entity part_a < part_b); `part_*` index the entity's
    parts. `normal` is a world unit vector from a to b and `position_m` a world point, both of the substep with the
    largest force. `peak_force_n` is the largest normal force of the pair, summed over its contact points, in any
    substep; `impulse_n_s` its time integral over the control step; `distance_m` the smallest gap (negative =
    penetration); `at_end` whether the pair still touches at the end of the step. In recordings without forces the
    force columns are NaN and the channel `contact_force` is absent.
    """

    entity_a: NDArray[np.int16]
    part_a: NDArray[np.int16]
    entity_b: NDArray[np.int16]
    part_b: NDArray[np.int16]
    normal: F32
    position_m: F32
    peak_force_n: F32
    impulse_n_s: F32
    distance_m: F32
    at_end: NDArray[np.bool_]

    @staticmethod
    def empty() -> Contacts:
        """Return a frame's worth of no contact at all."""
        index, scalar = np.zeros(0, np.int16), np.zeros(0, np.float32)
        vector = np.zeros((0, 3), np.float32)
        return Contacts(index, index, index, index, vector, vector, scalar, scalar, scalar, np.zeros(0, np.bool_))

    def __len__(self) -> int:
        return int(self.entity_a.shape[0])


@dataclass(frozen=True)
class Frame:
    """The state at the end of one control step; frame 0 is the settled start. N entities, P moving parts, J joints.

    World frame, SI units, quaternions wxyz. `linear_m_s` is the velocity of the entity's frame origin,
    `angular_rad_s` the angular velocity, both in world axes. `peak_descent_m_s` is the largest downward speed of the
    origin in any substep (latched). `robot_qpos_rad` (7,), `gripper_opening_m` the distance between the pads, `tcp_*`
    the tool centre point's pose. `action` (8,) is the action that led to this frame (NaN in frame 0): joint targets in
    rad and gripper opening 0–1; `action_saturated` counts (joint, substep) pairs whose command was limited. `grains_*`
    (G,) and `dust_left` (D,) count particles. `wrench` (6,) is force in N and torque in Nm at the tcp, where a
    recording has it (else NaN).
    """

    time_s: float
    position_m: F32
    quat_wxyz: F32
    linear_m_s: F32
    angular_rad_s: F32
    peak_descent_m_s: F32
    part_position_m: F32
    part_quat_wxyz: F32
    joint_position: F32
    joint_velocity: F32
    contacts: Contacts
    robot_qpos_rad: F32
    robot_qvel_rad_s: F32
    gripper_opening_m: np.float32
    tcp_position_m: F32
    tcp_quat_wxyz: F32
    wrench: F32
    action: F32
    action_saturated: int
    grains_inside: NDArray[np.int32]
    grains_air: NDArray[np.int32]
    grains_lost: NDArray[np.int32]
    dust_left: NDArray[np.int32]


CONTACT_FIELDS: tuple[str, ...] = tuple(f.name for f in fields(Contacts))
FRAME_FIELDS: tuple[str, ...] = tuple(f.name for f in fields(Frame) if f.name != "contacts")

# Channel names are those of the frame fields; contacts are split because a recording may know who touched but not
# how hard.
CHANNELS: tuple[str, ...] = (*FRAME_FIELDS, "contacts", "contact_force")

_LATCHED = frozenset({"contacts", "contact_force", "peak_descent_m_s", "action_saturated"})


def simulation_channels() -> Mapping[str, Channel]:
    """Return the channel declarations of a live simulation, which measures everything except the wrench at the tcp."""
    return {
        name: Channel("absent" if name == "wrench" else "measured", "latched" if name in _LATCHED else "instantaneous")
        for name in CHANNELS
    }
