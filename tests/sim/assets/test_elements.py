from __future__ import annotations

import mujoco
import numpy as np
import pytest
from tests.sim.assets._geometry import SAMPLE

from maniguard.sim.assets import CATALOGUE, add_asset, of_category

PITCH_M = 0.4
# What moves in itself has tests of its own.
NAMES = tuple(name for name in SAMPLE if not CATALOGUE[name].asset().joints)


def _table(names, *, lift: float = 0.0):
    spec = mujoco.MjSpec()
    spec.option.timestep = 0.002
    spec.option.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
    spec.option.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
    spec.option.impratio = 10
    spec.worldbody.add_geom(
        name="table",
        type=mujoco.mjtGeom.mjGEOM_BOX,
        size=(20, 20, 0.02),
        pos=(0, 0, -0.02),
        friction=(0.8, 0.005, 0.0001),
        solref=(0.005, 1),
        condim=4,
    )
    parts = {}
    for k, name in enumerate(names):
        body = spec.worldbody.add_body(name=name, pos=((k % 10 - 4.5) * PITCH_M, (k // 10 - 4) * PITCH_M, lift))
        body.add_freejoint()
        parts[name] = add_asset(spec, body, CATALOGUE[name].asset(), f"{name}/")
    return spec.compile(), parts


def _tilt_deg(quat):
    up = 1 - 2 * (quat[:, 1] ** 2 + quat[:, 2] ** 2)
    return np.degrees(np.arccos(np.clip(up, -1, 1)))


@pytest.fixture(scope="module")
def stage():
    return _table(NAMES)


def test_model_has_the_assets_mass_inertia_and_parts(stage):
    model, parts = stage
    for name in NAMES:
        asset, body = CATALOGUE[name].asset(), model.body(name)
        assert body.mass[0] == pytest.approx(asset.mass_kg)
        assert sorted(body.inertia) == pytest.approx(sorted(np.linalg.eigvalsh(asset.inertia)), rel=1e-4)
        assert body.ipos == pytest.approx(asset.center_of_mass_m, abs=1e-6)
        assert [g.part for g in parts[name]] == [piece.part for piece in asset.pieces]
        for geom in parts[name]:
            assert model.geom(geom.name).contype[0] == 1
            assert model.geom(geom.name).friction == pytest.approx(asset.friction)


def test_what_is_seen_touches_nothing(stage):
    model, _ = stage
    for geom in range(model.ngeom):
        if "/visual" in model.geom(geom).name:
            assert model.geom_contype[geom] == 0
            assert model.geom_conaffinity[geom] == 0


def test_every_design_stays_where_it_is_put(stage):
    model, _ = stage
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    start = data.qpos.reshape(-1, 7).copy()
    for _ in range(500):
        mujoco.mj_step(model, data)
    middle = data.qpos.reshape(-1, 7).copy()
    for _ in range(500):
        mujoco.mj_step(model, data)
    end = data.qpos.reshape(-1, 7)
    moved = np.linalg.norm(end[:, :3] - start[:, :3], axis=1)
    crept = np.linalg.norm(end[:, :3] - middle[:, :3], axis=1)
    assert dict(zip(NAMES, moved, strict=True)) == pytest.approx(dict.fromkeys(NAMES, 0.0), abs=0.0005)
    assert _tilt_deg(end[:, 3:]).max() < 0.2
    assert crept.max() < 2e-5


def test_every_design_settles_from_two_millimetres_above():
    model, _ = _table(NAMES, lift=0.002)
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    start = data.qpos.reshape(-1, 7).copy()
    for _ in range(1000):
        mujoco.mj_step(model, data)
    end = data.qpos.reshape(-1, 7)
    assert np.abs(end[:, 2]).max() < 0.001
    assert np.linalg.norm(end[:, :2] - start[:, :2], axis=1).max() < 0.002
    assert _tilt_deg(end[:, 3:]).max() < 1.0


def test_a_push_at_the_top_topples_tall_things_and_round_ones_roll():
    names = ("bottle-beer", "highball", "can-soda", "mill-pepper", "box-crackers")
    model, _ = _table(names)
    data = mujoco.MjData(model)
    for _ in range(250):
        for name in names:
            body = model.body(name).id
            height = CATALOGUE[name].asset().height_m
            point = data.xpos[body] + data.xmat[body].reshape(3, 3) @ (0, 0, height)
            tilt = np.degrees(np.arccos(np.clip(data.xmat[body][8], -1, 1)))
            data.qfrc_applied[6 * names.index(name) : 6 * names.index(name) + 6] = 0
            if tilt < 40:
                mujoco.mj_applyFT(
                    model, data, (0, 0.45 * model.body_mass[body] * 9.81, 0), (0, 0, 0), point, body, data.qfrc_applied
                )
        mujoco.mj_step(model, data)
    data.qfrc_applied[:] = 0
    for _ in range(750):
        mujoco.mj_step(model, data)
    tilts = _tilt_deg(data.qpos.reshape(-1, 7)[:, 3:])
    assert dict(zip(names, tilts > 75, strict=True)) == dict.fromkeys(names, True)


def test_a_can_that_lies_rolls_and_comes_to_rest():
    model, _ = _table(("can-beans", "candle-pillar"))
    data = mujoco.MjData(model)
    for k in range(2):
        data.qpos[7 * k + 2] = 0.035
        data.qpos[7 * k + 3 : 7 * k + 7] = (np.sqrt(0.5), 0, np.sqrt(0.5), 0)
        data.qvel[6 * k + 1] = 0.25
    mujoco.mj_forward(model, data)
    start = data.qpos[1::7].copy()
    for _ in range(2500):
        mujoco.mj_step(model, data)
    assert np.all(data.qpos[1::7] - start > 0.1)
    assert np.abs(data.qvel).max() < 0.1


def test_equal_materials_are_stored_once():
    spec = mujoco.MjSpec()
    asset = CATALOGUE["mug-dipped"].asset()
    for k in range(3):
        add_asset(spec, spec.worldbody.add_body(name=str(k)), asset, f"{k}/")
    model = spec.compile()
    assert model.nmat == len(set(asset.materials.values()))
    assert model.ntex == len({m.texture for m in asset.materials.values() if m.texture})


def test_stacking_cups_stand_in_each_other_with_room_and_come_apart():
    names = [d.name for d in of_category("stacking_cup")][:3]
    asset = CATALOGUE[names[0]].asset()
    floor = asset.support_regions[0].pose.position_m[2]
    walls = [p.points() for p in asset.pieces if p.points()[:, 2].max() > 0.089]
    inner = np.concatenate([p[np.abs(p[:, 2] - p[:, 2].max()) < 1e-6] for p in walls])
    mouth = np.hypot(inner[:, 0], inner[:, 1]).min() * np.cos(np.pi / 12)
    foot = max(np.hypot(*v[:2]) for p in asset.pieces for v in p.points() if v[2] < 1e-5)
    assert mouth - foot > 0.0025
    model, _ = _table(names)
    data = mujoco.MjData(model)
    for k in range(3):
        data.qpos[7 * k : 7 * k + 3] = (0.0, 0.0, k * (floor + 0.001))
    for _ in range(1000):
        mujoco.mj_step(model, data)
    heights = data.qpos[2::7].copy()
    assert np.diff(heights) == pytest.approx([floor, floor], abs=0.001)
    assert _tilt_deg(data.qpos.reshape(-1, 7)[:, 3:]).max() < 0.5
    top = model.body(names[2]).id
    for _ in range(500):
        data.xfrc_applied[top, 2] = 1.3 * model.body_mass[top] * 9.81
        mujoco.mj_step(model, data)
    assert data.qpos[2::7][2] - heights[2] > 0.02
    assert data.qpos[2::7][:2] == pytest.approx(heights[:2], abs=0.001)
