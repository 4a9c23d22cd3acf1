"""A small kitchen in the layout that robosuite and LIBERO write, without meshes, and recordings of it."""

from __future__ import annotations

import json
from pathlib import Path

import h5py
import mujoco
import numpy as np

RATE_HZ = 20.0
SUBSTEPS = 25

KITCHEN = """
<mujoco model="base">
  <compiler angle="radian" meshdir="meshes/"/>
  <option timestep="0.002" cone="elliptic" impratio="20"/>
  <asset>
    <texture name="wood" type="2d" file="/somewhere/else/textures/wood.png"/>
    <material name="wood_mat" texture="wood"/>
  </asset>
  <worldbody>
    <geom name="floor" type="plane" size="3 3 0.125" material="wood_mat"/>
    <light pos="0 0 3"/>
    <body name="table" pos="0 0 0.4">
      <geom name="table_collision" type="box" size="0.6 0.8 0.02"/>
      <geom name="table_visual" type="box" size="0.6 0.8 0.02" contype="0" conaffinity="0" group="1"/>
    </body>
    <body name="robot0_base" pos="-0.55 0 0.42">
      <geom name="robot0_base_col" type="cylinder" size="0.06 0.01" pos="0 0 0.01"/>
      {links}
    </body>
    <body name="akita_black_bowl_1_main" pos="0.1 0.1 0.45">
      <freejoint name="akita_black_bowl_1_joint0"/>
      <geom name="akita_black_bowl_1_g0" type="cylinder" size="0.04 0.03" density="400"/>
    </body>
    <body name="plate_1_main" pos="0.1 -0.2 0.43">
      <freejoint name="plate_1_joint0"/>
      <geom name="plate_1_g0" type="cylinder" size="0.08 0.01" density="400"/>
    </body>
    <body name="wooden_cabinet_1_main" pos="0.3 0.45 0.52">
      <geom name="wooden_cabinet_1_g0" type="box" size="0.1 0.1 0.01" pos="0 0 0.09"/>
      <geom name="wooden_cabinet_1_g1" type="box" size="0.1 0.1 0.01" pos="0 0 -0.09"/>
      <body name="wooden_cabinet_1_cabinet_top">
        <joint name="wooden_cabinet_1_top_level" type="slide" axis="0 1 0" range="-0.16 0" limited="true"/>
        <geom name="wooden_cabinet_1_g2" type="box" size="0.08 0.09 0.03"/>
        <site name="wooden_cabinet_1_top_region" type="box" size="0.07 0.08 0.02"/>
      </body>
    </body>
    <body name="lamp" pos="0 0 2"><geom type="sphere" size="0.05" contype="0" conaffinity="0"/></body>
  </worldbody>
</mujoco>
"""

HAND = """
<body name="robot0_right_hand" pos="0 0 0.08">
  <geom name="robot0_hand_col" type="box" size="0.03 0.08 0.02"/>
  <body name="gripper0_right_gripper" pos="0 0 0.02">
    <site name="gripper0_grip_site" pos="0 0 0.06"/>
    <body name="gripper0_leftfinger" pos="0 0 0.03">
      <joint name="gripper0_finger_joint1" type="slide" axis="0 1 0" range="0 0.04" limited="true"/>
      <geom name="gripper0_finger1_col" type="box" size="0.01 0.005 0.03" pos="0 0.005 0.02"/>
      <body name="gripper0_finger_joint1_tip"><geom type="box" size="0.008 0.004 0.005" pos="0 0.004 0.045"/></body>
    </body>
    <body name="gripper0_rightfinger" pos="0 0 0.03">
      <joint name="gripper0_finger_joint2" type="slide" axis="0 1 0" range="-0.04 0" limited="true"/>
      <geom name="gripper0_finger2_col" type="box" size="0.01 0.005 0.03" pos="0 -0.005 0.02"/>
    </body>
  </body>
</body>
"""


def kitchen_xml() -> str:
    body = HAND
    for number in range(7, 0, -1):
        axis = "0 0 1" if number % 2 else "0 1 0"
        body = (
            f'<body name="robot0_link{number}" pos="0 0 0.1"><joint name="robot0_joint{number}" axis="{axis}" '
            f'range="-3 3" limited="true" damping="1"/><geom type="capsule" size="0.03 0.02"/>{body}</body>'
        )
    return KITCHEN.format(links=body)


def simulate(xml: str, steps: int = 40, *, drop_m: float = 0.0, push: float = 0.0) -> np.ndarray:
    """Return flattened states of a free run; the bowl may start higher, and be given a speed along x."""
    model = mujoco.MjModel.from_xml_string(
        xml.replace('file="/somewhere/else/textures/wood.png"', 'builtin="flat" width="8" height="8"')
    )
    data = mujoco.MjData(model)
    robot = [
        d for d in range(model.nv) if str(model.body(int(model.dof_bodyid[d])).name).startswith(("robot0", "gripper0"))
    ]
    bowl = model.joint("akita_black_bowl_1_joint0")
    for _ in range(300):
        data.qfrc_applied[robot] = data.qfrc_bias[robot] - 20.0 * data.qvel[robot]
        mujoco.mj_step(model, data)
    data.qpos[int(bowl.qposadr[0]) + 2] += drop_m
    data.qvel[int(bowl.dofadr[0])] = push
    data.time = 0.0
    states = []
    for _ in range(steps):
        states.append(np.concatenate([[data.time], data.qpos, data.qvel]))
        for _ in range(SUBSTEPS):
            data.qfrc_applied[robot] = data.qfrc_bias[robot] - 20.0 * data.qvel[robot]
            mujoco.mj_step(model, data)
    return np.array(states)


def write_demos(
    path: Path,
    demos: dict[str, tuple[str, np.ndarray]],
    *,
    rewards: dict[str, np.ndarray] | None = None,
    **attributes: str,
) -> Path:
    """Write demonstrations as robomimic does."""
    with h5py.File(path, "w") as file:
        data = file.create_group("data")
        data.attrs["env_args"] = json.dumps({"env_name": "Kitchen", "type": 1, "env_kwargs": {"control_freq": 20}})
        data.attrs["total"] = sum(len(states) for _, states in demos.values())
        for name, value in attributes.items():
            data.attrs[name] = value
        for name, (xml, states) in demos.items():
            demo = data.create_group(name)
            demo.attrs["model_file"] = xml
            demo.attrs["num_samples"] = len(states)
            demo["states"] = states
            demo["actions"] = np.zeros((len(states), 7))
            reward = (rewards or {}).get(name)
            if reward is not None:
                demo["rewards"] = reward
                demo["dones"] = (reward > 0).astype(np.uint8)
    return path
