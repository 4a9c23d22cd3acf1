"""Teapots, kettles, coffee pots and watering cans: a closed body with spout and handle."""

from __future__ import annotations

import numpy as np

from maniguard.sim.assets import grasps as holds
from maniguard.sim.assets.asset import Blueprint, Kind, Params
from maniguard.sim.assets.form import Form
from maniguard.sim.assets.kinds.painting import PART_LOOKS, paint_parts
from maniguard.sim.assets.profile import cone_volume, radius_at, smooth


def make_pourer(p: Params) -> Blueprint:
    """Make a pot with its spout at -x and its handle at +x, a lid and a knob; "over" puts the handle over the top."""
    form = Form()
    h, foot, belly, neck = (p.positive(k) for k in ("height", "foot_radius", "belly_radius", "neck_radius"))
    points = [(foot, 0.0), (belly, p.positive("belly_at") * h), (neck, h)]
    sides = int(p.number("sides"))
    outer = smooth(points, count=12) if p.choice("shape", ("round", "straight")) == "round" else np.array(points)
    # Few sides: a faceted body, as of a coffee pot.
    form.turned("main", outer, None, limit=6, segments=sides or 28, sides=sides or 16)
    knob = p.positive("knob_radius")
    lid = [(0.94 * neck, h), (0.9 * neck, h + 0.004), (0.45 * neck, h + 0.009)]
    form.turned("second", lid, None, limit=3, segments=sides or 24)
    top = h + 0.009
    form.turned(
        "second", [(0.6 * knob, top - 0.001), (knob, top + 0.9 * knob), (0.6 * knob, top + 1.7 * knob)], "wood", limit=3
    )
    _spout(form, p, outer, h)
    overhead = p.choice("handle", ("side", "over")) == "over"
    grasps = _over(form, p, neck, h) if overhead else _beside(form, p, outer, h)
    form.weigh(0.82 * cone_volume(outer) * p.number("fill"), "water")
    shell = cone_volume(outer) - cone_volume(np.maximum(outer - (p.positive("wall"), 0.0), 0.0))
    form.weigh(shell, p.text("substance"))
    return form.blueprint(grasps=grasps)


def _spout(form: Form, p: Params, outer: np.ndarray, h: float) -> None:
    out, low, high = p.positive("spout"), p.positive("spout_low") * h, p.positive("spout_high") * h
    root, mouth = radius_at(outer, low) - 0.004, radius_at(outer, min(high, h)) + out
    t = np.linspace(0.0, 1.0, 9)
    x = root + (mouth - root) * (0.75 * t + 0.25 * t**2)
    z = low + (high - low) * (0.25 * t + 0.75 * t**1.6)
    path = np.stack([-x, 0.0 * t, z], axis=1)
    r = p.positive("spout_radius")
    form.bent("main", path, r, r, None, around=12, pieces=3, round_ends=False)


def _beside(form: Form, p: Params, outer: np.ndarray, h: float) -> tuple[holds.Grasp, ...]:
    low, high, deep = 0.22 * h, 0.86 * h, p.positive("handle_depth")
    wide, thick = p.positive("handle_width") / 2.0, p.positive("handle_thickness") / 2.0
    a, b = radius_at(outer, high) - 0.003, radius_at(outer, low) - 0.003
    far = max(a, b, radius_at(outer, 0.55 * h)) + deep
    t = np.linspace(0.0, 1.0, 13)
    x = np.interp(t, [0.0, 0.25, 0.5, 0.8, 1.0], [a, far - 0.15 * deep, far, far - 0.3 * deep, b])
    z = np.interp(t, [0.0, 0.2, 0.5, 0.8, 1.0], [high, high + 0.02 * h, 0.6 * h, low + 0.04 * h, low])
    ease = smooth([(float(u), float(v)) for u, v in zip(x + 1.0, z, strict=True)][::-1], count=13)
    path = np.stack([ease[:, 0] - 1.0, np.zeros(len(ease)), ease[:, 1]], axis=1)
    form.bent("second", path, wide, thick, "plastic", part="handle", pieces=8)
    tcp_z = min(high - 0.006, 0.72 * h)
    place = float(path[np.argmin(np.abs(path[:, 2] - tcp_z) - 10.0 * (path[:, 0] > a + 0.5 * deep)), 0])
    width = wide + thick
    return (holds.pointing("handle", "handle", (place, 0.0, tcp_z), (0, 0, -1), (0, 1, 0), width),)


def _over(form: Form, p: Params, neck: float, h: float) -> tuple[holds.Grasp, ...]:
    wide, thick, rise = (
        p.positive("handle_width") / 2.0,
        p.positive("handle_thickness") / 2.0,
        p.positive("handle_depth"),
    )
    half = neck + 0.012
    low, high = h - 0.01, h + 0.02 + rise
    t = np.linspace(-1.0, 1.0, 15)
    path = np.stack([half * t, 0.0 * t, low + (high - low) * (1.0 - np.abs(t) ** 3.2)], axis=1)
    form.bent("second", path, wide, thick, "plastic", part="handle", pieces=6)
    tcp = (0.0, 0.0, high - 0.004)
    return (holds.pointing("handle", "handle", tcp, (0, 0, -1), (0, 1, 0), wide + thick),)


KINDS = (
    Kind(
        "pourer",
        {
            "height": 0.1,
            "foot_radius": 0.04,
            "belly_radius": 0.058,
            "belly_at": 0.45,
            "neck_radius": 0.034,
            "shape": "round",
            "sides": 0.0,
            "knob_radius": 0.008,
            "spout": 0.03,
            "spout_low": 0.35,
            "spout_high": 0.95,
            "spout_radius": 0.008,
            "handle": "side",
            "handle_depth": 0.034,
            "handle_width": 0.014,
            "handle_thickness": 0.01,
            "wall": 0.004,
            "fill": 0.0,
            "substance": "stoneware",
        },
        {**PART_LOOKS, "finish": "glaze", "color": "#39586b", "second_finish": "glaze", "second_color": "#39586b"},
        make_pourer,
        paint_parts,
    ),
)
