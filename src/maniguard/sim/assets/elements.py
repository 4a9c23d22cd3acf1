"""Putting assets into a MuJoCo model: meshes, materials, textures, geoms and the inertia of a body."""

from __future__ import annotations

import hashlib
import itertools
from dataclasses import dataclass

import mujoco
import numpy as np
from numpy.typing import NDArray

from maniguard.sim.assets.asset import Asset, PartJoint
from maniguard.sim.assets.materials import Material, Texture
from maniguard.sim.assets.mesh import VisualMesh
from maniguard.sim.assets.pieces import Piece
from maniguard.trace.scene import Vector3

VISUAL_GROUP = 2
COLLISION_GROUP = 3
# Softer contacts let the fingers sink through thin walls; stiffer ones ring at a 2 ms step.
SOLREF = (0.005, 1.0)
CONDIM = 4
# Friction in a joint is a soft constraint: at MuJoCo's defaults a lid that it holds creeps by a degree in four seconds,
# with these, the stiffest for a step of 2 ms, by a hundredth of a degree in ten.
SOLREF_FRICTION, SOLIMP_FRICTION = (0.004, 1.0), (0.9999, 0.9999, 0.001, 0.5, 2.0)
SOLIMP_LIMIT = (0.99, 0.999, 0.001, 0.5, 2.0)
HINGE_ARMATURE, SLIDE_ARMATURE = 1e-6, 1e-3
# Round pieces resist rolling as well, or a can that was pushed over would roll for ever.
ROUND_CONDIM = 6


@dataclass(frozen=True)
class CollisionGeom:
    """The name of a collision geom in the model and the part of the asset that it belongs to."""

    name: str
    part: str


def add_asset(spec: mujoco.MjSpec, body: mujoco.MjsBody, asset: Asset, prefix: str) -> tuple[CollisionGeom, ...]:
    """Add the asset's geoms and inertia to `body`; names start with `prefix`.

    Visual geoms are in group 2 and touch nothing, collision geoms in group 3 and weigh nothing: mass and inertia are
    the asset's. A moving part becomes a child body `prefix` + part with a joint `prefix` + joint; it does not touch the
    body that it hangs on, as the joint's limits are its stops. Returns the collision geoms in the order of
    `asset.pieces`.
    """
    bodies = {joint.part: _add_moving(spec, body, joint, prefix) for joint in asset.joints}
    for index, mesh in enumerate(asset.visuals):
        add_visual(spec, bodies.get(mesh.part, body), mesh, asset.materials[mesh.slot], f"{prefix}visual{index}")
    for one, other in itertools.combinations(bodies.values(), 2):
        spec.add_exclude(bodyname1=one.name, bodyname2=other.name)
    names = []
    for index, piece in enumerate(asset.pieces):
        name = f"{prefix}collision{index}"
        _add_piece(spec, bodies.get(piece.part, body), piece, asset, name)
        names.append(CollisionGeom(name, piece.part))
    if not asset.joints:
        _set_inertia(body, asset.mass_kg, asset.center_of_mass_m, asset.inertia)
    for part in asset.rigid_parts:
        _set_inertia(bodies.get(part.part, body), part.mass_kg, part.center_of_mass_m, part.inertia)
    return tuple(names)


def _add_moving(spec: mujoco.MjSpec, body: mujoco.MjsBody, joint: PartJoint, prefix: str) -> mujoco.MjsBody:
    child = body.add_body(name=f"{prefix}{joint.part}")
    hinge = joint.kind == "hinge"
    unit = 180.0 / np.pi if hinge and spec.compiler.degree else 1.0
    child.add_joint(
        name=f"{prefix}{joint.name}",
        type=mujoco.mjtJoint.mjJNT_HINGE if hinge else mujoco.mjtJoint.mjJNT_SLIDE,
        pos=joint.anchor_m,
        axis=joint.axis,
        limited=True,
        range=(joint.lower * unit, joint.upper * unit),
        damping=joint.damping,
        frictionloss=joint.frictionloss,
        armature=HINGE_ARMATURE if hinge else SLIDE_ARMATURE,
        solref_limit=SOLREF,
        solimp_limit=SOLIMP_LIMIT,
        solref_friction=SOLREF_FRICTION,
        solimp_friction=SOLIMP_FRICTION,
    )
    spec.add_exclude(bodyname1=body.name, bodyname2=child.name)
    return child


