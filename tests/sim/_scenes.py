"""Small scenes for the tests of the world: boxes and cans that need no asset library."""

from __future__ import annotations

import mujoco
import numpy as np

from maniguard.sim import HOME_QPOS_RAD, JOINT_LIMITS_RAD, AssetSpec, ObjectSpec, SceneSpec, World, goal_sphere
from maniguard.sim.assets.asset import Asset
from maniguard.sim.assets.materials import Material
from maniguard.sim.assets.mesh import lathe, slab
from maniguard.sim.assets.pieces import box, cylinder, enclosing_hull, mass_properties
from maniguard.trace.frame import Frame
from maniguard.trace.scene import Part, Pose


def make_asset(item: ObjectSpec) -> Asset:
    """Return a solid box ("box": x, y, z) or can ("can": radius, height)."""
    params = {k: float(v) for k, v in item.asset.params.items()}
    if item.asset.kind == "box":
        half = [params[k] / 2 for k in "xyz"]
        center = (0.0, 0.0, half[2])
        pieces = (box(center, half),)
        mesh = slab("body", half, 0.002, center_m=center)
    else:
        radius, height = params["radius"], params["height"]
        pieces = (cylinder(radius, 0.0, height),)
        mesh = lathe("body", np.array([[0.0, 0.0], [radius, 0.0], [radius, height], [0.0, height]]))
    properties = mass_properties(pieces)
    scale = item.mass_kg / properties.volume_m3
    shade = float(item.appearance.get("shade", 0.6))
    return Asset(
        kind=item.asset.kind,
        visuals=(mesh,) * int(float(item.appearance.get("meshes", 1))),
        materials={"body": Material((shade, 0.4, 0.3, 1.0))},
        pieces=pieces,
        hull=enclosing_hull(pieces),
        boxes=tuple(piece.covering_box() for piece in pieces),
        parts=(Part("body"),),
        rim=None,
        interior=None,
        support_regions=(),
        mass_kg=item.mass_kg,
        friction=item.friction,
        center_of_mass_m=properties.center_m,
        inertia=properties.inertia * scale,
    )


def thing(
    name: str, kind: str, position_m: tuple[float, float], *, mass_kg: float = 0.3, **params: float
) -> ObjectSpec:
    return ObjectSpec(
        name, kind, "obstacle", AssetSpec(kind, params), mass_kg, (0.7, 0.005, 0.0001), Pose((*position_m, 0.0))
    )


def block(name: str = "block", at: tuple[float, float] = (0.5, 0.0), **more: float) -> ObjectSpec:
    return thing(name, "box", at, **{"x": 0.05, "y": 0.05, "z": 0.06, **more})


def can(name: str = "can", at: tuple[float, float] = (0.5, 0.2), **more: float) -> ObjectSpec:
    return thing(name, "can", at, **{"radius": 0.03, "height": 0.12, **more})


def scene(*objects: ObjectSpec) -> SceneSpec:
    return SceneSpec(objects or (block(), can()), goal_sphere((0.45, -0.2, 0.2), 0.04))


def arm_at(world: World, position_m: tuple[float, float, float], yaw_rad: float = 0.0) -> np.ndarray:
    """Return joint angles (7,) with the hand pointing down at a tcp position (damped least squares)."""
    model, data = world.model, mujoco.MjData(world.model)
    site = model.site("panda/tcp").id
    c, s = np.cos(yaw_rad), np.sin(yaw_rad)
    wanted = np.array([[c, s, 0.0], [s, -c, 0.0], [0.0, 0.0, -1.0]])
    q = np.array(HOME_QPOS_RAD)
    jacobian = np.empty((6, model.nv))
    for _ in range(200):
        data.qpos[:7] = q
        mujoco.mj_kinematics(model, data)
        mujoco.mj_comPos(model, data)
        mujoco.mj_jacSite(model, data, jacobian[:3], jacobian[3:], site)
        actual = data.site_xmat[site].reshape(3, 3)
        turn = 0.5 * sum(np.cross(actual[:, i], wanted[:, i]) for i in range(3))
        error = np.concatenate([position_m - data.site_xpos[site], turn])
        arm = jacobian[:, :7]
        q = q + arm.T @ np.linalg.solve(arm @ arm.T + 1e-6 * np.eye(6), error)
        q = np.clip(q, JOINT_LIMITS_RAD[:, 0], JOINT_LIMITS_RAD[:, 1])
    assert np.abs(error).max() < 1e-4, "the test asks for a pose out of reach"
    return q


def move(world: World, target_rad: np.ndarray, opening: float, steps: int) -> list[Frame]:
    """Go to joint angles along a straight line with a smooth start and end; return the frames."""
    start = world.frame.robot_qpos_rad.astype(float)
    frames = []
    for i in range(1, steps + 1):
        share = i / steps
        share = share * share * (3 - 2 * share)
        frames.append(world.step([*(start + share * (target_rad - start)), opening]))
    return frames


def wait(world: World, opening: float, steps: int) -> list[Frame]:
    """Hold the last command."""
    target = world.frame.action[:7].astype(float)
    return [world.step([*target, opening]) for _ in range(steps)]
