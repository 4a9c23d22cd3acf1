"""Small appliances and desk things, built from rounded blocks and turned shapes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

import numpy as np

from maniguard.sim.assets import grasps as holds
from maniguard.sim.assets.asset import Blueprint, Kind, Params
from maniguard.sim.assets.form import Form
from maniguard.sim.assets.hollow import flat_rectangle
from maniguard.sim.assets.kinds.painting import PRINTED_PART_LOOKS, paint_printed_parts
from maniguard.sim.assets.mesh import rounded_rectangle

Grasps = tuple[holds.Grasp, ...]


def _remote(form: Form, x: float, y: float, h: float) -> Grasps:
    form.block("main", (0.0, 0.0, h / 2.0), (x, y, h / 2.0), 0.006, "electronics", steps=2)
    for i in range(4):
        for j in (-1, 0, 1):
            key = (-0.55 * x + 0.24 * x * i, 0.52 * y * j, h)
            form.block("third", key, (0.065 * x, 0.16 * y, 0.0012), 0.0002, touch=False, steps=0)
    form.turned("second", [(0.42 * y, 0.0), (0.4 * y, 0.0016)], None, at=(0.62 * x, 0.0, h), touch=False, segments=18)
    return holds.top_of_low_box((x, y), h)


def _calculator(form: Form, x: float, y: float, h: float) -> Grasps:
    form.block("main", (0.0, 0.0, h / 2.0), (x, y, h / 2.0), 0.004, "electronics", steps=2)
    form.block("dark", (0.62 * x, 0.0, h), (0.24 * x, 0.82 * y, 0.0008), 0.0004, touch=False)
    for i in range(5):
        for j in range(4):
            key = (0.22 * x - 0.26 * x * i, 0.42 * y * (j - 1.5), h)
            form.block("second" if j == 0 else "third", key, (0.1 * x, 0.16 * y, 0.0014), 0.0002, touch=False, steps=0)
    return holds.top_of_low_box((x, y), h)


def _mouse(form: Form, x: float, y: float, h: float) -> Grasps:
    form.block("main", (0.0, 0.0, 0.5 * h), (x, y, 0.5 * h), 0.48 * h, "electronics", steps=3)
    form.block("dark", (0.45 * x, 0.0, h), (0.16 * x, 0.005, 0.0022), 0.002, touch=False)
    form.block("second", (0.62 * x, 0.0, 0.94 * h), (0.2 * x, 0.0012, 0.05 * h), 0.0006, touch=False)
    # The flanks are all but upright up to half the height.
    tcp = (0.0, 0.0, max(holds.LOWEST_TCP_M, 0.45 * h))
    return (holds.pointing("top-y", "top", tcp, (0, 0, -1), (0, 1, 0), 2.0 * y),)


def _stapler(form: Form, x: float, y: float, h: float) -> Grasps:
    form.block("second", (0.0, 0.0, 0.09 * h), (x, y, 0.09 * h), 0.003, "stone", steps=2)
    form.block("metal", (0.04 * x, 0.0, 0.5 * h), (0.9 * x, 0.62 * y, 0.1 * h), 0.002, "electronics")
    form.block("main", (0.05 * x, 0.0, 0.79 * h), (0.94 * x, 0.9 * y, 0.21 * h), 0.007, "electronics", steps=2)
    form.block("second", (-0.72 * x, 0.0, 0.36 * h), (0.2 * x, 0.8 * y, 0.3 * h), 0.003, "electronics")
    tcp = (0.0, 0.0, max(holds.LOWEST_TCP_M, 0.79 * h - 0.002))
    return (holds.pointing("top-y", "top", tcp, (0, 0, -1), (0, 1, 0), 1.8 * y),)


def _dispenser(form: Form, x: float, y: float, h: float) -> Grasps:
    form.block("main", (0.0, 0.0, 0.22 * h), (x, y, 0.22 * h), 0.006, "stone", steps=2)
    form.block("main", (-0.5 * x, 0.0, 0.6 * h), (0.4 * x, y, 0.25 * h), 0.006, "plastic", steps=2)
    reel = 0.5 * h
    axis = (0.0, 1.0, 0.0)
    ring = [(reel, 0.0), (reel, 1.5 * y)]
    form.turned("third", ring, "plastic", at=(-0.32 * x, -0.75 * y, h - reel), axis=axis, sides=16, limit=2)
    core = [(0.55 * reel, -0.0006), (0.55 * reel, 1.5 * y + 0.0012)]
    form.turned("second", core, None, at=(-0.32 * x, -0.75 * y, h - reel), axis=axis, touch=False)
    form.block("metal", (0.93 * x, 0.0, 0.47 * h), (0.05 * x, 0.85 * y, 0.05 * h), 0.001, "steel")
    tcp = (-0.32 * x, 0.0, h - 0.016)
    return (holds.pointing("top-y", "top", tcp, (0, 0, -1), (0, 1, 0), 2.0 * y),)


def _clock(form: Form, x: float, y: float, h: float) -> Grasps:
    r = 0.46 * h
    centre = h - r
    axis = (0.0, -1.0, 0.0)
    drum = [(r - 0.003, 0.0), (r, 0.003), (r, 2.0 * y - 0.003), (r - 0.003, 2.0 * y)]
    form.turned("main", drum, "electronics", at=(0.0, y, centre), axis=axis, sides=20, limit=2, segments=32)
    face = [(0.86 * r, 0.0), (0.86 * r, 0.0008)]
    form.turned("third", face, None, at=(0.0, -y + 0.0002, centre), axis=axis, touch=False, segments=32)
    for turn, long in ((0.6, 0.5), (-1.2, 0.72)):
        tip = (long * r * np.sin(turn), -y - 0.0016, centre + long * r * np.cos(turn))
        form.rod("dark", (0.0, -y - 0.0016, centre), tip, 0.0014, touch=False, segments=6, edge=0.0004)
    for k in range(12):
        a = np.pi * k / 6.0
        at = (0.74 * r * np.sin(a), -y - 0.001, centre + 0.74 * r * np.cos(a))
        form.block("dark", at, (0.0013, 0.0003, 0.0013), 0.0002, touch=False)
    for sign in (1.0, -1.0):
        form.block("second", (0.5 * x * sign, 0.0, 0.09 * h), (0.2 * x, 0.92 * y, 0.09 * h), 0.003, "rubber")
    tcp = (0.0, 0.0, h - 0.02)
    return (holds.pointing("top-y", "top", tcp, (0, 0, -1), (0, 1, 0), 2.0 * y),)


def _camera(form: Form, x: float, y: float, h: float) -> Grasps:
    form.block("main", (0.0, 0.25 * y, 0.44 * h), (x, 0.75 * y, 0.44 * h), 0.005, "electronics", steps=2)
    form.block("second", (0.0, 0.25 * y, 0.94 * h), (0.34 * x, 0.5 * y, 0.06 * h), 0.002, "electronics")
    lens = [(0.32 * h, 0.0), (0.32 * h, 0.3 * y), (0.28 * h, 0.34 * y), (0.28 * h, 0.5 * y)]
    form.turned("dark", lens, "glass", at=(0.1 * x, -0.5 * y, 0.44 * h), axis=(0.0, -1.0, 0.0), sides=16, limit=3)
    glass = [(0.22 * h, 0.0), (0.18 * h, 0.003)]
    form.turned("third", glass, None, at=(0.1 * x, -y, 0.44 * h), axis=(0.0, -1.0, 0.0), touch=False)
    form.turned(
        "metal", [(0.006, 0.0), (0.006, 0.004)], None, at=(-0.7 * x, 0.25 * y, 0.87 * h), touch=False, segments=14
    )
    # Beside the lens, whose rim the finger in front would meet.
    tcp = (-0.7 * x, 0.25 * y, 0.88 * h - 0.016)
    return (holds.pointing("top-y", "top", tcp, (0, 0, -1), (0, 1, 0), 1.5 * y),)


def _speaker(form: Form, x: float, y: float, h: float) -> Grasps:
    form.block("main", (0.0, 0.0, h / 2.0), (x, y, h / 2.0), 0.006, "electronics", steps=2)
    for z, r in ((0.36 * h, 0.68 * x), (0.76 * h, 0.36 * x)):
        for slot, size, out in (("second", r, 0.0012), ("dark", 0.8 * r, 0.0018), ("third", 0.3 * r, 0.003)):
            ring = [(size, 0.0), (0.94 * size, out)]
            form.turned(slot, ring, None, at=(0.0, -y + 0.0002, z), axis=(0.0, -1.0, 0.0), touch=False)
    return holds.top_of_box((x, y, h / 2.0), h)


def _frame(form: Form, x: float, y: float, h: float) -> Grasps:
    edge = 0.014
    for sign in (1.0, -1.0):
        form.block("main", (sign * (x - edge / 2.0), 0.0, h / 2.0), (edge / 2.0, y, h / 2.0), 0.002, "wood")
        side = edge / 2.0 if sign < 0 else h - edge / 2.0
        form.block("main", (0.0, 0.0, side), (x - edge, y, edge / 2.0), 0.002, "wood")
    half = (x - edge, 0.5 * y, h / 2.0 - edge)
    form.block("label", (0.0, 0.0, h / 2.0), half, 0.0005, "paper", touch=False)
    form.touch_plan(rounded_rectangle(x - edge, y, 0.0005), edge, h - edge)
    return holds.top_of_box((x, y, h / 2.0), h, depth_m=0.026)


def _phone(form: Form, x: float, y: float, h: float) -> Grasps:
    form.block("second", (0.0, 0.0, 0.2 * h), (0.62 * x, y, 0.2 * h), 0.004, "plastic", steps=2)
    form.block("main", (0.0, 0.0, 0.5 * h + 0.002), (x, 0.62 * y, 0.5 * h - 0.002), 0.005, "electronics", steps=2)
    form.block("dark", (0.0, -0.62 * y, 0.74 * h), (0.7 * x, 0.0008, 0.14 * h), 0.0004, touch=False)
    for i in range(3):
        for j in (-1, 0, 1):
            key = (0.5 * x * j, -0.62 * y, (0.5 - 0.09 * i) * h)
            form.block("third", key, (0.14 * x, 0.0012, 0.025 * h), 0.0002, touch=False, steps=0)
    tcp = (0.0, 0.0, h - 0.024)
    return (
        holds.pointing("top-y", "top", tcp, (0, 0, -1), (0, 1, 0), 1.24 * y),
        holds.pointing("top-x", "top", tcp, (0, 0, -1), (1, 0, 0), 2.0 * x),
    )


STYLES: Mapping[str, Callable[[Form, float, float, float], Grasps]] = MappingProxyType(
    {
        "remote": _remote,
        "calculator": _calculator,
        "mouse": _mouse,
        "stapler": _stapler,
        "dispenser": _dispenser,
        "clock": _clock,
        "camera": _camera,
        "speaker": _speaker,
        "frame": _frame,
        "phone": _phone,
    }
)
FLAT_TOPPED = ("speaker", "calculator")


def make_gadget(p: Params) -> Blueprint:
    """Make a desk thing by `style`; its front is at -y and its measures are those of the box around it."""
    form = Form()
    x, y, h = p.positive("length") / 2.0, p.positive("width") / 2.0, p.positive("height")
    style = p.choice("style", tuple(STYLES))
    grasps = STYLES[style](form, x, y, h)
    flat = (flat_rectangle(x, y, h),) if style in FLAT_TOPPED else ()
    return form.blueprint(support_regions=flat, grasps=grasps)


KINDS = (
    Kind(
        "gadget",
        {"style": "remote", "length": 0.16, "width": 0.044, "height": 0.026},
        PRINTED_PART_LOOKS,
        make_gadget,
        paint_printed_parts,
    ),
)
