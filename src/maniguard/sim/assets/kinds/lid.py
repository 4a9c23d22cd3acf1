"""Lids with a plug that goes into a mouth: with a knob, with a handle, small caps."""

from __future__ import annotations

import numpy as np

from maniguard.sim.assets import grasps as holds
from maniguard.sim.assets.asset import Blueprint, Kind, Params
from maniguard.sim.assets.form import Form
from maniguard.sim.assets.hollow import flat_top
from maniguard.sim.assets.kinds.painting import PART_LOOKS, paint_parts
from maniguard.trace.scene import Region

STYLES = ("knob", "handle", "cap", "tall-knob")


def make_lid(p: Params) -> Blueprint:
    """Make a lid that stands on its plug; the flange rests on the rim of a container, the plug centres it.

    A knob is round; "tall-knob" has a slim neck, "handle" is a bar along x, "cap" is all one cylinder to hold.
    """
    form = Form()
    flange, plug, skirt = p.positive("flange_radius"), p.positive("plug_radius"), p.positive("skirt")
    thick, grip_r, grip_h = p.positive("thickness"), p.positive("grip_radius"), p.positive("grip_height")
    style, matter = p.choice("style", STYLES), p.text("substance")
    seat, top = skirt, skirt + thick
    form.turned("third", [(plug - 0.0006, 0.0), (plug, 0.001), (plug, seat)], None, limit=2)
    if style == "cap":
        form.turned(
            "main", [(flange, seat), (flange, top + grip_h - 0.0012), (flange - 0.0012, top + grip_h)], None, limit=2
        )
        outer = np.array([(flange, seat), (flange, top + grip_h)])
        grasps = holds.top_of_body(outer, deepest_m=min(0.03, grip_h))
        height = top + grip_h
    else:
        dome = p.number("dome")
        plan = [(flange - 0.001, seat), (flange, seat + 0.001), (flange, top - 0.001), (flange - 0.0012, top)]
        if dome > 0.0:
            plan += [(0.7 * flange, top + 0.6 * dome), (1.2 * grip_r, top + dome)]
        form.turned("main", plan, None, limit=4, segments=32)
        foot, height = top + dome, top + dome + grip_h
        if style == "handle":
            long = p.positive("grip_length") / 2.0
            bar = 0.4 * grip_h
            form.block(
                "second", (0.0, 0.0, height - bar / 2.0), (long, grip_r, bar / 2.0), 0.004, None, steps=2, part="handle"
            )
            for sign in (1.0, -1.0):
                post = (sign * (long - 0.007), 0.0, (foot - 0.001 + height - 0.6 * bar) / 2.0)
                form.block(
                    "second",
                    post,
                    (0.006, 0.8 * grip_r, (height - 0.6 * bar - foot + 0.001) / 2.0),
                    0.002,
                    None,
                    part="handle",
                )
            # A bar with free ends can be held across at its middle, palm along it.
            tcp = (0.0, 0.0, height - 0.009)
            grasps = (holds.pointing("handle", "handle", tcp, (0, 0, -1), (0, 1, 0), 2.0 * grip_r),)
        else:
            if style == "tall-knob":
                form.turned(
                    "second", [(0.55 * grip_r, foot - 0.001), (0.55 * grip_r, height - 0.6 * grip_h)], None, limit=2
                )
            knob = height - grip_h if style == "knob" else height - 0.6 * grip_h
            ball = [(0.86 * grip_r, knob), (grip_r, knob + 0.002), (grip_r, height - 0.002), (0.86 * grip_r, height)]
            form.turned("second", ball, None, limit=2, segments=20)
            # The fingertips stay 3.5 mm above the plate.
            grasps = holds.around_knob(grip_r, height - min(0.012, grip_h - 0.0145))
    # The plate and the wall of the plug, which is hollow; the grip is wood or plastic of little weight.
    form.weigh(float(np.pi * flange**2 * thick + 2.0 * np.pi * plug * 0.003 * skirt), matter)
    form.weigh(
        float(np.pi * grip_r**2 * grip_h) if style != "cap" else float(np.pi * flange**2 * grip_h * 0.4),
        p.text("grip_substance"),
    )
    return form.blueprint(
        plug=Region("cylinder", (round(plug, 6), round(plug, 6), round(skirt, 6))),
        support_regions=(flat_top(flange, height),) if style == "cap" and flange > 0.012 else (),
        grasps=grasps,
    )


KINDS = (
    Kind(
        "lid",
        {
            "style": "knob",
            "flange_radius": 0.0355,
            "plug_radius": 0.028,
            "skirt": 0.006,
            "thickness": 0.005,
            "dome": 0.0,
            "grip_radius": 0.01,
            "grip_height": 0.022,
            "grip_length": 0.05,
            "substance": "stoneware",
            "grip_substance": "wood",
        },
        {**PART_LOOKS, "finish": "glaze", "second_finish": "wood", "second_color": "#8a5a33", "third_finish": "matte"},
        make_lid,
        paint_parts,
    ),
)
