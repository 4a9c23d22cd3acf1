"""Measures that several tests take on an asset."""

from __future__ import annotations

import os

import numpy as np
from scipy.spatial import ConvexHull

from maniguard.sim.assets import CATALOGUE, Asset

NAMES = tuple(CATALOGUE)


def _sample() -> tuple[str, ...]:
    # One design of each kind and every eleventh beside, so that the fast suite stays fast; MANIGUARD_ASSETS=all takes
    # every one.
    if os.environ.get("MANIGUARD_ASSETS") == "all":
        return NAMES
    kinds = {}
    for name in NAMES:
        kinds.setdefault(CATALOGUE[name].spec.kind, name)
    chosen = {*kinds.values(), *NAMES[5::11]}
    return tuple(name for name in NAMES if name in chosen)


SAMPLE = _sample()


def outside_pieces(asset: Asset, points: np.ndarray) -> np.ndarray:
    """How far each point lies outside the union of the collision pieces, metres; negative within."""
    planes = [ConvexHull(piece.points()).equations for piece in asset.pieces]
    return np.min([(points @ e[:, :3].T + e[:, 3]).max(axis=1) for e in planes], axis=0)


def surface_samples(asset: Asset, step: float = 0.0035) -> np.ndarray:
    """Points on the drawn surfaces, at most about `step` apart."""
    out = []
    for mesh in asset.visuals:
        corners = mesh.vertices[mesh.faces]
        extent = np.linalg.norm(corners.max(axis=1) - corners.min(axis=1), axis=1)
        splits = np.clip(np.ceil(extent / step), 1, 60).astype(int)
        for n in np.unique(splits):
            a, b, c = np.moveaxis(corners[splits == n], 1, 0)
            for i in range(n + 1):
                for j in range(n + 1 - i):
                    u, v = i / n, j / n
                    out.append(a * (1 - u - v) + b * u + c * v)
    return np.unique(np.round(np.concatenate(out) * 1000) / 1000, axis=0)


def quaternion_matrix(quat: tuple[float, ...]) -> np.ndarray:
    w, x, y, z = quat
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )
