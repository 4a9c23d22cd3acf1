"""From a description to an asset: geometry, mass, inertia, looks."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from types import MappingProxyType

import numpy as np

from maniguard.errors import alternatives
from maniguard.sim.assets.asset import Asset, AssetError, Blueprint, Kind, Looks, Params, RigidPart, Value
from maniguard.sim.assets.kinds import KINDS
from maniguard.sim.assets.pieces import MassProperties, enclosing_hull, mass_properties
from maniguard.sim.assets.substances import density_kg_m3
from maniguard.sim.scene import AssetSpec, Grasp
from maniguard.trace.scene import Box, Hull, Part, Vector3

STANDARD_GRAVITY = 9.81
# Pads of 17 mm that press with some tens of newtons hold about this much before the object swings down in the hand by
# more than 15 degrees; grasps farther from the centre of mass are not stored.
MAX_MOMENT_NM = 0.45


def build(spec: AssetSpec, appearance: Mapping[str, Value], mass_kg: float, friction: Vector3) -> Asset:
    """Build the asset that `spec` describes.

    `friction` is (sliding, torsional in m, rolling in m). Mass and inertia are the collision pieces' with even density.
    AssetError or AppearanceError names what is unknown or impossible. The same arguments give equal assets.
    """
    kind = _kind(spec.kind)
    if not (np.isfinite(mass_kg) and mass_kg > 0.0):
        raise AssetError(f"asset kind {spec.kind!r}: mass_kg must be positive, got {mass_kg!r}")
    if min(friction) < 0.0:
        raise AssetError(f"asset kind {spec.kind!r}: friction must not be negative, got {friction!r}")
    geometry = _geometry(spec.kind, _key(spec.params))
    params, looks = Params(kind.name, spec.params, kind.defaults), Looks(kind.name, appearance, kind.looks)
    plan = geometry.plan
    used = {mesh.slot for mesh in plan.visuals}
    materials = {slot: material for slot, material in kind.paint(looks, params).items() if slot in used}
    missing = used - set(materials)
    if missing:
        raise AssetError(f"asset kind {spec.kind!r}: slots {alternatives(missing)} have no material")
    scale = mass_kg / geometry.mass.volume_m3
    return replace(
        geometry.bare,
        materials=MappingProxyType(materials),
        mass_kg=mass_kg,
        friction=friction,
        inertia=geometry.mass.inertia * scale,
        grasps=tuple(g for g in plan.grasps if plan.anchored or _moment_nm(g, geometry.mass, mass_kg) <= MAX_MOMENT_NM),
        rigid_parts=geometry.rigid_parts(mass_kg),
    )


def nominal_mass_kg(spec: AssetSpec) -> float:
    """Return the mass that the densities of the asset's materials and contents give, rounded to a gram."""
    plan = _geometry(_kind(spec.kind).name, _key(spec.params)).plan
    return max(round(_weight(plan.matter), 3), 0.001)


def default_appearance(kind: str) -> Mapping[str, Value]:
    """Return the appearance keys of a kind with their defaults; AssetError lists the kinds."""
    return _kind(kind).looks


def _moment_nm(grasp: Grasp, mass: MassProperties, mass_kg: float) -> float:
    (x, y, _), (cx, cy, _) = grasp.object_T_tcp.position_m, mass.center_m
    return STANDARD_GRAVITY * mass_kg * float(np.hypot(x - cx, y - cy))


class _Geometry:
    """What does not depend on mass, friction and looks; kept so that equal objects are built once."""

    def __init__(self, name: str, plan: Blueprint) -> None:
        self.plan = plan
        for mesh in plan.visuals:
            for array in (mesh.vertices, mesh.normals, mesh.uv, mesh.faces):
                array.setflags(write=False)
        self.mass: MassProperties = mass_properties(plan.pieces)
        boxes = tuple(piece.covering_box() for piece in plan.pieces)
        hull: Hull = enclosing_hull(plan.pieces)
        moving = {joint.part for joint in plan.joints}
        named = sorted({piece.part for piece in plan.pieces} - {"body"})
        self.bare = Asset(
            kind=name,
            visuals=plan.visuals,
            materials={},
            pieces=plan.pieces,
            hull=hull,
            boxes=boxes,
            parts=tuple(Part(part, part in moving, _boxes_of(plan, boxes, part)) for part in ("body", *named)),
            rim=plan.rim,
            interior=plan.interior,
            support_regions=plan.support_regions,
            mass_kg=1.0,
            friction=(1.0, 0.0, 0.0),
            center_of_mass_m=self.mass.center_m,
            inertia=self.mass.inertia,
            grasps=plan.grasps,
            joints=plan.joints,
            interior_part=plan.interior_part,
            anchored=plan.anchored,
            plug=plan.plug,
        )

    def rigid_parts(self, mass_kg: float) -> tuple[RigidPart, ...]:
        """Share `mass_kg` out between the body and the moving parts as their matter weighs; none without joints."""
        moving = [joint.part for joint in self.plan.joints]
        if not moving:
            return ()
        total = _weight(self.plan.matter)
        shares = {part: _weight(self.plan.part_matter[part]) / total for part in moving}
        shares = {"body": 1.0 - sum(shares.values()), **shares}
        out = []
        for part, share in shares.items():
            # Named pieces that no joint moves, a handle for instance, are the body's.
            fixed = part == "body"
            own = [p for p in self.plan.pieces if p.part == part or (fixed and p.part not in moving)]
            mass = mass_properties(own)
            out.append(RigidPart(part, share * mass_kg, mass.center_m, mass.inertia * share * mass_kg / mass.volume_m3))
        return tuple(out)


def _weight(matter: tuple[tuple[float, str], ...]) -> float:
    return sum(volume * density_kg_m3(name) for volume, name in matter)


def _boxes_of(plan: Blueprint, boxes: tuple[Box, ...], part: str) -> tuple[Box, ...]:
    return tuple(box for box, piece in zip(boxes, plan.pieces, strict=True) if piece.part == part)


def _kind(name: str) -> Kind:
    if name not in KINDS:
        raise AssetError(f"asset kind {name!r} is not known; valid are {alternatives(KINDS)}")
    return KINDS[name]


def _key(params: Mapping[str, Value]) -> str:
    return json.dumps(dict(params), sort_keys=True)


@lru_cache(maxsize=512)
def _geometry(kind: str, params_json: str) -> _Geometry:
    chosen = KINDS[kind]
    return _Geometry(kind, chosen.make(Params(kind, json.loads(params_json), chosen.defaults)))
