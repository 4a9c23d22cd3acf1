"""Soap, sponges, dispensers, scent, rolls and towels."""

from __future__ import annotations

import numpy as np

from maniguard.sim.assets import grasps as holds
from maniguard.sim.assets.asset import Blueprint, Kind, Params
from maniguard.sim.assets.form import Form
from maniguard.sim.assets.hollow import flat_rectangle
from maniguard.sim.assets.kinds.painting import PRINTED_PART_LOOKS, paint_printed_parts
from maniguard.sim.assets.profile import cone_volume

SOFT_STYLES = ("sponge", "soap", "towel", "eraser")


def make_soft(p: Params) -> Blueprint:
    """Make a soft block: sponge with a scouring side, soap, folded towel, eraser in a sleeve."""
    form = Form()
    x, y, h = p.positive("length") / 2.0, p.positive("width") / 2.0, p.positive("height")
    matter = p.text("substance")
    style = p.choice("style", SOFT_STYLES)
    if style == "sponge":
        scour = p.number("scour") * h
        form.block(
            "main", (0.0, 0.0, (h - scour) / 2.0), (x, y, (h - scour) / 2.0), 0.004, matter, steps=2, touch=False
        )
        if scour > 0.0:
            form.block("second", (0.0, 0.0, h - scour / 2.0), (x, y, scour / 2.0), 0.001, matter, touch=False)
        form.touch_plan(np.array([(-x, -y), (x, -y), (x, y), (-x, y)]), 0.0, h)
    elif style == "soap":
        form.block("main", (0.0, 0.0, h / 2.0), (x, y, h / 2.0), 0.42 * h, matter, steps=3)
        form.block("second", (0.0, 0.0, h - 0.0004), (0.3 * x, 0.26 * y, 0.0008), 0.0005, touch=False)
    elif style == "towel":
        folds = max(int(p.number("folds")), 1)
        thick = h / folds
        for k in range(folds):
            slot = "second" if k == folds - 2 and folds > 2 else "main"
            at = (0.0, 0.0, thick * (k + 0.5))
            form.block(slot, at, (x, y, thick / 2.0), 0.45 * thick, matter, steps=2, touch=False)
        form.touch_plan(np.array([(-x, -y), (x, -y), (x, y), (-x, y)]), 0.0, h)
    else:
        form.block("main", (0.0, 0.0, h / 2.0), (x, y, h / 2.0), 0.003, matter)
        form.block("second", (-0.22 * x, 0.0, h / 2.0), (0.7 * x, y + 0.0004, h / 2.0 + 0.0002), 0.0006, touch=False)
    flat = (flat_rectangle(0.9 * x, 0.9 * y, h),) if style != "soap" else ()
    return form.blueprint(
        support_regions=flat,
        grasps=holds.top_of_low_box((x, y), h) if h < 0.027 else holds.top_of_box((x, y, h / 2.0), h),
    )


def make_pump(p: Params) -> Blueprint:
    """Make a dispenser: a round or square bottle with a pump whose spout points along +x; held around the body."""
    form = Form()
    r, h, neck = p.positive("radius"), p.positive("height"), p.positive("neck_radius")
    body_h = p.positive("body_share") * h
    square = p.choice("plan", ("round", "square")) == "square"
    if square:
        form.block("main", (0.0, 0.0, body_h / 2.0), (r, r, body_h / 2.0), 0.006, None, steps=2)
        form.weigh(8.0 * r * r * body_h / 2.0 * 0.85, p.text("contents"))
        outer = np.array([(r, 0.0), (r, body_h)])
    else:
        shoulder = 0.86 * body_h
        outer = np.array([(0.93 * r, 0.0), (r, 0.004), (r, shoulder), (0.82 * r, 0.95 * body_h), (0.5 * r, body_h)])
        form.turned("main", outer, None, limit=5, segments=28)
        form.weigh(0.85 * cone_volume(outer), p.text("contents"))
    form.weigh(2.0 * np.pi * r * body_h * 0.0016, p.text("substance"))
    collar, top = body_h + 0.012, h
    form.turned("second", [(neck, body_h), (neck, collar)], "plastic", limit=2, segments=18)
    form.turned("second", [(0.4 * neck, collar), (0.4 * neck, top - 0.012)], "plastic", limit=2, segments=12)
    form.turned("second", [(0.95 * neck, top - 0.012), (0.85 * neck, top)], "plastic", limit=2, segments=18)
    reach = p.positive("spout")
    form.rod("second", (0.0, 0.0, top - 0.006), (reach, 0.0, top - 0.009), 0.0045, "plastic", end_radius=0.003)
    grasps: tuple[holds.Grasp, ...]
    if square:
        tcp_z = min(0.09, 0.6 * body_h)
        sides = [(180, (1, 0, 0), (0, 1, 0)), (90, (0, -1, 0), (1, 0, 0)), (270, (0, 1, 0), (1, 0, 0))]
        grasps = tuple(
            holds.pointing(f"side-{k}", "side", (0.0, 0.0, tcp_z), approach, closing, 2.0 * r)
            for k, approach, closing in sides
        )
    else:
        grasps = holds.side_of_body(outer)
    if p.number("label_high") > p.number("label_low") and not square:
        low, high = p.number("label_low") * body_h, p.number("label_high") * body_h
        form.turned("label", [(r + 0.0003, low), (r + 0.0003, high)], None, touch=False)
    return form.blueprint(grasps=grasps)


