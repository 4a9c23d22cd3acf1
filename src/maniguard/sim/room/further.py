"""Four more rooms: classroom, bedroom, bathroom, workshop."""

from __future__ import annotations

import numpy as np

from maniguard.sim.room import furniture as put
from maniguard.sim.room import surfaces
from maniguard.sim.room.builder import RoomBuilder, Surface, painted, pictured
from maniguard.sim.room.design import (
    BACK,
    LEFT,
    RIGHT,
    WHITE_FRAME,
    Light,
    RoomDesign,
    landscape,
    planks,
    plaster,
    skyline,
)


def _school_desk(room: RoomBuilder, x: float, y: float, top: Surface, seat: Surface) -> None:
    put.desk(room, (x, y), (x + 0.5, y + 0.65), top=top, legs=put.METAL, height=0.7)
    room.soft(seat, (x + 0.62, y + 0.13, 0.42), (x + 0.98, y + 0.52, 0.45), 0.01)
    room.soft(seat, (x + 0.95, y + 0.13, 0.6), (x + 0.98, y + 0.52, 0.82), 0.01)
    for dx in (0.64, 0.95):
        for dy in (0.15, 0.5):
            room.rod(put.METAL, (x + dx, y + dy, 0.0), (x + dx, y + dy, 0.8 if dx > 0.9 else 0.43), 0.011)


def _classroom(room: RoomBuilder) -> None:
    board = pictured("blackboard", lambda: surfaces.carpet("#2f4a3f", 3), specular=0.03)
    frame = put.wood("#8a5a33", 5)
    room.block(frame, (BACK, -1.45, 0.85), (BACK + 0.02, 1.05, 2.05))
    room.block(board, (BACK + 0.02, -1.41, 0.89), (BACK + 0.024, 1.01, 2.01))
    room.block(frame, (BACK, -1.45, 0.82), (BACK + 0.08, 1.05, 0.85))
    for k in range(4):
        room.block(painted("#efece4"), (BACK + 0.04, -0.9 + 0.2 * k, 0.85), (BACK + 0.052, -0.83 + 0.2 * k, 0.862))
    # Chalk writing: a sum and a triangle.
    chalk = painted("#dfe3dc")
    for k, wide in enumerate((0.5, 0.36, 0.44)):
        room.block(chalk, (BACK + 0.024, -1.2, 1.75 - 0.16 * k), (BACK + 0.026, -1.2 + wide, 1.765 - 0.16 * k))
    corners = [(0.1, 1.3), (0.75, 1.3), (0.45, 1.8)]
    for (y0, z0), (y1, z1) in zip(corners, [*corners[1:], corners[0]], strict=True):
        room.rod(chalk, (BACK + 0.025, y0, z0), (BACK + 0.025, y1, z1), 0.006)
    top, seat = put.wood("#d9bd8c", 8), painted("#3f6f8f", specular=0.2)
    _school_desk(room, 0.2, LEFT - 0.8, top, seat)
    _school_desk(room, -0.95, LEFT - 0.8, top, seat)
    put.desk(room, (-1.2, RIGHT + 0.1), (-0.5, RIGHT + 1.0), top=top, legs=put.wood("#b98f5f", 2))
    globe = np.array([(0.0, 0.95), (0.09, 0.99), (0.13, 1.08), (0.09, 1.17), (0.0, 1.21)])
    room.turned(painted("#4f86a8", specular=0.4), globe, (-0.9, RIGHT + 0.4))
    room.turned(
        put.DARK, np.array([(0.0, 0.73), (0.1, 0.73), (0.02, 0.76), (0.02, 0.95), (0.0, 0.95)]), (-0.9, RIGHT + 0.4)
    )
    put.window(room, "right", RIGHT, 0.9, 0.85, (2.0, 1.3), frame=WHITE_FRAME, view=landscape(11), bars=3)
    for k, seed in enumerate((21, 22, 23)):
        put.picture(room, "left", LEFT, -0.8 + 0.75 * k, 1.25, (0.5, 0.38), seed=seed, frame=painted("#d8d4c8"))
    put.shelf(
        room,
        (BACK, 1.2, 0.0),
        (BACK + 0.32, 1.85, 1.2),
        boards=3,
        surface=put.wood("#c79a63", 9),
        open_side="+x",
        seed=50,
    )


