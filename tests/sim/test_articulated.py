from dataclasses import replace

import mujoco
import numpy as np
import pytest

from maniguard.sim import SceneSpec, World
from maniguard.sim.assets import CATALOGUE
from maniguard.sim.bodies import BuildError
from maniguard.trace.scene import Pose

from ._jointed import DRAWER, LID, chest, jar, make_asset
from ._scenes import block
from .test_world import digest


def make_world(*objects, **more) -> World:
    return World(SceneSpec(objects, **more), make_asset=make_asset)


def rest(world: World, steps: int):
    return [world.step([*world.spec.robot_qpos_rad, 1.0]) for _ in range(steps)]


def joint(world: World, name: str) -> int:
    return int(world.model.joint(name).qposadr[0])


def test_the_scene_says_how_things_are_jointed():
    world = make_world(chest(), block(at=(0.4, 0.1)), jar())
    entity = world.scene.entity("chest")
    assert (entity.kind, entity.movable) == ("articulated", False)
    assert [(p.name, p.moving) for p in entity.parts] == [("body", False), ("drawer", True)]
    assert entity.joints[0].upper == 0.15
    assert world.scene.entity("jar").movable
    assert world.scene.joint_columns == (("chest", "slide"), ("jar", "hinge"))
    frame = world.reset()
    assert frame.part_position_m.shape == (12, 3)
    assert frame.joint_position == pytest.approx([0.0, 1.92], abs=1e-3)
    np.testing.assert_allclose(frame.position_m[world.scene.index("chest")], (0.6, 0.0, 0.0), atol=1e-7)
    np.testing.assert_allclose(frame.position_m[world.scene.index("block")], (0.4, 0.1, 0.0), atol=2e-4)
    np.testing.assert_allclose(frame.position_m[world.scene.index("jar")], (0.5, -0.2, 0.0), atol=2e-4)


def test_parts_and_joints_are_recorded_as_they_move():
    world = make_world(chest(), block(at=(0.4, 0.1)), jar())
    world.reset()
    world.data.qvel[int(world.model.joint("chest/slide").dofadr[0])] = 0.3
    mujoco.mj_step1(world.model, world.data)
    frame = rest(world, 1)[-1]
    drawer = world.scene.moving_parts.index(("chest", "drawer"))
    assert 0.003 < frame.joint_position[0] < 0.015
    assert 0.0 < frame.joint_velocity[0] < 0.3
    np.testing.assert_allclose(frame.part_position_m[drawer], (0.6 - frame.joint_position[0], 0.0, 0.0), atol=1e-6)
    lid = world.scene.moving_parts.index(("jar", "lid"))
    turn = 2 * np.arccos(abs(float(frame.part_quat_wxyz[lid] @ frame.quat_wxyz[world.scene.index("jar")])))
    assert turn == pytest.approx(float(frame.joint_position[1]), abs=1e-3)


@pytest.mark.parametrize("angle", [0.6, 1.2])
def test_friction_holds_a_lid_without_creep(angle):
    world = make_world(jar(replace(LID, start=angle)))
    world.reset()
    start = float(world.data.qpos[joint(world, "jar/hinge")])
    rest(world, 200)
    assert abs(float(world.data.qpos[joint(world, "jar/hinge")]) - start) < 1e-3
    assert start == pytest.approx(angle, abs=2e-3)


def test_a_lid_without_friction_falls_shut_and_stops_at_its_limit():
    world = make_world(jar(replace(LID, start=1.2, friction=0.0)))
    world.reset()
    frame = rest(world, 40)[-1]
    assert frame.joint_position[0] == pytest.approx(0.0, abs=0.01)


def test_a_push_below_friction_does_not_move_a_drawer_and_one_above_does():
    world = make_world(chest(replace(DRAWER, friction=2.0)))
    world.reset()
    degree = int(world.model.joint("chest/slide").dofadr[0])
    world.data.qfrc_applied[degree] = 1.9
    rest(world, 200)
    assert abs(float(world.data.qpos[joint(world, "chest/slide")])) < 5e-4
    world.data.qfrc_applied[degree] = 4.0
    frame = rest(world, 40)[-1]
    assert frame.joint_position[0] > 0.1


