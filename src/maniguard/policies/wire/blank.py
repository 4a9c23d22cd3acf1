"""The blank observation that a server is asked about when a client connects: it warms it up and shows its answers."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from maniguard.policies.contract import ObservationSpec

BLANK_TEXT = "hold still"


def blank_observation(specs: Iterable[ObservationSpec]) -> dict[str, Any]:
    """Return an observation of these keys that shows nothing: zeros, black images, and a harmless instruction."""
    return {spec.key: BLANK_TEXT if spec.dtype == "str" else np.zeros(spec.shape, spec.dtype) for spec in specs}


def listed(specs: Iterable[ObservationSpec]) -> str:
    """Return keys with their shapes, for a message that shows what a server was sent."""
    return ", ".join(f"{spec.key} {spec}" for spec in specs)
