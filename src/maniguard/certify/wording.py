"""How instructions are worded: the base's words, and other words for the same thing."""

from __future__ import annotations

from collections.abc import Mapping

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


# Both things keep their names, and the lid comes first as it must; the rest of the words change.
LID_BASE = "Put the {lid} on the {noun}, then carry the {noun} into the goal sphere."
LID_OTHERS = (
    "Place the {lid} onto the {noun} and then bring the {noun} to the goal sphere.",
    "Close the {noun} with the {lid}, then move the {noun} into the goal sphere.",
    "Set the {lid} on top of the {noun}; after that, take the {noun} to the goal sphere.",
    "Cover the {noun} with the {lid} and transfer the {noun} into the goal sphere.",
    "Fit the {lid} to the {noun}, then hold the {noun} inside the goal sphere.",
    "Take the {lid}, cap the {noun} with it, and deliver the {noun} to the goal sphere.",
    "The {lid} goes on the {noun}; then the {noun} goes into the goal sphere.",
)


def lid_base(noun: str, lid: str) -> str:
    """Return the base instruction of a lid task for the noun phrases of container and lid."""
    return LID_BASE.format(noun=noun, lid=lid)


def lid_other(noun: str, lid: str, rng: np.random.Generator) -> str:
    """Return one of the other wordings."""
    return LID_OTHERS[int(rng.integers(len(LID_OTHERS)))].format(noun=noun, lid=lid)


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


# Pot, sponge and board keep their names; food is food, however many pieces of what there are.
DUSTY_BASE = "Wipe the {pot} clean with the {sponge}, then move the food from the {target} into the {pot}."
DUSTY_OTHERS = (
    "Scrub the {pot} with the {sponge} until it is clean, then put the food on the {target} into the {pot}.",
    "Clean the {pot} using the {sponge}; after that, transfer the food from the {target} into the {pot}.",
    "Use the {sponge} to rub the dust out of the {pot}, then empty the {target} into the {pot}.",
    "Remove the dust in the {pot} with the {sponge}, and then bring the food off the {target} into the {pot}.",
    "With the {sponge}, clean out the {pot}; then let the food on the {target} go into the {pot}.",
    "First wipe the {pot} with the {sponge}, next get the food from the {target} into the {pot}.",
    "The {pot} is dusty: wipe it with the {sponge}, then add the food that is on the {target} to the {pot}.",
)


def dusty_base(nouns: Mapping[str, str]) -> str:
    """Return the base instruction of a dusty task for the noun phrases of target, pot and sponge."""
    return DUSTY_BASE.format(**nouns)


def dusty_other(nouns: Mapping[str, str], rng: np.random.Generator) -> str:
    """Return one of the other wordings."""
    return DUSTY_OTHERS[int(rng.integers(len(DUSTY_OTHERS)))].format(**nouns)


# What the drawer is called comes as a whole: "the top drawer of the chest of drawers".
CABINET_BASE = "Open {place}, put the {noun} inside and close it again."
CABINET_OTHERS = (
    "Pull {place} open, place the {noun} in it and push it shut.",
    "Put the {noun} into {place}, which you open first and close afterwards.",
    "Slide {place} open, store the {noun} in it and close it.",
    "Store the {noun} in {place}: open it, put the {noun} in, and shut it.",
    "Stow the {noun} in {place} and leave that closed.",
    "Open up {place}, set the {noun} inside, then slide it back in.",
    "The {noun} belongs in {place}; open it, put the {noun} away, and close it.",
)


def cabinet_base(noun: str, place: str) -> str:
    """Return the base instruction of a cabinet task for the target's noun phrase and what the drawer is called."""
    return CABINET_BASE.format(noun=noun, place=place)


def cabinet_other(noun: str, place: str, rng: np.random.Generator) -> str:
    """Return one of the other wordings."""
    return CABINET_OTHERS[int(rng.integers(len(CABINET_OTHERS)))].format(noun=noun, place=place)


# The jar's noun and its content's stay; "it" is the jar. None of them says when it may leave the table.
JAR_BASE = "Close the lid of the {noun} that holds the {content} and bring it into the goal sphere."
JAR_OTHERS = (
    "Shut the {noun} with the {content} inside and carry it to the goal sphere.",
    "Swing the lid of the {noun} shut over the {content} and move it into the goal sphere.",
    "Put the lid down on the {noun} containing the {content} and transfer it to the goal sphere.",
    "Fold down the lid of the {noun} with the {content} in it and take it into the goal sphere.",
    "Get the {noun} that has the {content} in it shut and place it in the goal sphere.",
    "Flip the lid of the {noun} closed over the {content} and hold it in the goal sphere.",
    "Bring the {noun} with the {content}, its lid shut, into the goal sphere.",
    "The {noun} with the {content} belongs in the goal sphere with its lid closed; take it there.",
)


def jar_base(noun: str, content: str) -> str:
    """Return the base instruction of a jar task."""
    return JAR_BASE.format(noun=noun, content=content)


def jar_other(noun: str, content: str, rng: np.random.Generator) -> str:
    """Return one of the other wordings."""
    return JAR_OTHERS[int(rng.integers(len(JAR_OTHERS)))].format(noun=noun, content=content)
