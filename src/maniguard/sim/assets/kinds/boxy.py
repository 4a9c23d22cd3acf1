"""Things with flat sides: boxes, drink cartons, books, boards, tins."""

from __future__ import annotations

import numpy as np

from maniguard.sim.assets import grasps as holds
from maniguard.sim.assets import pieces as solid
from maniguard.sim.assets.asset import Blueprint, Kind, Looks, Params, Value
from maniguard.sim.assets.hollow import flat_rectangle
from maniguard.sim.assets.materials import Material, finish, printed
from maniguard.sim.assets.mesh import VisualMesh, lathe, merged, prism, rounded_rectangle, slab
from maniguard.sim.assets.profile import filleted

FRONT = (0.0, 0.0, 0.6, 0.85)
SIDE = (0.6, 0.0, 1.0, 0.85)
TOP = (0.0, 0.85, 0.6, 1.0)
PLAIN_TOP = (0.62, 0.88, 0.98, 0.97)
# The front of a package faces -y, where the robot's cameras look from when an object is turned by a quarter.
PACKAGE_ATLAS = {"-y": FRONT, "+y": FRONT, "+x": SIDE, "-x": SIDE, "+z": TOP, "-z": PLAIN_TOP}


def make_box(p: Params) -> Blueprint:
    """Make a printed cardboard box standing on its base."""
    half = (p.positive("width") / 2.0, p.positive("depth") / 2.0, p.positive("height") / 2.0)
    mesh = slab("print", half, 0.0015, center_m=(0.0, 0.0, half[2]), steps=1, atlas=PACKAGE_ATLAS)
    volume = 8.0 * half[0] * half[1] * half[2]
    return Blueprint(
        (mesh,),
        (solid.box((0.0, 0.0, half[2]), half),),
        ((volume, p.text("contents")),),
        support_regions=(flat_rectangle(half[0], half[1], 2.0 * half[2]),),
        grasps=holds.top_of_box(half, 2.0 * half[2]),
    )


def make_carton(p: Params) -> Blueprint:
    """Make a drink carton: with a gable roof and a fin, or a brick with a screw cap."""
    width, height = p.positive("width") / 2.0, p.positive("height")
    depth = p.positive("depth") / 2.0
    if p.choice("style", ("gable", "brick")) == "brick":
        half = (width, depth, height / 2.0)
        mesh = slab("print", half, 0.002, center_m=(0.0, 0.0, half[2]), steps=1, atlas=PACKAGE_ATLAS)
        volume = 8.0 * half[0] * half[1] * half[2]
        return Blueprint(
            (mesh,),
            (solid.box((0.0, 0.0, half[2]), half),),
            ((0.96 * volume, p.text("contents")), (0.04 * volume, "paper")),
            support_regions=(flat_rectangle(half[0], half[1], height),),
            grasps=holds.top_of_box(half, height),
        )
    fin, roof = 0.016, 0.9 * depth
    wall = height - roof - fin
    body = slab(
        "print", (width, depth, wall / 2.0), 0.0015, center_m=(0.0, 0.0, wall / 2.0), steps=1, atlas=PACKAGE_ATLAS
    )
    gable = _gable(width - 0.0004, depth - 0.0004, wall - 0.001, wall + roof)
    thick = 0.0025
    crest = slab(
        "print",
        (width - 0.001, thick, (fin + 0.004) / 2.0),
        0.001,
        center_m=(0.0, 0.0, height - (fin + 0.004) / 2.0),
        steps=1,
        atlas=dict.fromkeys(("+x", "-x", "+y", "-y", "+z", "-z"), PLAIN_TOP),
    )
    roof_points = np.array(
        [
            [x, y, z]
            for x in (-width, width)
            for y, z in ((-depth, wall), (depth, wall), (-thick, wall + roof), (thick, wall + roof))
        ]
    )
    volume = 4.0 * width * depth * (wall + roof / 2.0)
    tcp_z = height - 0.0075
    grasps = tuple(
        holds.pointing(f"top-y{name}", "top", (x, 0.0, tcp_z), (0, 0, -1), (0, 1, 0), 2.0 * (thick + 0.0005))
        for name, x in (("", 0.0), ("-left", 0.4 * width), ("-right", -0.4 * width))
    )
    return Blueprint(
        (merged("print", [body, gable, crest]),),
        (
            solid.box((0.0, 0.0, wall / 2.0), (width, depth, wall / 2.0)),
            solid.hull_piece(roof_points),
            solid.box((0.0, 0.0, height - fin / 2.0), (width, thick + 0.0005, fin / 2.0)),
        ),
        ((0.93 * volume, p.text("contents")), (0.035 * volume, "paper")),
        grasps=grasps,
    )


