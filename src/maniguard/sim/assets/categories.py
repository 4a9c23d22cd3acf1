"""The categories of household objects: how they rub, what they are like, and how heavy real ones are."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from maniguard.trace.scene import Vector3


@dataclass(frozen=True)
class Category:
    """What all designs of a category share.

    `friction` is (sliding, torsional in m, rolling in m) of the surface, `properties` are semantic, `mass_range_kg`
    bounds what household objects of the category weigh as they stand here, contents included. `palette` names the
    colours that a recoloured one is given.
    """

    name: str
    friction: Vector3
    properties: tuple[str, ...]
    mass_range_kg: tuple[float, float]
    palette: str


# Sliding coefficients on a hard dry surface, from common tables of pairs with wood: glazed ceramic and glass 0.4–0.6,
# metal 0.4–0.6, card and paper 0.4–0.5, unvarnished wood 0.5–0.6, plastic 0.3–0.5. Rolling: cans and bottles on wood
# slow down by about 0.1 m/s², which 0.3 mm gives.
CERAMIC: Vector3 = (0.5, 0.003, 0.0003)
GLASS: Vector3 = (0.45, 0.003, 0.0003)
METAL: Vector3 = (0.5, 0.003, 0.0003)
CARD: Vector3 = (0.45, 0.003, 0.0003)
WOOD: Vector3 = (0.55, 0.003, 0.0003)
WAX: Vector3 = (0.55, 0.003, 0.0003)
PLASTIC: Vector3 = (0.4, 0.003, 0.0003)
RUBBER: Vector3 = (0.8, 0.004, 0.0005)
CLOTH: Vector3 = (0.6, 0.004, 0.0005)
FOAM: Vector3 = (0.5, 0.004, 0.0005)
# Skins and crusts on wood: 0.3–0.5; low enough that a board tilted by 35° sheds them.
FOOD: Vector3 = (0.4, 0.003, 0.0005)

_ALL = (
    Category("mug", CERAMIC, ("container", "fragile", "open", "handled"), (0.09, 0.42), "ceramic"),
    Category("teacup", CERAMIC, ("container", "fragile", "open"), (0.05, 0.26), "ceramic"),
    Category("bowl", CERAMIC, ("container", "fragile", "open", "stackable"), (0.1, 0.6), "ceramic"),
    Category("ramekin", CERAMIC, ("container", "fragile", "open", "stackable"), (0.06, 0.25), "ceramic"),
    Category("plate", CERAMIC, ("flat", "fragile", "stackable"), (0.15, 0.75), "ceramic"),
    Category("drinking_glass", GLASS, ("container", "fragile", "open"), (0.08, 0.4), "glass"),
    Category("wine_glass", GLASS, ("container", "fragile", "open"), (0.07, 0.25), "glass"),
    Category("bottle", GLASS, ("closed", "container", "rollable"), (0.1, 1.3), "plastic"),
    Category("can", METAL, ("closed", "container", "rollable"), (0.07, 0.5), "print"),
    Category("jar", GLASS, ("closed", "container", "fragile", "rollable"), (0.1, 0.75), "print"),
    Category("box", CARD, ("closed", "container"), (0.03, 0.8), "print"),
    Category("carton", CARD, ("closed", "container"), (0.18, 1.1), "print"),
    Category("vase", CERAMIC, ("container", "fragile", "open"), (0.12, 0.9), "ceramic"),
    Category("pot", METAL, ("container", "handled", "open"), (0.3, 1.2), "metal"),
    Category("cutting_board", WOOD, ("flat",), (0.2, 0.9), "wood"),
    Category("pitcher", CERAMIC, ("container", "fragile", "handled", "open"), (0.1, 0.8), "ceramic"),
    Category("tin", METAL, ("closed", "container"), (0.08, 0.6), "print"),
    Category("candle", WAX, ("rollable",), (0.05, 0.5), "wax"),
    Category("book", CARD, ("flat",), (0.15, 0.9), "print"),
    Category("mill", WOOD, ("rollable",), (0.08, 0.4), "wood"),
    Category("plant", CERAMIC, ("fragile",), (0.15, 0.9), "ceramic"),
    # Tools of the kitchen and the workshop.
    Category("cooking_spoon", WOOD, ("tool",), (0.03, 0.2), "wood"),
    Category("spatula", PLASTIC, ("tool",), (0.03, 0.25), "plastic"),
    Category("kitchen_knife", METAL, ("sharp", "tool"), (0.05, 0.3), "plastic"),
    Category("whisk", METAL, ("tool",), (0.04, 0.2), "plastic"),
    Category("brush", PLASTIC, ("tool",), (0.03, 0.2), "plastic"),
    Category("rolling_pin", WOOD, ("rollable", "tool"), (0.15, 0.6), "wood"),
    Category("screwdriver", PLASTIC, ("sharp", "tool"), (0.04, 0.2), "plastic"),
    Category("hammer", METAL, ("tool",), (0.15, 0.7), "wood"),
    Category("torch", METAL, ("tool",), (0.06, 0.35), "metal"),
    # Food.
    Category("apple", FOOD, ("food", "rollable"), (0.04, 0.3), "produce"),
    Category("citrus", FOOD, ("food", "rollable"), (0.05, 0.3), "produce"),
    Category("pear", FOOD, ("food", "rollable"), (0.08, 0.3), "produce"),
    Category("tomato", FOOD, ("food", "rollable"), (0.02, 0.25), "produce"),
    Category("onion", FOOD, ("food", "rollable"), (0.04, 0.25), "produce"),
    Category("potato", FOOD, ("food",), (0.03, 0.25), "produce"),
    Category("egg", FOOD, ("food", "fragile", "rollable"), (0.04, 0.09), "produce"),
    Category("carrot", FOOD, ("food",), (0.03, 0.2), "produce"),
    Category("cucumber", FOOD, ("food",), (0.06, 0.4), "produce"),
    Category("banana", FOOD, ("food",), (0.06, 0.25), "produce"),
    Category("sausage", FOOD, ("food",), (0.03, 0.25), "produce"),
    Category("bread", FOOD, ("food",), (0.02, 0.5), "produce"),
    Category("sandwich", FOOD, ("food",), (0.02, 0.3), "produce"),
    Category("cheese", FOOD, ("food",), (0.02, 0.3), "produce"),
    Category("cake", FOOD, ("food",), (0.03, 0.2), "produce"),
    Category("muffin", FOOD, ("food",), (0.03, 0.15), "produce"),
    Category("doughnut", FOOD, ("food",), (0.02, 0.12), "produce"),
    Category("chocolate", FOOD, ("food",), (0.02, 0.25), "produce"),
    Category("sushi", FOOD, ("food",), (0.01, 0.08), "produce"),
    # Containers, lids, boards, what opens.
    Category("food_container", PLASTIC, ("container", "open", "stackable"), (0.04, 0.5), "plastic"),
    Category("tray", PLASTIC, ("container", "flat", "open"), (0.06, 0.9), "plastic"),
    Category("crate", PLASTIC, ("container", "open", "stackable"), (0.05, 0.6), "plastic"),
    Category("soap_dish", CERAMIC, ("container", "fragile", "open"), (0.05, 0.3), "ceramic"),
    Category("canister", CERAMIC, ("container", "fragile", "open"), (0.07, 0.6), "ceramic"),
    Category("lid", CERAMIC, ("lid",), (0.01, 0.2), "ceramic"),
    Category("hinged_jar", GLASS, ("articulated", "container", "fragile"), (0.2, 0.5), "ceramic"),
    Category("cabinet", WOOD, ("articulated", "container", "fixture"), (2.0, 12.0), "wood"),
    Category("sponge", FOAM, ("soft", "tool"), (0.005, 0.05), "plastic"),
    Category("roasting_dish", METAL, ("container", "open"), (0.4, 1.6), "metal"),
    Category("sliding_board", WOOD, ("flat",), (0.1, 0.5), "wood"),
    Category("stacking_cup", PLASTIC, ("container", "open", "stackable"), (0.03, 0.2), "plastic"),
    Category("egg_cup", CERAMIC, ("container", "fragile", "open"), (0.03, 0.2), "ceramic"),
    Category("flower_pot", CERAMIC, ("container", "fragile", "open"), (0.1, 0.6), "ceramic"),
    Category("takeaway_cup", CARD, ("closed", "container"), (0.1, 0.5), "print"),
    Category("thermos", METAL, ("closed", "container", "rollable"), (0.2, 0.9), "plastic"),
    Category("teapot", CERAMIC, ("closed", "container", "fragile", "handled"), (0.15, 0.9), "ceramic"),
    Category("kettle", METAL, ("closed", "container", "handled"), (0.3, 1.2), "metal"),
    Category("coffee_pot", METAL, ("closed", "container", "handled"), (0.2, 0.9), "metal"),
    Category("salt_shaker", CERAMIC, ("closed", "container", "rollable"), (0.05, 0.4), "ceramic"),
    # Desk and living room.
    Category("remote_control", PLASTIC, ("electronic",), (0.05, 0.25), "plastic"),
    Category("calculator", PLASTIC, ("electronic",), (0.05, 0.25), "plastic"),
    Category("computer_mouse", PLASTIC, ("electronic",), (0.05, 0.2), "plastic"),
    Category("stapler", PLASTIC, ("tool",), (0.08, 0.5), "plastic"),
    Category("tape_dispenser", PLASTIC, ("tool",), (0.1, 0.9), "plastic"),
    Category("alarm_clock", PLASTIC, ("electronic", "fragile"), (0.08, 0.5), "plastic"),
    Category("camera", PLASTIC, ("electronic", "fragile"), (0.1, 0.6), "plastic"),
    Category("speaker", PLASTIC, ("electronic",), (0.15, 1.0), "plastic"),
    Category("picture_frame", WOOD, ("fragile",), (0.05, 0.5), "wood"),
    Category("telephone", PLASTIC, ("electronic",), (0.06, 0.4), "plastic"),
    Category("glue_stick", PLASTIC, ("closed", "rollable"), (0.02, 0.1), "plastic"),
    Category("tape_roll", PLASTIC, ("rollable",), (0.02, 0.3), "plastic"),
    Category("eraser", RUBBER, (), (0.006, 0.12), "plastic"),
    Category("pen_cup", PLASTIC, ("container", "open"), (0.05, 0.4), "plastic"),
    Category("candlestick", METAL, (), (0.06, 0.8), "metal"),
    Category("chess_piece", WOOD, (), (0.01, 0.2), "wood"),
    Category("trophy", METAL, (), (0.2, 1.2), "metal"),
    Category("bell", METAL, (), (0.1, 0.7), "metal"),
    Category("figurine", CERAMIC, ("fragile",), (0.08, 0.5), "ceramic"),
    # Toys.
    Category("toy_block", WOOD, ("stackable", "toy"), (0.015, 0.2), "plastic"),
    Category("die", PLASTIC, ("toy",), (0.02, 0.15), "plastic"),
    Category("puzzle_cube", PLASTIC, ("toy",), (0.05, 0.2), "plastic"),
    Category("toy_car", PLASTIC, ("toy",), (0.04, 0.3), "plastic"),
    Category("ball", RUBBER, ("rollable", "toy"), (0.02, 0.25), "plastic"),
    Category("rubber_duck", RUBBER, ("toy",), (0.01, 0.2), "plastic"),
    # Bathroom.
    Category("soap", (0.35, 0.003, 0.0003), (), (0.04, 0.2), "plastic"),
    Category("soap_dispenser", PLASTIC, ("closed", "container"), (0.15, 0.7), "plastic"),
    Category("perfume", GLASS, ("closed", "container", "fragile"), (0.06, 0.4), "glass"),
    Category("towel", CLOTH, ("soft",), (0.03, 0.4), "plastic"),
    Category("paper_towel", WOOD, (), (0.2, 1.0), "wood"),
    Category("tissue_roll", CLOTH, ("soft",), (0.02, 0.2), "plastic"),
    Category("toothbrush_cup", CERAMIC, ("container", "fragile", "open"), (0.08, 0.4), "ceramic"),
)

CATEGORIES: Mapping[str, Category] = MappingProxyType({category.name: category for category in _ALL})
