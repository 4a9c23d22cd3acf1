"""Pictures of a world: an OpenGL context made when the first picture is asked for, in two qualities."""

from __future__ import annotations

import atexit
import os
import weakref
from typing import Any, NamedTuple

import mujoco
import numpy as np
from numpy.typing import NDArray

from maniguard.errors import ManiguardError, alternatives
from maniguard.sim.cameras import CAMERAS, QUALITIES, model_name

MAX_SIZE_PX = 2048
_MAX_GEOMS = 4000
_ADVICE = "install libegl1 libegl-mesa0 libgl1-mesa-dri (apt) and leave MUJOCO_GL unset, or set it to egl"


class RenderError(ManiguardError):
    """A picture that cannot be made: an unknown camera or quality, a size out of range, or no OpenGL here."""


class _Look(NamedTuple):
    """What a quality switches on: samples per pixel, edge length of the shadow map (0: no shadows), mirror images."""

    samples: int
    shadow_size_px: int
    reflections: bool


_LOOKS: dict[str, _Look] = {"fast": _Look(0, 0, False), "studio": _Look(4, 4096, True)}


class RendererPool:
    """The renderers of one world, at most one per quality and picture size, each made at its first use."""

    def __init__(self, model: mujoco.MjModel, data: mujoco.MjData) -> None:
        self._model, self._data = model, data
        self._renderers: dict[tuple[str, int, int], _Renderer] = {}

    def render(self, camera: str, quality: str, width: int, height: int) -> NDArray[np.uint8]:
        """Return a picture (height, width, 3) of the present state."""
        if camera not in CAMERAS:
            raise RenderError(f"no camera {camera!r}; the world has {alternatives(CAMERAS)}")
        if quality not in QUALITIES:
            raise RenderError(f"no render quality {quality!r}; valid are {alternatives(QUALITIES)}")
        if not (8 <= width <= MAX_SIZE_PX and 8 <= height <= MAX_SIZE_PX):
            raise RenderError(f"a picture of {width}x{height} px is outside 8 to {MAX_SIZE_PX} px")
        key = (quality, width, height)
        if key not in self._renderers:
            self._renderers[key] = _Renderer(self._model, _LOOKS[quality], width, height)
        return self._renderers[key].render(self._data, camera)

    def close(self) -> None:
        """Free every OpenGL context."""
        for renderer in self._renderers.values():
            renderer.close()
        self._renderers.clear()


class _Renderer:
    def __init__(self, model: mujoco.MjModel, look: _Look, width: int, height: int) -> None:
        self._model = model
        self._gl: Any = _make_gl_context(width, height)
        # The context takes these from the model when it is made.
        visual = model.vis
        visual.global_.offwidth, visual.global_.offheight = width, height
        visual.quality.offsamples = look.samples
        visual.quality.shadowsize = look.shadow_size_px
        try:
            self._context: Any = mujoco.MjrContext(model, mujoco.mjtFontScale.mjFONTSCALE_50.value)
        except mujoco.FatalError as error:
            self._gl.free()
            raise RenderError(f"OpenGL does not draw ({error}); {_ADVICE}") from error
        _LIVE.add(self)
        mujoco.mjr_setBuffer(mujoco.mjtFramebuffer.mjFB_OFFSCREEN.value, self._context)
        self._scene = mujoco.MjvScene(model, maxgeom=_MAX_GEOMS)
        self._scene.flags[mujoco.mjtRndFlag.mjRND_SHADOW] = look.shadow_size_px > 0
        self._scene.flags[mujoco.mjtRndFlag.mjRND_REFLECTION] = look.reflections
        self._scene.flags[mujoco.mjtRndFlag.mjRND_HAZE] = False
        self._option = mujoco.MjvOption()
        self._option.geomgroup[:] = 0
        self._option.geomgroup[:3] = 1
        self._option.sitegroup[:] = 0
        self._camera = mujoco.MjvCamera()
        self._camera.type = mujoco.mjtCamera.mjCAMERA_FIXED
        self._viewport = mujoco.MjrRect(0, 0, width, height)
        self._pixels = np.empty((height, width, 3), dtype=np.uint8)
        self._ids = {name: int(model.camera(model_name(name)).id) for name in CAMERAS}

    def render(self, data: mujoco.MjData, camera: str) -> NDArray[np.uint8]:
        self._gl.make_current()
        self._camera.fixedcamid = self._ids[camera]
        mujoco.mjv_updateScene(
            self._model,
            data,
            self._option,
            None,
            self._camera,
            mujoco.mjtCatBit.mjCAT_ALL.value,
            self._scene,
        )
        mujoco.mjr_render(self._viewport, self._scene, self._context)
        mujoco.mjr_readPixels(self._pixels, None, self._viewport, self._context)
        return self._pixels[::-1].copy()

    def close(self) -> None:
        if self._gl is None:
            return
        self._gl.make_current()
        self._context.free()
        self._gl.free()
        self._context = self._gl = None
        _LIVE.discard(self)


# Contexts still open at exit are freed before the interpreter takes the modules apart, which would print errors.
_LIVE: weakref.WeakSet[_Renderer] = weakref.WeakSet()


def _make_gl_context(width: int, height: int) -> Any:
    backend = os.environ.get("MUJOCO_GL", "").strip().lower()
    try:
        # mujoco settles for a back end when it is imported, which may have been before maniguard could choose one.
        if backend == "egl":
            from mujoco.egl import GLContext
        elif backend == "osmesa":
            from mujoco.osmesa import GLContext
        else:
            from mujoco import GLContext
        context = GLContext(width, height)
        context.make_current()
    except (ImportError, AttributeError, OSError, RuntimeError, mujoco.FatalError) as error:
        # PyOpenGL fails with any of these when a library is missing.
        reason = (str(error).splitlines() or [type(error).__name__])[0]
        raise RenderError(f"OpenGL does not start with MUJOCO_GL={backend!r} ({reason}); {_ADVICE}") from error
    if not _exit_registered:
        # Registered after mujoco's own exit handlers, which close the display, and so run before them.
        atexit.register(_close_all)
        _exit_registered.append(True)
    return context


_exit_registered: list[bool] = []


def _close_all() -> None:
    for renderer in list(_LIVE):
        renderer.close()
