from dataclasses import fields, replace

import mujoco
import numpy as np

from maniguard.sim import SUBSTEPS, World
from maniguard.sim.command import interpolate
from maniguard.sim.contacts import ContactLatch

from ._scenes import arm_at, block, can, make_asset, move, scene, wait


def reference_step(world: World, data: mujoco.MjData, commands):
    """Play commands with plain mj_step on a copy; collect per pair and substep what mj_contactForce says."""
    model = world.model
    seen = {}
    force = np.zeros(6)
    for substep in range(SUBSTEPS):
        data.ctrl[:] = commands[substep]
        mujoco.mj_step(model, data)
        for i in range(data.ncon):
            contact = data.contact[i]
            mujoco.mj_contactForce(model, data, i, force)
            first, second = (key(world, int(g)) for g in contact.geom)
            normal = np.array(contact.frame[:3]) * (1.0 if first < second else -1.0)
            row = (force[0], normal, np.array(contact.pos), float(contact.dist))
            seen.setdefault((min(first, second), max(first, second)), {}).setdefault(substep, []).append(row)
    return seen


def key(world, geom):
    entity, part = world.owner(geom)
    return world.scene.index(entity), world.scene.entity(entity).part_index(part)


def check(contacts, seen):
    got = [
        ((int(a), int(pa)), (int(b), int(pb)))
        for a, pa, b, pb in zip(contacts.entity_a, contacts.part_a, contacts.entity_b, contacts.part_b, strict=True)
    ]
    assert got == sorted(seen)
    for row, pair in enumerate(got):
        by_substep = {s: sum(r[0] for r in rows) for s, rows in seen[pair].items()}
        peak = max(by_substep.values())
        np.testing.assert_allclose(contacts.peak_force_n[row], peak, rtol=1e-5, atol=1e-9)
        np.testing.assert_allclose(contacts.impulse_n_s[row], sum(by_substep.values()) * 0.002, rtol=1e-5, atol=1e-9)
        lowest = min(r[3] for rows in seen[pair].values() for r in rows)
        np.testing.assert_allclose(contacts.distance_m[row], lowest, rtol=1e-5, atol=1e-9)
        rows = seen[pair][max(by_substep, key=lambda s: by_substep[s])]
        weight = np.array([r[0] for r in rows])
        if weight.sum() <= 0:
            continue
        position = sum(w * r[2] for w, r in zip(weight, rows, strict=True)) / weight.sum()
        np.testing.assert_allclose(contacts.position_m[row], position, atol=1e-5)
        normal = sum(w * r[1] for w, r in zip(weight, rows, strict=True)) / weight.sum()
        if np.linalg.norm(normal) > 0.1:
            np.testing.assert_allclose(contacts.normal[row], normal / np.linalg.norm(normal), atol=1e-5)


def copy_of(world):
    data = mujoco.MjData(world.model)
    mujoco.mj_setState(world.model, data, world.snapshot().physics, int(mujoco.mjtState.mjSTATE_INTEGRATION))
    return data


def test_latched_contacts_equal_a_reference_made_substep_by_substep():
    world = World(scene(block(), can(at=(0.5, 0.12)), block("flat", (0.6, -0.1), z=0.02)), make_asset=make_asset)
    world.reset()
    move(world, arm_at(world, (0.5, -0.08, 0.05)), 0.0, 25)
    data = copy_of(world)
    touched = set()
    path = np.linspace(world.frame.robot_qpos_rad, arm_at(world, (0.5, 0.2, 0.05)), 16)[1:]
    for target in path:
        action = np.append(target, 0.0)
        commands, _, _ = interpolate(world.snapshot().command, action, world._damping_over_stiffness_s)
        seen = reference_step(world, data, commands)
        contacts = world.step(action).contacts
        check(contacts, seen)
        touched |= set(seen)
        np.testing.assert_array_equal(world.data.qpos, data.qpos)
    panda, thing, other = (world.scene.index(n) for n in ("panda", "block", "can"))
    assert any({a[0], b[0]} == {panda, thing} for a, b in touched)
    assert any({a[0], b[0]} == {thing, other} for a, b in touched)


def test_a_contact_that_ends_between_control_steps_is_latched():
    world = World(scene(can(mass_kg=0.15)), make_asset=make_asset)
    world.reset()
    move(world, arm_at(world, (0.5, 0.05, 0.09)), 0.0, 25)
    frames = move(world, arm_at(world, (0.5, 0.32, 0.09)), 0.0, 10)
    panda, can_column = world.scene.index("panda"), world.scene.index("can")
    touching = [
        row
        for frame in frames
        for row in np.flatnonzero(
            (frame.contacts.entity_a == min(panda, can_column)) & (frame.contacts.entity_b == max(panda, can_column))
        )
    ]
    passing = [
        frame.contacts
        for frame in frames
        if ((frame.contacts.entity_a == panda) & ~frame.contacts.at_end & (frame.contacts.peak_force_n > 0)).any()
    ]
    assert touching, "the hand must hit the can"
    assert passing, "at least one contact must have ended before its frame did"


def test_the_force_of_a_resting_object_is_its_weight():
    world = World(scene(block(mass_kg=0.4)), make_asset=make_asset)
    contacts = world.reset().contacts
    assert len(contacts) == 1
    np.testing.assert_allclose(contacts.peak_force_n, 0.4 * 9.81, rtol=1e-3)
    np.testing.assert_allclose(contacts.impulse_n_s, 0.4 * 9.81 * 0.05, rtol=1e-3)
    np.testing.assert_allclose(contacts.normal, [[0, 0, 1]], atol=1e-6)
    assert contacts.at_end.all()


def test_many_contacts_do_not_outgrow_the_buffers():
    objects = [block(f"b{i}", (0.3 + 0.06 * (i % 8), -0.3 + 0.06 * (i // 8))) for i in range(64)]
    world = World(scene(*objects), make_asset=make_asset)
    frame = world.reset()
    assert world.data.ncon >= 4 * 64
    frame = wait_still(world)
    on_table = frame.contacts.entity_a == world.scene.index("table")
    assert on_table.sum() == 64
    np.testing.assert_allclose(frame.contacts.peak_force_n[on_table], 0.3 * 9.81, rtol=1e-2)


def wait_still(world):
    world.step([*world.spec.robot_qpos_rad, 1.0])
    return wait(world, 1.0, 2)[-1]


def test_contacts_of_what_belongs_to_no_entity_are_left_out():
    world = World(scene(block(), can(at=(0.5, 0.12))), make_asset=make_asset)
    world.reset()
    before = world.step([*world.spec.robot_qpos_rad, 1.0]).contacts
    column = world.scene.index("block")
    nobodys = np.where(world._stage.geom_entity == column, -1, world._stage.geom_entity)
    world._latch = ContactLatch(replace(world._stage, geom_entity=nobodys), world.data)
    world.reset()
    after = world.step([*world.spec.robot_qpos_rad, 1.0]).contacts
    others = (before.entity_a != column) & (before.entity_b != column)
    assert 0 < others.sum() < len(before)
    for field in fields(after):
        np.testing.assert_array_equal(getattr(after, field.name), getattr(before, field.name)[others])
