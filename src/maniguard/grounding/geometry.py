"""What grounding needs of a scene's still geometry, laid out once for arithmetic over all entities."""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from maniguard.trace import Box, Entity, Pose, Region, Scene

F64 = NDArray[np.float64]


def rotation(quat_wxyz: tuple[float, float, float, float]) -> F64:
    """Return the 3 x 3 rotation matrix of a unit quaternion."""
    w, x, y, z = quat_wxyz
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


def box_corners(box: Box) -> F64:
    """Return the eight corners of a box in its entity's frame."""
    signs = np.array([[i, j, k] for i in (-1, 1) for j in (-1, 1) for k in (-1, 1)], float)
    local: F64 = signs * np.array(box.half_size_m)
    turned: F64 = (rotation(box.quat_wxyz)[None] * local[:, None, :]).sum(axis=2)
    return turned + np.array(box.center_m)


def outline(entity: Entity) -> F64:
    """Return points that span the convex hull of an entity's body: hull vertices, else box corners, else its origin."""
    if entity.hull is not None:
        return np.array(entity.hull.vertices_m, float)
    if entity.boxes:
        return np.concatenate([box_corners(box) for box in entity.boxes])
    return np.zeros((1, 3))


class Geometry:
    """The still geometry of a scene. Columns are the scene's entities; vertices are padded by repetition.

    `vertices` (3, V, N); `rest_axis` (3, N); `box_center` and `box_half` (3, N) the bounding box of the outline in the
    entity's own frame; `is_robot`, `is_movable` (N,); `movable` the columns of what can be displaced.
    """

    def __init__(self, scene: Scene) -> None:
        self.scene = scene
        points = [outline(entity) for entity in scene.entities]
        longest = max((len(item) for item in points), default=1)
        padded = [np.concatenate([item, np.repeat(item[:1], longest - len(item), axis=0)]) for item in points]
        self.vertices: F64 = np.ascontiguousarray(np.stack(padded, axis=1).transpose(2, 0, 1))
        low, high = self.vertices.min(axis=1), self.vertices.max(axis=1)
        self.box_center: F64 = (low + high) / 2
        self.box_half: F64 = (high - low) / 2
        axes = np.array([entity.rest_axis for entity in scene.entities], float).T.copy()
        self.rest_axis: F64 = axes / np.sqrt(axes[0] * axes[0] + axes[1] * axes[1] + axes[2] * axes[2])
        self.robots = frozenset(i for i, entity in enumerate(scene.entities) if entity.kind == "robot")
        self.is_robot = np.array([entity.kind == "robot" for entity in scene.entities])
        self.is_movable = np.array([entity.movable for entity in scene.entities])
        self.movable = np.flatnonzero(self.is_movable)
        # Part 0 of an articulated thing that cannot be displaced stands still, its other parts move.
        self.first_relevant_part = np.array([relevant_from_part(e) for e in scene.entities], np.int16)

    @cached_property
    def fingers(self) -> tuple[NDArray[np.intp], NDArray[np.int16], NDArray[np.int16]]:
        """Return the columns of the robots with two fingers, and the parts of their left and right fingers."""
        found = []
        for column in np.flatnonzero(self.is_robot):
            names = [part.name for part in self.scene.entities[column].parts]
            if "left_finger" in names and "right_finger" in names:
                found.append((column, names.index("left_finger"), names.index("right_finger")))
        table = np.array(found, np.intp).reshape(-1, 3)
        return table[:, 0], table[:, 1].astype(np.int16), table[:, 2].astype(np.int16)

    @cached_property
    def finger_list(self) -> list[tuple[int, int, int]]:
        """Return (robot column, part of the left finger, part of the right finger) of each robot."""
        return [(int(robot), int(left), int(right)) for robot, left, right in zip(*self.fingers, strict=True)]

    def surfaces(self, column: int) -> tuple[Region, ...]:
        """Return where things can lie on an entity: its support regions, else the top of its bounding box."""
        entity = self.scene.entities[column]
        if entity.support_regions:
            return entity.support_regions
        center, half = self.box_center[:, column], self.box_half[:, column]
        top = (float(center[0]), float(center[1]), float(center[2] + half[2]))
        return (Region("rectangle", (float(half[0]), float(half[1]), 0.0), Pose(top)),)


def interior_part(entity: Entity) -> str:
    """Return the part that an entity's interior moves with: that of its first slide joint, a drawer; else its body."""
    for joint in entity.joints:
        if joint.kind == "slide":
            return joint.part
    return "body"


def relevant_from_part(entity: Entity) -> int:
    """Return the first part that a task is about: 0 of what moves, 1 of a fixture with moving parts, else none."""
    if entity.kind != "robot":
        if entity.movable:
            return 0
        if any(part.moving for part in entity.parts):
            return 1
    return np.iinfo(np.int16).max


def is_task_relevant(entity: Entity) -> bool:
    """Whether a touch of the entity engages the robot: movable, or with parts that move; never the robot itself."""
    return relevant_from_part(entity) < len(entity.parts)
