from __future__ import annotations

import dataclasses
import json

import numpy as np

from maniguard.report.encode import unpacked
from maniguard.report.replay import MAX_FRAMES, POSITION_STEP_M, replay
from maniguard.trace import Box, Part, Scene

from .samples import trace


def test_poses_are_those_of_the_trace_to_half_a_millimetre():
    recorded = trace(120)
    shown = replay(recorded)
    assert shown is not None
    json.dumps(shown, allow_nan=False)
    bodies = {body["name"]: body for body in shown["bodies"]}
    assert set(bodies) == {"table", "teacup", "wine_glass", "soup_can", "milk_box"}
    column = recorded.scene.index("teacup")
    expected = recorded.column("position_m")[:, column]
    np.testing.assert_allclose(unpacked(bodies["teacup"]["position"]), expected, atol=0.51 * POSITION_STEP_M)
    turn = unpacked(bodies["wine_glass"]["turn"])
    np.testing.assert_allclose(turn, recorded.column("quat_wxyz")[:, recorded.scene.index("wine_glass")], atol=1e-4)
    assert unpacked(shown["arm"]).shape == (120, 9, 3)
    assert shown["goal"] == {"center": [0.55, -0.28, 0.25], "radius": 0.06}


def test_what_never_moves_is_stored_once():
    shown = replay(trace(50))
    assert {b["name"]: b["position"]["shape"][0] for b in shown["bodies"]}["table"] == 1


def test_long_traces_are_thinned():
    shown = replay(trace(MAX_FRAMES + 10))
    assert shown["stride"] == 2
    assert unpacked(shown["tcp"]).shape[0] == (MAX_FRAMES + 11) // 2


def test_faces_look_outwards():
    for body in replay(trace(2))["bodies"]:
        for solid in body["solids"]:
            v = np.array(solid["vertices"])
            for face in solid["faces"]:
                a, b, c = v[face[:3]]
                assert np.dot(np.cross(b - a, c - a), a - v.mean(axis=0)) > 0


def test_boxes_listed_twice_are_drawn_once():
    box = Box((0.0, 0.0, 0.0), (0.1, 0.1, 0.1))
    plain = trace(2)
    table = dataclasses.replace(plain.scene.entities[0], hull=None, boxes=(box,), parts=(Part("body", boxes=(box,)),))
    scene = Scene((table, *plain.scene.entities[1:]), plain.scene.goal)
    shown = replay(dataclasses.replace(plain, scene=scene))
    assert [len(body["solids"]) for body in shown["bodies"] if body["name"] == "table"] == [1]
