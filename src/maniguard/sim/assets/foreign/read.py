"""Reading triangle meshes from STL (text and binary) and OBJ files."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from maniguard.errors import ManiguardError

Array = NDArray[np.float64]
SUFFIXES = (".obj", ".stl")
# Corners closer than this share of the mesh's size are one.
WELD_SHARE = 1e-6


class MeshError(ManiguardError):
    """A mesh that cannot become an object; the message names the file and what is wrong with it."""


@dataclass(frozen=True, eq=False)
class TriangleMesh:
    """A mesh as it stands in a file: `vertices` (V, 3) welded, `faces` (F, 3), and the `name` that errors use."""

    name: str
    vertices: Array
    faces: NDArray[np.int64]

    @property
    def volume(self) -> float:
        """Signed volume; positive when the faces look outwards."""
        a, b, c = (self.vertices[self.faces[:, k]] for k in range(3))
        return float(np.einsum("ij,ij->i", a, np.cross(b, c)).sum() / 6.0)


def read_mesh(path: Path) -> TriangleMesh:
    """Read a mesh file; MeshError when it is no STL or OBJ or holds no triangles, OSError when it cannot be opened."""
    ending = path.suffix.lower()
    if ending not in SUFFIXES:
        raise MeshError(f"{path}: {ending or 'a file without ending'} is no mesh that can be read; give .stl or .obj")
    data = path.read_bytes()
    try:
        corners, faces = _obj(data) if ending == ".obj" else _stl(data)
    except (ValueError, IndexError, struct.error, UnicodeDecodeError) as error:
        raise MeshError(f"{path}: not a readable {ending[1:].upper()} file ({error})") from error
    if len(faces) == 0:
        raise MeshError(f"{path}: the file holds no triangles")
    if faces.min() < 0 or faces.max() >= len(corners):
        raise MeshError(f"{path}: a face names a vertex that the file does not hold")
    if not np.isfinite(corners).all():
        raise MeshError(f"{path}: a vertex is not a finite number")
    return _welded(str(path), corners, faces)


def _obj(data: bytes) -> tuple[Array, NDArray[np.int64]]:
    corners: list[list[float]] = []
    faces: list[tuple[int, int, int]] = []
    for line in data.decode("utf-8", errors="strict").splitlines():
        words = line.split()
        if not words:
            continue
        if words[0] == "v":
            corners.append([float(v) for v in words[1:4]])
        elif words[0] == "f":
            index = [int(word.split("/")[0]) for word in words[1:]]
            loop = [i - 1 if i > 0 else len(corners) + i for i in index]
            faces += [(loop[0], loop[k], loop[k + 1]) for k in range(1, len(loop) - 1)]
    return np.array(corners, dtype=float).reshape(-1, 3), np.array(faces, dtype=np.int64).reshape(-1, 3)


def _stl(data: bytes) -> tuple[Array, NDArray[np.int64]]:
    if len(data) >= 84:
        (count,) = struct.unpack_from("<I", data, 80)
        if len(data) == 84 + 50 * count:
            record = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("extra", "<u2")])
            found = np.frombuffer(data, record, count, 84)["corners"].astype(float)
            return found.reshape(-1, 3), np.arange(3 * count, dtype=np.int64).reshape(-1, 3)
    words = data.decode("ascii", errors="strict").split()
    if not words or words[0] != "solid":
        raise ValueError("neither a text STL nor a binary one of the length that it states")
    places = [k for k, word in enumerate(words) if word == "vertex"]
    corners = np.array([[float(v) for v in words[k + 1 : k + 4]] for k in places], dtype=float).reshape(-1, 3)
    if len(corners) % 3:
        raise ValueError("a facet has not three vertices")
    return corners, np.arange(len(corners), dtype=np.int64).reshape(-1, 3)


def _welded(name: str, corners: Array, faces: NDArray[np.int64]) -> TriangleMesh:
    step = max(float(np.ptp(corners, axis=0).max()), 1e-12) * WELD_SHARE
    _, first, inverse = np.unique(
        np.round(corners / step).astype(np.int64), axis=0, return_index=True, return_inverse=True
    )
    joined = inverse.reshape(-1)[faces]
    proper = (joined[:, 0] != joined[:, 1]) & (joined[:, 1] != joined[:, 2]) & (joined[:, 2] != joined[:, 0])
    return TriangleMesh(name, corners[first], joined[proper])