def _bedroom(room: RoomBuilder) -> None:
    cloth = pictured("bed:cover", lambda: surfaces.carpet("#8a5d70", 12), tile_m=(0.5, 0.5), specular=0.02)
    linen, frame = painted("#ece6dc", specular=0.03), put.wood("#6d4a2f", 11)
    room.soft(frame, (BACK + 0.02, -1.3, 0.0), (BACK + 0.1, 0.4, 1.05), 0.02)
    room.soft(frame, (BACK + 0.1, -1.28, 0.14), (BACK + 1.1, 0.38, 0.34), 0.015)
    room.soft(linen, (BACK + 0.11, -1.25, 0.32), (BACK + 1.08, 0.35, 0.52), 0.05)
    room.soft(cloth, (BACK + 0.5, -1.29, 0.36), (BACK + 1.12, 0.39, 0.57), 0.05)
    for y in (-1.15, -0.35):
        room.soft(linen, (BACK + 0.12, y, 0.5), (BACK + 0.46, y + 0.62, 0.66), 0.06)
    put.cabinet_run(
        room, (BACK, 0.6, 0.0), (BACK + 0.42, 1.1, 0.55), front="+x", count=1, doors=frame, top=frame, drawers=True
    )
    lamp = np.array([(0.0, 0.55), (0.09, 0.55), (0.03, 0.6), (0.02, 0.75), (0.0, 0.75)])
    room.turned(painted("#d9d2c3", specular=0.3), lamp, (BACK + 0.2, 0.85))
    shade = np.array([(0.0, 0.73), (0.14, 0.73), (0.09, 0.95), (0.0, 0.95)])
    room.turned(painted("#f3e3bf", emission=0.6), shade, (BACK + 0.2, 0.85))
    # Wardrobe on the left, mirror, curtained window on the right.
    put.cabinet_run(
        room,
        (-0.4, LEFT - 0.55, 0.0),
        (1.5, LEFT, 2.0),
        front="-y",
        count=3,
        doors=painted("#d9cfbf", specular=0.15),
        top=frame,
    )
    put.rug(room, (-0.3, -1.5), (1.9, -0.4), "#a88f7c", "#5f4a52", 14)
    put.window(room, "right", RIGHT, 0.2, 0.6, (1.5, 1.4), frame=WHITE_FRAME, view=landscape(15), bars=1)
    put.curtains(room, "right", RIGHT, ((-0.95, -0.5), (0.9, 1.35)), 0.04, 2.2, "#6a7f92", 6)
    put.picture(room, "back", BACK, -0.45, 1.3, (0.9, 0.6), seed=31, frame=painted("#c9b28a"))
    put.potted_plant(room, (-1.15, RIGHT + 0.4), pot="#b5623c", height=0.85, seed=25)


