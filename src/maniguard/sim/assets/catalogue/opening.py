"""What opens: jars whose lid hangs on a hinge, cabinets with drawers (metres)."""

from __future__ import annotations

from maniguard.sim.assets.asset import Value
from maniguard.sim.assets.catalogue.entries import CLEAR, Measures, entry, glazed, labelled, parts
from maniguard.sim.assets.design import Design


def _hinged(name: str, noun: str, looks: Measures, *, palette: str = "", **measures: Value) -> Design:
    return entry(name, "hinged_jar", noun, "hinged_jar", looks, palette=palette, base=measures)


HINGED_JARS = (
    _hinged(
        "hinged-glass",
        "hinged jar",
        {**CLEAR, "lid_finish": "glass", "lid_color": "#cfe0e4", "third_color": "#d98e5b"},
        palette="glass",
        substance="glass",
        lid_substance="glass",
        wall=0.0045,
    ),
    _hinged(
        "hinged-wood",
        "biscuit jar",
        {
            **glazed("#e8e4da", "speckle", "#8c6f56"),
            "lid_finish": "wood",
            "lid_color": "#c79a63",
            "second_finish": "wood",
            "second_color": "#8a5a33",
        },
        wall=0.005,
        substance="stoneware",
        height=0.105,
        knob_height=0.016,
        lid_substance="wood",
        lid_thickness=0.007,
    ),
    _hinged(
        "hinged-blue",
        "sugar jar",
        {**glazed("#2f6f8f", inside="#e8e4da"), "lid_finish": "glaze", "lid_color": "#e8e4da"},
        wall=0.0045,
        height=0.085,
        foot_radius=0.0325,
        rim_radius=0.0325,
        substance="stoneware",
    ),
    _hinged(
        "hinged-spice",
        "spice canister",
        {
            "finish": "metal",
            "color": "#b8bcc0",
            "lid_finish": "metal",
            "lid_color": "#8f9499",
            **labelled("vintage", "#6a7b2f", "#4f5d2f", "Thyme"),
        },
        palette="metal",
        wall=0.0025,
        floor=0.003,
        height=0.095,
        foot_radius=0.032,
        rim_radius=0.032,
        lid_radius=0.0325,
        substance="steel",
        lid_substance="aluminium",
        clasp="no",
        label_low=0.2,
        label_high=0.62,
    ),
    _hinged(
        "hinged-barrel",
        "barrel jar",
        {
            **glazed("#c8553d", inside="#f0e6d6"),
            "lid_finish": "wood",
            "lid_color": "#8a5a33",
            "second_finish": "wood",
            "second_color": "#5c3d28",
        },
        shape="round",
        wall=0.005,
        height=0.1,
        foot_radius=0.029,
        belly_radius=0.0325,
        belly_at=0.5,
        rim_radius=0.0305,
        lid_radius=0.0315,
        knob_height=0.032,
        knob_radius=0.009,
        substance="stoneware",
        lid_substance="wood",
        frictionloss=0.03,
    ),
    _hinged(
        "hinged-tall",
        "pasta jar",
        {**CLEAR, "lid_finish": "wood", "lid_color": "#d9b98a"},
        palette="glass",
        wall=0.0042,
        height=0.11,
        foot_radius=0.0325,
        rim_radius=0.0325,
        substance="glass",
        lid_substance="bamboo",
        lid_thickness=0.008,
        frictionloss=0.025,
    ),
)


def _cabinet(name: str, noun: str, looks: Measures, *, palette: str = "", **measures: Value) -> Design:
    return entry(name, "cabinet", noun, "cabinet", looks, recolours="second_color", palette=palette, base=measures)


CABINETS = (
    _cabinet("cabinet-oak", "cabinet", parts("#b98f5f", "#c9a273", "#dfc7a0", seed=2)),
    _cabinet(
        "cabinet-white",
        "drawer unit",
        parts("#e2e0da", "#ebe9e4", "#cfccc4", finish="enamel", second_finish="enamel", third_finish="matte"),
        palette="plastic",
        handle="shell",
        handle_length=0.08,
        width=0.32,
        plinth=0.034,
        substance="bamboo",
    ),
    _cabinet(
        "cabinet-chest",
        "chest of drawers",
        parts("#6b4a33", "#7d583d", "#cdb08a", seed=4),
        drawers=2.0,
        height=0.28,
        plinth=0.03,
        handle="knob",
        handle_radius=0.012,
        handle_drop=0.05,
    ),
    _cabinet(
        "cabinet-desk",
        "desk drawer",
        parts("#4d545b", "#7f9a9f", "#b9bdc0", finish="enamel", second_finish="enamel", third_finish="metal"),
        palette="plastic",
        width=0.28,
        height=0.18,
        plinth=0.02,
        top="worktop",
        handle_length=0.11,
        substance="aluminium",
        drawer_substance="bamboo",
        board=0.008,
    ),
    _cabinet(
        "cabinet-nightstand",
        "nightstand",
        parts("#8f6546", "#a9784c", "#dfc7a0", seed=7),
        width=0.26,
        height=0.24,
        plinth=0.06,
        handle="knob",
        handle_radius=0.013,
        top="worktop",
    ),
    _cabinet(
        "cabinet-tall",
        "filing cabinet",
        parts("#6f8a86", "#7f9a96", "#c9ccd0", finish="enamel", second_finish="enamel", third_finish="metal"),
        palette="plastic",
        drawers=3.0,
        width=0.27,
        height=0.34,
        plinth=0.02,
        drawer_depth=0.056,
        handle="shell",
        handle_length=0.07,
        handle_drop=0.045,
        substance="bamboo",
    ),
)
ALL = (*HINGED_JARS, *CABINETS)
