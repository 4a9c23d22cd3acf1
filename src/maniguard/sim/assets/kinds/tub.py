"""Open things with a rectangular plan: storage boxes, trays, dishes, crates; and boards that food slides off."""

from __future__ import annotations

import itertools

import numpy as np
from numpy.typing import NDArray

from maniguard.sim.assets import grasps as holds
from maniguard.sim.assets import pieces as solid
from maniguard.sim.assets.asset import AssetError, Blueprint, Kind, Params
from maniguard.sim.assets.form import Form
from maniguard.sim.assets.hollow import flat_rectangle
from maniguard.sim.assets.kinds.painting import PART_LOOKS, paint_parts
from maniguard.sim.assets.mesh import VisualMesh, rounded_rectangle
from maniguard.trace.scene import Pose, Region

Array = NDArray[np.float64]


def shell(slot: str, rings: list[tuple[Array, float]]) -> VisualMesh:
    """Join plans (N, 2) of equal length at rising and falling heights into a surface, closed by flat ends.

    The first ring is closed below, the last one above; edges are sharp.
    """
    vertices: list[Array] = []
    faces: list[NDArray[np.int64]] = []
    count = len(rings[0][0])
    i = np.arange(count)
    j = (i + 1) % count
    total = 0
    for (a, low), (b, high) in itertools.pairwise(rings):
        vertices += [np.c_[a, np.full(count, low)], np.c_[b, np.full(count, high)]]
        faces += [
            np.stack([total + i, total + j, total + count + j], axis=1),
            np.stack([total + i, total + count + j, total + count + i], axis=1),
        ]
        total += 2 * count
    for (plan, z), up in ((rings[0], False), (rings[-1], True)):
        vertices += [np.c_[plan, np.full(count, z)], np.array([[*plan.mean(axis=0), z]])]
        hub = np.full(count, total + count)
        faces.append(np.stack([hub, total + i, total + j] if up else [hub, total + j, total + i], axis=1))
        total += count + 1
    points, triangles = np.concatenate(vertices), np.concatenate(faces)
    a, b, c = (points[triangles[:, k]] for k in range(3))
    flat = np.cross(b - a, c - a)
    normals = np.zeros_like(points)
    for k in range(3):
        np.add.at(normals, triangles[:, k], flat)
    lengths = np.maximum(np.linalg.norm(normals, axis=1), 1e-15)
    uv = points[:, :2] / 0.12 + points[:, 2:] / 0.12
    return VisualMesh(slot, points, normals / lengths[:, None], uv, triangles.astype(np.int32))


def make_tub(p: Params) -> Blueprint:
    """Make an open box: `base_share` is the size of its bottom over that of its mouth.

    With `feet_height` it stands on four feet; with `tab_height` it has an upright tab at each end of x to hold it by.
    """
    form = Form()
    x, y, h = p.positive("length") / 2.0, p.positive("width") / 2.0, p.positive("height")
    wall, floor, share = p.positive("wall"), p.positive("floor"), p.positive("base_share")
    lift, corner = p.number("feet_height"), min(p.positive("corner_radius"), 0.6 * min(x, y))
    if wall >= 0.5 * min(x, y) or floor >= h:
        raise AssetError(f"asset kind {p.kind!r}: there is no room inside; wall {wall} m, floor {floor} m")
    matter = p.text("substance")
    rim, low, top = rounded_rectangle(x, y, corner), lift, lift + h
    inset = 1.0 - wall / np.array([x, y])
    slope = share + (1.0 - share) * floor / h
    form.see(shell("main", [(share * rim, low), (rim, top), (rim * inset, top), (rim * inset * slope, low + floor)]))
    outer_area, inner_area = 4.0 * x * y, 4.0 * (x - wall) * (y - wall)
    mean = (1.0 + share + share**2) / 3.0
    form.weigh((outer_area * h - inner_area * (h - floor)) * mean, matter)
    thick = max(wall, 0.005)
    base_x, base_y = share * x, share * y
    solid_floor = max(floor, 0.005)
    form.touch_plan(rounded_rectangle(base_x, base_y, corner * share), low, low + solid_floor)
    form.touch(*_wall_pieces(rim, share, 1.0 - thick / np.array([x, y]), low, top))
    if lift > 0.0:
        for cx in (-1, 1):
            for cy in (-1, 1):
                at = (cx * (base_x - 0.016), cy * (base_y - 0.016), lift / 2.0)
                form.block("dark", at, (0.009, 0.009, lift / 2.0), 0.002, "plastic")
    grasps = list(_wall_grasps(x, y, top, thick, low + solid_floor, share, h))
    if p.number("tab_height") > 0.0:
        tall, deep, long = p.number("tab_height"), p.positive("tab_thickness") / 2.0, p.positive("tab_length") / 2.0
        for sign in (1.0, -1.0):
            middle = sign * (x + deep - 0.001)
            high = low + tall
            form.block(
                "second",
                (middle, 0.0, (low + high) / 2.0),
                (deep, long, tall / 2.0),
                0.004,
                matter,
                steps=2,
                part="handle",
            )
            tcp = (middle, 0.0, high - 0.016)
            name = "tab" if sign > 0 else "tab-back"
            grasps.append(holds.pointing(name, "handle", tcp, (0, 0, -1), (1, 0, 0), 2.0 * deep))
    depth = h - floor
    half_in = (x - wall) * (1.0 + slope) / 2.0, (y - wall) * (1.0 + slope) / 2.0
    return form.blueprint(
        rim=Region("rectangle", (_r(x - wall), _r(y - wall), 0.0), Pose((0.0, 0.0, _r(top)))),
        interior=Region(
            "box", (_r(half_in[0]), _r(half_in[1]), _r(depth / 2.0)), Pose((0.0, 0.0, _r(top - depth / 2.0)))
        ),
        support_regions=(flat_rectangle(slope * (x - wall), slope * (y - wall), low + floor),),
        grasps=tuple(grasps),
    )


