"""Small pictures painted by code: glazes, wood grain, brushed metal, printed labels; equal numbers, equal pixels."""

from __future__ import annotations

from collections.abc import Callable
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

Pixels = NDArray[np.uint8]
Array = NDArray[np.float64]
Rgb = tuple[float, float, float]

SIZE = 128


def noise(size: tuple[int, int], cells: tuple[int, int], rng: np.random.Generator, *, octaves: int = 3) -> Array:
    """Return smooth noise (H, W) in 0..1 that repeats at its edges; `cells` is its coarsest lattice (rows, columns)."""
    total = np.zeros(size)
    weight = 0.0
    for octave in range(octaves):
        rows, columns = cells[0] * 2**octave, cells[1] * 2**octave
        lattice = rng.random((rows, columns))
        total += _stretched(lattice, size) * 0.5**octave
        weight += 0.5**octave
    total /= weight
    low, high = total.min(), total.max()
    return (total - low) / (high - low)


def _stretched(lattice: Array, size: tuple[int, int]) -> Array:
    rows, columns = lattice.shape
    y = np.arange(size[0]) * rows / size[0]
    x = np.arange(size[1]) * columns / size[1]
    y0, x0 = np.floor(y).astype(int), np.floor(x).astype(int)
    fy, fx = y - y0, x - x0
    fy, fx = fy * fy * (3 - 2 * fy), fx * fx * (3 - 2 * fx)
    y0, x0 = y0 % rows, x0 % columns
    y1, x1 = (y0 + 1) % rows, (x0 + 1) % columns
    top = lattice[y0][:, x0] * (1 - fx) + lattice[y0][:, x1] * fx
    bottom = lattice[y1][:, x0] * (1 - fx) + lattice[y1][:, x1] * fx
    return top * (1 - fy)[:, None] + bottom * fy[:, None]


def mixed(base: Rgb, accent: Rgb, share: Array) -> Array:
    """Blend two colours by `share` (H, W) of the accent; returns (H, W, 3) in 0..1."""
    return np.asarray(base) * (1 - share[..., None]) + np.asarray(accent) * share[..., None]


def to_pixels(image: Array) -> Pixels:
    """Return uint8 pixels of an image in 0..1."""
    return (np.clip(image, 0.0, 1.0) * 255.0 + 0.5).astype(np.uint8)


def speckle(base: Rgb, accent: Rgb, seed: int) -> Pixels:
    """Return a stoneware glaze: cloudy base, small dark flecks, a few larger ones."""
    rng = np.random.default_rng(seed)
    size = (SIZE, 2 * SIZE)
    cloud = noise(size, (4, 8), rng)
    image = np.asarray(base) * (0.94 + 0.1 * cloud[..., None])
    flecks = np.clip((noise(size, (48, 96), rng, octaves=1) - 0.86) * 9, 0, 1)
    return to_pixels(image * (1 - flecks[..., None]) + np.asarray(accent) * flecks[..., None])


def bands(base: Rgb, accent: Rgb, seed: int) -> Pixels:
    """Return horizontal bands: one broad and two thin rings of the accent."""
    rng = np.random.default_rng(seed)
    v = np.linspace(1.0, 0.0, SIZE)[:, None] * np.ones((1, SIZE))
    wobble = (noise((SIZE, SIZE), (2, 6), rng, octaves=1) - 0.5) * 0.004
    rows = v + wobble
    share = np.zeros_like(rows)
    for low, high in ((0.62, 0.74), (0.77, 0.785), (0.575, 0.59)):
        share = np.maximum(share, np.clip((rows - low) * 200, 0, 1) * np.clip((high - rows) * 200, 0, 1))
    return to_pixels(mixed(base, accent, share))


