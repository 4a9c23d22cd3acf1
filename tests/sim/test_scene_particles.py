import json
from dataclasses import replace

import pytest

from maniguard.sim import DustSpec, JointSpec, LiquidSpec, SceneSpec, SceneSpecError

from ._scenes import block, can

LID = JointSpec("hinge", "hinge", 0.0, 1.9, start=1 / 3, friction=0.012, damping=0.002)
LIQUID = LiquidSpec(
    "cup", (0.004, 1 / 200), ((0.0, 0.0, 0.05), (1 / 300, 0.0, 0.06)), floor_m=0.04, level_m=0.07, appearance={"a": "b"}
)
DUST = DustSpec("block", ((0.0, 0.0, 0.06),), ((0.0, 0.0, 1.0),), 0.002, ("cup",), 150.0)
SCENE = SceneSpec((replace(block(), joints=(LID,)), can("cup")), liquids=(LIQUID,), dust=(DUST,))
PLAIN = SceneSpec((block(), can("cup")))


def test_joints_liquid_and_dust_survive_json():
    assert SceneSpec.from_dict(json.loads(json.dumps(SCENE.to_dict()))) == SCENE
    assert LID.start == 0.333333
    assert LIQUID.positions_m[1][0] == 0.003333


def test_what_a_scene_does_not_have_is_not_written():
    assert set(PLAIN.to_dict()) == {"objects", "goal", "robot_qpos_rad", "table", "room"}
    assert set(PLAIN.physics_dict()) == {"objects", "robot_qpos_rad", "table"}
    assert "joints" not in PLAIN.to_dict()["objects"][0]
    assert SceneSpec.from_dict(PLAIN.to_dict()) == PLAIN


def test_they_are_physics_and_their_looks_are_not():
    for part in ("liquids", "dust"):
        assert part in SCENE.physics_dict()
    assert SCENE.physics_dict()["objects"][0]["joints"][0]["friction"] == 0.012
    painted = replace(
        SCENE,
        liquids=(replace(LIQUID, appearance={"color": "#ff0000"}),),
        dust=(replace(DUST, appearance={"color": "#000000"}, radius_m=0.01),),
    )
    assert painted != SCENE
    assert painted.physics_dict() == SCENE.physics_dict()


@pytest.mark.parametrize(
    ("path", "value", "words"),
    [
        (("objects", 0, "joints", 0, "kind"), "ball", ["'hinge'", "ball", "slide"]),
        (("objects", 0, "joints", 0, "lower"), 2.0, ["'hinge'", "lower", "upper"]),
        (("objects", 0, "joints", 0, "start"), -1.0, ["'hinge'", "start", "range"]),
        (("objects", 0, "joints", 0, "friction"), -1.0, ["'hinge'", "friction"]),
        (("objects", 0, "joints", 0, "limit"), 1.0, ["'hinge'", "limit", "unknown"]),
        (("liquids", 0, "container"), "jug", ["jug", "block"]),
        (("liquids", 0, "radii_m"), [0.004], ["'cup'", "1 and 2"]),
        (("liquids", 0, "radii_m"), [0.004, 0.0], ["radii_m", "positive"]),
        (("liquids", 0, "level_m"), 0.03, ["'cup'", "level_m", "floor_m"]),
        (("dust", 0, "surface"), "shelf", ["shelf", "block"]),
        (("dust", 0, "wipers"), ["rag"], ["rag", "block"]),
        (("dust", 0, "wipers"), [], ["'block'", "wiper"]),
        (("dust", 0, "wipers"), ["block"], ["'block'", "itself"]),
        (("dust", 0, "normals"), [[0, 0, 2]], ["'block'", "unit length"]),
        (("dust", 0, "positions_m"), [], ["'block'", "0 and 1"]),
        (("dust", 0, "area_m2"), 0, ["area_m2", "positive"]),
    ],
)
def test_errors_name_the_thing_and_the_field(path, value, words):
    data = json.loads(json.dumps(SCENE.to_dict()))
    place = data
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    with pytest.raises(SceneSpecError) as error:
        SceneSpec.from_dict(data)
    for word in words:
        assert word in str(error.value)


@pytest.mark.parametrize("change", [{"liquids": (LIQUID, LIQUID)}, {"dust": (DUST, DUST)}])
def test_a_container_and_a_surface_have_one_filling_each(change):
    with pytest.raises(SceneSpecError, match="among"):
        replace(SCENE, **change)


def test_two_joints_cannot_share_a_name():
    with pytest.raises(SceneSpecError, match="hinge"):
        replace(block(), joints=(LID, LID))