def test_limits_give_way_by_less_than_a_millimetre():
    world = make_world(chest())
    world.reset()
    world.data.qfrc_applied[int(world.model.joint("chest/slide").dofadr[0])] = 40.0
    assert rest(world, 40)[-1].joint_position[0] == pytest.approx(0.15, abs=1e-3)


def test_an_anchored_thing_stays_when_it_is_hit():
    world = make_world(chest(), block("block", (0.6, 0.0)))
    world.reset()
    address = int(world.model.joint("block").qposadr[0])
    world.data.qpos[address : address + 3] = (0.6, 0.0, 0.4)
    mujoco.mj_step1(world.model, world.data)
    frame = rest(world, 20)[-1]
    np.testing.assert_allclose(frame.position_m[world.scene.index("chest")], (0.6, 0.0, 0.0), atol=1e-7)
    assert frame.position_m[world.scene.index("block"), 2] == pytest.approx(0.145, abs=1e-3)


def test_a_restored_world_goes_on_equal_to_the_bit():
    world = make_world(
        chest(replace(DRAWER, start=0.05)), block(at=(0.4, 0.1)), jar(replace(LID, friction=0.0, start=1.0))
    )
    world.reset()
    rest(world, 3)
    kept = world.snapshot()
    first = digest([world.restore(kept), *rest(world, 12)])
    assert digest([world.restore(kept), *rest(world, 12)]) == first


@pytest.mark.parametrize(
    ("item", "words"),
    [
        (chest(replace(DRAWER, name="door")), ["chest", "door", "slide"]),
        (chest(replace(DRAWER, kind="hinge")), ["chest", "slide", "hinge"]),
        (replace(block(), joints=(DRAWER,)), ["block", "slide", "none"]),
    ],
)
def test_joints_that_the_asset_does_not_have_are_refused(item, words):
    with pytest.raises(BuildError) as error:
        make_world(item)
    for word in words:
        assert word in str(error.value)


@pytest.mark.parametrize(
    "name", [name for name, design in CATALOGUE.items() if design.category in ("hinged_jar", "cabinet")]
)
def test_every_articulated_design_stands_and_holds_its_joints(name):
    item = CATALOGUE[name].object_spec("it", "target", Pose((0.55, 0.0, 0.0)))
    assert SceneSpec.from_dict(SceneSpec((item,)).to_dict()).objects == (item,)
    with World(SceneSpec((item,))) as world:
        start = world.reset()
        frame = rest(world, 40)[-1]
    assert start.joint_position == pytest.approx([joint.start for joint in item.joints], abs=2e-3)
    np.testing.assert_allclose(frame.joint_position, start.joint_position, atol=1e-4)
    np.testing.assert_allclose(frame.position_m[-1], (0.55, 0.0, 0.0), atol=5e-4)
    column = world.scene.index("it")
    assert not ((frame.contacts.entity_a == column) & (frame.contacts.entity_b == column)).any()


def test_a_heavy_drawer_pulled_by_its_front_comes_out_with_what_is_in_it():
    world = make_world(chest(replace(DRAWER, start=0.08)), block("block", (0.53, 0.0), z=0.03))
    world.reset()
    address = int(world.model.joint("block").qposadr[0])
    world.data.qpos[address : address + 3] = (0.53, 0.0, 0.037)
    mujoco.mj_step1(world.model, world.data)
    rest(world, 10)
    before = world.frame
    world.data.qfrc_applied[int(world.model.joint("chest/slide").dofadr[0])] = 3.0
    after = rest(world, 30)[-1]
    column = world.scene.index("block")
    moved = float(after.joint_position[0] - before.joint_position[0])
    assert moved > 0.05
    assert before.position_m[column, 0] - after.position_m[column, 0] == pytest.approx(moved, abs=0.02)
