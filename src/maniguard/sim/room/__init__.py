"""The room around the table and the table's looks: seen by the cameras, out of reach of physics."""

from __future__ import annotations

from functools import lru_cache

import mujoco

from maniguard.errors import alternatives
from maniguard.sim.assets.elements import add_visual
from maniguard.sim.assets.materials import Material
from maniguard.sim.assets.mesh import VisualMesh
from maniguard.sim.room.builder import ROOM_GROUP, RoomBuilder
from maniguard.sim.room.design import RoomDesign, shell
from maniguard.sim.room.rooms import ROOMS
from maniguard.sim.room.table import SKINS, RoomError, TableMeasures, add_table, measures, skin_name
from maniguard.sim.surroundings import RoomSpec, TableSpec

__all__ = ["ROOMS", "ROOM_GROUP", "SKINS", "RoomDesign", "RoomError", "add_room"]


def add_room(spec: mujoco.MjSpec, room: RoomSpec, table: TableSpec) -> None:
    """Add the room, its lights and the table's looks to a model, on a static body of their own called "room".

    `room.appearance` may name a "table_skin"; `table.appearance["skin"]` wins over it. No geom touches anything or
    weighs anything. RoomError names what is unknown.
    """
    design = _design(room)
    for key in room.appearance:
        if key != "table_skin":
            raise RoomError(f"room {room.name!r}: appearance key {key!r} is not known; valid are table_skin")
    skin = skin_name(table, str(room.appearance.get("table_skin", design.table_skin)))
    body = spec.worldbody.add_body(name="room")
    for index, (material, mesh) in enumerate(_content(design.name, skin, measures(table))):
        add_visual(spec, body, mesh, material, f"room/{index}").group = ROOM_GROUP
    # The shadow map has to hold the whole room, or its border shows on walls and floor.
    spec.visual.map.shadowclip = 2.5
    head = spec.visual.headlight
    head.ambient, head.diffuse, head.specular = design.ambient, (0.12, 0.12, 0.12), (0.05, 0.05, 0.05)
    for index, light in enumerate(design.lights):
        x, y, z = light.direction
        body.add_light(
            name=f"room/light{index}",
            type=mujoco.mjtLightType.mjLIGHT_DIRECTIONAL,
            pos=(0.35 - 2.0 * x, -2.0 * y, -2.0 * z),
            dir=light.direction,
            diffuse=light.colour,
            ambient=(0.0, 0.0, 0.0),
            specular=tuple(0.6 * c for c in light.colour),
            castshadow=light.shadows,
        )


@lru_cache(maxsize=32)
def _content(name: str, skin: str, table: TableMeasures) -> tuple[tuple[Material, VisualMesh], ...]:
    builder = RoomBuilder(-table.height_m)
    shell(builder, ROOMS[name])
    ROOMS[name].furnish(builder)
    add_table(builder, table, SKINS[skin])
    return builder.joined()


def _design(room: RoomSpec) -> RoomDesign:
    if room.name not in ROOMS:
        raise RoomError(f"room {room.name!r} is not known; valid are {alternatives(ROOMS)}")
    return ROOMS[room.name]
