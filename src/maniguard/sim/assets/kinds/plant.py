"""Potted plants: a cactus, and a rosette of thick leaves, in a small pot."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from maniguard.sim.assets import pieces as solid
from maniguard.sim.assets.asset import Blueprint, Kind, Looks, Params
from maniguard.sim.assets.materials import Material, finish
from maniguard.sim.assets.mesh import VisualMesh, lathe, merged, rotation_z
from maniguard.sim.assets.profile import filleted, revolved_volume

Array = NDArray[np.float64]


def make_plant(p: Params) -> Blueprint:
    """Make a pot with earth and a plant in it. Nothing of it is meant to be gripped."""
    pot_r, pot_h, tall, spread = (p.positive(k) for k in ("pot_radius", "pot_height", "plant_height", "plant_radius"))
    foot, collar = 0.76 * pot_r, 0.24 * pot_h
    outer = np.array([(foot, 0.0), (0.9 * pot_r, pot_h - collar), (pot_r, pot_h - collar + 0.002), (pot_r, pot_h)])
    earth = pot_h - 0.006
    inside = [(pot_r - 0.004, pot_h), (pot_r - 0.005, earth), (0.0, earth)]
    pot = np.concatenate(
        [[(0.0, 0.0), (foot - 0.003, 0.0)], filleted([tuple(row) for row in outer], 0.0015, steps=2), inside[:2]]
    )
    soil = lathe("soil", np.array([(pot_r - 0.0045, earth), (0.4 * pot_r, earth + 0.002), (0.0, earth + 0.002)]))
    low, high = earth - 0.004, earth + tall
    if p.choice("plant", ("cactus", "rosette")) == "cactus":
        plant = _cactus(spread, low, high)
        t = np.linspace(0.1, np.pi - 0.35, 9)
        body = np.stack([spread * np.sin(t) ** 0.8, low + (high - low) * (1 - np.cos(t)) / 2], axis=1)
        body = np.concatenate([body, [(0.5 * spread, high + 0.002)]])
    else:
        plant = _rosette(spread, earth, high)
        body = np.array([(0.55 * spread, earth), (0.92 * spread, earth + 0.45 * tall), (0.42 * spread, high - 0.002)])
    volume = revolved_volume(np.concatenate([[(0.0, 0.0)], outer, [(0.0, pot_h)]]))
    pieces = (*solid.stacked(outer), *solid.stacked(body, tolerance_m=0.0015))
    return Blueprint(
        (lathe("body", pot, v_range=True), soil, *plant),
        pieces,
        ((0.32 * volume, p.text("substance")), (0.68 * volume, "earth")),
    )


def _cactus(radius: float, low: float, high: float) -> tuple[VisualMesh, ...]:
    t = np.linspace(0.12, np.pi, 11)
    profile = np.stack([radius * np.abs(np.sin(t)) ** 0.8, low + (high - low) * (1 - np.cos(t)) / 2], axis=1)
    profile[-1, 0] = 0.0
    mesh = lathe("plant", profile, segments=48, v_range=True)
    azimuth = np.arctan2(mesh.vertices[:, 1], mesh.vertices[:, 0])
    ribs = 1.0 + 0.055 * np.cos(12 * azimuth)
    vertices, normals = mesh.vertices.copy(), mesh.normals.copy()
    vertices[:, :2] *= ribs[:, None]
    # Slope of the ribs turns the normals sideways.
    side = np.stack([-np.sin(azimuth), np.cos(azimuth), np.zeros_like(azimuth)], axis=1)
    normals += side * (0.66 * np.sin(12 * azimuth) * np.hypot(normals[:, 0], normals[:, 1]))[:, None]
    normals /= np.linalg.norm(normals, axis=1)[:, None]
    petals = [_leaf(0.25 * radius, 0.011, 0.9, 0.004).moved(rotation_z(2 * np.pi * k / 7)) for k in range(7)]
    flower = merged("flower", [petal.moved(None, (0.0, 0.0, high - 0.0035)) for petal in petals])
    return replace(mesh, vertices=vertices, normals=normals), flower


def _rosette(radius: float, low: float, high: float) -> tuple[VisualMesh, ...]:
    leaves = []
    for ring, (count, lift, size) in enumerate(((9, 0.35, 1.0), (8, 0.75, 0.9), (6, 1.15, 0.8))):
        for k in range(count):
            leaf = _leaf(0.0, radius * size, lift, 0.2 * radius)
            leaves.append(leaf.moved(rotation_z(2 * np.pi * (k + 0.37 * ring) / count), (0.0, 0.0, low + 0.002)))
    points = np.concatenate([leaf.vertices for leaf in leaves])
    stretch = (high - low - 0.002) / (points[:, 2].max() - low)
    plant = merged("plant", leaves)
    vertices = plant.vertices.copy()
    vertices[:, 2] = low + (vertices[:, 2] - low) * stretch
    return (replace(plant, vertices=vertices),)


def _leaf(start: float, length: float, lift: float, width: float) -> VisualMesh:
    # A thick leaf that points along x and up by `lift`: a flattened spindle.
    t = np.linspace(0.0, 1.0, 6)
    half = width * np.sin(np.pi * (0.1 + 0.9 * t)) ** 0.8
    half[-1] = 0.0004
    spine = np.stack(
        [start + length * t * np.cos(lift), np.zeros(6), length * (t * np.sin(lift) - 0.12 * t**2)], axis=1
    )
    along = np.gradient(spine, axis=0)
    up = np.cross(along, [0.0, -1.0, 0.0])
    up /= np.linalg.norm(up, axis=1)[:, None]
    angles = np.linspace(0.0, 2 * np.pi, 7)
    ring = (
        np.cos(angles)[None, :, None] * np.array([0.0, 1.0, 0.0]) + 0.38 * np.sin(angles)[None, :, None] * up[:, None]
    )
    vertices = spine[:, None] + half[:, None, None] * ring
    normals = np.cos(angles)[None, :, None] * np.array([0.0, 0.38, 0.0]) + np.sin(angles)[None, :, None] * up[:, None]
    normals /= np.linalg.norm(normals, axis=-1, keepdims=True)
    index = np.arange(6 * 7).reshape(6, 7)
    a, b, c, d = (i.ravel() for i in (index[:-1, :-1], index[:-1, 1:], index[1:, 1:], index[1:, :-1]))
    faces = np.concatenate([np.stack([a, c, b], axis=1), np.stack([a, d, c], axis=1)])
    flat = vertices.reshape(-1, 3)
    corner = flat[faces[0]]
    if np.cross(corner[1] - corner[0], corner[2] - corner[0]) @ normals.reshape(-1, 3)[faces[0]].mean(axis=0) < 0:
        faces = faces[:, ::-1]
    return VisualMesh(
        "flower" if start > 0 else "plant", flat, normals.reshape(-1, 3), np.zeros((42, 2)), faces.astype(np.int32)
    )


def paint_plant(looks: Looks, p: Params) -> dict[str, Material]:
    """Paint pot, earth, plant and flower."""
    return {
        "body": finish(
            looks.text("finish"),
            looks.text("color"),
            accent=looks.text("accent"),
            pattern=looks.text("pattern"),
            seed=looks.seed(),
        ),
        "soil": finish("matte", "#4a3628"),
        "plant": finish("matte", looks.text("plant_color")),
        "flower": finish("matte", looks.text("flower_color")),
    }


KINDS = (
    Kind(
        "plant",
        {
            "pot_radius": 0.036,
            "pot_height": 0.064,
            "plant_height": 0.062,
            "plant_radius": 0.028,
            "plant": "cactus",
            "substance": "earthenware",
        },
        {
            "finish": "matte",
            "color": "#b5623c",
            "accent": "#e8d8c4",
            "pattern": "plain",
            "plant_color": "#4f7f4a",
            "flower_color": "#d94f70",
            "seed": 0.0,
        },
        make_plant,
        paint_plant,
    ),
)
