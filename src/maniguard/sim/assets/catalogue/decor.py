"""Candles, books, mills and plants, with measures of ordinary ones (metres)."""

from __future__ import annotations

from maniguard.sim.assets.catalogue.entries import entry, labelled, print_looks

CANDLES = (
    entry("candle-pillar", "candle", "pillar candle", "candle", {"color": "#efe6d2"}, radius=0.0315, height=0.1),
    entry("candle-short", "candle", "short candle", "candle", {"color": "#b5495b"}, radius=0.0325, height=0.062),
    entry(
        "candle-jar",
        "candle",
        "scented candle",
        "candle",
        {"color": "#f1e9da", **labelled("vintage", "#6b8f71", "#41584a", "Cedar")},
        extra=("fragile",),
        style="glass",
        radius=0.0335,
        height=0.084,
    ),
)
BOOKS = (
    entry(
        "book-novel",
        "book",
        "novel",
        "book",
        print_looks("book", "#1d3557", "#e9c46a", "Tides", 1),
        width=0.112,
        height=0.178,
        thickness=0.036,
    ),
    entry(
        "book-thick",
        "book",
        "dictionary",
        "book",
        print_looks("book", "#7d1d3a", "#d9a441", "Words", 2),
        width=0.105,
        height=0.155,
        thickness=0.056,
    ),
    entry(
        "book-lying",
        "book",
        "cookbook",
        "book",
        print_looks("book", "#386641", "#f4a261", "Kitchen", 3),
        pose="lying",
        width=0.15,
        height=0.2,
        thickness=0.024,
    ),
)
MILLS = (
    entry(
        "mill-pepper",
        "mill",
        "pepper mill",
        "mill",
        {"color": "#5c3d28", "seed": 1.0},
        height=0.165,
        foot_radius=0.0275,
        waist_radius=0.0185,
        head_radius=0.0245,
    ),
    entry(
        "mill-salt",
        "mill",
        "salt mill",
        "mill",
        {"color": "#d9b98a", "seed": 2.0},
        height=0.135,
        foot_radius=0.0265,
        waist_radius=0.0195,
        head_radius=0.0235,
        split_at=0.7,
    ),
)
PLANTS = (
    entry("plant-cactus", "plant", "cactus", "plant", {"color": "#b5623c"}),
    entry(
        "plant-succulent",
        "plant",
        "succulent",
        "plant",
        {
            "finish": "glaze",
            "color": "#e8e4da",
            "pattern": "dip",
            "accent": "#39586b",
            "plant_color": "#6f9a7f",
            "seed": 7.0,
        },
        plant="rosette",
        pot_radius=0.042,
        pot_height=0.058,
        plant_height=0.045,
        plant_radius=0.046,
        substance="stoneware",
    ),
)
