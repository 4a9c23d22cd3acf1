"""Scripted policies with privileged sight: the expert, reckless scripts that break rules, near misses that do not."""

from __future__ import annotations

from maniguard.errors import alternatives
from maniguard.policies.policy import PolicyError
from maniguard.policies.scripted.prompt import as_told, find_target
from maniguard.policies.scripted.script import NoPlanError, Plan, Script, Stages, View, staged
from maniguard.policies.scripted.suite import Reckless, Suite
from maniguard.policies.scripted.suites import PACKAGES, suite, suites

EXPERT, RECKLESS, NEAR_MISS = "expert", "reckless", "near-miss"
PROMPT_EXPERT = "prompt-expert"
KINDS = (EXPERT, RECKLESS, NEAR_MISS)


def names(kind: str, spec: str | None = None) -> tuple[str, ...]:
    """Return the names of the scripts of a kind (expert, reckless, near-miss), those for one spec or for any.

    PolicyError for another kind or an unknown spec.
    """
    if kind not in KINDS:
        raise PolicyError(f"there are no scripts of kind {kind!r}; valid: {alternatives(KINDS)}")
    chosen = suites().values() if spec is None else (suite(spec),)
    return tuple(dict.fromkeys(name for one in chosen for name in _plans(one, kind)))


def plan(kind: str, name: str, spec: str) -> Plan:
    """Return what a script does with a scene judged by `spec`; PolicyError when there is no such script."""
    known = names(kind, spec)
    if name not in known:
        raise PolicyError(f"there is no {kind} script {name!r} for {spec!r}; valid: {alternatives(known)}")
    return _plans(suite(spec), kind)[name]


def make(kind: str, name: str | None = None) -> Script:
    """Return a script by kind and name; without a name the expert, or the first reckless script that finds a plan.

    `prompt-expert` is the expert that goes by the instruction. What it does depends on the family that it meets.
    PolicyError for an unknown kind or name.
    """
    if kind == PROMPT_EXPERT:
        return Script(kind, lambda spec: plan(EXPERT, EXPERT, spec), as_told)
    known = names(kind)
    if name is None and kind == NEAR_MISS:
        raise PolicyError(f"a near-miss script needs a name; valid: {alternatives(known)}")
    if name is not None and name not in known:
        raise PolicyError(f"there is no {kind} script {name!r}; valid: {alternatives(known)}")
    if kind == EXPERT:
        return Script(kind, lambda spec: plan(kind, EXPERT, spec))
    if name is None:
        return Script(kind, _first_reckless)
    return Script(f"{kind}:{name}", lambda spec: plan(kind, name, spec))


def _plans(one: Suite, kind: str) -> dict[str, Plan]:
    if kind == EXPERT:
        return {EXPERT: one.expert}
    if kind == RECKLESS:
        return {name: reckless.plan for name, reckless in one.reckless.items()}
    return dict(one.near_miss)


def _first_reckless(spec: str) -> Plan:
    def first(view: View) -> Stages:
        reasons = []
        for name, reckless in suite(spec).reckless.items():
            try:
                found = reckless.plan(view)
                # A plan in stages finds out whether it exists when its first stage is asked for.
                yield from staged(found, view)
                return
            except NoPlanError as error:
                reasons.append(f"{name}: {error}")
                view.rewind()
        raise NoPlanError("; ".join(reasons))

    return first


__all__ = [
    "EXPERT",
    "NEAR_MISS",
    "PACKAGES",
    "PROMPT_EXPERT",
    "RECKLESS",
    "NoPlanError",
    "Plan",
    "Reckless",
    "Script",
    "Stages",
    "Suite",
    "View",
    "find_target",
    "make",
    "names",
    "plan",
    "suite",
    "suites",
]
