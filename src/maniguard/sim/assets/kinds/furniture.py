"""Small cabinets with drawers that stand on the table; they open towards -x."""

from __future__ import annotations

from maniguard.sim.assets import grasps as holds
from maniguard.sim.assets.asset import AssetError, Blueprint, Kind, Params, PartJoint
from maniguard.sim.assets.form import Form
from maniguard.sim.assets.hollow import flat_rectangle
from maniguard.sim.assets.kinds.painting import PART_LOOKS, paint_parts
from maniguard.trace.scene import Pose, Region

HANDLES = ("bar", "knob", "shell")
GAP_M = 0.002


def make_cabinet(p: Params) -> Blueprint:
    """Make a cabinet with `drawers` drawers one above the other; joint 0 is shut, a drawer opens by `travel`.

    The top drawer is the one called "drawer"; others are "drawer2" and so on, downwards. `plinth` is the height of the
    closed foot. The interior is the top drawer's and moves with it.
    """
    form = Form()
    x, y, h = p.positive("depth") / 2.0, p.positive("width") / 2.0, p.positive("height")
    board, plinth, count = p.positive("board"), p.number("plinth"), int(p.positive("drawers"))
    matter, travel = p.text("substance"), p.positive("travel")
    room = (h - plinth - 2.0 * board) / count
    if room < 0.05:
        raise AssetError(f"asset kind {p.kind!r}: {count} drawers leave {room:.3f} m each; they need 0.05 m")
    front = p.positive("front")
    # Carcass: back, sides, top, bottom, plinth; the fronts lie before it.
    left = -x + front
    mid = (left + x) / 2.0
    deep = (x - left) / 2.0
    for sign in (1.0, -1.0):
        form.block("main", (mid, sign * (y - board / 2.0), h / 2.0), (deep, board / 2.0, h / 2.0), 0.0015, matter)
    wide = y - board
    form.block("main", (mid, 0.0, h - board / 2.0), (deep, wide, board / 2.0), 0.001, matter)
    form.block("main", (mid, 0.0, plinth + board / 2.0), (deep, wide, board / 2.0), 0.001, matter)
    form.block("main", (x - board / 2.0, 0.0, h / 2.0), (board / 2.0, wide, h / 2.0), 0.001, matter)
    if plinth > 0.0:
        form.block("dark", (mid + 0.01, 0.0, plinth / 2.0), (deep - 0.012, wide, plinth / 2.0), 0.001, matter)
    if p.choice("top", ("flat", "worktop")) == "worktop":
        form.block("third", (0.0, 0.0, h + 0.006), (x + 0.004, y + 0.004, 0.006), 0.002, matter)
    joints, grasps = [], []
    interior = None
    for k in range(count):
        part = "drawer" if k == 0 else f"drawer{k + 1}"
        high = h - board - k * room
        low = high - room
        region, grasp = _drawer(form, p, part, (left, x - board), wide, low, high)
        if k == 0:
            interior = region
        grasps.append(grasp)
        joints.append(
            PartJoint(
                name=f"{part}_slide",
                kind="slide",
                part=part,
                axis=(-1.0, 0.0, 0.0),
                lower=0.0,
                upper=round(travel, 6),
                damping=p.number("damping"),
                frictionloss=p.number("frictionloss"),
            )
        )
    top = h + (0.012 if p.text("top") == "worktop" else 0.0)
    return form.blueprint(
        interior=interior,
        interior_part="drawer",
        support_regions=(flat_rectangle(x - 0.01, y - 0.005, top),),
        joints=tuple(joints),
        anchored=True,
        grasps=tuple(grasps),
    )