def _wall_pieces(rim: Array, share: float, inset: Array, low: float, top: float) -> tuple[solid.Piece, ...]:
    # One piece for each side and each rounded corner; the outline has equally many points for every corner.
    count = len(rim) // 4
    corners = [rim[k * count : (k + 1) * count] for k in range(4)]
    runs = [*corners, *(np.stack([corners[k][-1], corners[(k + 1) % 4][0]]) for k in range(4))]
    pieces = []
    for run in runs:
        flat = np.concatenate([run, run * inset])
        pieces.append(
            solid.hull_piece(
                np.concatenate([np.c_[share * flat, np.full(len(flat), low)], np.c_[flat, np.full(len(flat), top)]])
            )
        )
    return tuple(pieces)


def _wall_grasps(
    x: float, y: float, top: float, thick: float, floor: float, share: float, height: float
) -> tuple[holds.Grasp, ...]:
    depth = 0.009
    tcp_z = top - depth
    # A leaning wall slides out of the pinch; a shallow one leaves no room for the inner fingertip.
    if tcp_z - holds.TIP_BEYOND_TCP_M < floor + 0.003 or tcp_z < holds.LOWEST_TCP_M:
        return ()
    grasps = []
    for name, half, axis in (("y", y, 1), ("x", x, 0)):
        lean = (1.0 - share) * half * 0.017 / height
        if lean > 0.0022 or thick > 0.012 or half - thick < 0.03:
            continue
        for sign in (1.0, -1.0):
            tcp, out = [0.0, 0.0, tcp_z], [0.0, 0.0, 0.0]
            middle = half - thick / 2.0 - (1.0 - share) * half * depth / height
            tcp[axis], out[axis] = sign * middle, 1.0
            label = f"rim-{name}" + ("" if sign > 0 else "-back")
            grasps.append(holds.pointing(label, "rim", tcp, (0, 0, -1), out, thick))
    return tuple(grasps)


def make_slide(p: Params) -> Blueprint:
    """Make a board that food is tipped off: feet, a lip on three sides (open at +x), a bar handle beyond -x."""
    form = Form()
    x, y, thick = p.positive("length") / 2.0, p.positive("width") / 2.0, p.positive("thickness")
    lift, lip, bar = p.positive("feet_height"), p.positive("lip_height"), p.positive("handle_length")
    matter, top = p.text("substance"), lift + thick
    form.plate("main", rounded_rectangle(x, y, 0.004), lift, top, matter, bevel=0.0015, uv_scale=0.18)
    side = 0.004
    for sign in (1.0, -1.0):
        form.block("main", (0.0, sign * (y - side), top + lip / 2.0), (x, side, lip / 2.0), 0.0015, matter)
    form.block("main", (-x + side, 0.0, top + lip / 2.0), (side, y - 2.0 * side, lip / 2.0), 0.0015, matter)
    wide, tall = p.positive("handle_width") / 2.0, p.positive("handle_height")
    grip = (-x - bar / 2.0 + 0.002, 0.0, lift + tall / 2.0)
    form.block("second", grip, (bar / 2.0, wide, tall / 2.0), 0.004, matter, steps=2, part="handle")
    for sx in (-1, 1):
        for sy in (-1, 1):
            form.block(
                "dark", (sx * (x - 0.014), sy * (y - 0.014), lift / 2.0), (0.008, 0.008, lift / 2.0), 0.001, "rubber"
            )
    tcp = (grip[0], 0.0, lift + tall - 0.012)
    return form.blueprint(
        support_regions=(flat_rectangle(x - 2.0 * side, y - 2.0 * side, top),),
        grasps=(holds.pointing("handle", "handle", tcp, (0, 0, -1), (0, 1, 0), 2.0 * wide),),
    )


def _r(value: float) -> float:
    return round(float(value), 6)


KINDS = (
    Kind(
        "tub",
        {
            "length": 0.14,
            "width": 0.1,
            "height": 0.06,
            "wall": 0.003,
            "floor": 0.003,
            "base_share": 0.94,
            "corner_radius": 0.012,
            "feet_height": 0.0,
            "tab_height": 0.0,
            "tab_thickness": 0.018,
            "tab_length": 0.05,
            "substance": "plastic",
        },
        PART_LOOKS,
        make_tub,
        paint_parts,
    ),
    Kind(
        "slide",
        {
            "length": 0.14,
            "width": 0.1,
            "thickness": 0.008,
            "feet_height": 0.01,
            "lip_height": 0.008,
            "handle_length": 0.07,
            "handle_width": 0.02,
            "handle_height": 0.024,
            "substance": "wood",
        },
        {**PART_LOOKS, "finish": "wood", "color": "#c79a63", "second_finish": "wood", "second_color": "#8a5a33"},
        make_slide,
        paint_parts,
    ),
)
