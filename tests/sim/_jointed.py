"""Small articulated things for the tests: a chest with a drawer, a jar with a hinged lid, a tray to wipe, a sponge."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from maniguard.sim import AssetSpec, DustSpec, JointSpec, ObjectSpec
from maniguard.sim.assets.asset import Asset, PartJoint, RigidPart
from maniguard.sim.assets.materials import Material
from maniguard.sim.assets.mesh import slab
from maniguard.sim.assets.pieces import Piece, box, enclosing_hull, mass_properties
from maniguard.trace.scene import Part, Pose, Region

from . import _scenes

WALL = 0.006
DRAWER = JointSpec("slide", "slide", 0.0, 0.15, start=0.0, friction=0.5, damping=8.0)
LID = JointSpec("hinge", "hinge", 0.0, 1.92, start=1.92, friction=0.02, damping=0.002)


def tub(half_x: float, half_y: float, height: float, center=(0.0, 0.0, 0.0), part: str = "body") -> tuple[Piece, ...]:
    """A box without a top: outer half sizes, standing on `center`."""
    x, y, z = center
    mid = z + height / 2
    return (
        box((x, y, z + WALL / 2), (half_x, half_y, WALL / 2), part=part),
        box((x - half_x + WALL / 2, y, mid), (WALL / 2, half_y, height / 2), part=part),
        box((x + half_x - WALL / 2, y, mid), (WALL / 2, half_y, height / 2), part=part),
        box((x, y - half_y + WALL / 2, mid), (half_x, WALL / 2, height / 2), part=part),
        box((x, y + half_y - WALL / 2, mid), (half_x, WALL / 2, height / 2), part=part),
    )


def make_asset(item: ObjectSpec) -> Asset:
    """Return what `item` is made of: "chest", "jar", "tray", "beaker", "lid", "sponge", or a thing of `_scenes`."""
    joints: tuple[PartJoint, ...] = ()
    rim = interior = None
    if item.asset.kind == "chest":
        pieces = (
            box((0.0, 0.0, 0.14), (0.11, 0.11, 0.005)),
            box((0.0, 0.105, 0.07), (0.11, 0.005, 0.07)),
            box((0.0, -0.105, 0.07), (0.11, 0.005, 0.07)),
            *tub(0.1, 0.095, 0.06, (0.0, 0.0, 0.03), "drawer"),
            box((-0.12, 0.0, 0.06), (0.02, 0.03, 0.006), part="drawer"),
        )
        interior = Region("box", (0.1 - WALL, 0.095 - WALL, 0.027), Pose((0.0, 0.0, 0.063)))
        joints = (PartJoint("slide", "slide", "drawer", (-1.0, 0.0, 0.0), 0.0, 0.1),)
    elif item.asset.kind == "jar":
        pieces = (*tub(0.035, 0.035, 0.1), box((0.0, 0.0, 0.104), (0.035, 0.035, 0.003), part="lid"))
        interior = Region("box", (0.029, 0.029, 0.047), Pose((0.0, 0.0, 0.053)))
        rim = Region("rectangle", (0.029, 0.029, 0.0), Pose((0.0, 0.0, 0.1)))
        joints = (PartJoint("hinge", "hinge", "lid", (0.0, -1.0, 0.0), 0.0, 1.9, anchor_m=(-0.037, 0.0, 0.102)),)
    elif item.asset.kind == "tray":
        pieces = tub(0.12, 0.1, 0.02)
        interior = Region("box", (0.114, 0.094, 0.007), Pose((0.0, 0.0, 0.013)))
        rim = Region("rectangle", (0.114, 0.094, 0.0), Pose((0.0, 0.0, 0.02)))
    elif item.asset.kind == "beaker":
        pieces = tub(0.035, 0.035, 0.08)
        interior = Region("box", (0.029, 0.029, 0.037), Pose((0.0, 0.0, 0.043)))
        rim = Region("rectangle", (0.029, 0.029, 0.0), Pose((0.0, 0.0, 0.08)))
    elif item.asset.kind == "lid":
        pieces = (box((0.0, 0.0, 0.003), (0.035, 0.035, 0.003)), box((0.0, 0.0, 0.014), (0.01, 0.01, 0.008)))
    elif item.asset.kind == "sponge":
        pieces = (box((0.0, 0.0, 0.02), (0.045, 0.03, 0.02)),)
    else:
        return _scenes.make_asset(item)
    whole = mass_properties(pieces)
    moving = {joint.part for joint in joints}
    shares = {part: [p for p in pieces if p.part == part] for part in ("body", *sorted(moving))}
    rigid = []
    for part, own in shares.items():
        properties = mass_properties(own)
        share = properties.volume_m3 / whole.volume_m3 * item.mass_kg
        rigid.append(RigidPart(part, share, properties.center_m, properties.inertia * share / properties.volume_m3))
    return Asset(
        kind=item.asset.kind,
        visuals=tuple(replace(slab("body", p.size_m, 0.001, center_m=p.center_m), part=p.part) for p in pieces),
        materials={"body": Material((0.7, 0.5, 0.3, 1.0))},
        pieces=pieces,
        hull=enclosing_hull(pieces),
        boxes=tuple(piece.covering_box() for piece in pieces),
        parts=tuple(Part(part, part in moving, tuple(p.covering_box() for p in own)) for part, own in shares.items()),
        rim=rim,
        interior=interior,
        support_regions=(),
        mass_kg=item.mass_kg,
        friction=item.friction,
        center_of_mass_m=whole.center_m,
        inertia=whole.inertia * item.mass_kg / whole.volume_m3,
        joints=joints,
        rigid_parts=tuple(rigid) if joints else (),
        anchored=item.asset.kind == "chest",
    )


def thing(kind: str, at: tuple[float, float], mass_kg: float, joints=(), name: str = "", z: float = 0.0) -> ObjectSpec:
    return ObjectSpec(
        name or kind,
        kind,
        "target",
        AssetSpec(kind),
        mass_kg,
        (0.7, 0.005, 0.0001),
        Pose((*at, z)),
        joints=joints,
    )


def chest(joint: JointSpec = DRAWER, at=(0.6, 0.0)) -> ObjectSpec:
    return thing("chest", at, 3.0, (joint,))


def jar(joint: JointSpec = LID, at=(0.5, -0.2), mass_kg: float = 0.4) -> ObjectSpec:
    return thing("jar", at, mass_kg, (joint,))


def dusty_tray(at=(0.45, 0.2), pressure_pa: float = 100.0) -> tuple[ObjectSpec, ObjectSpec, DustSpec]:
    """A tray with 100 particles in a grid of 16 x 12 cm, and a sponge 5 mm above one end of it."""
    grid = [
        (x, y, WALL) for x in np.linspace(-0.075, 0.075, 10).tolist() for y in np.linspace(-0.055, 0.055, 10).tolist()
    ]
    dust = DustSpec("tray", tuple(grid), ((0.0, 0.0, 1.0),) * 100, 0.16 * 0.12, ("sponge",), pressure_pa)
    tray = thing("tray", at, 0.8)
    sponge = thing("sponge", (at[0] - 0.05, at[1]), 0.04, z=WALL + 0.005)
    return tray, sponge, dust