def _drawer(
    form: Form, p: Params, part: str, span: tuple[float, float], wide: float, low: float, high: float
) -> tuple[Region, holds.Grasp]:
    matter, front, side = p.text("drawer_substance"), p.positive("front"), 0.006
    x0, x1 = span[0], span[1] - 0.004
    half_y = wide - GAP_M
    floor = low + 0.006
    walls = min(floor + p.positive("drawer_depth"), high - 0.006)
    mid, deep = (x0 + x1) / 2.0, (x1 - x0) / 2.0
    face = (x0 - front / 2.0, 0.0, (low + high) / 2.0)
    gap = 0.0015
    reveal = wide + p.positive("board") - gap
    form.block("second", face, (front / 2.0, reveal, (high - low) / 2.0 - gap), 0.002, p.text("substance"), part=part)
    form.block("third", (mid, 0.0, floor + side / 2.0), (deep, half_y, side / 2.0), 0.0002, matter, part=part, steps=0)
    tall = (walls - floor) / 2.0
    for sign in (1.0, -1.0):
        form.block(
            "third",
            (mid, sign * (half_y - side / 2.0), floor + tall),
            (deep, side / 2.0, tall),
            0.0008,
            matter,
            part=part,
        )
    form.block(
        "third",
        (x1 - side / 2.0, 0.0, floor + tall),
        (side / 2.0, half_y - side, tall),
        0.0002,
        matter,
        part=part,
        steps=0,
    )
    grip_z = high - p.positive("handle_drop")
    grip = _handle(form, p, part, x0 - front, grip_z)
    inside = half_y - side
    base = floor + side
    region = Region(
        "box",
        (round(deep - side / 2.0, 6), round(inside, 6), round((walls - base) / 2.0, 6)),
        Pose((round(mid - side / 2.0, 6), 0.0, round((walls + base) / 2.0, 6))),
    )
    return region, grip


def _handle(form: Form, p: Params, part: str, face_x: float, z: float) -> holds.Grasp:
    style, out, r = p.choice("handle", HANDLES), p.positive("handle_out"), p.positive("handle_radius")
    metal = "steel"
    x = face_x - out + r
    if style == "bar":
        half = p.positive("handle_length") / 2.0
        form.rod("metal", (x, -half, z), (x, half, z), r, metal, part=part, edge=0.002)
        for sign in (1.0, -1.0):
            at = sign * (half - 0.012)
            form.rod("metal", (face_x + 0.001, at, z), (x, at, z), 0.7 * r, metal, part=part, edge=0.0005)
    elif style == "knob":
        form.rod("metal", (face_x + 0.001, 0.0, z), (x + 0.4 * r, 0.0, z), 0.5 * r, metal, part=part, edge=0.0005)
        knob = [(0.7 * r, -r), (r, -0.4 * r), (r, 0.5 * r), (0.6 * r, r)]
        form.turned("metal", knob, metal, at=(x, 0.0, z), axis=(-1.0, 0.0, 0.0), part=part, sides=12, limit=3)
    else:
        half = p.positive("handle_length") / 2.0
        form.block("metal", (x, 0.0, z), (r, half, 1.1 * r), 0.004, metal, part=part, steps=2)
        for sign in (1.0, -1.0):
            post = ((face_x + x) / 2.0, sign * (half - 0.006), z)
            form.block("metal", post, ((face_x - x) / 2.0 + 0.001, 0.006, 0.8 * r), 0.002, metal, part=part)
    # From the front, the fingers above and below the bar, where the hand has room.
    width = 2.0 * (1.1 * r if style == "shell" else r)
    name = f"{part}-handle"
    return holds.pointing(name, "handle", (x, 0.0, z), (1, 0, 0), (0, 0, 1), width)


KINDS = (
    Kind(
        "cabinet",
        {
            "depth": 0.22,
            "width": 0.3,
            "height": 0.2,
            "board": 0.012,
            "front": 0.014,
            "plinth": 0.03,
            "drawers": 1.0,
            "drawer_depth": 0.06,
            "travel": 0.15,
            "handle": "bar",
            "handle_length": 0.09,
            "handle_radius": 0.007,
            "handle_out": 0.044,
            "handle_drop": 0.04,
            "top": "flat",
            "damping": 8.0,
            "frictionloss": 0.5,
            "substance": "wood",
            "drawer_substance": "wood",
        },
        {
            **PART_LOOKS,
            "finish": "wood",
            "color": "#b98f5f",
            "second_finish": "wood",
            "second_color": "#c9a273",
            "third_finish": "wood",
            "third_color": "#dfc7a0",
        },
        make_cabinet,
        paint_parts,
    ),
)
