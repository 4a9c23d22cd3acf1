import json
from dataclasses import replace

import mujoco
import numpy as np
import pytest

from maniguard.sim import SceneSpec, World, fill
from maniguard.sim.bodies import BuildError
from maniguard.sim.grains import _ball
from maniguard.trace.scene import Pose

from ._liquid import Holder, container, filled, liquid
from ._scenes import arm_at, block, can, make_asset, move, wait
from .test_world import digest


def rest(world: World, steps: int):
    return [world.step([*world.spec.robot_qpos_rad, 1.0]) for _ in range(steps)]


def total(frame) -> int:
    return int(frame.grains_inside[0] + frame.grains_air[0] + frame.grains_lost[0])


def test_a_filled_cup_stands_still():
    spec = filled()
    world = World(spec)
    frames = [world.reset(), *rest(world, 20)]
    count = len(spec.liquids[0].radii_m)
    assert count >= 40
    assert all(f.grains_inside.tolist() == [count] and total(f) == count for f in frames)
    assert frames[0].grains_inside.dtype == np.int32
    assert [(g.container, g.count) for g in world.scene.grain_groups] == [("cup", count)]
    np.testing.assert_allclose(world.grain_positions_m("cup"), spec.liquids[0].positions_m, atol=1e-3)
    assert np.abs(frames[-1].linear_m_s).max() < 1e-3


@pytest.mark.parametrize("name", ["mug-classic", "tea-beaker", "teacup-flared", "bowl-cereal"])
def test_twenty_degrees_lose_nothing_and_seventy_a_third(name):
    holder = Holder(World(filled(name)))
    count = len(liquid(name).radii_m)
    for angle in (10, 20):
        frame = holder.tilt(angle)
        assert (int(frame.grains_inside[0]), total(frame)) == (count, count)
    frame = holder.tilt(70, wait_s=1.5)
    assert total(frame) == count
    assert int(frame.grains_inside[0]) <= count * 2 / 3
    assert int(frame.grains_lost[0]) >= count / 4


def test_what_falls_is_in_the_air_and_then_lost():
    world = World(filled())
    world.reset()
    first = int(world.model.joint("cup/grain0/x").qposadr[0])
    world.data.qpos[first : first + 3] = (0.3, 0.3, 0.3)
    mujoco.mj_step1(world.model, world.data)
    frames = rest(world, 20)
    count = len(liquid().radii_m)
    counts = [(int(f.grains_inside[0]), int(f.grains_air[0]), int(f.grains_lost[0])) for f in frames]
    assert counts[0] == (count - 1, 1, 0)
    assert counts[-1] == (count - 1, 0, 1)
    # A drop on the table stays where it fell.
    place = world.data.qpos[first : first + 3]
    np.testing.assert_allclose(place[:2], (0.3, 0.3), atol=5e-3)
    assert np.abs(world.data.qvel[int(world.model.joint("cup/grain0/x").dofadr[0])]) < 1e-4


def test_grains_do_not_appear_among_the_contacts():
    with_liquid, without = World(filled("mug-classic", can())), World(SceneSpec((container(), can())))
    wet, dry = with_liquid.reset(), without.reset()
    pairs = [
        set(zip(c.entity_a.tolist(), c.part_a.tolist(), c.entity_b.tolist(), strict=True))
        for c in (wet.contacts, dry.contacts)
    ]
    assert pairs[0] == pairs[1] != set()
    assert wet.contacts.at_end.all()
    cup = with_liquid.scene.index("cup")
    forces = [c.peak_force_n[(c.entity_b == cup) & (c.entity_a == 0)].sum() for c in (wet.contacts, dry.contacts)]
    grains = sum(4 / 3 * np.pi * r**3 * 1000.0 * 9.81 for r in liquid().radii_m)
    assert forces[0] - forces[1] == pytest.approx(grains, rel=0.15)


def test_equal_worlds_and_restored_ones_give_equal_bytes():
    world = World(filled())

    def knock(stage: World):
        stage.data.qvel[int(stage.model.joint("cup").dofadr[0])] = 0.8
        mujoco.mj_step1(stage.model, stage.data)
        return rest(stage, 12)

    first = digest([world.reset(), *knock(world)])
    assert digest([world.reset(), *knock(world)]) == first
    other = World(SceneSpec.from_dict(json.loads(json.dumps(filled().to_dict()))))
    assert digest([other.reset(), *knock(other)]) == first
    kept = world.snapshot()
    ahead = digest(rest(world, 6))
    world.reset()
    world.restore(kept)
    assert digest(rest(world, 6)) == ahead


