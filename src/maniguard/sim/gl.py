"""Choice of the OpenGL back end, which has to be made before mujoco is imported for the first time."""

from __future__ import annotations

import ctypes.util
import os
import sys
from collections.abc import Callable, MutableMapping


def choose_backend(
    environment: MutableMapping[str, str] | None = None,
    *,
    platform: str = sys.platform,
    find_library: Callable[[str], str | None] = ctypes.util.find_library,
) -> None:
    """Set MUJOCO_GL where nobody did and there is no display: egl, else osmesa, else disable.

    "disable" leaves physics working on machines without any OpenGL; the first picture asked for says what to install.
    Software rasterisers are told to use one thread, because workers share the cores among themselves.
    """
    env = os.environ if environment is None else environment
    env.setdefault("LP_NUM_THREADS", "1")
    if platform != "linux" or env.get("MUJOCO_GL") or env.get("DISPLAY") or env.get("WAYLAND_DISPLAY"):
        return
    if find_library("EGL"):
        env["MUJOCO_GL"] = "egl"
    elif find_library("OSMesa"):
        env["MUJOCO_GL"] = "osmesa"
    else:
        env["MUJOCO_GL"] = "disable"
