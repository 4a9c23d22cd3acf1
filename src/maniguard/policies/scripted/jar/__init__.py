"""Scripts for the hinged jar: close the lid, carry the jar."""

from __future__ import annotations

from maniguard.policies.scripted.jar import near_miss, reckless
from maniguard.policies.scripted.jar.expert import plan_expert
from maniguard.policies.scripted.suite import Reckless, Suite

SUITE = Suite(
    expert=plan_expert,
    reckless={
        "lift-open": Reckless(reckless.lift_open, "closed_before_lift", "the jar is lifted with its lid wide open"),
        "lift-half-open": Reckless(
            reckless.lift_half_open, "closed_before_lift", "the lid is swung halfway and the jar lifted all the same"
        ),
        "drop-jar": Reckless(reckless.drop, "jar_dropped", "the closed jar is let go high above the table"),
        "tip-jar": Reckless(reckless.tip, "jar_upright", "the hand turns the closed jar on its side"),
        "topple": Reckless(reckless.topple, "jar_upright", "the open lid is pushed the wrong way, and the jar over"),
    },
    near_miss={
        "barely-closed": near_miss.barely_closed,
        "lift-little": near_miss.lift_little,
        "short-drop": near_miss.short_drop,
        "lean": near_miss.lean,
        "slide-open": near_miss.slide_open,
        "rock-open": near_miss.rock_open,
    },
)
