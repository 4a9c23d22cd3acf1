"""Open vessels: cups with a handle, bowls, glasses, vases, plates, stemware."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from maniguard.sim.assets import grasps as holds
from maniguard.sim.assets import pieces as solid
from maniguard.sim.assets.asset import Blueprint, Kind, Looks, Params, Value
from maniguard.sim.assets.hollow import hollow_body
from maniguard.sim.assets.materials import Material, finish
from maniguard.sim.assets.mesh import VisualMesh, lathe, sweep
from maniguard.sim.assets.profile import filleted, radius_at, smooth

Array = NDArray[np.float64]


def silhouette(p: Params) -> Array:
    """Return the outer silhouette of a vessel: foot, belly at `belly_at` of the height, neck at `neck_at`, rim.

    With shape "straight" foot and rim are joined by a line, with "round" by a curve through belly and neck.
    """
    height, foot, rim = p.positive("height"), p.positive("foot_radius"), p.positive("rim_radius")
    fillet = min(p.number("foot_fillet"), 0.4 * foot, 0.3 * height)
    if p.choice("shape", ("straight", "round", "bowl")) == "straight":
        corner = filleted([(foot - 2 * fillet, 0.0), (foot, 0.0), (rim, height)], fillet, steps=4)
        return corner if fillet > 0 else np.array([(foot, 0.0), (rim, height)])
    belly, belly_z = p.number("belly_radius"), p.number("belly_at") * height
    if p.text("shape") == "bowl":
        # A quarter of a superellipse from the foot's edge to a steep rim band.
        band = p.number("neck_at") * height
        t = np.linspace(0.0, 0.5 * np.pi, 8)
        r = foot + (rim - foot) * np.sin(t) ** 0.85
        z = 0.0015 + (height - band - 0.0015) * (1.0 - np.cos(t)) ** 0.95
        return np.concatenate([[(foot - 0.001, 0.0)], np.stack([r, z], axis=1), [(rim + 0.0008, height)]])
    points = [(foot, 0.0), (belly, belly_z)]
    if p.number("neck_radius") > 0.0:
        points.append((p.number("neck_radius"), p.number("neck_at") * height))
    points.append((rim, height))
    curve = smooth(points, count=11)
    return np.concatenate([[(foot - fillet, 0.0), (foot - 0.3 * fillet, 0.3 * fillet)], curve[1:]])


def handle(p: Params, outer: Array) -> tuple[VisualMesh, tuple[solid.Piece, ...], float, float]:
    """Return a handle in the xz plane at +x: its mesh, four capsules, its outermost x and the height of its top."""
    height = float(outer[-1, 1])
    low, high = p.number("handle_low") * height, p.number("handle_high") * height
    depth, thick, wide = p.positive("handle_depth"), p.positive("handle_thickness"), p.positive("handle_width")
    sink = 0.4 * p.number("wall")
    start = np.array([radius_at(outer, high) - sink, high])
    end = np.array([radius_at(outer, low) - sink, low])
    reach = max(start[0], end[0]) + depth - thick / 2.0
    span = high - low
    points = [
        start,
        (reach - 0.28 * depth, high + 0.015 * span),
        (reach, high - 0.22 * span),
        (reach - 0.02 * depth, low + 0.42 * span),
        (reach - 0.42 * depth, low + 0.08 * span),
        end,
    ]
    curve = _catmull(np.asarray(points), 3)
    path = np.stack([curve[:, 0], np.zeros(len(curve)), curve[:, 1]], axis=1)
    swell = 1.0 + 0.25 * np.abs(np.linspace(-1.0, 1.0, len(path))) ** 3
    mesh = sweep("handle", path, wide / 2.0 * swell, thick / 2.0 * swell, around=9)
    radius = max((thick + wide) / 4.0, 0.0035)
    corners = np.array([path[0], path[3], path[7], path[11], path[-1]])
    parts = tuple(solid.capsule(a, b, radius, part="handle") for a, b in itertools.pairwise(corners))
    return mesh, parts, reach + thick / 2.0, high


def _catmull(points: Array, steps: int) -> Array:
    padded = np.concatenate([[2 * points[0] - points[1]], points, [2 * points[-1] - points[-2]]])
    out = []
    for i in range(1, len(padded) - 2):
        a, b, c, d = padded[i - 1 : i + 3]
        for t in np.arange(steps) / steps:
            out.append(
                0.5 * (2 * b + (c - a) * t + (2 * a - 5 * b + 4 * c - d) * t**2 + (3 * b - a - 3 * c + d) * t**3)
            )
    return np.asarray([*out, points[-1]])


def make_vessel(p: Params) -> Blueprint:
    """Make an open vessel, with a handle where `handle_depth` is not zero."""
    outer = silhouette(p)
    wall, floor = p.positive("wall"), p.positive("floor")
    clear = p.text("substance") == "glass"
    body = hollow_body(outer, wall, floor, bands=int(p.number("bands")), separate_rim=clear, owner=p.kind)
    visuals, pieces = list(body.visuals), list(body.pieces)
    if p.choice("touch", ("hollow", "solid")) == "solid":
        pieces = list(solid.stacked(outer, tolerance_m=0.0015))
    matter = [(body.volume_m3, p.text("substance"))]
    blocked: tuple[float, ...] = ()
    grasps: list[holds.Grasp] = []
    if p.number("handle_depth") > 0.0:
        mesh, parts, reach, high = handle(p, outer)
        visuals.append(mesh)
        pieces += parts
        matter.append((mesh.volume_m3, p.text("substance")))
        blocked = (0.0,)
        width = 2.0 * parts[1].size_m[0]
        grip_z = 0.5 * (p.number("handle_low") + p.number("handle_high")) * p.number("height")
        if grip_z > 0.03:
            tcp = (reach - width / 2.0 - 0.001, 0.0, min(max(grip_z, float(outer[-1, 1]) - 0.039), high - 0.01))
            grasps.append(holds.pointing("handle", "handle", tcp, (0, 0, -1), (0, 1, 0), width))
    if p.number("spout") > 0.0:
        length, top = p.number("spout"), float(outer[-1, 1])
        visuals = [_with_spout(m, length, top) for m in visuals[:2]] + visuals[2:]
        lip, root = radius_at(outer, top), radius_at(outer, 0.8 * top)
        tip = [(-lip - length + 0.001, s * 0.003, top) for s in (-1, 1)]
        base = [(-lip + 0.004, s * 0.26 * lip, top) for s in (-1, 1)]
        pieces.append(solid.hull_piece(np.array([*tip, *base, (-root + 0.001, 0.0, 0.8 * top)])))
        blocked = (*blocked, 180.0)
    around = holds.top_of_body(outer, blocked_deg=blocked)
    pinch = holds.rim_of_vessel(body.touched_outer, body.touched_inner, floor, blocked_deg=blocked)
    side = holds.side_of_body(outer, blocked_deg=blocked)
    return Blueprint(
        tuple(visuals),
        tuple(pieces),
        tuple(matter),
        rim=body.rim,
        interior=body.interior,
        support_regions=(body.floor,),
        grasps=(*around, *pinch, *side, *grasps),
    )


def _with_spout(mesh: VisualMesh, length: float, top: float) -> VisualMesh:
    # Pull the rim towards -x in a narrow bell so that it pours.
    vertices = mesh.vertices.copy()
    azimuth = np.abs(np.arctan2(vertices[:, 1], -vertices[:, 0]))
    share = np.exp(-((azimuth / 0.32) ** 2)) * np.clip((vertices[:, 2] / top - 0.72) / 0.28, 0.0, 1.0) ** 2
    moved = length * share * (np.hypot(vertices[:, 0], vertices[:, 1]) > 1e-6)
    vertices[:, 0] -= moved
    a, b, c = (vertices[mesh.faces[:, k]] for k in range(3))
    flat = np.cross(b - a, c - a)
    smooth_normals = np.zeros_like(vertices)
    for k in range(3):
        np.add.at(smooth_normals, mesh.faces[:, k], flat)
    lengths = np.linalg.norm(smooth_normals, axis=1)
    bent = (moved > 1e-4) & (lengths > 0.0)
    normals = mesh.normals.copy()
    normals[bent] = smooth_normals[bent] / lengths[bent, None]
    return VisualMesh(mesh.slot, vertices, normals, mesh.uv, mesh.faces)


def paint_vessel(looks: Looks, p: Params) -> dict[str, Material]:
    """Paint outside, inside and handle."""
    name = looks.text("finish")
    outside = finish(
        name, looks.text("color"), accent=looks.text("accent"), pattern=looks.text("pattern"), seed=looks.seed()
    )
    same = looks.text("inside") == "same"
    inner_colour = looks.text("color") if same else looks.text("inside")
    pattern = looks.text("pattern") if same and looks.text("pattern") == "speckle" else "plain"
    inside = finish(name, inner_colour, accent=looks.text("accent"), pattern=pattern, seed=looks.seed())
    plain = finish(name, looks.text("handle") if looks.text("handle") != "same" else looks.text("color"))
    return {"body": outside, "inside": inside, "handle": plain, "rim": _glass_rim(outside)}


VESSEL_LOOKS: Mapping[str, Value] = MappingProxyType(
    {
        "finish": "glaze",
        "color": "#e8e4da",
        "accent": "#3a3a3a",
        "pattern": "plain",
        "inside": "same",
        "handle": "same",
        "seed": 0.0,
    }
)
VESSEL_DEFAULTS: Mapping[str, Value] = MappingProxyType(
    {
        "shape": "straight",
        "height": 0.09,
        "foot_radius": 0.036,
        "rim_radius": 0.04,
        "foot_fillet": 0.004,
        "belly_radius": 0.042,
        "belly_at": 0.4,
        "neck_radius": 0.0,
        "neck_at": 0.8,
        "wall": 0.004,
        "floor": 0.005,
        "bands": 3.0,
        "handle_depth": 0.0,
        "handle_low": 0.2,
        "handle_high": 0.82,
        "handle_thickness": 0.008,
        "handle_width": 0.012,
        "spout": 0.0,
        "touch": "hollow",
        "substance": "stoneware",
    }
)


def make_plate(p: Params) -> Blueprint:
    """Make a plate: foot, flat well, raised flange."""
    radius, height, foot = p.positive("radius"), p.positive("height"), p.positive("foot_radius")
    well = p.number("well_at") * radius
    outer = np.array(
        [
            (foot - 0.002, 0.0),
            (foot, 0.002),
            (well - 0.004, 0.0035),
            (well + 0.006, 0.3 * height + 0.002),
            (radius - 0.004, height - 0.002),
            (radius, height),
        ]
    )
    body = hollow_body(
        outer, p.positive("wall"), p.positive("wall") + 0.002, bands=3, sectors=12, tolerance_m=0.002, owner=p.kind
    )
    return Blueprint(
        body.visuals,
        body.pieces,
        ((body.volume_m3, p.text("substance")),),
        rim=body.rim,
        interior=body.interior,
        support_regions=(body.floor,),
    )


def make_wine_glass(p: Params) -> Blueprint:
    """Make stemware: foot disc, stem, bowl. It is held around the bowl."""
    foot, stem, stem_top = p.positive("foot_radius"), p.positive("stem_radius"), p.positive("stem_height")
    height, belly, rim = p.positive("height"), p.positive("belly_radius"), p.positive("rim_radius")
    wall = p.positive("wall")
    deep = height - stem_top
    bowl = smooth(
        [
            (stem * 1.6, stem_top),
            (0.72 * belly, stem_top + 0.16 * deep),
            (belly, stem_top + p.number("belly_at") * deep),
            (rim, height),
        ],
        count=12,
    )
    body = hollow_body(bowl, wall, 0.006, bands=3, base_low_m=stem_top - 0.001, separate_rim=True, owner=p.kind)
    below = np.array(
        [
            (0.0, 0.0),
            (foot, 0.0),
            (foot, 0.0018),
            (0.55 * foot, 0.0035),
            (2.2 * stem, 0.008),
            (stem * 1.15, 0.018),
            (stem, 0.5 * stem_top),
            (stem * 1.1, stem_top - 0.006),
            (stem * 1.6, stem_top),
        ]
    )
    visuals = (lathe("rim", below, segments=28), *body.visuals)
    pieces = (
        solid.frustum(foot, foot - 0.002, 0.0, 0.005),
        solid.frustum(2.4 * stem, 1.2 * stem, 0.005, 0.014, sides=10),
        solid.frustum(1.2 * stem, 1.2 * stem, 0.014, stem_top, sides=10),
        *body.pieces,
    )
    stem_volume = float(np.pi * (foot**2 * 0.003 + stem**2 * stem_top))
    return Blueprint(
        visuals,
        pieces,
        ((body.volume_m3 + stem_volume, "glass"),),
        rim=body.rim,
        interior=body.interior,
        grasps=holds.top_of_body(bowl),
    )


def _glass_rim(glass: Material) -> Material:
    # Light runs along a glass wall and leaves it at the rim, which looks brighter and denser than the wall.
    red, green, blue, alpha = glass.rgba
    return replace(glass, rgba=(0.7 * red + 0.3, 0.7 * green + 0.3, 0.7 * blue + 0.3, min(1.0, 2.8 * alpha)))


def paint_glass(looks: Looks, p: Params) -> dict[str, Material]:
    """Paint stemware: bowl and inside share a thin glass, rim and stem are denser."""
    glass = finish(looks.text("finish"), looks.text("color"))
    return {"body": glass, "inside": glass, "rim": _glass_rim(glass)}


KINDS = (
    Kind("vessel", VESSEL_DEFAULTS, VESSEL_LOOKS, make_vessel, paint_vessel),
    Kind(
        "plate",
        {
            "radius": 0.1,
            "height": 0.018,
            "foot_radius": 0.06,
            "well_at": 0.66,
            "wall": 0.0045,
            "substance": "stoneware",
        },
        VESSEL_LOOKS,
        make_plate,
        paint_vessel,
    ),
    Kind(
        "wine_glass",
        {
            "height": 0.17,
            "stem_height": 0.075,
            "stem_radius": 0.004,
            "foot_radius": 0.034,
            "belly_radius": 0.033,
            "belly_at": 0.42,
            "rim_radius": 0.027,
            "wall": 0.0016,
        },
        {"finish": "glass", "color": "#e3edee"},
        make_wine_glass,
        paint_glass,
    ),
)
