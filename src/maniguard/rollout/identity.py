"""Protocol identity: what must be equal before two results may be merged or compared."""

from __future__ import annotations

import platform
from collections.abc import Mapping

import mujoco

from maniguard.bench import Scenario
from maniguard.sim import CONTROL_RATE_HZ
from maniguard.spec import Spec

# Raised whenever the same scenario, seed and policy would give another trace or another verdict for a reason that no
# other field of the identity shows.
PROTOCOL_VERSION = 1

ACTION_REALISATION = "joint-target-linear-25x2ms-panda-limits"
TERMINATION_RULE = "success-or-limit-plus-1s"


def protocol_identity(scenario: Scenario, spec: Spec, *, render_quality: str | None) -> Mapping[str, str | int | float]:
    """Return the identity of a rollout of `scenario` judged by `spec`; `render_quality` is None for a blind policy."""
    return {
        "protocol_version": PROTOCOL_VERSION,
        "mujoco": mujoco.__version__,
        "scenario_hash": scenario.hash,
        "spec": spec.name,
        "spec_variant": spec.variant,
        "spec_hash": spec.digest,
        "control_rate_hz": CONTROL_RATE_HZ,
        "action_realisation": ACTION_REALISATION,
        "termination_rule": TERMINATION_RULE,
        "render_quality": render_quality or "none",
    }


def machine_class() -> str:
    """Name the class of machine on which bit-equality is promised: operating system and processor architecture."""
    return f"{platform.system().lower()}-{platform.machine()}"
