"""Pieces of furniture, in world x and y and height above the floor. They only fill the picture."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np

from maniguard.sim.room import surfaces
from maniguard.sim.room.builder import RoomBuilder, Surface, painted, pictured

METAL = painted("#b9bdc2", specular=0.7, shininess=0.7)
PAPER = painted("#8f8778")
DARK = painted("#2c2d30", specular=0.3, shininess=0.4)


def wood(colour: str, seed: int = 0, *, tile_m: float = 0.8) -> Surface:
    """Return a wooden surface for furniture."""
    return pictured(
        f"furniture-wood:{colour}:{seed}",
        lambda: surfaces.planks(colour, seed, rows=2, gap=0.08, contrast=0.6),
        tile_m=(tile_m, tile_m),
        specular=0.15,
        shininess=0.35,
    )


def window(
    room: RoomBuilder,
    wall: str,
    at: float,
    centre: float,
    low: float,
    size: Sequence[float],
    *,
    frame: Surface,
    view: Surface,
    bars: int = 1,
) -> None:
    """Add a window on a wall ("back", "left", "right"); `at` is the wall's coordinate, `centre` runs along it."""
    half, tall, thick, depth = size[0] / 2.0, size[1], 0.05, 0.03

    def put(surface: Surface, a: tuple[float, float], b: tuple[float, float], near: float, far: float) -> None:
        if wall == "back":
            room.block(surface, (at + near, a[0], a[1]), (at + far, b[0], b[1]))
        else:
            sign = -1.0 if wall == "left" else 1.0
            y = sorted((at + sign * near, at + sign * far))
            room.block(surface, (a[0], y[0], a[1]), (b[0], y[1], b[1]))

    put(view, (centre - half, low), (centre + half, low + tall), 0.004, 0.008)
    put(frame, (centre - half - thick, low - thick), (centre + half + thick, low), 0.0, depth)
    put(frame, (centre - half - thick, low + tall), (centre + half + thick, low + tall + thick), 0.0, depth)
    put(frame, (centre - half - thick, low), (centre - half, low + tall), 0.0, depth)
    put(frame, (centre + half, low), (centre + half + thick, low + tall), 0.0, depth)
    for k in range(1, bars + 1):
        x = centre - half + 2.0 * half * k / (bars + 1)
        put(frame, (x - 0.018, low), (x + 0.018, low + tall), 0.0, 0.7 * depth)
    put(frame, (centre - half - 0.09, low - thick - 0.025), (centre + half + 0.09, low - thick), 0.0, 0.13)


def cabinet_run(
    room: RoomBuilder,
    low: Sequence[float],
    high: Sequence[float],
    *,
    front: str,
    count: int,
    doors: Surface,
    top: Surface,
    drawers: bool = False,
    handles: Surface = METAL,
) -> None:
    """Add a row of base cabinets between two corners with doors on the side `front` ("+x", "+y", "-y")."""
    x0, y0, z0 = low
    x1, y1, z1 = high
    plinth, slab = 0.09, 0.035
    inset = 0.04
    room.block(DARK, (x0 + inset, y0 + inset, z0), (x1 - inset, y1 - inset, z0 + plinth))
    body_high = z1 - slab
    shrink = 0.022
    bx0, bx1, by0, by1 = x0, x1, y0, y1
    if front == "+x":
        bx1 -= shrink
    elif front == "+y":
        by1 -= shrink
    else:
        by0 += shrink
    room.block(painted("#d9d5cc"), (bx0, by0, z0 + plinth), (bx1, by1, body_high))
    over = 0.015
    room.soft(
        top,
        (x0, y0 - (over if front == "-y" else 0.0), body_high),
        (x1 + (over if front == "+x" else 0.0), y1 + (over if front == "+y" else 0.0), z1),
        0.005,
    )
    along = (y0, y1) if front == "+x" else (x0, x1)
    step = (along[1] - along[0]) / count
    rows = [(z0 + plinth + 0.003, body_high - 0.004)]
    if drawers:
        cut = body_high - 0.17
        rows = [(z0 + plinth + 0.003, cut - 0.002), (cut + 0.002, body_high - 0.004)]
    for k in range(count):
        a, b = along[0] + k * step + 0.002, along[0] + (k + 1) * step - 0.002
        for bottom, head in rows:
            _door(
                room,
                front,
                (x0, x1, y0, y1),
                a,
                b,
                bottom,
                head,
                doors,
                handles,
                small=drawers and bottom != rows[0][0],
            )


