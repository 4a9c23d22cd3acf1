"""Spreading dust on a surface: particles set out evenly over a patch, as the values that a scene locks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from maniguard.sim.bodies import BuildError
from maniguard.sim.build import AssetMaker, catalogued
from maniguard.sim.fields import Value
from maniguard.sim.particles import DustSpec
from maniguard.sim.scene import ObjectSpec
from maniguard.trace.scene import Region

# 1 N of a sponge of 9 cm by 6 cm: its own weight is not enough, a light hand is.
MIN_PRESSURE_PA = 185.0
# Turned on by this much of a circle, each particle of a disc falls into the widest gap that those before it have left.
_GOLDEN_TURN = (3.0 - 5.0**0.5) / 2.0
_JITTER = 0.25


def spread_dust(
    item: ObjectSpec,
    wipers: Sequence[str],
    *,
    rng: np.random.Generator,
    count: int = 60,
    patch: Region | None = None,
    min_pressure_pa: float = MIN_PRESSURE_PA,
    appearance: Mapping[str, Value] | None = None,
    make_asset: AssetMaker | None = None,
) -> DustSpec:
    """Return dust on a patch of `item`: a disc or a rectangle in its frame, by default its first support region.

    The particles lie evenly with a little disorder, half a spacing away from the edge. BuildError where there is no
    such patch or no particle.
    """
    if patch is None:
        asset = (make_asset or catalogued)(item)
        if not asset.support_regions:
            raise BuildError(f"object {item.name!r} has no support region to spread dust on, and no patch was given")
        patch = asset.support_regions[0]
    if count < 1:
        raise BuildError(f"dust on {item.name!r}: count must be at least 1, got {count}")
    if patch.shape == "disc":
        area, flat = np.pi * patch.size_m[0] ** 2, _on_disc(count, patch.size_m[0])
    elif patch.shape == "rectangle":
        area, flat = 4.0 * patch.size_m[0] * patch.size_m[1], _on_rectangle(count, patch.size_m[0], patch.size_m[1])
    else:
        raise BuildError(f"dust on {item.name!r}: a patch is a disc or a rectangle, got {patch.shape!r}")
    spacing = float(np.sqrt(area / count))
    flat = flat + rng.uniform(-_JITTER, _JITTER, flat.shape) * spacing
    w, x, y, z = patch.pose.quat_wxyz
    right = np.array([1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y)])
    ahead = np.array([2 * (x * y - w * z), 1 - 2 * (x * x + z * z), 2 * (y * z + w * x)])
    normal = tuple(float(v) for v in np.cross(right, ahead))
    places = np.array(patch.pose.position_m) + flat[:, :1] * right + flat[:, 1:] * ahead
    return DustSpec(
        item.name,
        tuple((float(px), float(py), float(pz)) for px, py, pz in places),
        (normal,) * count,  # type: ignore[arg-type]
        float(area),
        tuple(wipers),
        min_pressure_pa,
        radius_m=0.3 * spacing,
        appearance=dict(appearance or {}),
    )


def _on_disc(count: int, radius_m: float) -> np.ndarray:
    index = np.arange(count)
    radius = radius_m * np.sqrt((index + 0.5) / count)
    # Half a spacing, and the jitter, stay within the edge.
    radius *= 1.0 - _JITTER * np.sqrt(np.pi / count)
    angle = 2.0 * np.pi * _GOLDEN_TURN * index
    return np.stack([radius * np.cos(angle), radius * np.sin(angle)], axis=1)


def _on_rectangle(count: int, half_x_m: float, half_y_m: float) -> np.ndarray:
    rows = max(1, round(float(np.sqrt(count * half_y_m / half_x_m))))
    sizes = [count // rows + (row < count % rows) for row in range(rows)]
    places = []
    for row, size in enumerate(sizes):
        y = half_y_m * (2.0 * (row + 0.5) / rows - 1.0)
        places += [(half_x_m * (2.0 * (column + 0.5) / size - 1.0), y) for column in range(size)]
    return np.array(places)
