"""Short forms in which the catalogue is written."""

from __future__ import annotations

from collections.abc import Mapping

from maniguard.sim.assets.asset import Value
from maniguard.sim.assets.design import Design
from maniguard.sim.scene import AssetSpec

Measures = Mapping[str, Value]


def vessel(name: str, category: str, noun: str, looks: Measures, **measures: Value) -> Design:
    """Return an open vessel of the catalogue."""
    return Design(name, category, noun, AssetSpec("vessel", measures), looks, palette_name=_palette(looks))


def _palette(looks: Measures) -> str:
    return "glass" if looks.get("finish") in ("glass", "coloured-glass") else ""


def entry(
    name: str,
    category: str,
    noun: str,
    kind: str,
    looks: Measures,
    *,
    recolours: str = "color",
    extra: tuple[str, ...] = (),
    palette: str = "",
    **measures: Value,
) -> Design:
    """Return an entry of the catalogue of any kind."""
    return Design(name, category, noun, AssetSpec(kind, measures), looks, extra, recolours, palette)


def glazed(
    color: str,
    pattern: str = "plain",
    accent: str = "#3a3a3a",
    inside: str = "same",
    handle: str = "same",
    seed: int = 0,
) -> Measures:
    """Return the looks of a glazed vessel."""
    return {
        "finish": "glaze",
        "color": color,
        "accent": accent,
        "pattern": pattern,
        "inside": inside,
        "handle": handle,
        "seed": float(seed),
    }


def labelled(style: str, color: str, accent: str, title: str, seed: int = 0) -> dict[str, Value]:
    """Return the looks of a label around something."""
    return {"label": style, "label_color": color, "label_accent": accent, "title": title, "seed": float(seed)}


def print_looks(style: str, color: str, accent: str, title: str, seed: int = 0) -> Measures:
    """Return the looks of a printed package."""
    return {"label": style, "color": color, "accent": accent, "title": title, "seed": float(seed)}


CLEAR: Measures = {"finish": "glass", "color": "#cfe0e4"}
