"""Candles and mills: turned bodies that stand on their own."""

from __future__ import annotations

import numpy as np

from maniguard.sim.assets import grasps as holds
from maniguard.sim.assets import pieces as solid
from maniguard.sim.assets.asset import Blueprint, Kind, Looks, Params
from maniguard.sim.assets.kinds.closed import LABEL_LOOKS, capped, label_band, paint_label
from maniguard.sim.assets.materials import Material, finish
from maniguard.sim.assets.mesh import lathe
from maniguard.sim.assets.profile import filleted, revolved_volume, smooth


def make_candle(p: Params) -> Blueprint:
    """Make a pillar candle, or one poured into a glass."""
    radius, height = p.positive("radius"), p.positive("height")
    in_glass = p.choice("style", ("pillar", "glass")) == "glass"
    wax_r, wax_top = (radius - 0.003, 0.72 * height) if in_glass else (radius, height)
    low = 0.005 if in_glass else 0.0
    edge = 0.0006 if in_glass else 0.003
    wax_profile = filleted(
        [(0.0, low), (wax_r, low), (wax_r, wax_top), (0.55 * wax_r, wax_top - 0.003), (0.0, wax_top - 0.004)], edge
    )
    wick = lathe("wick", filleted([(0.0, 0.0), (0.0011, 0.0), (0.0011, 0.0065), (0.0, 0.007)], 0.0), segments=8)
    visuals = [lathe("wax", wax_profile), wick.moved(None, (0.0, 0.0, wax_top - 0.0045))]
    matter = [(revolved_volume(wax_profile), "wax")]
    silhouette = np.array([(radius, 0.0), (radius, height)])
    if in_glass:
        glass = np.array(
            [
                (0.0, 0.0),
                (radius - 0.003, 0.0),
                (radius, 0.003),
                (radius, height - 0.001),
                (radius - 0.0012, height),
                (radius - 0.0024, height - 0.001),
                (radius - 0.0024, wax_top),
            ]
        )
        visuals.append(lathe("glass", glass))
        visuals.append(label_band(silhouette, 0.2 * height, 0.52 * height))
        shell = 2.0 * np.pi * radius * height * 0.0024 + np.pi * radius**2 * 0.005
        matter.append((float(shell), "glass"))
    return Blueprint(
        tuple(visuals),
        (solid.cylinder(radius, 0.0, height if in_glass else wax_top),),
        tuple(matter),
        grasps=(*holds.top_of_body(silhouette), *holds.side_of_body(silhouette)),
    )


def make_mill(p: Params) -> Blueprint:
    """Make a turned pepper or salt mill: foot, waist, shoulder, head with a metal button."""
    height, foot, waist, head = (p.positive(k) for k in ("height", "foot_radius", "waist_radius", "head_radius"))
    split = p.number("split_at") * height
    body_curve = smooth(
        [(foot, 0.002), (foot * 0.97, 0.12 * height), (waist, 0.45 * height), (0.92 * foot, split)], count=11
    )
    body = np.concatenate([[(foot - 0.002, 0.0)], body_curve])
    head_curve = smooth(
        [(0.8 * head, split), (head, split + 0.35 * (height - split)), (0.72 * head, height - 0.006)], count=8
    )
    button = filleted(
        [(0.0, height - 0.008), (0.3 * head, height - 0.008), (0.3 * head, height), (0.0, height)], 0.0015
    )
    visuals = (
        lathe("body", capped(body)),
        lathe("head", capped(head_curve), segments=28),
        lathe("button", button, segments=16),
    )
    silhouette = np.concatenate([body, head_curve, [(0.3 * head, height - 0.0059), (0.3 * head, height)]])
    pieces = (
        *solid.stacked(body, tolerance_m=0.0015, limit=5),
        *solid.stacked(head_curve, tolerance_m=0.0015, limit=3),
        solid.cylinder(0.3 * head, height - 0.008, height),
    )
    volume = revolved_volume(capped(body)) + revolved_volume(capped(head_curve))
    return Blueprint(
        visuals,
        pieces,
        ((0.75 * volume, p.text("substance")), (0.25 * volume, "pepper"), (revolved_volume(button), "steel")),
        grasps=(*holds.top_of_body(silhouette), *holds.side_of_body(silhouette)),
    )


def paint_candle(looks: Looks, p: Params) -> dict[str, Material]:
    """Paint wax, wick, glass and label."""
    return {
        "wax": finish("wax", looks.text("color")),
        "wick": finish("matte", "#2b2622"),
        "glass": finish("glass", "#e6eef0"),
        "label": paint_label(looks),
    }


def paint_mill(looks: Looks, p: Params) -> dict[str, Material]:
    """Paint body, head and button."""
    wood = finish(looks.text("finish"), looks.text("color"), seed=looks.seed())
    return {"body": wood, "head": wood, "button": finish("metal", "#c9ccd0")}


KINDS = (
    Kind(
        "candle",
        {"radius": 0.032, "height": 0.09, "style": "pillar"},
        {"color": "#efe6d2", **LABEL_LOOKS, "label": "vintage"},
        make_candle,
        paint_candle,
    ),
    Kind(
        "mill",
        {
            "height": 0.16,
            "foot_radius": 0.028,
            "waist_radius": 0.018,
            "head_radius": 0.025,
            "split_at": 0.72,
            "substance": "wood",
        },
        {"finish": "wood", "color": "#8a5a33", "seed": 0.0},
        make_mill,
        paint_mill,
    ),
)
