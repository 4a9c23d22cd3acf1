"""Lids, each made for the mouth of a container (metres)."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from maniguard.sim.assets.asset import Value
from maniguard.sim.assets.catalogue.entries import entry, parts
from maniguard.sim.assets.design import Design

# What the mouth of each container takes, as `fitting.lid_measures` has measured it.
MOUTHS: dict[str, dict[str, Value]] = {
    "canister-stone": {"plug_radius": 0.0255, "flange_radius": 0.0334},
    "canister-glass": {"plug_radius": 0.0255, "flange_radius": 0.0334},
    "canister-tall": {"plug_radius": 0.0242, "flange_radius": 0.0321},
    "canister-short": {"plug_radius": 0.0255, "flange_radius": 0.0334},
    "canister-wood": {"plug_radius": 0.0245, "flange_radius": 0.0334},
    "canister-steel": {"plug_radius": 0.0255, "flange_radius": 0.0334},
    "pot-steel": {"plug_radius": 0.064, "flange_radius": 0.0728},
    "pot-enamel": {"plug_radius": 0.0581, "flange_radius": 0.0668},
    "saucepan": {"plug_radius": 0.0523, "flange_radius": 0.0608},
    "mug-classic": {"plug_radius": 0.0331, "flange_radius": 0.0412},
    "flagon": {"plug_radius": 0.0144, "flange_radius": 0.0221},
    "carafe": {"plug_radius": 0.0154, "flange_radius": 0.0231},
    "canister-beaker": {"plug_radius": 0.0223, "flange_radius": 0.0301},
}


def _lid(name: str, noun: str, container: str, looks: dict[str, Value], palette: str = "", **measures: Value) -> Design:
    return entry(name, "lid", noun, "lid", looks, palette=palette, base={**MOUTHS[container], **measures})


WOODEN = parts("#c79a63", "#8a5a33", "#b98f5f", finish="wood", third_finish="wood", seed=4)
STEEL = parts("#b8bcc0", "#2e2f33", "#8f9499", finish="metal", second_finish="plastic", third_finish="metal")
OWNERS: Mapping[str, str] = MappingProxyType(
    {
        "lid-stone": "canister-stone",
        "lid-glass": "canister-glass",
        "lid-tall": "canister-tall",
        "lid-short": "canister-short",
        "lid-wood": "canister-wood",
        "lid-steel": "canister-steel",
        "lid-tall-knob": "canister-stone",
        "lid-bar": "canister-glass",
        "lid-pot": "pot-steel",
        "lid-enamel": "pot-enamel",
        "lid-saucepan": "saucepan",
        "lid-mug": "mug-classic",
        "cap-flagon": "flagon",
        "cap-carafe": "carafe",
        "cap-apothecary": "canister-beaker",
        "cap-cork": "flagon",
    }
)
LIDS = (
    _lid(
        "lid-stone",
        "canister lid",
        "canister-stone",
        parts("#d9d2c3", "#8a5a33", "#b9b2a3", pattern="speckle", accent="#6b5b4b"),
    ),
    _lid(
        "lid-glass",
        "glass lid",
        "canister-glass",
        parts("#cfe0e4", "#8a5a33", "#e6eef0", finish="coloured-glass"),
        "glass",
        substance="glass",
    ),
    _lid(
        "lid-tall",
        "domed lid",
        "canister-tall",
        parts("#39586b", "#39586b", "#e8e4da", second_finish="glaze"),
        dome=0.008,
    ),
    _lid(
        "lid-short",
        "bowl lid",
        "canister-short",
        parts("#c8553d", "#f0e6d6", "#f0e6d6", second_finish="glaze"),
        dome=0.006,
        grip_radius=0.0115,
    ),
    _lid("lid-wood", "wooden lid", "canister-wood", WOODEN, "wood", substance="wood"),
    _lid(
        "lid-steel",
        "steel lid",
        "canister-steel",
        STEEL,
        "metal",
        substance="steel",
        thickness=0.003,
        grip_radius=0.009,
    ),
    _lid(
        "lid-tall-knob",
        "lid with a tall knob",
        "canister-stone",
        WOODEN,
        "wood",
        style="tall-knob",
        grip_height=0.034,
        grip_radius=0.0105,
        substance="wood",
    ),
    _lid(
        "lid-bar",
        "lid with a bar",
        "canister-glass",
        parts("#f4f1ea", "#2e2f33", "#d9d5cb", finish="enamel", second_finish="metal"),
        style="handle",
        grip_radius=0.008,
        grip_height=0.03,
        grip_length=0.046,
    ),
    _lid(
        "lid-pot",
        "pot lid",
        "pot-steel",
        STEEL,
        "metal",
        style="handle",
        grip_radius=0.009,
        grip_height=0.032,
        grip_length=0.06,
        dome=0.008,
        thickness=0.003,
        substance="aluminium",
    ),
    _lid(
        "lid-enamel",
        "enamel lid",
        "pot-enamel",
        parts("#b23a48", "#b23a48", "#f2efe6", finish="enamel", second_finish="enamel"),
        style="handle",
        grip_radius=0.009,
        grip_height=0.032,
        grip_length=0.056,
        dome=0.01,
        thickness=0.003,
        substance="aluminium",
    ),
    _lid(
        "lid-saucepan",
        "saucepan lid",
        "saucepan",
        STEEL,
        "metal",
        dome=0.008,
        thickness=0.003,
        substance="aluminium",
        grip_radius=0.012,
        grip_height=0.024,
    ),
    _lid(
        "lid-mug",
        "mug lid",
        "mug-classic",
        parts("#e8e4da", "#2f6f8f", "#d9d5cb", finish="matte", second_finish="plastic"),
        substance="soft rubber",
    ),
    _lid(
        "cap-flagon",
        "flagon cap",
        "flagon",
        parts("#5b8c5a", third="#b98d5a"),
        style="cap",
        grip_height=0.024,
        thickness=0.004,
    ),
    _lid(
        "cap-carafe",
        "glass stopper",
        "carafe",
        parts("#cfe0e4", third="#e6eef0", finish="coloured-glass"),
        "glass",
        style="cap",
        grip_height=0.026,
        thickness=0.004,
        substance="glass",
    ),
    _lid(
        "cap-apothecary",
        "apothecary cap",
        "canister-beaker",
        WOODEN,
        "wood",
        style="cap",
        grip_height=0.02,
        substance="wood",
    ),
    _lid(
        "cap-cork",
        "cork stopper",
        "flagon",
        parts("#b98d5a", third="#a87c4a", finish="matte", pattern="speckle", accent="#8a6238"),
        "wood",
        style="cap",
        grip_height=0.028,
        thickness=0.003,
        substance="cork",
    ),
)
ALL = LIDS
