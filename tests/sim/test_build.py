from dataclasses import replace

import mujoco
import numpy as np
import pytest

from maniguard.sim import AssetSpec, SceneSpec, TableSpec, World
from maniguard.sim.assets import CATALOGUE, AssetError
from maniguard.trace.scene import Pose

from ._scenes import block, can, make_asset, scene


@pytest.fixture(scope="module")
def world():
    names = ("mug-classic", "bottle-wine", "wine-glass-white", "bowl-cereal")
    objects = [
        CATALOGUE[name].object_spec(name, "obstacle", Pose((0.35 + 0.1 * (i % 2), -0.2 + 0.2 * i, 0.0)))
        for i, name in enumerate(names)
    ]
    return World(replace(scene(block()), objects=tuple(objects)))


def test_objects_of_the_catalogue_stand_still(world):
    start = world.reset()
    for _ in range(20):
        frame = world.step([*world.spec.robot_qpos_rad, 1.0])
    for item in world.spec.objects:
        column = world.scene.index(item.name)
        np.testing.assert_allclose(start.position_m[column], item.world_T_object.position_m, atol=5e-4)
        np.testing.assert_allclose(frame.position_m[column], start.position_m[column], atol=1e-4)


def test_only_matter_collides(world):
    model = world.model
    for geom in range(model.ngeom):
        collides = bool(model.geom_contype[geom] or model.geom_conaffinity[geom])
        assert collides == (model.geom_group[geom] == 3)
        if not collides:
            body = model.body(int(model.geom_bodyid[geom])).name
            assert body.endswith("/looks") or body.startswith("panda/") or body in ("room", "world"), body


def test_solver_settings(world):
    option = world.model.opt
    assert option.timestep == 0.002
    assert int(option.cone) == int(mujoco.mjtCone.mjCONE_ELLIPTIC)
    assert option.impratio == 10
    assert int(option.integrator) == int(mujoco.mjtIntegrator.mjINT_IMPLICITFAST)
    assert not int(option.enableflags) & int(mujoco.mjtEnableBit.mjENBL_SLEEP)
    touchable = world.model.geom_group == 3
    np.testing.assert_allclose(world.model.geom_solref[touchable], [[0.005, 1.0]] * touchable.sum())


def test_mass_friction_and_inertia_are_the_descriptions():
    item = block(mass_kg=0.37)
    item = replace(item, friction=(0.61, 0.004, 0.0002))
    model = World(scene(item), make_asset=make_asset).model
    body = model.body("block")
    assert body.mass[0] == pytest.approx(0.37)
    np.testing.assert_allclose(sorted(body.inertia), sorted(0.37 / 12 * np.array([0.0061, 0.0061, 0.005])), rtol=1e-6)
    geom = int(body.geomadr[0])
    np.testing.assert_allclose(model.geom_friction[geom], (0.61, 0.004, 0.0002))


def test_the_entities_say_where_the_table_is():
    spec = replace(scene(can()), table=TableSpec(center_m=(0.35, 0.05), size_m=(1.0, 0.9), height_m=0.7))
    world = World(spec, make_asset=make_asset)
    frame = world.reset()
    table, floor = world.scene.entity("table"), world.scene.entity("floor")
    assert table.boxes[0].half_size_m == (0.5, 0.45, 0.02)
    np.testing.assert_allclose(frame.position_m[world.scene.index("table")], (0.35, 0.05, 0.0), atol=1e-7)
    np.testing.assert_allclose(frame.position_m[world.scene.index("floor")], (0.0, 0.0, -0.7), atol=1e-7)
    assert floor.support_regions
    assert not table.movable
    assert world.scene.entity("can").movable


def test_what_falls_off_the_table_lands_on_the_floor():
    world = World(scene(can(at=(0.5, 0.7))), make_asset=make_asset)
    frame = world.reset()
    for _ in range(15):
        frame = world.step([*world.spec.robot_qpos_rad, 1.0])
    pairs = {
        (world.scene.entities[a].name, world.scene.entities[b].name)
        for a, b in zip(frame.contacts.entity_a, frame.contacts.entity_b, strict=True)
    }
    assert ("floor", "can") in pairs
    assert frame.position_m[world.scene.index("can"), 2] < -0.6


def test_a_scene_needs_no_goal_and_no_objects():
    world = World(SceneSpec(()))
    frame = world.reset()
    assert len(frame.contacts) == 0
    assert world.scene.goal is None
    assert world.step([*world.spec.robot_qpos_rad, 0.0]).position_m.shape == (3, 3)


def test_an_unknown_asset_is_named():
    unknown = replace(block(), asset=AssetSpec("anvil"))
    with pytest.raises(AssetError, match="anvil"):
        World(scene(unknown))