def _bathroom(room: RoomBuilder) -> None:
    white, steel = painted("#eef0f0", specular=0.5, shininess=0.8), put.METAL
    # Bath along the back wall, its rim hollowed by a darker inside.
    room.soft(white, (BACK, -1.75, 0.0), (BACK + 0.75, 0.1, 0.56), 0.03)
    room.soft(painted("#cdd5d8", specular=0.4), (BACK + 0.09, -1.64, 0.5), (BACK + 0.66, -0.02, 0.563), 0.02)
    room.rod(steel, (BACK + 0.04, -0.9, 0.56), (BACK + 0.04, -0.9, 0.82), 0.014)
    room.rod(steel, (BACK + 0.04, -0.9, 0.8), (BACK + 0.2, -0.9, 0.76), 0.013)
    room.rod(steel, (BACK + 0.3, 0.12, 0.0), (BACK + 0.3, 0.12, 2.05), 0.011)
    # Washstand with a mirror.
    oak = put.wood("#b98f5f", 13)
    put.cabinet_run(
        room, (BACK, 0.45, 0.25), (BACK + 0.48, 1.6, 0.82), front="+x", count=2, doors=oak, top=white, drawers=True
    )
    basin = np.array([(0.0, 0.84), (0.13, 0.84), (0.22, 0.95), (0.2, 0.95), (0.1, 0.87), (0.0, 0.87)])
    room.turned(white, basin, (BACK + 0.25, 1.02), segments=24)
    room.rod(steel, (BACK + 0.06, 1.02, 0.82), (BACK + 0.06, 1.02, 1.08), 0.012)
    room.rod(steel, (BACK + 0.06, 1.02, 1.07), (BACK + 0.2, 1.02, 1.05), 0.011)
    room.block(steel, (BACK, 0.55, 1.2), (BACK + 0.012, 1.5, 1.95))
    mirror = pictured("mirror", lambda: surfaces.plaster("#aebfc6", 4), specular=0.7, shininess=0.9, emission=0.12)
    room.block(mirror, (BACK + 0.012, 0.57, 1.22), (BACK + 0.016, 1.48, 1.93))
    for y in (0.62, 1.43):
        room.soft(painted("#fff3da", emission=0.8), (BACK, y - 0.03, 2.0), (BACK + 0.06, y + 0.03, 2.12), 0.01)
    # Towels on a rail, laundry basket, a small high window.
    for k, colour in enumerate(("#4f8a8b", "#e8dcc8", "#c8694b")):
        cloth = pictured(f"towel:{colour}", lambda c=colour: surfaces.carpet(c, 4), tile_m=(0.2, 0.2), specular=0.02)  # type: ignore[misc]
        room.soft(cloth, (-0.4 + 0.6 * k, LEFT - 0.06, 0.75), (0.05 + 0.6 * k, LEFT - 0.02, 1.4), 0.012)
    room.rod(steel, (-0.55, LEFT - 0.07, 1.41), (1.4, LEFT - 0.07, 1.41), 0.012)
    basket = np.array([(0.0, 0.0), (0.2, 0.0), (0.24, 0.5), (0.22, 0.5), (0.0, 0.47)])
    woven = pictured("basket:room", lambda: surfaces.carpet("#b08a5a", 17), tile_m=(0.2, 0.2))
    room.turned(woven, basket, (-1.1, LEFT - 0.35))
    put.window(room, "right", RIGHT, 0.6, 1.25, (1.1, 0.7), frame=WHITE_FRAME, view=landscape(19), bars=1)
    put.potted_plant(room, (-0.6, RIGHT + 0.35), pot="#dfe3e4", height=1.0, seed=28)
    put.rug(room, (-0.45, -1.35), (0.6, -0.75), "#9fb8b8", "#e8e4da", 19)


def _workshop(room: RoomBuilder) -> None:
    bench, steel = put.wood("#a07a4c", 15), painted("#9aa0a5", specular=0.5)
    put.desk(room, (BACK + 0.02, -1.6), (BACK + 0.68, 0.8), top=bench, legs=put.wood("#7d5c38", 3), height=0.88)
    room.soft(bench, (BACK + 0.05, -1.5, 0.2), (BACK + 0.6, 0.7, 0.24), 0.006)
    for y, colour in ((-1.2, "#b23a48"), (-0.6, "#2d6da8"), (0.1, "#d9a441")):
        room.soft(painted(colour, specular=0.3), (BACK + 0.1, y, 0.24), (BACK + 0.5, y + 0.45, 0.52), 0.015)
    # Pegboard with tools.
    peg = pictured("pegboard", lambda: surfaces.tiles("#c9b48a", "#8a744c", 4, across=14, down=14), tile_m=(0.6, 0.6))
    room.block(peg, (BACK, -1.55, 1.05), (BACK + 0.015, 0.75, 2.0))
    out = BACK + 0.03
    for k in range(6):
        y, colour = -1.35 + 0.17 * k, ("#d64550", "#3fa34d", "#f2b134")[k % 3]
        room.rod(painted(colour, specular=0.3), (out, y, 1.75), (out, y, 1.6), 0.018)
        room.rod(steel, (out, y, 1.6), (out, y, 1.38 + 0.03 * (k % 3)), 0.007)
    for k in range(3):
        y = -0.25 + 0.28 * k
        room.rod(put.wood("#c79a63", 4), (out, y, 1.2), (out, y, 1.72), 0.016)
        room.soft(steel, (out - 0.02, y - 0.07, 1.7), (out + 0.025, y + 0.07, 1.76), 0.01)
    room.soft(painted("#3d6f8e", specular=0.3), (BACK + 0.2, -1.45, 0.88), (BACK + 0.5, -1.05, 1.02), 0.02)
    room.soft(painted("#4a4f54", specular=0.4), (BACK + 0.4, 0.4, 0.88), (BACK + 0.66, 0.56, 1.04), 0.02)
    # Metal lockers, a drum, planks, a garage-like window front.
    put.cabinet_run(
        room,
        (-0.2, LEFT - 0.5, 0.0),
        (1.8, LEFT, 1.75),
        front="-y",
        count=4,
        doors=painted("#5f7f6a", specular=0.25),
        top=steel,
    )
    drum = np.array([(0.0, 0.0), (0.28, 0.0), (0.28, 0.3), (0.29, 0.31), (0.28, 0.32), (0.28, 0.86), (0.0, 0.86)])
    room.turned(painted("#c8694b", specular=0.3), drum, (-0.9, LEFT - 0.4), segments=24)
    for k in range(4):
        y = RIGHT + 0.05 + 0.06 * k
        room.block(
            put.wood("#d3b07c", 20 + k % 2), (-1.2 - 0.02 * k, y, 0.0), (-1.08 - 0.02 * k, y + 0.03, 1.9 - 0.15 * k)
        )
    put.window(
        room, "right", RIGHT, 0.7, 0.95, (2.2, 1.0), frame=painted("#5d6368", specular=0.3), view=skyline(14), bars=4
    )
    put.shelf(room, (BACK, 1.0, 0.0), (BACK + 0.4, 1.85, 1.7), boards=4, surface=steel, open_side="+x", seed=61)


