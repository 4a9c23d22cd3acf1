"""The Franka Emika Panda: its model, its limits and its parts."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    import mujoco

PREFIX = "panda/"
PANDA_XML = Path(__file__).parent / "panda" / "panda.xml"

# Part 0 is the fixed base; the order of the rest is the order of the kinematic chain.
LINKS = (
    "link0",
    "link1",
    "link2",
    "link3",
    "link4",
    "link5",
    "link6",
    "link7",
    "hand",
    "left_finger",
    "right_finger",
)
PARTS = ("body", *LINKS[1:])
ARM_JOINTS = tuple(f"joint{i}" for i in range(1, 8))
FINGER_JOINTS = ("finger_joint1", "finger_joint2")

# Limits of the Panda's joints, from the manufacturer's interface documentation; positions as (7, 2), lower and upper.
JOINT_LIMITS_RAD: NDArray[np.float64] = np.array(
    [
        [-2.8973, 2.8973],
        [-1.7628, 1.7628],
        [-2.8973, 2.8973],
        [-3.0718, -0.0698],
        [-2.8973, 2.8973],
        [-0.0175, 3.7525],
        [-2.8973, 2.8973],
    ]
)
VELOCITY_RAD_S: NDArray[np.float64] = np.array([2.175, 2.175, 2.175, 2.175, 2.61, 2.61, 2.61])
ACCELERATION_RAD_S2: NDArray[np.float64] = np.array([15.0, 7.5, 10.0, 12.5, 15.0, 20.0, 20.0])

MAX_OPENING_M = 0.08
FINGER_SPEED_M_S = 0.1
# A closed gripper is commanded this far beyond closed: a finger presses with 20 N on a rim of 4 mm, with 35 N, which is
# its limit, on a body of 45 mm or more.
SQUEEZE_M = 0.025
# The squeeze sets in below this opening (0-1), so that wider openings are what they say.
SQUEEZE_BELOW = 0.1


def load() -> mujoco.MjSpec:
    """Return a fresh description of the robot, its base at the origin."""
    import mujoco

    return mujoco.MjSpec.from_file(str(PANDA_XML))