def dip(base: Rgb, accent: Rgb, seed: int) -> Pixels:
    """Return a body dipped into a second glaze: accent above a slightly uneven line."""
    rng = np.random.default_rng(seed)
    size = (SIZE, 2 * SIZE)
    v = np.linspace(1.0, 0.0, SIZE)[:, None] * np.ones((1, 2 * SIZE))
    line = 0.52 + 0.05 * (noise(size, (1, 5), rng, octaves=2) - 0.5)
    share = np.clip((v - line) * 90, 0, 1)
    cloud = 0.95 + 0.08 * noise(size, (4, 8), rng)
    return to_pixels(mixed(base, accent, share) * cloud[..., None])


def brush(base: Rgb, accent: Rgb, seed: int) -> Pixels:
    """Return hand-painted strokes of the accent around the body."""
    rng = np.random.default_rng(seed)
    size = (SIZE, 2 * SIZE)
    streak = noise(size, (24, 3), rng, octaves=2)
    v = np.linspace(1.0, 0.0, SIZE)[:, None]
    mask = np.clip(1.0 - np.abs(v - 0.55) * 5, 0, 1)
    share = np.clip((streak - 0.35) * 4, 0, 1) * mask
    return to_pixels(mixed(base, accent, 0.9 * share))


def gradient(base: Rgb, accent: Rgb, seed: int) -> Pixels:
    """Return a soft change from the base below to the accent above."""
    rng = np.random.default_rng(seed)
    v = np.linspace(1.0, 0.0, SIZE)[:, None] * np.ones((1, SIZE))
    share = np.clip((v - 0.15) / 0.7 + 0.12 * (noise((SIZE, SIZE), (4, 4), rng) - 0.5), 0, 1)
    return to_pixels(mixed(base, accent, share))


def dots(base: Rgb, accent: Rgb, seed: int) -> Pixels:
    """Return rows of staggered dots."""
    del seed
    rows, columns = np.mgrid[0:SIZE, 0 : 2 * SIZE].astype(float)
    pitch = 32.0
    shift = (np.floor(rows / pitch) % 2) * pitch / 2.0
    dx = (columns + shift) % pitch - pitch / 2.0
    dy = rows % pitch - pitch / 2.0
    share = np.clip(7.5 - np.hypot(dx, dy), 0, 1)
    return to_pixels(mixed(base, accent, share))


def grain(base: Rgb, accent: Rgb, seed: int) -> Pixels:
    """Return wood: growth rings stretched along u, fine fibres, a slow change of tone."""
    del accent
    rng = np.random.default_rng(seed)
    size = (SIZE, 2 * SIZE)
    bend = noise(size, (2, 1), rng, octaves=3)
    rows = np.linspace(0.0, 1.0, SIZE)[:, None]
    rings = 0.5 + 0.5 * np.sin(2 * np.pi * (rows * 8 + 1.5 * bend))
    fibre = noise(size, (64, 4), rng, octaves=2)
    tone = noise(size, (3, 2), rng, octaves=1)
    shade = 1.02 - 0.20 * rings**2 - 0.12 * fibre + 0.06 * (tone - 0.5)
    warm = np.stack([shade, shade**1.12, shade**1.3], axis=-1)
    return to_pixels(np.asarray(base) * warm)


def brushed(base: Rgb, accent: Rgb, seed: int) -> Pixels:
    """Return brushed metal as it mirrors a room: soft bright and dark bands around, fine lines along."""
    del accent
    rng = np.random.default_rng(seed)
    size = (64, 2 * SIZE)
    u = np.linspace(0.0, 2 * np.pi, 2 * SIZE, endpoint=False)[None, :]
    mirror = 0.86 + 0.16 * np.sin(u * 2 + 0.6) + 0.10 * np.sin(u * 3 + 2.1) + 0.05 * np.sin(u * 7)
    lines = noise(size, (64, 2), rng, octaves=1)
    shade = mirror + 0.07 * (lines - 0.5)
    return to_pixels(np.asarray(base) * shade[..., None])


