"""A hinged jar as the maker of its tasks sees it: what fits into it, how stiff its hinge may be, where it is held."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

import numpy as np

from maniguard.bench import TaskFileError
from maniguard.bench.layout import F64
from maniguard.certify.packing import upright
from maniguard.planning import inverted, matrix, matrix_of, pose_of
from maniguard.sim import HOME_QPOS_RAD, Grasp, SceneSpec, World
from maniguard.sim.assets.catalogue import design
from maniguard.sim.assets.design import Design
from maniguard.sim.assets.grasps import PALM_BEHIND_TCP_M, pointing
from maniguard.sim.assets.grasps import level as azimuth
from maniguard.trace.scene import Hull, Pose

GRAVITY_M_S2 = 9.81
# The stiffest hinge, as a share of what rocks the jar when its lid is pushed from behind, and the loosest, as a
# multiple of what holds the lid wherever it is let go.
_STIFFEST, _HOLDING = 0.95, 1.1
# A level hand is below the hinge, and may come from nearly everywhere.
_AZIMUTHS_DEG = (120, 240, 90, 270, 60, 300, 30, 330)
_PALM_CLEAR_M, _SHALLOWEST_M = 0.004, 0.015
_SPARE_M = 0.001


def check_fit(jar: Design, content: Design) -> None:
    """Refuse a jar that has no hinged lid or cannot be carried, and a content that its lid does not close over."""
    asset = jar.asset()
    if asset.interior is None or asset.rim is None or [joint.kind for joint in asset.joints] != ["hinge"]:
        raise TaskFileError(f"design {jar.name!r} is no jar with a hinged lid")
    if not jar.carriable:
        raise TaskFileError(f"jar {jar.name!r} cannot be carried: no stored grasp holds it")
    points = np.asarray(content.asset().hull.vertices_m)
    radius, height = float(np.hypot(points[:, 0], points[:, 1]).max()), float(np.ptp(points[:, 2]))
    room, deep = min(asset.interior.size_m[0], asset.rim.size_m[0]), asset.interior.size_m[2]
    if radius > room - _SPARE_M or height > deep - _SPARE_M:
        raise TaskFileError(
            f"content {content.name!r} does not fit into jar {jar.name!r}: its radius is {1000 * radius:.0f} mm, its "
            f"height {1000 * height:.0f} mm; there is room for {1000 * room:.0f} and {1000 * deep:.0f} mm"
        )


def hinge_friction_nm(jar: Design, content: Design, stiffness: float) -> float:
    """Return the friction of a hinge, in Nm, between the least that holds its lid (0) and the most that is asked (1).

    A push at the lid's edge that overcomes the hinge has the height of the open lid as its lever about the edge of the
    jar's base, against the weight: where it wins the jar rocks.
    """
    asset = jar.asset()
    (hinge,) = asset.joints
    lid = [piece for piece in asset.pieces if piece.part == hinge.part]
    reach = hinge.anchor_m[0] - min(float(piece.points()[:, 0].min()) for piece in lid)
    base = np.asarray(asset.hull.vertices_m)
    edge = float(base[base[:, 2] < 0.002][:, 0].max())
    weight = (jar.mass_kg + content.mass_kg) * GRAVITY_M_S2
    most = _STIFFEST * weight * edge * reach / (hinge.anchor_m[2] + reach)
    matter = next(part for part in asset.rigid_parts if part.part == hinge.part)
    least = _HOLDING * matter.mass_kg * GRAVITY_M_S2 * (hinge.anchor_m[0] - matter.center_of_mass_m[0])
    return round(least + stiffness * (most - least), 4)


def more_grasps(jar: Design) -> tuple[Grasp, ...]:
    """Return grasps beside the stored ones: level ones from more sides, and from above over a short knob.

    A level hand stays below the hinge, and so may come from nearly everywhere. From above the fingers hold a straight
    body no deeper than the palm's room over the closed lid allows.
    """
    asset = jar.asset()
    level = next((grasp for grasp in asset.grasps if grasp.name == "side-180"), None)
    if level is None or asset.rim is None:
        return ()
    out = [replace(level, name=f"side-{a}", object_T_tcp=_turned(level.object_T_tcp, a - 180)) for a in _AZIMUTHS_DEG]
    straight = jar.spec.params.get("shape", "straight") == "straight"
    depth = asset.rim.pose.position_m[2] - (asset.height_m + _PALM_CLEAR_M - PALM_BEHIND_TCP_M)
    if straight and not any(grasp.kind == "top" for grasp in asset.grasps) and depth >= _SHALLOWEST_M:
        tcp_m = (0.0, 0.0, asset.rim.pose.position_m[2] - depth)
        out += [pointing(f"top-{a}", "top", tcp_m, (0, 0, -1), azimuth(a), level.width_m) for a in (60, 90, 120)]
    return tuple(out)


def _turned(pose: Pose, degrees: float) -> Pose:
    return pose_from(matrix(upright(0.0, 0.0, float(np.radians(degrees)))) @ matrix(pose))


def opened(jar: Design, opening_rad: float) -> Hull:
    """Return the outline of a jar with its lid open, as points of a hull in its frame (the faces are left out)."""
    asset = jar.asset()
    (hinge,) = asset.joints
    pivot = np.asarray(hinge.anchor_m)
    cosine, sine = np.cos(opening_rad), np.sin(opening_rad)
    turn = np.array([[cosine, 0.0, sine], [0.0, 1.0, 0.0], [-sine, 0.0, cosine]])
    body = [piece.points() for piece in asset.pieces if piece.part != hinge.part]
    lid = [(piece.points() - pivot) @ turn.T + pivot for piece in asset.pieces if piece.part == hinge.part]
    points = np.concatenate([*body, *lid])
    return Hull(tuple((float(x), float(y), float(z)) for x, y, z in points), ())


@lru_cache(maxsize=64)
def content_pose(jar: str, content: str, yaw_rad: float) -> Pose:
    """Return `jar_T_content` of a thing (designs by name) that was let down into a jar, turned, and came to rest."""
    holder, thing = design(jar), design(content)
    interior = holder.asset().interior
    assert interior is not None
    lowest = min(vertex[2] for vertex in thing.asset().hull.vertices_m)
    start = upright(0.5, 0.0, yaw_rad, interior.pose.position_m[2] - lowest + 0.0005)
    scene = SceneSpec(
        (holder.object_spec("jar", "target", Pose((0.5, 0.0, 0.0))), thing.object_spec("it", "content", start))
    )
    with World(scene) as world:
        frame = world.reset()
        for _ in range(60):
            frame = world.step(np.array([*HOME_QPOS_RAD, 1.0]))
        columns = [world.scene.index(name) for name in ("jar", "it")]
        first, second = (matrix_of(frame.position_m[c], frame.quat_wxyz[c]) for c in columns)
    return pose_from(inverted(first) @ second)


def pose_from(transform: F64) -> Pose:
    """Return the pose of a (4, 4) matrix."""
    position, quat = pose_of(transform)
    x, y, z = (float(v) for v in position)
    a, b, c, d = (float(v) for v in quat)
    return Pose((x, y, z), (a, b, c, d))
