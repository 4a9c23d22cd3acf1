import hashlib
import os
import subprocess
import sys
from dataclasses import fields, replace
from pathlib import Path

import mujoco
import numpy as np
import pytest

from maniguard.sim import ActionError, RoomSpec, SimulationFault, World
from maniguard.trace.frame import CONTACT_FIELDS, FRAME_FIELDS, Frame

from ._scenes import arm_at, block, can, make_asset, move, scene, wait

TESTS = Path(__file__).parents[1]


def digest(frames: list[Frame]) -> str:
    """Return the sha256 over every array of every frame."""
    sha = hashlib.sha256()
    for frame in frames:
        for owner, names in ((frame, FRAME_FIELDS), (frame.contacts, CONTACT_FIELDS)):
            for name in names:
                sha.update(np.ascontiguousarray(getattr(owner, name)).tobytes())
    return sha.hexdigest()


def make_world(*objects) -> World:
    return World(scene(*objects), make_asset=make_asset)


def stir(world: World, steps: int = 40) -> list[Frame]:
    """Push things about, the same way every time."""
    rng = np.random.default_rng(7)
    frames = [world.reset()]
    start = arm_at(world, (0.45, 0.05, 0.06))
    frames += move(world, start, 0.0, 20)
    for _ in range(steps):
        frames.append(world.step(np.append(start + rng.normal(0, 0.06, 7), rng.random())))
    return frames


def test_equal_worlds_and_resets_give_equal_bytes():
    world = make_world()
    first = digest(stir(world))
    assert digest(stir(world)) == first
    assert digest(stir(make_world())) == first


def test_another_process_gives_equal_bytes():
    code = "from sim.test_world import *; print(digest(stir(make_world())))"
    environment = {**os.environ, "PYTHONPATH": str(TESTS)}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment, check=True)
    assert done.stderr == ""
    assert done.stdout.split()[-1] == digest(stir(make_world()))


def test_a_restored_world_goes_on_equal_to_the_bit():
    world = make_world()
    stir(world, 10)
    kept = world.snapshot()
    rng = np.random.default_rng(1)
    actions = [np.append(kept.command.position_rad + rng.normal(0, 0.1, 7), 0.3) for _ in range(25)]
    first = [world.restore(kept)] + [world.step(a) for a in actions]
    second = [world.restore(kept)] + [world.step(a) for a in actions]
    assert digest(first) == digest(second)
    other = make_world()
    assert digest([other.restore(kept)] + [other.step(a) for a in actions]) == digest(first)


def test_pictures_between_steps_change_nothing():
    plain = digest(stir(make_world(), 10))
    world = make_world()
    original = world.step

    def step_and_look(action):
        frame = original(action)
        world.render("overview", size=64)
        return frame

    world.step = step_and_look
    try:
        assert digest(stir(world, 10)) == plain
    finally:
        world.close()


def test_looks_do_not_touch_physics():
    plain = scene()
    dressed = replace(
        plain,
        objects=tuple(replace(o, appearance={"shade": 0.1, "meshes": 3}, role="target") for o in plain.objects),
        goal=None,
        room=RoomSpec("kitchen"),
    )
    assert dressed.physics_dict() == plain.physics_dict()
    assert digest(stir(World(dressed, make_asset=make_asset))) == digest(stir(World(plain, make_asset=make_asset)))


def test_frame_zero_is_the_settled_start():
    world = make_world()
    frame = world.reset()
    assert frame.time_s == 0.0
    assert np.isnan(frame.action).all()
    assert np.abs(frame.linear_m_s).max() < 1e-3
    np.testing.assert_allclose(frame.robot_qpos_rad, world.spec.robot_qpos_rad, atol=1e-4)
    np.testing.assert_allclose(frame.gripper_opening_m, 0.08, atol=1e-4)
    for item in world.spec.objects:
        column = world.scene.index(item.name)
        np.testing.assert_allclose(frame.position_m[column], item.world_T_object.position_m, atol=2e-4)
    pairs = {
        (world.scene.entities[a].name, world.scene.entities[b].name)
        for a, b in zip(frame.contacts.entity_a, frame.contacts.entity_b, strict=True)
    }
    assert pairs == {("table", "block"), ("table", "can")}