def weave(base: Rgb, accent: Rgb, seed: int) -> Pixels:
    """Return woven cloth or rattan."""
    rng = np.random.default_rng(seed)
    rows, columns = np.mgrid[0:SIZE, 0:SIZE].astype(float)
    warp = np.sin(columns * 2 * np.pi / 8) * np.where((rows // 8) % 2 == 0, 1, -1)
    share = 0.5 + 0.32 * warp + 0.2 * (noise((SIZE, SIZE), (16, 16), rng) - 0.5)
    return to_pixels(mixed(base, accent, np.clip(share, 0, 1)))


PAINTERS: MappingProxyType[str, Callable[[Rgb, Rgb, int], Pixels]] = MappingProxyType(
    {
        "speckle": speckle,
        "bands": bands,
        "dip": dip,
        "brush": brush,
        "gradient": gradient,
        "dots": dots,
        "grain": grain,
        "brushed": brushed,
        "weave": weave,
    }
)


def _canvas(width: int, height: int, colour: Rgb) -> tuple[Image.Image, ImageDraw.ImageDraw]:
    image = Image.new("RGB", (width, height), _hex(colour))
    return image, ImageDraw.Draw(image)


def _hex(colour: Rgb, shade: float = 1.0) -> tuple[int, int, int]:
    red, green, blue = (int(min(1.0, c * shade) * 255 + 0.5) for c in colour)
    return red, green, blue


def _text(draw: ImageDraw.ImageDraw, centre: tuple[float, float], text: str, size: float, fill: Rgb) -> None:
    draw.text(centre, text, font=ImageFont.load_default(size), fill=_hex(fill), anchor="mm")


def _contrast(colour: Rgb) -> Rgb:
    luma = 0.3 * colour[0] + 0.59 * colour[1] + 0.11 * colour[2]
    return (0.12, 0.12, 0.14) if luma > 0.55 else (0.98, 0.97, 0.94)


def _fitting(title: str, width: float, most: float) -> float:
    return min(most, 1.75 * width / max(len(title), 1))


def band_label(base: Rgb, accent: Rgb, title: str, seed: int) -> Pixels:
    """Return a label that goes round a can, jar or bottle: a medallion with the title, twice around."""
    width, height = 256, 128
    image, draw = _canvas(width, height, base)
    draw.rectangle((0, 0, width, 11), fill=_hex(accent))
    draw.rectangle((0, height - 12, width, height), fill=_hex(accent))
    draw.line((0, 15, width, 15), fill=_hex(accent, 0.8), width=1)
    draw.line((0, height - 16, width, height - 16), fill=_hex(accent, 0.8), width=1)
    cream = (0.97, 0.94, 0.86)
    for centre in (64, 192):
        draw.ellipse((centre - 46, 28, centre + 46, 100), fill=_hex(cream), outline=_hex(accent, 0.8), width=2)
        _text(draw, (centre, 58), title, _fitting(title, 74, 22), (0.16, 0.12, 0.1))
        draw.line((centre - 24, 72, centre + 24, 72), fill=_hex(accent, 0.8), width=2)
        for k in (-1, 0, 1):
            draw.ellipse((centre + 12 * k - 4, 79, centre + 12 * k + 4, 87), fill=_hex(accent))
    for k in range(9):
        draw.line((122, 34 + 7 * k, 134, 34 + 7 * k), fill=_hex(_contrast(base)), width=1)
    return _printed_noise(image, seed)


def stripe_label(base: Rgb, accent: Rgb, title: str, seed: int) -> Pixels:
    """Return a plain modern label: the title on a block of colour with a diagonal of the accent, twice around."""
    width, height = 256, 128
    image, draw = _canvas(width, height, base)
    for centre in (64, 192):
        draw.polygon([(centre - 64, 92), (centre + 64, 60), (centre + 64, 84), (centre - 64, 116)], fill=_hex(accent))
        draw.polygon(
            [(centre - 64, 120), (centre + 64, 88), (centre + 64, 92), (centre - 64, 124)], fill=_hex(accent, 0.75)
        )
        _text(draw, (centre, 40), title, _fitting(title, 96, 26), _contrast(base))
    return _printed_noise(image, seed)


def vintage_label(base: Rgb, accent: Rgb, title: str, seed: int) -> Pixels:
    """Return a cream paper label with a double frame, as on wine, oil and jam."""
    width, height = 256, 128
    cream = (0.95, 0.92, 0.84)
    image, draw = _canvas(width, height, cream)
    for left in (0, 128):
        draw.rectangle((left + 7, 8, left + 120, 119), outline=_hex(accent), width=3)
        draw.rectangle((left + 12, 13, left + 115, 114), outline=_hex(base), width=1)
        _text(draw, (left + 64, 38), title, _fitting(title, 96, 24), accent)
        draw.polygon(
            [(left + 64, 56), (left + 82, 74), (left + 64, 92), (left + 46, 74)], fill=_hex(base), outline=_hex(accent)
        )
        for k in range(3):
            draw.line((left + 40, 98 + 5 * k, left + 88, 98 + 5 * k), fill=_hex(accent, 1.2), width=1)
    return _printed_noise(image, seed)


def package(base: Rgb, accent: Rgb, title: str, seed: int) -> Pixels:
    """Return the atlas of a box: front u 0..0.6, side u 0.6..1, both v 0..0.85; above them the lid."""
    size = 256
    image, draw = _canvas(size, size, base)
    top, right = int(0.15 * size), int(0.6 * size)
    draw.rectangle((0, 0, size, top), fill=_hex(base, 0.92))
    _text(draw, (right / 2, top / 2), title, _fitting(title, 90, 18), _contrast(base))
    rng = np.random.default_rng(seed)
    draw.ellipse((-40, top + 96, right + 40, size + 70), fill=_hex(accent))
    draw.ellipse((-40, top + 106, right + 40, size + 80), fill=_hex(accent, 0.88))
    cream = (0.97, 0.94, 0.86)
    draw.ellipse((34, top + 112, right - 34, size - 14), fill=_hex(cream), outline=_hex(base, 0.7), width=2)
    for _ in range(26):
        angle, radius = rng.random() * 2 * np.pi, 34 * np.sqrt(rng.random())
        x, y = right / 2 + radius * np.cos(angle), (top + 112 + size - 14) / 2 + 0.75 * radius * np.sin(angle)
        tone = 0.7 + 0.5 * rng.random()
        draw.ellipse((x - 5, y - 4, x + 5, y + 4), fill=_hex((0.82, 0.6, 0.32), tone), outline=_hex((0.5, 0.33, 0.16)))
    _text(draw, (right / 2, top + 46), title, _fitting(title, 120, 38), _contrast(base))
    draw.line((30, top + 72, right - 30, top + 72), fill=_hex(_contrast(base)), width=2)
    draw.rectangle((right, top, size, size), fill=_hex(base, 0.9))
    draw.rectangle((right + 14, top + 50, size - 14, size - 24), fill=_hex(cream))
    _text(draw, ((right + size) / 2, top + 28), title, _fitting(title, 76, 18), _contrast(base))
    for k in range(12):
        draw.line((right + 20, top + 60 + 11 * k, size - 20 - (k * 17) % 23, top + 60 + 11 * k), fill=(90, 85, 80))
    return _printed_noise(image, seed)


def tea(base: Rgb, accent: Rgb, title: str, seed: int) -> Pixels:
    """Return the atlas of a tea or biscuit box: leaves on a quiet ground, the title in a frame; layout as `package`."""
    size = 256
    image, draw = _canvas(size, size, base)
    top, right = int(0.15 * size), int(0.6 * size)
    rng = np.random.default_rng(seed)
    for _ in range(46):
        x, y = rng.random() * size, rng.random() * size
        angle = rng.random() * np.pi
        dx, dy = 13 * np.cos(angle), 13 * np.sin(angle)
        px, py = -0.35 * dy, 0.35 * dx
        draw.polygon([(x - dx, y - dy), (x + px, y + py), (x + dx, y + dy), (x - px, y - py)], fill=_hex(accent))
        draw.line((x - dx, y - dy, x + dx, y + dy), fill=_hex(base, 0.8))
    cream = (0.96, 0.93, 0.85)
    for left, wide in ((0, right), (right, size - right)):
        middle = left + wide / 2
        draw.rectangle((middle - 0.38 * wide, top + 54, middle + 0.38 * wide, top + 150), fill=_hex(cream))
        draw.rectangle((middle - 0.34 * wide, top + 59, middle + 0.34 * wide, top + 145), outline=_hex(accent), width=2)
        _text(draw, (middle, top + 92), title, _fitting(title, 0.62 * wide, 30), _contrast(cream))
        draw.line((middle - 0.2 * wide, top + 114, middle + 0.2 * wide, top + 114), fill=_hex(accent), width=2)
    draw.rectangle((0, 0, size, top), fill=_hex(base, 1.06))
    return _printed_noise(image, seed)


def carton(base: Rgb, accent: Rgb, title: str, seed: int) -> Pixels:
    """Return the atlas of a drink carton: white above, a wave of colour below; layout as `package`."""
    size = 256
    white = (0.96, 0.96, 0.94)
    image, draw = _canvas(size, size, white)
    top, right = int(0.15 * size), int(0.6 * size)
    x = np.arange(size)
    for shade, lift in ((0.8, 18), (1.0, 0)):
        wave = top + 104 - lift + 14 * np.sin(x * 2 * np.pi / right)
        draw.polygon([(0, size), *zip(x.tolist(), wave.tolist(), strict=True), (size, size)], fill=_hex(base, shade))
    for left, wide in ((0, right), (right, size - right)):
        middle = left + wide / 2
        _text(draw, (middle, top + 46), title, _fitting(title, 0.86 * wide, 34), base)
        draw.ellipse((middle - 20, top + 128, middle + 20, top + 168), fill=_hex(accent))
        draw.ellipse((middle - 12, top + 136, middle - 2, top + 146), fill=_hex(white))
    draw.rectangle((0, 0, size, top), fill=_hex(base))
    return _printed_noise(image, seed)


def book_cover(base: Rgb, accent: Rgb, title: str, seed: int) -> Pixels:
    """Return the atlas of a book: cover u 0..0.6, spine u 0.6..1, both v 0..0.85."""
    size = 256
    image, draw = _canvas(size, size, base)
    top, right = int(0.15 * size), int(0.6 * size)
    rng = np.random.default_rng(seed)
    for k in range(5):
        radius = 58 - 11 * k
        centre = (right / 2 + 6 * (rng.random() - 0.5), top + 142)
        draw.ellipse(
            (centre[0] - radius, centre[1] - radius, centre[0] + radius, centre[1] + radius),
            outline=_hex(accent, 1.0 - 0.09 * k),
            width=4,
        )
    _text(draw, (right / 2, top + 36), title, _fitting(title, 120, 30), _contrast(base))
    draw.line((24, top + 58, right - 24, top + 58), fill=_hex(accent), width=2)
    draw.rectangle((right, top, size, size), fill=_hex(base, 0.85))
    draw.rectangle((right, top + 30, size, top + 44), fill=_hex(accent))
    draw.rectangle((right, size - 44, size, size - 30), fill=_hex(accent))
    return _printed_noise(image, seed)


def _printed_noise(image: Image.Image, seed: int) -> Pixels:
    pixels = np.asarray(image, dtype=float) / 255.0
    rng = np.random.default_rng(seed + 1)
    return to_pixels(pixels * (0.985 + 0.03 * rng.random((*pixels.shape[:2], 1))))


LABELS: MappingProxyType[str, Callable[[Rgb, Rgb, str, int], Pixels]] = MappingProxyType(
    {
        "band": band_label,
        "stripe": stripe_label,
        "vintage": vintage_label,
        "package": package,
        "tea": tea,
        "carton": carton,
        "book": book_cover,
    }
)
