from __future__ import annotations

import mujoco
import numpy as np
import pytest

from maniguard.sim.assets import CATALOGUE, add_asset, of_category

ARTICULATED = tuple(d.name for d in (*of_category("hinged_jar"), *of_category("cabinet")))


def _model(name: str):
    asset = CATALOGUE[name].asset()
    spec = mujoco.MjSpec()
    spec.option.timestep = 0.002
    spec.option.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
    spec.option.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
    spec.option.impratio = 10
    ground = {"type": mujoco.mjtGeom.mjGEOM_PLANE, "size": (2, 2, 0.1), "friction": (0.5, 0.005, 0.0001)}
    spec.worldbody.add_geom(name="ground", solref=(0.005, 1), condim=4, **ground)
    body = spec.worldbody.add_body(name="object")
    if not asset.anchored:
        body.add_freejoint(name="free")
    add_asset(spec, body, asset, "object/")
    model = spec.compile()
    return asset, model, mujoco.MjData(model)


@pytest.mark.parametrize("name", ARTICULATED)
def test_parts_share_the_mass_and_move_between_limits(name):
    asset, model, _ = _model(name)
    assert sum(part.mass_kg for part in asset.rigid_parts) == pytest.approx(asset.mass_kg)
    assert [part.part for part in asset.rigid_parts] == ["body", *(joint.part for joint in asset.joints)]
    assert {part.name for part in asset.parts if part.moving} == {joint.part for joint in asset.joints}
    assert model.body_mass.sum() == pytest.approx(asset.mass_kg)
    for joint in asset.joints:
        found = model.joint(f"object/{joint.name}")
        assert found.range == pytest.approx((joint.lower, joint.upper))
        assert joint.lower <= joint.start <= joint.upper
        assert joint.trace.part == joint.part
        assert np.linalg.norm(joint.axis) == pytest.approx(1.0)


@pytest.mark.parametrize("name", ARTICULATED)
def test_what_is_left_alone_stays_where_it_is(name):
    asset, model, data = _model(name)
    # Lids creep most where gravity turns them hardest, drawers in the middle of their way.
    for share in (1.0, 0.5, 0.0):
        mujoco.mj_resetData(model, data)
        for joint in asset.joints:
            place = share * joint.upper if joint.kind == "slide" or share != 0.5 else np.radians(70)
            data.joint(f"object/{joint.name}").qpos[0] = place
        mujoco.mj_forward(model, data)
        start = [float(data.joint(f"object/{j.name}").qpos[0]) for j in asset.joints]
        for _ in range(1000):
            mujoco.mj_step(model, data)
        end = [float(data.joint(f"object/{j.name}").qpos[0]) for j in asset.joints]
        for joint, before, after in zip(asset.joints, start, end, strict=True):
            assert abs(after - before) < (np.radians(1.0) if joint.kind == "hinge" else 0.0005), (name, share)
        body = model.body("object").id
        assert data.xmat[body][8] > np.cos(np.radians(0.3))
        assert np.abs(data.qvel).max() < 0.01


@pytest.mark.parametrize("name", ARTICULATED)
def test_a_moderate_force_opens_and_closes(name):
    asset, model, data = _model(name)
    joint = asset.joints[0]
    dof = int(model.joint(f"object/{joint.name}").dofadr[0])
    place = data.joint(f"object/{joint.name}").qpos
    for target, push in ((joint.upper, 1.0), (joint.lower, -1.0)):
        for _ in range(1500):
            data.qfrc_applied[dof] = push * (0.06 if joint.kind == "hinge" else 4.0)
            mujoco.mj_step(model, data)
        # Within 5 degrees or 5 mm of its stop, and never far beyond it.
        assert abs(float(place[0]) - target) < (np.radians(3.0) if joint.kind == "hinge" else 0.003)


def test_jars_are_as_wide_and_open_as_a_gripper_needs():
    for d in of_category("hinged_jar"):
        asset = d.asset()
        (joint,) = asset.joints
        body = np.concatenate([p.points() for p in asset.pieces if p.part == "body"])
        assert np.ptp(body[:, 1]) <= 0.072
        assert np.degrees(joint.upper) <= 115
        assert joint.start == joint.upper
        assert 0.01 <= joint.frictionloss <= 0.03
        assert asset.interior is not None
        assert asset.interior_part == "body"


def test_drawers_hold_what_a_gripper_can_bring():
    for d in of_category("cabinet"):
        asset = d.asset()
        assert asset.anchored
        assert asset.interior is not None
        assert asset.interior_part == "drawer"
        assert min(asset.interior.size_m[:2]) > 0.07
        assert asset.joints[0].upper >= 0.14
        assert {g.name for g in asset.grasps} == {f"{joint.part}-handle" for joint in asset.joints}
