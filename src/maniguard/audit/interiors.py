"""The inside of things in somebody else's model: regions that it marks, or the room within a bowl's outline."""

from __future__ import annotations

from collections.abc import Sequence

import mujoco
import numpy as np

from maniguard.audit.samples import F64
from maniguard.trace import Hull, Region
from maniguard.trace.scene import Pose

# How LIBERO and RoboCasa end the names of boxes that mark an inside. LIBERO's drawers have plain regions.
_INSIDE = ("contain_region", "heating_region", "reg_int", "int_region", "interior")
_OUTSIDE = ("side", "side_region", "cook_region", "burner_region")
# RoboCasa takes the inside of a box to be smaller by this share of it, and by this much at most, on each side.
_WALL_SHARE, _WALL_MAX_M = 0.1, 0.04


def has_region(model: mujoco.MjModel, bodies: Sequence[int]) -> bool:
    """Whether one of the bodies marks a box as a region of its own."""
    return _marked(model, bodies, any_region=True) is not None


def region_name(model: mujoco.MjModel, bodies: Sequence[int]) -> str | None:
    """Return the name of the first region that one of the bodies marks."""
    found = _marked(model, bodies, any_region=True)
    if found is None:
        return None
    kind, index = found
    return str((model.site(index) if kind == "site" else model.geom(index)).name)


def marked_interior(
    model: mujoco.MjModel, start: mujoco.MjData, bodies: Sequence[int], frame: int, *, drawer: bool
) -> Region | None:
    """Return the first box that the model marks as the inside of `bodies`, in the frame of body `frame`.

    In a `drawer` any region is its inside. RoboCasa's older kitchens mark a box by four corners (int_p0, int_px …).
    """
    found = _marked(model, bodies, any_region=drawer)
    if found is not None:
        kind, index = found
        if kind == "site":
            return region_at(start, frame, start.site_xpos[index], start.site_xmat[index], model.site_size[index])
        return region_at(start, frame, start.geom_xpos[index], start.geom_xmat[index], model.geom_size[index])
    return _from_corners(model, start, bodies, frame)


def region_at(start: mujoco.MjData, frame: int, position: F64, rotation: F64, half: F64) -> Region:
    """Return a box in the frame of a body."""
    turn = start.xmat[frame].reshape(3, 3)
    local = turn.T @ (np.asarray(position) - start.xpos[frame])
    quat = np.empty(4)
    mujoco.mju_mat2Quat(quat, (turn.T @ np.asarray(rotation).reshape(3, 3)).ravel())
    x, y, z = (round(float(v), 6) for v in local)
    a, b, c = (round(float(v), 6) for v in half)
    w, i, j, k = (round(float(v), 9) for v in quat)
    return Region("box", (a, b, c), Pose((x, y, z), (w, i, j, k)))


def room_within(hull: Hull) -> Region:
    """Return the room within the bounding box of a hull, for what is called a receptacle and marks no inside."""
    corners = np.array(hull.vertices_m)
    low, high = corners.min(axis=0), corners.max(axis=0)
    half = (high - low) / 2
    half = half - np.minimum(2 * half * _WALL_SHARE, _WALL_MAX_M)
    a, b, c = (round(float(v), 6) for v in half)
    x, y, z = (round(float(v), 6) for v in (low + high) / 2)
    return Region("box", (a, b, c), Pose((x, y, z)))


def _marked(model: mujoco.MjModel, bodies: Sequence[int], *, any_region: bool) -> tuple[str, int] | None:
    box = int(mujoco.mjtGeom.mjGEOM_BOX)
    sites = (
        ("site", i, str(model.site(i).name), int(model.site_bodyid[i]), int(model.site_type[i]))
        for i in range(model.nsite)
    )
    geoms = (
        ("geom", i, str(model.geom(i).name), int(model.geom_bodyid[i]), int(model.geom_type[i]))
        for i in range(model.ngeom)
        if not model.geom_contype[i] and not model.geom_conaffinity[i]
    )
    for kind, index, name, body, shape in (*sites, *geoms):
        if body not in bodies or shape != box or name.endswith(_OUTSIDE):
            continue
        if name.endswith(_INSIDE) or (any_region and name.endswith("_region")):
            return kind, index
    return None


def _from_corners(model: mujoco.MjModel, start: mujoco.MjData, bodies: Sequence[int], frame: int) -> Region | None:
    places: dict[str, F64] = {}
    for site in range(model.nsite):
        name = str(model.site(site).name)
        for corner in ("p0", "px", "py", "pz"):
            if name.endswith(f"int_{corner}") and int(model.site_bodyid[site]) in bodies:
                places.setdefault(corner, start.site_xpos[site].copy())
    if len(places) < 4:
        return None
    edges = np.stack([places[corner] - places["p0"] for corner in ("px", "py", "pz")], axis=1)
    lengths = np.sqrt((edges * edges).sum(axis=0))
    if lengths.min() < 1e-6:
        return None
    return region_at(start, frame, places["p0"] + edges.sum(axis=1) / 2, edges / lengths, lengths / 2)