def test_time_advances_by_control_steps():
    world = make_world()
    world.reset()
    times = [f.time_s for f in wait_at_start(world, 7)]
    assert times == pytest.approx([0.05 * i for i in range(1, 8)])


def wait_at_start(world, steps):
    return [world.step([*world.spec.robot_qpos_rad, 1.0]) for _ in range(steps)]


def test_columns_follow_the_scene():
    world = make_world()
    names = [e.name for e in world.scene.entities]
    assert names == ["table", "floor", "panda", "block", "can"]
    panda = world.scene.entity("panda")
    assert [p.name for p in panda.parts] == [
        "body", *(f"link{i}" for i in range(1, 8)), "hand", "left_finger", "right_finger"
    ]  # fmt: skip
    frame = world.reset()
    assert frame.position_m.shape == (5, 3)
    assert frame.part_position_m.shape == (len(world.scene.moving_parts), 3) == (10, 3)
    expected = {f.name: None for f in fields(Frame)}
    assert set(world.channels) >= set(expected) - {"contacts"}


def test_stored_types_are_those_of_the_trace():
    frame = make_world().step(np.zeros(8) - 1)
    for name in FRAME_FIELDS:
        value = getattr(frame, name)
        if isinstance(value, np.ndarray):
            assert value.dtype in (np.float32, np.int32), name
    assert frame.contacts.entity_a.dtype == np.int16
    assert frame.contacts.peak_force_n.dtype == np.float32


def test_angular_velocity_is_in_world_axes():
    world = make_world(block(z=0.03))
    world.reset()
    column, joint = world.scene.index("block"), world.model.joint("block")
    place, address = int(joint.qposadr[0]), int(joint.dofadr[0])
    tilted = np.array([np.cos(0.4), 0.0, np.sin(0.4), 0.0])
    world.data.qpos[place + 2] = 0.5
    world.data.qpos[place + 3 : place + 7] = tilted
    in_world = np.array([0.0, 0.0, 3.0])
    matrix = np.empty(9)
    mujoco.mju_quat2Mat(matrix, tilted)
    world.data.qvel[address + 3 : address + 6] = matrix.reshape(3, 3).T @ in_world
    mujoco.mj_step1(world.model, world.data)
    frame = world.step([*world.spec.robot_qpos_rad, 1.0])
    turned = frame.angular_rad_s[column]
    matrix_after = np.empty(9)
    mujoco.mju_quat2Mat(matrix_after, frame.quat_wxyz[column].astype(float))
    body = world.data.qvel[address + 3 : address + 6]
    np.testing.assert_allclose(turned, matrix_after.reshape(3, 3) @ body, atol=1e-5)
    np.testing.assert_allclose(turned, in_world, atol=0.2)


def test_the_fastest_descent_of_any_substep_is_kept():
    world = make_world(block(mass_kg=0.2))
    world.reset()
    world.data.qpos[int(world.model.joint("block").qposadr[0]) + 2] = 0.08
    mujoco.mj_step1(world.model, world.data)
    frames = wait_at_start(world, 6)
    column = world.scene.index("block")
    peaks = [float(f.peak_descent_m_s[column]) for f in frames]
    # It falls 8 cm in 0.128 s: the landing lies in the middle of the third control step.
    assert max(peaks) == pytest.approx(np.sqrt(2 * 9.81 * 0.08), rel=0.02)
    landing = int(np.argmax(peaks))
    assert -float(frames[landing].linear_m_s[column, 2]) < 0.5 * peaks[landing]


def test_the_arm_follows_a_smooth_command_without_lag():
    world = make_world()
    world.reset()
    target = arm_at(world, (0.5, -0.2, 0.25))
    start = np.array(world.spec.robot_qpos_rad)
    worst = 0.0
    for i in range(1, 41):
        share = i / 40
        share = share * share * (3 - 2 * share)
        wanted = start + share * (target - start)
        frame = world.step([*wanted, 1.0])
        worst = max(worst, float(np.abs(frame.robot_qpos_rad - wanted).max()))
        assert frame.action_saturated == 0
    assert worst < 0.004
    settled = wait(world, 1.0, 10)[-1]
    np.testing.assert_allclose(settled.tcp_position_m, (0.5, -0.2, 0.25), atol=5e-4)


