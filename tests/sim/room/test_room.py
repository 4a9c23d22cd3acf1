from __future__ import annotations

import itertools

import mujoco
import numpy as np
import pytest

from maniguard.sim.room import ROOM_GROUP, ROOMS, SKINS, RoomError, add_room
from maniguard.sim.surroundings import RoomSpec, TableSpec

TABLE = TableSpec()


def _model(room: RoomSpec, table: TableSpec = TABLE) -> mujoco.MjModel:
    spec = mujoco.MjSpec()
    add_room(spec, room, table)
    return spec.compile()


def _vertices(model: mujoco.MjModel, geom: int) -> np.ndarray:
    mesh = model.geom_dataid[geom]
    start, count = model.mesh_vertadr[mesh], model.mesh_vertnum[mesh]
    rotation = np.empty(9)
    mujoco.mju_quat2Mat(rotation, model.geom_quat[geom])
    return model.mesh_vert[start : start + count] @ rotation.reshape(3, 3).T + model.geom_pos[geom]


def test_there_are_at_least_eight_rooms():
    named = {"kitchen", "living_room", "office", "laboratory", "classroom", "bedroom", "bathroom", "workshop"}
    assert named | {"studio"} <= set(ROOMS)


@pytest.mark.parametrize("name", list(ROOMS))
def test_nothing_in_a_room_can_be_touched_or_weighs(name):
    model = _model(RoomSpec(name))
    assert model.ngeom > 5
    assert not model.geom_contype.any()
    assert not model.geom_conaffinity.any()
    assert model.body_mass.sum() == 0
    assert set(model.geom_group) == {ROOM_GROUP}
    assert model.nv == 0


@pytest.mark.parametrize("name", list(ROOMS))
def test_rooms_are_light_to_draw_and_keep_clear_of_the_table(name):
    model = _model(RoomSpec(name))
    assert sum(model.mesh_facenum) < 6000
    assert model.ngeom < 40
    # The workspace above the table is empty, and the table's top is exactly at z = 0.
    half = np.asarray(TABLE.size_m) / 2
    points = np.concatenate([_vertices(model, g) for g in range(model.ngeom)])
    over = np.all(np.abs(points[:, :2] - TABLE.center_m) <= half + 0.05, axis=1) & (points[:, 2] > -0.2)
    assert points[over, 2].max() == pytest.approx(0.0, abs=1e-6)
    assert points[:, 2].min() >= -TABLE.height_m - 0.021


@pytest.mark.parametrize("name", list(ROOMS))
def test_one_light_casts_shadows_and_light_is_neither_dim_nor_glaring(name):
    model = _model(RoomSpec(name))
    assert model.light_castshadow.sum() == 1
    # Light on a level white sheet: ambient and head light from above, and the lamps by the cosine of their slant.
    slant = np.maximum(-model.light_dir[:, 2], 0)
    level = np.asarray(model.vis.headlight.ambient) + (model.light_diffuse * slant[:, None]).sum(axis=0)
    assert 0.75 < level.mean() < 1.15


def test_rooms_differ_in_floor_wall_and_furniture():
    for a, b in itertools.combinations(ROOMS.values(), 2):
        differing = [a.floor != b.floor, a.wall != b.wall, a.furnish != b.furnish, a.table_skin != b.table_skin]
        assert sum(differing) >= 2, (a.name, b.name)


@pytest.mark.parametrize("skin", list(SKINS))
def test_every_table_skin_can_be_chosen_by_room_or_table(skin):
    by_room = _model(RoomSpec("studio", {"table_skin": skin}))
    by_table = _model(RoomSpec("studio", {"table_skin": "oak"}), TableSpec(appearance={"skin": skin}))
    assert np.array_equal(by_room.mat_rgba, by_table.mat_rgba)
    assert np.array_equal(by_room.tex_data, by_table.tex_data)


def test_the_table_follows_its_measures():
    table = TableSpec(center_m=(0.4, 0.1), size_m=(0.9, 1.3), thickness_m=0.03, height_m=0.8)
    model = _model(RoomSpec("office"), table)
    points = np.concatenate([_vertices(model, g) for g in range(model.ngeom)])
    near = np.all(np.abs(points[:, :2] - (0.4, 0.1)) < (0.5, 0.7), axis=1)
    rim = points[near & (np.abs(points[:, 2] + 0.015) < 0.0151)]
    assert rim[:, 0].min() == pytest.approx(-0.05, abs=1e-6)
    assert rim[:, 1].max() == pytest.approx(0.75, abs=1e-6)
    assert points[:, 2].min() == pytest.approx(-0.82, abs=1e-6)


def test_building_twice_gives_the_same_pixels_and_vertices():
    first, second = _model(RoomSpec("living_room")), _model(RoomSpec("living_room"))
    assert np.array_equal(first.tex_data, second.tex_data)
    assert np.array_equal(first.mesh_vert, second.mesh_vert)
    assert np.array_equal(first.mat_rgba, second.mat_rgba)


@pytest.mark.parametrize(
    ("room", "table", "message"),
    [
        (RoomSpec("cave"), TABLE, "room 'cave' is not known; valid are bathroom"),
        (RoomSpec("studio", {"wallpaper": "roses"}), TABLE, "appearance key 'wallpaper' is not known"),
        (RoomSpec("studio", {"table_skin": "lava"}), TABLE, "skin 'lava' is not known; valid are .*oak"),
        (RoomSpec("studio"), TableSpec(appearance={"legs": "three"}), "appearance key 'legs' is not known"),
    ],
)
def test_unknown_names_are_refused(room, table, message):
    with pytest.raises(RoomError, match=message):
        _model(room, table)


def test_equal_surfaces_share_one_material():
    model = _model(RoomSpec("office"))
    assert model.nmat == model.ngeom