def _door(
    room: RoomBuilder,
    front: str,
    bounds: Sequence[float],
    a: float,
    b: float,
    bottom: float,
    head: float,
    doors: Surface,
    handles: Surface,
    *,
    small: bool,
) -> None:
    _, x1, y0, y1 = bounds
    height = head - (0.05 if not small else (head - bottom) / 2.0)
    middle, half = (a + b) / 2.0, min(0.09, 0.3 * (b - a))
    if front == "+x":
        room.block(doors, (x1 - 0.02, a, bottom), (x1, b, head))
        room.rod(handles, (x1 + 0.025, middle - half, height), (x1 + 0.025, middle + half, height), 0.006)
        return
    sign = 1.0 if front == "+y" else -1.0
    face = y1 if front == "+y" else y0
    low, high = sorted((face - sign * 0.02, face))
    room.block(doors, (a, low, bottom), (b, high, head))
    room.rod(handles, (middle - half, face + sign * 0.025, height), (middle + half, face + sign * 0.025, height), 0.006)


def shelf(
    room: RoomBuilder,
    low: Sequence[float],
    high: Sequence[float],
    *,
    boards: int,
    surface: Surface,
    open_side: str,
    seed: int,
) -> None:
    """Add a bookcase with rows of books; `open_side` is "+x", "+y" or "-y"."""
    x0, y0, z0 = low
    x1, y1, z1 = high
    t = 0.025
    along_y = open_side == "+x"
    for k in range(boards + 1):
        z = z0 + (z1 - z0 - t) * k / boards
        room.block(surface, (x0, y0, z), (x1, y1, z + t))
    if along_y:
        room.block(surface, (x0, y0, z0), (x1, y0 + t, z1))
        room.block(surface, (x0, y1 - t, z0), (x1, y1, z1))
        room.block(surface, (x0, y0, z0), (x0 + 0.01, y1, z1))
    else:
        room.block(surface, (x0, y0, z0), (x0 + t, y1, z1))
        room.block(surface, (x1 - t, y0, z0), (x1, y1, z1))
        back = (y0, y0 + 0.01) if open_side == "+y" else (y1 - 0.01, y1)
        room.block(surface, (x0, back[0], z0), (x1, back[1], z1))
    gap = (z1 - z0 - t) / boards
    for k in range(boards):
        row = pictured(f"book-row:{seed + k}", partial(surfaces.book_row, seed + k), specular=0.1)
        bottom, head = z0 + gap * k + t, z0 + gap * k + t + 0.78 * (gap - t)
        if along_y:
            far = y1 - t - 0.06 * (k % 3)
            room.block(PAPER, (x0 + 0.012, y0 + t + 0.012, bottom), (x1 - 0.045, far - 0.002, head - 0.03))
            room.block(row, (x1 - 0.045, y0 + t + 0.01, bottom), (x1 - 0.04, far, head))
            continue
        far = x1 - t - 0.06 * (k % 3)
        rear, front = (y0 + 0.012, y1 - 0.04) if open_side == "+y" else (y1 - 0.012, y0 + 0.04)
        edge = front - 0.005 if open_side == "+y" else front + 0.005
        room.block(PAPER, (x0 + t + 0.012, min(rear, edge), bottom), (far - 0.002, max(rear, edge), head - 0.03))
        room.block(row, (x0 + t + 0.01, min(edge, front), bottom), (far, max(edge, front), head))


