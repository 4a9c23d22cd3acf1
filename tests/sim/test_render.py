import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from maniguard.sim import CAMERAS, QUALITIES, RenderError

from .test_world import make_world

TESTS = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def world():
    with make_world() as made:
        made.reset()
        yield made


@pytest.mark.parametrize("quality", QUALITIES)
@pytest.mark.parametrize("camera", CAMERAS)
def test_every_camera_sees_something(world, camera, quality):
    picture = world.render(camera, quality, 96)
    assert picture.shape == (96, 96, 3)
    assert picture.dtype == np.uint8
    assert picture.std() > 5


def test_cameras_and_qualities_differ(world):
    pictures = [world.render(camera, "fast", 96) for camera in CAMERAS] + [world.render("front", "studio", 96)]
    for i, first in enumerate(pictures):
        for second in pictures[i + 1 :]:
            assert (first != second).any()


def test_pictures_repeat_to_the_pixel(world):
    first = world.render("overview", "studio", 96)
    with make_world() as other:
        np.testing.assert_array_equal(other.render("overview", "studio", 96), first)
    np.testing.assert_array_equal(world.render("overview", "studio", 96), first)


def test_a_picture_shows_the_present_state(world):
    before = world.render("wrist", "fast", 96)
    start = np.array(world.spec.robot_qpos_rad)
    for i in range(1, 21):
        world.step([*(start + 0.015 * i), 1.0])
    assert (world.render("wrist", "fast", 96) != before).any()
    world.reset()
    np.testing.assert_array_equal(world.render("wrist", "fast", 96), before)


def test_the_collision_shapes_are_not_seen(world):
    # The pads are boxes in front of the fingers; were they drawn, hiding them would change the picture.
    before = world.render("wrist", "fast", 96)
    pads = [world.model.geom(f"panda/{side}_finger_pad").id for side in ("left", "right")]
    kept = world.model.geom_rgba[pads].copy()
    world.model.geom_rgba[pads] = (1.0, 0.0, 1.0, 1.0)
    np.testing.assert_array_equal(world.render("wrist", "fast", 96), before)
    world.model.geom_rgba[pads] = kept


def test_rendering_starts_anew_after_close():
    made = make_world()
    first = made.render("front", "fast", 64)
    made.close()
    made.close()
    np.testing.assert_array_equal(made.render("front", "fast", 64), first)
    made.close()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("top", "fast", 64), ["'top'", "overview"]),
        (("front", "best", 64), ["'best'", "studio"]),
        (("front", "fast", 4), ["4x4"]),
        (("front", "fast", 100000), ["100000"]),
    ],
)
def test_what_cannot_be_rendered_is_said(world, arguments, words):
    with pytest.raises(RenderError) as error:
        world.render(*arguments)
    for word in words:
        assert word in str(error.value)


def run(code, **environment):
    """Run code in a process whose OpenGL has not been chosen by this one."""
    variables = {k: v for k, v in os.environ.items() if k != "MUJOCO_GL"} | {"PYTHONPATH": str(TESTS), **environment}
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=variables)


@pytest.mark.parametrize("ending", ["", "w.close()", "del w", "import sys; sys.exit(0)"])
def test_nothing_is_printed_at_exit(ending):
    code = "from sim.test_world import *\nw = make_world(); w.render('front'); v = make_world(); v.render('left')\n"
    done = run(code + ending)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_without_opengl_the_error_says_what_to_install():
    code = (
        "from sim.test_world import *\nfrom maniguard.sim import RenderError\n"
        "w = make_world()\n"
        "try: w.render('front')\n"
        "except RenderError as error: print(error)"
    )
    done = run(code, MUJOCO_GL="disable")
    assert "libegl1" in done.stdout
    assert done.stderr == ""


def test_mujoco_may_be_imported_first():
    done = run("import mujoco\nfrom sim.test_world import *\nw = make_world(); print(w.render('front').std() > 5)")
    assert (done.stdout.strip(), done.stderr) == ("True", "")
