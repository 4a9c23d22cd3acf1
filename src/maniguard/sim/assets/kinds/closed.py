"""Closed bodies of revolution: bottles, cans, jars. They are touched as few cylinders and frusta."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from maniguard.sim.assets import grasps as holds
from maniguard.sim.assets import pieces as solid
from maniguard.sim.assets.asset import Blueprint, Kind, Looks, Params, Value
from maniguard.sim.assets.hollow import flat_top
from maniguard.sim.assets.materials import Material, finish, printed
from maniguard.sim.assets.mesh import VisualMesh, lathe, merged
from maniguard.sim.assets.profile import filleted, radius_at, revolved_volume, smooth

Array = NDArray[np.float64]


def capped(outer: Array) -> Array:
    """Close a silhouette by flat ends on the axis."""
    return np.concatenate([[(0.0, outer[0, 1])], outer, [(0.0, outer[-1, 1])]])


def label_band(outer: Array, low_m: float, high_m: float, *, lift_m: float = 0.0004) -> VisualMesh:
    """Return a thin label around a silhouette between two heights, its picture once around."""
    heights = np.unique(np.concatenate([[low_m, high_m], np.linspace(low_m, high_m, 3)]))
    profile = np.array([(radius_at(outer, z) + lift_m, z) for z in heights])
    return lathe("label", profile, v_range=True)


def make_bottle(p: Params) -> Blueprint:
    """Make a stoppered bottle; `fill` is the share of its inside that is full, seen through glass."""
    height, radius = p.positive("height"), p.positive("radius")
    neck, cap_r, cap_h = p.positive("neck_radius"), p.positive("cap_radius"), p.positive("cap_height")
    shoulder, throat = p.number("shoulder_at") * height, p.number("neck_at") * height
    waist = p.number("waist_radius")
    fillet = min(0.005, 0.2 * radius)
    foot = filleted([(radius - 2.2 * fillet, 0.0), (radius, 0.0), (radius, 0.45 * shoulder)], fillet, steps=3)
    middle = [(radius, shoulder)] if waist == 0.0 else [(waist, 0.62 * shoulder), (radius, shoulder)]
    upper = np.array([(radius, shoulder), (neck, throat), (neck, height - cap_h)])
    if p.choice("shoulder", ("round", "slope")) == "round":
        t = np.linspace(0.0, 1.0, 9)
        blend = 0.5 + 0.5 * np.cos(np.pi * t)
        bulge = np.clip(np.sin(np.pi * t), 0.0, 1.0) * 0.14 * (radius - neck)
        upper = np.concatenate(
            [np.c_[neck + (radius - neck) * blend + bulge, shoulder + (throat - shoulder) * t], upper[2:]]
        )
    else:
        upper = filleted([tuple(row) for row in upper], 0.012, steps=4)
        upper = filleted([(radius, 0.6 * shoulder), *[tuple(row) for row in upper]], 0.01, steps=3)[1:]
    between = smooth([(radius, 0.45 * shoulder), *middle], count=8)[1:-1] if waist > 0.0 else np.zeros((0, 2))
    outer = np.concatenate([foot, between, upper])
    body = lathe("body", capped(outer))
    cap_profile = filleted([(0.0, height - cap_h), (cap_r, height - cap_h), (cap_r, height), (0.0, height)], 0.0012)
    cap = lathe("cap", cap_profile, segments=24)
    visuals = [body, cap]
    wall = p.positive("wall")
    inside = outer.copy()
    inside[:, 0] = np.maximum(inside[:, 0] - wall, 0.001)
    level = wall + p.number("fill") * (0.97 * throat - wall)
    matter = [
        (revolved_volume(capped(outer)) - revolved_volume(capped(inside)), p.text("substance")),
        (revolved_volume(cap_profile), p.text("cap_substance")),
    ]
    if p.number("fill") > 0.0:
        wet = inside[(inside[:, 1] > wall) & (inside[:, 1] < level)]
        wet = np.concatenate(
            [[(radius_at(inside, wall + 0.002) - 0.003, wall)], wet, [(radius_at(inside, level), level)]]
        )
        matter.append((revolved_volume(capped(wet)), p.text("contents")))
        if p.choice("clear", ("yes", "no")) == "yes":
            visuals.insert(0, lathe("contents", capped(wet), segments=20))
    low, high = p.number("label_low") * height, p.number("label_high") * height
    if high > low:
        visuals.append(label_band(outer, low, high))
    silhouette = np.concatenate([outer, [(cap_r, height - cap_h + 1e-5), (cap_r, height)]])
    pieces = (*solid.stacked(outer), solid.cylinder(cap_r, height - cap_h - 0.0002, height))
    return Blueprint(
        tuple(visuals),
        pieces,
        tuple(matter),
        support_regions=(flat_top(cap_r, height),),
        grasps=(*holds.top_of_body(silhouette), *holds.side_of_body(silhouette)),
    )


def make_can(p: Params) -> Blueprint:
    """Make a tin can with beaded rims, a sunken lid with a pull ring, and a paper label."""
    radius, height = p.positive("radius"), p.positive("height")
    lip = 0.0012
    outer = np.array(
        [
            (radius - 0.003, 0.0),
            (radius - 0.0006, 0.0008),
            (radius, 0.0022),
            (radius - lip, 0.005),
            (radius - lip, height - 0.005),
            (radius, height - 0.0022),
            (radius - 0.0006, height - 0.0004),
        ]
    )
    if p.choice("style", ("food", "drink")) == "drink":
        outer = np.concatenate(
            [
                [(0.72 * radius, 0.0), (0.8 * radius, 0.001), (radius - lip, 0.010)],
                [(radius - lip, height - 0.014), (0.86 * radius, height - 0.003), (0.85 * radius, height)],
            ]
        )
    top_r, sunk = float(outer[-1, 0]), height - 0.004
    lid = [(top_r - 0.0018, height), (top_r - 0.0026, sunk), (0.0, sunk)]
    body = lathe("metal", np.concatenate([[(0.0, outer[0, 1])], outer, lid]), segments=32)
    low, high = (0.0065, height - 0.0065) if p.text("style") == "food" else (0.0105, height - 0.0145)
    label = label_band(outer, low, high)
    ring = lathe(
        "metal", np.array([(0.004, 0.0), (0.0085, 0.0), (0.0085, 0.0012), (0.004, 0.0012), (0.004, 0.0)]), segments=16
    )
    ring = ring.moved(None, (0.38 * radius, 0.0, sunk + 0.0003))
    full = float(np.pi * (radius - 0.001) ** 2 * (height - 0.006))
    shell = 2.0 * np.pi * radius * (height + radius) * p.positive("wall")
    pieces = (
        (solid.cylinder(radius - 0.0004, 0.0, height),)
        if p.text("style") == "food"
        else solid.stacked(outer, tolerance_m=0.0012)
    )
    return Blueprint(
        (merged("metal", [body, ring]), label),
        pieces,
        ((shell, p.text("substance")), (full, p.text("contents"))),
        support_regions=(flat_top(top_r, height),),
        grasps=(*holds.top_of_body(outer), *holds.side_of_body(outer)),
    )


def make_jar(p: Params) -> Blueprint:
    """Make a closed jar: glass or ceramic body, contents, lid, label where `label_high` is above `label_low`."""
    height, radius, neck = p.positive("height"), p.positive("radius"), p.positive("neck_radius")
    lid_r, lid_h, wall = p.positive("lid_radius"), p.positive("lid_height"), p.positive("wall")
    seat = height - lid_h
    shoulder = seat - p.positive("shoulder_height")
    fillet = 0.006
    outer = np.concatenate(
        [
            filleted([(radius - 2.2 * fillet, 0.0), (radius, 0.0), (radius, 0.5 * shoulder)], fillet, steps=3),
            smooth(
                [(radius, shoulder), (0.4 * radius + 0.6 * neck, shoulder + 0.55 * (seat - shoulder)), (neck, seat)]
            ),
        ]
    )
    knob = p.number("knob_radius")
    lid_profile = filleted([(0.0, seat), (lid_r, seat), (lid_r, height), (0.0, height)], min(0.002, 0.3 * lid_h))
    lid = [lathe("lid", lid_profile, segments=32)]
    pieces = [*solid.stacked(outer), solid.cylinder(lid_r, seat - 0.0002, height)]
    silhouette = np.concatenate([outer, [(lid_r, seat + 1e-5), (lid_r, height)]])
    top = height
    if knob > 0.0:
        tall = 2.2 * knob
        profile = smooth([(0.55 * knob, height), (knob, height + 0.62 * tall), (0.6 * knob, height + tall)], count=7)
        lid.append(lathe("lid", capped(profile), segments=20))
        pieces.append(solid.cylinder(0.92 * knob, height, height + tall))
        silhouette = np.concatenate([silhouette, [(knob, height + 1e-5), (knob, height + tall)]])
        top += tall
    inside = outer.copy()
    inside[:, 0] -= wall
    level = 0.004 + p.number("fill") * (seat - 0.008)
    wet = inside[(inside[:, 1] > 0.004) & (inside[:, 1] < level)]
    wet = np.concatenate([[(radius - wall - 0.004, 0.004)], wet, [(radius_at(inside, level), level)]])
    visuals = [lathe("body", capped(outer)), merged("lid", lid)]
    if p.choice("clear", ("yes", "no")) == "yes":
        visuals.insert(0, lathe("contents", capped(wet), segments=20))
    low, high = p.number("label_low") * height, p.number("label_high") * height
    if high > low:
        visuals.append(label_band(outer, low, high))
    return Blueprint(
        tuple(visuals),
        tuple(pieces),
        (
            (revolved_volume(capped(outer)) - revolved_volume(capped(inside)), p.text("substance")),
            (revolved_volume(capped(wet)), p.text("contents")),
            (2.0 * np.pi * lid_r * (lid_h + lid_r / 2.0) * p.positive("lid_wall"), p.text("lid_substance")),
        ),
        support_regions=() if knob > 0.0 else (flat_top(lid_r, top),),
        grasps=(*holds.top_of_body(silhouette), *holds.side_of_body(silhouette)),
    )


def paint_label(looks: Looks) -> Material:
    """Paint the label that the looks describe."""
    return printed(
        looks.text("label"),
        looks.text("label_color"),
        looks.text("label_accent"),
        looks.text("title"),
        seed=looks.seed(),
    )


def paint_bottle(looks: Looks, p: Params) -> dict[str, Material]:
    """Paint body, cap, label and contents."""
    return {
        "body": finish(looks.text("finish"), looks.text("color")),
        "cap": finish(looks.text("cap_finish"), looks.text("cap_color")),
        "contents": finish("liquid", looks.text("contents_color")),
        "label": paint_label(looks),
    }


def paint_can(looks: Looks, p: Params) -> dict[str, Material]:
    """Paint metal and label."""
    return {"metal": finish("metal", looks.text("metal_color")), "label": paint_label(looks)}


def paint_jar(looks: Looks, p: Params) -> dict[str, Material]:
    """Paint body, lid, contents and label."""
    return {
        "body": finish(
            looks.text("finish"),
            looks.text("color"),
            accent=looks.text("accent"),
            pattern=looks.text("pattern"),
            seed=looks.seed(),
        ),
        "lid": finish(looks.text("lid_finish"), looks.text("lid_color")),
        "contents": finish("matte", looks.text("contents_color"), accent=looks.text("accent"), pattern="speckle"),
        "label": paint_label(looks),
    }


LABEL_LOOKS: dict[str, Value] = {
    "label": "band",
    "label_color": "#b23a48",
    "label_accent": "#e9c46a",
    "title": "Harvest",
    "seed": 0.0,
}

KINDS = (
    Kind(
        "bottle",
        {
            "height": 0.22,
            "radius": 0.033,
            "neck_radius": 0.0125,
            "cap_radius": 0.0145,
            "cap_height": 0.016,
            "shoulder_at": 0.55,
            "neck_at": 0.78,
            "shoulder": "round",
            "waist_radius": 0.0,
            "label_low": 0.12,
            "label_high": 0.42,
            "wall": 0.0028,
            "fill": 0.8,
            "clear": "yes",
            "substance": "glass",
            "cap_substance": "aluminium",
            "contents": "water",
        },
        {
            "finish": "coloured-glass",
            "color": "#3f6b4f",
            "cap_finish": "metal",
            "cap_color": "#c9a227",
            "contents_color": "#5a1f2b",
            **LABEL_LOOKS,
        },
        make_bottle,
        paint_bottle,
    ),
    Kind(
        "can",
        {
            "radius": 0.033,
            "height": 0.1,
            "wall": 0.00022,
            "style": "food",
            "substance": "steel",
            "contents": "beans",
        },
        {"metal_color": "#c8ccd0", **LABEL_LOOKS},
        make_can,
        paint_can,
    ),
    Kind(
        "jar",
        {
            "height": 0.11,
            "radius": 0.034,
            "neck_radius": 0.03,
            "shoulder_height": 0.016,
            "lid_radius": 0.032,
            "lid_height": 0.016,
            "lid_wall": 0.0006,
            "knob_radius": 0.0,
            "wall": 0.003,
            "fill": 0.85,
            "clear": "yes",
            "label_low": 0.2,
            "label_high": 0.55,
            "substance": "glass",
            "lid_substance": "steel",
            "contents": "preserve",
        },
        {
            "finish": "glass",
            "color": "#e2ebe9",
            "accent": "#3a3a3a",
            "pattern": "plain",
            "lid_finish": "metal",
            "lid_color": "#c9a227",
            "contents_color": "#8c2f39",
            **LABEL_LOOKS,
        },
        make_jar,
        paint_jar,
    ),
)