def potted_plant(
    room: RoomBuilder, at: Sequence[float], *, pot: str, height: float, seed: int, stand: float = 0.0
) -> None:
    """Add a leafy plant in a pot on the floor, or raised by `stand`."""
    rng = np.random.default_rng(seed)
    radius = 0.15 * height / 0.9
    tall = 0.32 * height
    profile = np.array(
        [
            (0.0, 0.0),
            (0.72 * radius, 0.0),
            (radius, tall),
            (0.9 * radius, tall),
            (0.85 * radius, tall - 0.03),
            (0.0, tall - 0.03),
        ]
    )
    profile[:, 1] += stand
    room.turned(painted(pot, specular=0.3, shininess=0.5), profile, at, segments=24)
    greens = [painted(c, specular=0.2, shininess=0.3) for c in ("#3f6b3a", "#55864a", "#2f5733")]
    for k in range(22):
        lift = 0.55 + 0.9 * rng.random()
        length = height * (0.38 + 0.34 * rng.random())
        azimuth = 2.4 * k + 0.5 * rng.random()
        root = (
            at[0] + 0.02 * np.cos(azimuth),
            at[1] + 0.02 * np.sin(azimuth),
            stand + tall - 0.03 + 0.18 * height * rng.random(),
        )
        room.leaf(greens[k % 3], root, azimuth, length, lift, 0.05 * height / 0.9 + 0.015)


def rug(room: RoomBuilder, low: Sequence[float], high: Sequence[float], colour: str, stripe: str, seed: int) -> None:
    """Add a rug on the floor between two corners (x, y)."""
    surface = pictured(
        f"rug:{colour}:{stripe}:{seed}", lambda: surfaces.carpet(colour, seed, stripe=stripe), specular=0.02
    )
    room.block(surface, (low[0], low[1], 0.0), (high[0], high[1], 0.012))


def sofa(
    room: RoomBuilder, low: Sequence[float], high: Sequence[float], *, cloth: Surface, pillow: Surface, front: str
) -> None:
    """Add a sofa between two corners (x, y); `front` is "+x" or "-y"."""
    x0, y0 = low
    x1, y1 = high
    seat, arm, back, depth = 0.42, 0.58, 0.8, 0.2
    if front == "+x":
        room.soft(cloth, (x0, y0, 0.1), (x1, y1, seat - 0.12), 0.02)
        room.soft(cloth, (x0, y0, 0.12), (x0 + depth, y1, back), 0.05)
        for y in (y0, y1 - 0.16):
            room.soft(cloth, (x0, y, 0.12), (x1, y + 0.16, arm), 0.045)
        middle = (y0 + y1) / 2.0
        for a, b in ((y0 + 0.165, middle - 0.003), (middle + 0.003, y1 - 0.165)):
            room.soft(cloth, (x0 + depth - 0.02, a, seat - 0.12), (x1 + 0.02, b, seat + 0.03), 0.04)
            room.soft(cloth, (x0 + depth - 0.03, a, seat + 0.02), (x0 + depth + 0.12, b, back + 0.03), 0.055)
        room.soft(pillow, (x0 + depth + 0.1, y0 + 0.2, seat + 0.03), (x0 + depth + 0.2, y0 + 0.58, seat + 0.4), 0.05)
        for y in (y0 + 0.08, y1 - 0.08):
            room.rod(DARK, (x1 - 0.08, y, 0.0), (x1 - 0.08, y, 0.12), 0.018)
        return
    room.soft(cloth, (x0, y0, 0.1), (x1, y1, seat - 0.12), 0.02)
    room.soft(cloth, (x0, y1 - depth, 0.12), (x1, y1, back), 0.05)
    for x in (x0, x1 - 0.16):
        room.soft(cloth, (x, y0, 0.12), (x + 0.16, y1, arm), 0.045)
    middle = (x0 + x1) / 2.0
    for a, b in ((x0 + 0.165, middle - 0.003), (middle + 0.003, x1 - 0.165)):
        room.soft(cloth, (a, y0 - 0.02, seat - 0.12), (b, y1 - depth + 0.02, seat + 0.03), 0.04)
        room.soft(cloth, (a, y1 - depth - 0.12, seat + 0.02), (b, y1 - depth + 0.03, back + 0.03), 0.055)
    room.soft(pillow, (x1 - 0.58, y1 - depth - 0.2, seat + 0.03), (x1 - 0.2, y1 - depth - 0.1, seat + 0.4), 0.05)


