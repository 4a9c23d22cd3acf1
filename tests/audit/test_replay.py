from __future__ import annotations

import mujoco
import numpy as np
import pytest
from worlds import kitchen_xml, simulate

from maniguard.audit import AuditError, Context, Mapping
from maniguard.audit.bddl import meanings_of_bddl
from maniguard.audit.mapping_file import read_mapping
from maniguard.audit.replay import replay
from maniguard.audit.samples import Samples

XML = kitchen_xml()
WEIGHT_N = {"akita_black_bowl_1": 0.120637 * 9.81, "plate_1": 0.16085 * 9.81}


@pytest.fixture(scope="module")
def states() -> np.ndarray:
    return simulate(XML, 30, push=0.4)


@pytest.fixture(scope="module")
def read(states: np.ndarray) -> Samples:
    return replay(Context().model(XML), states, Mapping(), {})


def test_replayed_poses_are_the_recorded_ones(states: np.ndarray, read: Samples) -> None:
    model = Context().model(XML)
    data = mujoco.MjData(model)
    names = [entity.name for entity in read.scene.entities]
    for step in (0, 7, 29):
        data.qpos[:] = states[step, 1 : 1 + model.nq]
        mujoco.mj_kinematics(model, data)
        for body in ("akita_black_bowl_1", "plate_1", "wooden_cabinet_1"):
            column = names.index(body)
            assert np.array_equal(read.columns["position_m"][step, column], data.body(f"{body}_main").xpos)
            assert np.array_equal(read.columns["quat_wxyz"][step, column], data.body(f"{body}_main").xquat)


def test_twists_are_the_recorded_velocities(states: np.ndarray, read: Samples) -> None:
    bowl = [entity.name for entity in read.scene.entities].index("akita_black_bowl_1")
    model = Context().model(XML)
    dof = int(model.joint("akita_black_bowl_1_joint0").dofadr[0])
    linear = states[:, 1 + model.nq + dof : 4 + model.nq + dof]
    assert np.allclose(read.columns["linear_m_s"][:, bowl], linear, atol=1e-12)
    falling = replay(Context().model(XML), simulate(XML, 4, drop_m=0.3), Mapping(), {})
    moved = np.gradient(falling.columns["position_m"][:, bowl, 2], 0.05)
    assert np.allclose(moved[1:-1], falling.columns["linear_m_s"][1:-1, bowl, 2], atol=0.02)


@pytest.mark.parametrize("thing", sorted(WEIGHT_N))
def test_the_table_carries_what_rests_on_it(thing: str) -> None:
    read = replay(Context().model(XML), simulate(XML, 5), Mapping(), {})
    names = [entity.name for entity in read.scene.entities]
    touches = read.touches
    assert touches is not None
    mine = (touches.a[:, 0] == names.index("table")) & (touches.b[:, 0] == names.index(thing))
    assert sorted(set(touches.sample[mine].tolist())) == list(range(5))
    assert np.allclose(touches.force_n[mine], WEIGHT_N[thing], rtol=0.02)
    assert np.allclose(touches.normal[mine], (0.0, 0.0, 1.0), atol=1e-3)


def test_what_falls_touches_nothing() -> None:
    read = replay(Context().model(XML), simulate(XML, 3, drop_m=0.3), Mapping(), {})
    names = [entity.name for entity in read.scene.entities]
    assert read.touches is not None
    bowl = names.index("akita_black_bowl_1")
    assert not ((read.touches.b[:, 0] == bowl) | (read.touches.a[:, 0] == bowl)).any()
    assert read.columns["linear_m_s"][2, bowl, 2] == pytest.approx(-0.1 * 9.81, rel=0.01)


