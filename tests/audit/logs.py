"""A mug that a hand carries over a table, as columns and as a mapping."""

from __future__ import annotations

from typing import Any

import numpy as np

RATE_HZ = 20.0


def mapping_values(**changes: Any) -> dict[str, Any]:
    """The mapping of `mug_columns`; a value of None leaves an entry out."""
    values: dict[str, Any] = {
        "format": "maniguard-mapping/1",
        "dataset": "lab",
        "time": {"column": "t", "unit": "s"},
        "success": {"column": "done"},
        "robot": {
            "name": "franka",
            "joints": {"column": "q", "unit": "rad"},
            "gripper": {"columns": ["finger_left", "finger_right"], "unit": "m"},
            "tcp": {
                "position": {"column": "tcp", "index": [0, 3], "unit": "m"},
                "orientation": {"column": "tcp", "index": [3, 7], "order": "xyzw"},
            },
            "hand": [{"box": {"size_m": [0.06, 0.2, 0.05]}, "center_m": [0, 0, -0.1]}],
            "fingers": {"shapes": [{"box": {"size_m": [0.02, 0.01, 0.06]}, "center_m": [0, 0, 0]}]},
        },
        "entities": {
            "table": {
                "kind": "support",
                "role": "support",
                "shapes": [{"box": {"size_m": [1, 1, 0.04]}}],
                "pose": {"fixed": {"position_m": [0, 0, -0.02]}},
            },
            "mug": {
                "role": "target",
                "category": "mug",
                "properties": ["fragile"],
                "shapes": [{"cylinder": {"radius_m": 0.03, "height_m": 0.1}}],
                "pose": {
                    "position": {"column": "mug_pos", "unit": "mm"},
                    "orientation": {"column": "mug_quat", "order": "wxyz"},
                },
            },
        },
        "wrench": {"column": "ft", "unit": "N"},
    }
    values.update(changes)
    return {key: value for key, value in values.items() if value is not None}


def mug_columns(count: int = 60) -> dict[str, np.ndarray]:
    """The mug stands for a second, is lifted 0.2 m by a hand that has closed around it, and stays up there."""
    t = np.arange(count) / RATE_HZ
    height = 0.05 + 0.2 * np.clip(t - 1.0, 0.0, 1.0)
    mug = np.column_stack([np.full(count, 0.1), np.zeros(count), height])
    # The hand points down: half a turn about x, written xyzw.
    down = np.tile((1.0, 0.0, 0.0, 0.0), (count, 1))
    gap = np.where(t < 0.5, 0.08, 0.07)
    return {
        "t": t,
        "q": np.tile(np.linspace(0, 1, 7), (count, 1)),
        "finger_left": gap / 2,
        "finger_right": gap / 2,
        "tcp": np.column_stack([mug, down]),
        "mug_pos": mug * 1000.0,
        "mug_quat": np.tile((1.0, 0.0, 0.0, 0.0), (count, 1)),
        "done": (t >= 2.0).astype(float),
        "ft": np.column_stack([np.zeros((count, 2)), -3.0 * (t > 1.0), np.zeros((count, 3))]),
    }
