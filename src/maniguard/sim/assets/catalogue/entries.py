"""Short forms in which the catalogue is written."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from maniguard.sim.assets.asset import Value
from maniguard.sim.assets.design import Design
from maniguard.sim.scene import AssetSpec

Measures = Mapping[str, Value]


NOTHING: Measures = MappingProxyType({})


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
    base: Measures = NOTHING,
    **measures: Value,
) -> Design:
    """Return an entry of the catalogue of any kind; `measures` go over those of `base`."""
    return Design(name, category, noun, AssetSpec(kind, {**base, **measures}), looks, extra, recolours, palette)


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


def parts(
    color: str,
    second: str = "",
    third: str = "",
    *,
    finish: str = "",
    second_finish: str = "",
    third_finish: str = "",
    pattern: str = "",
    accent: str = "",
    seed: int = 0,
) -> dict[str, Value]:
    """Return the looks of a thing made of a few materials; what is left out stays as its kind has it."""
    given: dict[str, Value] = {
        "color": color,
        "second_color": second,
        "third_color": third,
        "finish": finish,
        "second_finish": second_finish,
        "third_finish": third_finish,
        "pattern": pattern,
        "accent": accent,
    }
    return {**{key: value for key, value in given.items() if value}, "seed": float(seed)}