def floor_lamp(room: RoomBuilder, at: Sequence[float], *, shade: str) -> None:
    """Add a standing lamp."""
    x, y = at
    room.turned(DARK, np.array([(0.0, 0.0), (0.14, 0.0), (0.14, 0.018), (0.02, 0.026), (0.0, 0.026)]), at)
    room.rod(DARK, (x, y, 0.02), (x, y, 1.25), 0.011)
    profile = np.array([(0.0, 1.2), (0.17, 1.2), (0.11, 1.48), (0.0, 1.48)])
    room.turned(painted(shade, emission=0.55), profile, at)


def desk(
    room: RoomBuilder, low: Sequence[float], high: Sequence[float], *, top: Surface, legs: Surface, height: float = 0.73
) -> None:
    """Add a desk between two corners (x, y)."""
    room.soft(top, (low[0], low[1], height - 0.028), (high[0], high[1], height), 0.006)
    for x in (low[0] + 0.04, high[0] - 0.08):
        for y in (low[1] + 0.04, high[1] - 0.08):
            room.block(legs, (x, y, 0.0), (x + 0.04, y + 0.04, height - 0.028))


def monitor(room: RoomBuilder, at: Sequence[float], *, wide: float, stand_on: float, facing: str, seed: int) -> None:
    """Add a computer screen; `facing` is "+x", "+y" or "-y"."""
    x, y = at
    tall = wide * 0.58
    picture = pictured(f"screen:{seed}", lambda: surfaces.screen(seed), emission=0.75)
    low = stand_on + 0.12
    if facing == "+x":
        room.soft(DARK, (x - 0.012, y - wide / 2, low), (x + 0.012, y + wide / 2, low + tall), 0.005)
        room.block(
            picture, (x + 0.012, y - wide / 2 + 0.01, low + 0.012), (x + 0.0135, y + wide / 2 - 0.01, low + tall - 0.01)
        )
        room.block(DARK, (x - 0.02, y - 0.03, stand_on), (x - 0.005, y + 0.03, low + 0.1))
        room.soft(DARK, (x - 0.1, y - 0.12, stand_on), (x + 0.08, y + 0.12, stand_on + 0.014), 0.005)
        return
    sign = 1.0 if facing == "+y" else -1.0
    room.soft(DARK, (x - wide / 2, y - 0.012, low), (x + wide / 2, y + 0.012, low + tall), 0.005)
    face = sorted((y + sign * 0.012, y + sign * 0.0135))
    room.block(picture, (x - wide / 2 + 0.01, face[0], low + 0.012), (x + wide / 2 - 0.01, face[1], low + tall - 0.01))
    neck = sorted((y - sign * 0.005, y - sign * 0.02))
    room.block(DARK, (x - 0.03, neck[0], stand_on), (x + 0.03, neck[1], low + 0.1))
    room.soft(DARK, (x - 0.12, y - 0.09, stand_on), (x + 0.12, y + 0.09, stand_on + 0.014), 0.005)


