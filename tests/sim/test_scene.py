import json
from dataclasses import replace

import pytest

from maniguard.sim import AssetSpec, Grasp, ObjectSpec, RoomSpec, SceneSpec, SceneSpecError, TableSpec, goal_sphere
from maniguard.trace.scene import Pose

GRASP = Grasp("rim", Pose((0.01, 0.0, 0.1), (0.0, 1.0, 0.0, 0.0)), 0.05, 0.004, "rim")
MUG = ObjectSpec(
    "mug",
    "mug",
    "target",
    AssetSpec("mug", {"radius": 1 / 3, "style": "tall"}),
    0.25,
    (0.7, 0.005, 0.0001),
    Pose((0.4, -0.1, 0.0)),
    properties=("fragile",),
    appearance={"colour": "#aabbcc"},
    grasps=(GRASP,),
)
SCENE = SceneSpec((MUG,), goal_sphere((0.4, 0.2, 0.15), 0.04))


def test_a_scene_survives_json():
    assert SceneSpec.from_dict(json.loads(json.dumps(SCENE.to_dict()))) == SCENE


def test_numbers_are_rounded_when_the_scene_is_made():
    assert MUG.asset.params["radius"] == 0.333333
    assert SceneSpec((), robot_qpos_rad=(-1e-9,) * 7).robot_qpos_rad == (0.0,) * 7
    assert str(SceneSpec((), robot_qpos_rad=(-1e-9,) * 7).robot_qpos_rad[0]) == "0.0"


def test_looks_roles_and_goals_are_no_physics():
    other = replace(
        SCENE,
        objects=(replace(MUG, role="obstacle", appearance={"colour": "#000000"}, properties=(), grasps=()),),
        goal=None,
        room=RoomSpec("kitchen"),
        table=replace(SCENE.table, appearance={"wood": "oak"}),
    )
    assert other != SCENE
    assert other.physics_dict() == SCENE.physics_dict()


@pytest.mark.parametrize(
    "change",
    [
        {"objects": (replace(MUG, mass_kg=0.26),)},
        {"objects": (replace(MUG, friction=(0.6, 0.005, 0.0001)),)},
        {"objects": (replace(MUG, world_T_object=Pose((0.4, -0.1, 0.001))),)},
        {"objects": (replace(MUG, asset=AssetSpec("mug", {"radius": 0.3})),)},
        {"table": TableSpec(height_m=0.8)},
        {"robot_qpos_rad": (0.0, 0.0, 0.0, -1.0, 0.0, 1.0, 0.0)},
    ],
)
def test_matter_and_places_are_physics(change):
    assert replace(SCENE, **change).physics_dict() != SCENE.physics_dict()


def broken(path, value):
    data = json.loads(json.dumps(SCENE.to_dict()))
    place = data
    for key in path[:-1]:
        place = place[key]
    if value is KeyError:
        del place[path[-1]]
    else:
        place[path[-1]] = value
    return data


@pytest.mark.parametrize(
    ("path", "value", "words"),
    [
        (("objects", 0, "mass_kg"), KeyError, ["object 'mug'", "mass_kg", "missing"]),
        (("objects", 0, "mass_kg"), -1, ["object 'mug'", "mass_kg", "positive"]),
        (("objects", 0, "mass_kg"), True, ["object 'mug'", "mass_kg"]),
        (("objects", 0, "mass_kg"), float("nan"), ["object 'mug'", "finite"]),
        (("objects", 0, "friction"), [1, 2], ["object 'mug'", "friction", "3 numbers"]),
        (("objects", 0, "weight"), 1, ["object 'mug'", "weight", "unknown", "mass_kg"]),
        (("objects", 0, "world_T_object", "quat_wxyz"), [1, 1, 0, 0], ["object 'mug'", "unit length"]),
        (("objects", 0, "grasps", 0, "kind"), "magnet", ["'rim'", "magnet", "handle"]),
        (("objects", 0, "name"), "table", ["'table'", "taken"]),
        (("objects",), {}, ["objects", "list"]),
        (("goal", "radius_m"), 0, ["goal", "radius_m", "positive"]),
        (("robot_qpos_rad",), [0] * 6, ["robot_qpos_rad", "7"]),
        (("table", "size_m"), "big", ["table", "size_m"]),
    ],
)
def test_errors_name_the_object_and_the_field(path, value, words):
    with pytest.raises(SceneSpecError) as error:
        SceneSpec.from_dict(broken(path, value))
    message = str(error.value)
    assert "\n" not in message
    for word in words:
        assert word in message


def test_two_objects_cannot_share_a_name():
    with pytest.raises(SceneSpecError, match="taken"):
        SceneSpec((MUG, MUG))


def test_look_ups_list_what_there_is():
    assert SCENE.object("mug").grasp("rim") == GRASP
    with pytest.raises(SceneSpecError, match="mug"):
        SCENE.object("cup")
    with pytest.raises(SceneSpecError, match="rim"):
        MUG.grasp("side")
