"""A mesh that a user brought: its triangles and convex pieces are packed into the description itself."""

from __future__ import annotations

import base64
import binascii
import json
import zlib
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from maniguard.sim.assets import grasps as holds
from maniguard.sim.assets.asset import AssetError, Blueprint, Kind, Looks, Params
from maniguard.sim.assets.materials import Material, finish
from maniguard.sim.assets.mesh import CREASE_COS, VisualMesh
from maniguard.sim.assets.pieces import Piece, hull_piece, mass_properties
from maniguard.trace.scene import Pose, Region

Array = NDArray[np.float64]
FORMAT = "maniguard-mesh/1"


def pack(vertices: Array, faces: NDArray[np.int64], pieces: Sequence[Piece]) -> str:
    """Return a mesh and its convex pieces as one line of text, numbers to 1e-6 m."""
    used = np.unique(faces)
    place = np.full(len(vertices), -1)
    place[used] = np.arange(len(used))
    content = {
        "format": FORMAT,
        "vertices": [[round(float(v), 6) for v in row] for row in vertices[used]],
        "faces": place[faces].tolist(),
        "pieces": [piece.vertices_m for piece in pieces],
    }
    text = json.dumps(content, separators=(",", ":")).encode()
    return base64.b64encode(zlib.compress(text, 9)).decode()


def unpack(text: str) -> tuple[Array, NDArray[np.int64], tuple[Piece, ...]]:
    """Return what `pack` wrote; AssetError when it is damaged."""
    try:
        content = json.loads(zlib.decompress(base64.b64decode(text, validate=True)))
        if content["format"] != FORMAT:
            raise AssetError(f"asset kind 'mesh': format {content['format']!r} is not {FORMAT!r}")
        pieces = tuple(hull_piece(np.asarray(points, dtype=float)) for points in content["pieces"])
        vertices = np.asarray(content["vertices"], dtype=float).reshape(-1, 3)
        return vertices, np.asarray(content["faces"], dtype=np.int64).reshape(-1, 3), pieces
    except (binascii.Error, zlib.error, ValueError, KeyError, TypeError) as error:
        raise AssetError(f"asset kind 'mesh': parameter 'shape' is damaged ({error})") from error


def make_mesh(p: Params) -> Blueprint:
    """Make an object out of packed triangles and pieces; `inside_radius` of zero is no container."""
    if not p.text("shape"):
        return _placeholder(p)
    vertices, faces, pieces = unpack(p.text("shape"))
    a, b, c = (vertices[faces[:, k]] for k in range(3))
    volume = float(np.einsum("ij,ij->i", a, np.cross(b, c)).sum() / 6.0)
    radius, low, high = p.number("inside_radius"), p.number("inside_low"), p.number("inside_high")
    rim = interior = None
    if radius > 0.0:
        rim = Region("disc", (radius, radius, 0.0), Pose((0.0, 0.0, high)))
        interior = Region("cylinder", (radius, radius, round(high - low, 6)), Pose((0.0, 0.0, low)))
    return Blueprint(
        (shaded("main", vertices, faces),),
        pieces,
        ((volume, p.text("substance")),),
        rim=rim,
        interior=interior,
        grasps=holds_of(pieces),
    )


def _placeholder(p: Params) -> Blueprint:
    # Without a shape the kind is a cube of 40 mm, so that its defaults are an object like any other's.
    half = 0.02
    corners = np.array([(x, y, z) for x in (-half, half) for y in (-half, half) for z in (0.0, 2.0 * half)])
    piece = hull_piece(corners)
    quads = ((0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3))
    faces = np.array([t for q in quads for t in ((q[0], q[1], q[2]), (q[0], q[2], q[3]))])
    return Blueprint(
        (shaded("main", corners, faces),), (piece,), ((6.4e-5, p.text("substance")),), grasps=holds_of((piece,))
    )


