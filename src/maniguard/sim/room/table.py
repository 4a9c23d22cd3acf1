"""How the table looks: its skin, edge and legs. The physical top is a box whose upper face is z = 0."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from maniguard.errors import ManiguardError, alternatives
from maniguard.sim.assets.mesh import lathe, slab
from maniguard.sim.room import surfaces
from maniguard.sim.room.builder import RoomBuilder, Surface, painted, pictured
from maniguard.sim.surroundings import TableSpec


class RoomError(ManiguardError):
    """An unknown room, table skin or appearance key; the message lists the valid ones."""


@dataclass(frozen=True)
class TableSkin:
    """Material of the top and of the legs, and the legs' form: "square", "round" or "frame"."""

    top: Surface
    legs: Surface
    form: str = "square"
    edge_m: float = 0.004


def _wooden(name: str, colour: str, seed: int, *, form: str = "square") -> TableSkin:
    top = pictured(f"table:{name}", lambda: surfaces.tabletop(colour, seed), specular=0.18, shininess=0.4)
    legs = pictured(f"table-leg:{name}", lambda: surfaces.planks(colour, seed, rows=1, gap=0.0), specular=0.12)
    return TableSkin(top, legs, form)


def _stone(name: str, colour: str, vein: str, seed: int) -> TableSkin:
    top = pictured(f"table:{name}", lambda: surfaces.marble(colour, vein, seed), specular=0.4, shininess=0.7)
    return TableSkin(top, painted("#2e2f31", specular=0.3, shininess=0.5), "frame")


# What the first locked tasks were drawn from; see the first edition of the catalogue.
EDITION_1_SKINS = ("bench", "birch", "granite", "marble", "oak", "walnut", "white")
EDITION_2_SKINS = ("bench", "birch", "granite", "marble", "oak", "walnut", "white")

SKINS: Mapping[str, TableSkin] = MappingProxyType(
    {
        "oak": _wooden("oak", "#c9a273", 21),
        "walnut": _wooden("walnut", "#8f6546", 22, form="round"),
        "birch": _wooden("birch", "#dfc7a0", 23, form="frame"),
        "marble": _stone("marble", "#d9d7d3", "#7f8288", 24),
        "granite": TableSkin(
            pictured("table:granite", lambda: surfaces.terrazzo("#6a6d70", 25), tile_m=(0.45, 0.45), specular=0.35),
            painted("#d7d3ca"),
            "square",
        ),
        "white": TableSkin(painted("#dddbd6", specular=0.25, shininess=0.5), painted("#9da1a6", specular=0.5), "frame"),
        "bench": TableSkin(painted("#59636b", specular=0.3, shininess=0.5), painted("#c9ccd0", specular=0.5), "frame"),
    }
)


class TableMeasures(NamedTuple):
    """What the table's looks depend on beside its skin: the measures of `TableSpec`, in metres."""

    center_m: tuple[float, float]
    size_m: tuple[float, float]
    thickness_m: float
    height_m: float


def measures(table: TableSpec) -> TableMeasures:
    """Return the measures of a table."""
    return TableMeasures(table.center_m, table.size_m, table.thickness_m, table.height_m)


def skin_name(table: TableSpec, default: str) -> str:
    """Return the name of the skin that `table.appearance` asks for, or `default`; RoomError when it is not known."""
    for key in table.appearance:
        if key != "skin":
            raise RoomError(f"table: appearance key {key!r} is not known; valid are skin")
    name = str(table.appearance.get("skin", default))
    if name not in SKINS:
        raise RoomError(f"table: skin {name!r} is not known; valid are {alternatives(SKINS)}")
    return name


def add_table(room: RoomBuilder, table: TableMeasures, skin: TableSkin) -> None:
    """Add the table's looks."""
    (cx, cy), (sx, sy), thick = table.center_m, table.size_m, table.thickness_m
    half = np.array([sx, sy, thick]) / 2.0
    atlas = None
    if skin.top.tile_m[0] > 0.0:
        u, v = sx / skin.top.tile_m[0], sy / skin.top.tile_m[1]
        rim = thick / skin.top.tile_m[1]
        atlas = {
            "+z": (0.0, 0.0, u, v),
            "-z": (0.0, 0.0, u, v),
            **dict.fromkeys(("+x", "-x", "+y", "-y"), (0.0, 0.0, u, rim)),
        }
    else:
        rim = thick / sy
        atlas = {"+z": (0.0, 0.0, 1.0, 1.0), "-z": (0.0, 0.0, 1.0, 1.0)}
        atlas |= {"-y": (0.0, 0.0, 1.0, rim), "+y": (0.0, 1.0 - rim, 1.0, 1.0)}
        atlas |= dict.fromkeys(("+x", "-x"), (0.0, 0.0, 1.0, rim))
    room.add(skin.top, slab("room", half, skin.edge_m, center_m=(cx, cy, -thick / 2.0), steps=2, atlas=atlas))
    low, high = 0.0, table.height_m - thick
    corners = [(i, j) for i in (-1.0, 1.0) for j in (-1.0, 1.0)]
    if skin.form == "round":
        profile = np.array([(0.0, 0.0), (0.018, 0.0), (0.032, high), (0.0, high)])
        for i, j in corners:
            leg = lathe("room", profile, segments=16)
            room.add(
                skin.legs, leg.moved(None, (cx + i * (half[0] - 0.09), cy + j * (half[1] - 0.09), -table.height_m))
            )
    else:
        wide = 0.06 if skin.form == "square" else 0.045
        for i, j in corners:
            x, y = cx + i * (half[0] - 0.06), cy + j * (half[1] - 0.06)
            room.block(skin.legs, (x - wide / 2, y - wide / 2, low), (x + wide / 2, y + wide / 2, high))
    apron, inset = 0.075 if skin.form != "frame" else 0.045, 0.07
    for j in (-1.0, 1.0):
        y = cy + j * (half[1] - inset)
        room.block(skin.legs, (cx - half[0] + inset, y - 0.011, high - apron), (cx + half[0] - inset, y + 0.011, high))
    for i in (-1.0, 1.0):
        x = cx + i * (half[0] - inset)
        room.block(skin.legs, (x - 0.011, cy - half[1] + inset, high - apron), (x + 0.011, cy + half[1] - inset, high))
