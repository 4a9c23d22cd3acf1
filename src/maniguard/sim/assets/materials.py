"""What surfaces look like: finishes built from colour and pattern, and palettes to recolour a target from."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from maniguard.errors import ManiguardError, alternatives
from maniguard.sim.assets import textures

Pixels = NDArray[np.uint8]


class AppearanceError(ManiguardError):
    """An appearance with an unknown key, colour, finish or pattern; the message lists the valid ones."""


@dataclass(frozen=True)
class Texture:
    """A picture made by code. `key` names its recipe and every number in it: equal keys are equal pixels."""

    key: str
    paint: Callable[[], Pixels]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Texture) and self.key == other.key

    def __hash__(self) -> int:
        return hash(self.key)

    def pixels(self) -> Pixels:
        """Return (H, W, 3) uint8, row 0 at the top (v = 1)."""
        return _painted(self)


@lru_cache(maxsize=256)
def _painted(texture: Texture) -> Pixels:
    pixels = texture.paint()
    pixels.setflags(write=False)
    return pixels


@dataclass(frozen=True)
class Material:
    """How light meets a surface: `rgba` multiplies the texture; the rest is as in MuJoCo (0..1)."""

    rgba: tuple[float, float, float, float] = (1.0, 1.0, 1.0, 1.0)
    texture: Texture | None = None
    specular: float = 0.2
    shininess: float = 0.3
    emission: float = 0.0
    repeat: tuple[float, float] = (1.0, 1.0)


def rgb(colour: str) -> tuple[float, float, float]:
    """Read "#rrggbb" as three numbers 0..1; AppearanceError says what is wrong."""
    if len(colour) != 7 or not colour.startswith("#"):
        raise AppearanceError(f"colour {colour!r} is not of the form #rrggbb")
    try:
        red, green, blue = (int(colour[i : i + 2], 16) / 255.0 for i in (1, 3, 5))
    except ValueError:
        raise AppearanceError(f"colour {colour!r} is not of the form #rrggbb") from None
    return red, green, blue


FINISHES = MappingProxyType(
    {
        # finish: (specular, shininess, opacity, emission). Glass glows a little, as nothing mirrors the room in it.
        "glaze": (0.45, 0.75, 1.0, 0.0),
        "matte": (0.12, 0.25, 1.0, 0.0),
        "glass": (0.95, 0.95, 0.16, 0.2),
        "coloured-glass": (0.9, 0.95, 0.5, 0.1),
        "metal": (0.75, 0.6, 1.0, 0.0),
        "enamel": (0.6, 0.8, 1.0, 0.0),
        "plastic": (0.35, 0.5, 1.0, 0.0),
        "wood": (0.14, 0.3, 1.0, 0.0),
        "paper": (0.05, 0.1, 1.0, 0.0),
        "gloss-print": (0.3, 0.5, 1.0, 0.0),
        "wax": (0.25, 0.35, 1.0, 0.0),
        "liquid": (0.5, 0.8, 0.92, 0.0),
    }
)

PATTERNS = ("plain", "speckle", "bands", "dip", "brush", "gradient", "dots", "grain", "brushed", "weave")


def finish(
    name: str,
    colour: str,
    *,
    accent: str = "#ffffff",
    pattern: str = "plain",
    seed: int = 0,
    opacity: float | None = None,
) -> Material:
    """Return the material of a finish in a colour; `pattern` adds a texture that may use `accent`.

    Metal and wood bring their own texture when the pattern is plain.
    """
    if name not in FINISHES:
        raise AppearanceError(f"finish {name!r} is not known; valid are {alternatives(FINISHES)}")
    if pattern not in PATTERNS:
        raise AppearanceError(f"pattern {pattern!r} is not known; valid are {alternatives(PATTERNS)}")
    if pattern == "plain":
        pattern = {"metal": "brushed", "wood": "grain"}.get(name, "plain")
    specular, shininess, alpha, glow = FINISHES[name]
    alpha = alpha if opacity is None else opacity
    base, second = rgb(colour), rgb(accent)
    if pattern == "plain":
        return Material((*base, alpha), None, specular, shininess, glow)
    painter = textures.PAINTERS[pattern]
    key = f"{pattern}:{colour}:{accent}:{seed}"
    return Material((1.0, 1.0, 1.0, alpha), Texture(key, lambda: painter(base, second, seed)), specular, shininess)


def printed(style: str, colour: str, accent: str, title: str, *, seed: int = 0, glossy: bool = True) -> Material:
    """Return a printed label or package front in the style `style`."""
    if style not in textures.LABELS:
        raise AppearanceError(f"label {style!r} is not known; valid are {alternatives(textures.LABELS)}")
    painter = textures.LABELS[style]
    base, second = rgb(colour), rgb(accent)
    key = f"label-{style}:{colour}:{accent}:{title}:{seed}"
    specular, shininess, *_ = FINISHES["gloss-print" if glossy else "paper"]
    return Material((1.0, 1.0, 1.0, 1.0), Texture(key, lambda: painter(base, second, title, seed)), specular, shininess)


# Colours that a target may be given, by finish: visibly different, plausible for the material.
PALETTES = MappingProxyType(
    {
        "ceramic": ("#c8553d", "#2f6f8f", "#e3b23c", "#5b8c5a", "#6d597a", "#e8e4da", "#2f3e46", "#d98e9b"),
        "glass": ("#8fb8c9", "#9bbf8a", "#d9a05b", "#b58bb0", "#c9d8dd"),
        "metal": ("#b8bcc0", "#b87333", "#c9a227", "#56595c", "#8c9aa8"),
        "wood": ("#c79a63", "#8a5a33", "#5c3d28", "#d9b98a", "#a5683f"),
        "print": ("#b23a48", "#2a6f97", "#e09f3e", "#386641", "#6a4c93", "#1d3557", "#d1495b"),
        "plastic": ("#d64550", "#2d7dd2", "#f2b134", "#3fa34d", "#7b5ea7", "#f4f1ea", "#343a40"),
        "produce": ("#b5322c", "#7fa650", "#d9b23a", "#8f3d5a", "#c9743a"),
        "wax": ("#efe6d2", "#b5495b", "#6b8f71", "#c98d5e", "#7d8ca3"),
    }
)