def _set_inertia(body: mujoco.MjsBody, mass_kg: float, center_m: Vector3, inertia: NDArray[np.float64]) -> None:
    body.explicitinertial = True
    body.mass = mass_kg
    body.ipos = center_m
    body.fullinertia = [
        inertia[0, 0],
        inertia[1, 1],
        inertia[2, 2],
        inertia[0, 1],
        inertia[0, 2],
        inertia[1, 2],
    ]


def add_visual(
    spec: mujoco.MjSpec, body: mujoco.MjsBody, mesh: VisualMesh, material: Material, name: str
) -> mujoco.MjsGeom:
    """Add one visual mesh to `body`; it touches nothing and weighs nothing."""
    stored = spec.add_mesh(name=name)
    stored.uservert = mesh.vertices.ravel()
    stored.usernormal = mesh.normals.ravel()
    stored.userface = mesh.faces.ravel()
    stored.userfacenormal = mesh.faces.ravel()
    if material.texture is not None:
        # MuJoCo's texture rows run downwards from v = 0.
        stored.usertexcoord = np.stack([mesh.uv[:, 0], 1.0 - mesh.uv[:, 1]], axis=1).ravel()
        stored.userfacetexcoord = mesh.faces.ravel()
    stored.inertia = mujoco.mjtMeshInertia.mjMESH_INERTIA_SHELL
    return body.add_geom(
        name=name,
        type=mujoco.mjtGeom.mjGEOM_MESH,
        meshname=name,
        material=add_material(spec, material),
        contype=0,
        conaffinity=0,
        mass=0.0,
        group=VISUAL_GROUP,
    )


def add_material(spec: mujoco.MjSpec, material: Material) -> str:
    """Add a material, and its texture, unless an equal one is there; returns its name."""
    key = repr((material.rgba, material.texture.key if material.texture else None, material.specular))
    key += repr((material.shininess, material.emission, material.repeat))
    name = "material:" + hashlib.sha256(key.encode()).hexdigest()[:16]
    if spec.material(name) is not None:
        return name
    stored = spec.add_material(name=name)
    stored.rgba = material.rgba
    stored.specular, stored.shininess, stored.emission = material.specular, material.shininess, material.emission
    stored.reflectance = 0.0
    stored.texrepeat = material.repeat
    if material.texture is not None:
        stored.textures[int(mujoco.mjtTextureRole.mjTEXROLE_RGB)] = _add_texture(spec, material.texture)
    return name


def _add_texture(spec: mujoco.MjSpec, texture: Texture) -> str:
    name = "texture:" + hashlib.sha256(texture.key.encode()).hexdigest()[:16]
    if spec.texture(name) is None:
        pixels = texture.pixels()
        stored = spec.add_texture(name=name, type=mujoco.mjtTexture.mjTEXTURE_2D)
        stored.height, stored.width, stored.nchannel = pixels.shape
        stored.data = pixels.tobytes()
    return name


def _add_piece(spec: mujoco.MjSpec, body: mujoco.MjsBody, piece: Piece, asset: Asset, name: str) -> None:
    kinds = {
        "box": mujoco.mjtGeom.mjGEOM_BOX,
        "cylinder": mujoco.mjtGeom.mjGEOM_CYLINDER,
        "capsule": mujoco.mjtGeom.mjGEOM_CAPSULE,
        "mesh": mujoco.mjtGeom.mjGEOM_MESH,
    }
    geom = body.add_geom(name=name, type=kinds[piece.shape], group=COLLISION_GROUP, mass=0.0)
    geom.friction = asset.friction
    geom.solref = SOLREF
    geom.condim = ROUND_CONDIM if piece.shape in ("cylinder", "capsule") else CONDIM
    geom.rgba = (0.4, 0.7, 0.4, 0.35)
    if piece.shape == "mesh":
        stored = spec.add_mesh(name=name)
        stored.uservert = np.asarray(piece.vertices_m).ravel()
        geom.meshname = name
    else:
        size = np.zeros(3)
        size[: len(piece.size_m)] = piece.size_m
        geom.size = size
        geom.pos = piece.center_m
        geom.quat = piece.quat_wxyz
