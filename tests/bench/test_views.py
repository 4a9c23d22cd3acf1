"""The cameras see the task: every object and the whole goal of every scenario is in every third-person picture."""

import numpy as np
import pytest

from maniguard import bench
from maniguard.sim import CAMERAS, SceneSpec, World

SCENARIOS = bench.load("clutter", conditions=("base", "location"))


@pytest.fixture(scope="module")
def cameras():
    with World(SceneSpec.from_dict(SCENARIOS[0].scene)) as world:
        world.reset()
        model, data = world.model, world.data
        yield {
            name: (data.cam_xpos[i].copy(), data.cam_xmat[i].reshape(3, 3).copy(), float(model.cam_fovy[i]))
            for name in CAMERAS
            if name != "wrist"
            for i in [model.camera(name).id]
        }


def points(scene):
    for item in scene.objects:
        yield np.array(item.world_T_object.position_m)
    center = np.array(scene.goal.pose.position_m)
    for axis in np.vstack([np.eye(3), -np.eye(3)]):
        yield center + scene.goal.size_m[0] * axis


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda s: s.id)
def test_everything_is_in_the_picture(scenario, cameras):
    seen = np.array(list(points(SceneSpec.from_dict(scenario.scene))))
    for name, (position, axes, fovy_deg) in cameras.items():
        right, up, back = ((seen - position) @ axes).T
        reach = -back * np.tan(np.deg2rad(fovy_deg) / 2)
        assert (back < 0).all(), name
        assert (np.abs(right) < reach).all(), name
        assert (np.abs(up) < reach).all(), name
