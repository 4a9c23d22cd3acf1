"""From a mesh file to an object of a task file."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from maniguard.errors import alternatives
from maniguard.sim.assets.asset import AssetError
from maniguard.sim.assets.build import build
from maniguard.sim.assets.categories import CATEGORIES
from maniguard.sim.assets.foreign.checks import check_mesh
from maniguard.sim.assets.foreign.decompose import decompose
from maniguard.sim.assets.foreign.read import MeshError, TriangleMesh, read_mesh
from maniguard.sim.assets.kinds.foreign import pack
from maniguard.sim.assets.pieces import hull_piece, mass_properties
from maniguard.sim.assets.substances import density_kg_m3
from maniguard.sim.scene import AssetSpec, ObjectSpec
from maniguard.trace.scene import Pose

TURNS = {
    "z": np.eye(3),
    "y": np.array([[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]]),
    "x": np.array([[0.0, -1.0, 0.0], [0.0, 0.0, -1.0], [1.0, 0.0, 0.0]]),
}
# A box that is thinner than this lets fingers and grains through.
LEAST_INSIDE_M = 0.008
MASS_KG = (0.002, 5.0)


@dataclass(frozen=True)
class ImportOptions:
    """How a mesh becomes an object; masses in kg, `scale` takes the file's unit to metres.

    `mass_kg` wins over the density of `substance`. `container` asks for an inside that things can be put into.
    """

    name: str
    category: str
    scale: float = 1.0
    up: str = "z"
    mass_kg: float | None = None
    substance: str = "plastic"
    method: str = "auto"
    max_pieces: int = 32
    container: bool = False
    color: str = "#c8c2b6"
    role: str = "obstacle"


def import_mesh(path: Path, options: ImportOptions) -> ObjectSpec:
    """Read, check and take apart a mesh; the object holds all of it and needs the file no more.

    MeshError names the file and what is wrong: holes, no volume, impossible size or mass, a container without inside.
    """
    if options.up not in TURNS:
        raise MeshError(f"axis {options.up!r} cannot be up; valid are {alternatives(TURNS)}")
    if not options.scale > 0.0:
        raise MeshError(f"the scale must be positive, got {options.scale}")
    if options.category not in CATEGORIES:
        raise MeshError(f"category {options.category!r} is not known; valid are {alternatives(CATEGORIES)}")
    mesh = check_mesh(_placed(read_mesh(path), options))
    pieces = tuple(
        hull_piece(points) for points in decompose(mesh, method=options.method, max_pieces=options.max_pieces)
    )
    mass = options.mass_kg if options.mass_kg is not None else round(mesh.volume * density_kg_m3(options.substance), 3)
    if not MASS_KG[0] <= mass <= MASS_KG[1]:
        raise MeshError(f"{mesh.name}: a mass of {mass} kg is not within {MASS_KG[0]} to {MASS_KG[1]} kg; give --mass")
    inside = _inside(mesh) if options.container else (0.0, 0.0, 0.0)
    if options.container and (inside[0] < LEAST_INSIDE_M / 2.0 or inside[2] - inside[1] < LEAST_INSIDE_M):
        raise MeshError(f"{mesh.name}: a container without inside: nothing opens upwards over the middle")
    params: dict[str, float | str] = {"shape": pack(mesh.vertices, mesh.faces, pieces), "substance": options.substance}
    params |= {"inside_radius": inside[0], "inside_low": inside[1], "inside_high": inside[2]}
    spec = AssetSpec("mesh", params)
    category = CATEGORIES[options.category]
    asset = build(spec, {"color": options.color}, mass, category.friction)
    if mass_properties(asset.pieces).volume_m3 <= 0.0:
        raise AssetError(f"{mesh.name}: the pieces have no volume")
    properties = {p for p in category.properties if p not in ("articulated", "container", "open")}
    properties |= {"container", "open"} if options.container else set()
    return ObjectSpec(
        name=options.name,
        category=options.category,
        role=options.role,
        asset=spec,
        mass_kg=mass,
        friction=category.friction,
        world_T_object=Pose((0.5, 0.0, 0.0)),
        properties=tuple(sorted(properties)),
        appearance={"color": options.color},
        grasps=asset.grasps,
    )


def _placed(mesh: TriangleMesh, options: ImportOptions) -> TriangleMesh:
    # Upright, in metres, the middle of its base at the origin.
    vertices = options.scale * mesh.vertices @ TURNS[options.up].T
    used = vertices[np.unique(mesh.faces)]
    low, high = used.min(axis=0), used.max(axis=0)
    vertices = vertices - np.array([(low[0] + high[0]) / 2.0, (low[1] + high[1]) / 2.0, low[2]])
    return TriangleMesh(mesh.name, np.round(vertices, 6) + 0.0, mesh.faces)


def _inside(mesh: TriangleMesh) -> tuple[float, float, float]:
    """Return radius, floor and mouth of the widest cylinder about the z axis that is open upwards."""
    top = float(mesh.vertices[:, 2].max())
    floor = _first_below(mesh, 0.0, 0.0)
    if floor is None or top - floor < LEAST_INSIDE_M:
        return 0.0, 0.0, 0.0
    radius = 0.0
    turns = np.linspace(0.0, 2.0 * np.pi, 16, endpoint=False) + 0.05
    for r in np.arange(0.002, 0.3, 0.001):
        hits = [_first_below(mesh, r * np.cos(t), r * np.sin(t)) for t in turns]
        # Curved floors rise towards the wall: half of the depth must be left.
        if any(hit is None or hit > floor + 0.5 * (top - floor) for hit in hits):
            break
        radius = float(r)
    return round(radius, 6), round(floor, 6), round(top, 6)


def _first_below(mesh: TriangleMesh, x: float, y: float) -> float | None:
    """Return the height of what a grain falls onto at (x, y); None where there is nothing."""
    a, b, c = (mesh.vertices[mesh.faces[:, k]] for k in range(3))
    area = (b[:, 0] - a[:, 0]) * (c[:, 1] - a[:, 1]) - (b[:, 1] - a[:, 1]) * (c[:, 0] - a[:, 0])
    area = np.where(np.abs(area) > 1e-15, area, np.nan)
    with np.errstate(invalid="ignore"):
        u = ((x - a[:, 0]) * (c[:, 1] - a[:, 1]) - (y - a[:, 1]) * (c[:, 0] - a[:, 0])) / area
        v = ((b[:, 0] - a[:, 0]) * (y - a[:, 1]) - (b[:, 1] - a[:, 1]) * (x - a[:, 0])) / area
    hit: NDArray[np.bool_] = (u >= -1e-9) & (v >= -1e-9) & (u + v <= 1.0 + 1e-9)
    if not hit.any():
        return None
    z = a[:, 2] + u * (b[:, 2] - a[:, 2]) + v * (c[:, 2] - a[:, 2])
    return float(z[hit].max())