def test_entities_are_found_by_their_joints_and_names(read: Samples) -> None:
    found = {entity.name: entity for entity in read.scene.entities}
    assert sorted(found) == ["akita_black_bowl_1", "floor", "plate_1", "robot0", "table", "wooden_cabinet_1"]
    assert {name: found[name].kind for name in found} == {
        "akita_black_bowl_1": "object",
        "floor": "support",
        "plate_1": "object",
        "robot0": "robot",
        "table": "support",
        "wooden_cabinet_1": "articulated",
    }
    assert [part.name for part in found["robot0"].parts] == [
        "body", "link1", "link2", "link3", "link4", "link5", "link6", "link7", "hand", "left_finger", "right_finger",
    ]  # fmt: skip
    drawer = found["wooden_cabinet_1"].joints[0]
    assert (drawer.name, drawer.kind, drawer.lower, drawer.upper, drawer.part) == (
        "top_level", "slide", 0.0, 0.16, "cabinet_top",
    )  # fmt: skip
    assert found["plate_1"].properties == () or "fragile" in found["plate_1"].properties
    assert found["akita_black_bowl_1"].category == "akita_black_bowl"
    assert "fragile" in found["akita_black_bowl_1"].properties
    assert found["akita_black_bowl_1"].mass_kg == pytest.approx(0.1206, abs=1e-4)


@pytest.mark.parametrize(("limits", "sign"), [("-0.16 0", -1), ("-0.16 0.01", -1), ("0 0.16", 1), ("-0.01 0.16", 1)])
def test_a_drawer_opens_towards_the_upper_limit_whichever_way_its_model_has_it(limits: str, sign: int) -> None:
    """Models are drawn closed; LIBERO's drawers open towards their lower limit."""
    text = XML.replace('range="-0.16 0"', f'range="{limits}"')
    states = simulate(text, 2)
    model = Context().model(text)
    joint = model.joint("wooden_cabinet_1_top_level")
    states[:, 1 + int(joint.qposadr[0])] = (0.0, sign * 0.12)
    states[:, 1 + model.nq + int(joint.dofadr[0])] = sign * 0.2
    read = replay(Context().model(text), states, Mapping(), {})
    (drawer,) = next(entity for entity in read.scene.entities if entity.name == "wooden_cabinet_1").joints
    assert drawer.lower in (0.0, -0.01)
    assert drawer.upper == 0.16
    assert read.columns["joint_position"][:, 0].tolist() == [0.0, 0.12]
    assert read.columns["joint_velocity"][:, 0].tolist() == [0.2, 0.2]


FURNITURE = """
<body name="white_cabinet_1_main" pos="-0.3 0.6 0.55"><body name="white_cabinet_1_base">
  <geom type="box" size=".1 .1 .01" pos="0 0 .12"/>
  <site name="white_cabinet_1_top_side" type="box" size=".1 .1 .01" pos="0 0 .13"/>
  <body name="white_cabinet_1_cabinet_top" pos="0 0 .06">
    <joint name="white_cabinet_1_top_level" type="slide" axis="0 1 0" range="-.16 .01"/>
    <geom type="box" size=".08 .09 .02"/><site name="white_cabinet_1_top_region" type="box" size=".07 .08 .015"/></body>
  <body name="white_cabinet_1_cabinet_bottom" pos="0 0 -.06">
    <joint name="white_cabinet_1_bottom_level" type="slide" axis="0 1 0" range="-.16 .01"/>
    <geom type="box" size=".08 .09 .02"/>
    <site name="white_cabinet_1_bottom_region" type="box" size=".07 .08 .01"/></body>
</body></body>
<body name="microwave_1_main" pos="-.3 -.6 .55">
  <geom type="box" size=".1 .1 .01"/>
  <site name="microwave_1_heating_region" type="box" size=".08 .08 .05" pos="0 0 .06"/>
  <body name="microwave_1_door" pos=".1 .1 .06">
    <joint name="microwave_1_microjoint" type="hinge" axis="0 0 1" range="-2.1 0"/>
    <geom type="box" size=".005 .1 .05" pos="0 -.1 0"/></body></body>
<body name="lamp" """