def shaded(slot: str, vertices: Array, faces: NDArray[np.int64]) -> VisualMesh:
    """Return triangles with normals that are smooth over shallow edges and sharp over steep ones."""
    corners = vertices[faces]
    flat = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    unit = flat / np.maximum(np.linalg.norm(flat, axis=1), 1e-15)[:, None]
    normals = np.zeros((len(faces), 3, 3))
    around: dict[int, list[int]] = {}
    for index, face in enumerate(faces):
        for corner in face:
            around.setdefault(int(corner), []).append(index)
    for index, face in enumerate(faces):
        for k, corner in enumerate(face):
            near = np.asarray(around[int(corner)])
            alike = near[unit[near] @ unit[index] > CREASE_COS]
            total = flat[alike].sum(axis=0)
            normals[index, k] = total / max(float(np.linalg.norm(total)), 1e-15)
    points = corners.reshape(-1, 3)
    triangles = np.arange(len(points), dtype=np.int32).reshape(-1, 3)
    return VisualMesh(slot, points, normals.reshape(-1, 3), points[:, :2] / 0.1, triangles)


def holds_of(pieces: Sequence[Piece]) -> tuple[holds.Grasp, ...]:
    """Return top-down grasps across the middle of mass, wherever the pads meet upright faces."""
    cloud = np.concatenate([piece.points() for piece in pieces])
    top = float(cloud[:, 2].max())
    middle = np.asarray(mass_properties(pieces).center_m)[:2]
    found = []
    for yaw in (0, 30, 60, 90, 120, 150):
        closing, along = np.array(holds.level(yaw)), np.array(holds.level(yaw + 90))
        for depth in (0.036, 0.03, 0.024, 0.018, 0.012):
            tcp_z = max(top - depth, holds.LOWEST_TCP_M)
            span = _span(pieces, closing[:2], along[:2], middle, tcp_z)
            if span is None:
                continue
            low, high, lean = span
            centre = middle + closing[:2] * (low + high) / 2.0
            tcp = (float(centre[0]), float(centre[1]), tcp_z)
            reach = np.abs((cloud[:, :2] - centre) @ closing[:2])
            beside = np.abs((cloud[:, :2] - centre) @ along[:2]) < 0.03
            wide = 2.0 * float(reach[(cloud[:, 2] > tcp_z - holds.TIP_BEYOND_TCP_M) & beside].max(initial=0.0))
            width = high - low
            if (
                lean < 0.002
                and 0.006 <= width <= holds.MAX_WIDTH_M
                and wide < min(holds.MAX_OPENING_M, width + holds.ROOM_M) - 0.008
            ):
                found.append(holds.pointing(f"top-{yaw}", "top", tcp, (0, 0, -1), tuple(closing), width))
                break
    return tuple(found)


def _span(
    pieces: Sequence[Piece], closing: Array, along: Array, middle: Array, tcp_z: float
) -> tuple[float, float, float] | None:
    # Extent along the closing direction of what lies between the pads, at three heights; and how much it leans.
    rows = []
    for z in np.linspace(tcp_z - 0.8 * holds.PAD_HALF_M, tcp_z + 0.8 * holds.PAD_HALF_M, 3):
        values = []
        for piece in pieces:
            points = piece.points()
            below, above = points[points[:, 2] <= z], points[points[:, 2] > z]
            if not len(below) or not len(above):
                continue
            # Where the edges between corners below and above pass the height: their hull is the section.
            i, j = (g.ravel() for g in np.meshgrid(np.arange(len(below)), np.arange(len(above)), indexing="ij"))
            share = (z - below[i, 2]) / (above[j, 2] - below[i, 2])
            section = (below[i] + share[:, None] * (above[j] - below[i]))[:, :2] - middle
            near = section[np.abs(section @ along) < 2.0 * holds.PAD_HALF_M + 0.02]
            values.append(near @ closing)
        if not values or not sum(len(v) for v in values):
            return None
        row = np.concatenate(values)
        rows.append((row.min(), row.max()))
    found = np.array(rows)
    return float(found[:, 0].min()), float(found[:, 1].max()), float(np.ptp(found, axis=0).max())


def paint_mesh(looks: Looks, p: Params) -> dict[str, Material]:
    """Paint the whole mesh."""
    return {"main": finish(looks.text("finish"), looks.text("color"))}


KINDS = (
    Kind(
        "mesh",
        {"shape": "", "substance": "plastic", "inside_radius": 0.0, "inside_low": 0.0, "inside_high": 0.0},
        {"finish": "matte", "color": "#c8c2b6"},
        make_mesh,
        paint_mesh,
    ),
)
