"""Contact where nobody felt it: which convex pieces are nearer to each other than a distance."""

from __future__ import annotations

from typing import NamedTuple

import mujoco
import numpy as np

from maniguard.audit.mapping import Shape
from maniguard.audit.samples import F64, Touches


class Piece(NamedTuple):
    """The shapes of one part of one entity, and its frame over S samples: (S, 3) and (S, 4)."""

    entity: int
    part: int
    shapes: tuple[Shape, ...]
    position_m: F64
    quat_wxyz: F64


def near_pairs(pieces: list[Piece], count: int, max_m: float, force_n: float | None) -> Touches:
    """Return the pairs of pieces of different entities that are at most `max_m` apart in each of `count` samples.

    MuJoCo's collision detection measures the distances. `force_n` is a nominal force for every pair, None for none.
    """
    model = _model(pieces, max_m)
    data = mujoco.MjData(model)
    owner = model.geom_bodyid - 1
    rows: list[tuple[float, ...]] = []
    force = np.nan if force_n is None else force_n
    poses = [np.concatenate([p.position_m, p.quat_wxyz], axis=1) for p in pieces]
    for step in range(count):
        for index, pose in enumerate(poses):
            data.qpos[7 * index : 7 * index + 7] = pose[step]
        mujoco.mj_kinematics(model, data)
        mujoco.mj_collision(model, data)
        best: dict[tuple[int, int, int, int], tuple[float, ...]] = {}
        contact = data.contact
        for index in range(data.ncon):
            gap = float(contact.dist[index])
            if gap > max_m:
                continue
            first, second = (pieces[int(owner[int(geom)])] for geom in contact.geom[index])
            if first.entity == second.entity:
                continue
            a, b, sign = (first.entity, first.part), (second.entity, second.part), 1.0
            if a > b:
                a, b, sign = b, a, -1.0
            if gap < best.get((*a, *b), (0.0,) * 7 + (np.inf,))[7]:
                normal = sign * contact.frame[index, :3]
                best[(*a, *b)] = (*normal.tolist(), *contact.pos[index].tolist(), force, gap)
        rows.extend((step, *key, *values) for key, values in sorted(best.items()))
    table = np.array(rows, np.float64).reshape(-1, 13)
    whole = table[:, :5].astype(np.int64)
    return Touches(whole[:, 0], whole[:, 1:3], whole[:, 3:5], table[:, 5:8], table[:, 8:11], table[:, 11], table[:, 12])


def _model(pieces: list[Piece], max_m: float) -> mujoco.MjModel:
    description = mujoco.MjSpec()
    types = mujoco.mjtGeom
    kinds = {"box": types.mjGEOM_BOX, "cylinder": types.mjGEOM_CYLINDER, "sphere": types.mjGEOM_SPHERE}
    for number, piece in enumerate(pieces):
        body = description.worldbody.add_body(name=f"piece{number}")
        body.add_freejoint()
        for index, shape in enumerate(piece.shapes):
            where = {"pos": shape.center_m, "quat": shape.quat_wxyz, "margin": max_m}
            if shape.kind == "hull":
                name = f"hull{number}-{index}"
                description.add_mesh(name=name, uservert=np.array(shape.vertices_m).ravel().tolist())
                # A mesh is moved to its centre when it is compiled; its geom's pose is not.
                body.add_geom(type=types.mjGEOM_MESH, meshname=name, **where)
            else:
                size = [*shape.size_m, 0.0, 0.0][:3]
                body.add_geom(type=kinds[shape.kind], size=size, **where)
    return description.compile()
