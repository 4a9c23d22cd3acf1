from __future__ import annotations

import mujoco
import numpy as np
import pytest
from tests.sim.assets._geometry import NAMES, SAMPLE, quaternion_matrix

from maniguard.sim.assets import CATALOGUE, add_asset
from maniguard.sim.assets.grasps import MAX_OPENING_M, quaternion

CARRIABLE = [name for name in NAMES if CATALOGUE[name].asset().carriable]
TRIED = [name for name in CARRIABLE if name in SAMPLE]
FINGER_THICK_M = 0.015


def _gripper_and(name: str):
    # Pads, fingers and palm of a Panda as boxes on a mocap body each, in the tcp frame.
    spec = mujoco.MjSpec()
    body = spec.worldbody.add_body(name="object")
    geoms = [g.name for g in add_asset(spec, body, CATALOGUE[name].asset(), "object/")]
    shapes = {
        "pad0": (0.0085, 0.001, 0.0085),
        "pad1": (0.0085, 0.001, 0.0085),
        "finger0": (0.0105, FINGER_THICK_M / 2, 0.027),
        "finger1": (0.0105, FINGER_THICK_M / 2, 0.027),
        "palm": (0.032, 0.102, 0.03),
    }
    for part, size in shapes.items():
        mover = spec.worldbody.add_body(name=part, mocap=True)
        mover.add_geom(name=part, type=mujoco.mjtGeom.mjGEOM_BOX, size=size)
    model = spec.compile()
    return model, mujoco.MjData(model), [model.geom(g).id for g in geoms]


def _place(model, data, part, pose, offset):
    rotation = quaternion_matrix(pose.quat_wxyz)
    index = model.body(part).mocapid[0]
    data.mocap_pos[index] = np.asarray(pose.position_m) + rotation @ np.asarray(offset)
    data.mocap_quat[index] = pose.quat_wxyz


def _gap(model, data, part, geoms):
    mine = model.geom(part).id
    return min(mujoco.mj_geomDistance(model, data, mine, g, 0.2, None) for g in geoms)


@pytest.mark.parametrize("name", TRIED)
def test_open_fingers_have_room_and_closed_pads_reach_the_surface(name):
    model, data, geoms = _gripper_and(name)
    for grasp in CATALOGUE[name].asset().grasps:
        pose, half_open, half_width = grasp.object_T_tcp, grasp.opening_m / 2, grasp.width_m / 2
        for k, sign in enumerate((-1.0, 1.0)):
            # A fingertip ends 11 mm beyond the tcp.
            _place(model, data, f"finger{k}", pose, (0.0, sign * (half_open + FINGER_THICK_M / 2), 0.011 - 0.027))
            _place(model, data, f"pad{k}", pose, (0.0, sign * (half_width + 0.001), 0.0))
        _place(model, data, "palm", pose, (0.0, 0.0, -0.045 - 0.03))
        mujoco.mj_kinematics(model, data)
        assert 0.004 <= grasp.width_m <= 0.070
        assert grasp.width_m + 0.008 <= grasp.opening_m <= MAX_OPENING_M
        for k in (0, 1):
            assert _gap(model, data, f"finger{k}", geoms) > 0.003, grasp.name
            assert abs(_gap(model, data, f"pad{k}", geoms)) < 0.002, grasp.name
            low = data.geom_xpos[model.geom(f"finger{k}").id, 2]
            level = grasp.kind == "side" or CATALOGUE[name].asset().anchored
            tip = 0.0105 if level else 0.027
            assert low - tip > 0.002, grasp.name
        assert _gap(model, data, "palm", geoms) > 0.002, grasp.name


@pytest.mark.parametrize("name", TRIED)
def test_frames_are_right_handed_and_approach_as_their_kind_says(name):
    grasps = CATALOGUE[name].asset().grasps
    assert len({g.name for g in grasps}) == len(grasps)
    for grasp in grasps:
        rotation = quaternion_matrix(grasp.object_T_tcp.quat_wxyz)
        assert np.allclose(rotation @ rotation.T, np.eye(3), atol=1e-5)
        assert np.linalg.det(rotation) > 0.99
        if grasp.kind == "side" or CATALOGUE[name].asset().anchored:
            assert abs(rotation[2, 2]) < 1e-5
        else:
            assert rotation[2, 2] < -0.999
        assert abs(rotation[2, 1]) < 1e-5 or CATALOGUE[name].asset().anchored


def test_most_designs_can_be_carried_and_enough_from_above():
    assert len(CARRIABLE) >= 250
    from_above = [n for n in CARRIABLE if any(g.kind == "top" for g in CATALOGUE[n].asset().grasps)]
    assert len(from_above) >= 200
    assert len({CATALOGUE[n].category for n in from_above}) >= 40


def test_quaternions_invert_their_matrices():
    rng = np.random.default_rng(0)
    for _ in range(200):
        q = rng.normal(size=4)
        q /= np.linalg.norm(q)
        q *= np.sign(q[0])
        assert np.allclose(quaternion(quaternion_matrix(tuple(q))), q, atol=1e-6)
    for axis in np.eye(3):
        turn = 2 * np.outer(axis, axis) - np.eye(3)
        assert np.allclose(np.abs(quaternion(turn))[1:], axis)
