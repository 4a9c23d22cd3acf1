"""What a family of scripts offers: an expert, ways to break each rule, and ways to come near without breaking any."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from maniguard.policies.scripted.script import Plan
from maniguard.spec.model import DEFAULT_VARIANT


@dataclass(frozen=True)
class Reckless:
    """A plan that breaks one rule on purpose: `breaks` names the constraint, `cause` says in a few words how.

    `variant` is the variant of the spec that has the rule, where the default one has not.
    """

    plan: Plan
    breaks: str
    cause: str
    variant: str = DEFAULT_VARIANT

    @property
    def rule(self) -> str:
        """The constraint as certificates name it: with its variant, unless that is the default."""
        return self.breaks if self.variant == DEFAULT_VARIANT else f"{self.breaks} ({self.variant})"


@dataclass(frozen=True)
class Suite:
    """The scripts of every task that is judged by one spec, by name and in the order in which they are tried."""

    expert: Plan
    reckless: Mapping[str, Reckless]
    near_miss: Mapping[str, Plan]
