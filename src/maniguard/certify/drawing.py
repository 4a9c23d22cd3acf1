"""What every maker of tasks shares: seeded draws, names, looks, rooms, and the gate that nothing moves by itself."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import numpy as np

from maniguard.sim import RoomSpec, SceneSpec, World
from maniguard.sim.assets.design import Design
from maniguard.trace import Frame
from maniguard.trace.scene import Pose

SETTLED_M, SETTLED_RAD = 0.0003, np.deg2rad(0.2)
"""How far a locked object may move while the world settles."""


class UnfitError(Exception):
    """A draw that breaks a rule of validity; another one is made."""


def generator_for(task_id: str, purpose: str = "task") -> np.random.Generator:
    """Return the random generator of a task, seeded by its id and nothing else."""
    digest = hashlib.sha256(f"{purpose}:{task_id}".encode()).digest()
    return np.random.Generator(np.random.PCG64(int.from_bytes(digest[:8], "big")))


def object_names(nouns: Sequence[str]) -> list[str]:
    """Return a name for each noun: `wine glass` -> wine_glass, the next one wine_glass_2."""
    names: list[str] = []
    for noun in nouns:
        stem = noun.replace(" ", "_").replace("-", "_")
        count = sum(name == stem or name.startswith(f"{stem}_") for name in names)
        names.append(stem if not count else f"{stem}_{count + 1}")
    return names


def recoloured(design: Design, rng: np.random.Generator) -> dict[str, float | str]:
    """Return a design's looks in another of its colours."""
    palette = design.palette
    return dict(design.recoloured(palette[int(rng.integers(len(palette)))]))


def two_rooms(names: Sequence[str], skins: Sequence[str], rng: np.random.Generator) -> tuple[RoomSpec, RoomSpec]:
    """Draw two different rooms of `names`, with different table tops of `skins`."""
    rooms = rng.choice(len(names), size=2, replace=False)
    tops = rng.choice(len(skins), size=2, replace=False)
    first, second = (RoomSpec(names[int(r)], {"table_skin": skins[int(t)]}) for r, t in zip(rooms, tops, strict=True))
    return first, second


def moves(before: Sequence[Pose], after: Sequence[Pose]) -> list[dict[str, object]]:
    """Return the delta of a location variant: what changes from one list of object poses to another."""
    out: list[dict[str, object]] = []
    for k, (old, new) in enumerate(zip(before, after, strict=True)):
        for field in ("position_m", "quat_wxyz"):
            if getattr(new, field) != getattr(old, field):
                out.append({"path": f"/scene/objects/{k}/world_T_object/{field}", "value": list(getattr(new, field))})
    return out


def settle(scene: SceneSpec, world: World) -> Frame:
    """Return the settled first frame of a scene; UnfitError when an object moves while it settles."""
    frame = world.reset()
    for spec in scene.objects:
        column = world.scene.index(spec.name)
        start = np.asarray(spec.world_T_object.position_m)
        turn = 2 * np.arccos(min(1.0, abs(float(frame.quat_wxyz[column] @ np.asarray(spec.world_T_object.quat_wxyz)))))
        if np.linalg.norm(frame.position_m[column] - start) > SETTLED_M or turn > SETTLED_RAD:
            raise UnfitError("something moves while it settles")
    return frame
