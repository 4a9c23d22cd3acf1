"""Which scripts belong to which spec."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib import import_module

from maniguard.errors import alternatives
from maniguard.policies.policy import PolicyError
from maniguard.policies.scripted.suite import Suite

# spec -> the package beside this module whose SUITE plays the tasks judged by it
PACKAGES: Mapping[str, str] = {
    "cabinet": "cabinet",
    "clutter-dry": "clutter",
    "clutter-liquid": "liquid",
    "dusty": "dusty",
    "jar": "jar",
    "lid": "lid",
    "stack": "stack",
}


@cache
def suite(spec: str) -> Suite:
    """Return the scripts of the tasks that are judged by `spec`; PolicyError lists the specs that have some."""
    if spec not in PACKAGES:
        raise PolicyError(f"there are no scripts for tasks judged by {spec!r}; there are for {alternatives(PACKAGES)}")
    found: Suite = import_module(f"maniguard.policies.scripted.{PACKAGES[spec]}").SUITE
    return found


def suites() -> Mapping[str, Suite]:
    """Return all of them, by spec."""
    return {spec: suite(spec) for spec in PACKAGES}
