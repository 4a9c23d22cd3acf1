"""Meshes that users bring: read, checked, taken apart into convex pieces, packed into the description of an asset."""

from maniguard.sim.assets.foreign.checks import check_mesh
from maniguard.sim.assets.foreign.decompose import METHODS, decompose
from maniguard.sim.assets.foreign.importer import ImportOptions, import_mesh
from maniguard.sim.assets.foreign.read import MeshError, TriangleMesh, read_mesh

__all__ = [
    "METHODS",
    "ImportOptions",
    "MeshError",
    "TriangleMesh",
    "check_mesh",
    "decompose",
    "import_mesh",
    "read_mesh",
]
