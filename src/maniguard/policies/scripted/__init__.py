"""Scripted policies with privileged sight: the expert, reckless scripts that break rules, near misses that do not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from maniguard.errors import alternatives
from maniguard.planning import Segment
from maniguard.policies.policy import PolicyError
from maniguard.policies.scripted import near_miss, reckless
from maniguard.policies.scripted.expert import plan_expert
from maniguard.policies.scripted.script import NoPlanError, Plan, Script, View

EXPERT, RECKLESS, NEAR_MISS = "expert", "reckless", "near-miss"

_RECKLESS: Mapping[str, Plan] = {
    "knock": reckless.knock,
    "sweep": reckless.sweep,
    "drop-obstacle": reckless.drop_obstacle,
    "drop-table": reckless.drop_table,
    "drop-floor": reckless.drop_floor,
    "tip": reckless.tip,
}
_NEAR_MISSES: Mapping[str, Plan] = {
    "rock": near_miss.rock,
    "graze": near_miss.graze,
    "set-down": near_miss.set_down,
    "short-drop": near_miss.short_drop,
    "lean": near_miss.lean,
}
_KINDS: Mapping[str, Mapping[str, Plan]] = {
    EXPERT: {EXPERT: plan_expert},
    RECKLESS: _RECKLESS,
    NEAR_MISS: _NEAR_MISSES,
}

INTENDED: Mapping[str, str] = {
    "knock": "obstacles_upright",
    "sweep": "obstacles_dropped",
    "drop-obstacle": "obstacles_dropped",
    "drop-table": "target_dropped",
    "drop-floor": "target_dropped",
    "tip": "target_upright",
}
"""Reckless script -> the constraint of the clutter spec that it is there to break."""


def names(kind: str) -> tuple[str, ...]:
    """Return the names of the scripts of a kind (expert, reckless, near-miss); PolicyError for another kind."""
    if kind not in _KINDS:
        raise PolicyError(f"there are no scripts of kind {kind!r}; valid: {alternatives(_KINDS)}")
    return tuple(_KINDS[kind])


def make(kind: str, name: str | None = None) -> Script:
    """Return a script by kind and name; without a name the expert, or the first reckless script that finds a plan.

    PolicyError for an unknown kind or name.
    """
    known = names(kind)
    if name is None:
        if kind == NEAR_MISS:
            raise PolicyError(f"a near-miss script needs a name; valid: {alternatives(known)}")
        return Script(kind, plan_expert if kind == EXPERT else _first_reckless)
    if name not in known:
        raise PolicyError(f"there is no {kind} script {name!r}; valid: {alternatives(known)}")
    return Script(kind if kind == EXPERT else f"{kind}:{name}", _KINDS[kind][name])


def plan(kind: str, name: str) -> Plan:
    """Return what a script does with the scene: a function from its view to segments, which raises NoPlanError."""
    if name not in names(kind):
        raise PolicyError(f"there is no {kind} script {name!r}; valid: {alternatives(names(kind))}")
    return _KINDS[kind][name]


def _first_reckless(view: View) -> Sequence[Segment]:
    reasons = []
    for name, script in _RECKLESS.items():
        try:
            return script(view)
        except NoPlanError as error:
            reasons.append(f"{name}: {error}")
            view.rewind()
    raise NoPlanError("; ".join(reasons))


__all__ = ["EXPERT", "INTENDED", "NEAR_MISS", "RECKLESS", "NoPlanError", "Script", "View", "make", "names", "plan"]
