from __future__ import annotations

import json

import pytest
from synthetic_traces import clutter_scene
from test_trace_file import wide_scene

from maniguard.trace import CodecError, scene_from_dict, scene_to_dict


def test_scenes_survive_json() -> None:
    for scene in (clutter_scene(), wide_scene()):
        assert scene_from_dict(json.loads(json.dumps(scene_to_dict(scene)))) == scene


def test_errors_say_where() -> None:
    good = scene_to_dict(clutter_scene())
    broken = json.loads(json.dumps(good))
    broken["entities"][3]["hull"]["vertices_m"][2] = [0.0, 1.0]
    with pytest.raises(CodecError, match=r"scene\.entities\[3\]\.hull\.vertices_m\[2\]: expected 3 values, found 2"):
        scene_from_dict(broken)
    broken = json.loads(json.dumps(good))
    del broken["entities"][3]["role"]
    with pytest.raises(CodecError, match=r"scene\.entities\[3\]: field 'role' is missing"):
        scene_from_dict(broken)
    broken = json.loads(json.dumps(good))
    broken["entities"][3]["kind"] = "ghost"
    with pytest.raises(CodecError, match=r"'ghost' is not one of articulated, fixture"):
        scene_from_dict(broken)
