import subprocess
import sys

import pytest

from maniguard.sim.gl import choose_backend


def chosen(given, libraries=("EGL",), platform="linux"):
    environment = dict(given)
    choose_backend(environment, platform=platform, find_library=lambda name: name if name in libraries else None)
    return environment.get("MUJOCO_GL")


@pytest.mark.parametrize(
    ("libraries", "expected"),
    [(("EGL", "OSMesa"), "egl"), (("OSMesa",), "osmesa"), ((), "disable")],
)
def test_without_a_display_the_best_library_is_taken(libraries, expected):
    assert chosen({}, libraries) == expected


def test_the_users_choice_stands():
    assert chosen({"MUJOCO_GL": "osmesa"}) == "osmesa"


@pytest.mark.parametrize("display", [{"DISPLAY": ":0"}, {"WAYLAND_DISPLAY": "wayland-0"}])
def test_with_a_display_nothing_is_set(display):
    assert chosen(display) is None


def test_other_systems_are_left_alone():
    assert chosen({}, platform="darwin") is None


def test_the_rasteriser_gets_one_thread_unless_told_otherwise():
    environment = {}
    choose_backend(environment, platform="linux", find_library=lambda name: None)
    assert environment["LP_NUM_THREADS"] == "1"
    environment = {"LP_NUM_THREADS": "4"}
    choose_backend(environment, platform="linux", find_library=lambda name: None)
    assert environment["LP_NUM_THREADS"] == "4"


def test_describing_a_scene_imports_no_physics_engine():
    code = "import sys, maniguard.sim.scene; print('mujoco' in sys.modules, 'scipy' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "False"]
