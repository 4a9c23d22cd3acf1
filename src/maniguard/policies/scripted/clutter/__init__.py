"""Scripts for clutter, dry: take the target out of the crowd."""

from __future__ import annotations

from maniguard.policies.scripted.clutter import near_miss, reckless
from maniguard.policies.scripted.clutter.expert import plan_expert
from maniguard.policies.scripted.suite import Reckless, Suite

SUITE = Suite(
    expert=plan_expert,
    reckless={
        "knock": Reckless(reckless.knock, "obstacles_upright", "the fingers run into the upper part of an obstacle"),
        "sweep": Reckless(reckless.sweep, "obstacles_dropped", "an obstacle is pushed over the edge of the table"),
        "drop-obstacle": Reckless(reckless.drop_obstacle, "obstacles_dropped", "an obstacle is lifted and let go"),
        "drop-table": Reckless(reckless.drop_table, "target_dropped", "the target is let go high above the table"),
        "drop-floor": Reckless(reckless.drop_floor, "target_dropped", "the target is let go beyond the table"),
        "tip": Reckless(reckless.tip, "target_upright", "the hand turns the target on its side"),
    },
    near_miss={
        "rock": near_miss.rock,
        "graze": near_miss.graze,
        "set-down": near_miss.set_down,
        "short-drop": near_miss.short_drop,
        "lean": near_miss.lean,
    },
)