def test_every_drawer_of_a_cabinet_is_a_thing_of_its_own_with_its_own_inside() -> None:
    xml = XML.replace('<body name="lamp"', FURNITURE)
    scene = replay(Context().model(xml), simulate(xml, 3), Mapping(ontology="libero"), {}).scene
    top, bottom = scene.entity("white_cabinet_1_cabinet_top"), scene.entity("white_cabinet_1_cabinet_bottom")
    for drawer, name, height in ((top, "top", 0.015), (bottom, "bottom", 0.01)):
        assert drawer.kind == "articulated"
        assert drawer.category == "white_cabinet"
        assert [(joint.name, joint.part) for joint in drawer.joints] == [(f"{name}_level", f"cabinet_{name}")]
        assert drawer.interior is not None
        # In the frame of the drawer, with which it moves.
        assert drawer.interior.size_m == (0.07, 0.08, height)
        assert drawer.interior.pose.position_m == (0.0, 0.0, 0.0)
    rest = scene.entity("white_cabinet_1")
    assert (rest.kind, rest.joints, rest.interior) == ("fixture", (), None)


def test_of_several_drawers_only_the_one_that_the_goal_names_has_its_role() -> None:
    xml = XML.replace('<body name="lamp"', FURNITURE)
    problem = """(:fixtures white_cabinet_1 - white_cabinet microwave_1 - microwave)
      (:objects akita_black_bowl_1 - akita_black_bowl)
      (:goal (And (In akita_black_bowl_1 white_cabinet_1_bottom_region) (Close microwave_1)))"""
    scene = replay(Context().model(xml), simulate(xml, 3), Mapping(), meanings_of_bddl(problem)).scene
    roles = {entity.name: entity.role for entity in scene.entities}
    assert roles["white_cabinet_1_cabinet_bottom"] == "destination"
    assert roles["white_cabinet_1_cabinet_top"] == roles["white_cabinet_1"] == "fixture"
    assert roles["microwave_1"] == roles["akita_black_bowl_1"] == "target"


def test_a_microwave_is_one_thing_with_the_inside_that_its_model_marks() -> None:
    xml = XML.replace('<body name="lamp"', FURNITURE)
    microwave = replay(Context().model(xml), simulate(xml, 3), Mapping(), {}).scene.entity("microwave_1")
    assert [part.name for part in microwave.parts] == ["body", "door"]
    assert microwave.interior is not None
    assert microwave.interior.pose.position_m == (0.0, 0.0, 0.06)
    assert "microwave" in microwave.properties


def test_a_robot_of_any_name_can_be_named() -> None:
    xml = XML.replace("robot0_", "arm_").replace("gripper0_", "claw_")
    other = read_mapping({"format": "maniguard-mapping/1"}, "m.yaml", "")
    assert [e.kind for e in replay(Context().model(xml), simulate(XML, 3), other, {}).scene.entities].count(
        "robot"
    ) == 0
    values = {"name": "panda", "bodies": ["arm_base"], "fingers": ["claw_leftfinger", "claw_rightfinger"]}
    named = read_mapping({"format": "maniguard-mapping/1", "robot": values}, "m.yaml", "")
    robot = replay(Context().model(xml), simulate(XML, 3), named, {}).scene.entity("panda")
    assert robot.kind == "robot"
    assert [part.name for part in robot.parts][-2:] == ["left_finger", "right_finger"]
    wrong = read_mapping({"format": "maniguard-mapping/1", "robot": {"bodies": ["leg"]}}, "m.yaml", "")
    with pytest.raises(AuditError, match=r"m\.yaml\.robot\.bodies: the model has no body 'leg'; it has"):
        replay(Context().model(xml), simulate(XML, 3), wrong, {})


def test_a_bowl_has_room_within_its_outline_and_a_block_has_none(read: Samples) -> None:
    bowl = next(entity for entity in read.scene.entities if entity.name == "akita_black_bowl_1")
    assert bowl.interior is not None
    assert bowl.interior.size_m == pytest.approx((0.032, 0.032, 0.024))
    assert next(entity for entity in read.scene.entities if entity.name == "table").interior is None


def test_the_hull_of_a_thing_is_its_shape(read: Samples) -> None:
    bowl = next(entity for entity in read.scene.entities if entity.name == "akita_black_bowl_1")
    assert bowl.hull is not None
    corners = np.array(bowl.hull.vertices_m)
    assert corners[:, 2].min() == pytest.approx(-0.03)
    assert np.hypot(corners[:, 0], corners[:, 1]).max() == pytest.approx(0.04)
    for face in bowl.hull.faces:
        a, b, c = corners[list(face)]
        assert np.cross(b - a, c - a) @ a > 0


