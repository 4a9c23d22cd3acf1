"""Objects in the model: a body with its parts and joints, free or anchored, and the entity that a trace knows it by."""

from __future__ import annotations

from dataclasses import replace

import mujoco

from maniguard.errors import ManiguardError, alternatives
from maniguard.sim.articulation import JointSpec
from maniguard.sim.assets.asset import Asset, PartJoint
from maniguard.sim.assets.elements import add_asset, add_visual
from maniguard.sim.scene import ObjectSpec
from maniguard.trace.scene import Entity, EntityKind


class BuildError(ManiguardError):
    """A scene that cannot be built: MuJoCo does not compile it, or its description does not fit its assets."""


def fitted(item: ObjectSpec, asset: Asset) -> Asset:
    """Return the asset with the scene's numbers in its joints; BuildError where their names or kinds differ."""
    if not item.joints:
        return asset
    given, known = {j.name: j for j in item.joints}, {j.name: j for j in asset.joints}
    if set(given) != set(known):
        raise BuildError(
            f"object {item.name!r} has joints {alternatives(given)} in the scene, but its asset {item.asset.kind!r} "
            f"has {alternatives(known) if known else 'none'}"
        )
    return replace(asset, joints=tuple(_fitted_joint(item, given[j.name], j) for j in asset.joints))


def _fitted_joint(item: ObjectSpec, given: JointSpec, joint: PartJoint) -> PartJoint:
    if given.kind != joint.kind:
        raise BuildError(
            f"object {item.name!r}: joint {joint.name!r} is a {given.kind} in the scene and a {joint.kind} in its asset"
        )
    return replace(
        joint,
        lower=given.lower,
        upper=given.upper,
        start=given.start,
        damping=given.damping,
        frictionloss=given.friction,
    )


def add_object(description: mujoco.MjSpec, item: ObjectSpec, asset: Asset, owners: dict[str, tuple[str, str]]) -> None:
    """Add an object; `owners` learns which geom belongs to which (entity, part).

    Bodies are called NAME and, for a moving part, NAME/PART; joints NAME (free) and NAME/JOINT.
    """
    pose = item.world_T_object
    body = description.worldbody.add_body(name=item.name, pos=pose.position_m, quat=pose.quat_wxyz)
    if not asset.anchored:
        body.add_freejoint(name=item.name)
    for geom in add_asset(description, body, replace(asset, visuals=()), f"{item.name}/"):
        owners[geom.name] = (item.name, geom.part)
    # What is seen hangs on bodies of its own, so that its number of shapes cannot change the order of contacts.
    moving = {joint.part for joint in asset.joints}
    looks: dict[str, mujoco.MjsBody] = {}
    for index, mesh in enumerate(asset.visuals):
        part = mesh.part if mesh.part in moving else "body"
        if part not in looks:
            owner = body if part == "body" else description.body(f"{item.name}/{part}")
            looks[part] = owner.add_body(name=f"{owner.name}/looks")
        add_visual(description, looks[part], mesh, asset.materials[mesh.slot], f"{item.name}/visual{index}")


def object_entity(item: ObjectSpec, asset: Asset) -> Entity:
    """Return the entity of an object; what rests on a joint that the scene leaves to the asset is the asset's."""
    kind: EntityKind = "articulated" if asset.joints else "fixture" if asset.anchored else "object"
    return Entity(
        name=item.name,
        kind=kind,
        category=item.category,
        role=item.role,
        properties=item.properties,
        movable=not asset.anchored,
        parts=asset.parts,
        joints=tuple(joint.trace for joint in asset.joints),
        boxes=asset.boxes,
        hull=asset.hull,
        rest_axis=asset.rest_axis,
        rim=asset.rim,
        interior=asset.interior,
        support_regions=asset.support_regions,
        mass_kg=item.mass_kg,
    )