def office_chair(room: RoomBuilder, at: Sequence[float], *, cloth: Surface, back_to: str) -> None:
    """Add a swivel chair; its back is on the side `back_to` ("+x", "+y", "-y")."""
    x, y = at
    for k in range(5):
        a = 2 * np.pi * k / 5 + 0.3
        room.rod(DARK, (x, y, 0.1), (x + 0.28 * np.cos(a), y + 0.28 * np.sin(a), 0.05), 0.016)
    room.rod(METAL, (x, y, 0.08), (x, y, 0.45), 0.025)
    room.soft(cloth, (x - 0.24, y - 0.24, 0.44), (x + 0.24, y + 0.24, 0.53), 0.04)
    if back_to == "+x":
        room.soft(cloth, (x + 0.2, y - 0.21, 0.62), (x + 0.27, y + 0.21, 1.05), 0.03)
        room.rod(DARK, (x + 0.2, y, 0.47), (x + 0.26, y, 0.8), 0.018)
    else:
        sign = 1.0 if back_to == "+y" else -1.0
        low, high = sorted((y + sign * 0.2, y + sign * 0.27))
        room.soft(cloth, (x - 0.21, low, 0.62), (x + 0.21, high, 1.05), 0.03)
        room.rod(DARK, (x, y + sign * 0.2, 0.47), (x, y + sign * 0.26, 0.8), 0.018)


def picture(
    room: RoomBuilder,
    wall: str,
    at: float,
    centre: float,
    low: float,
    size: Sequence[float],
    *,
    seed: int,
    frame: Surface,
) -> None:
    """Hang a framed picture on a wall ("back", "left" at +y, "right" at -y)."""
    art = pictured(f"painting:{seed}", lambda: surfaces.painting(seed))
    half, tall, border = size[0] / 2.0, size[1], 0.025
    for surface, near, far, grow in ((frame, 0.0, 0.022, border), (art, 0.022, 0.024, 0.0)):
        a, b, z0, z1 = centre - half - grow, centre + half + grow, low - grow, low + tall + grow
        if wall == "back":
            room.block(surface, (at + near, a, z0), (at + far, b, z1))
        else:
            sign = -1.0 if wall == "left" else 1.0
            y = sorted((at + sign * near, at + sign * far))
            room.block(surface, (a, y[0], z0), (b, y[1], z1))


def fridge(room: RoomBuilder, low: Sequence[float], high: Sequence[float], *, front: str, surface: Surface) -> None:
    """Add a tall refrigerator with two doors; `front` is "+x", "+y" or "-y"."""
    x0, y0 = low
    x1, y1 = high
    for z0, z1 in ((0.03, 1.12), (1.13, 1.75)):
        room.soft(surface, (x0, y0, z0), (x1, y1, z1), 0.012)
        grip = (z1 - 0.32, z1 - 0.06) if z0 < 0.1 else (z0 + 0.06, z0 + 0.3)
        if front == "+x":
            room.rod(METAL, (x1 + 0.03, y0 + 0.06, grip[0]), (x1 + 0.03, y0 + 0.06, grip[1]), 0.009)
        else:
            y = y1 + 0.03 if front == "+y" else y0 - 0.03
            room.rod(METAL, (x0 + 0.06, y, grip[0]), (x0 + 0.06, y, grip[1]), 0.009)


def curtains(
    room: RoomBuilder,
    wall: str,
    at: float,
    spans: Sequence[tuple[float, float]],
    low: float,
    high: float,
    colour: str,
    seed: int,
) -> None:
    """Hang curtains on a wall over the given spans."""
    cloth = pictured(f"folds:{colour}:{seed}", lambda: surfaces.folds(colour, seed), specular=0.02)
    for a, b in spans:
        if wall == "back":
            room.block(cloth, (at + 0.05, a, low), (at + 0.09, b, high))
        else:
            sign = -1.0 if wall == "left" else 1.0
            y = sorted((at + sign * 0.05, at + sign * 0.09))
            room.block(cloth, (a, y[0], low), (b, y[1], high))
