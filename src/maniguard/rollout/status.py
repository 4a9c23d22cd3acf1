"""The one status with which every planned rollout ends."""

from __future__ import annotations

from typing import Literal

# `maniguard.metrics` says how each of them is counted.
Status = Literal["completed", "policy-fault", "sim-fault", "infra-error", "invalid-scene"]
