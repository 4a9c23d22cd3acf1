"""Toys: building blocks, cars, balls, ducks, puzzle cubes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

import numpy as np

from maniguard.sim.assets import grasps as holds
from maniguard.sim.assets.asset import Blueprint, Kind, Params
from maniguard.sim.assets.form import Form
from maniguard.sim.assets.hollow import flat_rectangle
from maniguard.sim.assets.kinds.painting import PART_LOOKS, paint_parts
from maniguard.sim.assets.mesh import sweep
from maniguard.trace.scene import Region

Result = tuple[tuple[holds.Grasp, ...], tuple[Region, ...]]
LYING_Y = (0.0, 1.0, 0.0)


def _cube(form: Form, x: float, y: float, h: float, matter: str) -> Result:
    form.block("main", (0.0, 0.0, h / 2.0), (x, y, h / 2.0), 0.002, matter, steps=2)
    return holds.top_of_box((x, y, h / 2.0), h), (flat_rectangle(x, y, h),)


def _dice(form: Form, x: float, y: float, h: float, matter: str) -> Result:
    form.block("main", (0.0, 0.0, h / 2.0), (x, y, h / 2.0), 0.18 * h, matter, steps=3)
    r = 0.09 * h
    for a, b in ((-0.5, -0.5), (0.5, 0.5), (0.0, 0.0)):
        form.turned("dark", [(r, 0.0), (r, 0.0004)], None, at=(a * x, b * y, h - 0.0002), touch=False, segments=14)
        front = (a * x, -y + 0.0002, h * (0.5 + 0.5 * b * 0.9))
        form.turned("dark", [(r, 0.0), (r, 0.0004)], None, at=front, axis=(0.0, -1.0, 0.0), touch=False, segments=14)
    for a, b in ((-0.5, -0.5), (0.5, 0.5), (-0.5, 0.5), (0.5, -0.5)):
        side = (x - 0.0002, a * y, h * (0.5 + 0.5 * b))
        form.turned("dark", [(r, 0.0), (r, 0.0004)], None, at=side, axis=(1.0, 0.0, 0.0), touch=False, segments=14)
    return holds.top_of_box((x, y, h / 2.0), h), (flat_rectangle(0.8 * x, 0.8 * y, h),)


def _puzzle(form: Form, x: float, y: float, h: float, matter: str) -> Result:
    form.block("dark", (0.0, 0.0, h / 2.0), (x, y, h / 2.0), 0.002, matter)
    slots = ("main", "second", "third")
    for axis, (right, up) in ((0, (1, 2)), (1, (0, 2)), (2, (0, 1))):
        for sign in (1.0, -1.0):
            for i in range(3):
                for j in range(3):
                    at, half = np.zeros(3), np.full(3, 0.0008)
                    sizes = np.array([x, y, h / 2.0])
                    at[axis] = sign * sizes[axis]
                    at[right], at[up] = (i - 1) * sizes[right] * 2.0 / 3.0, (j - 1) * sizes[up] * 2.0 / 3.0
                    half[right], half[up] = 0.28 * sizes[right], 0.28 * sizes[up]
                    at[2] += h / 2.0
                    colour = slots[(i * 2 + j + axis + (sign > 0)) % 3]
                    form.block(colour, at, half, 0.0001, touch=False, steps=0)
    return holds.top_of_box((x, y, h / 2.0), h), (flat_rectangle(x, y, h),)


def _brick(form: Form, x: float, y: float, h: float, matter: str) -> Result:
    stud = 0.16 * h
    body = h - stud
    form.block("main", (0.0, 0.0, body / 2.0), (x, y, body / 2.0), 0.0012, matter)
    nx, ny = max(round(x / 0.012), 1), max(round(y / 0.012), 1)
    for i in range(nx):
        for j in range(ny):
            at = (x * (2 * i + 1 - nx) / nx, y * (2 * j + 1 - ny) / ny, body)
            r = 0.6 * min(x / nx, y / ny)
            form.turned("main", [(r, 0.0), (r, stud)], None, at=at, touch=False, segments=14)
    form.touch_plan(np.array([(-x, -y), (x, -y), (x, y), (-x, y)]) * 0.85, body, h)
    return holds.top_of_box((x, y, body / 2.0), body), (flat_rectangle(0.85 * x, 0.85 * y, h),)


def _arch(form: Form, x: float, y: float, h: float, matter: str) -> Result:
    post = 0.36 * x
    for sign in (1.0, -1.0):
        form.block("main", (sign * (x - post / 2.0), 0.0, 0.28 * h), (post / 2.0, y, 0.28 * h), 0.001, matter)
    form.block("main", (0.0, 0.0, 0.78 * h), (x, y, 0.22 * h), 0.001, matter)
    tcp = (0.0, 0.0, h - 0.014)
    return (holds.pointing("top-y", "top", tcp, (0, 0, -1), (0, 1, 0), 2.0 * y),), (flat_rectangle(x, y, h),)


def _roof(form: Form, x: float, y: float, h: float, matter: str) -> Result:
    plan = np.array([(-y, 0.0), (y, 0.0), (0.15 * y, h), (-0.15 * y, h)]) - (0.0, h / 2.0)
    turn = np.array([[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
    form.plate("main", plan, -x, x, matter, bevel=0.0008, turn=turn, at=(0.0, 0.0, h / 2.0))
    tcp = (0.0, 0.0, max(holds.LOWEST_TCP_M, 0.5 * h))
    return (holds.pointing("top-x", "top", tcp, (0, 0, -1), (1, 0, 0), 2.0 * x),), ()


def _car(form: Form, x: float, y: float, h: float, matter: str) -> Result:
    wheel = 0.24 * h
    form.block("main", (0.0, 0.0, 0.42 * h), (x, y, 0.22 * h), 0.005, matter, steps=2)
    form.block("main", (-0.12 * x, 0.0, 0.8 * h), (0.52 * x, 0.86 * y, 0.2 * h), 0.006, matter, steps=2)
    form.block("third", (-0.12 * x, 0.0, 0.78 * h), (0.4 * x, 0.875 * y, 0.11 * h), 0.002, touch=False)
    form.block("third", (-0.12 * x, 0.0, 0.78 * h), (0.53 * x, 0.7 * y, 0.11 * h), 0.002, touch=False)
    rise = wheel * 2.0 * np.cos(np.pi / 12) / (1.0 + np.cos(np.pi / 12))
    for sx in (0.58, -0.58):
        for sign in (1.0, -1.0):
            at = (sx * x, sign * y - 0.0065 * (sign > 0) - 0.0005 * (sign < 0) + 0.001, rise)
            form.turned("second", [(wheel, 0.0), (wheel, 0.0055)], "rubber", at=at, axis=LYING_Y, sides=12, limit=2)
            cap = (at[0], at[1] + (0.0056 if sign > 0 else -0.0006), rise)
            form.turned("metal", [(0.5 * wheel, 0.0), (0.45 * wheel, 0.0006)], None, at=cap, axis=LYING_Y, touch=False)
    # Around the body between the wheels, which is wider than the cabin.
    tcp = (0.0, 0.0, max(holds.LOWEST_TCP_M, 0.42 * h))
    return (holds.pointing("top-y", "top", tcp, (0, 0, -1), (0, 1, 0), 2.0 * y),), ()


def _ball(form: Form, x: float, y: float, h: float, matter: str) -> Result:
    # Flattened below by a little, so that it stays where it is put.
    t = np.linspace(-0.5 * np.pi, 0.5 * np.pi, 15)
    r = h / 2.0
    outer = np.stack([r * np.cos(t), r + r * np.sin(t)], axis=1)
    cut = outer[outer[:, 0] >= 0.34 * r]
    low = cut[0, 1]
    body = np.concatenate([cut[:1] * (0.96, 1.0), cut, [(0.12 * r, h)]]) - (0.0, low)
    body[0, 1] = 0.0
    form.turned("main", body, None, seen=False, limit=7, sides=16)
    for slot, a, b in (("main", -1.0, -0.22), ("second", -0.22, 0.22), ("main", 0.22, 1.0)):
        z = np.linspace(max(r + a * r - low, 0.0), r + b * r - low, 8)
        radii = np.sqrt(np.maximum(r**2 - (z + low - r) ** 2, 0.0))
        form.turned(slot, np.c_[radii, z], None, touch=False, segments=28)
    form.weigh(4.19 * r**3, matter)
    return holds.top_of_body(body[1:]), ()


def _duck(form: Form, x: float, y: float, h: float, matter: str) -> Result:
    body = [(0.62, 0.0), (0.95, 0.12), (1.0, 0.24), (0.9, 0.4), (0.55, 0.5), (0.2, 0.53)]
    form.turned("main", [(r * y, z * h) for r, z in body], matter, limit=6)
    tail = np.array([(-0.96, 0.52), (-0.9, 0.46), (-0.78, 0.38), (-0.5, 0.33)])
    path = np.stack([tail[:, 0] * x, np.zeros(4), tail[:, 1] * h], axis=1)
    form.see(sweep("main", path, np.array([0.06, 0.2, 0.34, 0.5]) * y, np.array([0.002, 0.006, 0.009, 0.009])))
    head = [(0.2, 0.0), (0.5, 0.1), (0.58, 0.24), (0.5, 0.38), (0.2, 0.48)]
    form.turned(
        "main", [(r * y, z * h + 0.001) for r, z in head], matter, at=(0.28 * y, 0.0, 0.51 * h), limit=5, sides=16
    )
    form.block("second", (0.28 * y + 0.66 * y, 0.0, 0.72 * h), (0.16 * y, 0.18 * y, 0.03 * h), 0.003, steps=2)
    for sign in (1.0, -1.0):
        eye = (0.28 * y + 0.44 * y, sign * 0.3 * y, 0.81 * h)
        form.block("dark", eye, (0.0022, 0.0022, 0.0028), 0.0018, touch=False, steps=2)
    tcp = (0.28 * y, 0.0, 0.75 * h)
    return (
        holds.pointing("top-y", "top", tcp, (0, 0, -1), (0, 1, 0), 1.16 * y),
        holds.pointing("body", "top", (0.0, 0.0, 0.26 * h), (0, 0, -1), (0, 1, 0), 2.0 * y),
    )[: 1 if 0.26 * h + 0.045 < h + 0.003 else 2], ()


STYLES: Mapping[str, Callable[[Form, float, float, float, str], Result]] = MappingProxyType(
    {
        "cube": _cube,
        "dice": _dice,
        "puzzle": _puzzle,
        "brick": _brick,
        "arch": _arch,
        "roof": _roof,
        "car": _car,
        "ball": _ball,
        "duck": _duck,
    }
)


def make_toy(p: Params) -> Blueprint:
    """Make a toy by `style`; its measures are those of the box around it."""
    form = Form()
    x, y, h = p.positive("length") / 2.0, p.positive("width") / 2.0, p.positive("height")
    grasps, flat = STYLES[p.choice("style", tuple(STYLES))](form, x, y, h, p.text("substance"))
    return form.blueprint(support_regions=flat, grasps=grasps)


KINDS = (
    Kind(
        "toy",
        {"style": "cube", "length": 0.04, "width": 0.04, "height": 0.04, "substance": "wood"},
        {**PART_LOOKS, "finish": "enamel", "color": "#d64550", "second_color": "#f2b134", "third_color": "#2d7dd2"},
        make_toy,
        paint_parts,
    ),
)
