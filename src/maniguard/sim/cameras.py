"""The five cameras, four that look at the table from the room and one on the wrist, and the render qualities."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray

from maniguard.trace.scene import Vector3

if TYPE_CHECKING:
    import mujoco

Quality = Literal["fast", "studio"]
QUALITIES: tuple[str, ...] = get_args(Quality)

WRIST_CAMERA = "panda/wrist"


class View(NamedTuple):
    """Where a camera stands and what it looks at, world frame, metres; vertical field of view in degrees."""

    position_m: Vector3
    target_m: Vector3
    fovy_deg: float


VIEWS = {
    "overview": View((1.26, -0.66, 0.98), (0.38, -0.02, 0.12), 46.0),
    "front": View((1.5, 0.0, 0.68), (0.3, 0.0, 0.15), 50.0),
    "left": View((0.42, 1.15, 0.58), (0.42, 0.0, 0.14), 42.0),
    "right": View((0.42, -1.15, 0.58), (0.42, 0.0, 0.14), 42.0),
}
CAMERAS = (*VIEWS, "wrist")


def add_room_cameras(spec: mujoco.MjSpec) -> None:
    """Add the four third-person cameras to the world body."""
    for name, view in VIEWS.items():
        spec.worldbody.add_camera(
            name=name, pos=view.position_m, quat=_looking(view.position_m, view.target_m), fovy=view.fovy_deg
        )


def model_name(camera: str) -> str:
    """Return the name that a camera of `CAMERAS` has in the model."""
    return WRIST_CAMERA if camera == "wrist" else camera


def _looking(position_m: Vector3, target_m: Vector3) -> NDArray[np.float64]:
    import mujoco

    # A MuJoCo camera looks along its -z, with y up in the picture.
    back = np.asarray(position_m, dtype=float) - np.asarray(target_m, dtype=float)
    back /= np.linalg.norm(back)
    right = np.cross([0.0, 0.0, 1.0], back)
    right /= np.linalg.norm(right)
    quat = np.empty(4)
    mujoco.mju_mat2Quat(quat, np.stack([right, np.cross(back, right), back], axis=1).ravel())
    return quat
