"""Pictures for large surfaces: floorboards, tiles, plaster, stone, carpet, views through windows, rows of books."""

from __future__ import annotations

import itertools

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFilter

from maniguard.sim.assets.materials import rgb
from maniguard.sim.assets.textures import mixed, noise, to_pixels

Pixels = NDArray[np.uint8]
Array = NDArray[np.float64]

SIZE = 256


def planks(colour: str, seed: int, *, rows: int = 6, gap: float = 0.35, contrast: float = 1.0) -> Pixels:
    """Return boards that run along u, each with its own tone and grain, their ends staggered."""
    rng = np.random.default_rng(seed)
    base = np.asarray(rgb(colour))
    height = SIZE // rows * rows
    image = np.zeros((height, SIZE, 3))
    step = height // rows
    for row in range(rows):
        cut = int(rng.integers(SIZE))
        grain = noise((step, SIZE), (3, 2), rng, octaves=4)
        fibre = noise((step, SIZE), (max(step // 2, 2), 6), rng, octaves=1)
        tones = 1.0 + contrast * 0.16 * (rng.random(2) - 0.5)
        half = (np.arange(SIZE) - cut) % SIZE < SIZE // 2
        tone = np.where(half, tones[0], tones[1])[None, :]
        rings = 0.5 + 0.5 * np.sin(2 * np.pi * (grain * 3.2 + np.linspace(0, 1.5, step)[:, None]))
        shade = tone * (1.03 - contrast * (0.09 * rings + 0.09 * fibre))
        shade[0] *= 1.0 - gap
        shade[1] *= 1.0 - 0.3 * gap
        for end in (cut, (cut + SIZE // 2) % SIZE):
            shade[:, end] *= 1.0 - gap
        image[row * step : (row + 1) * step] = base * np.stack([shade, shade**1.1, shade**1.22], axis=-1)
    return to_pixels(image)


def tabletop(colour: str, seed: int, *, staves: int = 7) -> Pixels:
    """Return a glued wooden top: long staves with calm grain, 512 pixels square."""
    rng = np.random.default_rng(seed)
    side = 512
    base = np.asarray(rgb(colour))
    edges = np.sort(rng.choice(np.arange(1, 16), staves - 1, replace=False)) * (side // 16)
    image = np.ones((side, side))
    for low, high in zip([0, *edges], [*edges, side], strict=True):
        tall = int(high - low)
        bend = noise((tall, side), (1, 2), rng, octaves=3)
        rows = np.linspace(0.0, tall / 90.0, tall)[:, None]
        rings = 0.5 + 0.5 * np.sin(2 * np.pi * (rows * 2.6 + 0.9 * bend + rng.random()))
        fibre = noise((tall, side), (max(tall // 3, 2), 5), rng, octaves=2)
        shade = (1.0 + 0.07 * (rng.random() - 0.5)) * (1.03 - 0.085 * rings**2 - 0.09 * fibre)
        shade[0] *= 0.93
        image[low:high] = shade
    return to_pixels(base * np.stack([image, image**1.12, image**1.28], axis=-1))


def tiles(colour: str, grout: str, seed: int, *, across: int = 4, down: int = 4, stagger: bool = False) -> Pixels:
    """Return tiles with slightly different tones; `stagger` shifts every second row by half a tile."""
    rng = np.random.default_rng(seed)
    y, x = np.mgrid[0:SIZE, 0:SIZE].astype(float)
    tall, wide = SIZE / down, SIZE / across
    row = np.floor(y / tall)
    shift = np.where(row % 2 == 1, wide / 2.0, 0.0) if stagger else 0.0
    column = np.floor((x + shift) / wide) % across
    tone = 1.0 + 0.07 * (rng.random((down, across)) - 0.5)
    shade = tone[row.astype(int), column.astype(int)] * (0.985 + 0.03 * noise((SIZE, SIZE), (8, 8), rng))
    edge = np.minimum(np.minimum(y % tall, tall - y % tall), np.minimum((x + shift) % wide, wide - (x + shift) % wide))
    joint = np.clip(1.8 - edge, 0.0, 1.0)
    light = 1.0 + 0.05 * np.clip(1.0 - (y % tall) / 5.0, 0, 1)
    return to_pixels(
        mixed((0.0, 0.0, 0.0), rgb(grout), joint) + np.asarray(rgb(colour)) * (shade * light * (1 - joint))[..., None]
    )


def plaster(colour: str, seed: int, *, strength: float = 0.03) -> Pixels:
    """Return a painted wall with a trace of roller marks."""
    rng = np.random.default_rng(seed)
    shade = 1.0 + strength * (noise((SIZE, SIZE), (6, 6), rng, octaves=4) - 0.5)
    return to_pixels(np.asarray(rgb(colour)) * shade[..., None])


def carpet(colour: str, seed: int, *, stripe: str = "") -> Pixels:
    """Return pile; with `stripe` a border pattern of thin lines in that colour."""
    rng = np.random.default_rng(seed)
    shade = 0.9 + 0.2 * rng.random((SIZE, SIZE)) * (0.6 + 0.4 * noise((SIZE, SIZE), (24, 24), rng))
    image = np.asarray(rgb(colour)) * shade[..., None]
    if stripe:
        y, x = np.mgrid[0:SIZE, 0:SIZE].astype(float)
        edge = np.minimum(np.minimum(y, SIZE - 1 - y), np.minimum(x, SIZE - 1 - x))
        lines = ((edge > 12) & (edge < 18)) | ((edge > 24) & (edge < 27))
        image = np.where(lines[..., None], np.asarray(rgb(stripe)) * shade[..., None], image)
    return to_pixels(image)


def terrazzo(colour: str, seed: int) -> Pixels:
    """Return poured stone with chips of three tones."""
    rng = np.random.default_rng(seed)
    image = Image.new("RGB", (SIZE, SIZE), tuple(int(255 * c) for c in rgb(colour)))
    draw = ImageDraw.Draw(image)
    for _ in range(420):
        x, y, radius = rng.random() * SIZE, rng.random() * SIZE, 1.0 + 2.6 * rng.random() ** 2
        tone = (0.55, 0.8, 1.12)[int(rng.integers(3))]
        corners = [
            (x + radius * np.cos(a) * (0.7 + 0.5 * rng.random()), y + radius * np.sin(a) * (0.7 + 0.5 * rng.random()))
            for a in np.linspace(0, 2 * np.pi, 6)[:-1]
        ]
        draw.polygon(corners, fill=tuple(int(min(1.0, c * tone) * 255) for c in rgb(colour)))
    return np.asarray(image)


def marble(colour: str, vein: str, seed: int) -> Pixels:
    """Return polished stone with soft veins, 512 pixels square."""
    rng = np.random.default_rng(seed)
    size = (512, 512)
    warp = noise(size, (3, 3), rng, octaves=5)
    fine = noise(size, (5, 5), rng, octaves=4)
    y, x = np.mgrid[0:512, 0:512] / 512.0
    veins = np.abs(np.sin(np.pi * (x * 2.0 + y * 3.0 + 0.75 * warp + 0.22 * fine)))
    thin = np.abs(np.sin(np.pi * (x * 5.0 - y * 3.0 + 1.1 * fine + 0.4 * warp)))
    share = np.clip(1.0 - veins * 2.2, 0, 1) ** 3 * (0.25 + 0.6 * fine) + np.clip(1.0 - thin * 9, 0, 1) * 0.35 * warp
    share += 0.16 * noise(size, (2, 2), rng, octaves=4)
    return to_pixels(mixed(rgb(colour), rgb(vein), np.clip(share, 0, 1)))


def brick(colour: str, seed: int) -> Pixels:
    """Return brickwork, painted in one colour with worn edges."""
    return tiles(colour, "#8d857a", seed, across=4, down=8, stagger=True)


def concrete(colour: str, seed: int) -> Pixels:
    """Return cast concrete: clouds, pores."""
    rng = np.random.default_rng(seed)
    shade = 1.0 + 0.12 * (noise((SIZE, SIZE), (3, 3), rng, octaves=5) - 0.5)
    shade *= 1.0 - 0.12 * np.clip((noise((SIZE, SIZE), (90, 90), rng, octaves=1) - 0.9) * 10, 0, 1)
    return to_pixels(np.asarray(rgb(colour)) * shade[..., None])


def landscape(seed: int) -> Pixels:
    """Return the blurred view from a window: sky, hills, trees."""
    rng = np.random.default_rng(seed)
    side = 256
    y = np.linspace(0.0, 1.0, side)[:, None] * np.ones((1, side))
    sky = mixed((0.62, 0.79, 0.95), (0.93, 0.96, 0.98), np.clip(y * 1.5, 0, 1))
    cloud = np.clip((noise((side, side), (3, 2), rng, octaves=4) - 0.52) * 3, 0, 1) * np.clip(1.2 - 2 * y, 0, 1)
    image = sky * (1 - 0.7 * cloud[..., None]) + 0.7 * cloud[..., None]
    for level, colour, rough in (
        (0.52, (0.62, 0.72, 0.74), 0.1),
        (0.62, (0.46, 0.6, 0.45), 0.12),
        (0.76, (0.33, 0.48, 0.27), 0.08),
    ):
        line = level + rough * (noise((1, side), (1, 5), rng, octaves=4)[0] - 0.5)
        mask = np.clip((y - line[None, :]) * 40, 0, 1)[..., None]
        texture = 0.9 + 0.2 * noise((side, side), (20, 20), rng, octaves=2)[..., None]
        image = image * (1 - mask) + np.asarray(colour) * texture * mask
    picture = Image.fromarray(to_pixels(image)).filter(ImageFilter.GaussianBlur(2.0))
    return np.asarray(picture)


def skyline(seed: int) -> Pixels:
    """Return the blurred view from a high window: sky over a town."""
    rng = np.random.default_rng(seed)
    side = 256
    y = np.linspace(0.0, 1.0, side)[:, None] * np.ones((1, side))
    picture = Image.fromarray(to_pixels(mixed((0.66, 0.8, 0.93), (0.95, 0.93, 0.9), np.clip(y * 1.2, 0, 1))))
    draw = ImageDraw.Draw(picture)
    for depth in range(3):
        x = 0
        while x < side:
            wide, tall = int(rng.integers(14, 34)), int(rng.integers(40, 120)) - 10 * (2 - depth)
            tone = 0.72 - 0.13 * depth + 0.08 * rng.random()
            top = side - tall - 30 * (2 - depth)
            draw.rectangle((x, top, x + wide, side), fill=tuple(int(255 * tone * c) for c in (0.95, 0.98, 1.05)))
            for wy in range(top + 5, side, 8):
                for wx in range(x + 3, x + wide - 3, 6):
                    lit = 1.12 if rng.random() < 0.4 else 0.85
                    draw.rectangle(
                        (wx, wy, wx + 2, wy + 3), fill=tuple(int(min(255, 255 * tone * lit)) for _ in range(3))
                    )
            x += wide + int(rng.integers(0, 4))
    return np.asarray(picture.filter(ImageFilter.GaussianBlur(1.6)))


def book_row(seed: int) -> Pixels:
    """Return the spines of a row of books, transparent nowhere: the gaps are dark."""
    rng = np.random.default_rng(seed)
    wide, tall = 512, 128
    image = Image.new("RGB", (wide, tall), (38, 32, 28))
    draw = ImageDraw.Draw(image)
    colours = (
        "#7d1d3a",
        "#1d3557",
        "#386641",
        "#d9a441",
        "#6d597a",
        "#c8553d",
        "#e8e4da",
        "#2f6f8f",
        "#3a3a3a",
        "#8a5a33",
    )
    x = 2
    while x < wide - 8:
        thick = int(rng.integers(9, 26))
        top = int(rng.integers(4, 44))
        red, green, blue = (
            int(255 * c * (0.85 + 0.25 * rng.random())) for c in rgb(colours[int(rng.integers(len(colours)))])
        )
        fill = (min(red, 255), min(green, 255), min(blue, 255))
        draw.rectangle((x, top, x + thick - 2, tall), fill=fill)
        band = tuple(min(255, int(c * 1.5 + 40)) for c in fill)
        draw.rectangle((x, top + 12, x + thick - 2, top + 15), fill=band)
        draw.rectangle((x + thick // 2 - 1, top + 26, x + thick // 2 + 1, top + 58), fill=band)
        x += thick
        if rng.random() < 0.06:
            x += int(rng.integers(12, 40))
    return np.asarray(image)


def painting(seed: int) -> Pixels:
    """Return an abstract picture of overlapping soft shapes."""
    rng = np.random.default_rng(seed)
    side = 192
    image = Image.new("RGB", (side, side), (236, 230, 218))
    draw = ImageDraw.Draw(image)
    for colour in ("#c8553d", "#2f6f8f", "#e3b23c", "#39586b", "#d98e9b", "#5b8c5a"):
        x, y, r = rng.random() * side, rng.random() * side, 18 + 42 * rng.random()
        fill = tuple(int(255 * c) for c in rgb(colour))
        if rng.random() < 0.5:
            draw.ellipse((x - r, y - r, x + r, y + r), fill=fill)
        else:
            draw.rectangle((x - r, y - 0.5 * r, x + r, y + 0.5 * r), fill=fill)
    return np.asarray(image.filter(ImageFilter.GaussianBlur(0.8)))


def screen(seed: int) -> Pixels:
    """Return a monitor that shows a plot beside lines of text."""
    rng = np.random.default_rng(seed)
    wide, tall = 256, 144
    image = Image.new("RGB", (wide, tall), (24, 28, 36))
    draw = ImageDraw.Draw(image)
    for row in range(12):
        x = 10 + 8 * int(rng.integers(0, 4))
        while x < 120:
            length = int(rng.integers(8, 34))
            tone = ((120, 200, 160), (200, 180, 110), (150, 170, 210), (190, 190, 190))[int(rng.integers(4))]
            draw.rectangle((x, 12 + 10 * row, min(x + length, 122), 15 + 10 * row), fill=tone)
            x += length + 6
            if rng.random() < 0.35:
                break
    draw.rectangle((136, 14, 246, 128), fill=(240, 242, 245))
    for colour in ((43, 125, 210), (214, 69, 80)):
        curve = np.cumsum(rng.normal(0.4, 2.0, 50))
        curve = 120 - (curve - curve.min()) / np.ptp(curve) * 90
        draw.line([(142 + 2 * i, float(v)) for i, v in enumerate(curve)], fill=colour, width=2)
    return np.asarray(image)


def folds(colour: str, seed: int) -> Pixels:
    """Return cloth that hangs in folds along v."""
    rng = np.random.default_rng(seed)
    u = np.linspace(0, 2 * np.pi, SIZE, endpoint=False)
    wave = 0.5 + 0.3 * np.sin(u * 9 + 1.5 * np.sin(u * 2)) + 0.2 * np.sin(u * 17)
    weave = 1.0 + 0.03 * (rng.random((64, SIZE)) - 0.5)
    return to_pixels(np.asarray(rgb(colour)) * ((0.72 + 0.3 * wave)[None, :] * weave)[..., None])


def whiteboard(seed: int) -> Pixels:
    """Return a whiteboard with a block diagram, a curve and some handwriting."""
    rng = np.random.default_rng(seed)
    wide, tall = 384, 192
    image = Image.new("RGB", (wide, tall), (234, 237, 238))
    draw = ImageDraw.Draw(image)
    blue, red, green, ink = (45, 105, 180), (200, 70, 75), (60, 140, 85), (60, 64, 70)
    boxes = [(24, 100), (84, 100), (144, 100), (84, 146)]
    for x, y in boxes:
        draw.rounded_rectangle((x, y, x + 40, y + 24), 4, outline=blue, width=2)
        draw.line((x + 8, y + 12, x + 30, y + 12), fill=blue, width=1)
    for tail, head in itertools.pairwise(boxes[:3]):
        draw.line((tail[0] + 42, tail[1] + 12, head[0] - 3, head[1] + 12), fill=ink, width=2)
    draw.line((104, 126, 104, 144), fill=ink, width=2)
    draw.line((230, 170, 230, 90), fill=ink, width=2)
    draw.line((230, 170, 350, 170), fill=ink, width=2)
    times = np.linspace(0.0, 1.0, 60)
    for colour, rate in ((red, 5.0), (green, 2.2)):
        curve = [(232 + 114 * t, 168 - 70 * (1 - np.exp(-rate * t)) + rng.normal(0, 0.5)) for t in times]
        draw.line(curve, fill=colour, width=2)
    for row in range(5):
        pen = 24.0
        while pen < 330:
            length = 8 + 20 * rng.random()
            points = [
                (pen + length * t, 26 + 12 * row + 2.2 * np.sin(9 * t + rng.random())) for t in np.linspace(0, 1, 7)
            ]
            draw.line(points, fill=ink if row else red, width=2 if row == 0 else 1)
            pen += length + 7
            if rng.random() < 0.12:
                break
    return np.asarray(image)