def make_flask(p: Params) -> Blueprint:
    """Make a scent bottle: a thick block of glass with its contents inside, a collar and a cap to hold it by."""
    form = Form()
    x, y, h = p.positive("length") / 2.0, p.positive("width") / 2.0, p.positive("height")
    body = p.positive("body_share") * h
    form.block("third", (0.0, 0.0, 0.55 * body), (0.84 * x, 0.78 * y, 0.38 * body), 0.004, "water", touch=False)
    form.block("main", (0.0, 0.0, body / 2.0), (x, y, body / 2.0), 0.004, "glass", steps=2)
    cap = p.positive("cap_radius")
    form.turned("metal", [(0.8 * cap, body), (0.8 * cap, body + 0.004)], None, limit=2, segments=20)
    form.turned("second", [(cap, body + 0.004), (cap, h - 0.001), (0.92 * cap, h)], "wood", limit=2, segments=24)
    return form.blueprint(grasps=holds.around_knob(cap, h - 0.011))


def make_holder(p: Params) -> Blueprint:
    """Make a paper-towel holder: base, rod with a knob to hold it by, and a roll of tissue around the rod."""
    form = Form()
    base, h, rod = p.positive("base_radius"), p.positive("height"), p.positive("rod_radius")
    low, roll, tall = 0.012, p.positive("roll_radius"), p.positive("roll_height")
    form.turned(
        "main", [(base - 0.002, 0.0), (base, 0.002), (base, low - 0.003), (base - 0.004, low)], p.text("substance")
    )
    form.turned("main", [(rod, low + tall), (rod, h - 0.03)], p.text("substance"), limit=2, segments=16)
    knob = p.positive("knob_radius")
    profile = [(0.8 * knob, h - 0.03), (knob, h - 0.024), (knob, h - 0.005), (0.7 * knob, h)]
    form.turned("main", profile, p.text("substance"), limit=4, segments=20)
    edge = [(roll - 0.003, low), (roll, low + 0.003), (roll, low + tall - 0.003), (roll - 0.003, low + tall)]
    form.turned("third", edge, "tissue", limit=2, segments=32)
    core = [(0.02, low + tall), (0.02, low + tall + 0.0006)]
    form.turned("paper", core, None, touch=False)
    return form.blueprint(grasps=holds.around_knob(knob, h - 0.0145))


KINDS = (
    Kind(
        "soft",
        {
            "style": "sponge",
            "length": 0.09,
            "width": 0.06,
            "height": 0.04,
            "scour": 0.18,
            "folds": 4.0,
            "substance": "sponge",
        },
        {
            **PRINTED_PART_LOOKS,
            "finish": "matte",
            "color": "#f2c84b",
            "second_finish": "matte",
            "second_color": "#3f7d4e",
        },
        make_soft,
        paint_printed_parts,
    ),
    Kind(
        "pump",
        {
            "radius": 0.031,
            "height": 0.17,
            "neck_radius": 0.013,
            "body_share": 0.7,
            "spout": 0.042,
            "plan": "round",
            "label_low": 0.0,
            "label_high": 0.0,
            "substance": "plastic",
            "contents": "detergent",
        },
        {**PRINTED_PART_LOOKS, "color": "#e8e4da"},
        make_pump,
        paint_printed_parts,
    ),
    Kind(
        "flask",
        {"length": 0.05, "width": 0.028, "height": 0.085, "body_share": 0.66, "cap_radius": 0.012},
        {
            **PRINTED_PART_LOOKS,
            "finish": "coloured-glass",
            "color": "#d9a05b",
            "third_finish": "liquid",
            "third_color": "#c98d3e",
        },
        make_flask,
        paint_printed_parts,
    ),
    Kind(
        "holder",
        {
            "base_radius": 0.062,
            "height": 0.3,
            "rod_radius": 0.008,
            "knob_radius": 0.012,
            "roll_radius": 0.055,
            "roll_height": 0.22,
            "substance": "wood",
        },
        {**PRINTED_PART_LOOKS, "finish": "wood", "color": "#c79a63", "third_finish": "paper"},
        make_holder,
        paint_printed_parts,
    ),
)