def _gable(width: float, depth: float, low: float, high: float) -> VisualMesh:
    quads = []
    corners = {
        "front": [(-width, -depth, low), (width, -depth, low), (width, 0.0, high), (-width, 0.0, high)],
        "back": [(width, depth, low), (-width, depth, low), (-width, 0.0, high), (width, 0.0, high)],
    }
    ends = {
        "right": [(width, -depth, low), (width, depth, low), (width, 0.0, high)],
        "left": [(-width, depth, low), (-width, -depth, low), (-width, 0.0, high)],
    }
    u0, v0, u1, v1 = TOP
    for points in (*corners.values(), *ends.values()):
        vertices = np.asarray(points)
        normal = np.cross(vertices[1] - vertices[0], vertices[2] - vertices[1])
        normal /= np.linalg.norm(normal)
        uv = np.array([(u0, v0), (u1, v0), (u1, v1), (u0, v1)])[: len(points)]
        faces = np.array([[0, 1, 2], [0, 2, 3]][: len(points) - 2], dtype=np.int32)
        quads.append(VisualMesh("print", vertices, np.tile(normal, (len(points), 1)), uv, faces))
    return merged("print", quads)


def make_book(p: Params) -> Blueprint:
    """Make a book: standing on its lower edge, or lying."""
    width, height, thick = p.positive("width"), p.positive("height"), p.positive("thickness")
    board = min(0.0028, 0.12 * thick)
    standing = p.choice("pose", ("standing", "lying")) == "standing"
    # Drawn standing: x along the width, y along the thickness, spine at -x.
    half = np.array([width, thick, height]) / 2.0
    covers = [
        slab(
            "cover",
            (half[0], board / 2.0, half[2]),
            0.0008,
            center_m=(0.0, s * (half[1] - board / 2.0), half[2]),
            steps=1,
        )
        for s in (-1.0, 1.0)
    ]
    covers = [VisualMesh(m.slot, m.vertices, m.normals, m.uv * np.array([0.6, 0.85]), m.faces) for m in covers]
    spine = slab(
        "cover",
        (board / 2.0, half[1] - 0.0002, half[2]),
        0.0008,
        center_m=(-half[0] + board / 2.0, 0.0, half[2]),
        steps=1,
        atlas=dict.fromkeys(("+x", "-x", "+y", "-y", "+z", "-z"), SIDE),
    )
    inset = 0.003
    pages = slab(
        "pages",
        (half[0] - (inset + board) / 2.0, half[1] - board, half[2] - inset),
        0.0004,
        center_m=((board - inset) / 2.0, 0.0, half[2]),
        steps=1,
    )
    meshes = [merged("cover", [*covers, spine]), pages]
    if standing:
        size, upright = tuple(half), half
    else:
        # Tip over backwards: the front (-y) looks up.
        turn = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, -1.0, 0.0]])
        meshes = [m.moved(turn, (0.0, -half[2], half[1])) for m in meshes]
        size = (half[0], half[2], half[1])
        upright = np.asarray(size)
    volume = 8.0 * float(np.prod(half))
    return Blueprint(
        tuple(meshes),
        (solid.box((0.0, 0.0, float(upright[2])), size),),
        ((0.94 * volume, "paper"),),
        support_regions=(flat_rectangle(float(size[0]), float(size[1]), 2.0 * float(size[2])),),
        grasps=holds.top_of_box(size, 2.0 * float(size[2])),
    )


