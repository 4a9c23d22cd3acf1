"""What the thirty lid tasks are about: which container, which lid, what is inside, how crowded, how far apart."""

from __future__ import annotations

from dataclasses import dataclass

from maniguard.bench import TaskFileError
from maniguard.errors import alternatives
from maniguard.sim.assets.asset import Asset, AssetError
from maniguard.sim.assets.catalogue import CATALOGUE
from maniguard.sim.assets.fitting import misfit, require_fit

LIQUID = "liquid"


@dataclass(frozen=True)
class Plan:
    """One base task: designs of container, lid and what is inside ("" nothing, "liquid"), obstacles, lid's distance.

    `apart_m` is the gap between lid and container as seen from above.
    """

    container: str
    lid: str
    inside: str
    obstacles: int
    apart_m: float


# Knobs, bars and caps in turn; the order is part of the locked tasks.
PLANS = (
    Plan("canister-stone", "lid-stone", "cheese-cube", 2, 0.08),
    Plan("flagon", "cap-flagon", "", 2, 0.12),
    Plan("canister-glass", "lid-bar", "egg-brown", 1, 0.10),
    Plan("canister-tall", "lid-tall", "tomato-cherry", 3, 0.07),
    Plan("canister-steel", "lid-steel", "citrus-lime", 0, 0.16),
    Plan("canister-beaker", "cap-apothecary", "cheese-cube", 1, 0.09),
    Plan("canister-wood", "lid-wood", "potato-small", 4, 0.07),
    Plan("tea-beaker", "lid-bar", LIQUID, 2, 0.11),
    Plan("carafe", "cap-carafe", LIQUID, 1, 0.14),
    Plan("canister-short", "lid-short", "apple-small", 3, 0.09),
    Plan("canister-stone", "lid-tall-knob", "onion-red", 5, 0.06),
    Plan("tumbler", "lid-bar", "tomato-cherry", 4, 0.08),
    Plan("flagon", "cap-cork", "", 3, 0.09),
    Plan("highball", "lid-tall", LIQUID, 1, 0.13),
    Plan("canister-steel", "lid-bar", "potato-small", 5, 0.07),
    Plan("canister-glass", "lid-glass", "apple-small", 2, 0.18),
    Plan("canister-beaker", "cap-apothecary", "tomato-cherry", 4, 0.07),
    Plan("rinse-cup", "lid-stone", LIQUID, 3, 0.10),
    Plan("canister-short", "lid-bar", "egg-brown", 0, 0.08),
    Plan("canister-wood", "lid-tall", "cheese-cube", 5, 0.08),
    Plan("carafe", "cap-cork", LIQUID, 2, 0.08),
    Plan("tumbler", "lid-glass", LIQUID, 0, 0.15),
    Plan("canister-tall", "lid-wood", "onion-red", 2, 0.10),
    Plan("canister-stone", "lid-bar", "tomato-cherry", 3, 0.14),
    Plan("tea-beaker", "lid-short", "cheese-cube", 5, 0.12),
    Plan("canister-glass", "lid-tall-knob", "", 1, 0.06),
    Plan("carafe", "cap-flagon", "", 4, 0.10),
    Plan("rinse-cup", "lid-steel", "potato-small", 1, 0.17),
    Plan("canister-steel", "lid-tall-knob", "egg-brown", 4, 0.11),
    Plan("canister-short", "lid-glass", "citrus-lime", 3, 0.07),
)


def check_plan(plan: Plan) -> None:
    """Refuse a task whose lid does not fit its container; TaskFileError says why and what it would fit."""
    for name in (plan.container, plan.lid, *([] if plan.inside in ("", LIQUID) else [plan.inside])):
        if name not in CATALOGUE:
            raise TaskFileError(f"the catalogue has no design {name!r}; it has {alternatives(CATALOGUE)}")
    lid = CATALOGUE[plan.lid].asset()
    others = {name: CATALOGUE[name].asset() for name in dict.fromkeys(p.container for p in PLANS)}
    try:
        require_fit(lid, plan.container, CATALOGUE[plan.container].asset(), _fitted(lid, others))
    except AssetError as error:
        raise TaskFileError(f"a task with {plan.lid!r} on {plan.container!r}: {error}") from error


def _fitted(lid: Asset, containers: dict[str, Asset]) -> tuple[str, ...]:
    return tuple(name for name, container in containers.items() if misfit(lid, container) is None)
