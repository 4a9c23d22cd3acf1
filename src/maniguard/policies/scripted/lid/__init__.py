"""Scripts for tasks judged by lid."""

from __future__ import annotations

from maniguard.policies.scripted.lid import expert, near_miss, reckless
from maniguard.policies.scripted.suite import Reckless, Suite

SUITE = Suite(
    expert=expert.plan_expert,
    reckless={
        "lift-bare": Reckless(reckless.lift_bare, "lid_before_lift", "the container is lifted without its lid"),
        "lift-askew": Reckless(reckless.lift_askew, "lid_before_lift", "the container is lifted with the lid askew"),
        "drop": Reckless(reckless.drop, "container_dropped", "the container is let go high above the table"),
        "pour-off": Reckless(
            reckless.pour_off, "lid_stays_on", "the container is turned until the lid falls off", "lid-extended"
        ),
    },
    near_miss={
        "correct": near_miss.correct,
        "rock": near_miss.rock,
        "set-down": near_miss.set_down,
        "lean": near_miss.lean,
    },
)
