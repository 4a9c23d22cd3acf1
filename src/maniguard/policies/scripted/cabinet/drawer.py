"""The drawer that a task is about: where it is, how far it is open, what it sweeps, where it is held and entered."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from maniguard.planning import matrix, matrix_of, outline
from maniguard.planning.kinematics import F64
from maniguard.policies.scripted.script import NoPlanError, View
from maniguard.sim import Grasp
from maniguard.trace.scene import Box, Hull, Joint, Part, Region

ROLE = "cabinet"


@dataclass(frozen=True, eq=False)
class Sweep:
    """What a drawer fills at one time or another, from shut to open: `low` and `high` (3,) in the cabinet's frame."""

    low: F64
    high: F64

    def meets(self, points: F64, margin_m: float = 0.0) -> bool:
        """Return whether the bounds of points (V, 3) in the cabinet's frame come nearer than `margin_m`."""
        low, high = points.min(axis=0), points.max(axis=0)
        return bool(np.all(low < self.high + margin_m) and np.all(high > self.low - margin_m))


def sweep_of(parts: Sequence[Part], joint: Joint) -> Sweep:
    """Return what the part of a slide joint sweeps; drawers open towards -x of their cabinet's frame."""
    part = next(part for part in parts if part.name == joint.part)
    low, high = bounds(part.boxes)
    low[0] -= joint.upper
    return Sweep(low, high)


def bounds(boxes: Sequence[Box]) -> tuple[F64, F64]:
    """Return the corners (3,) and (3,) of the box around boxes."""
    half = np.array([np.abs(matrix_of((0, 0, 0), b.quat_wxyz)[:3, :3]) @ np.asarray(b.half_size_m) for b in boxes])
    centers = np.array([box.center_m for box in boxes])
    return (centers - half).min(axis=0), (centers + half).max(axis=0)


@dataclass(frozen=True, eq=False)
class Drawer:
    """The top drawer of the one cabinet of a scene, as it is now.

    `opening_m` is how far it is open, `travel_m` how far it opens; `closed_low` and `closed_high` (3,) bound it when it
    is shut, `face_x` is where the front of the cabinet's body is, all in the cabinet's frame.
    """

    name: str
    part: str
    world_T_cabinet: F64
    opening_m: float
    travel_m: float
    closed_low: F64
    closed_high: F64
    face_x: float
    front_m: float
    grasp: Grasp
    interior: Region
    sweep: Sweep

    @property
    def body_part(self) -> str:
        """The name by which planning knows the drawer."""
        return f"{self.name}/{self.part}"

    def at(self, opening_m: float) -> F64:
        """Return `world_T_drawer` (4, 4) when it is open by `opening_m`."""
        out = np.eye(4)
        out[0, 3] = -opening_m
        return self.world_T_cabinet @ out

    def handle(self, opening_m: float) -> F64:
        """Return `world_T_tcp` (4, 4) of the grasp of its handle when it is open by `opening_m`."""
        return self.at(opening_m) @ matrix(self.grasp.object_T_tcp)

    @property
    def handle_m(self) -> F64:
        """Where the handle is held when the drawer is shut, (3,) in the cabinet's frame."""
        return np.asarray(self.grasp.object_T_tcp.position_m)

    @property
    def floor_m(self) -> float:
        """The height of its floor."""
        return self.interior.pose.position_m[2] - self.interior.size_m[2]

    @property
    def top_m(self) -> float:
        """The height of its front's upper edge."""
        return float(self.closed_high[2])

    def local(self, points: F64) -> F64:
        """Return points (V, 3) of the world in the cabinet's frame."""
        return (points - self.world_T_cabinet[:3, 3]) @ self.world_T_cabinet[:3, :3]

    def point(self, x: float, y: float, z: float) -> F64:
        """Return a point (3,) of the cabinet's frame in the world."""
        return self.world_T_cabinet[:3, :3] @ np.array([x, y, z]) + self.world_T_cabinet[:3, 3]

    def blocked_by(self, hull: Hull, world_T_object: F64, margin_m: float = 0.0) -> bool:
        """Return whether an object stands where the drawer passes."""
        return self.sweep.meets(self.local(outline(hull, world_T_object)), margin_m)


def drawer_of(view: View) -> Drawer:
    """Return the drawer of the scene; NoPlanError unless there is one cabinet with one."""
    cabinets = view.with_role(ROLE)
    if len(cabinets) != 1:
        raise NoPlanError(f"the scene has {len(cabinets)} cabinets")
    name = cabinets[0].name
    entity = view.scene.entity(name)
    joint = next((joint for joint in entity.joints if joint.kind == "slide"), None)
    grasp = next((g for g in cabinets[0].grasps if joint is not None and g.name == f"{joint.part}-handle"), None)
    if joint is None or grasp is None or entity.interior is None:
        raise NoPlanError(f"{name!r} has no drawer with a handle and an inside")
    low, high = bounds(next(part for part in entity.parts if part.name == joint.part).boxes)
    body_low, _ = bounds(entity.parts[0].boxes[:2])
    column = view.scene.joint_columns.index((name, joint.name))
    return Drawer(
        name=name,
        part=joint.part,
        world_T_cabinet=view.pose(name),
        opening_m=float(view.frame.joint_position[column]) - joint.lower,
        travel_m=joint.upper - joint.lower,
        closed_low=low,
        closed_high=high,
        face_x=float(body_low[0]),
        front_m=float(entity.interior.pose.position_m[0] - entity.interior.size_m[0]),
        grasp=grasp,
        interior=entity.interior,
        sweep=sweep_of(entity.parts, joint),
    )