def make_board(p: Params) -> Blueprint:
    """Make a cutting board, with a paddle handle where `handle_length` and on feet where `feet_height` is not zero."""
    half_x, half_y, thick = p.positive("length") / 2.0, p.positive("width") / 2.0, p.positive("thickness")
    radius, lift = min(p.positive("corner_radius"), 0.9 * half_y), p.number("feet_height")
    outline = rounded_rectangle(half_x, half_y, radius)
    top = lift + thick
    pieces = [solid.hull_piece(np.concatenate([np.c_[outline, np.full(len(outline), z)] for z in (lift, top)]))]
    plan = outline
    length, half_w = p.number("handle_length"), p.positive("handle_width") / 2.0
    if length > 0.0:
        turn = np.linspace(-0.5 * np.pi, 0.5 * np.pi, 9)
        tip = np.c_[half_x + length - half_w + half_w * np.cos(turn), half_w * np.sin(turn)]
        neck = 0.012
        paddle = [(half_x, -half_w - neck), (half_x + 0.35 * neck, -half_w - 0.35 * neck), (half_x + neck, -half_w)]
        mirrored = [(x, -y) for x, y in reversed(paddle)]
        right_side = np.concatenate([paddle, tip, mirrored])
        rest = outline[np.roll(np.arange(len(outline)), -_first_of_left(outline))]
        plan = np.concatenate([right_side, rest])
        root = [(half_x - 0.002, -half_w - 0.006), (half_x - 0.002, half_w + 0.006)]
        grip = np.concatenate([np.array(root), tip])
        pieces.append(
            solid.hull_piece(np.concatenate([np.c_[grip, np.full(len(grip), z)] for z in (lift, top)]), part="handle")
        )
    visuals = [prism("wood", plan, lift, top, bevel_m=min(0.002, 0.2 * thick), uv_scale_m=0.18)]
    if lift > 0.0:
        foot = lathe("feet", filleted([(0.0, 0.0), (0.007, 0.0), (0.008, lift), (0.0, lift)], 0.0006), segments=14)
        spots = [(sx * (half_x - 0.02), sy * (half_y - 0.02)) for sx in (-1, 1) for sy in (-1, 1)]
        visuals.append(merged("feet", [foot.moved(None, (x, y, 0.0)) for x, y in spots]))
        pieces += [solid.box((x, y, lift / 2.0), (0.0065, 0.0065, lift / 2.0)) for x, y in spots]
    area = 0.5 * abs(float(np.sum(plan[:, 0] * np.roll(plan[:, 1], -1) - plan[:, 1] * np.roll(plan[:, 0], -1))))
    return Blueprint(
        tuple(visuals),
        tuple(pieces),
        ((area * thick, p.text("substance")),),
        support_regions=(flat_rectangle(half_x - radius / 2.0, half_y - radius / 2.0, top),),
    )


def _first_of_left(outline: np.ndarray) -> int:
    # The outline starts at +x and turns left; its first point is the upper end of the right side.
    return int(np.argmax((outline[:, 0] > 0) & (outline[:, 1] > 0)))


