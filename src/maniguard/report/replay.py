"""The geometry of a trace in a form that a page can draw: convex outlines and where they went."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maniguard.report.encode import packed
from maniguard.trace import Box, Entity, Hull, Scene, Trace

POSITION_STEP_M = 0.0005
TURN_STEP = 1.0 / 32767
ROLES_OUTSIDE = frozenset({"room"})
MAX_FRAMES = 900


def replay(trace: Trace) -> Mapping[str, Any] | None:
    """Return what the replay draws, None where the trace knows no positions.

    `bodies`: name, role, solids (convex: vertices in metres in the body's frame, faces) and pose tracks (T', 3) metres
    and (T', 4) wxyz, quantised to 0.5 mm; T' frames are every `stride`-th. `arm`: the chain of the robot's link origins
    (T', L, 3); `tcp` (T', 3); `opening_m`; `goal`: a sphere. World frame, z up.
    """
    position = np.asarray(trace.column("position_m"), dtype=np.float64)
    if trace.channels["position_m"].provenance == "absent" or not len(trace):
        return None
    quaternion = np.asarray(trace.column("quat_wxyz"), dtype=np.float64)
    stride = -(-len(trace) // MAX_FRAMES)
    kept = slice(None, None, stride)
    bodies = []
    for column, entity in enumerate(trace.scene.entities):
        if entity.kind == "robot" or entity.role in ROLES_OUTSIDE:
            continue
        solids = _solids(entity)
        if not solids:
            continue
        bodies.append(
            {
                "name": entity.name,
                "role": entity.role,
                "kind": entity.kind,
                "solids": solids,
                **_track(position[kept, column], quaternion[kept, column]),
            }
        )
    return {
        "stride": stride,
        "bodies": bodies,
        "arm": _arm(trace, kept),
        "tcp": packed(np.asarray(trace.column("tcp_position_m"))[kept], step=POSITION_STEP_M),
        "tcp_turn": packed(np.asarray(trace.column("tcp_quat_wxyz"))[kept], step=TURN_STEP),
        "opening_m": packed(np.asarray(trace.column("gripper_opening_m"))[kept], step=POSITION_STEP_M),
        "goal": _goal(trace.scene),
    }


def _track(position: NDArray[np.float64], quaternion: NDArray[np.float64]) -> dict[str, Any]:
    """A body that never moves costs one pose."""
    if np.ptp(position, axis=0).max() < POSITION_STEP_M and np.ptp(quaternion, axis=0).max() < 1e-3:
        position, quaternion = position[:1], quaternion[:1]
    return {"position": packed(position, step=POSITION_STEP_M), "turn": packed(quaternion, step=TURN_STEP)}


def _solids(entity: Entity) -> list[dict[str, Any]]:
    if entity.hull is not None:
        return [_hull(entity.hull)]
    # A recorder may list the boxes of an entity with its parts as well.
    boxes = dict.fromkeys((*entity.boxes, *(box for part in entity.parts if not part.moving for box in part.boxes)))
    return [_box(box) for box in boxes]


def _hull(hull: Hull) -> dict[str, Any]:
    return {"vertices": np.round(hull.vertices_m, 4).tolist(), "faces": [list(face) for face in hull.faces]}


_CORNERS = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], dtype=np.float64)
_SIDES = [[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]]


def _box(box: Box) -> dict[str, Any]:
    corners = _CORNERS * box.half_size_m @ _rotation(box.quat_wxyz).T + box.center_m
    return {"vertices": np.round(corners, 4).tolist(), "faces": _SIDES}


def _rotation(quat_wxyz: tuple[float, float, float, float]) -> NDArray[np.float64]:
    w, x, y, z = quat_wxyz
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
            [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
            [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
        ]
    )


def _arm(trace: Trace, kept: slice) -> Mapping[str, Any] | None:
    """The moving link frames of the robot in the order of its parts, fingers left out."""
    robots = [entity for entity in trace.scene.entities if entity.kind == "robot"]
    if not robots:
        return None
    columns = [
        column
        for column, (entity, part) in enumerate(trace.scene.moving_parts)
        if entity == robots[0].name and "finger" not in part
    ]
    if not columns:
        return None
    base = np.asarray(trace.column("position_m"))[kept, trace.scene.index(robots[0].name)]
    links = np.asarray(trace.column("part_position_m"))[kept][:, columns]
    return packed(np.concatenate([base[:, None], links], axis=1), step=POSITION_STEP_M)


def _goal(scene: Scene) -> Mapping[str, Any] | None:
    if scene.goal is None or scene.goal.shape != "sphere":
        return None
    return {"center": list(scene.goal.pose.position_m), "radius": scene.goal.size_m[0]}
