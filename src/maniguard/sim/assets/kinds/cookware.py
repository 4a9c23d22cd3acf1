"""Cooking pots, with two loops or a long handle."""

from __future__ import annotations

import itertools

import numpy as np

from maniguard.sim.assets import grasps as holds
from maniguard.sim.assets import pieces as solid
from maniguard.sim.assets.asset import Blueprint, Kind, Params
from maniguard.sim.assets.hollow import hollow_body
from maniguard.sim.assets.kinds.hollow import VESSEL_DEFAULTS, VESSEL_LOOKS, paint_vessel, silhouette
from maniguard.sim.assets.mesh import rotation_z, sweep
from maniguard.sim.assets.profile import radius_at


def make_pot(p: Params) -> Blueprint:
    """Make a cooking pot with two loop handles, or with one long handle ("saucepan")."""
    outer = silhouette(p)
    wall, floor = p.positive("wall"), p.positive("floor")
    body = hollow_body(outer, wall, floor, owner=p.kind)
    top = float(outer[-1, 1])
    grip_z, reach = 0.78 * top, p.positive("handle_depth")
    thick = p.positive("handle_thickness")
    side = radius_at(outer, grip_z)
    visuals, pieces = list(body.visuals), list(body.pieces)
    grasps: list[holds.Grasp] = []
    blocked: tuple[float, ...]
    if p.choice("handles", ("loops", "long")) == "long":
        start, end = np.array([side - 0.002, 0.0, grip_z]), np.array([side + reach, 0.0, grip_z + 0.12 * reach])
        path = start + np.linspace(0.0, 1.0, 9)[:, None] * (end - start)
        path[:, 2] += 0.004 * np.sin(np.linspace(0.0, np.pi, 9))
        taper = np.array([0.62, 0.66, 0.75, 0.88, 1.0, 1.08, 1.1, 1.0, 0.7])
        mesh = sweep("handle", path, taper * 0.011, taper * thick / 2.0, around=12)
        visuals.append(mesh)
        pieces.append(solid.capsule(path[1], path[-1] - 0.006 * (end - start) / reach, 0.0095, part="handle"))
        centre = path[3]
        grasps.append(holds.pointing("handle", "handle", tuple(centre), (0, 0, -1), (0, 1, 0), 0.019))
        blocked = (0.0,)
        volume = mesh.volume_m3
    else:
        volume = 0.0
        t = np.linspace(-1.0, 1.0, 11)
        for sign in (1.0, -1.0):
            # A loop in the level plane: swept along y, then laid down by a quarter turn.
            x = (side - 0.002) + reach * np.sqrt(np.maximum(1.0 - np.abs(t) ** 3, 0.0))
            path = np.stack([x, np.zeros_like(t), 0.026 * t], axis=1)
            flat = sweep("handle", path, thick / 2.0, thick / 2.0, around=9)
            lay = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]])
            turn = rotation_z(0.0 if sign > 0 else np.pi)
            mesh = flat.moved(turn @ lay, (0.0, 0.0, grip_z))
            visuals.append(mesh)
            volume += mesh.volume_m3
            corners = [np.array([sign * x[k], path[k, 2], grip_z]) for k in (0, 2, 8, 10)]
            pieces += [solid.capsule(a, b, thick / 2.0, part="handle") for a, b in itertools.pairwise(corners)]
        blocked = (0.0, 180.0)
    pinch = holds.rim_of_vessel(body.touched_outer, body.touched_inner, floor, blocked_deg=blocked)
    return Blueprint(
        tuple(visuals),
        tuple(pieces),
        ((body.volume_m3, p.text("substance")), (volume, p.text("handle_substance"))),
        rim=body.rim,
        interior=body.interior,
        support_regions=(body.floor,),
        grasps=(*grasps, *pinch),
    )


KINDS = (
    Kind(
        "pot",
        {
            **VESSEL_DEFAULTS,
            "height": 0.08,
            "foot_radius": 0.062,
            "rim_radius": 0.064,
            "wall": 0.002,
            "floor": 0.004,
            "handles": "loops",
            "handle_depth": 0.024,
            "handle_substance": "steel",
            "substance": "steel",
        },
        {**VESSEL_LOOKS, "finish": "metal", "color": "#c4c8cc"},
        make_pot,
        paint_vessel,
    ),
)
