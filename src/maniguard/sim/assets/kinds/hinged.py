"""Jars whose lid hangs on a hinge."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from maniguard.sim.assets import grasps as holds
from maniguard.sim.assets.asset import Blueprint, Kind, Looks, Params, PartJoint
from maniguard.sim.assets.form import Form
from maniguard.sim.assets.hollow import hollow_body
from maniguard.sim.assets.kinds.closed import label_band
from maniguard.sim.assets.kinds.hollow import VESSEL_DEFAULTS, VESSEL_LOOKS, paint_vessel, silhouette
from maniguard.sim.assets.kinds.painting import PRINTED_PART_LOOKS, paint_printed_parts
from maniguard.sim.assets.materials import Material

# The pivot lies a little behind and above the rim, so that the lid swings clear of the wall.
PIVOT_BEHIND_M, PIVOT_ABOVE_M = 0.002, 0.0015


def make_hinged_jar(p: Params) -> Blueprint:
    """Make a jar with a lid on a hinge at +x; joint 0 is closed, and it starts open at `open_deg`.

    Collision between lid and body is left to the joint's limits. A `knob_height` puts a knob on the lid, `clasp` a
    wire clasp at -x.
    """
    outer = silhouette(p)
    body = hollow_body(outer, p.positive("wall"), p.positive("floor"), bands=2, segments=28, owner=p.kind)
    form = Form()
    for mesh in body.visuals:
        form.see(mesh)
    form.touch(*body.pieces)
    form.weigh(body.volume_m3, p.text("substance"))
    top, reach = float(outer[-1, 1]), float(outer[:, 0].max())
    lid_r, thick = p.positive("lid_radius"), p.positive("lid_thickness")
    low = top + PIVOT_ABOVE_M
    lid_matter = p.text("lid_substance")
    disc = [(lid_r - 0.001, low), (lid_r, low + 0.001), (lid_r, low + thick - 0.001), (lid_r - 0.0015, low + thick)]
    form.turned("main", disc, lid_matter, part="lid", sides=24, limit=2, segments=28)
    gasket = [(lid_r - 0.0095, low - 0.001), (lid_r - 0.009, low + 0.0005)]
    form.turned("third", gasket, None, part="lid", touch=False, segments=28)
    height = low + thick
    knob = p.number("knob_height")
    if knob > 0.0:
        knob_r = p.positive("knob_radius")
        ball = [(0.8 * knob_r, height - 0.001), (knob_r, height + 0.4 * knob), (0.8 * knob_r, height + knob)]
        form.turned("second", ball, "wood", part="lid", limit=3, sides=14, segments=18)
    pivot = reach + PIVOT_BEHIND_M
    # Hinge: a pin, a leaf on the lid, a bracket around the neck.
    form.rod("metal", (pivot, -0.013, low), (pivot, 0.013, low), 0.0022, None, touch=False, segments=10)
    leaf = (0.5 * (lid_r + pivot) - 0.004, 0.0, low + 0.6 * thick)
    form.block("metal", leaf, (0.5 * (pivot - lid_r) + 0.008, 0.009, 0.0011), 0.0005, None, part="lid", touch=False)
    band_z = top - 0.012
    form.see(replace(label_band(outer, band_z - 0.0022, band_z + 0.0022, lift_m=0.0008), slot="metal"))
    form.block("metal", (pivot - 0.0006, 0.0, top - 0.006), (0.0011, 0.007, 0.0075), 0.0005, None, touch=False)
    if p.choice("clasp", ("yes", "no")) == "yes":
        form.rod(
            "metal",
            (-reach - 0.0025, -0.011, top - 0.013),
            (-reach - 0.0025, 0.011, top - 0.013),
            0.0014,
            None,
            touch=False,
        )
        form.block(
            "metal",
            (-lid_r + 0.001, 0.0, low + 0.5 * thick),
            (0.0032, 0.006, 0.0016),
            0.0006,
            None,
            part="lid",
            touch=False,
        )
    if p.number("label_high") > p.number("label_low"):
        form.see(label_band(outer, p.number("label_low") * top, p.number("label_high") * top))
    joint = PartJoint(
        name="lid_hinge",
        kind="hinge",
        part="lid",
        axis=(0.0, 1.0, 0.0),
        lower=0.0,
        upper=round(float(np.radians(p.positive("open_deg"))), 6),
        start=round(float(np.radians(p.positive("open_deg"))), 6),
        anchor_m=(round(pivot, 6), 0.0, round(low, 6)),
        damping=p.number("damping"),
        frictionloss=p.number("frictionloss"),
    )
    side = holds.side_of_body(outer, blocked_deg=(0.0,), azimuths_deg=(180, 150, 210))
    around = holds.top_of_body(outer, blocked_deg=(0.0,), deepest_m=0.024)
    closed = tuple(g for g in around if g.object_T_tcp.position_m[2] + holds.PALM_BEHIND_TCP_M > height + knob + 0.004)
    return form.blueprint(
        rim=body.rim,
        interior=body.interior,
        support_regions=(body.floor,),
        grasps=(*side, *closed),
        joints=(joint,),
    )


def paint_hinged(looks: Looks, p: Params) -> dict[str, Material]:
    """Paint the body as a vessel, the lid and its fittings as parts."""
    body_looks = Looks(p.kind, {k: v for k, v in looks.given.items() if k in VESSEL_LOOKS}, looks.defaults)
    vessel = paint_vessel(body_looks, p)
    parts_looks = {
        "finish": looks.text("lid_finish"),
        "color": looks.text("lid_color"),
        **{k: v for k, v in looks.given.items() if k not in ("finish", "color", "pattern", "accent")},
    }
    return {**paint_printed_parts(Looks(p.kind, parts_looks, looks.defaults), p), **vessel}


KINDS = (
    Kind(
        "hinged_jar",
        {
            **VESSEL_DEFAULTS,
            "height": 0.1,
            "foot_radius": 0.0325,
            "rim_radius": 0.0325,
            "wall": 0.004,
            "lid_radius": 0.0325,
            "lid_thickness": 0.006,
            "lid_substance": "plastic",
            "knob_height": 0.0,
            "knob_radius": 0.009,
            "clasp": "yes",
            "open_deg": 110.0,
            "frictionloss": 0.02,
            "damping": 0.002,
            "label_low": 0.0,
            "label_high": 0.0,
            "substance": "glass",
        },
        {**PRINTED_PART_LOOKS, **VESSEL_LOOKS, "lid_finish": "wood", "lid_color": "#c79a63"},
        make_hinged_jar,
        paint_hinged,
    ),
)
