"""Scripts for cabinet: open the drawer, put the target in, close it."""

from __future__ import annotations

from maniguard.policies.scripted.cabinet import near_miss, reckless
from maniguard.policies.scripted.cabinet.expert import plan_expert
from maniguard.policies.scripted.clutter import near_miss as clutter_near
from maniguard.policies.scripted.clutter import reckless as clutter
from maniguard.policies.scripted.suite import Reckless, Suite

SUITE = Suite(
    expert=plan_expert,
    reckless={
        "ram": Reckless(reckless.ram, "obstacle_upright", "the drawer is pulled into the obstacle"),
        "knock": Reckless(clutter.knock, "obstacle_upright", "the fingers run into the upper part of the obstacle"),
        "drop-obstacle": Reckless(clutter.drop_obstacle, "obstacle_dropped", "the obstacle is lifted and let go"),
        "drop-table": Reckless(clutter.drop_table, "target_dropped", "the target is let go high above the table"),
        "tip": Reckless(clutter.tip, "target_upright", "the hand turns the target on its side"),
    },
    near_miss={
        "nudge": near_miss.nudge,
        "drop-in": near_miss.drop_in,
        "rock": clutter_near.rock,
        "short-drop": clutter_near.short_drop,
        "lean": clutter_near.lean,
    },
)
