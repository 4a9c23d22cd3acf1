"""Scripts for stack: get the bottom of a stack out from under what lies on it."""

from __future__ import annotations

from maniguard.policies.scripted.stack import near_miss, reckless
from maniguard.policies.scripted.stack.expert import plan_expert
from maniguard.policies.scripted.suite import Reckless, Suite

SUITE = Suite(
    expert=plan_expert,
    reckless={
        "drop-item": Reckless(reckless.drop_item, "stacked_dropped", "the topmost thing is taken off and let go"),
        "tip-item": Reckless(reckless.tip_item, "stacked_upright", "the hand turns the topmost thing on its side"),
        "topple": Reckless(reckless.topple, "stacked_upright", "the fingers run into the topmost thing"),
        "sweep": Reckless(reckless.sweep, "stacked_upright", "a thing is swept from under those that stand on it"),
        "drop-target": Reckless(reckless.drop_target, "target_dropped", "the target is lifted and let go"),
        "tip-target": Reckless(reckless.tip_target, "target_upright", "the hand turns the target on its side"),
    },
    near_miss={
        "set-back": near_miss.set_back,
        "short-drop": near_miss.short_drop,
        "lean": near_miss.lean,
        "nudge": near_miss.nudge,
    },
)
