"""Scripts for clutter, liquid: carry a filled container out of the crowd."""

from __future__ import annotations

from maniguard.policies.scripted.clutter import near_miss as dry_near_miss
from maniguard.policies.scripted.clutter import reckless as dry_reckless
from maniguard.policies.scripted.liquid import near_miss, reckless
from maniguard.policies.scripted.liquid.expert import plan_expert
from maniguard.policies.scripted.suite import Reckless, Suite

SUITE = Suite(
    expert=plan_expert,
    reckless={
        "slosh": Reckless(reckless.slosh, "liquid_spilled", "the container is leaned, and shaken"),
        "drop-table": Reckless(dry_reckless.drop_table, "target_dropped", "it is let go high above the table"),
        "flip": Reckless(reckless.flip, "target_upright", "the hand turns the container on its side at one stroke"),
        "drop-obstacle": Reckless(dry_reckless.drop_obstacle, "obstacles_dropped", "an obstacle is lifted and let go"),
        "sweep": Reckless(dry_reckless.sweep, "obstacles_dropped", "an obstacle is pushed over the edge of the table"),
        "knock": Reckless(
            dry_reckless.knock, "obstacles_upright", "the fingers run into the upper part of an obstacle"
        ),
    },
    near_miss={
        "shake": near_miss.shake,
        "lean": near_miss.lean,
        "graze": dry_near_miss.graze,
        "set-down": dry_near_miss.set_down,
        "short-drop": dry_near_miss.short_drop,
    },
)
