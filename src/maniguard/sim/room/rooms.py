"""The rooms: what stands around the table, and how it is lit."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

import numpy as np

from maniguard.sim.room import furniture as put
from maniguard.sim.room import further, surfaces
from maniguard.sim.room.builder import RoomBuilder, painted, pictured
from maniguard.sim.room.design import (
    BACK,
    LEFT,
    RIGHT,
    SUN_RIGHT,
    WHITE_FRAME,
    Light,
    RoomDesign,
    landscape,
    planks,
    plaster,
    skyline,
)


def _studio(room: RoomBuilder) -> None:
    put.potted_plant(room, (BACK + 0.4, 1.35), pot="#8d8a85", height=0.95, seed=3)


def _kitchen(room: RoomBuilder) -> None:
    doors, top = painted("#6f8a86", specular=0.2), put.wood("#b98f5f", 3)
    put.cabinet_run(
        room, (BACK, RIGHT, 0.0), (BACK + 0.55, 0.95, 0.88), front="+x", count=5, doors=doors, top=top, drawers=True
    )
    splash = pictured(
        "splash:white",
        lambda: surfaces.tiles("#e6e3da", "#b9b4a8", 4, across=3, down=6, stagger=True),
        tile_m=(0.6, 0.6),
        specular=0.5,
        shininess=0.7,
    )
    room.block(splash, (BACK, RIGHT, 0.88), (BACK + 0.01, 0.95, 1.45))
    steel = painted("#b4b8bc", specular=0.6, shininess=0.6)
    put.fridge(room, (BACK, 1.02), (BACK + 0.58, 1.66), front="+x", surface=steel)
    # Stove with an oven door between the cabinets.
    room.block(painted("#1d1e20", specular=0.6, shininess=0.8), (BACK + 0.53, -0.38, 0.14), (BACK + 0.556, 0.2, 0.62))
    room.block(steel, (BACK + 0.53, -0.38, 0.66), (BACK + 0.556, 0.2, 0.84))
    room.rod(put.METAL, (BACK + 0.59, -0.32, 0.6), (BACK + 0.59, 0.14, 0.6), 0.009)
    for k in range(4):
        y = -0.28 + 0.125 * k
        room.rod(put.DARK, (BACK + 0.556, y, 0.75), (BACK + 0.58, y, 0.75), 0.018)
    room.block(put.DARK, (BACK + 0.06, -0.4, 0.88), (BACK + 0.53, 0.22, 0.888))
    put.potted_plant(room, (BACK + 0.2, 0.72), pot="#c8553d", height=0.36, seed=5, stand=0.88)
    room.turned(painted("#e8e4da", specular=0.4), _canister(0.055, 0.17), (BACK + 0.2, -0.8))
    room.turned(painted("#c8a24a", specular=0.4), _canister(0.048, 0.13), (BACK + 0.22, -0.93))
    put.window(room, "back", BACK, -1.1, 1.05, (0.9, 1.0), frame=WHITE_FRAME, view=landscape(2))
    put.window(room, "right", RIGHT, 0.5, 0.92, (1.3, 1.1), frame=WHITE_FRAME, view=landscape(1))
    put.cabinet_run(
        room, (-0.3, LEFT - 0.5, 0.0), (1.9, LEFT, 0.88), front="-y", count=4, doors=doors, top=top, drawers=True
    )
    room.turned(painted("#b23a48", specular=0.5), _canister(0.09, 0.2), (0.9, LEFT - 0.25))


def _canister(radius: float, height: float) -> surfaces.Array:
    base = 0.88
    return np.array(
        [
            (0.0, base),
            (radius, base),
            (radius, base + 0.8 * height),
            (0.8 * radius, base + height),
            (0.0, base + height),
        ]
    )


def _living(room: RoomBuilder) -> None:
    cloth = pictured("sofa:blue", lambda: surfaces.carpet("#4a6278", 8), tile_m=(0.35, 0.35), specular=0.02)
    put.rug(room, (-1.0, -1.25), (1.8, 1.25), "#b9a78f", "#7c4a3a", 9)
    put.sofa(room, (BACK + 0.06, -1.05), (BACK + 0.86, 0.75), cloth=cloth, pillow=painted("#d9a441"), front="+x")
    put.floor_lamp(room, (BACK + 0.35, 1.2), shade="#f3e3bf")
    put.picture(room, "back", BACK, -0.15, 1.05, (0.8, 0.6), seed=4, frame=painted("#3a2c22"))
    put.shelf(
        room,
        (-0.35, LEFT - 0.3, 0.0),
        (1.35, LEFT - 0.005, 1.5),
        boards=4,
        surface=put.wood("#8a5a33", 6),
        open_side="-y",
        seed=10,
    )
    put.potted_plant(room, (1.75, LEFT - 0.4), pot="#d9d2c3", height=1.05, seed=7)
    put.window(room, "right", RIGHT, 0.4, 0.45, (1.7, 1.6), frame=WHITE_FRAME, view=landscape(6), bars=2)
    put.curtains(room, "right", RIGHT, ((-0.85, -0.4), (1.2, 1.65)), 0.04, 2.2, "#b56a4a", 2)
    put.potted_plant(room, (-1.15, RIGHT + 0.45), pot="#6b5b4b", height=0.95, seed=12)


def _office(room: RoomBuilder) -> None:
    laminate, legs = put.wood("#cdb593", 4), painted("#c4c6c9", specular=0.4)
    put.desk(room, (BACK + 0.05, -1.5), (BACK + 0.75, 0.2), top=laminate, legs=legs)
    put.monitor(room, (BACK + 0.28, -0.95), wide=0.56, stand_on=0.73, facing="+x", seed=1)
    put.monitor(room, (BACK + 0.28, -0.32), wide=0.56, stand_on=0.73, facing="+x", seed=2)
    room.soft(painted("#e4e4e2"), (BACK + 0.5, -0.85, 0.73), (BACK + 0.62, -0.45, 0.745), 0.004)
    seat = painted("#34495e", specular=0.05)
    put.office_chair(room, (BACK + 1.02, -1.2), cloth=seat, back_to="+x")
    put.shelf(
        room, (BACK, 0.45, 0.0), (BACK + 0.34, 1.5, 1.35), boards=4, surface=painted("#d8d6d1"), open_side="+x", seed=30
    )
    put.window(
        room, "right", RIGHT, 0.5, 0.75, (2.0, 1.3), frame=painted("#5d6368", specular=0.3), view=skyline(3), bars=3
    )
    cabinets = painted("#9aa3aa", specular=0.3)
    put.cabinet_run(
        room,
        (0.1, LEFT - 0.45, 0.0),
        (1.7, LEFT, 0.72),
        front="-y",
        count=3,
        doors=cabinets,
        top=painted("#d6d4cf"),
        drawers=True,
    )
    board = pictured("whiteboard", lambda: surfaces.whiteboard(5), specular=0.4, shininess=0.6)
    room.block(put.METAL, (-0.25, LEFT - 0.02, 0.93), (1.75, LEFT, 1.97))
    room.block(board, (-0.23, LEFT - 0.024, 0.95), (1.73, LEFT - 0.02, 1.95))
    put.potted_plant(room, (-0.75, LEFT - 0.45), pot="#e4e2dd", height=1.0, seed=15)
    room.soft(painted("#7d8a93"), (1.2, LEFT - 0.36, 0.72), (1.5, LEFT - 0.08, 0.9), 0.01)


def _laboratory(room: RoomBuilder) -> None:
    steel = painted("#b6bbc0", specular=0.6, shininess=0.6)
    white = painted("#dfe3e4", specular=0.25)
    dark_top = painted("#34393e", specular=0.3, shininess=0.5)
    put.cabinet_run(
        room, (BACK, RIGHT, 0.0), (BACK + 0.6, LEFT, 0.9), front="+x", count=7, doors=white, top=dark_top, drawers=True
    )
    # Instruments, a rack and reagent bottles on the bench.
    room.soft(painted("#cfd6d8", specular=0.3), (BACK + 0.12, -1.3, 0.9), (BACK + 0.5, -0.75, 1.32), 0.02)
    room.block(
        pictured("screen:9", lambda: surfaces.screen(9), emission=0.7),
        (BACK + 0.5, -1.22, 1.12),
        (BACK + 0.503, -1.0, 1.26),
    )
    room.soft(painted("#3d6f8e", specular=0.3), (BACK + 0.15, -0.6, 0.9), (BACK + 0.45, -0.3, 1.15), 0.02)
    put.monitor(room, (BACK + 0.25, 0.15), wide=0.5, stand_on=0.9, facing="+x", seed=5)
    for k, colour in enumerate(("#9c5a1f", "#5b8c5a", "#c9ccd0", "#9c5a1f", "#2d7dd2")):
        room.turned(
            painted(colour, specular=0.7, shininess=0.8),
            _reagent(0.042),
            (BACK + 0.22 + 0.05 * (k % 2), 0.65 + 0.13 * k),
        )
    room.block(steel, (BACK, RIGHT, 1.45), (BACK + 0.28, LEFT, 1.48))
    put.window(
        room, "right", RIGHT, 0.45, 0.95, (1.8, 1.1), frame=painted("#cfd3d6", specular=0.3), view=skyline(8), bars=2
    )
    put.cabinet_run(
        room,
        (-0.5, LEFT - 0.55, 0.0),
        (2.1, LEFT, 0.9),
        front="-y",
        count=4,
        doors=painted("#4f7f9b", specular=0.2),
        top=dark_top,
        drawers=True,
    )
    room.soft(painted("#dfe3e4", specular=0.3), (0.2, LEFT - 0.45, 0.9), (0.75, LEFT - 0.1, 1.25), 0.03)
    room.block(put.DARK, (0.25, LEFT - 0.452, 0.98), (0.55, LEFT - 0.449, 1.2))
    for k, colour in enumerate(("#d9a05b", "#8fb8c9", "#b58bb0", "#9bbf8a")):
        room.turned(painted(colour, specular=0.8, shininess=0.9), _reagent(0.038), (1.0 + 0.14 * k, LEFT - 0.3))
    room.soft(painted("#f2b134"), (-1.1, RIGHT + 0.06, 0.0), (-0.7, RIGHT + 0.42, 0.55), 0.03)
    room.block(steel, (-0.35, RIGHT + 0.05, 0.0), (-0.3, RIGHT + 0.1, 0.5))


def _reagent(radius: float) -> surfaces.Array:
    base = 0.9
    return np.array(
        [
            (0.0, base),
            (radius, base),
            (radius, base + 0.12),
            (0.4 * radius, base + 0.155),
            (0.42 * radius, base + 0.19),
            (0.0, base + 0.19),
        ]
    )


# What the first locked tasks were drawn from; see the first edition of the catalogue.
EDITION_1_ROOMS = ("kitchen", "laboratory", "living_room", "office", "studio")
EDITION_2_ROOMS = (
    "bathroom",
    "bedroom",
    "classroom",
    "kitchen",
    "laboratory",
    "living_room",
    "office",
    "studio",
    "workshop",
)


ROOMS: Mapping[str, RoomDesign] = MappingProxyType(
    {
        design.name: design
        for design in (
            RoomDesign(
                "studio",
                painted("#a9a59e"),
                plaster("#c9c5bd"),
                "oak",
                (0.42, 0.42, 0.43),
                (Light((-0.2, 0.4, -0.89), (0.52, 0.5, 0.47), True), Light((-0.6, -0.35, -0.7), (0.16, 0.17, 0.2))),
                _studio,
            ),
            RoomDesign(
                "kitchen",
                pictured(
                    "kitchen-floor",
                    lambda: surfaces.tiles("#b9a88f", "#8f8371", 3, across=3, down=3),
                    tile_m=(1.0, 1.0),
                    specular=0.2,
                ),
                plaster("#dcd3c0"),
                "oak",
                (0.45, 0.44, 0.42),
                (Light(SUN_RIGHT, (0.52, 0.49, 0.42), True), Light((-0.6, -0.3, -0.75), (0.15, 0.16, 0.19))),
                _kitchen,
                skirting=WHITE_FRAME,
            ),
            RoomDesign(
                "living_room",
                planks("#a9784c", 7),
                plaster("#cfc4ae"),
                "walnut",
                (0.46, 0.43, 0.4),
                (Light((-0.1, 0.58, -0.8), (0.55, 0.48, 0.39), True), Light((-0.55, -0.2, -0.8), (0.18, 0.17, 0.17))),
                _living,
                accent_wall=plaster("#7e8f80"),
                skirting=WHITE_FRAME,
            ),
            RoomDesign(
                "office",
                pictured("office-carpet", lambda: surfaces.carpet("#6f7880", 6), tile_m=(0.7, 0.7), specular=0.02),
                plaster("#cfd2d3"),
                "birch",
                (0.44, 0.45, 0.47),
                (Light((-0.12, 0.48, -0.87), (0.48, 0.49, 0.5), True), Light((-0.6, -0.4, -0.7), (0.16, 0.16, 0.17))),
                _office,
                accent_wall=plaster("#5f7f95"),
                skirting=painted("#8b9095"),
            ),
            RoomDesign(
                "laboratory",
                pictured(
                    "lab-floor",
                    lambda: surfaces.terrazzo("#b4b8b8", 2),
                    tile_m=(0.9, 0.9),
                    specular=0.25,
                    shininess=0.5,
                ),
                plaster("#d9dfe0"),
                "bench",
                (0.44, 0.45, 0.47),
                (Light((-0.1, 0.28, -0.95), (0.46, 0.48, 0.5), True), Light((-0.6, -0.5, -0.62), (0.17, 0.18, 0.19))),
                _laboratory,
                skirting=painted("#6c757b"),
            ),
            *further.DESIGNS,
        )
    }
)
