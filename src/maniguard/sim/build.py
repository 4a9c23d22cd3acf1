"""From the description of a scene to a compiled model, and the map from its geoms back to what they belong to."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import mujoco
import numpy as np
from numpy.typing import NDArray

from maniguard.sim import robot
from maniguard.sim.assets import build
from maniguard.sim.assets.asset import Asset
from maniguard.sim.assets.elements import COLLISION_GROUP, CONDIM, SOLREF
from maniguard.sim.bodies import BuildError, add_object, fitted, object_entity
from maniguard.sim.cameras import add_room_cameras
from maniguard.sim.command import TIMESTEP_S
from maniguard.sim.dust import add_dust
from maniguard.sim.grains import add_grains
from maniguard.sim.room import add_room
from maniguard.sim.scene import ObjectSpec, SceneSpec
from maniguard.sim.surroundings import TableSpec
from maniguard.trace.scene import Box, DustGroup, Entity, GrainGroup, Part, Pose, Region, Scene

AssetMaker = Callable[[ObjectSpec], Asset]

FLOOR_FRICTION = (0.6, 0.005, 0.0001)
FLOOR_HALF_SIZE_M = 4.0
GOAL_GEOM = "goal"
GOAL_RGBA = (0.15, 0.85, 0.3, 0.32)


@dataclass(frozen=True)
class Stage:
    """A compiled scene.

    `geom_entity` and `geom_part` (ngeom,) give the entity column and part index of each geom, -1 where it belongs to
    nothing that a rule can speak of. `free_qpos` and `free_qvel` (N,) are the addresses of the free joints of the
    objects that are not anchored, `free_entity` (N,) their columns. `objects` are the objects with their assets.
    """

    model: mujoco.MjModel
    scene: Scene
    objects: tuple[tuple[ObjectSpec, Asset], ...]
    geom_entity: NDArray[np.int64]
    geom_part: NDArray[np.int64]
    free_entity: NDArray[np.int64]
    free_qpos: NDArray[np.int64]
    free_qvel: NDArray[np.int64]


def catalogued(item: ObjectSpec) -> Asset:
    """Return an object's matter and looks as its description says: the AssetMaker where no other is given."""
    return build(item.asset, item.appearance, item.mass_kg, item.friction)


def build_stage(spec: SceneSpec, make_asset: AssetMaker) -> Stage:
    """Compile `spec`; `make_asset` turns an object's description into matter and looks."""
    objects = tuple((item, fitted(item, make_asset(item))) for item in spec.objects)
    description = mujoco.MjSpec()
    description.modelname = "maniguard"
    _set_options(description)
    owners: dict[str, tuple[str, str]] = {}
    world = description.worldbody
    description.attach(robot.load(), prefix=robot.PREFIX, frame=world.add_frame())
    _add_table_and_floor(world, spec.table, owners)
    for item, asset in objects:
        add_object(description, item, asset, owners)
    grains = add_grains(description, spec.liquids, objects, owners)
    add_dust(description, spec.dust)
    if spec.goal is not None:
        world.add_geom(
            name=GOAL_GEOM,
            type=mujoco.mjtGeom.mjGEOM_SPHERE,
            size=(spec.goal.size_m[0], 0.0, 0.0),
            pos=spec.goal.pose.position_m,
            rgba=GOAL_RGBA,
            contype=0,
            conaffinity=0,
            group=1,
            mass=0.0,
        )
    add_room(description, spec.room, spec.table)
    add_room_cameras(description)
    try:
        model = description.compile()
    except ValueError as error:
        raise BuildError(f"the scene does not compile: {str(error).splitlines()[0]}") from error
    scene = Scene(
        entities=_entities(model, spec, objects),
        goal=spec.goal,
        grain_groups=tuple(GrainGroup(p.container, len(p.radii_m), p.level_m) for p in spec.liquids),
        dust_groups=tuple(DustGroup(p.surface, len(p.positions_m)) for p in spec.dust),
    )
    entity, part = _owners_by_geom(model, scene, owners, grains)
    free = [item.name for item, asset in objects if not asset.anchored]
    joints = [model.joint(name) for name in free]
    return Stage(
        model=model,
        scene=scene,
        objects=objects,
        geom_entity=entity,
        geom_part=part,
        free_entity=np.array([scene.index(name) for name in free], dtype=np.int64),
        free_qpos=np.array([joint.qposadr[0] for joint in joints], dtype=np.int64),
        free_qvel=np.array([joint.dofadr[0] for joint in joints], dtype=np.int64),
    )


def _set_options(description: mujoco.MjSpec) -> None:
    option = description.option
    option.timestep = TIMESTEP_S
    option.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
    option.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
    option.impratio = 10.0
    # A blow-up must surface as a fault; by default MuJoCo would start over from the initial state.
    option.disableflags = int(mujoco.mjtDisableBit.mjDSBL_AUTORESET)
    description.visual.map.znear = 0.01
    description.visual.map.zfar = 30.0
    description.stat.extent = 1.0
    description.stat.center = (0.4, 0.0, 0.1)


