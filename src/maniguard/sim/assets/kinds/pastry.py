"""Food with flat sides, long food, and rings."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from maniguard.sim.assets import grasps as holds
from maniguard.sim.assets import pieces as solid
from maniguard.sim.assets.asset import Blueprint, Kind, Params
from maniguard.sim.assets.form import Form
from maniguard.sim.assets.hollow import flat_rectangle
from maniguard.sim.assets.kinds.painting import PART_LOOKS, PRINTED_PART_LOOKS, paint_parts, paint_printed_parts
from maniguard.sim.assets.kinds.tool import SIDES, across_handle, lying_height
from maniguard.sim.assets.mesh import lathe, rounded_rectangle, sweep
from maniguard.sim.assets.profile import smooth

Array = NDArray[np.float64]
SLICES = ("bar", "loaf", "sandwich", "wedge", "cake", "sushi", "grid")


def make_slice(p: Params) -> Blueprint:
    """Make a piece with flat sides; wedge and slice of cake are triangles whose tip is at -x."""
    form = Form()
    x, y, h = p.positive("length") / 2.0, p.positive("width") / 2.0, p.positive("height")
    style, matter = p.choice("style", SLICES), p.text("substance")
    soft = min(p.positive("softness"), 0.9 * min(x, y, h / 2.0))
    if style in ("wedge", "cake"):
        plan = np.array([(-x, -0.2 * y), (x, -y), (x, y), (-x, 0.2 * y)])
        layers = [("main", 0.0, 1.0)]
        if style == "cake":
            layers = [("main", 0.0, 0.3), ("third", 0.3, 0.38), ("main", 0.38, 0.8), ("second", 0.8, 1.0)]
        for slot, low, high in layers:
            form.plate(slot, plan, low * h, high * h, matter, bevel=0.0006, touch=False)
        form.touch_plan(plan, 0.0, h)
        return form.blueprint(grasps=_between_ends(x, h))
    if style == "sandwich":
        layers = [("main", 0.0, 0.34), ("third", 0.34, 0.44), ("second", 0.44, 0.6), ("main", 0.6, 1.0)]
        for (slot, low, high), out in zip(layers, (0.0, 0.0015, -0.001, 0.0), strict=True):
            thick = (high - low) * h / 2.0
            form.block(
                slot, (0.0, 0.0, (high + low) * h / 2.0), (x + out, y + out, thick), 0.35 * thick, matter, touch=False
            )
        form.touch_plan(rounded_rectangle(x, y, 0.003), 0.0, h)
    elif style == "sushi":
        form.block("main", (0.0, 0.0, 0.36 * h), (x, y, 0.36 * h), soft, matter, steps=2)
        form.block("second", (0.0, 0.0, 0.83 * h), (1.04 * x, 1.02 * y, 0.17 * h), 0.15 * h, matter, steps=2)
    elif style == "grid":
        base = 0.55 * h
        form.block("main", (0.0, 0.0, base / 2.0), (x, y, base / 2.0), 0.001, matter, touch=False)
        nx, ny = max(round(x / 0.011), 1), max(round(y / 0.011), 1)
        for i, j in itertools.product(range(nx), range(ny)):
            cell = (x * (2 * i + 1 - nx) / nx, y * (2 * j + 1 - ny) / ny, 0.5 * (base + h) - 0.0005)
            form.block(
                "main", cell, (0.86 * x / nx, 0.86 * y / ny, (h - base) / 2.0 + 0.0005), 0.0015, matter, touch=False
            )
        form.touch_plan(rounded_rectangle(x, y, 0.001), 0.0, h)
    else:
        form.block("main", (0.0, 0.0, h / 2.0), (x, y, h / 2.0), soft, matter, steps=3)
        if style == "loaf":
            for k in (-0.55, -0.18, 0.18, 0.55):
                form.block("second", (k * x, 0.0, h - 0.0002), (0.004, 0.62 * y, 0.0006), 0.0005, touch=False, yaw=0.5)
    flat = style in ("bar", "sandwich", "grid")
    low = h < 0.027
    return form.blueprint(
        support_regions=(flat_rectangle(x, y, h),) if flat else (),
        grasps=holds.top_of_low_box((x, y), h) if low else holds.top_of_box((x, y, h / 2.0), h),
    )


def _between_ends(x: float, h: float) -> tuple[holds.Grasp, ...]:
    if 2.0 * x > holds.MAX_WIDTH_M:
        return ()
    tcp = (0.0, 0.0, max(holds.LOWEST_TCP_M, h - 0.014))
    return (holds.pointing("top-x", "top", tcp, (0, 0, -1), (1, 0, 0), 2.0 * x),)


def make_stick(p: Params) -> Blueprint:
    """Make a long thing that lies along x: carrot, cucumber, sausage, banana; `bend` curves it in the plane."""
    form = Form()
    half, r, tip = p.positive("length") / 2.0, p.positive("radius"), p.positive("tip_radius")
    rise = lying_height(r)
    if p.number("bend") > 0.0:
        return _bent_stick(form, p, half, r, rise)
    # The middle is straight, or it would rock on its thickest place.
    straight = [(0.95 * r, 0.6 * r - half), (r, r - half), (r, 0.3 * half)]
    profile = [(0.45 * r, -half), *straight, (tip, half - 0.6 * tip), (0.35 * tip, half)]
    outer, lying = smooth(profile, count=16), (1.0, 0.0, 0.0)
    at = (0.0, 0.0, rise)
    form.turned("main", outer, p.text("substance"), at=at, axis=lying, touch=False, segments=20)
    form.turned("main", profile, None, at=at, axis=lying, sides=SIDES, seen=False, exact=True)
    for k in range(5 if p.number("leaves") > 0.0 else 0):
        t = np.linspace(0.0, 1.0, 4)
        out, up = p.number("leaves") * t, 0.3 * (k % 3 - 0.5) * p.number("leaves") * t**2
        path = np.stack([-half - out + 0.002, 0.0 * t, up], axis=1)
        lean = np.radians(72.0 * k)
        spin = np.array([[1, 0, 0], [0, np.cos(lean), -np.sin(lean)], [0, np.sin(lean), np.cos(lean)]])
        form.see(sweep("second", path, 0.0016, 0.0016, around=6).moved(spin, (0.0, 0.0, rise)))
    middle = form.center_x()
    width = 2.0 * float(np.interp(middle, outer[:, 1], outer[:, 0]))
    return form.blueprint(grasps=(across_handle(middle, rise + 0.012, width, name="top"),))


def _bent_stick(form: Form, p: Params, half: float, r: float, rise: float) -> Blueprint:
    bend, t = p.number("bend"), np.linspace(-1.0, 1.0, 15)
    path = np.stack([half * t, np.zeros_like(t), bend * (0.5 - t**2)], axis=1)
    swell = r * np.clip(1.02 - 0.06 * t**2 - 0.75 * np.abs(t) ** 9, 0.12, 1.0)
    lay = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]])
    mesh = sweep("main", path, swell, swell, around=SIDES).moved(lay, (0.0, 0.0, rise))
    # It lies on its whole length: where it is thinner, its middle is lower.
    sunk = rise - np.array([lying_height(float(v)) for v in swell])
    ring = SIDES + 1
    vertices = mesh.vertices.copy()
    vertices[:, 2] -= np.concatenate([np.repeat(sunk, ring), np.repeat(sunk[[0, -1]], ring)])
    form.see(replace(mesh, vertices=vertices))
    spine = np.stack([path[:, 0], -path[:, 2], rise - sunk], axis=1)
    for k in (0, -1):
        form.block("second", tuple(spine[k]), (0.004, 0.003, 0.003), 0.002, touch=False)
    sections = [_section(spine[k], spine[min(k + 1, 14)] - spine[k - 1], float(swell[k])) for k in (1, 4, 7, 10, 13)]
    for first, second in itertools.pairwise(sections):
        form.touch(solid.hull_piece(np.concatenate([first, second])))
    form.weigh(abs(mesh.volume_m3), p.text("substance"))
    tcp = (0.0, float(spine[7, 1]), max(holds.LOWEST_TCP_M, rise))
    return form.blueprint(grasps=(holds.pointing("top", "top", tcp, (0, 0, -1), (0, 1, 0), 2.0 * r),))


def _section(center: Array, along: Array, radius: float) -> Array:
    # An upright twelve-sided section across the level direction `along`, one side down.
    across = np.array([-along[1], along[0], 0.0]) / np.hypot(along[0], along[1])
    turn = 2.0 * np.pi * (np.arange(SIDES) + 0.5) / SIDES
    grown = 2.0 * radius / (1.0 + np.cos(np.pi / SIDES))
    return np.asarray(center + grown * (np.cos(turn)[:, None] * across + np.sin(turn)[:, None] * np.array([0, 0, 1.0])))


def make_ring(p: Params) -> Blueprint:
    """Make a ring that lies flat: doughnut or roll; touched as twelve sectors, held by its wall or across."""
    form = Form()
    outer, inner, h = p.positive("radius"), p.positive("hole_radius"), p.positive("height")
    tube, mid = (outer - inner) / 2.0, (outer + inner) / 2.0
    soft = p.choice("style", ("doughnut", "roll")) == "doughnut"
    if soft:
        t = np.linspace(-0.5 * np.pi, 1.5 * np.pi, 17)
        ring = np.stack([mid + tube * np.cos(t), h / 2.0 + h / 2.0 * np.sin(t)], axis=1)
        form.see(lathe("main", ring, segments=28))
        glaze = np.linspace(-0.05, 1.05, 9) * np.pi
        crust = np.stack([mid + 1.03 * tube * np.cos(glaze), h / 2.0 + 0.52 * h * np.sin(glaze)], axis=1)
        form.see(lathe("second", crust, segments=28))
    else:
        form.see(lathe("main", np.array([(inner + 0.002, 0.0), (outer, 0.0), (outer, h), (inner + 0.002, h)])))
        core = np.array([(inner, h), (inner, 0.0), (inner + 0.002, 0.0), (inner + 0.002, h), (inner, h)])
        form.see(lathe("second", core))
        if p.number("label") > 0.0:
            form.see(lathe("label", np.array([(outer + 0.0003, 0.004), (outer + 0.0003, h - 0.004)]), v_range=True))
    reach = (0.88 if soft else 1.0) * tube
    levels = np.array([0.0, h])
    form.touch(*solid.ring(np.c_[[mid + reach] * 2, levels], np.c_[[mid - reach] * 2, levels]))
    section = np.pi * tube * h / 2.0 if soft else 2.0 * tube * h
    form.weigh(2.0 * np.pi * mid * section, p.text("substance"))
    tcp_z, grasps = max(holds.LOWEST_TCP_M, h - 0.012), []
    if mid - reach > 0.03 and 2.0 * reach < 0.04:
        for azimuth in range(0, 360, 60):
            out = holds.level(azimuth)
            tcp = (mid * out[0], mid * out[1], tcp_z)
            grasps.append(holds.pointing(f"rim-{azimuth}", "rim", tcp, (0, 0, -1), out, 2.0 * reach))
    elif 2.0 * (mid + reach) <= holds.MAX_WIDTH_M:
        for yaw in (0, 30, 60, 90, 120, 150):
            closing = holds.level(yaw)
            grasps.append(
                holds.pointing(f"top-{yaw}", "top", (0.0, 0.0, tcp_z), (0, 0, -1), closing, 2.0 * (mid + reach))
            )
    return form.blueprint(grasps=tuple(grasps))


KINDS = (
    Kind(
        "slice",
        {"length": 0.06, "width": 0.04, "height": 0.03, "softness": 0.004, "style": "bar", "substance": "cheese"},
        {**PART_LOOKS, "finish": "wax", "color": "#e9b949", "second_color": "#f4f1ea", "third_color": "#b5495b"},
        make_slice,
        paint_parts,
    ),
    Kind(
        "stick",
        {
            "length": 0.13,
            "radius": 0.014,
            "tip_radius": 0.008,
            "bend": 0.0,
            "leaves": 0.0,
            "substance": "vegetable",
        },
        {**PART_LOOKS, "finish": "wax", "color": "#e07b2a", "second_finish": "matte", "second_color": "#4f7a36"},
        make_stick,
        paint_parts,
    ),
    Kind(
        "ring",
        {
            "radius": 0.04,
            "hole_radius": 0.014,
            "height": 0.03,
            "style": "doughnut",
            "label": 0.0,
            "substance": "cake",
        },
        {
            **PRINTED_PART_LOOKS,
            "finish": "matte",
            "color": "#c98d4e",
            "second_finish": "glaze",
            "second_color": "#d98e9b",
        },
        make_ring,
        paint_printed_parts,
    ),
)
