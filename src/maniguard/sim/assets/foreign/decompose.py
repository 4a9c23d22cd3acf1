"""Taking a closed mesh apart into convex pieces: cuts by planes along the axes, each where it helps most."""

from __future__ import annotations

import importlib
import importlib.util
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import ConvexHull, QhullError

from maniguard.errors import alternatives
from maniguard.sim.assets.foreign.read import MeshError, TriangleMesh

Array = NDArray[np.float64]
METHODS = ("auto", "hull", "cuts", "coacd")
# A hull that exceeds the mesh by less than this share is taken for the mesh.
CONVEX_SHARE = 0.03
GRID = 44
# A cut has to take this share off what is left over, or the middle is cut; a cell of few voxels is left whole.
LEAST_GAIN = 0.85
LEAST_SPAN = 6


@dataclass(frozen=True, eq=False)
class _Cell:
    """A part of the solid within a box of voxels from corner `low` to `high`; `excess` is hull minus solid in m³."""

    low: tuple[int, int, int]
    high: tuple[int, int, int]
    points: Array
    excess: float


def decompose(mesh: TriangleMesh, *, method: str = "auto", max_pieces: int = 32) -> tuple[Array, ...]:
    """Return the corners (V, 3) of convex pieces that together make a closed mesh.

    "hull" is one piece; "cuts" divides the mesh until its pieces exceed it by 3 % or there are `max_pieces`; "coacd"
    leaves it to the package of that name; "auto" takes the hull where it is near enough, else cuts. MeshError for an
    unknown method or a package that is not there.
    """
    if method not in METHODS:
        raise MeshError(f"decomposition {method!r} is not known; valid are {alternatives(METHODS)}")
    if not 1 <= max_pieces <= 256:
        raise MeshError(f"the number of pieces must be 1 to 256, got {max_pieces}")
    if method == "coacd":
        return _by_coacd(mesh, max_pieces)
    hull = ConvexHull(mesh.vertices)
    near = hull.volume - mesh.volume <= CONVEX_SHARE * mesh.volume
    if method == "hull" or near or max_pieces == 1:
        return (mesh.vertices[hull.vertices],)
    return _by_cuts(mesh, max_pieces)


def _by_coacd(mesh: TriangleMesh, max_pieces: int) -> tuple[Array, ...]:
    if importlib.util.find_spec("coacd") is None:
        raise MeshError(f"{mesh.name}: the package coacd is not installed; install it, or use --method cuts")
    coacd = importlib.import_module("coacd")
    coacd.set_log_level("error")
    parts = coacd.run_coacd(coacd.Mesh(mesh.vertices, mesh.faces), max_convex_hull=max_pieces, seed=0)
    return tuple(np.asarray(vertices, dtype=float) for vertices, _ in parts)


def _by_cuts(mesh: TriangleMesh, max_pieces: int) -> tuple[Array, ...]:
    low, high = mesh.vertices.min(axis=0), mesh.vertices.max(axis=0)
    step = (high - low).max() / GRID
    counts = np.maximum(np.ceil((high - low) / step - 1e-9).astype(int), 1)
    # The outermost cuts lie on the mesh's bounds, so that nothing is shaved off.
    ticks = [np.linspace(low[k], high[k], counts[k] + 1) for k in range(3)]
    filled = _voxels(mesh, ticks)
    unit = float(np.prod([t[1] - t[0] for t in ticks]))
    first = _cell(mesh, ticks, filled, unit, (0, 0, 0), (int(counts[0]), int(counts[1]), int(counts[2])))
    cells = [] if first is None else [first]
    enough = CONVEX_SHARE * mesh.volume
    settled: list[_Cell] = []
    while cells and len(cells) + len(settled) < max_pieces:
        if sum(cell.excess for cell in (*cells, *settled)) <= enough:
            break
        worst = max(range(len(cells)), key=lambda k: cells[k].excess)
        cell = cells.pop(worst)
        halves = _best_cut(mesh, ticks, filled, unit, cell)
        if halves:
            cells += halves
        else:
            settled.append(cell)
    return tuple(cell.points for cell in (*cells, *settled))


