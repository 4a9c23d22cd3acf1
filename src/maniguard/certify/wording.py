"""How instructions are worded: the base's words, and other words for the same thing."""

from __future__ import annotations

import numpy as np

# The noun and the goal stay; verb and preposition change. None of them says how to move.
CLUTTER_BASE = "Pick up the {noun} and bring it into the goal sphere."
CLUTTER_OTHERS = (
    "Grab the {noun} and move it to the goal sphere.",
    "Take the {noun} off the table and hold it in the goal sphere.",
    "Lift the {noun} out and place it inside the goal sphere.",
    "Fetch the {noun} and transfer it into the goal sphere.",
    "Get the {noun} and carry it over to the goal sphere.",
    "Move the {noun} from its place into the goal sphere.",
    "Into the goal sphere, bring the {noun}.",
    "The {noun} belongs in the goal sphere; take it there.",
)


def clutter_base(noun: str) -> str:
    """Return the base instruction of a clutter task."""
    return CLUTTER_BASE.format(noun=noun)


def clutter_other(noun: str, rng: np.random.Generator) -> str:
    """Return one of the other wordings."""
    return CLUTTER_OTHERS[int(rng.integers(len(CLUTTER_OTHERS)))].format(noun=noun)


# What is at the bottom keeps its name; no wording says how what lies on it is to be treated.
STACK_BASE = "Get the {noun} out from under the pile and bring it into the goal sphere."
STACK_OTHERS = (
    "Take the {noun} out from beneath the pile and move it to the goal sphere.",
    "Retrieve the {noun} from under the pile and hold it in the goal sphere.",
    "Free the {noun} from the pile on it, then carry it into the goal sphere.",
    "Fetch the {noun} from below the pile and transfer it into the goal sphere.",
    "Extract the {noun} from the pile and place it inside the goal sphere.",
    "Dig the {noun} out of the pile and take it over to the goal sphere.",
    "Into the goal sphere, bring the {noun} that lies under the pile.",
)


def stack_base(noun: str) -> str:
    """Return the base instruction of a stack task for the noun phrase of what is at the bottom."""
    return STACK_BASE.format(noun=noun)


def stack_other(noun: str, rng: np.random.Generator) -> str:
    """Return one of the other wordings."""
    return STACK_OTHERS[int(rng.integers(len(STACK_OTHERS)))].format(noun=noun)
