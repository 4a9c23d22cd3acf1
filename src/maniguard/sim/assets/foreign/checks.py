"""What a mesh must be before it can become an object."""

from __future__ import annotations

import numpy as np

from maniguard.sim.assets.foreign.read import MeshError, TriangleMesh

# What stands on the table of the benchmark and can be seen by its cameras.
SIZE_M = (0.008, 0.6)


def check_mesh(mesh: TriangleMesh) -> TriangleMesh:
    """Return the mesh with its faces looking outwards; MeshError for holes, no volume, or a size that cannot be."""
    if len(mesh.faces) == 0:
        raise MeshError(f"{mesh.name}: the mesh has no triangles of any size")
    edges = np.concatenate([mesh.faces[:, [0, 1]], mesh.faces[:, [1, 2]], mesh.faces[:, [2, 0]]])
    codes = edges[:, 0] * len(mesh.vertices) + edges[:, 1]
    back = edges[:, 1] * len(mesh.vertices) + edges[:, 0]
    doubled = len(codes) - len(np.unique(codes))
    alone = int((~np.isin(codes, back)).sum())
    size = np.ptp(mesh.vertices[np.unique(mesh.faces)], axis=0)
    if size.min() < 1e-9 * max(float(size.max()), 1e-12):
        raise MeshError(f"{mesh.name}: the mesh has no volume; it is flat")
    if alone:
        raise MeshError(f"{mesh.name}: the mesh has holes: {alone} of {len(codes)} edges have a face on one side only")
    if doubled:
        raise MeshError(f"{mesh.name}: {doubled} edges have more than two faces, or faces that look different ways")
    if abs(mesh.volume) < 1e-6 * float(np.prod(size)):
        raise MeshError(f"{mesh.name}: the mesh has no volume")
    low, high = SIZE_M
    if size.max() > high or size.max() < low:
        told = " × ".join(f"{v:.4g}" for v in size)
        raise MeshError(
            f"{mesh.name}: {told} m is no size of a thing on a table ({low} to {high} m); --scale 0.001 reads mm"
        )
    if mesh.volume < 0.0:
        return TriangleMesh(mesh.name, mesh.vertices, mesh.faces[:, ::-1])
    return mesh
