"""The common paint of things made of a few materials: main, second and third, metal and dark fittings, paper, print."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from maniguard.sim.assets.asset import Looks, Params, Value
from maniguard.sim.assets.materials import Material, finish, printed

PART_LOOKS: Mapping[str, Value] = MappingProxyType(
    {
        "finish": "plastic",
        "color": "#2d7dd2",
        "accent": "#3a3a3a",
        "pattern": "plain",
        "second_finish": "plastic",
        "second_color": "#2e2f33",
        "third_finish": "plastic",
        "third_color": "#f4f1ea",
        "seed": 0.0,
    }
)
PRINTED_PART_LOOKS: Mapping[str, Value] = MappingProxyType(
    {**PART_LOOKS, "label": "band", "label_color": "#b23a48", "label_accent": "#e9c46a", "title": "Daily"}
)


def paint_parts(looks: Looks, p: Params) -> dict[str, Material]:
    """Paint the slots main, second, third, metal, dark and paper."""
    return {
        "main": finish(
            looks.text("finish"),
            looks.text("color"),
            accent=looks.text("accent"),
            pattern=looks.text("pattern"),
            seed=looks.seed(),
        ),
        "second": finish(looks.text("second_finish"), looks.text("second_color"), seed=looks.seed()),
        "third": finish(looks.text("third_finish"), looks.text("third_color"), seed=looks.seed()),
        "metal": finish("metal", "#c2c6ca"),
        "dark": finish("plastic", "#2e2f33"),
        "paper": finish("paper", "#efe7d3"),
    }


def paint_printed_parts(looks: Looks, p: Params) -> dict[str, Material]:
    """Paint the slots of `paint_parts` and a printed label."""
    label = printed(
        looks.text("label"),
        looks.text("label_color"),
        looks.text("label_accent"),
        looks.text("title"),
        seed=looks.seed(),
    )
    return {**paint_parts(looks, p), "label": label}
