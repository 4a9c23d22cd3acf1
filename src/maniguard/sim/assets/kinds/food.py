"""Round food that stands on a small flat: fruit, vegetables, eggs, buns, muffins."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from maniguard.sim.assets import grasps as holds
from maniguard.sim.assets.asset import Blueprint, Kind, Params
from maniguard.sim.assets.form import Form
from maniguard.sim.assets.kinds.painting import PART_LOOKS, paint_parts
from maniguard.sim.assets.mesh import rotation_z, sweep
from maniguard.sim.assets.profile import cone_volume

Array = NDArray[np.float64]
TOPS = ("plain", "apple", "pear", "citrus", "tomato", "onion", "muffin", "pumpkin")


def make_fruit(p: Params) -> Blueprint:
    """Make a round thing that stands on a small flat: fruit, egg, bun, muffin, by `top`."""
    form = Form()
    r, h = p.positive("radius"), p.positive("height")
    flat, high = p.positive("flat") * r, p.positive("widest_at")
    top = p.choice("top", TOPS)
    dimple = {"apple": 0.1, "tomato": 0.06, "pumpkin": 0.12}.get(top, 0.0) * h
    low = np.linspace(-0.5 * np.pi, 0.5 * np.pi, 15)
    z = np.where(low < 0, high * h * (1.0 + np.sin(low)), high * h + (1.0 - high) * h * np.sin(low))
    radii = r * np.cos(low)
    if top == "pear":
        radii *= 1.0 - 0.42 * np.clip((z / h - 0.45) / 0.4, 0.0, 1.0) ** 1.3 * (z / h < 0.97)
    outer = np.stack([radii, z], axis=1)
    cut = outer[(outer[:, 0] >= flat) | (outer[:, 1] > 0.5 * h)]
    cut[:, 1] -= cut[0, 1]
    scale = h / cut[-1, 1]
    cut[:, 1] *= scale
    body = np.concatenate([[(0.92 * cut[0, 0], 0.0)], cut[1:-1], [(max(0.1 * r, 0.002), h)]])
    if top == "muffin":
        cup = np.array([(0.72 * r, 0.0), (0.9 * r, 0.5 * h)])
        form.turned("second", cup, None, limit=2)
        dome = np.array([(0.9 * r, 0.5 * h), (r, 0.56 * h), (0.97 * r, 0.7 * h), (0.7 * r, 0.9 * h), (0.2 * r, h)])
        form.turned("main", dome, None, limit=4)
        body = np.concatenate([cup, dome[1:]])
    else:
        drawn = body
        if dimple > 0.0:
            drawn = np.concatenate([body[:-1], [(0.22 * r, h - 0.3 * dimple), (0.0, h - dimple)]])
        form.turned("main", drawn, None, touch=False, segments=26)
        form.turned("main", body, None, seen=False, limit=7)
    form.weigh(cone_volume(body), p.text("substance"))
    _crown(form, top, r, h, dimple)
    round_ = np.concatenate([body[:-1], [(body[-1, 0], h)]])
    return form.blueprint(grasps=holds.top_of_body(round_))


def _crown(form: Form, top: str, r: float, h: float, dimple: float) -> None:
    if top in ("apple", "pear", "pumpkin"):
        base = h - dimple - 0.001
        path = np.array([(0.0, 0.0, base), (0.0006, 0.0, base + 0.006), (0.003, 0.0, base + 0.013)])
        form.see(sweep("second", path, 0.0013, 0.0013, around=6))
        if top == "apple":
            t = np.linspace(0.0, 1.0, 5)
            leaf = np.stack([0.002 + 0.014 * t, 0.0 * t, base + 0.009 + 0.003 * t], axis=1)
            form.see(sweep("third", leaf, np.array([0.0004, 0.004, 0.005, 0.003, 0.0004]), 0.0005, around=6))
    if top == "tomato":
        for turn in np.linspace(0.0, 2.0 * np.pi, 6)[:-1]:
            t = np.linspace(0.0, 1.0, 4)
            out = 0.002 + 0.34 * r * t
            path = np.stack([out, 0.0 * t, h - 0.5 * dimple + 0.001 - 0.05 * h * t**2], axis=1)
            sepal = sweep("third", path, np.array([0.002, 0.003, 0.002, 0.0004]), 0.0005, around=6)
            form.see(sepal.moved(rotation_z(float(turn))))
    if top == "citrus":
        button = [(0.0, h - 0.0006), (0.0035, h - 0.0004), (0.0, h + 0.0008)]
        form.turned("second", button, None, touch=False, segments=8)
    if top == "onion":
        tip = [(0.12 * r, h - 0.002), (0.05 * r, h + 0.008), (0.0, h + 0.009)]
        form.turned("main", tip, None, touch=False, segments=10)


KINDS = (
    Kind(
        "fruit",
        {"radius": 0.03, "height": 0.056, "flat": 0.35, "widest_at": 0.5, "top": "plain", "substance": "fruit"},
        {**PART_LOOKS, "finish": "wax", "color": "#b5322c", "second_color": "#5c4326", "third_color": "#5b8c3a"},
        make_fruit,
        paint_parts,
    ),
)
