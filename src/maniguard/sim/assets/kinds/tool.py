"""Long things that lie on the table and are held by their handle: kitchen and workshop tools, pens, torches."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from maniguard.sim.assets import grasps as holds
from maniguard.sim.assets.asset import Blueprint, Kind, Params
from maniguard.sim.assets.form import Form
from maniguard.sim.assets.kinds.painting import PART_LOOKS, paint_parts
from maniguard.sim.scene import Grasp

Array = NDArray[np.float64]


def across_handle(x_m: float, top_m: float, width_m: float, *, name: str = "handle") -> Grasp:
    """Return a grasp from above across a bar along x whose upper side is at `top_m`."""
    tcp_z = max(holds.LOWEST_TCP_M, top_m - 0.012)
    return holds.pointing(name, "handle", (x_m, 0.0, tcp_z), (0, 0, -1), (0, 1, 0), width_m)


def oval(half_x: float, half_y: float, *, count: int = 20) -> Array:
    """Return an ellipse (count, 2), counter-clockwise."""
    t = 2.0 * np.pi * np.arange(count) / count
    return np.stack([half_x * np.cos(t), half_y * np.sin(t)], axis=1)


SIDES = 12


def lying_height(radius_m: float) -> float:
    """Return how high the axis of a lying twelve-sided bar of this mean radius is, one side being down."""
    return radius_m * 2.0 * float(np.cos(np.pi / SIDES) / (1.0 + np.cos(np.pi / SIDES)))


HEADS = ("spoon", "turner", "knife", "bit", "hammer", "bristles", "paddle", "loop")


def make_tool(p: Params) -> Blueprint:
    """Make a tool along x: a handle that ends at -x, a neck, and a head that ends at +x."""
    form = Form()
    handle, neck, head = p.positive("handle_length"), p.number("neck_length"), p.positive("head_length")
    wide, tall = p.positive("handle_width") / 2.0, p.positive("handle_height")
    half = (handle + neck + head) / 2.0
    root, start = -half + handle, half - head
    matter, grip = p.text("substance"), p.text("handle_substance")
    form.block(
        "main", (-half + handle / 2.0, 0.0, tall / 2.0), (handle / 2.0, wide, tall / 2.0), 0.4 * wide, grip, steps=2
    )
    if p.number("collar") > 0.0:
        long = p.number("collar") / 2.0
        form.block("third", (root - long, 0.0, tall / 2.0), (long, wide + 0.0008, tall / 2.0), 0.3 * wide, None)
    if neck > 0.0:
        thick = p.positive("neck_thickness") / 2.0
        low = np.array([root - 0.004, 0.0, max(0.5 * tall, thick)])
        form.rod("second", low, (start + 0.004, 0.0, max(thick, 0.5 * p.positive("head_height"))), thick, matter)
    _head(form, p, start, half, matter)
    mass_x = form.center_x()
    place = float(np.clip(mass_x, -half + 0.016, root - 0.012))
    far = float(np.clip(-half + 0.4 * handle, -half + 0.016, root - 0.012))
    grasps = [across_handle(place, tall, 2.0 * wide)]
    if abs(far - place) > 0.015:
        grasps.append(across_handle(far, tall, 2.0 * wide, name="handle-back"))
    return form.blueprint(grasps=tuple(grasps))


def _head(form: Form, p: Params, start: float, end: float, matter: str) -> None:
    length, width, high = end - start, p.positive("head_width") / 2.0, p.positive("head_height")
    middle = (start + end) / 2.0
    style = p.choice("head", HEADS)
    if style in ("spoon", "paddle"):
        plan = oval(length / 2.0, width)
        if style == "spoon":
            # The bowl: a low rim around a sunken floor, both in the same oval.
            form.plate("second", 0.86 * plan, 0.0, 0.45 * high, matter, at=(middle, 0.0, 0.0), touch=False)
            form.plate("second", plan, 0.4 * high, 0.8 * high, None, at=(middle, 0.0, 0.0), touch=False)
            form.plate("third", 0.8 * plan, 0.78 * high, 0.84 * high, None, at=(middle, 0.0, 0.0), bevel=0.0002)
            form.touch_plan(plan, 0.0, high * 0.84, at=(middle, 0.0))
        else:
            form.plate("second", plan, 0.0, high, matter, at=(middle, 0.0, 0.0))
    elif style == "turner":
        plan = np.array([(-1.0, -0.7), (1.0, -1.0), (1.0, 1.0), (-1.0, 0.7)]) * (length / 2.0, width)
        form.plate("second", plan, 0.0, high, matter, at=(middle, 0.0, 0.0))
        for y in (-0.45, 0.0, 0.45):
            slot = (middle + 0.08 * length, y * width, high + 0.0001)
            form.block("dark", slot, (0.3 * length, 0.07 * width, 0.0003), 0.0001, touch=False)
    elif style == "knife":
        plan = np.array([(-1.0, -0.9), (0.55, -0.9), (1.0, 0.55), (0.95, 0.9), (-1.0, 0.9)]) * (length / 2.0, width)
        form.plate("second", plan, 0.0, high, matter, at=(middle, 0.0, 0.0), bevel=0.0004)
    elif style == "bit":
        low = np.array([start, 0.0, width])
        form.rod("second", low, (end - 0.01, 0.0, width), width, matter)
        form.block("second", (end - 0.006, 0.0, width), (0.006, width, 0.6 * width), 0.0004, matter)
    elif style == "hammer":
        reach = p.positive("head_width") / 2.0
        side = high / 2.0
        form.block("second", (middle, 0.0, side), (length / 2.0, 0.55 * reach, side), 0.002, matter, steps=2)
        form.rod("second", (middle, 0.4 * reach, side), (middle, reach, side), 0.95 * side, matter)
        peen = np.array([(-0.5, 0.3), (-0.3, -0.3), (0.3, -0.3), (0.5, 0.3)]) * (length, reach)
        form.plate("second", peen, 0.2 * side, 1.8 * side, matter, at=(middle, -0.7 * reach, 0.0))
    elif style == "bristles":
        form.block("main", (middle, 0.0, high - 0.006), (length / 2.0, width, 0.006), 0.004, matter, steps=2)
        foot = (middle, 0.0, (high - 0.011) / 2.0)
        form.block("third", foot, (0.46 * length, 0.86 * width, (high - 0.011) / 2.0), 0.003, "bristle")
    else:
        # A whisk: wires from the neck to the tip, touched as one body.
        rise = lying_height(0.9 * width)
        for turn in np.linspace(0.0, np.pi, 4)[:-1]:
            t = np.linspace(0.0, 2.0 * np.pi, 17)
            path = np.stack([start + length * np.sin(t / 2.0), 0.0 * t, 0.9 * width * np.sin(t)], axis=1)
            rotation = np.array(
                [[1.0, 0.0, 0.0], [0.0, np.cos(turn), -np.sin(turn)], [0.0, np.sin(turn), np.cos(turn)]]
            )
            form.bent(
                "second", path, 0.0011, 0.0011, matter, touch=False, turn=rotation, at=(0.0, 0.0, width), around=5
            )
        shape = [(0.1, 0.0), (0.47, 0.3), (0.72, 0.45), (0.9, 0.62), (0.9, 0.74), (0.7, 0.9), (0.2, 1.0)]
        form.turned(
            "second",
            [(r * width, z * length) for r, z in shape],
            None,
            at=(start, 0.0, rise),
            axis=(1.0, 0.0, 0.0),
            sides=SIDES,
            seen=False,
            exact=True,
        )


KINDS = (
    Kind(
        "tool",
        {
            "head": "spoon",
            "handle_length": 0.1,
            "handle_width": 0.02,
            "handle_height": 0.018,
            "collar": 0.0,
            "neck_length": 0.06,
            "neck_thickness": 0.008,
            "head_length": 0.06,
            "head_width": 0.045,
            "head_height": 0.012,
            "substance": "steel",
            "handle_substance": "plastic",
        },
        {**PART_LOOKS, "second_finish": "metal", "second_color": "#c2c6ca"},
        make_tool,
        paint_parts,
    ),
)