def _add_table_and_floor(world: mujoco.MjsBody, table: TableSpec, owners: dict[str, tuple[str, str]]) -> None:
    top = world.add_body(name="table", pos=(*table.center_m, 0.0))
    top.add_geom(
        name="table/top",
        type=mujoco.mjtGeom.mjGEOM_BOX,
        pos=(0.0, 0.0, -table.thickness_m / 2),
        size=(table.size_m[0] / 2, table.size_m[1] / 2, table.thickness_m / 2),
        friction=table.friction,
        **_touchable(),
    )
    owners["table/top"] = ("table", "body")
    floor = world.add_body(name="floor", pos=(0.0, 0.0, -table.height_m))
    floor.add_geom(
        name="floor/ground",
        type=mujoco.mjtGeom.mjGEOM_PLANE,
        size=(FLOOR_HALF_SIZE_M, FLOOR_HALF_SIZE_M, 0.1),
        friction=FLOOR_FRICTION,
        **_touchable(),
    )
    owners["floor/ground"] = ("floor", "body")


def _touchable() -> dict[str, object]:
    return {"solref": SOLREF, "condim": CONDIM, "group": COLLISION_GROUP, "mass": 0.0}


def _entities(
    model: mujoco.MjModel, spec: SceneSpec, objects: Sequence[tuple[ObjectSpec, Asset]]
) -> tuple[Entity, ...]:
    table = spec.table
    half = (table.size_m[0] / 2, table.size_m[1] / 2)
    top = Box((0.0, 0.0, -table.thickness_m / 2), (*half, table.thickness_m / 2))
    ground = FLOOR_HALF_SIZE_M
    entities = [
        Entity(
            name="table",
            kind="support",
            category="table",
            role="support",
            parts=(Part("body", boxes=(top,)),),
            boxes=(top,),
            support_regions=(Region("rectangle", (*half, 0.0)),),
        ),
        Entity(
            name="floor",
            kind="support",
            category="floor",
            role="room",
            boxes=(Box((0.0, 0.0, -0.05), (ground, ground, 0.05)),),
            support_regions=(Region("rectangle", (ground, ground, 0.0)),),
        ),
        Entity(
            name="panda",
            kind="robot",
            category="robot",
            role="robot",
            parts=tuple(
                Part(part, moving=part != "body", boxes=_link_boxes(model, link))
                for part, link in zip(robot.PARTS, robot.LINKS, strict=True)
            ),
        ),
    ]
    entities += [object_entity(item, asset) for item, asset in objects]
    return tuple(entities)


def _link_boxes(model: mujoco.MjModel, link: str) -> tuple[Box, ...]:
    boxes = []
    body = model.body(robot.PREFIX + link)
    for geom in range(int(body.geomadr[0]), int(body.geomadr[0]) + int(body.geomnum[0])):
        if not model.geom_contype[geom]:
            continue
        matrix = np.empty(9)
        mujoco.mju_quat2Mat(matrix, model.geom_quat[geom])
        center = model.geom_pos[geom] + matrix.reshape(3, 3) @ model.geom_aabb[geom, :3]
        boxes.append(
            Box(
                (float(center[0]), float(center[1]), float(center[2])),
                tuple(float(v) for v in model.geom_aabb[geom, 3:]),  # type: ignore[arg-type]
                tuple(float(v) for v in model.geom_quat[geom]),  # type: ignore[arg-type]
            )
        )
    return tuple(boxes)


def _owners_by_geom(
    model: mujoco.MjModel, scene: Scene, owners: dict[str, tuple[str, str]], grains: frozenset[str]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    entity = np.full(model.ngeom, -1, dtype=np.int64)
    part = np.full(model.ngeom, -1, dtype=np.int64)
    panda = scene.index("panda")
    links = {robot.PREFIX + link: index for index, link in enumerate(robot.LINKS)}
    for geom in range(model.ngeom):
        if not model.geom_contype[geom] and not model.geom_conaffinity[geom]:
            continue
        body = model.body(int(model.geom_bodyid[geom])).name
        if body in links:
            entity[geom], part[geom] = panda, links[body]
            continue
        name = model.geom(geom).name
        if name in grains:
            # A trace counts grains and does not tell them apart.
            continue
        owner, part_name = owners[name]
        entity[geom] = scene.index(owner)
        part[geom] = scene.entity(owner).part_index(part_name)
    return entity, part


def entity_pose(spec: SceneSpec, name: str) -> Pose:
    """Return the start pose of an entity; supports, the robot's base and anchored objects never leave it."""
    if name == "table":
        return Pose((*spec.table.center_m, 0.0))
    if name == "floor":
        return Pose((0.0, 0.0, -spec.table.height_m))
    if name == "panda":
        return Pose()
    return spec.object(name).world_T_object
