"""Toys and games (metres)."""

from __future__ import annotations

from maniguard.sim.assets.asset import Value
from maniguard.sim.assets.catalogue.entries import entry, parts
from maniguard.sim.assets.design import Design


def _toy(name: str, category: str, noun: str, looks: dict[str, Value], **measures: Value) -> Design:
    return entry(name, category, noun, "toy", looks, base=measures)


def _piece(name: str, noun: str, color: str, seed: int, profile: str, above: str, top: str = "") -> Design:
    looks = parts(color, color, color, finish="wood", second_finish="wood", third_finish="wood", seed=seed)
    return entry(name, "chess_piece", noun, "spindle", looks, profile=profile, above=above, top=top, curve="smooth")


BLOCKS = (
    _toy("block-cube", "toy_block", "toy block", parts("#d64550"), length=0.045, width=0.045, height=0.045),
    _toy(
        "block-wood",
        "toy_block",
        "wooden block",
        parts("#d9b98a", finish="wood", seed=2),
        length=0.05,
        width=0.05,
        height=0.05,
    ),
    _toy("block-long", "toy_block", "long block", parts("#2d7dd2"), length=0.1, width=0.04, height=0.04),
    _toy("block-pillar", "toy_block", "pillar block", parts("#3fa34d"), length=0.036, width=0.036, height=0.09),
    _toy("block-arch", "toy_block", "arch block", parts("#f2b134"), style="arch", length=0.1, width=0.038, height=0.05),
    _toy(
        "block-roof", "toy_block", "roof block", parts("#b5495b"), style="roof", length=0.06, width=0.06, height=0.038
    ),
    _toy(
        "brick-small",
        "toy_block",
        "toy brick",
        parts("#f2b134", finish="plastic"),
        style="brick",
        length=0.048,
        width=0.048,
        height=0.036,
        substance="plastic",
    ),
    _toy(
        "brick-long",
        "toy_block",
        "long toy brick",
        parts("#2d7dd2", finish="plastic"),
        style="brick",
        length=0.096,
        width=0.048,
        height=0.036,
        substance="plastic",
    ),
)
GAMES = (
    _toy(
        "die-white",
        "die",
        "die",
        parts("#f4f1ea", finish="plastic"),
        style="dice",
        length=0.036,
        width=0.036,
        height=0.036,
        substance="plastic",
    ),
    _toy(
        "die-big",
        "die",
        "foam die",
        parts("#d64550", finish="matte"),
        style="dice",
        length=0.058,
        width=0.058,
        height=0.058,
        substance="bristle",
    ),
    _toy(
        "puzzle-cube",
        "puzzle_cube",
        "puzzle cube",
        parts("#d64550", "#f2b134", "#2d7dd2"),
        style="puzzle",
        length=0.056,
        width=0.056,
        height=0.056,
        substance="electronics",
    ),
    _toy(
        "puzzle-mini",
        "puzzle_cube",
        "small puzzle cube",
        parts("#3fa34d", "#f4f1ea", "#7b5ea7"),
        style="puzzle",
        length=0.042,
        width=0.042,
        height=0.042,
        substance="electronics",
    ),
    _piece("chess-pawn", "pawn", "#d9b98a", 1, "17,0 18,4 9,14 8,32 12,36", "8,36 13,42 13,48 9,56 3,58"),
    _piece(
        "chess-bishop",
        "chess bishop",
        "#3c2a1e",
        2,
        "18,0 19,4 10,16 8,44 13,50",
        "8,50 13,58 12,68 4,80",
        "4,80 5,83 3,87",
    ),
    _piece(
        "chess-queen", "chess queen", "#d9b98a", 3, "20,0 21,5 11,20 9,58 14,64", "10,64 15,80 12,84", "5,84 6,88 3,93"
    ),
    _piece("chess-king", "chess king", "#3c2a1e", 4, "20,0 21,5 12,20 10,62 15,68", "11,68 15,86 9,92", "4,92 4,104"),
    _piece("chess-rook", "rook", "#5c3d28", 5, "19,0 20,5 13,14 12,40 15,44", "12,44 17,50 17,62"),
)
VEHICLES = (
    _toy(
        "car-red",
        "toy_car",
        "toy car",
        parts("#d64550", "#2e2f33", "#cfe0e4"),
        style="car",
        length=0.095,
        width=0.048,
        height=0.046,
        substance="plastic",
    ),
    _toy(
        "car-van",
        "toy_car",
        "toy van",
        parts("#f4f1ea", "#2e2f33", "#8fb8c9"),
        style="car",
        length=0.105,
        width=0.05,
        height=0.058,
        substance="plastic",
    ),
    _toy(
        "car-racer",
        "toy_car",
        "toy racing car",
        parts("#2d7dd2", "#2e2f33", "#f2b134"),
        style="car",
        length=0.115,
        width=0.05,
        height=0.038,
        substance="plastic",
    ),
    _toy(
        "car-taxi",
        "toy_car",
        "toy taxi",
        parts("#f2b134", "#343a40", "#cfe0e4"),
        style="car",
        length=0.1,
        width=0.046,
        height=0.05,
        substance="plastic",
    ),
)
BALLS = (
    _toy(
        "ball-striped",
        "ball",
        "ball",
        parts("#d64550", "#f4f1ea", finish="plastic"),
        style="ball",
        length=0.06,
        width=0.06,
        height=0.06,
        substance="soft rubber",
    ),
    _toy(
        "ball-tennis",
        "ball",
        "tennis ball",
        parts("#c9d64a", "#c9d64a", finish="matte", second_finish="matte"),
        style="ball",
        length=0.064,
        width=0.064,
        height=0.064,
        substance="bristle",
    ),
    _toy(
        "ball-golf",
        "ball",
        "golf ball",
        parts("#f4f1ea", "#f4f1ea", pattern="dots", accent="#d9d5cb"),
        style="ball",
        length=0.043,
        width=0.043,
        height=0.043,
        substance="rubber",
    ),
    _toy(
        "ball-rubber",
        "ball",
        "rubber ball",
        parts("#2d7dd2", "#f2b134"),
        style="ball",
        length=0.052,
        width=0.052,
        height=0.052,
        substance="soft rubber",
    ),
)
DUCKS = (
    _toy(
        "duck-yellow",
        "rubber_duck",
        "rubber duck",
        parts("#f2c22e", "#e07b2a"),
        style="duck",
        length=0.07,
        width=0.058,
        height=0.07,
        substance="bristle",
    ),
    _toy(
        "duck-small",
        "rubber_duck",
        "small rubber duck",
        parts("#f4f1ea", "#e07b2a"),
        style="duck",
        length=0.058,
        width=0.048,
        height=0.058,
        substance="bristle",
    ),
)
ALL = (*BLOCKS, *GAMES, *VEHICLES, *BALLS, *DUCKS)