DESIGNS = (
    RoomDesign(
        "classroom",
        pictured("linoleum", lambda: surfaces.terrazzo("#b7a98a", 9), tile_m=(1.1, 1.1), specular=0.2, shininess=0.4),
        plaster("#e3ddc6"),
        "birch",
        (0.45, 0.45, 0.44),
        (Light((-0.12, 0.5, -0.86), (0.5, 0.49, 0.45), True), Light((-0.6, -0.3, -0.74), (0.16, 0.16, 0.18))),
        _classroom,
        accent_wall=plaster("#b9c9b4"),
        skirting=painted("#8f8a7c"),
    ),
    RoomDesign(
        "bedroom",
        planks("#8a6a4a", 17),
        plaster("#d8cdd2"),
        "walnut",
        (0.45, 0.42, 0.42),
        (Light((-0.08, 0.55, -0.83), (0.53, 0.47, 0.41), True), Light((-0.55, -0.25, -0.8), (0.17, 0.16, 0.19))),
        _bedroom,
        accent_wall=plaster("#6f7f95"),
        skirting=WHITE_FRAME,
    ),
    RoomDesign(
        "bathroom",
        pictured(
            "bath-floor",
            lambda: surfaces.tiles("#7f9aa3", "#5f7780", 6, across=4, down=4),
            tile_m=(0.9, 0.9),
            specular=0.35,
            shininess=0.6,
        ),
        pictured(
            "bath-wall",
            lambda: surfaces.tiles("#e6ecec", "#c3cccd", 7, across=5, down=10, stagger=True),
            tile_m=(1.2, 1.2),
            specular=0.4,
            shininess=0.7,
        ),
        "white",
        (0.46, 0.47, 0.48),
        (Light((-0.1, 0.34, -0.93), (0.46, 0.47, 0.48), True), Light((-0.6, -0.45, -0.66), (0.17, 0.17, 0.18))),
        _bathroom,
        accent_wall=pictured(
            "bath-accent",
            lambda: surfaces.tiles("#3f7f86", "#a9c4c4", 8, across=8, down=8),
            tile_m=(1.0, 1.0),
            specular=0.5,
            shininess=0.7,
        ),
    ),
    RoomDesign(
        "workshop",
        pictured("concrete", lambda: surfaces.plaster("#9a978f", 31), tile_m=(2.0, 2.0), specular=0.1),
        pictured(
            "brick-wall",
            lambda: surfaces.tiles("#b98a72", "#d3c6b8", 12, across=4, down=9, stagger=True),
            tile_m=(1.0, 0.75),
            specular=0.03,
        ),
        "bench",
        (0.42, 0.42, 0.42),
        (Light((-0.12, 0.42, -0.9), (0.52, 0.5, 0.45), True), Light((-0.6, -0.45, -0.66), (0.17, 0.18, 0.2))),
        _workshop,
        skirting=painted("#6f6a63"),
    ),
)
