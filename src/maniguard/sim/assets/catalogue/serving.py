"""Sponges, dishes to wipe, boards that food slides off, cups that stack (metres)."""

from __future__ import annotations

from maniguard.sim.assets.asset import Value
from maniguard.sim.assets.catalogue.entries import entry, parts, vessel

SPONGE: dict[str, Value] = {"style": "sponge", "length": 0.09, "width": 0.06, "height": 0.04}
SPONGES = (
    entry("sponge-yellow", "sponge", "sponge", "soft", parts("#f2c84b", "#3f7d4e"), base=SPONGE),
    entry(
        "sponge-blue",
        "sponge",
        "scrubbing sponge",
        "soft",
        parts("#6fa8c9", "#2b4a66"),
        base={**SPONGE, "length": 0.1, "width": 0.065, "height": 0.045},
    ),
    entry(
        "sponge-pink",
        "sponge",
        "bath sponge",
        "soft",
        parts("#e39aa8"),
        base={**SPONGE, "length": 0.085, "width": 0.062, "height": 0.055, "scour": 0.0},
    ),
    entry(
        "sponge-cellulose",
        "sponge",
        "cleaning pad",
        "soft",
        parts("#e3a06a", "#8a5a33"),
        base={**SPONGE, "length": 0.095, "width": 0.058, "height": 0.038, "scour": 0.25},
    ),
)
DISH: dict[str, Value] = {"wall": 0.005, "floor": 0.006, "foot_fillet": 0.004}
ROASTING_DISHES = (
    vessel(
        "dish-round",
        "roasting_dish",
        "casserole",
        {"finish": "enamel", "color": "#b23a48", "inside": "#e8e0d0"},
        **{**DISH, "height": 0.05, "foot_radius": 0.118, "rim_radius": 0.12},
    ),
    vessel(
        "dish-deep",
        "roasting_dish",
        "stew pot",
        {"finish": "enamel", "color": "#39586b", "inside": "#d7e0e2"},
        **{**DISH, "height": 0.062, "foot_radius": 0.1, "rim_radius": 0.103},
    ),
    vessel(
        "dish-steel",
        "roasting_dish",
        "saute pan",
        {"finish": "metal", "color": "#b8bcc0"},
        **{
            **DISH,
            "height": 0.055,
            "foot_radius": 0.108,
            "rim_radius": 0.112,
            "wall": 0.003,
            "floor": 0.004,
            "substance": "aluminium",
        },
    ),
    vessel(
        "dish-cake",
        "roasting_dish",
        "cake tin",
        {"finish": "metal", "color": "#56595c"},
        **{
            **DISH,
            "height": 0.048,
            "foot_radius": 0.1,
            "rim_radius": 0.1,
            "wall": 0.0014,
            "floor": 0.0014,
            "foot_fillet": 0.001,
            "substance": "steel",
        },
    ),
    vessel(
        "dish-clay",
        "roasting_dish",
        "clay dish",
        {"finish": "matte", "color": "#a9603f", "inside": "#8f4c30"},
        **{
            **DISH,
            "height": 0.058,
            "foot_radius": 0.09,
            "rim_radius": 0.098,
            "wall": 0.007,
            "floor": 0.008,
            "substance": "earthenware",
        },
    ),
)
SLIDES = (
    entry("slide-oak", "sliding_board", "chopping board", "slide", parts("#c79a63", "#8a5a33", seed=3)),
    entry(
        "slide-bamboo",
        "sliding_board",
        "bamboo board",
        "slide",
        parts("#dcc08a", "#b98f5f", seed=5),
        length=0.15,
        width=0.11,
        handle_width=0.022,
        substance="bamboo",
    ),
    entry(
        "slide-walnut",
        "sliding_board",
        "snack board",
        "slide",
        parts("#5c3d28", "#3c2a1e", seed=6),
        length=0.13,
        width=0.09,
        handle_length=0.075,
    ),
    entry(
        "slide-plastic",
        "sliding_board",
        "prep board",
        "slide",
        parts("#e8e4da", "#3fa34d", finish="plastic", second_finish="plastic"),
        palette="plastic",
        length=0.16,
        width=0.1,
        substance="plastic",
    ),
)
# The next cup's foot stands on a floor 75 mm up, so that it goes 15 mm in and has 2.5 mm to spare all around.
STACK: dict[str, Value] = {
    "height": 0.09,
    "foot_radius": 0.024,
    "rim_radius": 0.0348,
    "wall": 0.005,
    "floor": 0.072,
    "foot_fillet": 0.003,
    "substance": "soft rubber",
}
STACKING_CUPS = (
    vessel("stacking-red", "stacking_cup", "stacking cup", {"finish": "plastic", "color": "#d64550"}, **STACK),
    vessel("stacking-blue", "stacking_cup", "nesting cup", {"finish": "plastic", "color": "#2d7dd2"}, **STACK),
    vessel("stacking-yellow", "stacking_cup", "pile cup", {"finish": "plastic", "color": "#f2b134"}, **STACK),
    vessel("stacking-green", "stacking_cup", "tower cup", {"finish": "plastic", "color": "#3fa34d"}, **STACK),
)
ALL = (*SPONGES, *ROASTING_DISHES, *SLIDES, *STACKING_CUPS)
