from dataclasses import replace

import mujoco
import numpy as np
import pytest

from maniguard.sim import SceneSpec, World
from maniguard.sim.bodies import BuildError

from ._jointed import WALL, dusty_tray, make_asset


def make_world(pressure_pa: float = 100.0) -> World:
    tray, sponge, dust = dusty_tray(pressure_pa=pressure_pa)
    return World(SceneSpec((tray, sponge), dust=(dust,)), make_asset=make_asset)


class Wiper:
    """Moves the sponge over the tray and presses it down with a force."""

    def __init__(self, world: World) -> None:
        self.world = world
        world.reset()
        joint = world.model.joint("sponge")
        self.place, self.speed = int(joint.qposadr[0]), int(joint.dofadr[0])
        self.body = int(world.model.body("sponge").id)

    def put(self, x: float, y: float, z: float = WALL, quat=(1.0, 0.0, 0.0, 0.0)) -> None:
        data = self.world.data
        data.qpos[self.place : self.place + 3] = (0.45 + x, 0.2 + y, z)
        data.qpos[self.place + 3 : self.place + 7] = quat
        data.qvel[self.speed : self.speed + 6] = 0.0
        mujoco.mj_step1(self.world.model, data)

    def press(self, force_n: float, steps: int = 4):
        """Press for some control steps and return the last frame; its own weight comes on top."""
        self.world.data.xfrc_applied[self.body, 2] = -force_n
        frames = [self.world.step([*self.world.spec.robot_qpos_rad, 1.0]) for _ in range(steps)]
        self.world.data.xfrc_applied[self.body] = 0.0
        return frames[-1]


def left(frame) -> int:
    return int(frame.dust_left[0])


def test_dust_lies_where_it_is_until_it_is_wiped():
    world = make_world(pressure_pa=1000.0)
    wiper = Wiper(world)
    assert left(world.frame) == 100
    assert [(g.surface, g.count) for g in world.scene.dust_groups] == [("tray", 100)]
    # 0.4 N of its own weight over 54 cm2 are 73 Pa; with 3 N more 630 Pa: both too little for 1000 Pa.
    assert left(wiper.press(0.0)) == 100
    assert left(wiper.press(3.0)) == 100
    # 8 N more are 1550 Pa: everything under the sponge goes, and nothing else.
    frame = wiper.press(8.0)
    x, y = (np.array(world.spec.dust[0].positions_m)[:, k] for k in range(2))
    under = (np.abs(x + 0.05) <= 0.045 + 0.002) & (np.abs(y) <= 0.03 + 0.002)
    assert left(frame) == 100 - int(under.sum())
    assert 20 <= under.sum() <= 40


def test_strokes_clean_what_they_pass_over():
    wiper = Wiper(make_world())
    for y in (-0.045, 0.0, 0.045):
        for x in np.linspace(-0.06, 0.06, 7):
            wiper.put(float(x), y)
            frame = wiper.press(2.0, steps=2)
    assert left(frame) == 0


def test_a_sponge_on_its_edge_wipes_a_line_and_needs_less_force():
    wiper = Wiper(make_world(pressure_pa=1000.0))
    world = wiper.world
    half = np.deg2rad(30.0) / 2
    flat = wiper.press(3.0)
    assert left(flat) == 100
    # Its lower edge lies along x on a row of particles: there, 3 N are enough.
    wiper.put(0.0, 0.0061 + 0.03 * float(np.cos(2 * half)), WALL + 0.015, (np.cos(half), np.sin(half), 0.0, 0.0))
    world._dust.wipe(flat.contacts)
    gone = ~world._dust.left
    positions = np.array(world.spec.dust[0].positions_m)[gone]
    assert 4 <= gone.sum() <= 10
    assert np.ptp(positions[:, 1]) < 0.013
    assert np.ptp(positions[:, 0]) > 0.06


def test_nothing_else_wipes():
    tray, sponge, dust = dusty_tray()
    other = replace(sponge, name="rag", world_T_object=replace(sponge.world_T_object, position_m=(0.8, 0.4, 0.0)))
    world = World(SceneSpec((tray, sponge, other), dust=(replace(dust, wipers=("rag",)),)), make_asset=make_asset)
    assert left(Wiper(world).press(8.0)) == 100


def test_the_mask_is_part_of_a_snapshot_and_of_a_reset():
    world = make_world()
    wiper = Wiper(world)
    before = world.snapshot()
    wiped = left(wiper.press(5.0))
    assert wiped < 100
    after = world.snapshot()
    assert left(world.restore(before)) == 100
    assert left(world.step([*world.spec.robot_qpos_rad, 1.0])) == 100
    world.restore(after)
    assert left(world.step([*world.spec.robot_qpos_rad, 1.0])) == wiped
    assert left(world.reset()) == 100
    assert before.dust.all()
    assert not after.dust.all()


def test_pictures_show_what_is_left_and_change_nothing():
    world = make_world()
    wiper = Wiper(world)
    dusty = world.render("overview", size=128)
    wiper.put(-0.05, 0.0)
    wiper.press(5.0)
    wiper.put(-0.05, 0.0, 0.6)
    cleaner = world.render("overview", size=128)
    assert (dusty != cleaner).any()
    world.reset()
    np.testing.assert_array_equal(world.render("overview", size=128), dusty)
    world.close()


def test_a_colour_that_is_none_is_refused():
    tray, sponge, dust = dusty_tray()
    with pytest.raises(BuildError, match=r"'tray'.*#rrggbb"):
        World(SceneSpec((tray, sponge), dust=(replace(dust, appearance={"color": "grey"}),)), make_asset=make_asset)