def test_saturation_is_counted_for_a_jump():
    world = make_world()
    world.reset()
    jump = np.array(world.spec.robot_qpos_rad) + 0.8
    assert world.step([*jump, 1.0]).action_saturated == 7 * 25


@pytest.mark.parametrize("item", [block("held"), block("held", mass_kg=0.6), can("held", (0.5, 0.0), height=0.07)])
def test_a_friction_grasp_lifts_and_holds(item):
    world = make_world(item)
    world.reset()
    above, down = arm_at(world, (0.5, 0.0, 0.2)), arm_at(world, (0.5, 0.0, 0.035))
    move(world, above, 1.0, 30)
    move(world, down, 1.0, 25)
    wait(world, 0.0, 14)
    move(world, above, 0.0, 25)
    column = world.scene.index("held")
    before = wait(world, 0.0, 10)[-1]
    after = wait(world, 0.0, 60)[-1]
    assert after.position_m[column, 2] > 0.155
    np.testing.assert_allclose(after.position_m[column], before.position_m[column], atol=1e-3)
    contacts = after.contacts
    parts = [p.name for p in world.scene.entity("panda").parts]
    fingers = {
        parts[part]: (contacts.normal[row], contacts.peak_force_n[row])
        for row, part in enumerate(contacts.part_a)
        if contacts.entity_b[row] == column
    }
    assert set(fingers) == {"left_finger", "right_finger"}
    (left, left_force), (right, right_force) = fingers["left_finger"], fingers["right_finger"]
    assert left @ right < -0.99
    assert left_force <= 35.5
    assert right_force <= 35.5


def test_closing_on_nothing_ends_closed():
    world = make_world()
    world.reset()
    for _ in range(20):
        frame = world.step([*world.spec.robot_qpos_rad, 0.0])
    assert frame.gripper_opening_m == pytest.approx(0.0, abs=2e-3)
    for _ in range(20):
        frame = world.step([*world.spec.robot_qpos_rad, 0.5])
    assert frame.gripper_opening_m == pytest.approx(0.04, abs=1e-3)


@pytest.mark.parametrize("bad", [[0.0] * 7, [np.nan] * 8])
def test_bad_actions_are_refused_and_change_nothing(bad):
    world = make_world()
    world.reset()
    before = world.snapshot()
    with pytest.raises(ActionError):
        world.step(bad)
    np.testing.assert_array_equal(world.snapshot().physics, before.physics)


@pytest.mark.parametrize("poison", [np.nan, 1e6])
def test_a_blow_up_is_a_fault_and_leaves_no_litter(poison, tmp_path, monkeypatch, capfd):
    monkeypatch.chdir(tmp_path)
    world = make_world()
    good = world.reset()
    world.data.qvel[int(world.model.joint("block").dofadr[0])] = poison
    with pytest.raises(SimulationFault, match="block"):
        wait_at_start(world, 1)
    assert list(tmp_path.iterdir()) == []
    assert capfd.readouterr() == ("", "")
    assert digest([world.reset()]) == digest([good])


def test_owners_are_known_for_everything_that_collides():
    world = make_world()
    for geom in range(world.model.ngeom):
        collides = bool(world.model.geom_contype[geom] or world.model.geom_conaffinity[geom])
        assert (world.owner(geom) is not None) == collides
    assert world.owner(world.model.geom("panda/left_finger_pad").id) == ("panda", "left_finger")
    assert world.owner(world.model.geom("table/top").id) == ("table", "body")


def test_physics_needs_no_opengl():
    code = (
        "import sys; from sim.test_world import *; w = make_world(); w.reset(); wait_at_start(w, 3);"
        "print(any(m.split('.')[0] == 'OpenGL' for m in sys.modules))"
    )
    environment = {**os.environ, "PYTHONPATH": str(TESTS), "MUJOCO_GL": "disable"}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment, check=True)
    assert done.stdout.split()[-1] == "False"
    assert done.stderr == ""