@pytest.mark.parametrize("name", ["tea-beaker", "tumbler"])
def test_a_hand_carries_a_full_cup_without_loss(name):
    world = World(filled(name))
    world.reset()
    height = world.scene.entity("cup").rim.pose.position_m[2] - 0.02
    move(world, arm_at(world, (0.5, 0.0, 0.22)), 1.0, 30)
    move(world, arm_at(world, (0.5, 0.0, height)), 1.0, 25)
    wait(world, 0.0, 14)
    frames = move(world, arm_at(world, (0.5, 0.0, 0.2)), 0.0, 25)
    frames += move(world, arm_at(world, (0.45, 0.22, 0.2)), 0.0, 40)
    cup, count = world.scene.index("cup"), len(liquid(name).radii_m)
    assert all(f.grains_inside.tolist() == [count] for f in frames)
    np.testing.assert_allclose(frames[-1].position_m[cup, :2], (0.45, 0.22), atol=2e-3)
    assert frames[-1].position_m[cup, 2] > 0.1


def test_a_fast_stop_spills():
    world = World(filled())
    world.reset()
    first = int(world.model.joint("cup/grain0/x").dofadr[0])
    world.data.qvel[first::3] = 1.2
    mujoco.mj_step1(world.model, world.data)
    frames = rest(world, 30)
    count = len(liquid().radii_m)
    assert all(total(f) == count for f in frames)
    assert int(frames[-1].grains_inside[0]) < count


def test_filling_is_reproducible_and_stays_below_the_rim():
    one, other = (fill(container("tea-beaker"), rng=np.random.default_rng(5), count=40) for _ in range(2))
    assert one == other
    world = World(SceneSpec((container("tea-beaker"),), liquids=(one,)))
    rim = world.scene.entity("cup").rim.pose.position_m[2]
    assert rim - one.level_m == pytest.approx(0.005, abs=1e-3)
    assert len(set(one.radii_m)) == 3
    assert world.scene.grain_groups[0].level_m == one.level_m


def test_a_turned_container_keeps_its_grains():
    spec = filled()
    pose = Pose((0.45, 0.1, 0.0), (np.cos(0.6), 0.0, 0.0, np.sin(0.6)))
    turned = World(replace(spec, objects=(replace(spec.objects[0], world_T_object=pose),)))
    frame = turned.reset()
    assert int(frame.grains_inside[0]) == len(liquid().radii_m)
    np.testing.assert_allclose(turned.grain_positions_m("cup"), liquid().positions_m, atol=1.5e-3)


def test_what_cannot_hold_liquid_is_refused():
    with pytest.raises(BuildError, match=r"'block'.*no inside"):
        fill(block(), rng=np.random.default_rng(0), make_asset=make_asset)
    with pytest.raises(BuildError, match="too shallow"):
        fill(container("bowl-small"), rng=np.random.default_rng(0), count=160, freeboard_m=0.03)
    spec = filled()
    with pytest.raises(BuildError, match=r"floor_m 0.5"):
        World(replace(spec, liquids=(replace(liquid(), floor_m=0.5, level_m=0.6),)))
    with pytest.raises(BuildError, match="#rrggbb"):
        World(replace(spec, liquids=(replace(liquid(), appearance={"color": "blue"}),)))
    with pytest.raises(BuildError, match=r"'mug'.*cup"):
        World(spec).grain_positions_m("mug")


def test_looks_do_not_touch_physics():
    plain = filled()
    painted = replace(plain, liquids=(replace(liquid(), appearance={"color": "#8a3b12"}),))
    assert painted.physics_dict() == plain.physics_dict()
    one, other = World(plain), World(painted)
    assert digest([one.reset(), *rest(one, 5)]) == digest([other.reset(), *rest(other, 5)])
    picture = [w.render("overview", size=128) for w in (one, other)]
    assert (picture[0] != picture[1]).any()
    one.close()
    other.close()


def test_the_drawn_ball_is_closed_and_round():
    points, faces = _ball(0.5)
    assert faces.shape == (80, 3)
    np.testing.assert_allclose(np.linalg.norm(points, axis=1), 0.5)
    a, b, c = (points[faces[:, k]] for k in range(3))
    volume = np.einsum("ij,ij->i", a, np.cross(b, c)).sum() / 6
    assert 0.85 < volume / (4 / 3 * np.pi * 0.125) < 1.0
