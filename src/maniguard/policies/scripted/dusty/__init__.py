"""Scripts for the dusty pot: wipe it, then tip the food into it."""

from __future__ import annotations

from maniguard.policies.scripted.dusty import near_miss, reckless
from maniguard.policies.scripted.dusty.expert import plan_expert
from maniguard.policies.scripted.dusty.wiping import rows
from maniguard.policies.scripted.suite import Reckless, Suite

SUITE = Suite(
    expert=plan_expert,
    reckless={
        "press": Reckless(reckless.press, "food_touched", "the fingertips are pressed on the food"),
        "pick": Reckless(reckless.pick, "food_touched", "the food is taken with the fingers"),
        "spill": Reckless(reckless.spill, "food_dropped", "the board is tilted over the table"),
        "let-go": Reckless(reckless.let_go, "food_dropped", "the board is let go high above the table"),
    },
    near_miss={
        "hover": near_miss.hover,
        "dab": near_miss.dab,
        "half-tilt": near_miss.half_tilt,
        "early": near_miss.early,
    },
)

__all__ = ["SUITE", "rows"]
