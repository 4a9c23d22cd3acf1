import mujoco
import numpy as np

from maniguard.sim import JOINT_LIMITS_RAD, PANDA_XML, robot

MODEL = mujoco.MjModel.from_xml_path(str(PANDA_XML))


def test_the_model_stands_alone_with_licence_and_notice():
    folder = PANDA_XML.parent
    assert "Apache License" in (folder / "LICENSE").read_text()
    assert "Changes" in (folder / "NOTICE").read_text()
    sizes = [path.stat().st_size for path in folder.rglob("*") if path.is_file()]
    assert max(sizes) < 2**20
    assert sum(sizes) < 1e6


def test_pads_are_within_physical_reason():
    for side in ("left", "right"):
        pad = MODEL.geom(f"{side}_finger_pad")
        assert int(pad.type[0]) == int(mujoco.mjtGeom.mjGEOM_BOX)
        sliding, torsional, _ = pad.friction
        assert sliding <= 1.5
        assert torsional <= 0.02
        others = [g for g in range(MODEL.ngeom) if MODEL.geom_contype[g] and MODEL.geom_bodyid[g] == pad.bodyid[0]]
        assert len(others) == 2, "one pad and the hull of the finger"
    assert np.abs(MODEL.actuator("gripper").forcerange).max() <= 70


def test_limits_are_the_models():
    for index, name in enumerate(robot.ARM_JOINTS):
        np.testing.assert_allclose(MODEL.joint(name).range, JOINT_LIMITS_RAD[index])
        force = MODEL.actuator(name).forcerange
        np.testing.assert_allclose(np.abs(force), 87 if index < 4 else 12)


def test_closed_pads_meet_and_the_tcp_lies_between_them():
    data = mujoco.MjData(MODEL)
    mujoco.mj_kinematics(MODEL, data)
    left, right = (data.geom(f"{side}_finger_pad") for side in ("left", "right"))
    faces = 2 * MODEL.geom("left_finger_pad").size[1]
    np.testing.assert_allclose(np.linalg.norm(left.xpos - right.xpos), faces, rtol=1e-9)
    middle = (left.xpos + right.xpos) / 2
    np.testing.assert_allclose(data.site("tcp").xpos, middle, atol=1e-3)


def test_the_robot_weighs_what_its_maker_says():
    # About 18 kg with the hand.
    assert 17.0 < MODEL.body_subtreemass[0] < 19.0
    np.testing.assert_array_equal(MODEL.body_gravcomp[1:], 1.0)
