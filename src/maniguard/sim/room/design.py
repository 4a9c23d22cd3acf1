"""What a room consists of, and what all rooms share: walls, floor, common surfaces."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from maniguard.sim.room import surfaces
from maniguard.sim.room.builder import RoomBuilder, Surface, painted, pictured
from maniguard.trace.scene import Vector3

# Inner faces of the walls, metres in the world frame: behind the robot, left (+y), right (-y), in front.
BACK, LEFT, RIGHT, FRONT = -1.55, 1.9, -1.9, 2.5
HEIGHT = 2.6


@dataclass(frozen=True)
class Light:
    """A lamp far away that shines along `direction`; colours 0..1."""

    direction: Vector3
    colour: Vector3
    shadows: bool = False


@dataclass(frozen=True)
class RoomDesign:
    """A room: surfaces, light, the table skin that suits it, and a function that furnishes it.

    `ambient` lights everything evenly; the first light casts the shadows.
    """

    name: str
    floor: Surface
    wall: Surface
    table_skin: str
    ambient: Vector3
    lights: tuple[Light, ...]
    furnish: Callable[[RoomBuilder], None]
    accent_wall: Surface | None = None
    skirting: Surface | None = None


def shell(room: RoomBuilder, design: RoomDesign) -> None:
    """Add floor, walls and skirting boards."""
    room.block(design.floor, (BACK, RIGHT, -0.02), (FRONT, LEFT, 0.0))
    # Faces without a back let the light of lamps outside through.
    wide, deep = LEFT - RIGHT, FRONT - BACK
    room.wall(design.accent_wall or design.wall, (BACK, LEFT), (0.0, -wide), HEIGHT)
    room.wall(design.wall, (BACK, RIGHT), (deep, 0.0), HEIGHT)
    room.wall(design.wall, (FRONT, RIGHT), (0.0, wide), HEIGHT)
    room.wall(design.wall, (FRONT, LEFT), (-deep, 0.0), HEIGHT)
    if design.skirting is not None:
        high, deep = 0.09, 0.014
        room.block(design.skirting, (BACK, RIGHT, 0.0), (BACK + deep, LEFT, high))
        room.block(design.skirting, (BACK, LEFT - deep, 0.0), (FRONT, LEFT, high))
        room.block(design.skirting, (BACK, RIGHT, 0.0), (FRONT, RIGHT + deep, high))


WHITE_FRAME = painted("#e9e7e2", specular=0.2)


def landscape(seed: int) -> Surface:
    """Return a view of hills."""
    return pictured(f"landscape:{seed}", lambda: surfaces.landscape(seed), emission=0.6)


def skyline(seed: int) -> Surface:
    """Return a view of a town."""
    return pictured(f"skyline:{seed}", lambda: surfaces.skyline(seed), emission=0.6)


def planks(colour: str, seed: int) -> Surface:
    """Return a floor of boards."""
    return pictured(
        f"floor-planks:{colour}:{seed}",
        lambda: surfaces.planks(colour, seed),
        tile_m=(1.3, 0.85),
        specular=0.15,
        shininess=0.3,
    )


def plaster(colour: str) -> Surface:
    """Return a plastered wall."""
    return pictured(f"plaster:{colour}", lambda: surfaces.plaster(colour, 5), tile_m=(1.4, 1.4), specular=0.03)


SUN_RIGHT = (-0.14, 0.46, -0.88)