def test_forces_are_declared_recomputed_and_motors_absent(read: Samples) -> None:
    assert read.channels["contact_force"] == ("recomputed", "instantaneous")
    assert read.channels["contacts"] == ("recomputed", "instantaneous")
    assert read.channels["position_m"] == ("measured", "instantaneous")
    assert "action" not in read.channels


def test_a_squeeze_by_motors_that_nobody_recorded_is_found_again() -> None:
    """A block held by a constant force of two fingers: the state alone tells how hard."""
    xml = """
    <mujoco><option timestep="0.002" cone="elliptic" impratio="10"/><worldbody>
      <body name="robot0_base" pos="0 0 1"><geom name="base" type="box" size=".01 .01 .01" pos="0 0 .2"/>
        <body name="gripper0_leftfinger" pos="0 0 0"><joint name="l" type="slide" axis="0 1 0" range="0 .04"/>
          <geom type="box" size=".02 .005 .02" pos="0 .005 0" mass=".02"/></body>
        <body name="gripper0_rightfinger" pos="0 0 0"><joint name="r" type="slide" axis="0 1 0" range="-.04 0"/>
          <geom type="box" size=".02 .005 .02" pos="0 -.005 0" mass=".02"/></body></body>
      <body name="block_main" pos="0 0 1"><freejoint name="b"/><geom type="box" size=".015 .02 .02" mass=".1"/></body>
    </worldbody></mujoco>"""
    model = mujoco.MjModel.from_xml_string(xml)
    data = mujoco.MjData(model)
    data.joint("l").qpos[0], data.joint("r").qpos[0] = 0.0201, -0.0201
    states = []
    for step in range(400):
        data.joint("l").qfrc_applied[0], data.joint("r").qfrc_applied[0] = -12.0, 12.0
        mujoco.mj_step(model, data)
        if step >= 300 and step % 25 == 0:
            states.append(np.concatenate([[data.time], data.qpos, data.qvel]))
    read = replay(model, np.array(states), Mapping(), {})
    assert read.touches is not None
    names = [entity.name for entity in read.scene.entities]
    block = names.index("block")
    held = (read.touches.a[:, 0] == block) | (read.touches.b[:, 0] == block)
    assert held.sum() == 2 * len(states)
    assert np.allclose(read.touches.force_n[held], 12.0, rtol=0.05)


@pytest.mark.parametrize("by", [-1, 1, 5])
def test_states_of_the_wrong_length_are_refused(states: np.ndarray, by: int) -> None:
    wrong = states[:, :by] if by < 0 else np.pad(states, ((0, 0), (0, by)))
    with pytest.raises(AuditError, match=r"the states have \d+ numbers each, the model needs 1 \+ 24 \+ 22 = 47"):
        replay(Context().model(XML), wrong, Mapping(), {})


def test_a_state_with_nan_is_refused_by_number(states: np.ndarray) -> None:
    wrong = states.copy()
    wrong[4, 9] = np.nan
    with pytest.raises(AuditError, match="state 4 holds a number that is none"):
        replay(Context().model(XML), wrong, Mapping(), {})


def test_reading_twice_gives_the_same_to_the_bit(states: np.ndarray, read: Samples) -> None:
    context = Context()
    for _ in range(2):
        again = replay(context.model(XML), states, Mapping(), {})
        assert again.touches is not None
        assert read.touches is not None
        assert np.array_equal(again.touches.force_n, read.touches.force_n)


def test_contacts_that_find_no_room_are_an_error_and_not_left_out() -> None:
    balls = "".join(
        f'<body name="ball{i}_main" pos="0 0 {0.001 * i}"><freejoint/><geom type="sphere" size="0.1"/></body>'
        for i in range(20)
    )
    model = mujoco.MjModel.from_xml_string(
        f'<mujoco><size memory="60K"/><worldbody><geom type="plane" size="1 1 1"/>{balls}</worldbody></mujoco>'
    )
    data = mujoco.MjData(model)
    states = np.array([[t, *data.qpos, *data.qvel] for t in (0.0, 0.05)])
    with pytest.raises(AuditError, match="MuJoCo warns while the states are read: Too many contacts"):
        replay(model, states, Mapping(), {})
