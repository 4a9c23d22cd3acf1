"""Observations: what a policy sees before it acts, made on demand."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from maniguard.errors import ManiguardError, alternatives
from maniguard.rollout.actor import ObservationNeeds
from maniguard.sim import CAMERAS, MAX_OPENING_M, Quality, SceneSpec, World
from maniguard.trace import Frame, Scene


class ObservationError(ManiguardError):
    """An observation that was asked for and cannot be made."""


@dataclass(frozen=True)
class Privileged:
    """What scripts of this project may see beside the observation: the whole scene and its present state.

    `spec` is the name of the rules that the rollout is judged by, which tells what the task is.
    """

    scene_spec: SceneSpec
    scene: Scene
    frame: Frame
    step: int
    spec: str


def check_needs(needs: ObservationNeeds) -> None:
    """Refuse cameras that the world does not have; ObservationError names the valid ones."""
    for key, camera in needs.cameras.items():
        if camera not in CAMERAS:
            raise ObservationError(
                f"observation {key!r} asks for camera {camera!r}; the world has {alternatives(CAMERAS)}"
            )
    if needs.cameras and not 16 <= needs.image_size_px <= 1024:
        raise ObservationError(f"image size {needs.image_size_px} px is outside 16 to 1024")


def make_observation(
    world: World,
    frame: Frame,
    needs: ObservationNeeds,
    *,
    instruction: str,
    step: int,
    spec: str,
    render_quality: Quality,
) -> Mapping[str, Any]:
    """Build the observation of `frame`.

    `observation/state` is (8,) float32: joint positions in rad and the gripper opening from 0 (closed) to 1 (open).
    Images are (S, S, 3) uint8, only those in `needs.cameras`. `privileged` is present only where `needs.privileged`.
    """
    opening = np.float32(min(max(float(frame.gripper_opening_m) / MAX_OPENING_M, 0.0), 1.0))
    observation: dict[str, Any] = {
        "observation/state": np.concatenate([frame.robot_qpos_rad, [opening]]).astype(np.float32),
        "prompt": instruction,
    }
    for key, camera in needs.cameras.items():
        observation[key] = world.render(camera, quality=render_quality, size=needs.image_size_px)
    if needs.privileged:
        observation["privileged"] = Privileged(world.spec, world.scene, frame, step, spec)
    return observation