def _best_cut(
    mesh: TriangleMesh, ticks: list[Array], filled: NDArray[np.bool_], unit: float, cell: _Cell
) -> list[_Cell]:
    best: tuple[float, list[_Cell]] | None = None
    spans = [cell.high[axis] - cell.low[axis] for axis in range(3)]
    for axis in range(3):
        places = np.unique(np.round(np.linspace(0, spans[axis], 10)[1:-1]).astype(int))
        for place in places[(places > 0) & (places < spans[axis])]:
            found = _halves(mesh, ticks, filled, unit, cell, axis, int(place))
            excess = sum(part.excess for part in found)
            if best is None or excess < best[0] - 1e-15:
                best = (excess, found)
    if best is not None and best[0] <= LEAST_GAIN * cell.excess:
        return best[1]
    # A cut through the middle of a ring gains nothing by itself, but the cuts after it do.
    longest = int(np.argmax(spans))
    if spans[longest] < LEAST_SPAN:
        return []
    return _halves(mesh, ticks, filled, unit, cell, longest, spans[longest] // 2)


def _halves(
    mesh: TriangleMesh,
    ticks: list[Array],
    filled: NDArray[np.bool_],
    unit: float,
    cell: _Cell,
    axis: int,
    place: int,
) -> list[_Cell]:
    upper, lower = list(cell.high), list(cell.low)
    upper[axis] = lower[axis] = cell.low[axis] + place
    pair = (
        _cell(mesh, ticks, filled, unit, cell.low, (upper[0], upper[1], upper[2])),
        _cell(mesh, ticks, filled, unit, (lower[0], lower[1], lower[2]), cell.high),
    )
    return [part for part in pair if part is not None]


def _cell(
    mesh: TriangleMesh,
    ticks: list[Array],
    filled: NDArray[np.bool_],
    unit: float,
    low: tuple[int, int, int],
    high: tuple[int, int, int],
) -> _Cell | None:
    bounds = np.array([[ticks[k][low[k]], ticks[k][high[k]]] for k in range(3)])
    inside = filled[low[0] : high[0], low[1] : high[1], low[2] : high[2]]
    points = [_clipped(mesh, bounds)]
    # Corners of the box that lie in the solid belong to the piece as well.
    for i in (0, -1):
        for j in (0, -1):
            for k in (0, -1):
                if inside[i, j, k]:
                    points.append(np.array([[bounds[0, i], bounds[1, j], bounds[2, k]]]))
    cloud = np.concatenate(points)
    if len(cloud) < 4 or np.ptp(cloud, axis=0).min() < 1e-7:
        return None
    try:
        hull = ConvexHull(cloud)
    except QhullError:
        # All in one plane: nothing of any volume.
        return None
    return _Cell(low, high, cloud[hull.vertices], max(float(hull.volume) - unit * float(inside.sum()), 0.0))


def _clipped(mesh: TriangleMesh, bounds: Array) -> Array:
    """Return the corners of the mesh's triangles clipped to a box."""
    corners = mesh.vertices[mesh.faces]
    near = np.all((corners.max(axis=1) >= bounds[:, 0]) & (corners.min(axis=1) <= bounds[:, 1]), axis=1)
    corners = corners[near]
    whole = np.all((corners >= bounds[:, 0] - 1e-12) & (corners <= bounds[:, 1] + 1e-12), axis=(1, 2))
    out = [corners[whole].reshape(-1, 3)]
    for triangle in corners[~whole]:
        loop = list(triangle)
        for axis in range(3):
            for bound, sign in ((bounds[axis, 0], 1.0), (bounds[axis, 1], -1.0)):
                kept = []
                for a, b in zip(loop, [*loop[1:], *loop[:1]], strict=True):
                    da, db = sign * (a[axis] - bound), sign * (b[axis] - bound)
                    if da >= 0.0:
                        kept.append(a)
                    if da * db < 0.0:
                        kept.append(a + (b - a) * (da / (da - db)))
                loop = kept
                if not loop:
                    break
            if not loop:
                break
        if loop:
            out.append(np.array(loop))
    return np.concatenate(out)


def _voxels(mesh: TriangleMesh, ticks: list[Array]) -> NDArray[np.bool_]:
    """Return which voxels have their middle in the solid, by counting crossings along x."""
    middles = [(t[:-1] + t[1:]) / 2.0 for t in ticks]
    # A tiny shift keeps rays off edges and corners.
    y, z = middles[1] + 1.7e-7, middles[2] + 2.3e-7
    crossings = np.zeros((len(middles[0]), len(y), len(z)), dtype=np.int64)
    a, b, c = (mesh.vertices[mesh.faces[:, k]] for k in range(3))
    for p, q, r in zip(a, b, c, strict=True):
        iy = np.flatnonzero((y >= min(p[1], q[1], r[1])) & (y <= max(p[1], q[1], r[1])))
        iz = np.flatnonzero((z >= min(p[2], q[2], r[2])) & (z <= max(p[2], q[2], r[2])))
        area = (q[1] - p[1]) * (r[2] - p[2]) - (q[2] - p[2]) * (r[1] - p[1])
        if not len(iy) or not len(iz) or abs(area) < 1e-18:
            continue
        yy, zz = np.meshgrid(y[iy], z[iz], indexing="ij")
        u = ((yy - p[1]) * (r[2] - p[2]) - (zz - p[2]) * (r[1] - p[1])) / area
        v = ((q[1] - p[1]) * (zz - p[2]) - (q[2] - p[2]) * (yy - p[1])) / area
        hit = (u >= 0.0) & (v >= 0.0) & (u + v <= 1.0)
        x = p[0] + u * (q[0] - p[0]) + v * (r[0] - p[0])
        for j, k in zip(*np.nonzero(hit), strict=True):
            crossings[:, iy[j], iz[k]] += middles[0] > x[j, k]
    return crossings % 2 == 1