def make_tin(p: Params) -> Blueprint:
    """Make a rectangular storage tin with a slightly larger lid."""
    half = np.array([p.positive("width"), p.positive("depth"), p.positive("height")]) / 2.0
    lid_h = p.positive("lid_height")
    low = float(2.0 * half[2] - lid_h)
    radius = p.positive("corner_radius")
    inner = rounded_rectangle(half[0] - 0.0012, half[1] - 0.0012, radius)
    outer = rounded_rectangle(half[0], half[1], radius + 0.001)
    body = prism("body", inner, 0.0, low + 0.001, bevel_m=0.001)
    lid = prism("lid", outer, low, float(2.0 * half[2]), bevel_m=0.002)
    front = slab(
        "print",
        (half[0] - radius - 0.004, 0.0003, (low - 0.012) / 2.0),
        0.0001,
        center_m=(0.0, 0.0, low / 2.0),
        steps=1,
        atlas=dict.fromkeys(("+x", "-x", "+y", "-y", "+z", "-z"), FRONT),
    )
    faces = [front.moved(None, (0.0, -half[1] + 0.0010, 0.0)), front.moved(None, (0.0, half[1] - 0.0010, 0.0))]
    outline = np.concatenate([np.c_[outer, np.full(len(outer), z)] for z in (0.0, 2.0 * float(half[2]))])
    shell = 8.0 * float(half[0] * half[1] + half[1] * half[2] + half[0] * half[2]) * 0.00028
    volume = 8.0 * float(np.prod(half)) * p.number("fill")
    return Blueprint(
        (body, lid, merged("print", faces)),
        (solid.hull_piece(outline),),
        ((shell, "steel"), (volume, p.text("contents"))),
        support_regions=(flat_rectangle(float(half[0]), float(half[1]), 2.0 * float(half[2])),),
        grasps=holds.top_of_box(tuple(half), 2.0 * float(half[2])),
    )


def _print(looks: Looks) -> Material:
    return printed(
        looks.text("label"),
        looks.text("color"),
        looks.text("accent"),
        looks.text("title"),
        seed=looks.seed(),
        glossy=looks.text("finish") != "paper",
    )


def paint_print(looks: Looks, p: Params) -> dict[str, Material]:
    """Paint a printed package."""
    return {"print": _print(looks)}


def paint_book(looks: Looks, p: Params) -> dict[str, Material]:
    """Paint cover and page block."""
    return {"cover": _print(looks), "pages": finish("paper", "#efe7d3")}


def paint_board(looks: Looks, p: Params) -> dict[str, Material]:
    """Paint the wood and the feet."""
    return {
        "wood": finish(looks.text("finish"), looks.text("color"), seed=looks.seed()),
        "feet": finish("plastic", "#4a4744"),
    }


def paint_tin(looks: Looks, p: Params) -> dict[str, Material]:
    """Paint body, lid and the printed sides."""
    return {
        "body": finish("enamel", looks.text("color")),
        "lid": finish("enamel", looks.text("lid_color")),
        "print": _print(looks),
    }


PRINT_LOOKS: dict[str, Value] = {
    "finish": "gloss-print",
    "label": "package",
    "color": "#b23a48",
    "accent": "#e9c46a",
    "title": "Sunny",
    "seed": 0.0,
}

KINDS = (
    Kind(
        "box",
        {"width": 0.07, "depth": 0.045, "height": 0.12, "contents": "tea"},
        PRINT_LOOKS,
        make_box,
        paint_print,
    ),
    Kind(
        "carton",
        {"width": 0.06, "depth": 0.06, "height": 0.17, "style": "gable", "contents": "water"},
        {**PRINT_LOOKS, "label": "carton", "color": "#2a6f97", "accent": "#f4a261", "title": "Milk"},
        make_carton,
        paint_print,
    ),
    Kind(
        "book",
        {"width": 0.11, "height": 0.17, "thickness": 0.032, "pose": "standing"},
        {**PRINT_LOOKS, "label": "book", "color": "#1d3557", "title": "Tides"},
        make_book,
        paint_book,
    ),
    Kind(
        "board",
        {
            "length": 0.24,
            "width": 0.15,
            "thickness": 0.016,
            "corner_radius": 0.01,
            "handle_length": 0.0,
            "handle_width": 0.034,
            "feet_height": 0.0,
            "substance": "wood",
        },
        {"finish": "wood", "color": "#c79a63", "seed": 0.0},
        make_board,
        paint_board,
    ),
    Kind(
        "tin",
        {
            "width": 0.075,
            "depth": 0.06,
            "height": 0.11,
            "lid_height": 0.022,
            "corner_radius": 0.008,
            "fill": 0.8,
            "contents": "tea",
        },
        {
            **PRINT_LOOKS,
            "label": "tea",
            "color": "#386641",
            "accent": "#a7c957",
            "title": "Tea",
            "lid_color": "#2f3e2e",
        },
        make_tin,
        paint_tin,
    ),
)
